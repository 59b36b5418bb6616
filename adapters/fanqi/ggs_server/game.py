"""One board: moves, clocks, komi bids, offers, flags, result. A match has one of these, or two when it is synchro.

Players are seats 0 and 1; seat 0 is the one who asked for the match. Seats learn their colours at the start, or from
the komi bids.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanqi.ggs_server.clock import GameClock
from fanqi.ggs_server.errors import RuleError
from fanqi.ggs_server.rules import BLACK, WHITE, Board, other

if TYPE_CHECKING:
    import random

    from fanqi.ggs_wire import ClockSetting, GameType, Move

__all__ = ["Game", "Seat"]


@dataclass(slots=True)
class Seat:
    """A player of a game.

    Attributes:
        colour: ``*``, ``O``, or empty before a komi is settled.
        bid: the first move with its evaluation, in a komi game.
        flagged: 1 if this side's soft flag fell first, 2 if second, 0 if not at all.
    """

    clock: GameClock
    colour: str = ""
    bid: Move | None = None
    undo: bool = False
    offer: float | None = None
    flagged: int = 0
    lost_on_time: bool = False
    resigned: bool = False


@dataclass(slots=True)
class Game:
    """A game in progress or over.

    Attributes:
        start: the first board.
        moves: with their times as charged.
        komi: from Black's view; None while it is open, or where there is none.
    """

    type: GameType
    start: Board
    seats: tuple[Seat, Seat]
    draw: random.Random
    moves: list[Move] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    komi: float | None = None

    @classmethod
    def new(
        cls, kind: GameType, start: Board, clocks: tuple[ClockSetting, ClockSetting], colour: str, draw: random.Random
    ) -> Game:
        """A game before its first move; ``colour`` is that of seat 0, empty in a komi game."""
        seats = Seat(GameClock(clocks[0]), colour), Seat(GameClock(clocks[1]), other(colour) if colour else "")
        return cls(kind, start, seats, draw, boards=[start])

    @property
    def board(self) -> Board:
        return self.boards[-1]

    @property
    def bidding(self) -> bool:
        """Whether the first moves of a komi game are still to come."""
        return self.type.komi and self.komi is None

    def seat_of(self, colour: str) -> int:
        """The seat that plays a colour; seat 0 for Black while colours are open."""
        if not self.seats[0].colour:
            return 0 if colour == BLACK else 1
        return 0 if self.seats[0].colour == colour else 1

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.seat_of(self.board.turn)

    def start_clocks(self, now: float) -> None:
        """Let the clock run of whoever is to move: both while bidding."""
        if self.bidding:
            for seat in self.seats:
                if seat.bid is None:
                    seat.clock.start(now)
        elif not self.finished:
            self.seats[self.turn].clock.start(now)

    def check(self, number: int, move: Move) -> None:
        """Whether a seat may play a move now.

        Raises:
            RuleError: not its turn, no legal move, a second bid, a bid without evaluation.
        """
        self.board.play(move.square)
        if self.bidding:
            if self.seats[number].bid is not None:
                raise RuleError("you already sent the first move")
        elif self.turn != number:
            raise RuleError("not your turn")

    def play(self, number: int, move: Move) -> bool:
        """Make a move that was checked; its time is charged.

        Returns:
            Whether the board changed: not after the first of two bids.
        """
        seat = self.seats[number]
        for each in self.seats:
            each.undo, each.offer = False, None
        seat.clock.stop(move.seconds)
        if not self.bidding:
            self._make(move)
            return True
        seat.bid = move
        if self.seats[1 - number].bid is None:
            return False
        self._settle_komi()
        first = self.seats[self.turn].bid
        assert first is not None  # both have bid
        self._make(first)
        return True

    def _make(self, move: Move) -> None:
        self.moves.append(move)
        self.boards.append(self.board.play(move.square))

    def _settle_komi(self) -> None:
        """The mean of the bids, for who bid more: that side gets the move, equal bids draw for it."""
        bids = [seat.bid.evaluation if seat.bid else 0.0 for seat in self.seats]
        komi = round_half_cent(sum(bids) / 2)
        mover = self.board.turn
        if bids[0] == bids[1]:
            first = self.draw.random() < 0.5
        else:
            first = bids[0] > bids[1]
        if not self.seats[0].colour:  # else: replayed, and drawn before
            self.seats[0].colour = mover if first else other(mover)
            self.seats[1].colour = other(self.seats[0].colour)
        self.komi = komi if mover == BLACK else -komi

    def look_at_flags(self, number: int) -> list[bool]:
        """Take note of a seat's flags after a move or an event.

        Returns:
            What has just happened: False for a soft flag, True for a hard one.
        """
        seat, news = self.seats[number], []
        if seat.clock.soft and not seat.flagged:
            seat.flagged = 2 if self.seats[1 - number].flagged else 1
            news.append(False)
        if seat.clock.hard and not seat.lost_on_time:
            seat.lost_on_time = True
            news.append(True)
        return news

    def take_back(self) -> None:
        """Undo the last move: the game is replayed with the times that were charged."""
        moves = self.moves[:-1]
        colours = [seat.colour for seat in self.seats]
        bids = [seat.bid for seat in self.seats]
        self.moves, self.boards, self.komi = [], [self.start], None
        for seat in self.seats:
            seat.clock.reset()
            seat.undo, seat.offer, seat.flagged = False, None, 0
            seat.bid = None
        self.replay(moves, (bids[0], bids[1]), (colours[0], colours[1]))

    def replay(self, moves: list[Move], bids: tuple[Move | None, Move | None], colours: tuple[str, str]) -> None:
        """Play moves again, as after an undo or from the archive; clocks stand still afterwards."""
        for seat, colour in zip(self.seats, colours, strict=True):
            seat.colour = colour
        for number, bid in enumerate(bids):
            if bid is not None:
                self.seats[number].clock.start(0.0)
                self.play(number, bid)
                self.look_at_flags(number)
        for move in moves[1:] if self.type.komi else moves:
            number = self.turn
            self.seats[number].clock.start(0.0)
            self.play(number, move)
            self.look_at_flags(number)

    @property
    def agreed(self) -> float | None:
        """The score agreed on, from the view of seat 0: the mean of two offers that leave nothing to argue."""
        first, second = self.seats[0].offer, self.seats[1].offer
        if first is None or second is None or first > -second:
            return None
        return (first - second) / 2

    @property
    def ended(self) -> str:
        """Why the game is over: ``resigned``, ``time``, ``agreed``, ``flag`` (over the board, after a soft flag),
        ``board``; empty while it goes on."""
        if any(seat.lost_on_time for seat in self.seats):
            return "time"
        if any(seat.resigned for seat in self.seats):
            return "resigned"
        if self.agreed is not None:
            return "agreed"
        if self.board.finished and not self.bidding:
            return "flag" if any(seat.flagged for seat in self.seats) else "board"
        return ""

    @property
    def finished(self) -> bool:
        return bool(self.ended)

    def black_result(self) -> float:
        """The result from Black's view: discs, empties to the winner, less the komi; the sign is turned in an anti
        game. Who resigns or runs out of time loses all; who was flagged first loses at least narrowly."""
        komi = self.komi or 0.0
        black = self.seats[self.seat_of(BLACK)]
        white = self.seats[self.seat_of(WHITE)]
        match self.ended:
            case "time":
                result = (-1 if black.lost_on_time else 1) * self.board.squares - komi
            case "resigned":
                result = (-1 if black.resigned else 1) * self.board.squares - komi
            case "agreed":
                agreed = self.agreed or 0.0
                result = (agreed if self.seats[0] is black else -agreed) - komi
            case _:
                margin = self.board.margin()
                result = (-margin if self.type.anti else margin) - komi
                if black.flagged == 1:
                    result = min(result, (math.ceil(komi / 2) - 1) * 2 - komi)
                elif white.flagged == 1:
                    result = max(result, (math.floor(komi / 2) + 1) * 2 - komi)
        return round_half_cent(result)

    def result(self) -> float:
        """The result from the view of seat 0."""
        result = self.black_result()
        return result if self.seats[0].colour != WHITE else 0.0 - result


def round_half_cent(value: float) -> float:
    """To multiples of 0.005, halves away from zero; zero is never negative, since it would be printed as -0."""
    return math.copysign(math.floor(abs(value) * 200 + 0.5) / 200, value) + 0.0
