"""The network learns what no sum of table entries can say, and a fit goes on with the bands that are left."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from fanqi.othello.patterns import EVALUATION, ORDERING, Section, Weights
from fanqi.train.fit import predict
from fanqi.train.network import NetworkSettings, band_of_empties, fit_name, fit_network, load_band
from fanqi.train.regression import COUNTS
from fanqi.train.wthor import wthor_positions

DATA = Path(__file__).parents[2] / "data" / "othello"
SETTINGS = NetworkSettings(bands=(0, 25, 40), overlap=1, epochs=12, layer_rate=0.003, table_rate=0.02, seen=2)


def nothing(patterns):
    tables = np.zeros((1, patterns.folded_size), np.int16)
    return Section(patterns, np.zeros(COUNTS, np.int64), tables, np.zeros(COUNTS, np.int16))


@pytest.fixture(scope="module")
def weights():
    return Weights(nothing(EVALUATION), nothing(ORDERING), {})


@pytest.fixture(scope="module")
def rows():
    """Labels that follow from a product: the better in the corners is ahead if discs are many, else behind."""
    found = wthor_positions(DATA)
    edge = np.uint64(0xFF818181818181FF)
    ahead = np.bitwise_count(found.own & edge).astype(np.int64) - np.bitwise_count(found.opponent & edge)
    label = np.where(found.empties % 2 == 0, 3.0, -3.0) * np.clip(ahead, -8, 8)
    return dataclasses.replace(found, label=np.abs(label).astype(np.float32))


def test_bands_cover_all_numbers_of_empty_squares():
    assert list(np.bincount(band_of_empties(SETTINGS))) == [25, 15, 21]


def test_the_network_learns_what_a_sum_cannot_say(rows, weights):
    fitted = dataclasses.replace(weights, network=fit_network(rows, weights, SETTINGS))
    off = predict(fitted, rows) - rows.label
    assert np.sqrt((off**2).mean()) < 0.7 * rows.label.std()


def test_a_fit_goes_on_with_the_bands_that_are_left(rows, weights, tmp_path):
    whole = fit_network(rows, weights, dataclasses.replace(SETTINGS, epochs=1), threads=1)
    checkpoint = tmp_path / "weights.network"

    def interrupt(done):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_network(rows, weights, dataclasses.replace(SETTINGS, epochs=1), 1, checkpoint, interrupt)
    assert {path.name for path in checkpoint.iterdir()} >= {"band-0.npz", "band-1.npz"}
    name = fit_name(rows, weights, dataclasses.replace(SETTINGS, epochs=1))
    kept = load_band(checkpoint / "band-0.npz", name)
    again = fit_network(rows, weights, dataclasses.replace(SETTINGS, epochs=1), 1, checkpoint)
    assert (kept[0] == again.tables[0]).all()
    for name in ("tables", "first", "last"):
        assert (getattr(again, name) == getattr(whole, name)).all()
    assert not checkpoint.exists()


@pytest.mark.parametrize("other", ["label", "sums", "settings"])
def test_bands_of_another_fit_are_fitted_anew(rows, weights, tmp_path, other):
    settings = dataclasses.replace(SETTINGS, epochs=1)
    checkpoint = tmp_path / "weights.network"

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_network(rows, weights, settings, 1, checkpoint, interrupt)
    assert (checkpoint / "band-0.npz").exists()
    if other == "label":
        rows = dataclasses.replace(rows, label=-rows.label)
    elif other == "sums":
        biased = dataclasses.replace(weights.evaluation, bias=weights.evaluation.bias + np.int16(300))
        weights = dataclasses.replace(weights, evaluation=biased)
    else:
        settings = dataclasses.replace(settings, layer_rate=0.001)
    again = fit_network(rows, weights, settings, 1, checkpoint)
    whole = fit_network(rows, weights, settings, 1)
    for name in ("tables", "first", "last"):
        assert (getattr(again, name) == getattr(whole, name)).all()


def test_half_a_band_on_disk_is_fitted_anew(tmp_path):
    path = tmp_path / "band-0.npz"
    path.write_bytes(b"PK\x03\x04 half")
    assert load_band(path, "a fit") is None
