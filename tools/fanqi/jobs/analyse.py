"""Kinds ``analyse`` and ``game``: one position, or each position of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.analysis.verdict import judge
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
    judged by what could be expected of it, not by the piece that came up. `fanqi.analysis.verdict` judges.

    Raises:
        JobError: the position or a move cannot be.
    """
    position = context.start_of(work.position)
    moves = work.position.moves
    reviewed: list[ReviewedMove] = []
    for ply, move in enumerate(moves):
        context.step(ply, len(moves))
        following = play(position, move, ply + 1)
        reviewed.append(review_move(work, context, position, move, ply))
        position = following
    context.step(len(moves), len(moves))
    return GameResult(moves=tuple(reviewed))


def review_move(work: Game, context: Context, position: Position, played: str, ply: int) -> ReviewedMove:
    def search(position: Position, moves: tuple[str, ...] | None, deeper: int) -> SearchResult:
        return context.search(position, work.position.game, work.limits, moves=moves, deeper=deeper)

    verdict = judge(position, played, search)
    return ReviewedMove(
        ply=ply,
        move=verdict.move,
        best=verdict.best,
        best_cp=verdict.best_cp,
        move_cp=verdict.move_cp,
        loss_cp=verdict.loss_cp,
        line=None if verdict.best_info is None else line_of(verdict.best_info),
    )


def play(position: Position, move: str, number: int) -> Position:
    try:
        return position.play(move)
    except MoveError as error:
        raise JobError(f"move {number}, {error}") from None
