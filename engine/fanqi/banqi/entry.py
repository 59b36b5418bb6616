"""The rule kernels that Python calls: each takes the words of a state as an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fanqi.banqi.moves import ending, generate, play_flip, play_move
from fanqi.bits.memory import address_of
from fanqi.kernels import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["apply_flip", "apply_move", "find_ending", "list_moves"]


@kernel("int64(Array(int64, 1, 'C', readonly=True), int64[::1], int64)")
def list_moves(state: NDArray[np.int64], moves: NDArray[np.int64], banned: int) -> int:
    """`fanqi.banqi.moves.generate`."""
    return generate(address_of(state), address_of(moves), banned)


@kernel("int64(Array(int64, 1, 'C', readonly=True))")
def find_ending(state: NDArray[np.int64]) -> int:
    """`fanqi.banqi.moves.ending`."""
    return ending(address_of(state))


@kernel("void(int64[::1], int64, int64)")
def apply_move(state: NDArray[np.int64], origin: int, target: int) -> None:
    """`fanqi.banqi.moves.play_move`, in place."""
    play_move(address_of(state), origin, target)


@kernel("void(int64[::1], int64, int64)")
def apply_flip(state: NDArray[np.int64], square: int, code: int) -> None:
    """`fanqi.banqi.moves.play_flip`, in place."""
    play_flip(address_of(state), square, code)
