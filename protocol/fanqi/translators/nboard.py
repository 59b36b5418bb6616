"""The engine side of NBoard (`fanqi.dialects.nboard`)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from fanqi.about import NAME
from fanqi.dialects.errors import DialectError
from fanqi.dialects.nboard import (
    Analysis,
    Analyze,
    Choice,
    Go,
    Hello,
    Hint,
    Learn,
    Learned,
    Move,
    MyName,
    NodeStats,
    Ping,
    Pong,
    Quit,
    SearchLine,
    SetContempt,
    SetDepth,
    SetGame,
    Status,
    format_engine_line,
    format_nboard_move,
    parse_gui_line,
)
from fanqi.game import MoveError, Player
from fanqi.othello.scoring import final_margin
from fanqi.records import GameRecord, PlayedMove
from fanqi.search import Bound
from fanqi.translators.base import Translator
from fanqi.translators.othello_game import OthelloGame
from fanqi.uci import Go as SearchLimits

if TYPE_CHECKING:
    from typing import Any

    from fanqi.dialects.nboard import EngineLine
    from fanqi.othello import Position
    from fanqi.search import Info
    from fanqi.uci import BestMove

__all__ = ["NBoardTranslator"]

MAX_DEPTH = 60
MAX_SOLVED = 20  # empty squares: about a second
MAX_HINTS = 60


@dataclass(frozen=True, slots=True)
class Choosing:
    """A search for ``go``."""


@dataclass(frozen=True, slots=True)
class Hinting:
    """A search for ``hint``, with so many squares empty."""

    empty: int


@dataclass(frozen=True, slots=True)
class Analyzing:
    """A search for ``analyze``: the position after ``ply`` moves, and those still to come."""

    ply: int


class NBoardTranslator(Translator):
    """Searches run beside the conversation: whatever changes the position, and every ``ping``, ends them."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._game = OthelloGame()
        self._record = GameRecord("othello")
        self._depth: int | None = None
        self._contempt = 0
        self._pings: deque[tuple[int, int]] = deque()  # and how many searches had begun before each
        self._infos: dict[int, Info] = {}
        self._ready = False
        self._loading = False
        self._failed = False  # the status line says what has failed

    def hear(self, line: str) -> None:
        if not self._loading:
            self._loading = True
            self.engine.ready()
        try:
            message = parse_gui_line(line)
        except DialectError as error:
            self._complain(str(error))
            return
        match message:
            case None:
                pass  # unknown lines are ignored
            case Hello():
                self._tell(MyName(NAME))
            case SetDepth(depth):
                self._depth = max(1, min(depth, MAX_DEPTH))
            case SetContempt(contempt):
                self._contempt = max(-1000, min(contempt, 1000))
            case SetGame(record):
                self.engine.give_up()
                self._record = record
                self._game = OthelloGame.of_record(record)
            case Move(move, evaluation, seconds):
                self._play(move, evaluation, seconds)
            case Hint(moves):
                self._search(Hinting(empty_squares(self._game.position)), max(1, min(moves, MAX_HINTS)))
            case Go():
                self._search(Choosing(), 1)
            case Ping(number):
                self.engine.give_up()
                self._pings.append((number, self.engine.begun))
                self._answer_pings()
            case Learn():
                self._learn()
            case Analyze():
                self._analyze(0)
            case Quit():
                self.end()
            case _:
                assert_never(message)

    def refuse_long_line(self) -> None:
        self._complain("a line was too long and has been skipped")

    def told(self, text: str) -> None:
        if self._ready:
            super().told(text)
        else:
            self._tell(Status(text))

    def failed(self, text: str) -> None:
        self._failed = True
        self._complain(text)

    def ready(self) -> None:
        self._ready = True
        if not self._failed:
            self._tell(Status())
        self._answer_pings()

    def search_ended(self) -> None:
        self._answer_pings()

    def _answer_pings(self) -> None:
        """Not before the engine is loaded and what ran before a ping has ended, but before what was asked after it.

        A host takes nothing for an answer to its new questions that comes before the pong.
        """
        while self._ready and self._pings and self.engine.ended >= self._pings[0][1]:
            self._tell(Pong(self._pings.popleft()[0]))

    def _play(self, move: str, evaluation: float | None, seconds: float | None) -> None:
        self.engine.give_up()
        before = len(self._game.moves)
        try:
            self._game.play(move)
        except MoveError as error:
            self._complain(f"move {format_nboard_move(move)}: {error.reason}")
            return
        played = [PlayedMove(name) for name in self._game.moves[before:-1]]
        played.append(PlayedMove(self._game.moves[-1], evaluation, seconds))
        self._record = GameRecord(
            "othello",
            (*self._record.moves, *played),
            self._record.start,
            self._record.players,
            self._record.ratings,
            self._record.date,
            self._record.place,
            tags=self._record.tags,
        )

    def _search(self, purpose: Choosing | Hinting, lines: int) -> None:
        self.engine.give_up()
        if self._game.over:
            self._complain("the game is over")
            return
        self._infos.clear()
        self.engine.option("MultiPV", str(lines))
        # contempt is Black's view here, and the mover's in our own protocol
        sign = -1 if self._game.position.turn is Player.P1 else 1
        self.engine.option("Contempt", str(sign * self._contempt))
        limits = self._limits(self._game.position)
        self.engine.go(self._game.start_fen, self._game.moves, limits, purpose)
        self._tell(Status("thinking"))

    def _analyze(self, ply: int) -> None:
        """Evaluate the position after ``ply`` moves, unless it needs no search; then the next."""
        self.engine.give_up()
        positions = self._game.positions
        while ply < len(positions) and not positions[ply].legal_moves():
            self._tell(Analysis(ply, mover_margin(positions[ply])))
            ply += 1
        if ply < len(positions):
            self._infos.clear()
            self.engine.option("MultiPV", "1")
            limits = self._limits(positions[ply])
            self.engine.go(self._game.start_fen, self._game.moves[:ply], limits, Analyzing(ply))

    def _limits(self, position: Position) -> SearchLimits:
        """The depth that was set is the midgame's; the engine may look deeper when the end is near."""
        if self._depth is None:
            return self.surroundings.think
        empty = empty_squares(position)
        return SearchLimits(depth=max(self._depth, empty if empty <= min(2 * self._depth, MAX_SOLVED) else 0))

    def _learn(self) -> None:
        try:
            self.surroundings.learn(self._record)
        except OSError as error:
            self._complain(f"learn: {error}")
        self._tell(Learned())

    def thought(self, purpose: Choosing | Hinting | Analyzing, info: Info) -> None:
        self._infos[info.multipv] = info
        if isinstance(purpose, Hinting) and info.pv:
            self.think_aloud(format_engine_line(search_line(info, purpose.empty)))
            if info.multipv == 1:
                self.think_aloud(format_engine_line(NodeStats(info.nodes, info.time_ms / 1000)))

    def chosen(self, purpose: Choosing | Hinting | Analyzing, best: BestMove) -> None:
        info = self._infos.get(1)
        evaluation = None if info is None or info.score_cp is None else info.score_cp / 100
        match purpose:
            case Choosing():
                if info is not None:
                    self._tell(NodeStats(info.nodes, info.time_ms / 1000))
                if best.move is not None:
                    self._tell(Choice(best.move, evaluation, None if info is None else info.time_ms / 1000))
                self._tell(Status())
            case Hinting():
                self._tell(Status())
            case Analyzing(ply):
                self._tell(Analysis(ply, evaluation))
                self._analyze(ply + 1)
            case _:
                assert_never(purpose)

    def _tell(self, message: EngineLine) -> None:
        self.say(format_engine_line(message))

    def _complain(self, text: str) -> None:
        """NBoard has no word for errors; the status line is what its user sees."""
        self._tell(Status(f"error: {text}"))


def search_line(info: Info, empty: int) -> SearchLine:
    """A report as NBoard shows it: ``100%`` for a solved position, ``14@73%`` for a selective search."""
    evaluation = None if info.score_cp is None else info.score_cp / 100
    exact = info.selectivity in (None, 100)
    if exact and info.depth >= empty and info.bound is Bound.EXACT:
        return SearchLine(info.pv, evaluation, "100%")
    return SearchLine(info.pv, evaluation, f"{info.depth}{'' if exact else f'@{info.selectivity}%'}")


def empty_squares(position: Position) -> int:
    """How many squares are empty."""
    return 64 - (position.black | position.white).bit_count()


def mover_margin(position: Position) -> float:
    """The result of a finished game from the view of the side that would be to move."""
    margin = final_margin(position.black.bit_count(), position.white.bit_count())
    return margin if position.turn is Player.P1 else -margin
