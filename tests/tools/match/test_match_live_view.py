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
