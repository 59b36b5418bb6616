"""``builtin:fanqi``: our engine in a thread of this process, its kernels running without the GIL."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any

from fanqi.game import load_game, quoted
from fanqi.match.dialects import option_key
from fanqi.match.errors import ConfigurationError, EngineError, Fault
from fanqi.match.turn import NO_THOUGHT, Reply, Thought
from fanqi.search import Clock, Control, Limits, Settings
from fanqi.search.memory import TableMemoryError
from fanqi.strength import NO_PRESET, PRESETS

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.match.clock import GameClock
    from fanqi.match.specification import EngineSpec
    from fanqi.match.turn import Setup, Turn
    from fanqi.search import Engine, Info, SearchResult

__all__ = ["OwnContestant"]

SETTINGS = {
    "hash": "hash_mib",
    "threads": "threads",
    "skill level": "skill_level",
    "uci limitstrength": "limit_strength",
    "uci elo": "elo",
    "preset": "preset",
    "move overhead": "move_overhead_ms",
    "contempt": "contempt",
}
FIELDS = {option_key(name): field for name, field in SETTINGS.items()}
CHOICES = {"preset": (NO_PRESET, *PRESETS), "limit_strength": ("false", "true")}


class OwnContestant:
    """Our engine by its programming interface.

    Raises:
        ConfigurationError: an option that it has not got, or a value that is no number.
    """

    def __init__(self, spec: EngineSpec, game: str) -> None:
        self.label = "fanqi (in this process)"
        self._spec = spec
        self._game = load_game(game)
        self._fields = settings_fields(spec)
        self._engine: Engine | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"match-{spec.name}")
        self._control: Control | None = None
        self._running: asyncio.Future[SearchResult] | None = None

    async def prepare(self, setup: Setup) -> None:
        loop = asyncio.get_running_loop()
        if self._engine is None:
            self._engine = await loop.run_in_executor(self._thread, self._load)
        self._engine.configure(Settings(**self._fields, seed=setup.seed & 0x7FFFFFFF))
        try:
            await loop.run_in_executor(self._thread, get_ready, self._engine)
        except TableMemoryError as error:
            raise EngineError(Fault.START, str(error)) from None

    async def choose(self, turn: Turn) -> Reply:
        assert self._engine is not None
        loop = asyncio.get_running_loop()
        self._control = control = Control()
        began_ns = time.monotonic_ns()
        self._running = loop.run_in_executor(
            self._thread, think, self._engine, turn.position, limits_of(turn.own), control
        )
        patience_s = turn.own.patience_ms / 1000
        try:
            result = await asyncio.wait_for(asyncio.shield(self._running), patience_s)
        except TimeoutError:
            late = Fault.STALL if turn.own.allowed_ms is None else Fault.TIME
            raise EngineError(late, f"no move within {patience_s:g} s") from None
        except Exception as error:
            raise EngineError(Fault.CRASH, f"{type(error).__name__}: {error}") from error
        elapsed_ms = (time.monotonic_ns() - began_ns) // 1_000_000
        return Reply(result.move or "(none)", elapsed_ms, thought_of(result))

    async def answer_draw(self) -> bool:
        return False

    def remarks(self) -> list[str]:
        return []

    async def recover(self) -> None:
        if self._control is not None:
            self._control.stop()
        if self._running is not None:
            await asyncio.wait([self._running])

    async def close(self) -> None:
        await self.recover()
        self._thread.shutdown(wait=True)

    def _load(self) -> Engine:
        self._game.prepare()
        return self._game.engine()


def settings_fields(spec: EngineSpec) -> dict[str, Any]:
    """The fields of `Settings` that the user's options stand for."""
    fields: dict[str, Any] = {}
    for name, value in spec.options.items():
        field = FIELDS.get(option_key(name))
        if field is None:
            raise ConfigurationError(
                f"engine {spec.name}: builtin:fanqi has no option {quoted(name)}, only {', '.join(SETTINGS)}"
            )
        if field in CHOICES:
            if value.lower() not in CHOICES[field]:
                expected = " or ".join(CHOICES[field])
                raise ConfigurationError(f"engine {spec.name}: option {name}: {quoted(value)}: expected {expected}")
            fields[field] = value.lower() if field == "preset" else value.lower() == "true"
            continue
        try:
            fields[field] = int(value)
        except ValueError:
            raise ConfigurationError(f"engine {spec.name}: option {name}: {quoted(value)} is no integer") from None
    return fields


def get_ready(engine: Engine) -> None:
    """Take the memory for searches while no clock runs, and forget the game before.

    Raises:
        TableMemoryError: there is none.
    """
    engine.reserve()
    engine.new_game()


def think(engine: Engine, position: Position, limits: Limits, control: Control) -> SearchResult:
    """Search, and leave no thread behind that watches the time of a search that is over."""
    with closing(control):
        return engine.search(position, limits, control, ignore)


def limits_of(clock: GameClock) -> Limits:
    """The search limits that a game clock stands for."""
    limit = clock.limit
    own = None
    if limit.tc is not None and clock.left_ms is not None:
        own = Clock(clock.left_ms, limit.tc.increment_ms, clock.moves_to_go)
    return Limits(depth=limit.depth, nodes=limit.nodes, movetime_ms=limit.movetime_ms, clock=own)


def thought_of(result: SearchResult) -> Thought:
    """What the search said last."""
    if not result.infos:
        return NO_THOUGHT
    info: Info = result.infos[0]
    return Thought(info.score_cp, info.depth, info.nodes, info.time_ms, info.selectivity == 100, " ".join(info.pv))


def ignore(info: Info) -> None:
    """Telemetry is read from the result."""
