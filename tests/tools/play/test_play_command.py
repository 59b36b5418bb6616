"""`fanqi play` as a command: what it plays, and how it ends."""

from __future__ import annotations

import pytest
from rich.console import Console

from fanqi.cli.app import run
from fanqi.exit_codes import INTERRUPTED


def type_lines(monkeypatch, *lines):
    waiting = iter(lines)

    def answer(self, prompt=""):
        line = next(waiting)
        if line is KeyboardInterrupt:
            raise KeyboardInterrupt
        return line

    monkeypatch.setattr(Console, "input", answer)


def test_play_alone_plays_othello(monkeypatch, capsys):
    type_lines(monkeypatch, "quit")
    assert run(["play"]) == 0
    shown = capsys.readouterr().out
    assert "a b c d e f g h" in shown
    assert "You are Black." in shown


@pytest.mark.parametrize("lines", [(), ("hint",)])
def test_ctrl_c_at_the_prompt_ends_with_130(monkeypatch, lines):
    type_lines(monkeypatch, *lines, KeyboardInterrupt)
    assert run(["play", "--movetime", "20"]) == INTERRUPTED


def test_a_game_is_analysed_when_it_is_over(monkeypatch, capsys):
    type_lines(monkeypatch, "a1b1", "", "analyse", "quit")
    only_a_capture = "..../..../..../..../..../..../..../Kr.. - r 7 -"
    assert run(["play", "banqi", "--position", only_a_capture]) == 0
    shown = capsys.readouterr().out
    assert "You win: Fanqi has no men left." in shown
    assert "end of the game" in shown
