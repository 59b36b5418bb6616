"""The engine side of XBoard's protocol, CECP version 2 (`fanqi.dialects.xboard`).

The first mover, Othello's Black, is White here. The engine moves by itself when it is its turn; thinking, pondering and
analysing run beside the conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fanqi.about import NAME, VERSION
from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import printable
from fanqi.dialects.xboard import (
    PASS_TEXT,
    Style,
    Thinking,
    format_features,
    format_setup,
    format_thinking,
    format_xboard_move,
    format_xboard_result,
    is_bare_move,
    parse_amount,
    parse_level,
    parse_xboard_fen,
    parse_xboard_move,
    style_of_variant,
)
from fanqi.dialects.xboard_options import format_xboard_option
from fanqi.game import MoveError, Player
from fanqi.othello import Position
from fanqi.translators.base import Translator
from fanqi.translators.othello_game import OthelloGame
from fanqi.translators.xboard_clock import XBoardClock
from fanqi.translators.xboard_options import chosen_option, offered_options
from fanqi.uci import Go

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.search import Info
    from fanqi.uci import BestMove

__all__ = ["XBoardTranslator"]

MAX_DEPTH = 60
FEATURES: dict[str, str | int] = {
    "ping": 1,
    "setboard": 1,
    "playother": 1,
    "usermove": 1,
    "analyze": 1,
    "memory": 1,
    "smp": 1,
    "colors": 0,
    "draw": 0,
    "sigint": 0,
    "sigterm": 0,
    "reuse": 1,
    "myname": f"{NAME} {VERSION}",
    "variants": "reversi,flipello",
}
IGNORED = frozenset(("accepted", "rejected", "random", "name", "rating", "ics", "draw", "xboard", "nps"))


@dataclass(frozen=True, slots=True)
class Choosing:
    """Thinking about the engine's own move."""


@dataclass(frozen=True, slots=True)
class Pondering:
    """Thinking on the opponent's time about the answer to the move it is expected to make."""

    move: str


@dataclass(frozen=True, slots=True)
class Analysing:
    """``analyze``: until something changes."""


