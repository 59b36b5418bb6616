"""UCI as a host speaks it, with the parts open in which its dialects differ."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from fanqi.game import Player, quoted
from fanqi.match.dialects.base import Dialect, late_fault, option_key, readable
from fanqi.match.dialects.uci_lines import (
    BestMove,
    is_scored,
    parse_best_move,
    parse_info,
    parse_option_name,
)
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.turn import NO_THOUGHT, Reply

if TYPE_CHECKING:
    from fanqi.match.turn import Setup, Turn

__all__ = ["VARIANT_KEY", "UciDialect", "clock_words", "limit_words"]

VARIANT_KEY = option_key("UCI_Variant")


class UciDialect(Dialect):
    """``position`` and ``go`` with the whole move list each time, so the engine keeps nothing between moves."""

    greeting: ClassVar[str] = "uci"
    """The first word; with ``ok`` behind it, the last one of the introduction."""
    new_game_word: ClassVar[str] = "ucinewgame"

    @abstractmethod
    def variant(self) -> str:
        """The value of ``UCI_Variant``."""

    @abstractmethod
    def position_line(self, turn: Turn) -> str:
        """The ``position`` line for a turn."""

    @abstractmethod
    def go_line(self, turn: Turn) -> str:
        """The ``go`` line for a turn."""

    def own_move(self, text: str) -> str:
        """An answer in our notation; what cannot be read is given back as it is, for the referee to judge."""
        return text

    async def start(self) -> None:
        self.channel.send(self.greeting)
        await self.channel.receive(self._introduction, self.timeouts.start, Fault.START, f"{self.greeting}ok")
        options = self.identity.options
        lines = []
        if VARIANT_KEY in options:
            lines.append(f"setoption name {options[VARIANT_KEY]} value {self.variant()}")
        for name, value in self.options.items():
            lines.append(option_line(self._known(name), value))
        if lines:
            self.channel.send("\n".join(lines))
        await self.ready(Fault.START)

    async def new_game(self, setup: Setup) -> None:
        self.channel.send(self.new_game_word)
        await self.ready(Fault.STALL)

    async def choose(self, turn: Turn) -> Reply:
        last_info = trouble = b""

        def answer(line: bytes) -> BestMove | None:
            nonlocal last_info, trouble
            if line.startswith(b"info"):
                if is_scored(line):
                    last_info = line
                elif line.startswith(b"info string error"):
                    trouble = line
                return None
            if not line.startswith(b"bestmove"):
                return None
            best = parse_best_move(line)
            if best is None:
                raise EngineError(Fault.ILLEGAL, "bestmove without a move")
            return best

        if self.timeouts.every_move:
            await self.ready(Fault.STALL)
        asked_ns = self.channel.send(f"{self.position_line(turn)}\n{self.go_line(turn)}")
        try:
            heard = await self.channel.receive(answer, turn.own.patience_ms / 1000, late_fault(turn.own), "bestmove")
        except EngineError as error:
            if not trouble:
                raise
            raise EngineError(error.fault, f"{error.detail}; it said: {readable(trouble)}") from None
        return Reply(
            self.own_move(heard.value.move),
            (heard.at_ns - asked_ns) // 1_000_000,
            parse_info(last_info) if last_info else NO_THOUGHT,
            heard.value.resigns,
            heard.value.offers_draw,
        )

    async def stop(self) -> None:
        self.channel.send("stop")
        await self.channel.receive(is_best_move, self.timeouts.stop, Fault.STALL, "bestmove after stop")

    def quit(self) -> None:
        self.channel.send("stop\nquit")

    async def ready(self, late: Fault) -> None:
        """``isready`` until ``readyok``, waiting on while the engine shows that it is busy."""
        self.channel.send("isready")
        await self.channel.receive(is_ready, self.timeouts.ready, late, "readyok", busy=b"info string")

    def _introduction(self, line: bytes) -> bool | None:
        if line.startswith(b"id name "):
            self.identity.name = readable(line[8:]).strip()
        elif (option := parse_option_name(line)) is not None:
            self.identity.options[option_key(option[0])] = option[0]
        return True if line.strip() == f"{self.greeting}ok".encode() else None

    def _known(self, name: str) -> str:
        """An option by the name the engine gave it; case, blanks and underscores do not matter.

        Raises:
            ConfigurationError: the engine has no such option.
        """
        options = self.identity.options
        found = name if name in options.values() else options.get(option_key(name))
        if found is None:
            raise ConfigurationError(
                f"there is no option {quoted(name)}, only {', '.join(sorted(options.values())) or 'none at all'}"
            )
        return found


def option_line(name: str, value: str) -> str:
    return f"setoption name {name} value {value}" if value else f"setoption name {name}"


def is_ready(line: bytes) -> bool | None:
    word = line.strip()
    if word.startswith(b"info string error"):
        raise EngineError(Fault.PROTOCOL, readable(word))
    return True if word == b"readyok" else None


def is_best_move(line: bytes) -> bool | None:
    return True if line.startswith(b"bestmove") else None


def limit_words(turn: Turn) -> list[str]:
    """The words of ``go`` that are not about clocks."""
    limit = turn.own.limit
    named = (("movetime", limit.movetime_ms), ("depth", limit.depth), ("nodes", limit.nodes))
    return [f"{name} {value}" for name, value in named if value is not None]


def clock_words(turn: Turn, first: str, second: str) -> list[str]:
    """The words of ``go`` that are about clocks, none where the side to move has no clock.

    Args:
        first, second: what the sides are called, such as ``p1`` and ``p2``.
    """
    own, other = turn.own, turn.other
    if own.limit.tc is None:
        return []
    words = []
    clocks = (own, other) if turn.position.turn is Player.P1 else (other, own)
    for side, clock in zip((first, second), clocks, strict=True):
        if clock.left_ms is not None and clock.limit.tc is not None:
            words.append(f"{side}time {clock.left_ms} {side}inc {clock.limit.tc.increment_ms}")
    if own.moves_to_go is not None:
        words.append(f"movestogo {own.moves_to_go}")
    return words
