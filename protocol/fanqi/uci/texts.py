"""The answers that are several lines: ``help``, ``d``, ``eval`` and ``go perft``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fanqi.game import Position
    from fanqi.search import EvaluationTerm
    from fanqi.uci.board import Board
    from fanqi.uci.notation import Notation
    from fanqi.uci.tasks import Work

__all__ = ["board_lines", "evaluation_lines", "help_lines", "perft_lines"]

HELP = (
    ("uci, ugi", "who is this, which options are there"),
    ("isready", "load the game and everything it needs, then readyok"),
    ("ucinewgame, uginewgame", "forget what was learned, set up the start position"),
    ("setoption name N [value V]", "set an option, such as: setoption name UCI_Variant value banqi"),
    ("debug on|off", "say more"),
    ("position startpos|fen P [moves M ...]", "such as: position startpos moves f5 d6"),
    ("go [depth N] [nodes N] [movetime MS] ...", "search; also p1time p2time p1inc p2inc movestogo infinite ponder"),
    ("   ... [searchmoves M ...] [solve [wld]]", "only these moves; solve Othello to the end"),
    ("   ... [selectivity P]", "Othello: percent of certainty of forward pruning"),
    ("go perft N", "count leaves, split by first move"),
    ("stop, ponderhit", "end the search now; the expected reply was played"),
    ("d, eval", "picture of the position; its static evaluation"),
    ("query Q", "gameover, result, reason, p1turn, legal, score, fen; Othello: flips f5, discs;"),
    ("", "banqi: covered, captured, banned, stake p1"),
    ("draw", "offer a draw to the engine"),
    ("arbiter new [seed N]|draw I J|flip SQ|finish|open", "deal banqi fairly"),
    ("help, quit", "this; end"),
)


def help_lines() -> Iterable[str]:
    """All commands with a word on each."""
    width = max(len(form) for form, _ in HELP)
    yield from (f"{form:{width}}  {what}" for form, what in HELP)
    yield "The whole protocol, with every option and error, is in docs/protocol.md."


def board_lines(position: Position, notation: Notation) -> Iterable[str]:
    """The picture, and as the last line the position as ``position fen`` takes it."""
    yield from notation.picture(position)
    yield f"fen {notation.write_position(position)}"


def evaluation_lines(total_cp: int, terms: Sequence[EvaluationTerm]) -> Iterable[str]:
    """A table of the terms: name, the mover's figure, the opponent's, what it adds in cp; the total last."""
    rows = [("term", "own", "opponent", "cp")]
    rows += [(term.name, cell(term.own), cell(term.opponent), cell(term.cp)) for term in terms]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *figures in rows:
        columns = (f"{figure:>{width}}" for figure, width in zip(figures, widths[1:], strict=True))
        yield "  ".join((f"{name:{widths[0]}}", *columns)).rstrip()
    yield f"total {total_cp} cp"


def perft_lines(board: Board, depth: int, task: Work, notation: Notation) -> Iterable[str]:
    """Leaves by first move and in all, as UCI hosts expect them; counting ends when ``task`` is stopped."""
    counts = board.game.perft_divide(board.position.fen(), depth, board.rules, lambda: task.stopped)
    yield from (f"{notation.write_move(board.position, move)}: {nodes}" for move, nodes in counts)
    if task.stopped:
        yield "info string perft stopped"
    else:
        yield ""
        yield f"Nodes searched: {sum(nodes for _, nodes in counts)}"


def cell(value: float | str | None) -> str:
    """A figure as short as it can be said."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.10g}" if isinstance(value, int) else f"{value:.2f}"
