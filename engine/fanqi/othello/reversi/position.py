"""Positions of old Reversi: with discs in hand and a centre to fill (1890), or drawn when nobody can move (1886)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import GameError, Outcome, Player, PositionError, quoted
from fanqi.othello.board import Position
from fanqi.othello.notation import PASS, format_squares, parse_board

if TYPE_CHECKING:
    from fanqi.othello.reversi.rules import Rules

__all__ = ["CENTRE", "DISCS_EACH", "ReversiPosition"]

CENTRE = 1 << 27 | 1 << 28 | 1 << 35 | 1 << 36
DISCS_EACH = 32
UNLIMITED = 64
"""Discs in hand where the rules set no limit; more than can ever be placed."""
PARALLEL = 1 << 35 | 1 << 36, 1 << 27 | 1 << 28
"""Black's and White's discs of the parallel start: Black's on d5 and e5. All parallel starts are images of this one."""


class ReversiPosition(Position):
    """One state of a game under `Rules` other than Othello's.

    As 64 discs are all there are, White's hand follows from Black's: the empty squares less Black's. While fewer than
    four discs lie on the board, all of them in the centre, the players place the others there (1890).

    Args:
        rules: of 1886 or of 1890.
        black, white, turn, ply: as in `fanqi.othello.Position`.
        hand: discs Black still has in hand (1890); None for as many as Black has if nobody passed.

    Raises:
        PositionError: as in `Position`, or a hand that cannot be.
    """

    __slots__ = ("_hand", "rules")

    def __init__(
        self, rules: Rules, black: int, white: int, turn: Player = Player.P1, ply: int = 0, hand: int | None = None
    ) -> None:
        super().__init__(black, white, turn, ply)
        self.rules = rules
        empties = self.empties
        if hand is None:
            hand = (empties + (turn is Player.P1)) // 2
        if self.limited:
            lowest, highest = max(0, empties - DISCS_EACH), min(empties, DISCS_EACH)
            if not lowest <= hand <= highest:
                raise PositionError(str(hand), f"Black's discs in hand: expected {lowest} to {highest}")
        self._hand = hand

    @classmethod
    def start(cls, rules: Rules) -> ReversiPosition:
        """Where a game begins: an empty board (1890), or one of the two starts of 1886."""
        if rules.edition == "1890":
            return cls(rules, 0, 0)
        usual = Position()
        return cls(rules, *(PARALLEL if rules.parallel else (usual.black, usual.white)))

    @classmethod
    def read(cls, text: str, rules: Rules) -> ReversiPosition:
        """A position from the text that `fen` gives, or any other that `Position.from_fen` reads; under the rules of
        1890 the number of discs in Black's hand may follow.

        Raises:
            PositionError: it cannot be read, or cannot be.
        """
        *board, last = text.split() or [""]
        if rules.edition != "1890" or len(board) < 2 or not last.isdecimal() or board[-1] not in ("X", "O"):
            return cls(rules, *parse_board(text))
        if not last.isascii() or len(last) > 2:
            raise PositionError(text, f"Black's discs in hand are {quoted(last)}; expected 0 to {DISCS_EACH}")
        return cls(rules, *parse_board(" ".join(board)), hand=int(last))

    @property
    def limited(self) -> bool:
        """Whether the discs in hand can run out."""
        return self.rules.edition == "1890"

    @property
    def placing(self) -> bool:
        """Whether the next disc goes to the centre without turning any."""
        discs = self._black | self._white
        return self.limited and discs.bit_count() < CENTRE.bit_count() and not discs & ~CENTRE

    def differs_within(self, plies: int) -> bool:
        """Whether play of so many discs may go or end otherwise than in Othello: a hand runs out (1890), or a game that
        ends early is drawn (1886)."""
        return not self.limited or min(self._hand, self.empties - self._hand) <= plies

    def in_hand(self, player: Player) -> int:
        """Discs a player can still place; `UNLIMITED` where the rules set no limit."""
        if not self.limited:
            return UNLIMITED
        return self._hand if player is Player.P1 else self.empties - self._hand

    @property
    def hands(self) -> tuple[int, int]:
        """Discs that the side to move and the other one can still place."""
        return self.in_hand(self._turn), self.in_hand(self._turn.other)

    def moves(self) -> int:
        if self._moves is None and self.placing:
            self._moves = CENTRE & ~(self._black | self._white)
        elif self._moves is None and not self.in_hand(self._turn):
            self._moves = 0
        return super().moves()

    def outcome(self, scoring: str = "") -> Outcome | None:
        found = super().outcome(scoring)
        if found is not None and self.rules.edition == "1886" and self.empties:
            return Outcome(None, "no_moves", 0.0)
        return found

    def fen(self) -> str:
        return f"{super().fen()} {self._hand}" if self.limited else super().fen()

    def picture(self) -> str:
        if not self.limited:
            return super().picture()
        black, white = (self.in_hand(player) for player in Player)
        return f"{super().picture()}\nin hand X {black} O {white}"

    def facts(self, what: str, arguments: tuple[str, ...] = ()) -> str:
        """As in `Position`; with discs in hand also ``hand``: Black's and White's."""
        if what != "hand" or not self.limited:
            return super().facts(what, arguments)
        if arguments:
            raise GameError(arguments[0], "hand takes nothing")
        return f"{self.in_hand(Player.P1)} {self.in_hand(Player.P2)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReversiPosition):
            return NotImplemented
        mine, theirs = ((found.rules, found.in_hand(Player.P1)) for found in (self, other))
        return super().__eq__(other) is True and mine == theirs

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.rules, self.in_hand(Player.P1)))

    def __repr__(self) -> str:
        return f"ReversiPosition.read({self.fen()!r}, Rules.parse({str(self.rules)!r}))"

    def play(self, move: str) -> ReversiPosition:
        after = super().play(move)
        assert isinstance(after, ReversiPosition)
        return after

    def passed(self) -> ReversiPosition:
        return ReversiPosition(self.rules, self._black, self._white, self._turn.other, self._ply + 1, self._hand)

    def _turned(self, square: int) -> int:
        return 0 if self.placing else super()._turned(square)

    def _after(self, number: int) -> Position:
        if number == PASS:
            return self.passed()
        black, white = self._discs_after(number)
        hand = self._hand - (self.limited and self._turn is Player.P1)
        return ReversiPosition(self.rules, black, white, self._turn.other, self._ply + 1, hand)

    def _why_not(self, square: int) -> str:
        if self.placing and not CENTRE >> square & 1:
            return f"the first four discs go to {' '.join(format_squares(CENTRE))}"
        if not self.in_hand(self._turn):
            return "no disc is left in hand"
        return super()._why_not(square)
