"""Othello as Fairy-Stockfish writes it (``UCI_Variant`` ``flipello``), for hosts that were made for Fairy-Stockfish.

See `fanqi.dialects.flipello` for moves and `fanqi.records.fen` for positions. Such hosts read the end of the game off
the last score: ``mate 1`` with the move that wins, ``cp 0`` with a line of one move for the one that draws; and on a
finished game ``mate 0``, or ``cp 0`` for a draw.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from fanqi.dialects.errors import DialectError
from fanqi.dialects.flipello import (
    format_flipello_move,
    format_flipello_moves,
    mirror_square,
    parse_flipello_move,
)
from fanqi.game import PositionError
from fanqi.search import Bound
from fanqi.uci.answers import format_info
from fanqi.uci.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fanqi.game import Position
    from fanqi.othello import Position as OthelloPosition
    from fanqi.search import Info
    from fanqi.uci.commands import Query, SetPosition

__all__ = ["FlipelloNotation"]

SQUARE = re.compile(r"\b[a-h][1-8]\b")


class FlipelloNotation:
    """Implements `fanqi.uci.notation.Notation`."""

    p1_clock = "w"

    def read_position(self, command: SetPosition) -> SetPosition:
        from fanqi.records.fen import parse_fen  # imports the game, which is loaded by now

        fen = command.fen
        if fen is not None:
            try:
                fen = parse_fen(fen)
            except PositionError as error:
                raise ProtocolError(error.reason, command.fen_token, command.fen or "") from None
        moves = []
        for index, text in enumerate(command.moves):
            try:
                moves.append(parse_flipello_move(text))
            except DialectError as error:
                raise ProtocolError(error.reason, command.move_token(index), text) from None
        return replace(command, fen=fen, moves=tuple(moves))

    def read_move(self, text: str, token: int) -> str:
        try:
            return parse_flipello_move(text)
        except DialectError as error:
            raise ProtocolError(error.reason, token, text) from None

    def read_arguments(self, query: Query) -> tuple[str, ...]:
        if query.what != "flips":
            return query.arguments
        return tuple(self.read_move(text, token) for token, text in enumerate(query.arguments, 3))

    def write_move(self, position: Position, move: str) -> str:
        return format_flipello_move(move, cast("OthelloPosition", position).own)

    def write_position(self, position: Position) -> str:
        from fanqi.records.fen import format_flipello_fen  # as above

        return format_flipello_fen(" ".join(position.fen().split()[:2]))  # it has no place for discs in hand

    def write_answer(self, query: Query, answer: str) -> str:
        return " ".join(sorted(map(mirror_square, answer.split()))) if query.what == "flips" else answer

    def reword(self, reason: str) -> str:
        return SQUARE.sub(lambda found: f"P@{mirror_square(found[0])}", reason)

    def picture(self, position: Position) -> Iterable[str]:
        """As ours, with the first mover's discs as ``P``, the other's as ``p``, and the first rank below."""
        board, side = position.fen().split()[:2]
        drops = [move for move in position.legal_moves() if move != "pass"]
        signs = {"X": "P", "O": "p", "-": "-"}
        cells = {f"{file}{8 - index // 8}": signs[board[index]] for index, file in enumerate("abcdefgh" * 8)}
        cells |= {mirror_square(move): "+" for move in drops}
        yield "  a b c d e f g h"
        for rank in range(8, 0, -1):
            yield f"{rank} {' '.join(cells[f'{file}{rank}'] for file in 'abcdefgh')} {rank}"
        yield "  a b c d e f g h"
        name = "White (P)" if side == "X" else "Black (p)"
        moves = [self.write_move(position, move) for move in position.legal_moves()]
        yield f"{name} to move: {' '.join(moves)}" if moves else f"game over ({name} would be to move)"
        yield f"discs P {board.count('X')} p {board.count('O')}, empty {board.count('-')}"

    def info_line(self, position: Position, info: Info) -> str:
        if not info.pv:
            return format_info(replace(info, selectivity=None))
        after = position.play(info.pv[0])
        if (outcome := after.outcome()) is not None:
            shown = replace(info, pv=info.pv[:1], selectivity=None, bound=Bound.EXACT, score_cp=0)
            mate = None if outcome.winner is None else "1" if outcome.winner is position.turn else "-1"
        else:
            # a score of 0 with a line of one move would be taken for the end of a drawn game
            score = 1 if info.score_cp == 0 and len(info.pv) == 1 else info.score_cp
            shown, mate = replace(info, selectivity=None, score_cp=score), None
        pv = tuple(format_flipello_moves(cast("OthelloPosition", position), shown.pv))
        line = format_info(replace(shown, pv=pv))
        return line if mate is None else line.replace("score cp 0", f"score mate {mate}")

    def final_lines(self, position: Position) -> Iterable[str]:
        outcome = position.outcome()
        if outcome is None or outcome.winner is None:
            return ("info depth 0 score cp 0",)
        if outcome.winner is position.turn:
            # Fairy-Stockfish says mate 0 here too, which its hosts take for a loss; with a line it is read as a win
            return ("info depth 0 score mate 1 pv (none)",)
        return ("info depth 0 score mate 0",)
