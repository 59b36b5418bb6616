"""Our own protocol (docs/protocol.md), host side."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fanqi.match.dialects.uci import UciDialect, clock_words, limit_words
from fanqi.match.errors import EngineError, Fault

if TYPE_CHECKING:
    from fanqi.match.turn import Setup, Turn

__all__ = ["FanqiDialect"]


class FanqiDialect(UciDialect):
    """Positions and moves as the referee has them, clocks by seat, rules as an option, draws as a question."""

    knows_rules: ClassVar[bool] = True

    def variant(self) -> str:
        return self.game

    async def new_game(self, setup: Setup) -> None:
        name = self.identity.options.get("rules")
        if name is not None:
            self.channel.send(f"setoption name {name} value {setup.rules}".rstrip())
        elif setup.rules:
            raise EngineError(Fault.START, f"it has no option Rules, and the rules are {setup.rules}")
        await super().new_game(setup)

    def position_line(self, turn: Turn) -> str:
        start = turn.setup.start
        place = start if start == "startpos" else f"fen {start}"
        return f"position {place} moves {turn.moves_text}" if turn.moves else f"position {place}"

    def go_line(self, turn: Turn) -> str:
        return " ".join(("go", *clock_words(turn, "p1", "p2"), *limit_words(turn)))

    async def answer_draw(self) -> bool:
        self.channel.send("draw")
        heard = await self.channel.receive(
            draw_answer, self.timeouts.stop, Fault.STALL, "answer to the offer of a draw"
        )
        return heard.value == b"accept"


def draw_answer(line: bytes) -> bytes | None:
    words = line.split()
    return words[1] if len(words) == 2 and words[0] == b"response" else None
