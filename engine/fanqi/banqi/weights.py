"""The weights of the static evaluation: names, places in memory, and the file they come from."""

from __future__ import annotations

import functools
import hashlib
import tomllib
from importlib import resources
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "WEIGHT_SIZES",
    "WEIGHT_WORDS",
    "blend",
    "evaluation_digest",
    "format_weights",
    "load_weights",
    "shipped_weights",
]

# name -> how many numbers; in this order in memory
WEIGHT_SIZES: Final = {
    "base": 7,  # value of a man of each kind while nothing can take it
    "decay": 1,  # percent of it left per living enemy man that takes it by stepping
    "equal_decay": 1,  # the same for an enemy man of the same kind, which it takes as well
    "king_decay": 1,  # the same for the king, per enemy pawn
    "cannon_decay": 1,  # the same for any man, per enemy cannon
    "no_prey": 1,  # percent left when no enemy man is left that it could take
    "prey_share": 1,  # percent by which a man is worth more for each enemy man above eight that it could take
    "king_hunter": 1,  # percent by which a pawn is worth more while the enemy king lives
    "closeness": 9,  # 256ths of the value of an enemy man whose only hunter is 1, 2, … 9 (or no way) off
    "pursuit": 9,  # the same for the nearest of several hunters
    "mobility": 1,  # per step to an empty square
    "mobility_share": 1,  # 1000ths of a man's value per step
    "stuck": 1,  # 1000ths of the value of a man that has no step
    "covered_danger": 1,  # 1000ths of a man's value per covered square beside it, if what takes it is there
    "covered_prey": 1,  # 1000ths of the value of what a man may take on a covered square beside it
    "covered_share": 1,  # 1000ths of its value by which a covered man is worth more than one face up
    "threat_best": 1,  # percent of the dearest attacked man of the side to move
    "threat_rest": 1,  # percent of its other attacked men
    "attack_best": 1,  # percent of the dearest man that the side to move attacks
    "attack_rest": 1,  # percent of the others
    "cannon_only": 1,  # percent left of an advantage when some enemy man can be taken by cannons only
    "uncatchable": 1,  # percent left of an advantage when some enemy man cannot be taken at all
    "tempo": 1,  # for the side to move
    # --- the search ---
    "flip_depth": 1,  # least depth left at which flips are searched inside the tree
    "more_flips_depth": 1,  # least depth at which all of "flips" are searched, below it one
    "flips": 1,  # flips searched at a node
    "flip_reduction": 1,  # plies by which the outcomes of a flip are searched less deep
    "star2_depth": 1,  # least depth left after a flip at which the opponent's best-looking replies are tried first
    "pass_depth": 1,  # least depth at which a pass may end a node
    "pass_reduction": 1,  # plies by which a pass is searched less deep
    "futility_margin": 1,  # utility per ply of depth left above beta that ends a node
    "futility_depth": 1,  # greatest depth at which it does
    "late_move": 1,  # number of the first quiet move that is searched less deep
    "later_move": 1,  # number of the first that is searched still less deep
}

_ENDS: Final = dict(zip(WEIGHT_SIZES, accumulate(WEIGHT_SIZES.values()), strict=True))
WEIGHT_WORDS: Final = sum(WEIGHT_SIZES.values())


def _place(name: str) -> int:
    return _ENDS[name] - WEIGHT_SIZES[name]


BASE: Final = _place("base")
DECAY: Final = _place("decay")
EQUAL_DECAY: Final = _place("equal_decay")
KING_DECAY: Final = _place("king_decay")
CANNON_DECAY: Final = _place("cannon_decay")
NO_PREY: Final = _place("no_prey")
PREY_SHARE: Final = _place("prey_share")
KING_HUNTER: Final = _place("king_hunter")
PURSUIT: Final = _place("pursuit")
CLOSENESS: Final = _place("closeness")
MOBILITY: Final = _place("mobility")
MOBILITY_SHARE: Final = _place("mobility_share")
STUCK: Final = _place("stuck")
COVERED_DANGER: Final = _place("covered_danger")
COVERED_PREY: Final = _place("covered_prey")
COVERED_SHARE: Final = _place("covered_share")
THREAT_BEST: Final = _place("threat_best")
THREAT_REST: Final = _place("threat_rest")
ATTACK_BEST: Final = _place("attack_best")
ATTACK_REST: Final = _place("attack_rest")
CANNON_ONLY: Final = _place("cannon_only")
UNCATCHABLE: Final = _place("uncatchable")
TEMPO: Final = _place("tempo")
FLIP_DEPTH: Final = _place("flip_depth")
MORE_FLIPS_DEPTH: Final = _place("more_flips_depth")
FLIPS: Final = _place("flips")
FLIP_REDUCTION: Final = _place("flip_reduction")
STAR2_DEPTH: Final = _place("star2_depth")
PASS_DEPTH: Final = _place("pass_depth")
PASS_REDUCTION: Final = _place("pass_reduction")
FUTILITY_MARGIN: Final = _place("futility_margin")
FUTILITY_DEPTH: Final = _place("futility_depth")
LATE_MOVE: Final = _place("late_move")
LATER_MOVE: Final = _place("later_move")


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


@functools.cache
def shipped_weights() -> NDArray[np.int64]:
    """`load_weights` without a text, once a process; not to be written to."""
    weights = load_weights()
    weights.setflags(write=False)
    return weights


def format_weights(weights: NDArray[np.int64]) -> str:
    """The text that `load_weights` reads as these two sets."""
    lines = []
    for name, size in WEIGHT_SIZES.items():
        first = _place(name)
        early, late = (row[first : first + size].tolist() for row in weights)
        lines.append(f"{name} = [{early}, {late}]")
    return "\n".join(lines) + "\n"


def evaluation_digest() -> str:
    """Sixteen hex digits that name the shipped weights, so that what was made with them can tell."""
    return hashlib.sha256(load_weights().astype("<i8").tobytes()).hexdigest()[:16]


def blend(weights: NDArray[np.int64], covered: int) -> NDArray[np.int64]:
    """The weights for a position with that many covered men, on the straight line between both sets."""
    blended: NDArray[np.int64] = (weights[0] * covered + weights[1] * (32 - covered) + 16) // 32
    return blended
