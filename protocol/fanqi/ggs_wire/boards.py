"""Boards as the service draws them, and the two messages that carry them: ``join`` and ``update``.

A drawing has a line of column letters, the rows, the letters again, an empty line and the side to move::

       A B C D
     1 - - - - 1
     2 - O * - 2
     …
       A B C D

    * to move

``*`` is Black, ``O`` White, ``-`` an empty square and a blank no square at all (board 88).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.ggs_wire.errors import WireError
from fanqi.ggs_wire.values import ClockSetting, ClockState, GameId, GameType, Move, plain_zero

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Diagram", "Join", "JoinGgf", "PlayerLine", "Update", "UpdateGgf"]

LETTERS = "ABCDEFGHIJKLMN"
CELLS = frozenset("-*O ")


@dataclass(frozen=True, slots=True)
class Diagram:
    """A position.

    Attributes:
        width: squares in a row.
        cells: row by row from a1: ``*``, ``O``, ``-`` or a blank.
        turn: ``*`` or ``O``.
    """

    width: int
    cells: str
    turn: str

    def rows(self) -> list[str]:
        """The rows of cells without their numbers."""
        return [self.cells[at : at + self.width] for at in range(0, len(self.cells), self.width)]

    def ggf(self) -> str:
        """As in the ``BO`` field of a GGF record, without the size: rows with blanks between, then the side."""
        return " ".join((*self.rows(), self.turn))

    def lines(self) -> list[str]:
        """The drawing."""
        letters = f"   {' '.join(LETTERS[: self.width])}"
        rows = [f"{number:2d} {' '.join(row)} {number:<2d}" for number, row in enumerate(self.rows(), 1)]
        return [letters, *rows, letters, "", f"{self.turn} to move"]


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A player above the board.

    Attributes:
        colour: ``*``, ``O``, or ``?`` before a komi is settled.
        clock: what the player has left, or (before the first board of a game with moves) was given.
    """

    name: str
    rating: float
    colour: str
    clock: ClockState | ClockSetting

    def __str__(self) -> str:
        return f"{self.name:<8} ({self.rating:6.1f} {self.colour}) {self.clock}"


@dataclass(frozen=True, slots=True)
class Update:
    """The position after a move.

    Attributes:
        komi: from Black's view; None while it is open, or where there is none.
        number: of the move, from 1; 0 when there has been none.
        players: Black first, once colours are known.
    """

    game: GameId
    type: GameType
    komi: float | None
    number: int
    move: Move
    players: tuple[PlayerLine, PlayerLine]
    board: Diagram

    def body(self) -> list[str]:
        return [f"update {heading(self)}", *current(self)]


@dataclass(frozen=True, slots=True)
class Join:
    """The whole game so far: at its start, on ``watch +`` and ``moves``, after an undo, when a komi is settled.

    Attributes:
        settings: both clocks as given, and ``start``, the first board: None and None before the first move.
        earlier: all moves but the last.
        number, move, players, board: as in `Update`.
    """

    game: GameId
    type: GameType
    komi: float | None
    settings: tuple[PlayerLine, PlayerLine] | None
    start: Diagram | None
    earlier: tuple[Move, ...]
    number: int
    move: Move
    players: tuple[PlayerLine, PlayerLine]
    board: Diagram

    def body(self) -> list[str]:
        history: list[str] = []
        if self.settings is not None and self.start is not None:
            history = [*map(str, self.settings), "", *self.start.lines()]
            history += [f"{number:3d}: {move}" for number, move in enumerate(self.earlier, 1)]
        return [f"join {heading(self)}", f"{self.number} move(s)", *history, *current(self)]

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves."""
        return (*self.earlier, self.move) if self.number else ()


@dataclass(frozen=True, slots=True)
class JoinGgf:
    """A join for those who set ``client +``: a GGF record broken into lines."""

    game: GameId
    lines: tuple[str, ...]

    def body(self) -> list[str]:
        return [f"join {self.game} {self.lines[0]}", *self.lines[1:]]


@dataclass(frozen=True, slots=True)
class UpdateGgf:
    """An update for those who set ``client +``: the move alone."""

    game: GameId
    move: Move

    def body(self) -> list[str]:
        return [f"update {self.game} {self.move}"]


def heading(message: Update | Join) -> str:
    """``.2 8b K?``."""
    komi = "?" if message.komi is None else f"{message.komi:zg}"
    return f"{message.game} {message.type} K{komi}"


def current(message: Update | Join) -> list[str]:
    """The last move, the clocks and the board."""
    move = str(message.move) if message.number else "PASS"
    return [f"{message.number:3d}: {move}", *map(str, message.players), "", *message.board.lines()]


class Lines:
    """The lines of a message, read one after the other."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._left: Iterator[str] = iter(lines)

    def next(self) -> str:
        """
        Raises:
            WireError: there is none.
        """
        line = next(self._left, None)
        if line is None:
            raise WireError("", "the message ends early")
        return line