class XBoardTranslator(Translator):
    """Plays, ponders and analyses as XBoard says."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._style = Style.REVERSI
        self._shows_board = False  # WinBoard's Alien Edition does not turn discs itself: it is told the board
        self._game = OthelloGame()
        self._clock = XBoardClock()
        self._side: Player | None = Player.P2  # whom the engine plays; None in force mode
        self._against_computer = False
        self._analysing = False
        self._posting = False
        self._introducing = False  # from ``protover`` to the features
        self._ponders = False
        self._pings: list[str] = []
        self._last: Info | None = None
        self._hint: str | None = None  # what the opponent is expected to play
        self._handlers: dict[str, Callable[[str], None]] = {
            "protover": self._protover,
            "new": self._new,
            "computer": self._computer,
            "variant": self._variant,
            "quit": lambda text: self.end(),
            "force": self._force,
            "go": self._go,
            "playother": self._play_other,
            "level": lambda text: self._clock.set_level(parse_level(text)),
            "st": lambda text: self._clock.set_move_seconds(parse_amount("st", text)),
            "sd": self._set_depth,
            "time": lambda text: self._clock.set_own(int(parse_amount("time", text))),
            "otim": lambda text: self._clock.set_other(int(parse_amount("otim", text))),
            "?": lambda text: self._move_now(),
            "ping": self._ping,
            "result": self._result,
            "setboard": self._setboard,
            "hint": self._tell_hint,
            "undo": lambda text: self._take_back(1),
            "remove": lambda text: self._take_back(2),
            "hard": self._hard,
            "easy": self._easy,
            "post": lambda text: self._post(True),
            "nopost": lambda text: self._post(False),
            "analyze": self._analyze,
            "exit": self._exit,
            ".": self._tell_progress,
            "memory": self._memory,
            "cores": self._cores,
            "option": self._option,
            "usermove": self._usermove,
        }

    # --- conversation ---------------------------------------------------------------------------------------

    def hear(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        handler = self._handlers.get(name)
        try:
            if handler is not None:
                handler(rest.strip())
            elif name in IGNORED:
                pass
            elif is_bare_move(line):
                self._usermove(line)
            else:
                self._complain("unknown command", line)
        except DialectError as error:
            self._complain(error.reason, line)

    def refuse_long_line(self) -> None:
        self._complain("line too long", "")

    def failed(self, text: str) -> None:
        self.say(f"tellusererror {printable(text)}")

    def _complain(self, reason: str, line: str) -> None:
        self.say(f"Error ({reason}): {printable(line)}")

    # --- settings -------------------------------------------------------------------------------------------

    def _protover(self, text: str) -> None:
        # XBoard waits as long as it takes between these two, so that no clock runs while kernels are compiled
        self.say(format_features([("done", 0)]))
        self._introducing = True
        self.engine.ready()

    def ready(self) -> None:
        if not self._introducing:
            return
        self._introducing = False
        options = [("option", format_xboard_option(option)) for option in offered_options(self.options)]
        # an option a line: XBoard cuts what is much longer
        lines = (FEATURES.items(), *([option] for option in options), [("done", 1)])
        self.say("\n".join(map(format_features, lines)))

    def _computer(self, text: str) -> None:
        self._against_computer = True

    def _new(self, text: str) -> None:
        self.engine.give_up()
        self._against_computer = False
        self._game, self._side, self._analysing = OthelloGame(), Player.P2, False
        self._clock.depth = None
        self._hint = self._last = None
        self.engine.new_game()
        if self._shows_board:
            self._tell_board()

    def _variant(self, text: str) -> None:
        self._style = style_of_variant(text)
        self._shows_board = text.lower() == "alien"
        self.engine.give_up()
        self._game = OthelloGame()
        self._tell_board()

    def _tell_board(self) -> None:
        self.say(format_setup(self._game.position.fen(), self._style))

    def _set_depth(self, text: str) -> None:
        self._clock.depth = max(1, min(int(parse_amount("sd", text)), MAX_DEPTH))

    def _hard(self, text: str) -> None:
        self._ponders = True
        self.engine.option("Ponder", "true")

    def _easy(self, text: str) -> None:
        self._ponders = False
        self.engine.option("Ponder", "false")
        if isinstance(self.engine.searching, Pondering):
            self.engine.give_up()

    def _post(self, posting: bool) -> None:
        self._posting = posting

    def _memory(self, text: str) -> None:
        self._set_number("Hash", parse_amount("memory", text))
        self.engine.ready()  # it is taken now, while no clock runs

    def _cores(self, text: str) -> None:
        self._set_number("Threads", parse_amount("cores", text))

    def _set_number(self, name: str, value: float) -> None:
        """Set an option as near to ``value`` as it can be; one that the session does not have stays as it is."""
        for option in self.options.listed(self.game):
            if option.name == name and option.lowest is not None and option.highest is not None:
                self.engine.option(name, str(max(option.lowest, min(int(value), option.highest))))

    def _option(self, text: str) -> None:
        command = chosen_option(text, self.options)
        self.engine.option(command.name, command.value)

    # --- whose turn it is -----------------------------------------------------------------------------------

    def _force(self, text: str) -> None:
        self.engine.give_up()
        self._side = None

    def _go(self, text: str) -> None:
        self._analysing = False
        self._side = self._game.position.turn
        self._think()

    def _play_other(self, text: str) -> None:
        self.engine.give_up()
        self._side = self._game.position.turn.other

    def _result(self, text: str) -> None:
        self.engine.give_up()
        self._side = None

    def _setboard(self, text: str) -> None:
        start = Position.from_fen(parse_xboard_fen(text, self._style))
        seen = self._game.unturned()
        if (start.black, start.white) == (seen.black, seen.white):
            # XBoard, which turns no discs, shows the board as it sees it; that is how it tells of a pass, too
            if start.turn is not seen.turn:
                self._usermove(PASS_TEXT)
            return
        self.engine.give_up()
        self._game = OthelloGame(start)
        self._carry_on()

    def _take_back(self, moves: int) -> None:
        if len(self._game.moves) < moves:
            raise DialectError("nothing to take back")
        self.engine.give_up()
        for _ in range(moves):
            self._game.undo()
        if self._analysing:
            self._carry_on()

    def _usermove(self, text: str) -> None:
        try:
            move = parse_xboard_move(text, self._style)
            if move == "pass" and self._game.over:
                return  # hosts that know nothing of Othello's end go on with passes
            pondered = self.engine.searching
            if isinstance(pondered, Pondering) and pondered.move == move:
                self._game.play(move)
                self.engine.ponderhit(Choosing())
            else:
                position = self._game.position
                position.canonical(move)
                self.engine.give_up()
                self._game.play(move)
                self._carry_on()
        except (DialectError, MoveError) as error:
            self.say(f"Illegal move ({printable(error.reason, 60)}): {printable(text)}")
            return
        if self._shows_board:
            self._tell_board()
        self._tell_end()

    def _carry_on(self) -> None:
        """The position has changed: analyse it, or move in it, if that is what is wanted."""
        if self._analysing:
            self._start_analysis()
        elif self._side is self._game.position.turn:
            self._think()

    def _tell_end(self) -> None:
        if self._game.over:
            self._side = None
            position = self._game.position
            self.say(format_xboard_result(position.black.bit_count(), position.white.bit_count()))
        elif self._against_person and self._game.position.legal_moves() == ("pass",):
            self.say(f"telluser You have no legal move and must pass: type {PASS_TEXT}")

    @property
    def _against_person(self) -> bool:
        """Whether it is the turn of a person the engine plays against."""
        return self._side is self._game.position.turn.other and not self._against_computer

    # --- searching ------------------------------------------------------------------------------------------

    def _think(self) -> None:
        if self._game.over:
            return
        self._last = self._hint = None
        self.engine.go(self._game.start_fen, self._game.moves, self._limits(), Choosing())

    def _limits(self) -> Go:
        made = (len(self._game.moves) + 1) // 2
        return self._clock.limits(self._side or self._game.position.turn, made, self.surroundings.think)

    def _ponder(self) -> None:
        if not self._ponders or self._hint is None or self._game.over or self._side is None:
            return
        moves = [*self._game.moves, self._hint]
        limits = replace(self._limits(), ponder=True)
        self.engine.go(self._game.start_fen, moves, limits, Pondering(self._hint))

    def _start_analysis(self) -> None:
        self.engine.give_up()
        if not self._game.over:
            self._last = None
            self.engine.go(self._game.start_fen, self._game.moves, Go(infinite=True), Analysing())

    def _analyze(self, text: str) -> None:
        self._analysing, self._side = True, None
        self._start_analysis()

    def _exit(self, text: str) -> None:
        self._analysing = False
        self.engine.give_up()

    def _move_now(self) -> None:
        if isinstance(self.engine.searching, Choosing):
            self.engine.stop()

    def _ping(self, text: str) -> None:
        # while the engine thinks about its move, the answer comes after the move, and no answer overtakes another
        if self._pings or isinstance(self.engine.searching, Choosing):
            self._pings.append(text)
        else:
            self.say(f"pong {text}")

    def thought(self, purpose: Choosing | Pondering | Analysing, info: Info) -> None:
        self._last = info
        if info.score_cp is None or not info.pv or not (self._posting or self._analysing):
            return
        pv = " ".join(format_xboard_move(move, self._style) for move in info.pv)
        if isinstance(purpose, Pondering):
            pv = f"({format_xboard_move(purpose.move, self._style)}) {pv}"
        self.think_aloud(format_thinking(Thinking(info.depth, info.score_cp, info.time_ms // 10, info.nodes, pv)))

    def chosen(self, purpose: Choosing | Pondering | Analysing, best: BestMove) -> None:
        if isinstance(purpose, Choosing) and best.move is not None:
            self._game.play(best.move)
            self.say(f"move {format_xboard_move(best.move, self._style)}")
            self._hint = best.ponder or expected_reply(self._last, best.move)
            self._tell_end()
            self._ponder()
        for text in self._pings:
            self.say(f"pong {text}")
        self._pings.clear()

    def rested(self) -> None:
        for text in self._pings:  # of a search that was given up
            self.say(f"pong {text}")
        self._pings.clear()

    def _tell_hint(self, text: str) -> None:
        if self._hint is not None and self._hint in self._game.position.legal_moves():
            self.say(f"Hint: {format_xboard_move(self._hint, self._style)}")

    def _tell_progress(self, text: str) -> None:
        if self._last is not None and isinstance(self.engine.searching, Analysing):
            info, total = self._last, len(self._game.position.legal_moves())
            self.say(f"stat01: {info.time_ms // 10} {info.nodes} {info.depth} 0 {total}")


def expected_reply(info: Info | None, move: str) -> str | None:
    """The second move of the main line, if it begins with ``move``."""
    return info.pv[1] if info is not None and len(info.pv) > 1 and info.pv[0] == move else None
