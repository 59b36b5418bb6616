"""The weights of the static evaluation: names, places in memory, and the file they come from."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WEIGHT_SIZES", "WEIGHT_WORDS", "blend", "load_weights"]

# name -> how many numbers; in this order in memory
WEIGHT_SIZES: Final = {
    "base": 7,  # value of a man of each kind while nothing can take it
    "decay": 1,  # percent of it left per living enemy man that takes it by stepping
    "king_decay": 1,  # the same for the king, per enemy pawn
    "cannon_decay": 1,  # the same for any man, per enemy cannon
    "no_prey": 1,  # percent left when no enemy man is left that it could take
    "closeness": 9,  # 256ths of the value of an enemy man whose nearest hunter is 1, 2, … 9 (or no way) off
    "mobility": 1,  # per step to an empty square
    "threat_best": 1,  # percent of the dearest attacked man of the side to move
    "threat_rest": 1,  # percent of its other attacked men
    "attack_best": 1,  # percent of the dearest man that the side to move attacks
    "attack_rest": 1,  # percent of the others
    "cannon_only": 1,  # percent left of an advantage when some enemy man can be taken by cannons only
    "uncatchable": 1,  # percent left of an advantage when some enemy man cannot be taken at all
    "tempo": 1,  # for the side to move
}

BASE: Final = 0
DECAY: Final = 7
KING_DECAY: Final = 8
CANNON_DECAY: Final = 9
NO_PREY: Final = 10
CLOSENESS: Final = 11
MOBILITY: Final = 20
THREAT_BEST: Final = 21
THREAT_REST: Final = 22
ATTACK_BEST: Final = 23
ATTACK_REST: Final = 24
CANNON_ONLY: Final = 25
UNCATCHABLE: Final = 26
TEMPO: Final = 27
WEIGHT_WORDS: Final = 28


def load_weights(text: str | None = None) -> NDArray[np.int64]:
    """Both sets, shape (2, `WEIGHT_WORDS`): row 0 for 32 covered men, row 1 for none.

    Args:
        text: TOML as in ``data/weights.toml``; None for that file.

    Raises:
        ValueError: a weight is missing, unknown, or has another shape.
    """
    if text is None:
        text = resources.files("fanqi.banqi").joinpath("data/weights.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    if table.keys() != WEIGHT_SIZES.keys():
        raise ValueError(f"weights: {sorted(table.keys() ^ WEIGHT_SIZES.keys())} missing or unknown")
    rows: list[list[int]] = [[], []]
    for name, size in WEIGHT_SIZES.items():
        sets = table[name]
        if len(sets) != 2 or any(len(numbers) != size for numbers in sets):
            raise ValueError(f"weights: {name} needs two lists of {size} numbers")
        rows[0] += sets[0]
        rows[1] += sets[1]
    return np.array(rows, np.int64)


def blend(weights: NDArray[np.int64], covered: int) -> NDArray[np.int64]:
    """The weights for a position with that many covered men, on the straight line between both sets."""
    blended: NDArray[np.int64] = (weights[0] * covered + weights[1] * (32 - covered) + 16) // 32
    return blended
