"""Self-play in the background, and the file it leaves: compact, resumable, readable by anybody.

A file is a MessagePack stream of binary objects (``bin 16``: byte 0xc5, length as big-endian uint16, that many bytes),
each the MessagePack encoding of one value. The first is a map that describes the run::

    {"format": "fanqi-selfplay", "version": 1, "seed": …, "depth": …, "exact": …, "first": …, "last": …, "weights": …,
     "books": …, "unit": 100}

where ``first`` and ``last`` are as in `PlaySettings`, ``weights`` and ``books`` name contents (`fanqi.train.origin`);
every other one a game, an array of four::

    [opening, first_exact, moves, scores]

    opening      plies at the start that no search chose
    first_exact  first ply whose score is exact; the number of plies if there is none
    moves        bin: one byte a ply, 8 * row + column with a1 = 0 and h8 = 63; passes are implied
    scores       bin: for each ply from ``opening`` on a little-endian int16, hundredths of a disc from the view of
                 the side to move there

Game number n of a file depends on the file's seed, n and the description alone, so a run that was interrupted goes on
where the file ends; a game cut short at the end is played again. A game that was over in its opening has no moves.
"""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import msgpack
import numpy as np

from fanqi.bits import address_of
from fanqi.othello.endgame.last import final_score
from fanqi.othello.moves import ZERO, bit, flips
from fanqi.othello.patterns import load_weights
from fanqi.train.compiled import compiled
from fanqi.train.origin import digest, weights_name
from fanqi.train.playing import BLACK, BLOCK_WORDS, NO_SCORE, PLIES, WHITE, play_games
from fanqi.train.positions import Positions, hashed
from fanqi.train.solving import Solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "Game",
    "PlaySettings",
    "RecordError",
    "play_file",
    "play_files",
    "read_games",
    "read_stream",
    "selfplay_positions",
]

BIN16 = 0xC5
BATCH = 64
LONGEST_OBJECT = 65_535  # bytes, as bin 16 has
READ_SIZE = 65_536
BUFFER_SIZE = 4 * READ_SIZE


