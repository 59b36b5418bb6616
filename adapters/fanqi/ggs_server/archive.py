"""Games as GGF, the way GGS archives them, and the state from which a stored match goes on.

`fanqi.records` reads and writes GGF of 8x8 games; here it is every board, open games, and byte for byte the order of
fields and the number formats that GGS clients know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from fanqi.ggs_server.errors import StoreError
from fanqi.ggs_server.game import Game
from fanqi.ggs_server.rules import BLACK, WHITE, Board
from fanqi.ggs_wire import ClockSetting, GameType, Move, WireError

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from datetime import datetime

__all__ = ["StoredGame", "StoredMatch", "ggf_lines", "restore", "store"]

LETTERS = {"resigned": ":r", "time": ":t", "flag": ":t", "agreed": ":s"}


def rating_text(rating: float) -> str:
    """Six significant digits, no trailing zeros: 2037.8, 1720."""
    return f"{rating:.6g}"


def ggf_lines(
    game: Game, names: Sequence[str], ratings: Sequence[float], date: datetime, moves: int | None = None
) -> list[str]:
    """A game as GGF, broken into lines as a join for ``client +`` wants it; joined, it is the archive's form.

    Args:
        moves: leave out the moves after so many.
    """
    black = game.seat_of(BLACK)
    white = 1 - black
    clocks = str(game.seats[black].clock.setting), str(game.seats[white].clock.setting)
    head = f"(;GM[Othello]PC[GGS/os]DT[{date:%Y.%m.%d_%H:%M:%S}.UTC]"
    lines = [
        head,
        f"PB[{names[black]}]PW[{names[white]}]",
        f"RB[{rating_text(ratings[black])}]RW[{rating_text(ratings[white])}]",
        f"TI[{clocks[0]}]" if clocks[0] == clocks[1] else f"TB[{clocks[0]}]TW[{clocks[1]}]",
    ]
    bids = [
        f"{name}[{game.seats[seat].bid}]"
        for name, seat in (("KB", black), ("KW", white))
        if game.seats[seat].bid is not None
    ]
    komi = "" if game.komi is None else f"KM[{game.komi:z.3f}]"
    result = f"{game.black_result():+z.3f}{LETTERS.get(game.ended, '')}" if game.finished else "?"
    lines.append(f"TY[{game.type}]{''.join(bids)}{komi}RE[{result}]")
    lines.append(f"BO[{game.type.board} {game.start.diagram().ggf()}]")
    played = [
        f"{'B' if board.turn == BLACK else 'W'}[{move}]" for board, move in zip(game.boards, game.moves, strict=False)
    ]
    lines += ["".join(played[at : at + 4]) for at in range(0, len(played), 4)]
    lines.append(";)")
    return lines


class StoredGame(msgspec.Struct, frozen=True):
    """A game that goes on later: everything but the clocks, which follow from the moves."""

    start: str
    moves: list[str]
    colours: tuple[str, str]
    bids: tuple[str | None, str | None]


class StoredMatch(msgspec.Struct, frozen=True):
    """A match that goes on later."""

    type: str
    clocks: tuple[str, str]
    games: list[StoredGame]


def store(kind: GameType, clocks: tuple[ClockSetting, ClockSetting], games: Sequence[Game]) -> bytes:
    """The state of a match as JSON."""
    stored = [
        StoredGame(
            game.start.cells + game.start.turn,
            [full_text(move) for move in game.moves],
            (game.seats[0].colour, game.seats[1].colour),
            (
                None if (bid := game.seats[0].bid) is None else full_text(bid),
                None if (bid := game.seats[1].bid) is None else full_text(bid),
            ),
        )
        for game in games
    ]
    return msgspec.json.encode(StoredMatch(str(kind), (str(clocks[0]), str(clocks[1])), stored))


def full_text(move: Move) -> str:
    """A move with times as exact as they were charged."""
    return f"{move.square}/{move.evaluation!r}/{move.seconds:.6f}"


def restore(data: bytes, draw: random.Random) -> tuple[GameType, tuple[ClockSetting, ClockSetting], list[Game]]:
    """A match from its state; clocks stand still.

    Raises:
        StoreError: the state is damaged.
    """
    try:
        match = msgspec.json.decode(data, type=StoredMatch)
        kind = GameType.parse(match.type)
        clocks = ClockSetting.parse(match.clocks[0]), ClockSetting.parse(match.clocks[1])
        games = []
        for stored in match.games:
            cells, turn = stored.start[:-1], stored.start[-1]
            start = Board(round(len(cells) ** 0.5), cells, turn)
            game = Game.new(kind, start, clocks, stored.colours[0], draw)
            bids = tuple(None if bid is None else Move.parse(bid) for bid in stored.bids)
            game.replay([Move.parse(move) for move in stored.moves], (bids[0], bids[1]), stored.colours)
            games.append(game)
    except (msgspec.DecodeError, WireError, ValueError, IndexError) as error:
        raise StoreError(f"a stored match is damaged: {error}") from error
    if any(seat.colour not in ("", BLACK, WHITE) for game in games for seat in game.seats):
        raise StoreError("a stored match is damaged: unknown colour")
    return kind, clocks, games
