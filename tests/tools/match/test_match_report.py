"""The report page: built from records, whole in itself, and working in a browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from fanqi.match.api import write_report
from fanqi.match.report import build_report
from fanqi.match.sprt import Sprt
from fanqi.match.store import read_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)


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
    assert [(p["first"], p["second"]) for p in data["pairings"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert sum(p["wins"] + p["draws"] + p["losses"] for p in data["pairings"]) == 12
    assert {row["name"] for row in data["ratings"]} == {"a", "b", "c"}
    assert [game["moves"] for game in data["games"]] == [game.moves for game in played.games]
    assert [point[0] for point in data["curve"]] == list(range(1, 13))


def test_a_deal_that_is_not_open_is_not_in_the_page(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "bad=/no/such/engine", games=8, game="banqi", start_tries=3)
    data = data_of(write_report(played.directory).read_text(encoding="utf-8"))
    assert [game["number"] for game in data["games"]] == [1, 2]


class Browser:
    """Chromium, driven by its DevTools protocol over two pipes."""

    def __init__(self, profile: Path) -> None:
        assert BROWSER is not None
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def place_pipes() -> None:
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        self._process = subprocess.Popen(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4, to_read, to_write),
            preexec_fn=place_pipes,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.call("Page.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def open(self, page: Path) -> None:
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())

    def evaluate(self, expression: str) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def complaints(self) -> list[dict[str, Any]]:
        """Everything that a person would see in red in the console."""
        return [
            event
            for event in self.events
            if event.get("method") == "Runtime.exceptionThrown"
            or (event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error")
            or (event.get("method") == "Runtime.consoleAPICalled" and event["params"]["type"] == "error")
        ]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._read, 1 << 16)
            assert data, "the browser has gone"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found


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