class RecordError(ValueError):
    """A self-play file that cannot be read; the message names it and the byte."""


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How games are played.

    Attributes:
        depth: of the search, in plies.
        exact: empty squares from which the solver plays.
        first, last: fewest and most plies of an opening; short ones are likelier.
    """

    depth: int = 5
    exact: int = 14
    first: int = 6
    last: int = 46


@dataclass(frozen=True, slots=True)
class Game:
    """One game; see the module for the fields. ``scores`` has one entry for each ply from ``opening`` on."""

    opening: int
    first_exact: int
    moves: NDArray[np.uint8]
    scores: NDArray[np.int16]


def frame(value: Any) -> bytes:
    data: bytes = msgpack.packb(value)
    return struct.pack(">BH", BIN16, len(data)) + data


def frames(source: BinaryIO) -> Iterator[tuple[int, Any]]:
    """(byte after it, value) of each whole object; what is cut short at the end is left out.

    Args:
        source: can be sought in, and is at its beginning.

    Raises:
        RecordError: an object is not a binary one that holds a value, or is larger than any game; says at which byte.
    """
    unpacker = msgpack.Unpacker(source, read_size=READ_SIZE, max_buffer_size=BUFFER_SIZE, max_bin_len=LONGEST_OBJECT)
    while True:
        at = unpacker.tell()
        try:
            data = unpacker.unpack()
        except msgpack.OutOfData:
            source.seek(at)
            rest = source.read(1)
            if rest and rest[0] != BIN16:
                raise RecordError(f"byte {at}: 0x{rest[0]:02x} instead of 0x{BIN16:02x}") from None
            return
        except (ValueError, RecursionError) as error:
            raise RecordError(f"byte {at}: {error or type(error).__name__}") from None
        if not isinstance(data, bytes):
            raise RecordError(f"byte {at}: {type(data).__name__} instead of a binary object")
        try:
            value = msgpack.unpackb(data)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"byte {at}: {error or type(error).__name__}") from None
        yield unpacker.tell(), value


def encode_game(game: Game) -> bytes:
    """The object of one game."""
    return frame([game.opening, game.first_exact, game.moves.tobytes(), game.scores.astype("<i2").tobytes()])


def decode_game(value: Any) -> Game:
    """The game in an object.

    Raises:
        RecordError: the value is no game.
    """
    match value:
        case [int(opening), int(first_exact), bytes(moves), bytes(scores)] if 0 <= opening <= len(
            moves
        ) <= PLIES and len(scores) == 2 * (len(moves) - opening):
            return Game(opening, first_exact, np.frombuffer(moves, np.uint8), np.frombuffer(scores, "<i2"))
    raise RecordError(f"{value!r:.80}: not a game")


def read_games(path: Path) -> tuple[dict[str, Any], list[Game], int]:
    """(description, games, bytes that are whole) of a file.

    Raises:
        RecordError: it is something else or damaged in the middle.
    """
    with path.open("rb") as file:
        try:
            return read_stream(file)
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None


def read_stream(source: BinaryIO) -> tuple[dict[str, Any], list[Game], int]:
    """`read_games` of a stream, not all of which is in memory at once."""
    objects = frames(source)
    size, description = next(objects, (0, {}))
    if size and (not isinstance(description, dict) or description.get("format") != "fanqi-selfplay"):
        raise RecordError("the first object does not say fanqi-selfplay")
    games: list[Game] = []
    for end, value in objects:
        games.append(decode_game(value))
        size = end
    return description, games, size


def openings(
    seed: int, first_game: int, count: int, settings: PlaySettings, books: NDArray[np.uint8]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """(seeds, given plies, random plies, moves) of the next games.

    Every other opening follows a game of ``books`` (squares, 255 after the last) and then makes one to three random
    moves; the others are random from the start.
    """
    number = np.arange(first_game, first_game + count)
    words = [hashed(number, seed * 8 + k) for k in range(4)]
    uniform = words[0] / 2.0**64
    length = settings.first + ((settings.last - settings.first + 1) * uniform**1.5).astype(np.int64)
    given, wanted = np.zeros(count, np.int64), length
    moves = np.zeros((count, PLIES), np.uint8)
    if len(books):
        book = (words[1] % np.uint64(len(books))).astype(np.int64)
        whole = (books[book] != 255).sum(axis=1)
        astray = 1 + (words[2] % np.uint64(3)).astype(np.int64)
        from_book = (number % 2 == 0) & (whole >= length)
        given = np.where(from_book, np.maximum(length - astray, 0), 0)
        wanted = length - given
        moves[:] = books[book]
    return words[3] | np.uint64(1), given, wanted, moves


def describe(seed: int, settings: PlaySettings, weights: str, books: str) -> dict[str, Any]:
    """The first object of a file; see the module."""
    return {
        "format": "fanqi-selfplay",
        "version": 1,
        "seed": seed,
        "depth": settings.depth,
        "exact": settings.exact,
        "first": settings.first,
        "last": settings.last,
        "weights": weights,
        "books": books,
        "unit": 100,
    }


def play_file(
    path: Path,
    seed: int,
    games: int,
    settings: PlaySettings,
    weights_path: Path | None = None,
    books: NDArray[np.uint8] | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Play until the file holds ``games`` games.

    Raises:
        RecordError: the file is there and belongs to another run.
    """
    weights = load_weights(weights_path)
    library = np.zeros((0, PLIES), np.uint8) if books is None else books
    description = describe(seed, settings, weights_name(weights), digest(library))
    written: list[Game] = []
    whole = 0
    if path.exists():
        found, written, whole = read_games(path)
        if found and found != description:
            raise RecordError(f"{path}: made by another run ({found}); this one would be {description}")
    solver = Solver(weights)
    block = np.zeros(BLOCK_WORDS, np.int64)
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.truncate(whole)
        file.seek(whole)
        if whole == 0:
            file.write(frame(description))
        done = len(written)
        while done < games:
            seeds, given, wanted, moves = openings(seed, done, BATCH, settings, library)
            scores, shape = np.full(moves.shape, NO_SCORE, np.int16), np.zeros((BATCH, 3), np.int64)
            play_games(
                address_of(block),
                address_of(weights.evaluation_block),
                solver.block,
                seeds,
                given,
                wanted,
                settings.depth,
                settings.exact,
                moves,
                scores,
                shape,
            )
            played = min(BATCH, games - done)
            for row in range(played):
                plies, opening, first_exact = (int(n) for n in shape[row])
                file.write(encode_game(Game(opening, first_exact, moves[row, :plies], scores[row, opening:plies])))
            done += played
            file.flush()
            if progress is not None:
                progress(done)


