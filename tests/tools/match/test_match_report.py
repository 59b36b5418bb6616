"""The report page: built from records, whole in itself, and working in a browser."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from browser import BROWSER, Browser

from fanqi.drawing import Marks, captured_letters, small_board
from fanqi.game import load_game
from fanqi.match.api import write_report
from fanqi.match.report import build_report
from fanqi.match.schedule import Form
from fanqi.match.sprt import Sprt
from fanqi.match.store import read_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_page_needs_nothing_but_itself(play_match: Callable[..., Any]) -> None:
    played = play_match("a=builtin:random", "b=builtin:greedy", games=4)
    page = write_report(played.directory).read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["']?(https?:|//|/)""", page)
    assert "{{" not in page.partition('<script id="data"')[0]
    assert "@import" not in page
    assert data_of(page)["total"] == 4


def test_nothing_that_an_engine_says_can_break_out_of_the_page(play_match: Callable[..., Any]) -> None:
    played = play_match("A&B=builtin:random", "b=builtin:random")
    nasty = "</script><script>alert(1)</script><!--"
    records = [msgspec.structs.replace(game, labels=(nasty, nasty), detail=nasty) for game in played.games]
    page = build_report(read_config(played.directory), records)
    assert page.count("</script>") == 2
    assert "<title>A&amp;B – b</title>" in page
    assert data_of(page)["engines"][0]["label"] == nasty


