"""`fanqi train` from game files to a weights file and ProbCut parameters, on a dozen games."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fanqi.othello.patterns import default_weights, load_weights
from fanqi.othello.patterns.probcut import load_model
from fanqi.train.cli import app
from fanqi.train.positions import load_positions
from fanqi.train.probcut import choose_positions
from fanqi.train.searching import search_rows

DATA = Path(__file__).parents[2] / "data" / "othello"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    directory = tmp_path_factory.mktemp("train")
    runner = CliRunner()

    def command(*words, code=0):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(directory)
            patch.delenv("FANQI_DATA", raising=False)
            patch.delenv("FANQI_WEIGHTS", raising=False)
            done = runner.invoke(app, [str(word) for word in words])
        assert done.exit_code == code, done.output
        return done.output

    command.directory = directory
    return command


@pytest.fixture(scope="module")
def positions(run):
    run("games", "--data", DATA, "--empties", "24-60", "--out", "games.npz")
    run("games", DATA, "--empties", "1-9", "--out", "late.npz")
    run("solve", "late.npz", "solved.npz")
    run("play", "records", "--games", 60, "--depth", 2, "--exact", 8, "--data", DATA)
    run("records", "records/play-1-0.msgpack", "records/play-1-1.msgpack", "--out", "play.npz")
    return ["games.npz", "solved.npz", "play.npz"]


@pytest.fixture(scope="module")
def fitted(run, positions):
    return run("fit", *positions, "--out", "weights.bin", "--report", "report", "--hold-out", 0.2, "--data", "a dozen")


def test_the_weights_file_can_be_loaded_and_says_what_made_it(run, fitted):
    weights = load_weights(run.directory / "weights.bin")
    assert weights.provenance["data"] == "a dozen"
    assert weights.provenance["positions"] > 1000
    assert weights.provenance["settings"]["evaluation"]["phase_width"] > 0
    assert weights.network is not None
    assert not list(run.directory.glob("weights.*.npz")), "checkpoints are gone"
    assert not (run.directory / "weights.network").exists()


def test_the_fit_reports_a_table_json_and_a_plot(run, fitted):
    assert "evaluation, hold-out" in fitted
    report = json.loads((run.directory / "report" / "report.json").read_text())
    assert {line["empties"] for line in report["evaluation"]} >= set(range(10, 20))
    assert all(line["rms"] >= line["absolute"] >= abs(line["mean"]) for line in report["evaluation"])
    plot = ET.parse(run.directory / "report" / "hold_out.svg").getroot()
    assert len(plot.findall("{http://www.w3.org/2000/svg}polyline")) == 4


def test_errors_of_a_weights_file(run, positions, fitted):
    everything = json.loads(run("errors", "solved.npz", "--weights", "weights.bin", "--json"))
    held = json.loads(run("errors", "solved.npz", "--weights", "weights.bin", "--hold-out", 0.2, "--json"))
    assert 0 < sum(line["positions"] for line in held) < sum(line["positions"] for line in everything)


def test_probcut_parameters_are_written(run, positions, fitted):
    words = ["--each", 40, "--empties", "9-24", "--depth", 4, "--exact", 14]
    output = run("probcut", "games.npz", "play.npz", "--weights", "weights.bin", "--out", "probcut.json", *words)
    assert "sigma" in output
    assert load_model(run.directory / "probcut.json").provenance["deepest"] == 4
    assert not (run.directory / "probcut.scores").exists()


def test_labels_by_search_take_the_place_of_a_share_of_the_old_ones(run, positions):
    words = ["--depth", 2, "--empties", "24-30", "--each", 3]
    run("search", "play.npz", "whole.npz", *words)
    output = run("search", "play.npz", "half.npz", *words, "--share", 0.5, "--weight", 2)
    assert output.endswith("21 searched positions in half.npz\n")
    run("search", "play.npz", "none.npz", *words, "--share", 0)
    run("search", "play.npz", "mover.npz", *words, "--tempo", 0.5)
    files = (load_positions(run.directory / f"{name}.npz") for name in ("whole", "half", "none", "mover"))
    whole, half, old, mover = files
    assert np.allclose(mover.label, whole.label + 0.5)
    assert np.allclose(half.label, (whole.label + old.label) / 2)
    assert (whole.label != old.label).any()
    assert (half.weight == 2 * whole.weight).all()
    assert sorted(half.empties) == [empties for empties in range(24, 31) for _ in range(3)]
    assert not (run.directory / "half.labels").exists()


def test_a_search_that_was_begun_goes_on_with_the_same_settings_alone(run, positions):
    words = ["search", "play.npz", "begun.npz", "--empties", "24-30", "--each", 3, "--depth"]
    chosen = choose_positions(load_positions(run.directory / "play.npz"), 3, 24, 30)
    labels = run.directory / "begun.labels"
    search_rows(chosen, default_weights(), 2, 73, labels)
    before = labels.read_bytes()
    output = run(*words, 4, code=1)
    assert output.endswith("remove the file to begin anew\n")
    assert "begun.labels: begun with depth 2, but this is depth 4; " in output
    assert labels.read_bytes() == before
    labels.write_bytes(before[:-20])
    run(*words, 2, "--tempo", 0.5)  # is of the result, not of the scores that were kept
    run(*words[:2], "anew.npz", *words[3:], 2)
    begun, anew = (load_positions(run.directory / f"{name}.npz") for name in ("begun", "anew"))
    assert np.allclose(begun.label, anew.label + 0.5)
    assert not labels.exists()


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["games", "--out", "x.npz"], 2, "no games"),
        (["games", "nowhere", "--out", "x.npz"], 1, "nowhere"),
        (["games", DATA, "--empties", "9-4"], 2, "9-4"),
        (["games", DATA, "--empties", "many"], 2, "many"),
        (["solve", "nothing.npz", "y.npz"], 1, "nothing.npz"),
        (["search", "nothing.npz", "y.npz"], 1, "nothing.npz"),
        (["search", "play.npz", "y.npz", "--selectivity", "80"], 1, "80"),
        (["search", "play.npz", "y.npz", "--tempo", "nan"], 2, "--tempo"),
        (["search", "play.npz", "y.npz", "--tempo", "65"], 2, "--tempo"),
        (["search", "play.npz", "y.npz", "--weight", "inf"], 2, "--weight"),
        (["search", "play.npz", "y.npz", "--share", "nan"], 2, "--share"),
        (["search", "play.npz", "y.labels"], 1, "y.labels: a file of this name keeps what is done so far"),
        (["fit", "nothing.npz"], 1, "nothing.npz"),
        (["fit", "nothing.npz", "--out", "."], 1, ".: Is a directory"),
        (["solve", "play.npz", "no/y.npz"], 1, "no/y.npz: there is no folder no"),
        (["records", "nothing.msgpack", "--out", "x.npz"], 1, "nothing.msgpack"),
        (["errors", "nothing.npz"], 1, "nothing.npz"),
        (["play", "records", "--games", "4", "--depth", "3"], 1, "another run"),
    ],
)
def test_wrong_use_is_one_sentence(run, positions, words, code, reason):
    output = run(*words, code=code)
    assert reason in output
    assert "Traceback" not in output


def test_help_loads_nothing_heavy():
    code = "import sys, fanqi.train.cli; print(sorted({'numpy', 'numba', 'rich'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"[]"
