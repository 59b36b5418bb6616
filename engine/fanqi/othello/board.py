"""Othello positions for people, referees and sessions: immutable, checked, in the protocol's notation."""

from __future__ import annotations

import numpy as np

from fanqi.game import GameError, MoveError, Outcome, Player, PositionError, QuestionError
from fanqi.othello.moves import flips_of, legal_moves_of
from fanqi.othello.notation import (
    MOVE_NAMES,
    PASS,
    PASS_TEXT,
    format_board,
    format_move,
    format_squares,
    parse_board,
    parse_move,
)
from fanqi.othello.scoring import DEFAULT_SCORING, final_margin

__all__ = ["START_BLACK", "START_WHITE", "Position"]

QUESTIONS = ("flips", "discs")
START_BLACK = 1 << 28 | 1 << 35  # e4, d5
START_WHITE = 1 << 27 | 1 << 36  # d4, e5


class Position:
    """One state of an Othello game, as `fanqi.game.Position` says. Equal when discs and side to move are.

    Args:
        black, white: bitboards (a1 is bit 0, h8 bit 63).
        turn: P1 is Black.
        ply: plies since the game was set up, passes included.

    Raises:
        PositionError: a square holds two discs, or a bitboard has more than 64 bits. Positions that merely
            cannot be reached by play are accepted.
    """

    __slots__ = ("_black", "_moves", "_ply", "_turn", "_white")

    def __init__(
        self, black: int = START_BLACK, white: int = START_WHITE, turn: Player = Player.P1, ply: int = 0
    ) -> None:
        for name, bits in (("black", black), ("white", white)):
            if not 0 <= bits < 1 << 64:
                raise PositionError(hex(bits), f"the bitboard of {name} does not fit in 64 bits")
        if black & white:
            raise PositionError(" ".join(format_squares(black & white)), "black and white on the same square")
        self._black, self._white, self._turn, self._ply = black, white, Player(turn), ply
        self._moves: int | None = None

    @property
    def black(self) -> int:
        """Bitboard of Black's discs."""
        return self._black

    @property
    def white(self) -> int:
        """Bitboard of White's discs."""
        return self._white

    @property
    def own(self) -> int:
        """Bitboard of the discs of the side to move."""
        return self._black if self._turn is Player.P1 else self._white

    @property
    def opponent(self) -> int:
        """Bitboard of the discs of the side not to move."""
        return self._white if self._turn is Player.P1 else self._black

    @property
    def empties(self) -> int:
        """Number of empty squares."""
        return 64 - (self._black | self._white).bit_count()

    @property
    def turn(self) -> Player:
        return self._turn

    @property
    def ply(self) -> int:
        return self._ply

    def moves(self) -> int:
        """Bitboard of the squares the side to move can play; 0 for a pass or the end."""
        if self._moves is None:
            self._moves = int(legal_moves_of(np.uint64(self.own), np.uint64(self.opponent)))
        return self._moves

    def legal_moves(self) -> tuple[str, ...]:
        if moves := self.moves():
            return format_squares(moves)
        return (PASS_TEXT,) if self.passed().moves() else ()

    def play(self, move: str) -> Position:
        """The position after ``move``.

        Where the side to move has to pass, a move of the opponent is taken as that pass followed by the move,
        as game records write it; `ply` then grows by two. `expand` gives the pass explicitly.

        Raises:
            MoveError: not a move, or not legal here.
        """
        position = self
        for number in self._plies(move):
            position = position._after(number)
        return position

    def canonical(self, move: str) -> str:
        """``move`` in canonical notation, checked for legality.

        A move that leaves out the mover's forced pass is legal here as it is for `play`, and comes back as
        the bare square, which is then *not* one of `legal_moves`. Whoever keeps a list with every ply in it
        uses `expand`.

        Raises:
            MoveError: not a move, or not legal here.
        """
        return format_move(self._plies(move)[-1])

    def expand(self, move: str) -> tuple[str, ...]:
        """``move`` as explicit plies: one, or ``("pass", square)`` where the forced pass was left out.

        Raises:
            MoveError: not a move, or not legal here.
        """
        return tuple(format_move(number) for number in self._plies(move))

    def needs_reveal(self, move: str) -> bool:
        return False

    def outcome(self, scoring: str = "") -> Outcome | None:
        """The result if neither side can move, its margin by a convention of `fanqi.othello.scoring`.

        Raises:
            RulesError: no such convention.
        """
        if self.moves() or self.passed().moves():
            return None
        return self.count_result(scoring or DEFAULT_SCORING)

    def count_result(self, scoring: str = DEFAULT_SCORING) -> Outcome:
        """The result if the game ended here, counted by a convention of `fanqi.othello.scoring`.

        Raises:
            RulesError: no such convention.
        """
        black, white = self._black.bit_count(), self._white.bit_count()
        winner = None if black == white else Player.P1 if black > white else Player.P2
        return Outcome(winner, "discs", final_margin(black, white, scoring))

    def fen(self) -> str:
        return format_board(self._black, self._white, self._turn)

    @classmethod
    def from_fen(cls, fen: str) -> Position:
        """A position from the text `fen` gives, or any other that `fanqi.othello.notation.parse_board` reads.

        Raises:
            PositionError: it cannot be read.
        """
        return cls(*parse_board(fen))

    def picture(self) -> str:
        legal = self.moves()
        lines = ["  a b c d e f g h"]
        for row in range(8):
            squares = range(8 * row, 8 * row + 8)
            lines.append(f"{row + 1} {' '.join(self._cell(square, legal) for square in squares)} {row + 1}")
        lines.append("  a b c d e f g h")
        names = self.legal_moves()
        side = "Black (X)" if self._turn is Player.P1 else "White (O)"
        lines.append(f"{side} to move: {' '.join(names)}" if names else f"game over ({side} would be to move)")
        lines.append(f"discs X {self._black.bit_count()} O {self._white.bit_count()}, empty {self.empties}")
        return "\n".join(lines)

    def facts(self, what: str, arguments: tuple[str, ...] = ()) -> str:
        """``flips SQUARE``: the discs that move turns, sorted; ``discs``: Black's and White's number of
        discs.

        Raises:
            MoveError: ``flips`` with something that is not a legal square.
            QuestionError: any other question.
            GameError: a wrong number of arguments; the text is the first that is too many, "" where one is missing.
        """
        match what, arguments:
            case "flips", (text,):
                number = parse_move(text)
                if number == PASS:
                    raise MoveError(text, "a pass turns no discs; expected a square")
                if not self.moves() >> number & 1:
                    raise MoveError(text, f"not legal here; legal: {' '.join(self.legal_moves()) or 'none'}")
                return " ".join(format_squares(self._turned(number)))
            case "discs", ():
                return f"{self._black.bit_count()} {self._white.bit_count()}"
            case "flips", ():
                raise GameError("", "flips takes one square")
            case "flips", (_, second, *_):
                raise GameError(second, "flips takes one square")
            case "discs", (first, *_):
                raise GameError(first, "discs takes nothing")
            case _:
                raise QuestionError(what, QUESTIONS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (self._black, self._white, self._turn) == (other._black, other._white, other._turn)

    def __hash__(self) -> int:
        return hash((self._black, self._white, self._turn))

    def __repr__(self) -> str:
        return f"Position.from_fen({self.fen()!r})"

    def _cell(self, square: int, legal: int) -> str:
        if self._black >> square & 1:
            return "X"
        if self._white >> square & 1:
            return "O"
        return "+" if legal >> square & 1 else "-"

    def _turned(self, square: int) -> int:
        return int(flips_of(np.uint64(self.own), np.uint64(self.opponent), square))

    def passed(self) -> Position:
        """The position with the other side to move, one ply later, whether a pass is legal or not."""
        return Position(self._black, self._white, self._turn.other, self._ply + 1)

    def _after(self, number: int) -> Position:
        """The position after a move known to be legal."""
        if number == PASS:
            return self.passed()
        return Position(*self._discs_after(number), self._turn.other, self._ply + 1)

    def _discs_after(self, square: int) -> tuple[int, int]:
        """Black's and White's discs after a legal move."""
        turned = self._turned(square)
        own, opponent = self.own | turned | 1 << square, self.opponent & ~turned
        return (own, opponent) if self._turn is Player.P1 else (opponent, own)

    def _plies(self, move: str) -> tuple[int, ...]:
        """``move`` as numbers of explicit plies, checked."""
        number = parse_move(move)
        moves = self.moves()
        if number != PASS and moves >> number & 1:
            return (number,)
        if moves == 0:
            reply = self.passed().moves()
            if reply and number == PASS:
                return (PASS,)
            if number != PASS and reply >> number & 1:
                return (PASS, number)
            if not reply:
                raise MoveError(move, "the game is over")
        if number == PASS:
            raise MoveError(move, f"a pass is legal only when no square is; legal: {' '.join(self.legal_moves())}")
        raise MoveError(move, f"{self._why_not(number)}; legal: {' '.join(self.legal_moves())}")

    def _why_not(self, square: int) -> str:
        if (self._black | self._white) >> square & 1:
            return f"{MOVE_NAMES[square]} is taken"
        return f"{MOVE_NAMES[square]} turns no disc"
