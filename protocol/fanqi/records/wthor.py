"""WTHOR, the tournament archive of the French Othello federation: games (``.wtb``), players (``.jou``), tournaments
(``.trn``).

Every file is a 16-byte header and records of one size, little-endian. A game is 68 bytes; moves are bytes
``10 * row + column`` with rows and columns 1..8 (a1 = 11, h1 = 18, f5 = 56), 0 after the last one; passes are not
stored. The *theoretical* score of a game is Black's under perfect play from `WthorHeader.depth` empty squares on; both
scores count the squares left empty for the winner. A name is Latin-1, padded with zero bytes: 20 bytes for a player, 26
for a tournament.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.records.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "GAME",
    "PLAYER_BYTES",
    "TOURNAMENT_BYTES",
    "WthorError",
    "WthorFile",
    "WthorHeader",
    "format_names",
    "format_wthor",
    "parse_header",
    "parse_names",
    "parse_wthor",
    "read_names",
]

HEADER = struct.Struct("<BBBBiHHBBBB")
GAME = np.dtype(
    [
        ("tournament", "<i2"),
        ("black_player", "<i2"),
        ("white_player", "<i2"),
        ("black_discs", "u1"),
        ("black_theoretical", "u1"),
        ("moves", "u1", (60,)),
    ]
)
DEFAULT_DEPTH = 22  # what a stored depth of 0 means
PLAYER_BYTES = 20
TOURNAMENT_BYTES = 26


class WthorError(RecordError):
    """Bytes that are no WTHOR file; the message says what was wrong and at which byte."""


@dataclass(frozen=True, slots=True)
class WthorHeader:
    """What a file says about itself.

    Attributes:
        created: year, month and day the file was written.
        year: of the games.
        stored_depth: `depth`, or 0 where it is the default.
        board: 8, or 0 for the same.
        names: number of records of a ``.jou`` or ``.trn``; unused for games.
        reserved: the last byte.
    """

    created: tuple[int, int, int]
    year: int
    stored_depth: int = 24
    board: int = 8
    names: int = 0
    reserved: int = 0

    @property
    def depth(self) -> int:
        """Empty squares from which the theoretical score is exact."""
        return self.stored_depth or DEFAULT_DEPTH


@dataclass(frozen=True, slots=True)
class WthorFile:
    """A header and its games, an array of dtype `GAME`."""

    header: WthorHeader
    games: NDArray[np.void]


def parse_header(data: bytes) -> tuple[WthorHeader, int]:
    """The header of any of the three kinds of file, and the number of games it announces.

    Raises:
        WthorError: it is cut short.
    """
    if len(data) < HEADER.size:
        raise WthorError(f"{len(data)} bytes, shorter than the {HEADER.size} bytes of a WTHOR header", byte=0)
    century, year2, month, day, count, names, year, board, _, depth, reserved = HEADER.unpack_from(data)
    return WthorHeader((100 * century + year2, month, day), year, depth, board, names, reserved), count


def parse_wthor(data: bytes) -> WthorFile:
    """Read one ``.wtb`` file.

    Raises:
        WthorError: it is cut short, too long, of another board size or kind.
    """
    header, count = parse_games_header(data)
    check_size(count, len(data))
    return WthorFile(header, np.frombuffer(data, GAME, count, HEADER.size))


def parse_games_header(data: bytes) -> tuple[WthorHeader, int]:
    """The header of a ``.wtb`` file, and the number of games it announces.

    Raises:
        WthorError: it is cut short, or of another board size or kind.
    """
    header, count = parse_header(data)
    if header.board not in (0, 8):
        raise WthorError(f"board size {header.board}: only 8x8 games can be read", byte=12)
    if data[13] != 0:
        raise WthorError(f"file type {data[13]}: solitaire files hold no games", byte=13)
    return header, count


def check_size(count: int, size: int) -> None:
    """
    Raises:
        WthorError: a file of so many bytes does not hold as many games as announced, or not them alone.
    """
    expected = HEADER.size + count * GAME.itemsize
    if size != expected:
        raise WthorError(f"{count} games announced need {expected} bytes, the file has {size}", byte=4, lost=False)


def format_header(header: WthorHeader, games: int) -> bytes:
    """The sixteen bytes `parse_header` reads back."""
    year, month, day = header.created
    return HEADER.pack(
        year // 100,
        year % 100,
        month,
        day,
        games,
        header.names,
        header.year,
        header.board,
        0,
        header.stored_depth,
        header.reserved,
    )


def format_wthor(file: WthorFile) -> bytes:
    """The bytes `parse_wthor` reads back."""
    return format_header(file.header, len(file.games)) + file.games.astype(GAME).tobytes()


def parse_names(data: bytes, record_bytes: int) -> tuple[str, ...]:
    """The names of a ``.jou`` (20 bytes a record) or ``.trn`` (26 bytes a record) file, by number.

    Raises:
        WthorError: the file is cut short, or holds no such records.
    """
    names, error = read_names(data, record_bytes)
    if error is not None:
        raise error
    return names


def read_names(data: bytes, record_bytes: int) -> tuple[tuple[str, ...], WthorError | None]:
    """The names that are wholly there, as for `parse_names`, and what is wrong with the file."""
    try:
        header, _ = parse_header(data)
    except WthorError as error:
        error.lost = False
        return (), error
    body = data[HEADER.size :]
    cut = (body[at : at + record_bytes] for at in range(0, len(body) - record_bytes + 1, record_bytes))
    names = tuple(name.partition(b"\0")[0].decode("latin-1").strip() for name in cut)
    expected = HEADER.size + header.names * record_bytes
    if len(data) == expected:
        return names, None
    reason = f"{header.names} names announced need {expected} bytes, the file has {len(data)}"
    return names, WthorError(reason, byte=8, lost=False)


def format_names(names: Sequence[str], record_bytes: int, header: WthorHeader) -> bytes:
    """The bytes `parse_names` reads back; longer names are cut, letters outside Latin-1 become ``?``.

    ``header`` gives the dates; its ``names`` is replaced by the number of them.
    """
    year, month, day = header.created
    head = HEADER.pack(year // 100, year % 100, month, day, 0, len(names), header.year, 0, 0, 0, 0)
    # the last byte stays zero, as readers in C expect
    return head + b"".join(
        name.encode("latin-1", "replace")[: record_bytes - 1].ljust(record_bytes, b"\0") for name in names
    )
