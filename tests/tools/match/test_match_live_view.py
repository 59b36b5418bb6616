"""The live view of a match: as tall as the terminal at most, whatever there is to show."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal

import pytest
from rich.console import Console, ConsoleDimensions

from fanqi.event_loop import run_loop
from fanqi.match.config import MatchConfig
from fanqi.match.limit import Limit
from fanqi.match.progress import LiveProgress
from fanqi.match.runner import Status
from fanqi.match.schedule import Form
from fanqi.match.specification import parse_engine
from fanqi.match.standings import Standings


def config_of(engines: int, form: Form, concurrency: int = 2) -> MatchConfig:
    limit = Limit(movetime_ms=10)
    return MatchConfig(
        game="othello",
        engines=tuple(parse_engine(f"engine-{number}=builtin:random", limit) for number in range(1, engines + 1)),
        games=2,
        form=form,
        rounds=3 if form is Form.SWISS else None,
        concurrency=concurrency,
        seed="1",
    )


def console_of(width: int, height: int) -> Console:
    return Console(file=io.StringIO(), width=width, height=height, force_terminal=True)


def picture(config: MatchConfig, width: int, height: int, playing: int) -> list[str]:
    """What is drawn while ``playing`` games are played, as rows of text."""
    console = console_of(width, height)
    view = LiveProgress(console)

    async def draw() -> list[str]:
        view.began(config, Standings.of(config))
        for slot in range(playing):
            view._boards[slot] = (slot + 1, f"engine-{2 * slot + 1}", f"engine-{2 * slot + 2}")
        rows = console.render_lines(view._picture(), pad=False)
        view.ended(Status.FINISHED, "")
        return ["".join(segment.text for segment in row).rstrip() for row in rows]

    return run_loop(draw())


@pytest.mark.parametrize(
    ("width", "height", "concurrency"),
    [(80, 24, 2), (80, 24, 32), (80, 10, 32), (200, 100, 4), (40, 24, 2), (80, 8, 2), (80, 5, 2), (80, 3, 8)],
)
@pytest.mark.parametrize("form", [Form.SWISS, Form.ROUND_ROBIN])
def test_the_view_is_never_taller_than_the_terminal(form: Form, width: int, height: int, concurrency: int) -> None:
    rows = picture(config_of(64, form, concurrency), width, height, playing=concurrency)
    assert len(rows) <= height
    assert "othello" in rows[0]


@pytest.mark.parametrize(("height", "concurrency"), [(24, 2), (24, 32), (60, 2)])
def test_of_a_table_that_is_too_tall_the_top_is_shown_and_the_rest_is_counted(height: int, concurrency: int) -> None:
    rows = picture(config_of(64, Form.SWISS, concurrency), 80, height, playing=concurrency)
    assert len(rows) == height
    places = [int(row.split()[0]) for row in rows if re.match(r" +\d+ engine-\d+ .*games$", row)]
    assert places == list(range(1, len(places) + 1))
    assert f"and {64 - len(places)} more engines" in rows
    games = sum(re.search(r"engine-\d+ +engine-\d+ +0$", row) is not None for row in rows)
    assert games == concurrency or f"and {concurrency - games} more games" in rows


def test_nothing_is_left_out_where_there_is_room() -> None:
    rows = picture(config_of(8, Form.SWISS), 80, 24, playing=2)
    assert sum("engine-" in row and "games" in row for row in rows) == 8
    assert any(row.startswith("Round 1: ") for row in rows)
    assert not any(" more " in row for row in rows)


@pytest.mark.skipif(not hasattr(signal, "SIGWINCH"), reason="this platform does not tell of a terminal's new size")
def test_a_terminal_that_grows_is_filled_at_once() -> None:
    config, growing = config_of(64, Form.SWISS), console_of(80, 24)
    view = LiveProgress(growing)
    out = growing.file
    assert isinstance(out, io.StringIO)

    async def grow() -> str:
        view.began(config, Standings.of(config))
        assert "more engines" in out.getvalue()
        out.truncate(0)
        growing.size = ConsoleDimensions(80, 100)
        os.kill(os.getpid(), signal.SIGWINCH)
        async with asyncio.timeout(60):
            while "engine-64 " not in out.getvalue():
                await asyncio.sleep(0.01)
        drawn = out.getvalue()
        view.ended(Status.FINISHED, "")
        return drawn

    assert "more engines" not in run_loop(grow())


class Paper(io.StringIO):
    """A terminal that folds rows which do not fit any more, with the cursor below all others."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = [""]
        self.cursor = 0

    def write(self, text: str) -> int:
        for code in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[^\x1b]", text):
            match code:
                case "\n":
                    self.cursor += 1
                    self.rows += [""] * (self.cursor == len(self.rows))
                case "\x1b[2K":
                    self.rows[self.cursor] = ""
                case "\x1b[1A":
                    self.cursor -= 1
                case _ if len(code) == 1 and code != "\r":
                    self.rows[self.cursor] += code
        return len(text)

    def narrow(self, width: int) -> None:
        shown = self.rows[: self.cursor + 1]
        self.rows = [row[at : at + width] for row in shown for at in range(0, max(1, len(row)), width)]
        self.cursor = len(self.rows) - 1


def test_a_terminal_that_gets_narrower_shows_nothing_of_the_old_view() -> None:
    config, paper = config_of(8, Form.SWISS), Paper()
    shrinking = Console(file=paper, width=100, height=40, force_terminal=True)
    view = LiveProgress(shrinking)

    async def shrink() -> list[str]:
        shrinking.print("before")
        view.began(config, Standings.of(config))
        for width in (45, 30, 60):
            shrinking.size = ConsoleDimensions(width, 40)
            paper.narrow(width)
            view._redraw()
        shrinking.size = ConsoleDimensions(40, 40)
        paper.narrow(40)
        view.dealt(1, "0" * 40, None)
        rows = [row.rstrip() for row in paper.rows if row]
        view.ended(Status.FINISHED, "")
        return rows

    before, game, commitment, first, *rest = run_loop(shrink())
    assert (before, game, commitment) == ("before", "game 1: the deal is committed to", "0" * 40)
    assert first.startswith("othello, ")
    assert not any(row.startswith("othello, ") for row in rest)


@pytest.mark.parametrize("width", [80, 40, 28])
def test_names_that_are_too_long_are_cut_and_numbers_are_not(width: int) -> None:
    view = LiveProgress(console_of(width, 24))
    board = ((12345, "an-engine-with-a-long-name-" * 3, "b"), 59)
    (table,) = view._games([board], 10)
    titles, row = ("".join(part.text for part in line) for line in console_of(width, 24).render_lines(table))
    assert titles.split() == ["game", "first", "second", "ply"]
    assert (row.split()[0], row.split()[-1]) == ("12345", "59")
    assert "…" in row