def test_the_figures_are_those_of_the_records(play_match: Callable[..., Any]) -> None:
    played = play_match("a=builtin:random", "b=builtin:greedy", "c=builtin:random", games=4)
    data = data_of(write_report(played.directory).read_text(encoding="utf-8"))
    assert [p["players"] for p in data["pairings"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    summary = json.loads((played.directory / "summary.json").read_bytes())
    assert data["pairings"] == summary["pairings"]
    assert sum(p["wins"] + p["draws"] + p["losses"] for p in data["pairings"]) == 12
    assert {row["name"] for row in data["ratings"]} == {"a", "b", "c"}
    assert [game["moves"] for game in data["games"]] == [game.moves for game in played.games]
    assert [point[0] for point in data["curve"]] == list(range(1, 13))


def test_a_deal_that_is_not_open_is_not_in_the_page(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "bad=/no/such/engine", games=8, game="banqi", start_tries=3)
    data = data_of(write_report(played.directory).read_text(encoding="utf-8"))
    assert [game["number"] for game in data["games"]] == [1, 2]


def test_a_swiss_tournament_is_a_table_and_its_rounds_not_its_pairings(play_match: Callable[..., Any]) -> None:
    played = play_match(*(f"{name}=builtin:random" for name in "abcdefg"), form=Form.SWISS, rounds=3, games=3)
    page = write_report(played.directory).read_text(encoding="utf-8")
    data = data_of(page)
    assert data["title"] == "7 engines, Swiss tournament of 3 rounds"
    assert (data["pairings"], data["curve"]) == ([], [])
    first_games = {game["number"]: set(game["players"]) for game in data["games"]}
    for one in data["swiss"]["rounds"]:
        assert {one["bye"], *(name for meeting in one["meetings"] for name in meeting["players"])} == set("abcdefg")
        for meeting in one["meetings"]:
            assert first_games[meeting["game"]] == set(meeting["players"])
            assert sum(meeting["points"]) == 3
    assert len({meeting["game"] for one in data["swiss"]["rounds"] for meeting in one["meetings"]}) == 9


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    if BROWSER is None or sys.platform == "win32":
        pytest.skip("no Chromium here")
    made = Browser(tmp_path / "profile")
    yield made
    made.close()


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_every_game_replays_to_its_end_in_a_browser(
    game: str, play_match: Callable[..., Any], browser: Browser
) -> None:
    played = play_match(
        "a=builtin:random",
        "b=builtin:greedy",
        games=6,
        game=game,
        openings="random:4" if game == "othello" else "start",
    )
    browser.open(write_report(played.directory))
    for index, record in enumerate(played.games):
        shown = browser.evaluate(f"window.fanqiReport.goto({index})")
        expected = record.final.split()[0] if game == "banqi" else record.final
        assert shown == expected
    assert browser.complaints() == []


def test_arrow_keys_step_through_games(play_match: Callable[..., Any], browser: Browser) -> None:
    played = play_match("a=builtin:random", "b=builtin:random", games=2, sprt=Sprt(0, 5))
    browser.open(write_report(played.directory))
    ply = "document.getElementById('ply').textContent"
    length = len(played.games[1].moves)
    assert browser.evaluate(ply) == f"ply {length} of {length}"
    for key, expected in (("ArrowLeft", length - 1), ("Home", 0), ("ArrowRight", 1), ("End", length)):
        browser.press(key)
        assert browser.evaluate(ply) == f"ply {expected} of {length}"
    browser.press("ArrowUp")
    assert browser.evaluate(ply).endswith(f"of {len(played.games[0].moves)}")
    assert browser.complaints() == []


VIEW = "(() => { const box = (name) => document.querySelector(name).getBoundingClientRect();"
IN_VIEW = (
    VIEW + " return ['#board svg', '.position .controls', '.moves a[aria-current=true]'].every((name) =>"
    " box(name).top >= 0 && box(name).bottom <= window.innerHeight && box(name).right <= window.innerWidth); })()"
)


def resize(browser: Browser, width: int, height: int) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_board_buttons_and_moves_are_in_the_first_screen_of_every_width(
    game: str, play_match: Callable[..., Any], browser: Browser
) -> None:
    played = play_match("engine-with-a-long-name=builtin:random", "b=builtin:greedy", games=2, game=game)
    page = write_report(played.directory)
    for width, height in ((1280, 850), (500, 850), (390, 844)):
        resize(browser, width, height)
        browser.open(page)
        assert browser.evaluate(IN_VIEW), width


@pytest.mark.parametrize(
    ("engines", "form"), [(2, Form.ROUND_ROBIN), (3, Form.ROUND_ROBIN), (5, Form.ROUND_ROBIN), (5, Form.SWISS)]
)
def test_no_report_is_wider_than_the_screen(
    engines: int, form: Form, play_match: Callable[..., Any], browser: Browser
) -> None:
    names = [f"engine-with-a-long-name-{number}=builtin:random" for number in range(engines)]
    rounds = {"rounds": 2} if form is Form.SWISS else {}
    page = write_report(play_match(*names, games=2, form=form, **rounds).directory)
    for width in (1280, 500, 390, 320):
        resize(browser, width, 850)
        browser.open(page)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_a_link_to_a_move_shows_the_move(play_match: Callable[..., Any], browser: Browser) -> None:
    played = play_match("a=builtin:random", "b=builtin:greedy", games=2)
    page = write_report(played.directory)
    length = len(played.games[0].moves)
    resize(browser, 390, 844)
    browser.open(page, "#g1p7")
    assert browser.evaluate("document.getElementById('ply').textContent") == f"ply 7 of {length}"
    assert browser.evaluate(IN_VIEW)
    browser.press("ArrowRight")
    assert browser.evaluate("location.hash") == "#g1p8"
    browser.evaluate("document.querySelector('.moves a[data-ply=\"3\"]').click()")
    assert browser.evaluate("location.hash") == "#g1p3"
    assert browser.complaints() == []


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_the_board_of_a_script_is_the_one_of_the_analysis_page(
    game: str, play_match: Callable[..., Any], browser: Browser
) -> None:
    played = play_match("a=builtin:random", "b=builtin:greedy", games=1, game=game)
    browser.open(write_report(played.directory))
    record = played.games[0]
    position = load_game(game).start() if record.start is None else load_game(game).parse(record.start)
    for ply, move in enumerate(record.moves, 1):
        position = position.play(move)
        if ply % 9 == 0:
            picture = small_board(game, position, Marks(move), "c3")
            browser.evaluate(f"window.fanqiReport.goto(0, {ply})")
            drawn = f"RULES.board(states[ply], 'c3').outerHTML === make({json.dumps(picture)})"
            make = (
                "const box = document.createElement('div'), make = (text) => ((box.innerHTML = text), box.innerHTML);"
            )
            assert browser.evaluate(f"(() => {{ {make} return {drawn}; }})()"), ply
            if game == "banqi":
                lost = browser.evaluate("BANQI.captured(states[ply]).join(' ')")
                assert tuple(lost.split(" ")) == captured_letters(position.fen())


def test_banqi_scores_are_expected_per_cent_however_large(play_match: Callable[..., Any], browser: Browser) -> None:
    played = play_match("a=builtin:random", "b=builtin:random", games=2, game="banqi")
    size = len(played.games[0].moves)
    evals = [(-80.0, 80.0, 9.0, None)[ply % 4] for ply in range(size)]
    games = [msgspec.structs.replace(game, evals=evals) for game in played.games[:1]]
    page = played.directory / "report.html"
    page.write_text(build_report(read_config(played.directory), games), encoding="utf-8")
    assert data_of(page.read_text(encoding="utf-8"))["games"][0]["evals"][:4] == [0.3, 99.7, 85.4, None]
    browser.open(page)
    points = browser.evaluate(
        "[...document.querySelectorAll('#viewer .graph polyline')].map((line) => line.getAttribute('points')).join(' ')"
    )
    heights = {round(float(point.split(",")[1])) for point in points.split()}
    assert heights == {132, 47}  # 0.3 % of the first player all at the bottom, 85.4 % below the top at 32


def test_the_time_beside_the_graph_is_readable_on_every_width(play_match: Callable[..., Any], browser: Browser) -> None:
    played = play_match("a=builtin:random", "b=builtin:random", games=1)
    game = played.games[0]
    size = len(game.moves)
    page = played.directory / "report.html"
    for longest, text in ((0.888, "888 ms"), (888.8, "888.8 s")):
        slow = msgspec.structs.replace(game, evals=[-8.0] * size, times=[longest] * size)
        page.write_text(build_report(read_config(played.directory), [slow]), encoding="utf-8")
        for width in (1280, 500, 390):
            resize(browser, width, 850)
            browser.open(page)
            found = f"[...document.querySelectorAll('#viewer .graph text')].find((one) => one.textContent === '{text}')"
            assert browser.evaluate(f"{found}.getBBox().x") >= 0, (text, width)


def test_games_are_listed_by_number_however_they_ended(play_match: Callable[..., Any]) -> None:
    played = play_match("a=builtin:random", "b=builtin:random", games=4)
    first, second, third, fourth = played.games
    data = data_of(build_report(read_config(played.directory), [first, third, fourth, second]))
    assert [game["number"] for game in data["games"]] == [1, 2, 3, 4]


def test_a_swiss_tournament_of_many_is_two_cards_that_lead_to_its_games(
    play_match: Callable[..., Any], browser: Browser
) -> None:
    names = [f"engine-{number}" for number in range(11)]
    played = play_match(*(f"{name}=builtin:random" for name in names), form=Form.SWISS, rounds=3, games=1)
    browser.open(write_report(played.directory))
    assert browser.evaluate("document.querySelectorAll('#result > .card').length") == 2
    rows = "[...document.querySelectorAll('.swiss tbody tr')]"
    assert browser.evaluate(f"{rows}.map((row) => row.querySelector('th').textContent).sort()") == sorted(names)
    assert browser.evaluate(f"{rows}.flatMap((row) => [...row.querySelectorAll('.met')]).length") == 3 * 11
    meetings = "[...document.querySelectorAll('.meeting')]"
    assert browser.evaluate(f"{meetings}.length") == 6
    browser.evaluate("document.querySelector('.tabs button').click()")
    opened = browser.evaluate(
        f"{meetings}.slice(0, 5).map((one) => {{ one.click();"
        " return [one, ...document.querySelectorAll('#viewer h2 span')].flatMap((place) =>"
        " [...(place === one ? one.querySelectorAll('span') : [place])].map((name) => name.textContent)); })"
    )
    for first, second, black, white in opened:
        assert (black, white) == (first, second)
    met = {game.players for game in played.games if game.round == 1}
    assert {tuple(pair[:2]) for pair in opened} == met
    browser.evaluate(f"{rows}[0].querySelector('button.met').click()")
    best = browser.evaluate(f"{rows}[0].querySelector('th').textContent")
    assert best in browser.evaluate("document.querySelector('#viewer h2').textContent")
    assert browser.complaints() == []


def test_many_pairings_are_lines_of_one_table(play_match: Callable[..., Any], browser: Browser) -> None:
    played = play_match(*(f"{name}=builtin:random" for name in "abcde"), games=1)
    browser.open(write_report(played.directory))
    assert browser.evaluate("document.querySelectorAll('#result > .card').length") == 2
    assert browser.evaluate("document.querySelectorAll('#result > .card:last-child tr').length") == 1 + 10
    assert browser.complaints() == []
