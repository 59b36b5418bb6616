"""The error model of ProbCut: its file reads back, its formula is held where nothing was measured."""

from __future__ import annotations

import dataclasses
import json

import pytest

from fanqi.othello.patterns.probcut import (
    ErrorModel,
    Fit,
    ModelError,
    format_model,
    load_model,
    parse_model,
)

MIDGAME = Fit((6.0, 0.08, -0.17, -0.004, -0.0001), (-40.0, -9.0, 20.0, 0.5), (2, 10), (8, 54))
EXACT = Fit((5.0, 0.1, -0.1, 0.0, 0.0), (-50.0, 5.0, 10.0, 0.0), (8, 18), (8, 18))
MODEL = ErrorModel(MIDGAME, EXACT, {"weights": "none"})


def test_a_model_reads_back_as_written():
    assert parse_model(format_model(MODEL)) == MODEL


def test_empties_beyond_the_measured_ones_count_as_the_nearest():
    assert MIDGAME.sigma(8, 4, 60) == MIDGAME.sigma(8, 4, 54)
    assert MIDGAME.bias(8, 4, 2) == MIDGAME.bias(8, 4, 8)


def test_the_spread_grows_with_the_gap_between_the_depths():
    assert MIDGAME.sigma(12, 4, 30) > MIDGAME.sigma(8, 4, 30) > MIDGAME.sigma(8, 6, 30)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("format",), 1, "format 1; this version reads 2"),
        (("exact", "ln_sigma"), [1, 2, 3, 4], "five and four"),
        (("exact", "mean"), [1, 2, 3, float("nan")], "finite"),
        (("exact", "depth"), [], "damaged"),
        (("exact",), None, "damaged"),
    ],
)
def test_a_damaged_model_is_refused(path, value, reason):
    content = json.loads(format_model(MODEL))
    inside = content
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = value
    with pytest.raises(ModelError, match=reason):
        parse_model(json.dumps(content))


def test_the_variable_chooses_another_file(tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    monkeypatch.setenv("FANQI_PROBCUT", str(path))
    with pytest.raises(ModelError, match=r"mine\.json: No such file"):
        load_model()
    other = dataclasses.replace(MODEL, provenance={"weights": "mine"})
    path.write_text(format_model(other))
    assert load_model() == other


def test_the_shipped_model_has_a_spread_of_some_discs(monkeypatch):
    monkeypatch.delenv("FANQI_PROBCUT", raising=False)
    model = load_model()
    for empties in range(14, 50, 4):
        for depth in range(4, empties, 2):
            assert 50 < model.midgame.sigma(depth, depth // 2, empties) < 2000
