"""Short work for a search slot: what it does, and the lines it answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import DepthError
from fanqi.uci.errors import ProtocolError
from fanqi.uci.tasks import Work
from fanqi.uci.texts import evaluation_lines, perft_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fanqi.uci.workspace import Workspace

__all__ = ["count_leaves", "empty_memory", "evaluate", "take_memory"]


def empty_memory(workspace: Workspace) -> Work:
    """Let the engine forget; off the session's thread, since a large table takes its time."""
    mind = workspace.mind

    def job(work: Work) -> Iterable[str]:
        mind.forget()
        return ()

    return Work("ucinewgame", job, blocks_ready=True)


def take_memory(workspace: Workspace) -> Work:
    """Take the memory that searches need."""
    mind, game, settings = workspace.mind, workspace.board.game, workspace.settings

    def job(work: Work) -> Iterable[str]:
        mind.reserve(game, settings)
        shortage = mind.take_shortage()
        if shortage is not None:
            raise ProtocolError(shortage, 1, "isready")
        return ()

    return Work("isready", job, blocks_ready=True)


def count_leaves(workspace: Workspace, depth: int, deepest: int | None) -> Work:
    """``go perft``.

    Raises:
        ProtocolError: deeper than is allowed. Deeper than the game can count is told by the work itself.
    """
    if deepest is not None and depth > deepest:
        raise ProtocolError(f"perft is limited to depth {deepest} here", 3, str(depth))
    board, notation = workspace.board, workspace.notation

    def job(work: Work) -> Iterable[str]:
        try:
            return tuple(perft_lines(board, depth, work, notation))
        except DepthError as error:
            raise ProtocolError(error.reason, 3, error.text) from None

    return Work("go", job)


def evaluate(workspace: Workspace) -> Work:
    """``eval``.

    Raises:
        ProtocolError: the game is over.
    """
    mind, board, settings = workspace.mind, workspace.board, workspace.settings
    if board.position.outcome() is not None:
        raise ProtocolError("the game is over", 1, "eval")
    return Work("eval", lambda work: evaluation_lines(*mind.engine(board.game, settings).evaluate(board.position)))
