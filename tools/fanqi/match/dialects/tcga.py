"""The protocol of the Taiwanese banqi client, host side; its lines are in `fanqi.dialects.tcga`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fanqi.banqi import Rules
from fanqi.dialects import DialectError
from fanqi.dialects.tcga import (
    NUMBERS,
    TcgaCommand,
    TcgaReply,
    format_command,
    format_executed,
    parse_choice,
    parse_reply,
)
from fanqi.game import Player, quoted
from fanqi.match.dialects.base import Dialect, late_fault
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.turn import Reply

if TYPE_CHECKING:
    from fanqi.match.channel import Received
    from fanqi.match.limit import Limit
    from fanqi.match.turn import Setup, Turn

__all__ = ["TcgaDialect"]

PIECES = "KGMRNCPkgmrncp"
EXPECTED_MOVES = 60
"""An engine is told one time for the whole game; a fixed time a move is told as so many of them."""


class TcgaDialect(Dialect):
    """Every executed move is told to both engines, with the clock of who made it; an engine plays nothing by itself.

    These engines know nothing of the chase ban (see the referee's way with banned answers), nor of limits in depth or
    nodes. They have no options.
    """

    games: ClassVar[frozenset[str]] = frozenset({"banqi"})
    knows_rules: ClassVar[bool] = True

    async def start(self) -> None:
        for option in self.options:
            raise ConfigurationError(f"an engine of the Taiwanese client has no option {quoted(option)}, nor any other")
        name = await self._ask("name", late=Fault.START, timeout_s=self.timeouts.start)
        version = await self._ask("version", late=Fault.START)
        self.identity.name = f"{name.text} {version.text}".strip()[:200]

    async def new_game(self, setup: Setup) -> None:
        limit = setup.clock.limit
        if limit.depth is not None or limit.nodes is not None:
            raise ConfigurationError("the Taiwanese client's protocol has no word for a limit in depth or nodes")
        rules = Rules.parse(setup.rules)
        await self._must("reset_board")
        if setup.start != "startpos":
            await self._must("init_board", *board_words(setup.start))
        if rules.repetition:
            await self._must("num_repetition", str(rules.repetition))
        if rules.no_progress != Rules().no_progress:
            await self._must("num_moves_to_draw", str(rules.no_progress))
        if limit.timed:
            await self._must("time_setting", str(game_time_ms(limit)))
        await self._must("ready")
        self._told = 0
        self._start_color = None if setup.start == "startpos" else setup.start.split()[2]

    async def choose(self, turn: Turn) -> Reply:
        for index in range(self._told, len(turn.moves)):
            await self._send(format_executed(turn.moves[index]))
            mover = turn.position.turn if (len(turn.moves) - index) % 2 == 0 else turn.position.turn.other
            clock = turn.own if mover is turn.position.turn else turn.other
            if clock.left_ms is not None:
                await self._must("time_left", self._color(turn, mover), str(clock.left_ms))
        self._told = len(turn.moves)
        color = self._color(turn, turn.position.turn)
        command = TcgaCommand(NUMBERS["genmove"], (color,))
        asked_ns = self.channel.send(format_command(command))
        heard = await self._hear(command, turn.own.patience_ms / 1000, late_fault(turn.own))
        if not heard.value.good:
            raise EngineError(Fault.PROTOCOL, f"it answered genmove {color} with an error: {heard.value.text[:100]}")
        return Reply(move_text(heard.value.text), (heard.at_ns - asked_ns) // 1_000_000)

    async def stop(self) -> None:
        command = TcgaCommand(NUMBERS["genmove"])
        await self._hear(command, self.timeouts.stop, Fault.STALL)

    def quit(self) -> None:
        self.channel.send(format_command(TcgaCommand(NUMBERS["quit"])))

    def _color(self, turn: Turn, player: Player) -> str:
        """``red``, ``black``, or ``unknown`` before the first flip."""
        first = self._start_color
        if first in (None, "?0"):
            if not turn.moves:
                return "unknown"
            first = "r" if turn.moves[0][3].isupper() else "b"
        return "red" if (first == "r") == (player is Player.P1) else "black"

    async def _must(self, name: str, *arguments: str) -> None:
        await self._send(TcgaCommand(NUMBERS[name], arguments))

    async def _send(self, command: TcgaCommand) -> None:
        """A command that has to succeed."""
        self.channel.send(format_command(command))
        reply = (await self._hear(command, self.timeouts.ready, Fault.STALL)).value
        if not reply.good:
            raise EngineError(Fault.PROTOCOL, f"it refused {format_command(command)}: {reply.text[:100]}")

    async def _ask(self, name: str, *, late: Fault, timeout_s: float | None = None) -> TcgaReply:
        command = TcgaCommand(NUMBERS[name])
        self.channel.send(format_command(command))
        return (await self._hear(command, timeout_s or self.timeouts.ready, late)).value

    async def _hear(self, command: TcgaCommand, timeout_s: float, late: Fault) -> Received[TcgaReply]:
        """Wait for the answer with the command's number."""

        def answer(line: bytes) -> TcgaReply | None:
            reply = parse_reply(line)
            return reply if reply is not None and reply.number == command.number else None

        return await self.channel.receive(answer, timeout_s, late, f"answer to {command.name}")


def move_text(text: str) -> str:
    """A choice in our notation; what cannot be read is given back as it is, for the referee to judge."""
    try:
        return parse_choice(text)
    except DialectError:
        return text


def game_time_ms(limit: Limit) -> int:
    """The one time an engine is told, for its whole game."""
    if limit.tc is not None:
        return limit.tc.base_ms
    return EXPECTED_MOVES * (limit.movetime_ms or 0)


def board_words(start: str) -> list[str]:
    """The arguments of ``init_board``: 32 cells from row 8 down, then how many of each piece are covered."""
    board, covered = start.split()[:2]
    cells = ["-" if cell == "." else cell for cell in board.replace("/", "")]
    return cells + [str(covered.count(piece)) for piece in PIECES]
