"""Cassio's protocol, host side; its lines are in `fanqi.dialects.cassio`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from fanqi.dialects.cassio import (
    EndgameSearch,
    GetVersion,
    Init,
    MidgameSearch,
    NewPosition,
    Quit,
    Stop,
    format_command,
    parse_result,
)
from fanqi.dialects.text import clean_line
from fanqi.game import quoted
from fanqi.match.dialects.base import Dialect, late_fault, option_key, readable
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.turn import Reply, Thought

if TYPE_CHECKING:
    from fanqi.dialects.cassio import CassioResult
    from fanqi.match.turn import Setup, Turn

__all__ = ["CassioDialect"]

DEEPEST = 60
HEADROOM_MS = 30
"""Taken off a time limit, since it is we who stop the search."""


class CassioDialect(Dialect):
    """Every position is searched on its own. Cassio's engines know no time: the host stops them.

    Its one option is ``precision``, the certainty in percent that is asked for in the midgame (default 100).
    """

    games: ClassVar[frozenset[str]] = frozenset({"othello"})

    async def start(self) -> None:
        for name, value in self.options.items():
            known = option_key(name) == "precision" and value.isdecimal() and len(value) < 4
            if not known or not 1 <= int(value) <= 100:
                raise ConfigurationError(f"a Cassio engine has no option {quoted(name)} but precision, from 1 to 100")
        self._precision = int(next(iter(self.options.values()), "100"))
        self.channel.send(format_command(Init()))
        await self._ready(self.timeouts.start, Fault.START)
        self.channel.send(format_command(GetVersion()))
        await self._ready(self.timeouts.start, Fault.START)

    async def new_game(self, setup: Setup) -> None:
        if setup.clock.limit.nodes is not None:
            raise ConfigurationError("Cassio's protocol has no word for a limit in nodes")
        self.channel.send(format_command(NewPosition()))
        await self._ready(self.timeouts.ready, Fault.STALL)

    async def choose(self, turn: Turn) -> Reply:
        if turn.position.legal_moves() == ("pass",):
            return Reply("pass", 0)  # there is nothing to be searched
        last: CassioResult | None = None

        def answer(line: bytes) -> bool | None:
            nonlocal last
            text = clean_line(line)
            if text.startswith("ERROR"):
                raise EngineError(Fault.PROTOCOL, readable(line))
            last = parse_result(line) or last
            return True if text == "ready." else None

        asked_ns = self.channel.send(self._question(turn))
        loop, stopper = asyncio.get_running_loop(), None
        if (share_ms := time_share_ms(turn)) is not None:
            stopper = loop.call_later(share_ms / 1000, self._stop_quietly)
        try:
            heard = await self.channel.receive(answer, turn.own.patience_ms / 1000, late_fault(turn.own), "ready.")
        finally:
            if stopper is not None:
                stopper.cancel()
        elapsed_ms = (heard.at_ns - asked_ns) // 1_000_000
        if last is None:
            raise EngineError(Fault.ILLEGAL, "ready. without a result")
        return Reply(last.move, elapsed_ms, thought_of(last))

    async def stop(self) -> None:
        self.channel.send(format_command(Stop()))
        await self._ready(self.timeouts.stop, Fault.STALL)

    def quit(self) -> None:
        self.channel.send(format_command(Quit()))

    def _question(self, turn: Turn) -> str:
        position = turn.position.fen()
        empties = position.count("-")
        depth = turn.own.limit.depth or DEEPEST
        if depth >= empties:
            return format_command(EndgameSearch(position, -64, 64, 100))
        return format_command(MidgameSearch(position, -64, 64, depth, self._precision))

    def _stop_quietly(self) -> None:
        """The time for a move is over. An engine that is gone by then is found out by whoever waits for it."""
        if self.channel.fault is None:
            self.channel.send(format_command(Stop()))

    async def _ready(self, timeout_s: float, late: Fault) -> None:
        def ready(line: bytes) -> bool | None:
            text = clean_line(line)
            if text.startswith("version:"):
                self.identity.name = text.removeprefix("version:").strip()[:200]
            return True if text == "ready." else None

        await self.channel.receive(ready, timeout_s, late, "ready.")


def time_share_ms(turn: Turn) -> float | None:
    """When to stop the search; None where there is no time limit.

    A clock is shared out evenly over the moves that are left, at most half of the empty squares.
    """
    own = turn.own
    shares = []
    if own.limit.movetime_ms is not None:
        shares.append(float(own.limit.movetime_ms))
    if own.left_ms is not None and own.limit.tc is not None:
        left = max(1, min((turn.position.fen().count("-") + 1) // 2, own.moves_to_go or 60))
        shares.append(own.left_ms / (left + 1) + own.limit.tc.increment_ms * 0.8)
    return max(min(shares) - HEADROOM_MS, 5.0) if shares else None


def thought_of(result: CassioResult) -> Thought:
    exact = result.certainty == 100 and result.lower == result.upper
    cp = round(50 * (result.lower + result.upper)) if exact or result.lower == result.upper else None
    return Thought(
        cp,
        result.depth,
        result.nodes,
        round(1000 * result.seconds),
        exact=exact and result.depth >= result.position.count("-"),
        pv=" ".join(result.pv),
    )
