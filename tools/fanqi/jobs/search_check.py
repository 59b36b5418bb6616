"""Whether what a search is said to have found can be true: legal moves, lines that can be played, scores in range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.analysis.verdict import bare, flip_reduction
from fanqi.game import GameError, MoveError, Position, load_game, quoted

if TYPE_CHECKING:
    from fanqi.mqtt.work import Analyse, AnalyseResult, Game, GameResult, Line, PositionSpec, ReviewedMove, SearchLimits

__all__ = ["LARGEST_CP", "WrongResultError", "check_analysis", "check_review"]

LARGEST_CP = {"othello": 6400, "banqi": 10_000}
"""The ends of each engine's scale, in hundredths of a disc and of a pawn."""


class WrongResultError(ValueError):
    """A result that cannot be that of its job; the text says why, in one clause."""


def check_analysis(work: Analyse, result: AnalyseResult) -> None:
    """Check an analysis against the position and the limits asked for.

    Raises:
        WrongResultError: it cannot be right.
    """
    position = start_of(work.position)
    for move in work.position.moves:
        position = position.play(move)
    legal = position.legal_moves()
    if not legal:
        if result.move is not None or result.ponder is not None or result.lines:
            raise WrongResultError("a move or a line after the end of the game")
        return
    if result.move is None:
        raise WrongResultError(f"no move, but {len(legal)} are legal")
    require_legal(position, result.move, "the move")
    check_ponder(position, result)
    if not 1 <= len(result.lines) <= min(work.multipv, len(legal)):
        raise WrongResultError(f"{len(result.lines)} lines, {min(work.multipv, len(legal))} were asked for")
    for rank, line in enumerate(result.lines, 1):
        if line.multipv != rank:
            raise WrongResultError(f"line {rank} says that it is line {line.multipv}")
        check_line(position, work.position.game, line, work.limits)
    first_moves = [line.pv[0] for line in result.lines]
    if first_moves[0] != result.move:
        raise WrongResultError(f"the move is {result.move}, the first line begins with {first_moves[0]}")
    if len(set(first_moves)) < len(first_moves):
        raise WrongResultError("two lines begin with the same move")


def check_review(work: Game, result: GameResult) -> None:
    """Check the review of a game, move by move.

    Raises:
        WrongResultError: it cannot be right; names the ply.
    """
    if len(result.moves) != len(work.position.moves):
        raise WrongResultError(f"{len(result.moves)} moves reviewed, the game has {len(work.position.moves)}")
    position = start_of(work.position)
    for ply, (played, reviewed) in enumerate(zip(work.position.moves, result.moves, strict=True)):
        if reviewed.ply != ply:
            raise WrongResultError(f"ply {reviewed.ply} in the place of ply {ply}")
        try:
            check_reviewed(position, played, reviewed, work)
        except WrongResultError as error:
            raise WrongResultError(f"ply {ply}: {error}") from None
        position = position.play(played)


def check_reviewed(position: Position, played: str, reviewed: ReviewedMove, work: Game) -> None:
    game = work.position.game
    if reviewed.move != bare(position, played):
        raise WrongResultError(f"{quoted(reviewed.move)} reviewed, {played} was played")
    if reviewed.best is None or reviewed.line is None:
        raise WrongResultError("no best move, though the game went on")
    require_legal(position, reviewed.best, "the best move")
    deeper = flip_reduction() if position.needs_reveal(reviewed.best) else 0
    check_line(position, game, reviewed.line, work.limits, deeper)
    if reviewed.line.pv[0] != reviewed.best:
        raise WrongResultError(f"the best move is {reviewed.best}, its line begins with {reviewed.line.pv[0]}")
    if reviewed.best_cp != reviewed.line.score_cp:
        raise WrongResultError(f"the best move has {reviewed.best_cp}, its line {reviewed.line.score_cp}")
    check_score(game, reviewed.move_cp)
    known = reviewed.best_cp is not None and reviewed.move_cp is not None
    loss = max(0, (reviewed.best_cp or 0) - (reviewed.move_cp or 0)) if known else None
    if reviewed.loss_cp != loss or (reviewed.move == reviewed.best and reviewed.move_cp != reviewed.best_cp):
        raise WrongResultError(
            f"a loss of {reviewed.loss_cp}; the best move has {reviewed.best_cp}, the one played {reviewed.move_cp}"
        )


def check_line(position: Position, game: str, line: Line, limits: SearchLimits, deeper: int = 0) -> None:
    """Check one line of thinking.

    Args:
        position: where it begins, with a legal move.
        deeper: plies that the search may have been deeper than the limit says.

    Raises:
        WrongResultError: it cannot be right.
    """
    if line.score_cp is None:
        raise WrongResultError("a line without a score")
    check_score(game, line.score_cp)
    if line.wdl is not None and sum(line.wdl) != 1000:
        raise WrongResultError(f"chances of {sum(line.wdl)} per mille")
    if not line.pv:
        raise WrongResultError("a line without a move")
    wanted = limits.depth
    if wanted is not None:
        if line.depth > wanted + deeper and limits.solve is None:
            raise WrongResultError(f"depth {line.depth}, {wanted} was asked for")
        bounded = limits.nodes is not None or limits.movetime_ms is not None
        if line.depth < wanted and not bounded and not is_complete(position, game, line):
            raise WrongResultError(f"depth {line.depth}, {wanted} was asked for")
    check_playable(position, line.pv)


def is_complete(position: Position, game: str, line: Line) -> bool:
    """Whether a deeper search would have shown nothing more: an only move, a solved game, a game not begun."""
    if len(position.legal_moves()) == 1:
        return True
    if game == "othello":
        return line.depth >= position.fen().count("-")
    from fanqi.banqi.engine import MAX_DEPTH

    before_first_flip = all(position.needs_reveal(move) for move in position.legal_moves()) and line.score_cp == 0
    return before_first_flip or line.depth >= MAX_DEPTH or abs(line.score_cp or 0) >= LARGEST_CP[game]


def check_playable(position: Position, pv: tuple[str, ...]) -> None:
    for number, move in enumerate(pv, 1):
        require_legal(position, move, f"move {number} of a line")
        if position.needs_reveal(move):
            if number < len(pv):
                raise WrongResultError(f"a line goes on after the flip of {move}")
            return
        position = position.play(move)


def check_ponder(position: Position, result: AnalyseResult) -> None:
    if result.ponder is None or result.move is None:
        return
    if position.needs_reveal(result.move):
        raise WrongResultError("an answer expected to a flip that may show anything")
    require_legal(position.play(result.move), result.ponder, "the answer expected")


def check_score(game: str, score: int | None) -> None:
    if score is not None and abs(score) > LARGEST_CP[game]:
        raise WrongResultError(f"score {score}; the scale of {game} ends at {LARGEST_CP[game]}")


def require_legal(position: Position, move: str, what: str) -> None:
    """Require one of the legal moves, in canonical notation."""
    try:
        if position.canonical(move) == move and "=" not in move:
            return
    except MoveError:
        pass
    raise WrongResultError(f"{what} {quoted(move)} is not legal in {position.fen()}")


def start_of(spec: PositionSpec) -> Position:
    """The position that the moves of a job start from; jobs are checked when they are made."""
    try:
        game = load_game(spec.game)
        return game.parse(spec.fen, spec.rules) if spec.fen else game.start(spec.rules)
    except GameError as error:
        raise WrongResultError(f"a result for a position that cannot be: {error}") from None