def play_files(
    directory: Path,
    seed: int,
    games: int,
    settings: PlaySettings,
    workers: int = 2,
    weights_path: Path | None = None,
    books: NDArray[np.uint8] | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Path]:
    """`play_file` on several threads, each with its share of the games and its own file ``play-SEED-WORKER.msgpack``.

    Args:
        progress: called with the number of games in all files.
    """
    directory.mkdir(parents=True, exist_ok=True)
    done = [0] * workers

    def work(worker: int) -> Path:
        path = directory / f"play-{seed}-{worker}.msgpack"

        def tell(number: int) -> None:
            done[worker] = number
            if progress is not None:
                progress(sum(done))

        share = games // workers + (worker < games % workers)
        play_file(path, seed * 1000 + worker, share, settings, weights_path, books, tell)
        return path

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, range(workers)))


@compiled
def replay_game(moves: Any, first: Any, own_out: Any, opponent_out: Any, sign_out: Any) -> Any:
    """Write the positions from ply ``first`` on, and +1 or -1 for the side to move there.

    Returns:
        The final difference in discs from the view of side +1, or -128 if a move is not legal.
    """
    own, opp, sign = BLACK, WHITE, 1
    for ply in range(len(moves)):
        square = np.int64(moves[ply])
        turned = flips(own, opp, square) if square < 64 else ZERO
        if turned == ZERO:
            own, opp, sign = opp, own, -sign
            turned = flips(own, opp, square) if square < 64 else ZERO
        if turned == ZERO or ((own | opp) & bit(square)) != ZERO:
            return -128
        if ply >= first:
            own_out[ply - first], opponent_out[ply - first], sign_out[ply - first] = own, opp, sign
        own, opp, sign = opp ^ turned, own | turned | bit(square), -sign
    return sign * final_score(own, opp)


def selfplay_positions(path: Path, blend: float = 0.5, first_game: int = 0) -> Positions:
    """The positions after the opening of all games of a file.

    Args:
        path: of the file.
        blend: before the exact part the label is this share of the search's score and the rest of the result, both
            from the view of the side to move.
        first_game: number of the file's first game among all sources.

    Raises:
        RecordError: the file cannot be read, or a move in it is not legal.
    """
    _, games, _ = read_games(path)
    room = sum(len(game.moves) - game.opening for game in games)
    own, opponent = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
    label, number = np.zeros(room, np.float32), np.zeros(room, np.int64)
    sign = np.zeros(room, np.int64)
    row = 0
    for n, game in enumerate(games):
        end = row + len(game.moves) - game.opening
        part = slice(row, end)
        result = replay_game(game.moves, game.opening, own[part], opponent[part], sign[part])
        if result == -128:
            raise RecordError(f"{path}: game {n}: a move in it is not legal")
        exact = np.arange(game.opening, len(game.moves)) >= game.first_exact
        label[part] = np.where(
            exact, game.scores / 100.0, blend * (game.scores / 100.0) + (1.0 - blend) * result * sign[part]
        )
        number[part] = first_game + n
        row = end
    return Positions(own, opponent, label, np.ones(room, np.float32), number)