PLAYER = re.compile(r"(\S+)\s*\(\s*(-?\d+(?:\.\d+)?) ([*O?])\) (\S+)\s*")
NUMBERED = re.compile(r"\s*(\d{1,3}): (\S+)\s*")
HEADING = re.compile(r"(?:join|update) (\S+) (\S+) K(\?|-?[\d.]+(?:e-?\d+)?)\s*")
GGF_JOIN = re.compile(r"join (\S+) (\(;.*)")
GGF_UPDATE = re.compile(r"update (\S+) (\S+)\s*")


def read_player(line: str, setting: bool) -> PlayerLine:
    """A player above the board; ``setting`` for the clock that was given."""
    found = PLAYER.fullmatch(line)
    if found is None:
        raise WireError(line, "not a player's clock")
    clock = ClockSetting.parse(found[4]) if setting else ClockState.parse(found[4])
    return PlayerLine(found[1], float(found[2]), found[3], clock)


def read_diagram(lines: Lines) -> Diagram:
    """A drawing, from the letters to the side to move."""
    letters = lines.next()
    width = len(letters.split())
    if letters.split() != list(LETTERS[:width]) or not width:
        raise WireError(letters, "not the letters above a board")
    cells = []
    for number in range(1, width + 1):
        row = lines.next()
        squares = row[3 : 3 + 2 * width : 2].ljust(width)
        if row[:2].strip() != str(number) or not CELLS.issuperset(squares):
            raise WireError(row, f"not row {number} of a board")
        cells.append(squares)
    if lines.next().split() != letters.split():
        raise WireError(letters, "no letters below the board")
    if blank := lines.next().strip():
        raise WireError(blank, "expected an empty line below the board")
    turn = lines.next().rstrip()
    if turn not in ("* to move", "O to move"):
        raise WireError(turn, "not the side to move")
    return Diagram(width, "".join(cells), turn[0])


def read_numbered(line: str) -> tuple[int, Move]:
    """``  3: f5/0.50``."""
    found = NUMBERED.fullmatch(line)
    if found is None:
        raise WireError(line, "not a numbered move")
    return int(found[1]), Move.parse(found[2])


def read_heading(line: str) -> tuple[GameId, GameType, float | None]:
    """The first line of a join or an update."""
    found = HEADING.fullmatch(line)
    if found is None:
        raise WireError(line, "not the head of a board message")
    komi = None if found[3] == "?" else plain_zero(found[3])
    return GameId.parse(found[1]), GameType.parse(found[2]), komi


def read_pair(lines: Lines, setting: bool) -> tuple[PlayerLine, PlayerLine]:
    """The two players, and the empty line below."""
    pair = read_player(lines.next(), setting), read_player(lines.next(), setting)
    if blank := lines.next().strip():
        raise WireError(blank, "expected an empty line above the board")
    return pair


def read_update(body: Sequence[str]) -> Update | UpdateGgf | None:
    """Recogniser of updates of either kind."""
    if not body[0].startswith("update "):
        return None
    if len(body) == 1:
        found = GGF_UPDATE.fullmatch(body[0])
        return None if found is None else UpdateGgf(GameId.parse(found[1]), Move.parse(found[2]))
    lines = Lines(body)
    game, kind, komi = read_heading(lines.next())
    number, move = read_numbered(lines.next())
    return Update(game, kind, komi, number, move, read_pair(lines, setting=False), read_diagram(lines))


def read_join(body: Sequence[str]) -> Join | JoinGgf | None:
    """Recogniser of joins of either kind."""
    if not body[0].startswith("join "):
        return None
    if found := GGF_JOIN.fullmatch(body[0]):
        return JoinGgf(GameId.parse(found[1]), (found[2], *body[1:]))
    lines = Lines(body)
    game, kind, komi = read_heading(lines.next())
    count = re.fullmatch(r"(\d{1,3}) move\(s\)\s*", counted := lines.next())
    if count is None:
        raise WireError(counted, "not the number of moves")
    made = int(count[1])
    settings = start = None
    earlier: list[Move] = []
    if made:
        settings, start = read_pair(lines, setting=True), read_diagram(lines)
        for expected in range(1, made):
            number, move = read_numbered(line := lines.next())
            if number != expected:
                raise WireError(line, f"expected move {expected}")
            earlier.append(move)
    number, move = read_numbered(line := lines.next())
    if number != made:
        raise WireError(line, f"expected move {made}")
    players, board = read_pair(lines, setting=False), read_diagram(lines)
    return Join(game, kind, komi, settings, start, tuple(earlier), number, move, players, board)
