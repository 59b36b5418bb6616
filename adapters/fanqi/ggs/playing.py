"""Matches in progress, and what was thought in those that were adjourned."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from fanqi.ggs_wire import ClockState, format_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fanqi.ggs.game import GameTask
    from fanqi.ggs.records import MatchResult
    from fanqi.ggs.thinking import Thought

__all__ = ["Memory", "Playing"]

MOST_REMEMBERED = 256
Kind: TypeAlias = tuple[tuple[str, str], str]


@dataclass(slots=True)
class Playing:
    """A match in progress.

    Attributes:
        games: by their numbers; 0 for the only one.
        tasks: that run them.
        clocks: as given, by player, where that is known.
        errors: boards that had to be asked for again.
        shown: moves made on the last board that was shown.
        undo_asked: we have asked for an undo since.
    """

    number: int
    result: MatchResult
    games: dict[int, GameTask] = field(default_factory=dict)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    clocks: dict[str, str] = field(default_factory=dict)
    errors: int = 0
    shown: int = 0
    undo_asked: bool = False

    @property
    def kind(self) -> Kind:
        """What a resumed match is known again by."""
        return self.result.names, str(self.result.type)

    def boards(self, me: str) -> Iterator[str]:
        """Its games, for people."""
        rival = next((name for name in self.result.names if name != me), me)
        for task in self.games.values():
            state = task.state
            clocks = [
                format_duration(line.clock.left.seconds)
                for line in sorted(state.players or (), key=lambda line: line.name != me)
                if isinstance(line.clock, ClockState)
            ]
            last = state.thoughts.get(max(state.thoughts, default=0))
            score = "" if last is None or last.score is None else f" {last.score:+z.1f}"
            yield f"{state.id} {state.type} {rival} {'-'.join(clocks)} #{state.number}{score}"


class Memory:
    """Thoughts of matches that may go on later, by what those are known again by; the oldest are forgotten."""

    def __init__(self) -> None:
        self._thoughts: dict[Kind, dict[int, dict[int, Thought]]] = {}

    def remember(self, playing: Playing) -> None:
        """A match was interrupted."""
        self._thoughts[playing.kind] = {index: dict(task.state.thoughts) for index, task in playing.games.items()}
        while len(self._thoughts) > MOST_REMEMBERED:
            self._thoughts.pop(next(iter(self._thoughts)))

    def thoughts(self, playing: Playing, index: int) -> Mapping[int, Thought]:
        """What was thought in a game of a match before it was interrupted, by ply."""
        return self._thoughts.get(playing.kind, {}).get(index, {})

    def forget(self, playing: Playing) -> None:
        """A match is over."""
        self._thoughts.pop(playing.kind, None)
