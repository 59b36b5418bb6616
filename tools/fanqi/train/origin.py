"""What labels and fits follow from, in short words that can be compared: two that agree were made of the same."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.othello.patterns import Weights
    from fanqi.train.positions import Positions

__all__ = ["digest", "positions_name", "weights_name"]

DIGITS = 12
"""Of a digest: 48 bits tell apart whatever one person ever labels."""


def digest(*arrays: NDArray[Any]) -> str:
    """Names the contents of arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).view(np.uint8).data)
    return found.hexdigest()[:DIGITS]


def positions_name(rows: Positions) -> str:
    """Names positions in their order; labels and weights of the rows do not count."""
    return f"{len(rows)} rows {digest(rows.own, rows.opponent)}"


def weights_name(weights: Weights) -> str:
    """Names an evaluation with its network; the ordering, which no search looks at, does not count."""
    section, network = weights.evaluation, weights.network
    arrays: list[NDArray[Any]] = [section.phase_of_empties, section.tables, section.bias]
    if network is not None:
        arrays += [network.band_of_empties, network.tables, network.first, network.last]
    return digest(*arrays)
