"""From the moves as an Othello record wrote them to the plies as they were played.

Readers turn their text into `Token`s; `assemble` replays them, puts omitted passes in, and names the first one that is
not legal by its place in the text. That is the same work for every format, so it is done once, here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.game import GameError, MoveError, Player, PositionError
from fanqi.othello import GAME, Position
from fanqi.othello.notation import MOVE_NAMES, PASS, PASS_TEXT, format_board, parse_board, parse_move
from fanqi.othello.replay import Replay, replay
from fanqi.othello.scoring import final_margin
from fanqi.records.errors import RecordError
from fanqi.records.game import GameRecord, PlayedMove, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "PLAIN",
    "START",
    "Token",
    "assemble",
    "assemble_reversi",
    "final_result",
    "place_of",
    "read_board",
    "read_move",
    "require_othello",
    "start_position",
]

START = Position().fen()
PLAIN = tuple(PlayedMove(name) for name in MOVE_NAMES)
"""The 65 moves without evaluation and time, shared by all records."""


@dataclass(frozen=True, slots=True)
class Token:
    """A move in a text.

    Attributes:
        move: 0 to 63, or 64 for a pass.
        offset: where it starts, in characters.
        text: as it was written.
        player: whose move the text says it is, or None.
        evaluation, seconds: as in `PlayedMove`.
    """

    move: int
    offset: int
    text: str
    player: Player | None = None
    evaluation: float | None = None
    seconds: float | None = None


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of a character of a text."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def error_at(source: str, offset: int, reason: str, text: str, record: GameRecord | None = None) -> RecordError:
    """An error at a character of a text; see `RecordError` for ``record``."""
    line, column = place_of(source, offset)
    return RecordError(reason, text, line=line, column=column, record=record)


def read_move(source: str, offset: int, text: str) -> int:
    """The number of a move written in any way Fanqi reads.

    Raises:
        RecordError: it is none; the place is that of ``offset`` in ``source``.
    """
    try:
        return parse_move(text)
    except MoveError as error:
        raise error_at(source, offset, error.reason, text) from None


def read_board(source: str, offset: int, text: str) -> str | None:
    """The canonical text of 64 cells and a side to move; None for the usual start.

    Raises:
        RecordError: it is none.
    """
    try:
        fen = format_board(*parse_board(text))
    except PositionError as error:
        raise error_at(source, offset, error.reason, text) from None
    return None if fen == START else fen


def start_position(record: GameRecord) -> Position:
    """Where a game starts.

    Raises:
        RecordError: the record's own start or rules cannot be read.
    """
    try:
        return GAME.start(record.rules) if record.start is None else GAME.parse(record.start, record.rules)
    except GameError as error:
        raise RecordError(f"start position: {error.reason}", record.start or "") from None


def final_result(done: Replay) -> Result | None:
    """The result on the board, the empties counted for the winner; None while somebody can move."""
    if not done.over:
        return None
    return Result.of_margin(final_margin(done.black.bit_count(), done.white.bit_count()))


def assemble(source: str, tokens: Sequence[Token], start: str | None) -> tuple[tuple[PlayedMove, ...], Result | None]:
    """The plies that the tokens stand for, and the result on the board.

    Args:
        source: the text, only for the places in errors.
        tokens: in order of play. Where players are given, two moves of one of them in a row mean that the other one
            passed.
        start: as in `GameRecord.start`.

    Raises:
        RecordError: a move is not legal, or not that player's.
    """
    first = Position() if start is None else Position.from_fen(start)
    done = replay([token.move for token in tokens], first.black, first.white, first.turn)
    moves: list[PlayedMove] = []
    player, index = first.turn, 0
    for ply in done.plies:
        token = tokens[index]
        if ply == PASS and token.move != PASS:
            moves.append(PLAIN[PASS])
        else:
            check_player(source, token, player)
            plain = token.evaluation is None and token.seconds is None
            moves.append(PLAIN[ply] if plain else PlayedMove(MOVE_NAMES[ply], token.evaluation, token.seconds))
            index += 1
        player = player.other
    if done.taken < len(tokens):
        token = tokens[done.taken]
        position = Position(done.black, done.white, done.turn)
        try:
            position.play(MOVE_NAMES[token.move])
        except MoveError as error:
            raise error_at(source, token.offset, error.reason, token.text) from None
    return tuple(moves), final_result(done)


def assemble_reversi(
    source: str, tokens: Sequence[Token], start: str | None, rules: str
) -> tuple[tuple[PlayedMove, ...], Result | None]:
    """`assemble` under rule parameters.

    Raises:
        RecordError: as there.
        GameError: the start or the rules cannot be read.
    """
    position = GAME.start(rules) if start is None else GAME.parse(start, rules)
    moves: list[PlayedMove] = []
    for token in tokens:
        if token.move != PASS and position.legal_moves() == (PASS_TEXT,):
            moves.append(PLAIN[PASS])
            position = position.play(PASS_TEXT)
        check_player(source, token, position.turn)
        try:
            position = position.play(MOVE_NAMES[token.move])
        except MoveError as error:
            raise error_at(source, token.offset, error.reason, token.text) from None
        moves.append(PlayedMove(MOVE_NAMES[token.move], token.evaluation, token.seconds))
    outcome = position.outcome()
    return tuple(moves), None if outcome is None else Result(outcome.winner, outcome.margin)


def check_player(source: str, token: Token, player: Player) -> None:
    """Refuse a move that the text gives to the player who is not on the move."""
    if token.player not in (None, player):
        names = {Player.P1: "Black", Player.P2: "White"}
        reason = f"a move of {names[player.other]}'s, but {names[player]} is on the move and cannot pass"
        raise error_at(source, token.offset, reason, token.text)


def require_othello(record: GameRecord, format_name: str, *, reversi: bool = False) -> None:
    """Refuse a game that is not Othello.

    Args:
        reversi: whether games of old Reversi will do.

    Raises:
        RecordError: it is not.
    """
    if record.game != "othello":
        raise RecordError(f"{format_name} holds Othello games only", record.game)
    if record.rules and not reversi:
        raise RecordError(
            f"{format_name} cannot say by which rules a game is played; SGF and JSON lines can", record.rules
        )
