"""What a client tells about itself while it runs."""

from __future__ import annotations

import asyncio
import io
import os
from pathlib import Path
from typing import Any

import pytest

from fanqi.ggs import Status, StatusLine, read_config, run_client
from fanqi.logs import Logger
from fanqi.metrics import render


def test_the_line_says_how_it_goes() -> None:
    status = Status(clock=lambda: 100.0)
    status.state, status.cuts, status.rating = "fanqi@skatgame.net", 2, 2041.6
    status.matches.update(win=3, loss=1, adjourned=5)
    status.boards = (".7.0 s8r20 bob 01:22-00:58 #31 +3.2",)
    assert status.line() == (
        "fanqi@skatgame.net  00:00  4 matches +3 =0 -1  2 cuts  rating 2042  .7.0 s8r20 bob 01:22-00:58 #31 +3.2"
    )


def test_what_a_server_says_gives_no_orders_to_the_terminal() -> None:
    status = Status(clock=lambda: 100.0)
    status.state = "waiting 3 s: \x1b]0;mine\x1b\\"
    assert status.line().startswith("waiting 3 s: \\x1b]0;mine\\x1b\\  00:00")


def test_events_stand_above_the_line_and_not_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    terminal = io.StringIO()
    line = StatusLine(terminal)
    line.write("first\n")
    line.show("how it goes")
    line.write("second\n")
    line.show("")
    line.write("third\n")
    erase = "\r\x1b[2K"
    assert terminal.getvalue() == f"first\n{erase}how it go{erase}second\nhow it go{erase}third\n"


def test_the_line_is_as_wide_as_its_terminal_wherever_stdout_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    termios = pytest.importorskip("termios", reason="only POSIX has such terminals")
    monkeypatch.setenv("COLUMNS", "200")
    outside, inside = os.openpty()
    termios.tcsetwinsize(inside, (24, 10))
    with os.fdopen(inside, "w", encoding="ascii") as terminal:
        StatusLine(terminal).show("how it goes")
        assert os.read(outside, 100) == b"\r\x1b[2Khow it go"
    os.close(outside)


def test_the_line_is_taken_away_at_the_end_however_it_comes(tmp_path: Path, quick_game: Any) -> None:
    terminal = io.StringIO()
    config = read_config(f'[server]\nname = "fanqi"\nhost = "127.0.0.1"\nport = 1\n[records]\nfolder = "{tmp_path}"')

    async def run() -> None:
        async with asyncio.timeout(0.2):
            await run_client(config, "x", Logger("error"), game=quick_game, line=StatusLine(terminal))

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert "matches" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_the_metrics_say_the_same() -> None:
    status = Status()
    status.connected, status.moves, status.cuts = True, 12, 3
    status.matches.update(win=2, adjourned=1)
    text = render(status.families())
    for line in (
        "fanqi_ggs_connected 1",
        "fanqi_ggs_moves_total 12",
        "fanqi_ggs_cuts_total 3",
        'fanqi_ggs_matches_total{result="win"} 2',
        'fanqi_ggs_matches_total{result="adjourned"} 1',
    ):
        assert line in text
