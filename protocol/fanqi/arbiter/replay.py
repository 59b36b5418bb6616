"""Playing a recorded game again: whether its moves are legal when each flip shows what the opened layout has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fanqi.arbiter.check import Check
from fanqi.arbiter.errors import RecordError
from fanqi.game import GameError, load_game, quoted

if TYPE_CHECKING:
    from fanqi.game import Outcome, Position

__all__ = ["PlayedGame", "check_replay", "played_game"]

RULE_ENDS = ("extinct", "no_moves", "all_banned", "no_progress", "repetition")


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """What a record says of its game.

    Attributes:
        moves: in canonical notation, flips with what they showed.
        start: the position it began from, or ``startpos``.
        rules: rule parameters, empty for the usual ones.
        final: the position it ended in, None if the record does not say.
        result: winner (``p1``, ``p2``, None for a draw) and reason, None if the record does not say.
    """

    moves: tuple[str, ...]
    start: str = "startpos"
    rules: str = ""
    final: str | None = None
    result: tuple[str | None, str] | None = None


def played_game(record: Mapping[str, Any], moves: Iterable[str], start: str) -> PlayedGame:
    """The game of a record.

    Raises:
        RecordError: a field is not what it should be.
    """
    final, result = record.get("final"), record.get("result")
    if not isinstance(final, str | None):
        raise RecordError(str(final)[:60], "final is a position")
    told = None
    if result is not None:
        if not isinstance(result, Mapping) or result.get("winner") not in ("p1", "p2", None):
            raise RecordError(str(result)[:60], "a result has a winner, p1 or p2 or null, and a reason")
        told = (result.get("winner"), str(result.get("reason", "")))
    return PlayedGame(tuple(moves), start, str(record.get("rules") or ""), final, told)


def check_replay(game: PlayedGame, layout: str) -> Iterable[Check]:
    """Whether the moves are legal when each flip shows what the layout has, and the end is the one recorded.

    Args:
        game: as recorded.
        layout: as opened, 32 letters from a1, b1, … to d8.
    """
    legal = f"all {len(game.moves)} moves are legal"
    try:
        start = position = first_position(game)
    except GameError as error:
        yield Check(legal, False, str(error))
        return
    try:
        for move in game.moves:
            position = position.play(answered(position, move, layout))
    except GameError as error:
        yield Check(legal, False, f"move {position.ply - start.ply + 1}: {error}")
        return
    yield Check(legal, True)
    if game.final is not None:
        claim = "they lead to the position recorded"
        holds = position.fen() == game.final
        yield Check(claim, holds, "" if holds else f"they lead to {position.fen()}, recorded is {quoted(game.final)}")
    if game.result is not None:
        problem = wrong_result(position.outcome(), *game.result)
        yield Check("the result is what the rules say", not problem, problem)


def first_position(game: PlayedGame) -> Position:
    banqi = load_game("banqi")
    return banqi.start(game.rules) if game.start == "startpos" else banqi.parse(game.start, game.rules)


def answered(position: Position, move: str, layout: str) -> str:
    """The move as it has to be played: a flip shows what the layout has, whatever the record says."""
    bare = move[:2] if move[2:3] == "=" else move
    canonical = position.canonical(bare)
    if not position.needs_reveal(canonical):
        return canonical
    file, rank = "abcd".index(canonical[0]), int(canonical[1]) - 1
    return f"{canonical}={layout[4 * rank + file]}"


def wrong_result(outcome: Outcome | None, winner: str | None, reason: str) -> str:
    """What is wrong with a recorded result, or nothing. Ends that the rules do not know are believed."""
    if outcome is None:
        return f"recorded is an end by {reason}, but the game goes on" if reason in RULE_ENDS else ""
    truth = (None if outcome.winner is None else outcome.winner.name.lower(), outcome.reason)
    if truth == (winner, reason):
        return ""
    return f"it is {told(*truth)}, recorded is {quoted(told(winner, reason))}"


def told(winner: str | None, reason: str) -> str:
    return f"{'a draw' if winner is None else f'a win of {winner}'} ({reason or 'no reason'})"
