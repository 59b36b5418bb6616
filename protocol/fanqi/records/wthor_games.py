"""WTHOR files as game records, and back, bit for bit.

What only WTHOR has is in tags: the theoretical score and its depth, the numbers of tournament and players, and the
header of the file a game came from.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from fanqi.othello.notation import MOVE_NUMBERS, PASS
from fanqi.othello.replay import replay_rows
from fanqi.records.errors import RecordError
from fanqi.records.game import GameRecord, Result
from fanqi.records.numbers import whole
from fanqi.records.othello import PLAIN, require_othello
from fanqi.records.wthor import (
    GAME,
    HEADER,
    PLAYER_BYTES,
    TOURNAMENT_BYTES,
    WthorError,
    WthorFile,
    WthorHeader,
    check_size,
    format_header,
    format_names,
    format_wthor,
    parse_games_header,
    parse_header,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["WthorWriter", "read_wthor", "wthor_games"]

HEADER_TAG = "wthor_header"
THEORETICAL_TAG = "theoretical"
NUMBERS_TAG = "wthor_numbers"
EVENT_TAG = "Event"
MAX_MOVES = 60
LARGEST_NUMBER = (1 << 15) - 1
"""Of a player or a tournament."""
GAMES_AT_ONCE = 4096


def read_wthor(
    stream: BinaryIO, players: Sequence[str] = (), tournaments: Sequence[str] = ()
) -> Iterator[GameRecord | RecordError]:
    """Every game of a ``.wtb`` file, also where their number is not the one announced, or the last one is cut short.

    Args:
        players, tournaments: names by number, as far as they are known.

    Raises:
        WthorError: the header is cut short, or of another board size or kind.
    """
    header, announced = parse_games_header(stream.read(HEADER.size))
    found = size = 0
    while data := stream.read(GAMES_AT_ONCE * GAME.itemsize):
        size += len(data)
        games = np.frombuffer(data, GAME, len(data) // GAME.itemsize)
        for record in wthor_games(WthorFile(header, games), players, tournaments, found):
            found += isinstance(record, GameRecord) or record.lost
            # what is behind the games that are announced is a game only if there are moves in it
            if found <= announced or isinstance(record, RecordError) or record.moves:
                yield record
    try:
        check_size(announced, HEADER.size + size)
    except WthorError as error:
        yield error


def wthor_games(
    file: WthorFile, players: Sequence[str] = (), tournaments: Sequence[str] = (), before: int = 0
) -> Iterator[GameRecord | RecordError]:
    """Every game of a file with its passes put in, or what is wrong with it.

    Args:
        file: the games.
        players, tournaments: names by number, as far as they are known.
        before: how many games of the file come before these.
    """
    codes = file.games["moves"]
    ended = codes == 0
    counts = np.where(ended.any(axis=1), ended.argmax(axis=1), MAX_MOVES)
    rows, columns = codes // 10, codes % 10
    on_board = (rows >= 1) & (rows <= 8) & (columns >= 1) & (columns <= 8)
    squares = np.where(on_board, 8 * (rows - 1) + columns - 1, 255).astype(np.uint8)
    done = replay_rows(squares, counts.astype(np.int64))
    header_tags = (
        (HEADER_TAG, format_header(file.header, 0).hex()),
        ("theoretical_depth", str(file.header.depth)),
    )
    date = str(file.header.year)
    for index, game in enumerate(file.games.tolist()):
        tournament, black, white, discs, theoretical, _ = game
        taken = int(done.taken[index])
        place = HEADER.size + (before + index) * GAME.itemsize
        name = f"game {before + index + 1}"
        if taken != counts[index]:
            yield RecordError(
                f"{name}: move {taken + 1} is not legal", str(codes[index, taken]), byte=place + 8 + taken
            )
            continue
        if codes[index, taken:].any():
            yield RecordError(f"{name}: moves behind its end", byte=place + 8 + taken)
            continue
        tags: tuple[tuple[str, str], ...] = (
            (THEORETICAL_TAG, str(theoretical)),
            (NUMBERS_TAG, f"{tournament} {black} {white}"),
            *header_tags,
        )
        if event := name_of(tournaments, tournament):
            tags += ((EVENT_TAG, event),)
        record = GameRecord(
            "othello",
            tuple(map(PLAIN.__getitem__, done.plies[index, : done.lengths[index]].tolist())),
            None,
            (name_of(players, black), name_of(players, white)),
            date=date,
            result=Result.of_margin(2 * discs - 64) if discs <= 64 else None,
            tags=tags,
        )
        if discs > 64:
            yield RecordError(f"{name}: more discs than squares", str(discs), byte=place + 6, record=record)
        yield record


def name_of(names: Sequence[str], number: int) -> str:
    return names[number] if 0 <= number < len(names) else ""


class Numbers:
    """Who has which number in one name file."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._free = 0

    def number(self, name: str, wish: int | None) -> int:
        """The number of a name; the one it had elsewhere, if no other name has it here.

        Raises:
            RecordError: there are too many names.
        """
        if wish is None or self._names.get(wish, name) != name:
            if name in self._numbers:
                return self._numbers[name]
            while self._free in self._names:
                self._free += 1
            if self._free > LARGEST_NUMBER:
                raise RecordError(f"WTHOR holds {LARGEST_NUMBER + 1} names, and this is one more", name)
            wish = self._free
        self._names[wish] = name
        self._numbers.setdefault(name, wish)
        return wish

    def names(self) -> list[str]:
        """The names by number, empty where nobody has one; an empty list if there is no name at all."""
        if not any(self._names.values()):
            return []
        return [self._names.get(number, "") for number in range(max(self._names) + 1)]


