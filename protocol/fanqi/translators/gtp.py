"""The engine side of GTP (`fanqi.dialects.gtp`), with the rules commands by which GoGui shows any game's board.

Row 1 is the top row, as in every Othello program. One command is answered before the next is looked at; only GoGui's
comment ``# interrupt`` is heard during a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fanqi.about import NAME, VERSION
from fanqi.dialects.errors import DialectError
from fanqi.dialects.gtp import (
    GtpCommand,
    GtpReply,
    format_reply,
    format_vertex,
    parse_color,
    parse_command,
    parse_vertex,
)
from fanqi.dialects.text import number, printable
from fanqi.game import Player
from fanqi.othello.scoring import final_margin
from fanqi.records import GameRecord, RecordError, parse_records
from fanqi.translators.gtp_clock import GtpClock
from fanqi.translators.othello_game import OthelloGame
from fanqi.translators.serial import SerialTranslator

if TYPE_CHECKING:
    from fanqi.search import Info
    from fanqi.uci import BestMove

__all__ = ["GtpTranslator"]

GAME = "Othello"
SIZE = 8
INTERRUPT = "# interrupt"
COLOR_NAMES = {Player.P1: "black", Player.P2: "white"}


@dataclass(frozen=True, slots=True)
class Genmove:
    """A search for ``genmove``, which plays the move it finds, or for ``reg_genmove``, which does not."""

    command: GtpCommand
    player: Player
    plays: bool


class GtpTranslator(SerialTranslator[GtpCommand]):
    """Answers every command with ``=`` or ``?``, in order."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self._game = OthelloGame()
        self._clock = GtpClock()
        self._time_ms = 0
        self._loading = self._loaded = False
        self._held: GtpCommand | None = None  # answered when the engine is loaded
        self.handlers = {
            "protocol_version": lambda command: "2",
            "name": lambda command: NAME,
            "version": lambda command: VERSION,
            "known_command": lambda command: "true" if argument(command, 0) in self.handlers else "false",
            "list_commands": lambda command: "\n".join(self.handlers),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "set_game": self._set_game,
            "list_games": lambda command: GAME,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._genmove,
            "undo": self._undo,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "loadsgf": self._loadsgf,
            "showboard": lambda command: f"\n{self._game.position.picture()}",
            "final_score": self._final_score,
            "gogui-interrupt": lambda command: "",
            "gogui-play_sequence": self._play_sequence,
            "gogui-rules_game_id": lambda command: GAME,
            "gogui-rules_board": self._rules_board,
            "gogui-rules_board_size": lambda command: str(SIZE),
            "gogui-rules_legal_moves": self._rules_legal_moves,
            "gogui-rules_side_to_move": lambda command: COLOR_NAMES[self._game.position.turn],
            "gogui-rules_final_result": self._rules_final_result,
        }
        super().__init__(*args, **named)

    # --- conversation ---------------------------------------------------------------------------------------

    def hear(self, line: str) -> None:
        if not self._loading:
            self._loading = True
            self.engine.ready()
        if line.lower() == INTERRUPT and self.engine.searching is not None:
            self.engine.stop()
            return
        command = parse_command(line)
        if command is not None:
            self.take(command)

    def refuse_long_line(self) -> None:
        self.reply(GtpCommand(""), "line too long", good=False)

    def name_of(self, command: GtpCommand) -> str:
        return command.name

    def reply(self, command: GtpCommand, text: str = "", *, good: bool = True) -> None:
        # the two newlines that end an answer: one of them is the line's own
        self.say(format_reply(GtpReply(good, text, command.id)).removesuffix("\n"))

    # --- administration -------------------------------------------------------------------------------------

    def _quit(self, command: GtpCommand) -> None:
        self.reply(command)
        self.leave()

    def ready(self) -> None:
        self._loaded = True
        if self._held is not None:
            command, self._held = self._held, None
            self.reply(command)
            self.settle()

    def _boardsize(self, command: GtpCommand) -> str | None:
        if argument(command, 0) != str(SIZE):
            raise DialectError("unacceptable size")
        return self._clear_board(command)

    def _clear_board(self, command: GtpCommand) -> str | None:
        """GTP has no word for getting ready, so this waits for it: later there may be a clock running."""
        self._game = OthelloGame()
        self.engine.new_game()
        if self._loaded:
            return ""
        self._held = command
        return None

    def _komi(self, command: GtpCommand) -> str:
        if number(argument(command, 0)) is None:
            raise DialectError("komi not a float")
        return ""  # Othello knows none

    def _set_game(self, command: GtpCommand) -> str | None:
        if " ".join(command.arguments).lower() not in ("othello", "reversi"):
            raise DialectError("unsupported game")
        return self._clear_board(command)

    # --- the game -------------------------------------------------------------------------------------------

    def _play(self, command: GtpCommand) -> str:
        player, move = parse_color(argument(command, 0)), parse_vertex(argument(command, 1))
        if move == "pass" and self._game.over:
            return ""  # hosts end games of Go with passes
        self._check_turn(player)
        self._game.play_as(player, move)
        return ""

    def _play_sequence(self, command: GtpCommand) -> str:
        words = command.arguments
        if len(words) % 2:
            raise DialectError("syntax error: expected pairs of colour and vertex")
        for at in range(0, len(words), 2):
            self._play(GtpCommand("play", words[at : at + 2]))
        return ""

    def _check_turn(self, player: Player) -> None:
        if not self._game.can_move(player):
            raise DialectError(f"wrong color: {COLOR_NAMES[self._game.position.turn]} is to move")

    def _genmove(self, command: GtpCommand) -> str | None:
        player = parse_color(argument(command, 0))
        if self._game.over:
            return "pass"
        self._check_turn(player)
        plays = command.name != "reg_genmove"
        must_pass = self._game.position.legal_moves() == ("pass",)
        if must_pass and player is self._game.position.turn:
            if plays:
                self._game.play("pass")
            return "pass"
        moves = [*self._game.moves, "pass"] if must_pass else self._game.moves
        self._time_ms = 0
        limits = self._clock.limits(player) or self.surroundings.think
        self.engine.go(self._game.start_fen, moves, limits, Genmove(command, player, plays))
        return None

    def thought(self, purpose: Genmove, info: Info) -> None:
        self._time_ms = info.time_ms

    def chosen(self, purpose: Genmove, best: BestMove) -> None:
        move = best.move or "pass"
        if purpose.plays:
            self._clock.spend(purpose.player, self._time_ms)
            self._game.play_as(purpose.player, move)
        self.reply(purpose.command, format_vertex(move))
        self.settle()

    def _undo(self, command: GtpCommand) -> str:
        if not self._game.undo():
            raise DialectError("cannot undo")
        return ""

    def _time_settings(self, command: GtpCommand) -> str:
        self._clock.settings(*(needed_number(command, index) for index in range(3)))
        return ""

    def _time_left(self, command: GtpCommand) -> str:
        player = parse_color(argument(command, 0))
        self._clock.left(player, needed_number(command, 1), needed_number(command, 2))
        return ""

    def _loadsgf(self, command: GtpCommand) -> str:
        path = argument(command, 0)
        limit = int(needed_number(command, 1)) - 1 if len(command.arguments) > 1 else None
        try:
            record = first_record(self.surroundings.read_file(path))
        except (OSError, RecordError) as error:
            raise DialectError(f"cannot load file: {error}") from None
        if record.rules:
            raise DialectError(f"cannot load file: GTP knows no rules but Othello's, and these are {record.rules}")
        if limit is not None:
            record = GameRecord("othello", record.moves[: max(limit, 0)], record.start)
        self._game = OthelloGame.of_record(record)
        return COLOR_NAMES[self._game.position.turn]

    # --- asking about it ------------------------------------------------------------------------------------

    def _final_score(self, command: GtpCommand) -> str:
        if not self._game.over:
            raise DialectError("the game is not over")
        margin = self._margin()
        return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"

    def _margin(self) -> float:
        position = self._game.position
        return final_margin(position.black.bit_count(), position.white.bit_count())

    def _rules_board(self, command: GtpCommand) -> str:
        # GoGui counts rows from the bottom: the first line it reads is row 8, so that its F5 is ours
        cells = self._game.position.fen().replace("-", ".")
        return "\n".join(" ".join(cells[first : first + SIZE]) for first in range(56, -1, -SIZE))

    def _rules_legal_moves(self, command: GtpCommand) -> str:
        return " ".join(format_vertex(move) for move in self._game.position.legal_moves())

    def _rules_final_result(self, command: GtpCommand) -> str:
        if not self._game.over:
            return ""
        position, margin = self._game.position, self._margin()
        discs = f"B {position.black.bit_count()} and W {position.white.bit_count()}"
        if margin == 0:
            return f"Draw. Final score is {discs}"
        return f"{'Black' if margin > 0 else 'White'} wins by {abs(margin):g} discs. Final score is {discs}"


def argument(command: GtpCommand, index: int) -> str:
    """
    Raises:
        DialectError: there is no such argument.
    """
    if index >= len(command.arguments):
        raise DialectError(f"syntax error: {command.name} needs more arguments")
    return command.arguments[index]


def needed_number(command: GtpCommand, index: int) -> float:
    """
    Raises:
        DialectError: there is no such argument, or it is no number, or a negative one.
    """
    value = number(argument(command, index))
    if value is None or value < 0:
        raise DialectError(f"syntax error: {printable(command.arguments[index])} is not a number, 0 or more")
    return value


def first_record(data: bytes) -> GameRecord:
    """The first game of a file in any format of Othello.

    Raises:
        RecordError: there is none, or it cannot be read.
    """
    whole = (item for item in parse_records(data) if not isinstance(item, RecordError) or item.lost)
    found = next(whole, None)
    if found is None:
        raise RecordError("no game in it")
    if isinstance(found, RecordError):
        raise found
    if found.game != "othello":
        raise RecordError("not an Othello game", found.game)
    return found
