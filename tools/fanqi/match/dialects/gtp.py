"""GTP for Othello, host side; its lines are in `fanqi.dialects.gtp`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fanqi.dialects import DialectError
from fanqi.dialects.gtp import GtpCommand, GtpReply, format_command, format_vertex, parse_reply, parse_vertex
from fanqi.game import Player
from fanqi.match.dialects.base import Dialect, late_fault
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.turn import Reply
from fanqi.records import GameRecord, format_sgf

if TYPE_CHECKING:
    from fanqi.match.channel import Received
    from fanqi.match.turn import Setup, Turn

__all__ = ["GtpDialect"]

COLORS = {Player.P1: "black", Player.P2: "white"}
LONGEST_ANSWER = 1000


class GtpDialect(Dialect):
    """Moves are told one by one; the engine applies its own.

    Options are commands that are sent once: ``option.set_level=5`` is ``set_level 5``. There is no word for depth or
    nodes, so those are refused.
    """

    games: ClassVar[frozenset[str]] = frozenset({"othello"})

    async def start(self) -> None:
        name = await self._ask("name", late=Fault.START, timeout_s=self.timeouts.start)
        version = await self._ask("version", late=Fault.START)
        self.identity.name = f"{name.text} {version.text}".strip()[:200]
        commands = await self._ask("list_commands", late=Fault.START)
        self._commands = set(commands.text.split())
        for option, value in self.options.items():
            reply = await self._ask(option, *value.split(), late=Fault.START)
            if not reply.good:
                raise ConfigurationError(f"it does not take {option} {value}: {reply.text}")
        if "set_game" in self._commands:
            await self._ask("set_game", "Othello", late=Fault.START)

    async def new_game(self, setup: Setup) -> None:
        limit = setup.clock.limit
        if limit.depth is not None or limit.nodes is not None:
            raise ConfigurationError("GTP has no word for a limit in depth or nodes; engines have options for that")
        self._told = 0
        await self._must("boardsize", "8")
        await self._must("clear_board")
        if setup.start != "startpos":
            await self._load(setup.start)
        if "time_settings" in self._commands:
            if limit.tc is not None:
                base, increment = (seconds(value) for value in (limit.tc.base_ms, limit.tc.increment_ms))
                await self._ask("time_settings", base, increment, "1" if limit.tc.increment_ms else "0")
            elif limit.movetime_ms is not None and limit.movetime_ms >= 1000:  # GTP has whole seconds only
                await self._ask("time_settings", "0", seconds(limit.movetime_ms), "1")

    async def choose(self, turn: Turn) -> Reply:
        color = COLORS[turn.position.turn]
        moves_told = len(turn.moves) - self._told
        for index, move in enumerate(turn.moves[self._told :]):
            mover = turn.position.turn if (moves_told - index) % 2 == 0 else turn.position.turn.other
            if move == "pass":  # some refuse to be told what they do by themselves
                await self._ask("play", COLORS[mover], "pass")
            else:
                await self._must("play", COLORS[mover], format_vertex(move))
        self._told = len(turn.moves)
        if turn.own.left_ms is not None and "time_left" in self._commands:
            await self._ask("time_left", color, seconds(turn.own.left_ms), "0")
        patience_s = turn.own.patience_ms / 1000
        asked_ns = self.channel.send(format_command(GtpCommand("genmove", (color,))))
        heard = await self._hear("genmove", patience_s, late_fault(turn.own))
        elapsed_ms = (heard.at_ns - asked_ns) // 1_000_000
        self._told += 1  # the engine has played its move on its own board
        if not heard.value.good:
            if turn.position.legal_moves() == ("pass",):
                return Reply("pass", elapsed_ms)
            raise EngineError(Fault.PROTOCOL, f"it answered genmove {color} with an error: {heard.value.text[:100]}")
        return Reply(move_text(heard.value.text), elapsed_ms, resigns=heard.value.text.lower() == "resign")

    async def stop(self) -> None:
        await self._hear("genmove", self.timeouts.stop, Fault.STALL)

    def quit(self) -> None:
        self.channel.send("quit")

    async def _load(self, start: str) -> None:
        """Set up a position by way of a file, the only one there is."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "start.sgf"
            path.write_text(format_sgf(GameRecord("othello", (), start)), encoding="utf-8")
            await self._must("loadsgf", str(path))

    async def _must(self, name: str, *arguments: str) -> None:
        """A command that has to succeed."""
        reply = await self._ask(name, *arguments)
        if not reply.good:
            raise EngineError(Fault.PROTOCOL, f"it refused {' '.join((name, *arguments))}: {reply.text[:100]}")

    async def _ask(
        self, name: str, *arguments: str, late: Fault = Fault.STALL, timeout_s: float | None = None
    ) -> GtpReply:
        self.channel.send(format_command(GtpCommand(name, arguments)))
        return (await self._hear(name, timeout_s or self.timeouts.ready, late)).value

    async def _hear(self, name: str, timeout_s: float, late: Fault) -> Received[GtpReply]:
        """Wait for an answer: from the line that begins with ``=`` or ``?`` to the next empty one."""
        lines: list[str] = []

        def answer(line: bytes) -> GtpReply | None:
            text = line.decode("utf-8", "replace").rstrip()
            if not lines and not text.startswith(("=", "?")):
                return None
            if text:
                lines.append(text)
                if len(lines) > LONGEST_ANSWER:
                    raise EngineError(Fault.PROTOCOL, f"its answer to {name} has no end")
                return None
            return parse_reply("\n".join(lines))

        return await self.channel.receive(answer, timeout_s, late, f"answer to {name}")


def move_text(text: str) -> str:
    """A vertex in our notation; what cannot be read is given back as it is, for the referee to judge."""
    try:
        return parse_vertex(text)
    except DialectError:
        return text


def seconds(value_ms: int) -> str:
    """Whole seconds, at least one unless it is zero: GTP has integers only."""
    return str(max(1, value_ms // 1000) if value_ms else 0)
