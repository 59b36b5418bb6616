"""The engine side of Cassio's protocol (`fanqi.dialects.cassio`).

A search ends with ``ready.``. What comes during a search waits, but for ``stop``, ``get-search-infos`` and the bare
prefix, which asks whether the search still goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fanqi.about import NAME, VERSION
from fanqi.dialects.cassio import (
    CassioResult,
    EmptyHash,
    EndgameSearch,
    FeedHash,
    GetSearchInfos,
    GetVersion,
    Init,
    MidgameSearch,
    NewPosition,
    Poll,
    Quit,
    Stop,
    format_result,
    parse_command,
)
from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import printable
from fanqi.game import FEATURES
from fanqi.othello import Position
from fanqi.search import Bound, Solve
from fanqi.translators.serial import SerialTranslator
from fanqi.uci import Go

if TYPE_CHECKING:
    from fanqi.dialects.cassio import CassioCommand
    from fanqi.search import Info
    from fanqi.uci import BestMove

__all__ = ["CassioTranslator"]

READY = "ready."
SEARCHING = "ok."
MAX_DEPTH = 60
MAX_DISCS = 64.0


@dataclass(frozen=True, slots=True)
class Searching:
    """A search for Cassio."""

    position: Position
    only_wdl: bool


class CassioTranslator(SerialTranslator["CassioCommand"]):
    """Answers in the words Edax uses, since that is what Cassio knows."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self._initialized = False
        self._last_line = ""
        self._last_info: Info | None = None
        self.handlers = {
            "Init": self._init,
            "GetVersion": lambda command: f"version: {NAME} {VERSION}\n{READY}",
            "NewPosition": lambda command: READY,
            "MidgameSearch": self._search,
            "EndgameSearch": self._search,
            "EmptyHash": self._empty_hash,
            "FeedHash": lambda command: READY,
        }
        super().__init__(*args, **named)

    def hear(self, line: str) -> None:
        try:
            command = parse_command(line)
        except DialectError as error:
            self._complain(error.reason)
            return
        match command:
            case None:
                pass
            case Poll():
                self.say(READY if self.engine.searching is None else SEARCHING)
            case GetSearchInfos():
                self._tell_progress()
            case Stop():
                self.drop_waiting()
                if self.engine.searching is None:
                    self.say(READY)
                else:
                    self.engine.stop()
            case Quit():
                self.drop_waiting()
                self.engine.give_up()
                self.say("bye bye.")
                self.leave()
            case Init() | GetVersion() | NewPosition() | MidgameSearch() | EndgameSearch() | EmptyHash() | FeedHash():
                self.take(command)

    def refuse_long_line(self) -> None:
        self._complain("line too long")

    def name_of(self, command: CassioCommand) -> str:
        return type(command).__name__

    def reply(self, command: CassioCommand, text: str = "", *, good: bool = True) -> None:
        if good:
            self.say(text)
        else:
            self._complain(text)

    def ready(self) -> None:
        self._initialized = True
        self.say(READY)
        self.settle()

    def _complain(self, reason: str) -> None:
        self.say(f"ERROR: {printable(reason, 200)}")
        if not reason.startswith("Unknown protocol"):
            self.say(READY)

    def _init(self, command: CassioCommand) -> None:
        self.engine.ready()

    def _empty_hash(self, command: CassioCommand) -> str:
        self.engine.new_game()
        return READY

    def _search(self, command: CassioCommand) -> str | None:
        assert isinstance(command, MidgameSearch | EndgameSearch)
        if not self._initialized:
            raise DialectError("Engine need to be initialized.")
        position = Position.from_fen(command.position)
        if not position.legal_moves():
            return READY  # nothing to be searched, nothing to be said
        only_wdl = False
        if isinstance(command, MidgameSearch):
            depth = max(1, min(command.depth, MAX_DEPTH))
            limits = Go(depth=depth, selectivity=nearest_certainty(command.precision))
        elif command.precision < 100:
            limits = Go(depth=max(1, position.empties), selectivity=nearest_certainty(command.precision))
        else:
            only_wdl = command.alpha >= -1 and command.beta <= 1
            limits = Go(solve=Solve.WDL if only_wdl else Solve.SCORE)
        self._last_line, self._last_info = "", None
        self.engine.go(command.position, (), limits, Searching(position, only_wdl))
        return None

    def _tell_progress(self) -> None:
        if self.engine.searching is None:
            self.say(READY)
        else:
            nodes = self._last_info.nodes if self._last_info else 0
            seconds = self._last_info.time_ms / 1000 if self._last_info else 0.0
            self.say(f"node {nodes}, time {seconds:.3f}")

    def thought(self, purpose: Searching, info: Info) -> None:
        self._last_info = info
        if info.pv and info.score_cp is not None:
            self._tell_result(purpose, info)

    def chosen(self, purpose: Searching, best: BestMove) -> None:
        self.say(READY)
        self.settle()

    def _tell_result(self, purpose: Searching, info: Info) -> None:
        value = (info.score_cp or 0) / 100
        lower = -MAX_DISCS if info.bound is Bound.UPPER else value
        upper = MAX_DISCS if info.bound is Bound.LOWER else value
        if purpose.only_wdl and info.depth >= purpose.position.empties:  # who wins is proven, not by how much
            lower, upper = (value, MAX_DISCS) if value > 0 else (-MAX_DISCS, value) if value < 0 else (value, value)
        line = format_result(
            CassioResult(
                purpose.position.fen(),
                info.pv[0],
                info.depth,
                100 if info.selectivity is None else info.selectivity,
                lower,
                upper,
                info.pv,
                info.nodes,
                info.time_ms / 1000,
            )
        )
        found = line.partition(", node ")[0]
        if found != self._last_line:  # the same result again is not worth a line
            self._last_line = found
            self.say(line)


def nearest_certainty(precision: int) -> int:
    """The certainty of forward pruning nearest to a percentage, the higher of two that are as near."""
    return max(FEATURES["othello"].certainties, key=lambda percent: (-abs(percent - precision), percent))
