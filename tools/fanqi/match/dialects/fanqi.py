"""Our own protocol (docs/protocol.md), host side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.game import Player
from fanqi.match.dialects.base import Dialect
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
    from fanqi.match.clock import GameClock
    from fanqi.match.turn import Setup, Turn

__all__ = ["FanqiDialect", "go_words"]


class FanqiDialect(Dialect):
    """``position`` and ``go`` with the whole move list each time, so the engine keeps nothing between moves."""

    async def start(self) -> None:
        self.channel.send("uci")
        await self.channel.receive(self._introduction, self.timeouts.start, Fault.START, "uciok")
        options = self.identity.options
        lines = []
        if "uci_variant" in options:
            lines.append(f"setoption name {options['uci_variant']} value {self.game}")
        for name, value in self.options.items():
            lines.append(option_line(self._known(name), value))
        if lines:
            self.channel.send("\n".join(lines))
        await self._ready(Fault.START)

    async def new_game(self, setup: Setup) -> None:
        lines = ["ucinewgame"]
        if "rules" in self.identity.options:
            lines.append(f"setoption name {self.identity.options['rules']} value {setup.rules}".rstrip())
        elif setup.rules:
            raise EngineError(Fault.START, f"it has no option Rules, and the rules are {setup.rules}")
        self.channel.send("\n".join(lines))
        await self._ready(Fault.STALL)

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

        start = turn.setup.start
        place = start if start == "startpos" else f"fen {start}"
        moves = f" moves {turn.moves_text}" if turn.moves else ""
        asked_ns = self.channel.send(f"position {place}{moves}\n{go_words(turn)}")
        try:
            heard = await self.channel.receive(answer, turn.own.patience_ms / 1000, late_fault(turn.own), "bestmove")
        except EngineError as fault:
            if not trouble:
                raise
            raise EngineError(fault.fault, f"{fault.detail}; it said: {readable(trouble)}") from None
        return Reply(
            heard.value.move,
            (heard.at_ns - asked_ns) // 1_000_000,
            parse_info(last_info) if last_info else NO_THOUGHT,
            heard.value.resigns,
            heard.value.offers_draw,
        )

    async def answer_draw(self) -> bool:
        self.channel.send("draw")
        heard = await self.channel.receive(
            draw_answer, self.timeouts.stop, Fault.STALL, "answer to the offer of a draw"
        )
        return heard.value == b"accept"

    async def stop(self) -> None:
        self.channel.send("stop")
        await self.channel.receive(is_best_move, self.timeouts.stop, Fault.STALL, "bestmove after stop")

    def quit(self) -> None:
        self.channel.send("stop\nquit")

    def _introduction(self, line: bytes) -> bool | None:
        if line.startswith(b"id name "):
            self.identity.name = line[8:].decode("utf-8", "replace").strip()
        elif (option := parse_option_name(line)) is not None:
            self.identity.options[option_key(option[0])] = option[0]
        return True if line.strip() == b"uciok" else None

    def _known(self, name: str) -> str:
        """An option by the name the engine gave it; case, blanks and underscores do not matter.

        Raises:
            ConfigurationError: the engine has no such option.
        """
        options = self.identity.options
        found = options.get(option_key(name))
        if found is None:
            raise ConfigurationError(
                f"engine {self.identity.name or 'without a name'} has no option {name!r}; "
                f"it has {', '.join(sorted(options.values())) or 'none'}"
            )
        return found

    async def _ready(self, late: Fault) -> None:
        """``isready`` until ``readyok``, waiting on while the engine shows that it is busy."""
        self.channel.send("isready")
        await self.channel.receive(is_ready, self.timeouts.ready, late, "readyok", busy=b"info string")


def option_key(name: str) -> str:
    return name.replace("_", " ").strip().lower().replace("uci variant", "uci_variant")


def option_line(name: str, value: str) -> str:
    return f"setoption name {name} value {value}" if value else f"setoption name {name}"


def is_ready(line: bytes) -> bool | None:
    word = line.strip()
    if word.startswith(b"info string error"):
        raise EngineError(Fault.PROTOCOL, readable(word))
    return True if word == b"readyok" else None


def readable(line: bytes) -> str:
    """A line for a record: short, and without control characters."""
    text = line.decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:200]


def is_best_move(line: bytes) -> bool | None:
    return True if line.startswith(b"bestmove") else None


def draw_answer(line: bytes) -> bytes | None:
    words = line.split()
    return words[1] if len(words) == 2 and words[0] == b"response" else None


def late_fault(clock: GameClock) -> Fault:
    """What it is called when no move comes: a loss on time where there is a time limit."""
    return Fault.STALL if clock.allowed_ms is None else Fault.TIME


def go_words(turn: Turn) -> str:
    """The ``go`` line for a turn: the mover's own limits, and both clocks where it plays by one."""
    limit = turn.own.limit
    words = ["go"]
    if limit.tc is not None:
        first_moves = turn.position.turn is Player.P1
        p1, p2 = (turn.own, turn.other) if first_moves else (turn.other, turn.own)
        for seat, clock in (("p1", p1), ("p2", p2)):
            if clock.left_ms is not None and clock.limit.tc is not None:
                words.append(f"{seat}time {clock.left_ms} {seat}inc {clock.limit.tc.increment_ms}")
        if turn.own.moves_to_go is not None:
            words.append(f"movestogo {turn.own.moves_to_go}")
    if limit.movetime_ms is not None:
        words.append(f"movetime {limit.movetime_ms}")
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    return " ".join(words)
