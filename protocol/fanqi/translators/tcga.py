"""The engine side of the Taiwanese banqi client's protocol (`fanqi.dialects.tcga`).

The host plays without the chase ban, ends games by repetition and by its own count of quiet plies, and says which:
``num_repetition`` and ``num_moves_to_draw`` become rule parameters. What it executes is followed under rules that end
nothing, so that no difference of opinion can stop the game.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fanqi.about import NAME, VERSION
from fanqi.banqi import Position, Rules
from fanqi.banqi.board import PIECE_ORDER
from fanqi.banqi.notation import START
from fanqi.dialects.errors import DialectError
from fanqi.dialects.tcga import (
    COMMANDS,
    NUMBERS,
    TcgaCommand,
    TcgaReply,
    format_choice,
    format_reply,
    parse_command,
    parse_executed,
)
from fanqi.dialects.text import integer, printable
from fanqi.game import GameError, MoveError
from fanqi.translators.serial import SerialTranslator
from fanqi.uci import Go

if TYPE_CHECKING:
    from fanqi.uci import BestMove

__all__ = ["TcgaTranslator"]

PROTOCOL_VERSION = "1.1.0"
LENIENT = Rules(chase=0, no_progress=999, repetition=0)
"""Rules under which whatever the host executes can be followed."""

COLORS = {"red": "r", "black": "b"}
UNKNOWN = "unknown"
CELLS = frozenset("KGMRNCPXkgmrncp-")
PAWNS_FIRST = "PCNRMGKpcnrmgk"


@dataclass(frozen=True, slots=True)
class Setup:
    """A start that the host may have meant: whose turn it is stands nowhere."""

    fen: str
    position: Position


@dataclass(frozen=True, slots=True)
class Genmove:
    """A search for ``genmove``."""

    command: TcgaCommand


class TcgaTranslator(SerialTranslator[TcgaCommand]):
    """Answers every command with one line, in order."""

    game: ClassVar[str] = "banqi"

    def __init__(self, *args: Any, **named: Any) -> None:
        self._rules = Rules(chase=0, repetition=3)
        self._setups = [start_setup()]
        self._moves: list[str] = []
        self._clock: dict[str, int] = {}  # ms by colour
        self._total: int | None = None
        self._readying: TcgaCommand | None = None
        self.handlers = {
            "protocol_version": lambda command: PROTOCOL_VERSION,
            "name": lambda command: NAME,
            "version": lambda command: VERSION,
            "known_command": lambda command: "true" if " ".join(command.arguments) in NUMBERS else "false",
            "list_commands": lambda command: " ".join(COMMANDS),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "reset_board": self._reset_board,
            "num_repetition": self._num_repetition,
            "num_moves_to_draw": self._num_moves_to_draw,
            "move": self._execute,
            "flip": self._execute,
            "genmove": self._genmove,
            "game_over": lambda command: "",
            "ready": self._ready,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "showboard": self._showboard,
            "init_board": self._init_board,
        }
        super().__init__(*args, **named)

    # --- conversation ---------------------------------------------------------------------------------------

    def hear(self, line: str) -> None:
        try:
            command = parse_command(line)
        except DialectError as error:
            self.say(f"? {printable(str(error))}")
            return
        if command is not None:
            self.take(command)

    def refuse_long_line(self) -> None:
        self.say("? line too long")

    def name_of(self, command: TcgaCommand) -> str:
        return command.name

    def reply(self, command: TcgaCommand, text: str = "", *, good: bool = True) -> None:
        self.say(format_reply(TcgaReply(good, command.number, text)))

    # --- setting up -----------------------------------------------------------------------------------------

    def _quit(self, command: TcgaCommand) -> None:
        self.reply(command)
        self.leave()

    def _boardsize(self, command: TcgaCommand) -> str:
        numbers = {integer(word) for word in command.arguments if word != "x"}
        if numbers != {4, 8}:
            raise DialectError("unacceptable size, the board is 4 x 8", " ".join(command.arguments))
        return ""

    def _reset_board(self, command: TcgaCommand) -> str:
        self._setups, self._moves = [start_setup()], []
        self._clock.clear()
        self.engine.new_game()
        return ""

    def _init_board(self, command: TcgaCommand) -> str:
        self._setups, self._moves = read_board(command.arguments), []
        self._clock.clear()
        return ""

    def _num_repetition(self, command: TcgaCommand) -> str:
        limit = needed_integer(command, 0)
        # we know threefold repetition or none; a host that waits longer draws later than we expect, not earlier
        self._rules = replace(self._rules, repetition=3 if limit >= 3 else 0)
        return ""

    def _num_moves_to_draw(self, command: TcgaCommand) -> str:
        limit = needed_integer(command, 0)
        if not 1 <= limit <= 999:
            raise DialectError("expected a number from 1 to 999", command.arguments[0])
        self._rules = replace(self._rules, no_progress=limit)
        return ""

    def _time_settings(self, command: TcgaCommand) -> str:
        self._total = max(needed_integer(command, 0), 0)
        return ""

    def _time_left(self, command: TcgaCommand) -> str:
        color = needed_color(command)
        self._clock[color] = max(needed_integer(command, 1), 0)
        return ""

    def _ready(self, command: TcgaCommand) -> None:
        self._readying = command
        self.engine.ready()

    def ready(self) -> None:
        if self._readying is not None:
            command, self._readying = self._readying, None
            self.reply(command)
            self.settle()

    # --- the game -------------------------------------------------------------------------------------------

    def _execute(self, command: TcgaCommand) -> str:
        move = parse_executed(command)
        reached, reason = [], ""
        for setup in self._setups:
            try:
                reached.append(replace(setup, position=setup.position.play(move)))
            except MoveError as error:
                reason = reason or error.reason
        if not reached:
            raise DialectError(reason, move)
        self._setups = reached
        self._moves.append(move)
        return ""

    def _genmove(self, command: TcgaCommand) -> None:
        color = command.arguments[0].lower() if command.arguments else ""
        if color not in (*COLORS, UNKNOWN):
            raise DialectError("expected red, black or unknown", color)
        meant = [setup for setup in self._setups if turn_of(setup.position) in ("?", COLORS.get(color))]
        if not meant:
            raise DialectError("the other side is to move", color)
        self._setups = meant
        setup = meant[0]
        if not setup.position.legal_moves():
            raise DialectError("the game is over")
        self.engine.option("Rules", self._search_rules(setup))
        self.engine.go(
            None if setup.fen == START else setup.fen, self._moves, self._limits(setup, color), Genmove(command)
        )

    def _search_rules(self, setup: Setup) -> str:
        """The host's rules, or where the game would be over by them while the host goes on, lenient ones."""
        position = Position.parse(setup.fen, self._rules)
        try:
            for move in self._moves:
                position = position.play(move)
        except MoveError:
            return str(LENIENT)
        return str(self._rules if position.legal_moves() else LENIENT)

    def _limits(self, setup: Setup, color: str) -> Go:
        left = self._clock.get(COLORS.get(color, ""), self._total)
        if left is None:
            return self.surroundings.think
        return Go(clock=((f"{setup.position.turn.name.lower()}time", left),))

    def chosen(self, purpose: Genmove, best: BestMove) -> None:
        if best.move is None:
            self.reply(purpose.command, "the game is over", good=False)
        else:
            self.reply(purpose.command, format_choice(best.move))
        self.settle()

    def _showboard(self, command: TcgaCommand) -> str:
        self.surroundings.log(self._setups[0].position.picture())
        return ""


