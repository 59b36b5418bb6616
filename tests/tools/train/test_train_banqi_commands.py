"""`fanqi train banqi`: from games of the engine against itself to weights that can be played against others."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from fanqi.banqi.weights import format_weights, load_weights
from fanqi.train.banqi.duel import score_of
from fanqi.train.banqi.selfplay import load_samples, play_games
from fanqi.train.cli import app


def run(*words, code=0):
    done = CliRunner().invoke(app, ["banqi", *map(str, words)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    directory = tmp_path_factory.mktemp("banqi") / "samples"
    run("play", directory, "--games", 3, "--nodes", 60, "--seed", 4)
    return directory


def test_more_games_go_on_from_those_that_were_played(samples, tmp_path):
    first = load_samples(samples)[0]
    run("play", samples, "--games", 5, "--nodes", 60, "--seed", 4)
    more = load_samples(samples)[0]
    assert len(more) > len(first)
    assert (more.states[: len(first)] == first.states).all()


def test_a_game_is_the_same_whatever_was_played_before_it():
    alone = next(play_games([2], 60, seed=4))
    after_another = list(play_games([1, 2], 60, seed=4))[1]
    assert np.array_equal(alone.states, after_another.states)
    assert np.array_equal(alone.scores, after_another.scores)


def test_games_of_other_settings_are_not_mixed_in(samples):
    told = run("play", samples, "--games", 5, "--nodes", 61, "--seed", 4, code=1)
    assert "60 nodes, seed 4" in told and "61 nodes, seed 4" in told


def test_a_fit_writes_weights_that_are_better_on_what_it_saw(samples, tmp_path):
    out = tmp_path / "fitted.toml"
    begin = tmp_path / "begin.toml"
    weights = load_weights()
    weights[:, 0] = 60
    begin.write_text(format_weights(weights))
    told = run("fit", samples, "--weights", begin, "--out", out, "--rounds", 1)
    before, after = (float(word) for word in told.splitlines()[-1].split() if word.startswith("0."))
    assert after < before
    assert not (load_weights(out.read_text()) == weights).all()


def test_chances_are_shown_for_both_kinds_of_positions(samples):
    told = run("chances", samples)
    assert "with covered men" in told and "all face up" in told and "draws: " in told


def test_spsa_writes_weights_in_which_only_the_named_ones_may_differ(tmp_path):
    out = tmp_path / "tuned.toml"
    run("spsa", "tempo", "--out", out, "--iterations", 1, "--nodes", 40)
    changed = load_weights(out.read_text()) != load_weights()
    names = format_weights(changed.astype(np.int64)).splitlines()
    assert all(line.startswith("tempo") for line in names if "1" in line)


def test_a_duel_of_equal_weights_on_the_same_deal_is_near_even(tmp_path):
    same = tmp_path / "same.toml"
    same.write_text(format_weights(load_weights()))
    assert "of the points in 2 pairs" in run("duel", same, "--pairs", 2, "--nodes", 40)


def test_the_error_of_a_duel_is_half_a_95_percent_interval():
    assert score_of([2.0, 0.0, 1.0, 1.0]) == (0.5, pytest.approx(1.96 * (1 / 6) ** 0.5 / 2))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("fit", "{empty}", "--out", "{empty}/w.toml"), "no samples"),
        (("chances", "{junk}"), "000000.npz: not a file of banqi samples"),
        (("duel", "{junk}/000000.npz"), "000000.npz"),
        (("duel", "{empty}/none.toml"), "none.toml"),
    ],
)
def test_what_cannot_be_used_is_one_line_that_names_it(words, told, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "000000.npz").write_bytes(b"PK\x03\x04 junk")
    places = {"empty": tmp_path / "empty", "junk": tmp_path / "junk"}
    output = run(*(word.format(**places) for word in words), code=1)
    assert told in output and "Traceback" not in output
    assert len([line for line in output.splitlines() if "error" in line]) == 1


def test_a_weight_of_the_search_is_not_tuned_by_its_name(tmp_path):
    assert "not a weight of the evaluation" in run("spsa", "flips", "--out", tmp_path / "w", code=2)
