"""The fit of the network that corrects the sum of table entries (`fanqi.othello.patterns.network`).

Stochastic gradient descent, one row at a time, on the squared error in units of `UNIT_DISCS` discs: plain steps for the
two layers, Adagrad with one sum a table entry for its features, all of them falling to a fiftieth in a straight line.
The rows of a band reach a little into its neighbours, so that the bands agree where they meet. The tables of the sum
itself stay as they were fitted.
"""

from __future__ import annotations

import functools
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import address_of, popcount
from fanqi.othello.features import neighbourhood
from fanqi.othello.moves import legal_moves
from fanqi.othello.patterns import EVALUATION, Weights, evaluate
from fanqi.othello.patterns.indices import operations
from fanqi.othello.patterns.network import CENTRE, FEATURES, INPUTS, ONE, UNITS, Network
from fanqi.train.compiled import compiled
from fanqi.train.origin import digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from fanqi.train.positions import Positions

__all__ = ["NETWORK_FIT", "NetworkSettings", "fit_network"]

UNIT_DISCS = 20.0
FIRST_STEPS = 256  # the first layer's weights are stored in 1/256
MARGIN = 1.9  # features are stored as int8 in 1/64
COUNTS = 61


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """How the network is fitted.

    Attributes:
        bands: fewest empty squares of each band, lowest first.
        overlap: numbers of empty squares of the neighbouring bands whose rows are fitted too.
        epochs: passes over the rows.
        layer_rate, table_rate: first step sizes.
        seen: entries that occur less often keep no features.
    """

    bands: tuple[int, ...]
    overlap: int
    epochs: int
    layer_rate: float
    table_rate: float
    seen: int


NETWORK_FIT = NetworkSettings(
    bands=(0, 13, 20, 27, 34, 42), overlap=2, epochs=2, layer_rate=0.003, table_rate=0.02, seen=8
)


def band_of_empties(settings: NetworkSettings) -> NDArray[np.int64]:
    """The band of each number of empty squares."""
    return np.searchsorted(np.array(settings.bands), np.arange(COUNTS), side="right") - 1


@functools.cache
def trainer() -> Any:
    """The kernel of one pass over some rows, in the order of ``chosen``; returns the sum of squared errors in units."""
    board = operations(EVALUATION).board
    lanes, count, centres = EVALUATION.lanes, EVALUATION.count, EVALUATION.centres
    fold = EVALUATION.fold

    @compiled
    def train(
        own: Any,
        opponent: Any,
        target: Any,
        weight: Any,
        chosen: Any,
        weights: Any,
        tables: Any,
        gathered: Any,
        shown: Any,
        first: Any,
        last: Any,
        layer_rate: Any,
        table_rate: Any,
        fall: Any,
    ) -> Any:
        index, entry = np.zeros(lanes, np.int16), np.zeros(count, np.int64)
        inputs, back = np.zeros(INPUTS, np.float32), np.zeros(INPUTS, np.float32)
        hidden = np.zeros(UNITS, np.float32)
        one, slope, most = np.float32(1.0), np.float32(1 / 16), np.float32(1.5)
        inputs[INPUTS - 1] = one
        loss = 0.0
        for number in range(len(chosen)):
            rate = np.float32(1.0 - fall * number / len(chosen))
            row = chosen[number]
            own_discs, opp_discs = own[row], opponent[row]
            empty = ~(own_discs | opp_discs)
            empties = popcount(empty)
            board(address_of(index), own_discs, opp_discs)
            value = evaluate(address_of(index), weights, empties)
            inputs[:FEATURES] = 0
            for lane in range(count):
                entry[lane] = fold[centres[lane] + index[lane]]
                for k in range(FEATURES):
                    inputs[k] += tables[entry[lane], k]
            scale = np.float32(1 / 64)
            inputs[FEATURES] = np.float32(12 * popcount(legal_moves(own_discs, opp_discs)) - 108) * scale
            inputs[FEATURES + 1] = np.float32(12 * popcount(legal_moves(opp_discs, own_discs)) - 108) * scale
            inputs[FEATURES + 2] = np.float32(8 * popcount(neighbourhood(opp_discs) & empty) - 112) * scale
            inputs[FEATURES + 3] = np.float32(8 * popcount(neighbourhood(own_discs) & empty) - 112) * scale
            inputs[FEATURES + 4] = np.float32(6 * (empties - CENTRE)) * scale
            inputs[FEATURES + 5] = np.float32(value >> 5) * scale
            total: Any = np.float32(value * (0.01 / UNIT_DISCS))
            for unit in range(UNITS):
                hidden[unit] = np.float32(0)
                for k in range(INPUTS):
                    hidden[unit] += first[unit, k] * inputs[k]
                if hidden[unit] < 0:
                    hidden[unit] *= slope
                total += last[unit] * hidden[unit]
            error = total - np.float32(target[row] * (1 / UNIT_DISCS))
            loss += error * error
            error = min(max(error, -most), most) * weight[row]
            step = layer_rate * rate * error
            back[:] = 0
            for unit in range(UNITS):
                pull = step * last[unit]
                last[unit] -= step * hidden[unit]
                if hidden[unit] < 0:
                    pull *= slope
                for k in range(INPUTS):
                    back[k] += pull * first[unit, k]
                    first[unit, k] -= pull * inputs[k]
            size = np.float32(0)
            for k in range(FEATURES):
                back[k] /= layer_rate * rate
                size += back[k] * back[k]
            size *= np.float32(1 / FEATURES)
            for lane in range(count):
                at = entry[lane]
                gathered[at] += size
                shown[at] += 1
                step = table_rate * rate / np.sqrt(gathered[at])
                for k in range(FEATURES):
                    tables[at, k] = min(max(tables[at, k] - step * back[k], -MARGIN), MARGIN)
        return loss

    return train


