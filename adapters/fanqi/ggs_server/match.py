"""A match: two players, one game or the two of a synchro pair, and those who watch.

In a synchro pair both games go in lockstep: whoever moves sees his move at once, everybody else sees both moves of a
ply when both are made, and only then the clocks of the next ply start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanqi.ggs_server.archive import ggf_lines
from fanqi.ggs_wire import GameId, Join, JoinGgf, Move, PlayerLine, Update, UpdateGgf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from fanqi.ggs_server.game import Game
    from fanqi.ggs_wire import ClockSetting, FromService, GameType

__all__ = ["Held", "Match", "Said", "join_of", "update_of"]

NO_MOVE = Move("PASS")


@dataclass(frozen=True, slots=True)
class Said:
    """A message, and what those with ``client +`` get instead."""

    plain: FromService
    client: FromService | None = None

    def to(self, client: bool) -> FromService:
        return self.client if client and self.client is not None else self.plain


@dataclass(slots=True)
class Held:
    """What one game of a synchro pair holds back until the other has caught up.

    Attributes:
        moved: this ply's move is made, or the game is over.
        mover: who made it, and has seen it.
        said: what the others have not.
        players: the clock lines before it.
    """

    moved: bool = False
    mover: str = ""
    said: list[Said] = field(default_factory=list)
    players: tuple[PlayerLine, PlayerLine] | None = None

    @property
    def ahead(self) -> bool:
        """Whether there is a move that not everybody may see."""
        return self.moved and bool(self.said)


@dataclass(eq=False, slots=True)
class Match:
    """A match in progress.

    Attributes:
        number: the small id that clients use, free again afterwards.
        counter: the id under which it is stored and archived.
        names: first who asked.
        aborting: names of those who have asked to abort since the last move.
    """

    number: int
    counter: int
    type: GameType
    names: tuple[str, str]
    clocks: tuple[ClockSetting, ClockSetting]
    rated: bool
    games: list[Game]
    watchers: set[str] = field(default_factory=set)
    held: list[Held] = field(default_factory=list)
    aborting: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.held = [Held(moved=game.finished) for game in self.games]

    @property
    def id(self) -> GameId:
        return GameId(self.number)

    @property
    def archive_id(self) -> str:
        return f".{self.counter}"

    @property
    def flag(self) -> str:
        return "R" if self.rated else "U"

    @property
    def finished(self) -> bool:
        return all(game.finished for game in self.games)

    @property
    def selfplay(self) -> bool:
        return self.names[0] == self.names[1]

    def game_id(self, index: int) -> GameId:
        return GameId(self.number, index if self.type.synchro else None)

    def seats(self, name: str, index: int = 0) -> list[int]:
        """The seats of a player: both when he plays himself, the one whose turn it is first."""
        game = self.games[index]
        seats = [seat for seat in (0, 1) if self.names[seat] == name]
        return sorted(seats, key=lambda seat: seat != game.turn)

    def result(self) -> float:
        """From the view of the first name; of a synchro pair the mean."""
        return sum(game.result() for game in self.games) / len(self.games)

    def ahead(self) -> int | None:
        """The game of a synchro pair that has a move which the other lacks."""
        if not self.type.synchro or all(held.moved for held in self.held):
            return None
        return next((index for index, held in enumerate(self.held) if held.ahead), None)


def player_lines(
    match: Match, index: int, ratings: Sequence[float], now: float, setting: bool = False
) -> tuple[PlayerLine, PlayerLine]:
    """Both players of a game, Black first."""
    game = match.games[index]
    lines = []
    for seat in (game.seat_of("*"), game.seat_of("O")):
        clock = game.seats[seat].clock
        colour = game.seats[seat].colour or "?"
        shown = clock.setting if setting else clock.state(now)
        lines.append(PlayerLine(match.names[seat], ratings[seat], colour, shown))
    return lines[0], lines[1]


def update_of(match: Match, index: int, ratings: Sequence[float], now: float) -> Said:
    """The position after the last move."""
    game, where = match.games[index], match.game_id(index)
    move = game.moves[-1]
    players = player_lines(match, index, ratings, now)
    update = Update(where, match.type, game.komi, len(game.moves), move, players, game.board.diagram())
    return Said(update, UpdateGgf(where, move))


def join_of(
    match: Match, index: int, ratings: Sequence[float], now: float, date: datetime, hide_last: bool = False
) -> Said:
    """The whole game; ``hide_last`` leaves out a move that is held back."""
    game, where = match.games[index], match.game_id(index)
    moves = game.moves[:-1] if hide_last else game.moves
    board = game.boards[len(moves)]
    players = player_lines(match, index, ratings, now)
    if hide_last and (before := match.held[index].players) is not None:
        players = before
    plain = Join(
        where,
        match.type,
        game.komi,
        player_lines(match, index, ratings, now, setting=True) if moves else None,
        game.start.diagram() if moves else None,
        tuple(moves[:-1]),
        len(moves),
        moves[-1] if moves else NO_MOVE,
        players,
        board.diagram(),
    )
    lines = ggf_lines(game, match.names, ratings, date, len(moves))
    return Said(plain, JoinGgf(where, tuple(lines)))