def start_setup() -> Setup:
    return Setup(START, Position.parse(START, LENIENT))


def turn_of(position: Position) -> str:
    """``r``, ``b``, or ``?`` while nobody has a colour."""
    return position.fen().split()[2][0]


def read_board(words: tuple[str, ...]) -> list[Setup]:
    """The starts that the 46 arguments of ``init_board`` may mean: cells from row 8 down, then 14 counts.

    The order of the counts is not known for certain; it is kings first, as in records, unless that cannot be.

    Raises:
        DialectError: there can be no such position.
    """
    if len(words) != 46 or any(word not in CELLS for word in words[:32]):
        raise DialectError("expected 32 cells and 14 counts", " ".join(words))
    counts = [integer(word) for word in words[32:]]
    if any(count is None or not 0 <= count <= 5 for count in counts):
        raise DialectError("expected counts from 0 to 5", " ".join(words[32:]))
    cells = "".join(words[:32]).replace("-", ".")
    board = "/".join(cells[first : first + 4] for first in range(0, 32, 4))
    turns = "rb" if cells.strip("X.") else ("?0",)
    reason = ""
    for order in (PIECE_ORDER, PAWNS_FIRST):
        hidden = "".join(piece * (count or 0) for piece, count in zip(order, counts, strict=True)) or "-"
        try:
            fens = [f"{board} {hidden} {turn} 0 -" for turn in turns]
            return [Setup(fen, Position.parse(fen, LENIENT)) for fen in fens]
        except GameError as error:
            reason = reason or error.reason
    raise DialectError(reason, " ".join(words))


def needed_integer(command: TcgaCommand, index: int) -> int:
    """
    Raises:
        DialectError: there is no such argument, or it is no integer.
    """
    text = command.arguments[index] if index < len(command.arguments) else ""
    value = integer(text)
    if value is None:
        raise DialectError("expected an integer", text)
    return value


def needed_color(command: TcgaCommand) -> str:
    """
    Raises:
        DialectError: the first argument is neither ``red`` nor ``black``.
    """
    color = COLORS.get(command.arguments[0].lower() if command.arguments else "")
    if color is None:
        raise DialectError("expected red or black", " ".join(command.arguments[:1]))
    return color
