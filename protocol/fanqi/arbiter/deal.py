"""Deals: a layout of the covered pieces and a five-piece draw, from a seed, the same on every machine for
ever.

The algorithm is written down byte for byte in docs/arbiter.md; nothing here may change without a new domain
tag. A *layout* is 32 letters in the order a1, b1, c1, d1, a2, ..., d8: the piece under each covered square
(red upper case, black lower case), ``.`` where nothing is covered.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.arbiter.errors import DealError, SeedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "ALL_SQUARES",
    "DRAW_PIECES",
    "FULL_SET",
    "SEED_BITS",
    "Deal",
    "deal",
    "mirror_layout",
    "new_seed",
    "parse_seed",
    "square_index",
    "square_name",
]

PIECE_ORDER = "KGMRNCPkgmrncp"
FULL_SET = "KGGMMRRNNCCPPPPPkggmmrrnnccppppp"
DRAW_PIECES = "KGMRN"
"""The five pieces of the draw for the first move, strongest first."""

ALL_SQUARES = tuple(range(32))
SEED_BITS = 128
DEAL_TAG = b"fanqi/deal/1\0"


@dataclass(frozen=True, slots=True)
class Deal:
    """What an arbiter keeps secret.

    Attributes:
        seed: from which everything follows.
        layout: 32 letters, see the module.
        draw: the pieces of the five-piece draw at places 1 to 5.
        mirrored: whether files were exchanged (a with d, b with c) after dealing, as in the second game of a
            pair.
    """

    seed: int
    layout: str
    draw: str
    mirrored: bool = False


def new_seed() -> int:
    """A seed nobody can guess, from the operating system."""
    return secrets.randbits(SEED_BITS)


def parse_seed(text: str) -> int:
    """A seed from its decimal digits.

    Raises:
        SeedError: no integer from 0 to 2**128 - 1.
    """
    # int() would take blanks, signs, underscores and other scripts' digits; 39 digits are enough for 2**128
    if not (text.isascii() and text.isdecimal() and len(text) <= 39 and int(text) < 1 << SEED_BITS):
        raise SeedError(text, f"a seed is an integer from 0 to 2**{SEED_BITS} - 1")
    return int(text)


def square_index(name: str) -> int | None:
    """0..31 for ``a1``, ``b1``, ..., ``d8``; None for anything else."""
    if len(name) != 2 or name[0] not in "abcd" or name[1] not in "12345678":
        return None
    return "abcd".index(name[0]) + 4 * (int(name[1]) - 1)


def square_name(index: int) -> str:
    """``a1`` for 0, ``b1`` for 1, ..., ``d8`` for 31."""
    return "abcd"[index % 4] + str(index // 4 + 1)


def random_bytes(seed: int) -> Iterator[int]:
    """SHA-256 in counter mode: block i is SHA-256(tag, seed in 16 bytes, i in 4 bytes), both big-endian."""
    prefix = DEAL_TAG + seed.to_bytes(16, "big")
    counter = 0
    while True:
        yield from hashlib.sha256(prefix + counter.to_bytes(4, "big")).digest()
        counter += 1


def shuffled(items: str, stream: Iterator[int]) -> str:
    """Fisher-Yates from the end; no bias, since bytes of the incomplete last stretch are refused."""
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        choices = last + 1
        limit = 256 - 256 % choices
        byte = next(stream)
        while byte >= limit:
            byte = next(stream)
        other = byte % choices
        result[last], result[other] = result[other], result[last]
    return "".join(result)


def deal(seed: int, pieces: str = FULL_SET, squares: Sequence[int] = ALL_SQUARES, *, mirrored: bool = False) -> Deal:
    """Deal ``pieces`` onto ``squares``, and the five-piece draw after them from the same stream.

    Args:
        seed: 0 to 2**128 - 1.
        pieces: the covered pieces, in any order: they are sorted first, so that the deal depends on which
            there are and on nothing else.
        squares: the covered squares as indices; sorted first as well.
        mirrored: deal as if the board were its mirror image: the piece that would lie on a1 lies on d1 and so
            on. ``squares`` are the real ones.

    Raises:
        SeedError: the seed is out of range.
        DealError: unknown pieces, squares twice or off the board, or not as many pieces as squares.
    """
    if not 0 <= seed < 1 << SEED_BITS:
        raise SeedError(str(seed), f"a seed is an integer from 0 to 2**{SEED_BITS} - 1")
    if any(piece not in PIECE_ORDER for piece in pieces):
        raise DealError(pieces, f"a piece is one of {PIECE_ORDER}")
    real = sorted(set(squares))
    if len(real) != len(squares) or any(index not in range(32) for index in real):
        raise DealError(" ".join(map(str, squares)), "squares are distinct indices from 0 to 31")
    if len(pieces) != len(real):
        raise DealError(pieces, f"{len(pieces)} pieces for {len(real)} covered squares")
    stream = random_bytes(seed)
    order = sorted(index ^ 3 for index in real) if mirrored else real
    cells = ["."] * 32
    for index, piece in zip(order, shuffled("".join(sorted(pieces, key=PIECE_ORDER.index)), stream), strict=True):
        cells[index] = piece
    layout = "".join(cells)
    return Deal(seed, mirror_layout(layout) if mirrored else layout, shuffled(DRAW_PIECES, stream), mirrored)


def mirror_layout(layout: str) -> str:
    """The layout with files exchanged: a with d, b with c."""
    return "".join(layout[index ^ 3] for index in range(32))
