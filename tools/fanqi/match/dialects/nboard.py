"""NBoard's protocol, host side; its lines are in `fanqi.dialects.nboard`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fanqi.dialects.nboard import (
    Choice,
    Go,
    Hello,
    MyName,
    Ping,
    Pong,
    Quit,
    SearchLine,
    SetDepth,
    SetGame,
    format_gui_line,
    parse_engine_line,
)
from fanqi.game import quoted
from fanqi.match.dialects.base import Dialect, late_fault, option_key
from fanqi.match.errors import ConfigurationError, Fault
from fanqi.match.turn import Reply, Thought
from fanqi.records import GameRecord, plain_moves

if TYPE_CHECKING:
    from fanqi.match.limit import Limit
    from fanqi.match.turn import Setup, Turn

__all__ = ["NBoardDialect"]


class NBoardDialect(Dialect):
    """The whole game is told before each move, and ``ping`` keeps both sides together.

    There is no word for time but the tags of the game, so an engine plays at its ``depth`` and only our clock keeps it
    to a time limit. Its one option is ``depth``.
    """

    games: ClassVar[frozenset[str]] = frozenset({"othello"})

    async def start(self) -> None:
        self._pings = 0
        for name in self.options:
            value = self.options[name]
            if option_key(name) != "depth" or not value.isdecimal() or len(value) > 9:
                raise ConfigurationError(f"an NBoard engine has no option {quoted(name)} but depth, a number")
        self.channel.send(format_gui_line(Hello(2)))
        for value in self.options.values():
            self.channel.send(format_gui_line(SetDepth(int(value))))
        await self._together(self.timeouts.start, Fault.START)

    async def new_game(self, setup: Setup) -> None:
        limit = setup.clock.limit
        if limit.nodes is not None:
            raise ConfigurationError("NBoard has no word for a limit in nodes")
        if limit.depth is not None:
            self.channel.send(format_gui_line(SetDepth(limit.depth)))
        self.channel.send(format_gui_line(SetGame(GameRecord("othello", (), start_of(setup)))))
        await self._together(self.timeouts.ready, Fault.STALL)

    async def choose(self, turn: Turn) -> Reply:
        tags = (("TI", clock_text(turn.own.limit)),)
        game = GameRecord("othello", plain_moves(turn.moves), start_of(turn.setup), tags=tags)
        self.channel.send(format_gui_line(SetGame(game)))
        await self._together(self.timeouts.ready, Fault.STALL)
        last = Thought()

        def answer(line: bytes) -> Choice | None:
            nonlocal last
            match parse_engine_line(line):
                case SearchLine(pv, evaluation, depth):
                    last = Thought(
                        None if evaluation is None else round(100 * evaluation),
                        leading_integer(depth),
                        exact=depth.startswith("100%") and not depth.endswith(("W", "w")),
                        pv=" ".join(pv),
                    )
                case Choice() as choice:
                    return choice
                case _:
                    pass
            return None

        asked_ns = self.channel.send(format_gui_line(Go()))
        heard = await self.channel.receive(answer, turn.own.patience_ms / 1000, late_fault(turn.own), "move")
        choice = heard.value
        if choice.evaluation is not None and last.cp is None:
            last = Thought(round(100 * choice.evaluation))
        return Reply(choice.move, (heard.at_ns - asked_ns) // 1_000_000, last)

    async def stop(self) -> None:
        await self._together(self.timeouts.stop, Fault.STALL)

    def quit(self) -> None:
        self.channel.send(format_gui_line(Quit()))

    async def _together(self, timeout_s: float, late: Fault) -> None:
        """``ping``, and everything up to its ``pong`` is old."""
        self._pings += 1
        number = self._pings

        def pong(line: bytes) -> bool | None:
            match parse_engine_line(line):
                case MyName(text):
                    self.identity.name = text[:200]
                case Pong(found):
                    return True if found == number else None
                case _:
                    pass
            return None

        self.channel.send(format_gui_line(Ping(number)))
        await self.channel.receive(pong, timeout_s, late, f"pong {number}", busy=b"status")


def start_of(setup: Setup) -> str | None:
    return None if setup.start == "startpos" else setup.start


def clock_text(limit: Limit) -> str:
    """A time control as GGF writes it: ``mm:ss`` for the game, ``/mm:ss`` the increment."""
    if limit.tc is None:
        return ""
    base, increment = limit.tc.base_ms // 1000, limit.tc.increment_ms // 1000
    text = f"{base // 60:02d}:{base % 60:02d}"
    return f"{text}/{increment // 60:02d}:{increment % 60:02d}" if increment else text


def leading_integer(text: str) -> int | None:
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    return int(digits) if digits and len(digits) < 10 else None
