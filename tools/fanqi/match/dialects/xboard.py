"""XBoard's protocol, host side; its words are in `fanqi.dialects.xboard`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from fanqi.dialects import DialectError
from fanqi.dialects.text import clean_line
from fanqi.dialects.xboard import (
    Level,
    format_level,
    format_xboard_fen,
    format_xboard_move,
    parse_features,
    parse_thinking,
    parse_xboard_move,
    style_of_variant,
)
from fanqi.dialects.xboard_options import XBoardOption, format_xboard_setting, parse_xboard_option
from fanqi.match.dialects.base import Dialect, late_fault, option_key, readable
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.turn import NO_THOUGHT, Reply, Thought

if TYPE_CHECKING:
    from fanqi.match.turn import Setup, Turn

__all__ = ["XBoardDialect"]

VARIANTS = ("flipello", "reversi", "alien", "othello")
"""In the order in which they are preferred, where an engine has several."""


class XBoardDialect(Dialect):
    """The engine is told moves in force mode and asked by ``go``, so it never moves before its clock runs.

    Options: ``option.variant=reversi`` chooses among the variants of the engine, ``option.memory`` and ``option.cores``
    are sent as such, every other one as ``option NAME=VALUE``; for what the engine has declared as a check, ``true``
    becomes 1 and ``false`` 0, and a button is pressed whatever the value.
    """

    games: ClassVar[frozenset[str]] = frozenset({"othello"})

    async def start(self) -> None:
        self._features: dict[str, str] = {}
        self._declared: dict[str, XBoardOption] = {}
        self._pings = 0
        self.channel.send("xboard\nprotover 2")
        await self.channel.receive(self._introduction, self.timeouts.start, Fault.START, "feature done=1", b"feature")
        self.identity.name = self._features.get("myname", "")[:200]
        self._variant = self._chosen_variant()
        self._style = style_of_variant(self._variant)
        lines = [f"accepted {name}" for name in self._features]
        for name, value in self.options.items():
            key = option_key(name)
            if key in ("memory", "cores"):
                lines.append(f"{key} {value}")
            elif key != "variant":
                lines.append(format_xboard_setting(self._declared.get(key, XBoardOption(name, "string")), value))
        self.channel.send("\n".join((*lines, "new", f"variant {self._variant}", "force")))
        await self._together(self.timeouts.ready, Fault.START)

    async def new_game(self, setup: Setup) -> None:
        limit = setup.clock.limit
        if limit.nodes is not None:
            raise ConfigurationError("XBoard has no word for a limit in nodes")
        lines = ["new", f"variant {self._variant}", "computer", "easy", "post"]
        if limit.tc is not None:
            base_seconds, increment = limit.tc.base_ms // 1000, limit.tc.increment_ms / 1000
            lines.append(f"level {format_level(Level(limit.tc.moves or 0, base_seconds, increment))}")
        if limit.movetime_ms is not None:
            lines.append(f"st {limit.movetime_ms / 1000:g}")
        if limit.depth is not None:
            lines.append(f"sd {limit.depth}")
        lines.append("force")
        if setup.start != "startpos":
            lines.append(f"setboard {format_xboard_fen(setup.start, self._style)}")
        self._told = 0
        self.channel.send("\n".join(lines))
        await self._together(self.timeouts.ready, Fault.STALL)

    async def choose(self, turn: Turn) -> Reply:
        told = "usermove " if self._features.get("usermove") == "1" else ""
        lines = ["force"]
        lines += [f"{told}{format_xboard_move(move, self._style)}" for move in turn.moves[self._told :]]
        self.channel.send("\n".join(lines))
        await self._together(self.timeouts.ready, Fault.STALL)
        self._told = len(turn.moves)
        for word, clock in (("time", turn.own), ("otim", turn.other)):
            if clock.left_ms is not None:
                self.channel.send(f"{word} {clock.left_ms // 10}")
        thought, offered = NO_THOUGHT, False

        def answer(line: bytes) -> tuple[str, bool] | None:
            nonlocal thought, offered
            text = clean_line(line)
            if text.startswith("move "):
                return text[5:].strip(), False
            if text == "resign":
                return "resign", True
            refuse_refusal(text)
            offered = offered or text == "offer draw"
            if (seen := parse_thinking(line)) is not None:
                thought = Thought(seen.score_cp, seen.depth, seen.nodes, 10 * seen.centiseconds, pv=seen.pv)
            return None

        asked_ns = self.channel.send("go")
        heard = await self.channel.receive(answer, turn.own.patience_ms / 1000, late_fault(turn.own), "move")
        move, resigns = heard.value
        if not resigns:
            self._told += 1  # the engine has played its move on its own board
        elapsed_ms = (heard.at_ns - asked_ns) // 1_000_000
        return Reply(self._own_move(move), elapsed_ms, thought, resigns, offered)

    async def stop(self) -> None:
        self.channel.send("force")
        await self._together(self.timeouts.stop, Fault.STALL)

    def quit(self) -> None:
        self.channel.send("force\nquit")

    def _introduction(self, line: bytes) -> bool | None:
        for name, value in parse_features(line):
            self._features[name] = value
            if name == "option":
                with suppress(DialectError):  # one that nobody can read cannot be set either
                    option = parse_xboard_option(value)
                    self._declared[option_key(option.name)] = option
        return True if self._features.get("done") == "1" else None

    def _chosen_variant(self) -> str:
        """The variant to play.

        Raises:
            EngineError: the engine has no Othello.
            ConfigurationError: the one that was asked for is none.
        """
        asked = next((value for name, value in self.options.items() if option_key(name) == "variant"), None)
        if asked is not None:
            try:
                style_of_variant(asked)
            except DialectError as error:
                raise ConfigurationError(str(error)) from None
            return asked
        known = self._features.get("variants", "").split(",")
        for name in VARIANTS:
            if name in known:
                return name
        raise EngineError(Fault.START, f"its variants are {', '.join(known)[:100] or 'not told'}; none is Othello")

    async def _together(self, timeout_s: float, late: Fault) -> None:
        """``ping``, and everything up to its ``pong`` is old; without the feature there is nothing to wait for."""
        if self._features.get("ping") != "1":
            return
        self._pings += 1
        expected = f"pong {self._pings}"

        def pong(line: bytes) -> bool | None:
            text = clean_line(line)
            refuse_refusal(text)
            return True if text == expected else None

        self.channel.send(f"ping {self._pings}")
        await self.channel.receive(pong, timeout_s, late, expected)

    def _own_move(self, text: str) -> str:
        """A move in our notation; what cannot be read is given back as it is, for the referee to judge."""
        try:
            return parse_xboard_move(text, self._style)
        except DialectError:
            return text


def refuse_refusal(text: str) -> None:
    """
    Raises:
        EngineError: the engine did not take a move, a position or an option. Commands that it does not know it may do
            without.
    """
    if text.startswith(("Illegal move", "Error")) and "unknown command" not in text:
        raise EngineError(Fault.PROTOCOL, readable(text.encode()))
