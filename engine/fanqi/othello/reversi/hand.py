"""Discs in hand, as kernels see them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits.wrapping import wrapping_product
from fanqi.kernels import kernel
from fanqi.othello.moves import ZERO, legal_moves
from fanqi.othello.table import hash_position

__all__ = ["NO_HAND", "hash_in_hand", "moves_in_hand"]

NO_HAND = -1
"""The hand of a position of Othello for `hash_in_hand`: its key is that of `hash_position`."""
MULTIPLIER = np.uint64(0xA0761D6478BD642F)  # a random odd number


@kernel
def moves_in_hand(own: Any, opp: Any, hand: Any) -> Any:
    """`legal_moves` of who has so many discs in hand."""
    return legal_moves(own, opp) if hand > 0 else ZERO


@kernel
def hash_in_hand(own: Any, opp: Any, hand: Any) -> Any:
    """A 64-bit key of a position and the mover's hand, from which the other one follows."""
    return hash_position(own, opp) ^ wrapping_product(np.uint64(hand + 1), MULTIPLIER)