def fit_band(rows: Positions, weights: Weights, settings: NetworkSettings, seed: int) -> tuple[NDArray[Any], ...]:
    """(features, first, last) of one band, as the file has them."""
    random = np.random.default_rng(seed)
    tables = (random.standard_normal((EVALUATION.folded_size, FEATURES)) * 0.02).astype(np.float32)
    gathered = np.full(EVALUATION.folded_size, 1e-3, np.float32)
    first = (random.standard_normal((UNITS, INPUTS)) * np.sqrt(2 / INPUTS)).astype(np.float32)
    first[:, -1] = 0.0
    last = (random.standard_normal(UNITS) * 0.3 / np.sqrt(UNITS)).astype(np.float32)
    shown = np.zeros(EVALUATION.folded_size, np.int64)
    for epoch in range(settings.epochs):
        left = 1.0 - epoch / settings.epochs
        trainer()(
            rows.own,
            rows.opponent,
            rows.label,
            rows.weight,
            random.permutation(len(rows)),
            address_of(weights.evaluation_block),
            tables,
            gathered,
            shown,
            first,
            last,
            np.float32(settings.layer_rate * left),
            np.float32(settings.table_rate * left),
            np.float64(0.98 / (left * settings.epochs)),
        )
    tables[shown < settings.seen * settings.epochs] = 0.0
    return (
        np.rint(tables * ONE).astype(np.int8),
        np.clip(np.rint(first.T * FIRST_STEPS), -32767, 32767).astype(np.int16),
        np.clip(np.rint(last * (100 * UNIT_DISCS)), -4095, 4095).astype(np.int16),
    )


def fit_name(rows: Positions, weights: Weights, settings: NetworkSettings) -> str:
    """Names a fit by what it follows from: rows, sums and settings."""
    sums = weights.evaluation
    of_sums = digest(sums.phase_of_empties, sums.tables, sums.bias)
    return f"{settings} {of_sums} {digest(rows.own, rows.opponent, rows.label, rows.weight)}"


def save_band(path: Path, name: str, fitted: tuple[NDArray[Any], ...]) -> None:
    temporary = path.with_suffix(".partial")
    with temporary.open("wb") as file:
        np.savez(file, name=name, tables=fitted[0], first=fitted[1], last=fitted[2])
    temporary.replace(path)


def load_band(path: Path, name: str) -> tuple[NDArray[Any], ...] | None:
    """What `save_band` wrote for the same fit, or None."""
    try:
        with path.open("rb") as opened, np.load(opened) as file:
            return (file["tables"], file["first"], file["last"]) if str(file["name"]) == name else None
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        return None


def fit_network(
    rows: Positions,
    weights: Weights,
    settings: NetworkSettings = NETWORK_FIT,
    threads: int = 2,
    checkpoint: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Network:
    """Fit the correction of ``weights``, whose evaluation has been fitted to the same rows.

    Args:
        rows: what to fit.
        weights: their own network, if there is one, is not looked at.
        settings: how.
        threads: bands fitted at the same time.
        checkpoint: a directory for the bands that are done, from which a fit of the same rows, sums and settings goes
            on; emptied at the end.
        progress: called with the number of bands done.
    """
    of_empties = band_of_empties(settings)
    name = fit_name(rows, weights, settings)
    empties = rows.empties
    bands = len(settings.bands)
    ends = (*settings.bands[1:], COUNTS)
    done: set[int] = set()

    def fit(band: int) -> tuple[NDArray[Any], ...]:
        path = None if checkpoint is None else checkpoint / f"band-{band}.npz"
        fitted = None if path is None else load_band(path, name)
        if fitted is None:
            first, last = settings.bands[band] - settings.overlap, ends[band] + settings.overlap
            fitted = fit_band(rows.take((empties >= first) & (empties < last)), weights, settings, band)
            if path is not None:
                save_band(path, name, fitted)
        done.add(band)
        if progress is not None:
            progress(len(done))
        return fitted

    if checkpoint is not None:
        checkpoint.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(threads) as pool:
        tables, first, last = (np.stack(parts) for parts in zip(*pool.map(fit, range(bands)), strict=True))
    if checkpoint is not None:
        for path in checkpoint.glob("band-*.npz"):
            path.unlink()
        checkpoint.rmdir()
    return Network(EVALUATION, of_empties, tables, first, last)
