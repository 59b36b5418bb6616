"""Labelled positions: what every source of training data delivers and every fit takes.

One flat array a field, so that a source is a function that returns `Positions`, sources add up by `concatenate`, and
tens of millions of rows stay cheap.
"""

from __future__ import annotations

import dataclasses
import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.files import described, write_whole
from fanqi.game import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["PositionError", "Positions", "concatenate", "load_merged", "load_positions", "merge", "save_positions"]

FORMAT = 1
TYPES: dict[str, type[np.generic]] = {
    "own": np.uint64,
    "opponent": np.uint64,
    "label": np.float32,
    "weight": np.float32,
    "game": np.int64,
}


class PositionError(ValueError):
    """A position file that cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Rows of (position, label), all arrays of one length.

    Attributes:
        own: uint64, discs of the side to move; a1 is bit 0, h1 bit 7, a8 bit 56.
        opponent: uint64, discs of the other side.
        label: float32, the final difference in discs expected for the side to move, empty squares to the winner.
        weight: float32, how much the row counts; 1 for an ordinary one.
        game: int64, rows of one game share it, and it decides which side of a hold-out split they fall on.
    """

    own: NDArray[np.uint64]
    opponent: NDArray[np.uint64]
    label: NDArray[np.float32]
    weight: NDArray[np.float32]
    game: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.own)

    @property
    def empties(self) -> NDArray[np.int64]:
        """Empty squares of each row."""
        occupied: NDArray[np.int64] = np.bitwise_count(self.own | self.opponent).astype(np.int64)
        return 64 - occupied

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Positions:
        """The rows chosen by numbers or by a mask."""
        return Positions(*(getattr(self, field.name)[rows] for field in dataclasses.fields(self)))

    def between(self, low: int, high: int) -> Positions:
        """The rows with ``low`` to ``high`` empty squares."""
        empties = self.empties
        return self.take((empties >= low) & (empties <= high))

    def split(self, fraction: float, seed: int = 0) -> tuple[Positions, Positions]:
        """Rows to fit, rows held out. Whole games go one way, always the same way for the same seed."""
        held = hashed(self.game, seed) < np.uint64(int(fraction * 2.0**53)) << np.uint64(11)
        return self.take(~held), self.take(held)


def hashed(numbers: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """A well-mixed word for each number (the finaliser of SplitMix64)."""
    word = numbers.astype(np.uint64) + np.uint64((seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def concatenate(parts: Iterable[Positions]) -> Positions:
    """All rows of several sources."""
    chosen = list(parts)
    return Positions(
        *(np.concatenate([getattr(part, field.name) for part in chosen]) for field in dataclasses.fields(Positions))
    )


def merge(parts: Iterable[Positions]) -> Positions:
    """All rows of several sources; where a later one has a position of the same game again, its label alone counts."""
    kept: list[Positions] = []
    later = np.empty(0, np.uint64)
    for part in reversed(list(parts)):
        names = hashed(part.own.view(np.int64), 0) ^ hashed(part.opponent.view(np.int64), 1) ^ hashed(part.game, 2)
        kept.insert(0, part.take(~np.isin(names, later)))
        later = np.concatenate([later, names])
    return concatenate(kept)


def save_positions(path: Path, positions: Positions) -> None:
    """Write ``.npz``; a reader never sees half of one."""
    buffer = io.BytesIO()
    np.savez(buffer, format=FORMAT, **{f.name: getattr(positions, f.name) for f in dataclasses.fields(Positions)})
    write_whole(path, buffer.getbuffer())


def load_positions(path: Path) -> Positions:
    """Read what `save_positions` wrote, or somebody who keeps to the arrays of `Positions`.

    Raises:
        PositionError: it is something else, or cannot be read.
    """
    try:
        with path.open("rb") as opened:
            if not opened.peek(2).startswith((b"PK", b"\x93N")):  # numpy would advise to trust it and run what is in it
                raise ValueError("neither a .npz file nor a .npy file")
            file = np.load(opened)
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise ValueError("a single array")
            return checked(file)
    except OSError as error:
        raise PositionError(described(error, path)) from None
    except (EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise PositionError(f"{path}: not a position file ({error})") from None


def load_merged(paths: Iterable[Path]) -> Positions:
    """`merge` of files.

    Raises:
        PositionError: one is something else.
    """
    return merge([load_positions(path) for path in paths])


def checked(arrays: Mapping[str, NDArray[Any]]) -> Positions:
    """Rows from named arrays.

    Raises:
        KeyError: an array is missing.
        ValueError: they are no rows of positions.
    """
    if arrays["format"].tolist() != FORMAT:
        raise ValueError(f"format {quoted(str(arrays['format'].tolist()))}, this version reads {FORMAT}")
    fields = {}
    for name, wanted in TYPES.items():
        found = arrays[name]
        if found.ndim != 1 or not np.can_cast(found.dtype, wanted, "same_kind"):
            raise ValueError(f"{name}: expected one row of {wanted.__name__}, not {found.dtype} {found.shape}")
        fields[name] = found.astype(wanted, copy=False)
    rows = Positions(**fields)
    lengths = {len(array) for array in fields.values()}
    if len(lengths) > 1:
        raise ValueError(f"arrays of different lengths, {min(lengths)} to {max(lengths)}")
    if np.any(rows.own & rows.opponent):
        raise ValueError("a square with discs of both sides")
    if not np.all(np.isfinite(rows.label)) or not np.all(np.isfinite(rows.weight) & (rows.weight >= 0)):
        raise ValueError("a label that is no number, or a weight that is none or negative")
    return rows
