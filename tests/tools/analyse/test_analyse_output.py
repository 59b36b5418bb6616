"""Table, JSON, graph and page of a review."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import msgspec
import pytest
from browser import BROWSER, Browser
from rich.console import Console
from scripted import DATA, TCGA, WTHOR, ScriptedSearcher, first_game

from fanqi.analysis import GameReview, Plan, review_game
from fanqi.analysis.graph import game_graph
from fanqi.analysis.lines import AnyLine, encode, json_lines
from fanqi.analysis.page import build_page
from fanqi.analysis.table import review_table
from fanqi.records import GameRecord, parse_ggf, parse_transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
GOLDEN = DATA / "analysis"
DOCUMENT = DATA.parents[1] / "docs" / "analyse.md"
REVIEWS = ("othello_review", "banqi_review")


@pytest.fixture(params=REVIEWS)
def review(request: pytest.FixtureRequest) -> GameReview:
    """Either game."""
    found: GameReview = request.getfixturevalue(request.param)
    return found


def printed(review: GameReview, width: int = 132, **settings: Any) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, highlight=False, color_system=None)
    for part in review_table(review, width=width, **settings):
        console.print(part)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


# ----------------------------------------------------------------------------------------------------------- table


@pytest.mark.parametrize("name", REVIEWS)
def test_the_table_is_as_it_was(name: str, request: pytest.FixtureRequest) -> None:
    found = printed(request.getfixturevalue(name))
    assert found == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_the_table_can_do_without_discs(othello_review: GameReview) -> None:
    text = printed(othello_review, letters=True)
    assert "●" not in text
    assert " 1  B " in text


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_terminal_has_fewer_columns_and_cuts_none(width: int, review: GameReview) -> None:
    text = printed(review, width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    heading = next(line for line in lines if " move " in line)
    assert {"#", "move", "score", "loss", "best"} <= set(heading.split())
    moves = [line for line in lines if re.match(r" *\d+  \S ", line)]
    assert len(moves) == len(review.moves)
    assert not any("…" in line[: heading.index("best")] for line in moves)
    whole = next(line for line in printed(review).splitlines() if " move " in line)
    assert len(heading.split()) < len(whole.split())


def test_names_are_no_markup(scripted: Callable[..., GameReview]) -> None:
    record = replace(parse_transcript("f5d6"), players=("[bold]a[/bold]", "[/]"))
    assert "[bold]a[/bold] – [/]" in printed(scripted(record))


def test_what_was_interrupted_says_so() -> None:
    part = review_game(1, first_game(WTHOR), Plan(), ScriptedSearcher(stop_after=20))
    assert f"interrupted: {len(part.moves)} of 62 moves" in printed(part)


# ------------------------------------------------------------------------------------------------------------ JSON


def decoded(review: GameReview) -> list[Any]:
    decoder = msgspec.json.Decoder(AnyLine)
    return [decoder.decode(encode(line)) for line in json_lines("file", review)]


def test_lines_of_json_are_read_back_as_what_they_were(review: GameReview) -> None:
    lines = decoded(review)
    assert lines == list(json_lines("file", review))
    kinds = [type(line).__struct_config__.tag for line in lines]
    assert kinds == ["game", *["move"] * len(review.moves), "summary"]
    assert [line.move for line in lines[1:-1]] == [move.move for move in review.record.moves]
    assert lines[-1].values == review.values


def test_the_losses_of_the_lines_add_up_to_the_summary(review: GameReview) -> None:
    _, *moves, summary = decoded(review)
    for player in summary.players:
        mine = [move for move in moves if move.player == player.player and move.choices > 1]
        assert player.whole.decisions == len(mine)
        assert player.whole.loss == pytest.approx(sum(move.loss for move in mine))
        assert player.whole.best == sum(move.loss == 0 for move in mine)
        assert player.whole.blunders == sum(move.mark == "??" for move in mine)


def test_the_document_names_every_field_and_no_other(review: GameReview) -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## JSON")[2]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE))
    for line in decoded(review):
        name = type(line).__struct_config__.tag
        told = re.sub(r"\([^)]*\)", "", rows[name])
        assert re.findall(r"`(\w+)`", told) == list(line.__struct_fields__)
    named = set(re.findall(r"`(\w+)`", text))
    summary = decoded(review)[-1]
    for struct in (summary.players[0], summary.players[0].whole, summary.final, review.facts[0]):
        assert set(struct.__struct_fields__) <= named


# ------------------------------------------------------------------------------------------------- graph and page


def test_a_graph_is_a_picture_with_a_column_for_every_ply(review: GameReview) -> None:
    root = ElementTree.fromstring(game_graph(review))
    assert len([group for group in root.iter(f"{SVG}g") if group.get("class") == "column"]) == len(review.boards)
    marks = sum(bool(move.mark) for move in review.moves)
    dots = [circle for circle in root.iter(f"{SVG}circle") if (circle.get("class") or "").startswith("dot")]
    assert len(dots) == marks + 3  # three in the legend
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "moves played" in texts
    assert any((text or "").startswith(("score for", "expected score of")) for text in texts)


def test_graphs_of_the_shortest_games_are_drawn_too(scripted: Callable[..., GameReview]) -> None:
    for record in (GameRecord("othello"), parse_transcript("f5"), GameRecord("banqi")):
        ElementTree.fromstring(game_graph(scripted(record)))


def test_a_komi_is_drawn(scripted: Callable[..., GameReview]) -> None:
    assert "komi +3.25" in game_graph(scripted(parse_ggf("(;GM[Othello]TY[8k]KM[3.25]B[f5]W[d6];)")))


def page_of(*reviews: GameReview) -> ElementTree.Element:
    return ElementTree.fromstring(build_page(reviews))


def test_a_page_is_well_formed_and_needs_nothing_but_itself(review: GameReview) -> None:
    text = build_page([review])
    page = ElementTree.fromstring(text)
    assert "{{" not in text
    assert not re.search(r"@import|url\(", text)
    addresses = [
        element.get(name, "") for element in page.iter() for name in ("href", "src") if element.get(name) is not None
    ]
    assert all(address.startswith("#") or address == "data:," for address in addresses)
    names = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(names) == len(set(names))
    assert {address[1:] for address in addresses if address.startswith("#")} <= set(names)


def test_a_page_has_the_board_of_every_ply(review: GameReview) -> None:
    page = page_of(review)
    panels = [part for part in page.iter(f"{XHTML}section") if (part.get("class") or "").split()[:1] == ["ply"]]
    assert [panel.get("id") for panel in panels] == [f"g1p{ply}" for ply in range(len(review.boards))]
    for panel, board in zip(panels, review.boards, strict=True):
        drawing = panel[0]
        if review.record.game == "othello":
            discs = {
                path.get("class"): (path.get("d") or "").count("M")
                for path in drawing
                if path.get("class") in ("x", "o")
            }
            cells = board.fen()
            assert (discs.get("x", 0), discs.get("o", 0)) == (cells[:64].count("X"), cells[:64].count("O"))
        else:
            men = [use.get("href") for use in drawing if (use.get("href") or "").startswith("#m-")]
            letters = [letter for letter in board.fen().split()[0] if letter not in "./"]
            assert men == [f"#m-{letter}" for letter in letters]
    rows = [row for row in page.iter(f"{XHTML}tr") if row.get("data-ply")]
    assert [row.get("data-ply") for row in rows] == [str(move.ply) for move in review.moves]


def test_nothing_in_a_record_can_break_out_of_a_page_or_a_graph(scripted: Callable[..., GameReview]) -> None:
    nasty = "\"'><script>alert(1)</script>]]>&<!--"
    record = replace(parse_transcript("f5d6c3"), players=(nasty, nasty), date=nasty, place=nasty)
    page = page_of(scripted(record), scripted(record))
    assert len(list(page.iter(f"{XHTML}script"))) == 1
    graph = ElementTree.fromstring(game_graph(scripted(record)))
    assert nasty in (graph.get("aria-label") or "")


def test_a_page_of_several_games_lists_them(othello_review: GameReview, banqi_review: GameReview) -> None:
    page = page_of(othello_review, replace(banqi_review, number=2))
    links = [link.get("href") for link in page.iter(f"{XHTML}a")]
    assert links[:2] == ["#game1", "#game2"]
    assert page.find(f"{XHTML}head/{XHTML}title").text == "2 games"  # type: ignore[union-attr]


def test_a_page_of_an_interrupted_game_still_has_every_board() -> None:
    part = review_game(1, first_game(TCGA), Plan(), ScriptedSearcher(stop_after=30))
    page = page_of(part)
    assert sum((section.get("class") or "").startswith("ply") for section in page.iter(f"{XHTML}section")) == 95


# --------------------------------------------------------------------------------------------------- in a browser


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    if BROWSER is None or sys.platform == "win32":
        pytest.skip("no Chromium here")
    made = Browser(tmp_path / "profile")
    yield made
    made.close()


SHOWN = "[...document.querySelectorAll('.ply')].filter((p) => getComputedStyle(p).display !== 'none').map((p) => p.id)"


def test_keys_and_links_step_through_the_games(
    othello_review: GameReview, banqi_review: GameReview, browser: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(build_page([othello_review, replace(banqi_review, number=2)]), encoding="utf-8")
    browser.open(page)
    shown = f"({SHOWN}).join()"
    assert browser.evaluate(shown) == "g1p0,g2p0"
    for key, expected in (("ArrowRight", "g1p1"), ("End", "g1p62"), ("ArrowLeft", "g1p61"), ("Home", "g1p0")):
        browser.press(key)
        assert browser.evaluate(shown) == f"{expected},g2p0"
    browser.evaluate("document.querySelector('tr[data-ply=\"20\"] a').click()")
    assert browser.evaluate(shown) == "g1p20,g2p0"
    browser.evaluate(
        "document.querySelectorAll('#game2 .graph a')[33].dispatchEvent(new Event('click', {bubbles: true}))"
    )
    assert browser.evaluate(shown) == "g1p20,g2p33"
    assert browser.evaluate("document.querySelector('#game2 tr.now').dataset.ply") == "33"
    assert browser.complaints() == []


def test_a_page_without_scripts_steps_by_its_links(
    othello_review: GameReview, browser: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(build_page([othello_review]), encoding="utf-8")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page)
    shown = f"({SHOWN}).join()"
    assert browser.evaluate(shown) == "g1p0"
    browser.evaluate("document.querySelector('tr[data-ply=\"20\"] a').click()")
    assert browser.evaluate(shown) == "g1p20"
    browser.evaluate("document.querySelector('#g1p20 nav a[title=\"one move on\"]').click()")
    assert browser.evaluate(shown) == "g1p21"


IN_VIEW = (
    "['.ply.shown .board', '.ply.shown nav', 'tr.now'].every((name) => { const box ="
    " document.querySelector(name).getBoundingClientRect(); return box.top >= 0 && box.bottom <= window.innerHeight; })"
)


@pytest.mark.parametrize(("width", "height"), [(1280, 850), (500, 850), (390, 844)])
def test_a_link_to_a_move_shows_board_buttons_and_move_in_one_screen(
    width: int, height: int, review: GameReview, browser: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(build_page([review]), encoding="utf-8")
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    browser.open(page, "#g1p30")
    assert browser.evaluate(f"({SHOWN}).join()") == "g1p30"
    assert browser.evaluate(IN_VIEW)
    browser.press("ArrowRight")
    assert browser.evaluate("location.hash") == "#g1p31"
    assert browser.evaluate("document.querySelector('.graph').getBoundingClientRect().right") <= width


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_width_makes_the_page_wider_than_the_screen(
    width: int, banqi_review: GameReview, browser: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(build_page([banqi_review]), encoding="utf-8")
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(page)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
