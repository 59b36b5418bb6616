"""The long test of games against the builtin movers, run small: nobody loses a game of Othello to them."""

from __future__ import annotations

import json
import sys

import pytest
import soak_games


@pytest.mark.parametrize(("game", "count", "most"), [("othello", 240, 1500), ("banqi", 60, 300)])
def test_no_game_fails_and_none_of_othello_is_lost(tmp_path, game, count, most):
    soak_games.run_games(tmp_path, game, count, 1, 100, most)
    assert soak_games.failures(tmp_path) == []
    assert len(soak_games.rows(tmp_path / f"{game}.jsonl")) == count


def test_an_interrupted_soak_goes_on_with_the_same_games(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder, counts in ((whole, [4]), (parts, [2, 4])):
        folder.mkdir()
        for count in counts:
            soak_games.run_games(folder, "othello", count, 1, 100, 200)
            if count == 2:  # as if ended in the middle of a line
                with (folder / "othello.jsonl").open("a") as file:
                    file.write('{"game": "oth')
    assert (whole / "othello.jsonl").read_text() == (parts / "othello.jsonl").read_text()


def test_a_lost_game_of_othello_fails_the_soak_and_one_of_banqi_does_not(tmp_path, monkeypatch, capsys):
    row = {"opponent": "greedy", "nodes": 1000, "seat": 0, "result": "loss", "moves": "f5"}
    for game, code in (("banqi", 0), ("othello", 1)):
        (tmp_path / f"{game}.jsonl").write_text(json.dumps({"game": game, "number": 0, **row}) + "\n")
        monkeypatch.setattr(sys, "argv", ["soak_games.py", str(tmp_path), "--only", "report"])
        assert soak_games.main() == code
        assert f"{game} against greedy: 0 win, 0 draw, 1 loss, 0 error" in capsys.readouterr().out
