"""From the games between levels to their table, and the command that makes it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from fanqi.cli.app import run
from fanqi.match import levels, levels_cli
from fanqi.match.config import encode_config
from fanqi.match.errors import MatchError
from fanqi.match.levels import PLAYERS, calibration, levels_config, player, table_lines
from fanqi.match.runner import Status
from fanqi.match.schedule import Form, pairings
from fanqi.match.standings import Standings
from fanqi.match.statistics import expected_score
from fanqi.match.store import EVALUATION
from fanqi.othello.patterns import evaluation_digest
from fanqi.strength import CalibrationError, load_calibration, parse_calibration

DOCUMENT = Path(__file__).parents[3] / "docs" / "levels.md"


def played(game, strength, games=1000):
    """The description of a match of levels, and standings as if everybody had played as strong as ``strength``
    says."""
    config = levels_config(game, games, "1")
    standings = Standings([engine.name for engine in config.engines], config.pairings)
    for (first, second), totals in standings.pairings.items():
        totals.wins = round(games * expected_score(strength(first) - strength(second)))
        totals.losses = games - totals.wins
    return config, standings


def in_order(step):
    return lambda name: step * PLAYERS["othello"].index(name)


def test_a_ladder_has_each_engine_play_the_three_behind_it():
    assert pairings(5, Form.LADDER) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_everybody_who_is_rated_plays_as_the_table_says(game):
    config = levels_config(game, 40, "1", 1234)
    config.check()
    specs = {engine.name: engine for engine in config.engines}
    assert specs["level 7"].options["Skill Level"] == "7"
    assert specs["intermediate"].options["Preset"] == "intermediate"
    assert specs["level 20"].limit.nodes == 1234
    assert {specs[name].limit.nodes for name in specs if name != "level 20"} == {None}


def test_some_levels_may_be_left_out_but_not_the_ends():
    names = [engine.name for engine in levels_config("banqi", 40, "1", every=2).engines]
    assert [name for name in names if name.startswith("level")] == [f"level {n}" for n in (0, *range(3, 20, 2), 20)]
    assert {"random", "greedy", "beginner", "intermediate"} <= set(names)


def test_the_table_finds_the_strengths_that_made_the_results():
    config, standings = played("othello", in_order(80))
    table = calibration(config, standings)
    table.check()
    for one in table.players:
        assert one.elo == pytest.approx(80 * PLAYERS["othello"].index(one.name), abs=25)
    anchor = table.players[0]
    assert (anchor.name, anchor.elo, anchor.error) == ("random", 0.0, 0.0)
    errors = [one.error for one in table.players]
    assert errors == sorted(errors)
    assert parse_calibration(table.format()) == table
    assert table_lines(table)[2] == "| random | 0 | 0 |  |  | 3000 |"
    steps = [one.step_error for one in table.levels[1:]]
    assert all(8 < step < 20 for step in steps)


def test_a_table_in_which_a_level_is_not_stronger_than_the_one_below_is_refused(tmp_path, capsys):
    def strength(name):
        return in_order(80)(name) - 300 * (name == "level 9")

    table = calibration(*played("othello", strength))
    with pytest.raises(CalibrationError, match="level 9"):
        table.check()
    assert "Cannot be used: othello: level 9" in table_lines(table)[-1]
    out = tmp_path / "table.json"
    with pytest.raises(levels_cli.typer.Exit):
        levels_cli.finish(table, out)
    assert not out.exists()
    assert "level 9" in capsys.readouterr().err


def test_a_match_that_does_not_connect_everybody_or_is_of_others_has_no_table():
    config, standings = played("othello", in_order(80))
    with pytest.raises(MatchError, match="not all players are connected"):
        calibration(config, Standings(standings.names, config.pairings))
    few = dataclasses.replace(config, engines=config.engines[:5])
    with pytest.raises(MatchError, match="not a match of levels"):
        calibration(few, standings)


def test_the_command_plays_goes_on_and_writes_the_table(tmp_path, monkeypatch, capsys):
    """With fewer players, so that it does not take minutes."""
    monkeypatch.setitem(levels.PLAYERS, "othello", ("random", "level 0", "beginner", "level 20"))
    folder = tmp_path / "match"
    for _ in range(2):  # the second time everything has been played
        assert run(["levels", "make", "othello", "--dir", str(folder), "--games", "2", "--nodes", "100"]) == 1
        said = capsys.readouterr()
        assert "| beginner | " in said.out
        assert "levels 0, 19 and 20 have to be among" in said.err
    assert len((folder / "journal.jsonl").read_text().splitlines()) == 2 * 6
    assert run(["levels", "fit", str(folder)]) == 1
    capsys.readouterr()
    assert run(["levels", "make", "banqi", "--dir", str(folder)]) == 1
    assert capsys.readouterr().err == f"fanqi levels: error: {folder}: a match of othello, not of banqi\n"


def test_games_of_another_evaluation_rate_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(levels.PLAYERS, "othello", ("random", "level 20"))
    folder = tmp_path / "match"
    begin = ["levels", "make", "othello", "--dir", str(folder), "--games", "2", "--nodes", "100"]
    run(begin)
    assert (folder / EVALUATION).read_text() == evaluation_digest()
    capsys.readouterr()
    for note, said in (("0123", "the evaluation '0123'"), (None, "an unknown evaluation")):
        (folder / EVALUATION).unlink() if note is None else (folder / EVALUATION).write_text(note)
        for command in (begin, ["levels", "fit", str(folder)]):
            assert run(command) == 1
            assert f"{folder}: played with {said}, today's is {evaluation_digest()}; " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (b"01\n23\x1b[2J", r"played with the evaluation '01\n23\x1b[2J', today's is "),
        (b"\xff" * 100_000, "…', today's is "),
        (None, "evaluation.txt: not a regular file"),
    ],
)
def test_a_garbled_note_about_the_evaluation_is_one_line(tmp_path, capsys, note, said):
    (tmp_path / "match.json").write_bytes(encode_config(levels.levels_config("othello", 2, "1")))
    if note is None:
        (tmp_path / EVALUATION).mkdir()
    else:
        (tmp_path / EVALUATION).write_bytes(note)
    for command in (["levels", "make", "othello", "--dir", str(tmp_path)], ["levels", "fit", str(tmp_path)]):
        assert run(command) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"fanqi levels: error: {tmp_path}")
        assert said in line
        assert len(line) < 500


def test_a_match_of_levels_that_is_given_up_is_a_failure_and_no_interrupt(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(levels.PLAYERS, "othello", ("random", "level 20"))
    monkeypatch.setattr(levels_cli, "run_runner", lambda runner: Status.GIVEN_UP)
    assert run(["levels", "make", "othello", "--dir", str(tmp_path / "match"), "--games", "2", "--nodes", "9"]) == 1
    assert "Go on with" in capsys.readouterr().out


def test_the_command_shows_what_is_shipped(capsys):
    assert run(["levels", "show", "banqi"]) == 0
    said = capsys.readouterr().out
    assert "UCI_Elo {} to {}".format(*load_calibration("banqi").range) in said
    assert "random = 0" in said
    assert run(["levels", "show", "chess"]) == 2


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_the_document_has_the_shipped_table(game):
    document = DOCUMENT.read_text(encoding="utf-8")
    assert "\n".join(table_lines(load_calibration(game))) in document


def test_the_builtin_engine_takes_every_option_of_strength():
    from fanqi.match.builtin.own import settings_fields
    from fanqi.match.errors import ConfigurationError

    spec = player("level 3", 10)
    options = {"UCI_LimitStrength": "true", "UCI_Elo": "700", "Preset": "Advanced", "Skill Level": "4"}
    found = settings_fields(dataclasses.replace(spec, options=options))
    assert found == {"limit_strength": True, "elo": 700, "preset": "advanced", "skill_level": 4}
    for name, value in (("Preset", "expert"), ("UCI_LimitStrength", "maybe"), ("UCI_Elo", "high")):
        with pytest.raises(ConfigurationError, match=value):
            settings_fields(dataclasses.replace(spec, options={name: value}))
