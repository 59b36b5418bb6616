"""Kinds ``analyse`` and ``game``: one position, or each position of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import MoveError, Position
from fanqi.jobs.context import Context, JobError, line_of
from fanqi.mqtt.work import Analyse, AnalyseResult, Game, GameResult, ReviewedMove

if TYPE_CHECKING:
    from fanqi.search import SearchResult

__all__ = ["analyse", "review_game"]


def analyse(work: Analyse, context: Context) -> AnalyseResult:
    """Search one position.

    Raises:
        JobError: the position or a move cannot be.
    """
    position = context.start_of(work.position)
    for index, move in enumerate(work.position.moves, 1):
        position = play(position, move, index)
    result = context.search(position, work.position.game, work.limits, multipv=work.multipv)
    return AnalyseResult(move=result.move, ponder=result.ponder, lines=tuple(map(line_of, result.infos)))


def review_game(work: Game, context: Context) -> GameResult:
    """Search before every move of a game, and again for the move that was played where it is another.

    Both searches have the same limits and nothing in memory, so that their scores can be compared; in banqi a flip is
    judged by what could be expected of it, not by the piece that came up.

    Raises:
        JobError: the position or a move cannot be.
    """
    position = context.start_of(work.position)
    moves = work.position.moves
    reviewed: list[ReviewedMove] = []
    for ply, move in enumerate(moves):
        context.step(ply, len(moves))
        following = play(position, move, ply + 1)
        reviewed.append(review_move(work, context, position, bare(position, move), ply))
        position = following
    context.step(len(moves), len(moves))
    return GameResult(moves=tuple(reviewed))


def review_move(work: Game, context: Context, position: Position, played: str, ply: int) -> ReviewedMove:
    best = context.search(position, work.position.game, work.limits)
    again = best
    if best.move != played:
        again = context.search(position, work.position.game, work.limits, moves=(played,))
    best_cp, move_cp = score_of(best), score_of(again)
    loss = None if best_cp is None or move_cp is None else max(0, best_cp - move_cp)
    return ReviewedMove(
        ply=ply,
        move=played,
        best=best.move,
        best_cp=best_cp,
        move_cp=move_cp,
        loss_cp=loss,
        line=line_of(best.infos[0]) if best.infos else None,
    )


def score_of(result: SearchResult) -> int | None:
    return result.infos[0].score_cp if result.infos else None


def bare(position: Position, move: str) -> str:
    """A move in canonical notation, a flip without its outcome."""
    return position.canonical(move).partition("=")[0]


def play(position: Position, move: str, number: int) -> Position:
    try:
        return position.play(move)
    except MoveError as error:
        raise JobError(f"move {number}, {error}") from None