class WthorWriter:
    """Collects games into one ``.wtb``; the file is there at the end, since its header counts them.

    Games that came from one WTHOR file give that file again. A game whose theoretical score is not known gets its
    result in that place, so that no reader takes it for a loss.

    Args:
        today: the date of creation, where the games bring none along.
    """

    def __init__(self, today: tuple[int, int, int]) -> None:
        self._today = today
        self._rows: list[tuple[int, int, int, int, int, list[int]]] = []
        self._headers: dict[str, None] = {}
        self._years: set[int] = set()
        self._players = Numbers()
        self._tournaments = Numbers()

    def add(self, record: GameRecord) -> bytes:
        """Take a game; returns no bytes yet.

        Raises:
            RecordError: not an Othello game from the usual start, or one without a result in discs.
        """
        require_othello(record, "WTHOR")
        if record.start is not None:
            raise RecordError("WTHOR holds games from the usual start only", record.start)
        if record.result is None or record.result.margin is None:
            raise RecordError("WTHOR needs a result in discs, and this game has none")
        if not abs(record.result.margin) <= 64:  # nor is it a number, perhaps
            raise RecordError("a margin beyond 64 discs", f"{record.result.margin:g}")
        discs = round((64 + record.result.margin) / 2)
        squares = [MOVE_NUMBERS[move.move] for move in record.moves]
        moves = [10 * (square // 8 + 1) + square % 8 + 1 for square in squares if square != PASS]
        if len(moves) > MAX_MOVES:
            raise RecordError(f"{len(moves)} moves, WTHOR holds {MAX_MOVES}")
        words = (record.tag(NUMBERS_TAG) or "").split()
        wishes = [whole(word, LARGEST_NUMBER) for word in words] if len(words) == 3 else [None] * 3
        known = whole(record.tag(THEORETICAL_TAG) or "", 64)
        theoretical = discs if known is None else known
        # taken last: a refused game leaves no number behind
        event = self._tournaments.number(record.tag(EVENT_TAG) or "", wishes[0])
        black = self._players.number(record.players[0], wishes[1])
        white = self._players.number(record.players[1], wishes[2])
        self._headers.setdefault(record.tag(HEADER_TAG) or "")
        if year := re.search(r"[0-9]{4}", record.date):
            self._years.add(int(year[0]))
        self._rows.append((event, black, white, discs, theoretical, moves + [0] * (MAX_MOVES - len(moves))))
        return b""

    def finish(self) -> bytes:
        """The whole file."""
        games = np.array([(*row[:5], row[5]) for row in self._rows], GAME)
        return format_wthor(WthorFile(self._header(), games))

    def name_files(self) -> dict[str, bytes]:
        """The name files that belong to the games, by suffix; none where there are no names."""
        files: dict[str, bytes] = {}
        if players := self._players.names():
            files[".jou"] = format_names(players, PLAYER_BYTES, self._header())
        if tournaments := self._tournaments.names():
            files[".trn"] = format_names(tournaments, TOURNAMENT_BYTES, self._header())
        return files

    def _header(self) -> WthorHeader:
        """The header all games came with, if there is one such; else a new one."""
        if len(self._headers) == 1:
            with contextlib.suppress(ValueError):  # a tag may hold anything
                header, _ = parse_header(bytes.fromhex(next(iter(self._headers))))
                if header.created[0] < 10_000:
                    return header
        return WthorHeader(self._today, max(self._years, default=self._today[0]))
