"""The arbiter of one banqi game: knows the layout, answers flips, opens everything at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.arbiter.commitment import Opening, new_salt
from fanqi.arbiter.deal import (
    ALL_SQUARES,
    DRAW_PIECES,
    FULL_SET,
    Deal,
    deal,
    new_seed,
    square_index,
    square_name,
)
from fanqi.arbiter.errors import DrawError, FlipError, TooEarlyError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Arbiter"]


class Arbiter:
    """Keeps one secret, from the commitment to its opening.

    Nothing but `flip` and `open` tells anything about the layout, and nothing that searches holds an arbiter.

    Args:
        secret: the deal.
        salt: 32 bytes; from the operating system if left out.
    """

    def __init__(self, secret: Deal, salt: bytes | None = None) -> None:
        self._opening = Opening(secret, new_salt() if salt is None else salt)
        self._covered = {index for index, piece in enumerate(secret.layout) if piece != "."}
        self._dealt = frozenset(self._covered)
        self._drawn = False
        self._over = False
        self.commitment = self._opening.commitment

    @classmethod
    def new(
        cls,
        seed: int | None = None,
        pieces: str = FULL_SET,
        squares: Sequence[int] = ALL_SQUARES,
        *,
        mirrored: bool = False,
    ) -> Arbiter:
        """Deal and commit. Arguments as for `fanqi.arbiter.deal`; without a seed the system chooses one."""
        return cls(deal(new_seed() if seed is None else seed, pieces, squares, mirrored=mirrored))

    @property
    def opened(self) -> bool:
        """Whether nothing is secret any more: the game was declared over, or every piece has been flipped."""
        return self._over or not self._covered

    @property
    def covered(self) -> tuple[str, ...]:
        """The squares not flipped yet, a1 first."""
        return tuple(square_name(index) for index in sorted(self._covered))

    def draw(self, first: int, second: int) -> tuple[str, str]:
        """The pieces at the places two players picked, before the first flip; the stronger one moves first.

        Args:
            first: the place of the first picker, 1 to 5.
            second: the place of the other, a different one.

        Raises:
            DrawError: a place that does not exist, the same place twice, drawn before, or the game has begun.
        """
        for place in (first, second):
            if not 1 <= place <= len(DRAW_PIECES):
                raise DrawError(str(place), f"a place is 1 to {len(DRAW_PIECES)}")
        if first == second:
            raise DrawError(str(second), "both cannot pick the same place")
        if self._drawn:
            raise DrawError(f"{first} {second}", "the draw has been made")
        if len(self._covered) != len(self._dealt):
            raise DrawError(f"{first} {second}", "the game has begun")
        self._drawn = True
        pieces = self._opening.deal.draw
        return pieces[first - 1], pieces[second - 1]

    def flip(self, square: str) -> str:
        """The letter of the piece under ``square``, which is covered no longer.

        Raises:
            FlipError: no square, not covered, flipped before, or the deal is open already.
        """
        index = square_index(square)
        if index is None:
            raise FlipError(square, "no square, squares are a1 to d8")
        if index not in self._dealt:
            raise FlipError(square, "nothing was covered here")
        if index not in self._covered:
            raise FlipError(square, "flipped before")
        if self._over:
            raise FlipError(square, "the game is over and the deal is open")
        self._covered.remove(index)
        return self._opening.deal.layout[index]

    def finish(self) -> None:
        """The game is over or given up: there will be no more flips, and the secret may be opened."""
        self._over = True

    def open(self) -> Opening:
        """The secret and its proof.

        Raises:
            TooEarlyError: the game goes on and pieces are still covered.
        """
        if not self.opened:
            raise TooEarlyError("open", "the game is not over; it opens when it is over or given up")
        return self._opening
