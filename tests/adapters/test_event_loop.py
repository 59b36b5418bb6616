"""The one loop of everything: uvloop where it is, what a program needs where it is not."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest

from fanqi.event_loop import run_loop
from fanqi.event_loop.running import loop_factory


async def module_of_loop():
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def test_a_program_runs_on_uvloop_where_there_is_one():
    pytest.importorskip("uvloop", reason="uvloop is not for this platform")
    assert run_loop(module_of_loop()) == run_loop(module_of_loop(), adds_readers=True) == "uvloop"


def test_a_program_runs_without_uvloop_as_well(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run_loop(module_of_loop()) == "asyncio"


def test_windows_has_readers_or_processes_but_not_both(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert loop_factory(True) is asyncio.SelectorEventLoop
    assert loop_factory(False) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such handlers there")
@pytest.mark.parametrize("without_uvloop", [False, True])
def test_signals_do_afterwards_what_they_did_before(monkeypatch, without_uvloop):
    if without_uvloop:
        monkeypatch.setitem(sys.modules, "uvloop", None)

    async def catch():
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, print)

    def mine(number, frame):
        raise AssertionError(number)

    kept = signal.signal(signal.SIGTERM, mine)
    try:
        before = signal.getsignal(signal.SIGINT)
        run_loop(catch())
        assert signal.getsignal(signal.SIGINT) is before
        assert signal.getsignal(signal.SIGTERM) is mine
    finally:
        signal.signal(signal.SIGTERM, kept)
