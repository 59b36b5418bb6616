"""The match: slots that each play one game at a time, and the one place where results come together."""

from __future__ import annotations

import asyncio
import os
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from fanqi.game import load_game
from fanqi.match.adjudication import Adjudicator
from fanqi.match.builtin import make_builtin
from fanqi.match.contestant import ExternalContestant
from fanqi.match.errors import ConfigurationError, Fault, PairError
from fanqi.match.iolog import IoLog
from fanqi.match.ledger import Ledger
from fanqi.match.process import Launcher
from fanqi.match.referee import GamePlan, Seat, play_game
from fanqi.match.seeds import derived
from fanqi.match.sprt import Decision
from fanqi.match.standings import Standings
from fanqi.match.store import SUMMARY
from fanqi.match.summary import encode_summary, sprt_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.match.config import MatchConfig
    from fanqi.match.contestant import Contestant
    from fanqi.match.openings import Opening, Openings
    from fanqi.match.record import GameRecord
    from fanqi.match.remote import RemotePairs
    from fanqi.match.schedule import PairTask
    from fanqi.match.specification import EngineSpec
    from fanqi.match.store import Store

__all__ = ["MatchRunner", "Observer", "Status", "slot_cpus"]


class Status(StrEnum):
    """How a match stands when its runner ends."""

    FINISHED = "finished"
    """All games have been played."""
    DECIDED = "decided"
    """The sequential test has decided."""
    INTERRUPTED = "interrupted"
    """Somebody stopped it; it can be resumed."""
    GIVEN_UP = "given_up"
    """An engine could not be started any more; it can be resumed."""


class Observer(Protocol):
    """Somebody who wants to see a match while it is played. Calls come on the event loop and have to be quick."""

    def began(self, config: MatchConfig, standings: Standings) -> None: ...

    def game_began(self, slot: int, plan: GamePlan, p1: str, p2: str) -> None: ...

    def dealt(self, number: int, commitment: str, replaced: str | None) -> None: ...

    def move_played(self, slot: int) -> None: ...

    def game_over(self, slot: int, record: GameRecord) -> None: ...

    def ended(self, status: Status, reason: str) -> None: ...


class MatchRunner:
    """Plays what is left of a match.

    Args:
        config: of the match, checked.
        openings: in rounds.
        ledger: of what has been played.
        standings: so far.
        store: keeps what is played; None keeps nothing.
        observer: sees it; None if nobody does.
        elsewhere: plays pairs on other machines; None plays them here.
    """

    def __init__(
        self,
        config: MatchConfig,
        openings: Openings,
        ledger: Ledger | None = None,
        standings: Standings | None = None,
        store: Store | None = None,
        observer: Observer | None = None,
        elsewhere: RemotePairs | None = None,
    ) -> None:
        self._config = config
        self._elsewhere = elsewhere
        self._seed = int(config.seed)
        self._openings = openings
        self._ledger = ledger or Ledger(config)
        self.standings = standings or Standings.of(config)
        self._store = store
        self._observer = observer
        self._tasks = self._ledger.remaining()
        self._game_over = asyncio.Event()
        self._contestants: list[dict[str, Contestant]] = [{} for _ in range(config.concurrency)]
        self._workers: list[asyncio.Task[None]] = []
        self._status = Status.FINISHED
        self._reason = ""
        self._stopping = False
        self._next_summary = 0.0
        self._start_failures = dict.fromkeys(self.standings.names, 0)

    @property
    def plays_elsewhere(self) -> bool:
        """Whether other machines play: then there is a broker to talk to, and no process to start."""
        return self._elsewhere is not None

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        total = self._config.total_games
        return self._decision() is not None or (total is not None and self.standings.games >= total)

    async def run(self) -> Status:
        """Play until there is nothing left to play, or somebody or something ends the match.

        Raises:
            ConfigurationError: an engine does not know an option that was asked for.
        """
        launcher = Launcher()
        warm_up(self._config.game)
        if self._observer is not None:
            self._observer.began(self._config, self.standings)
        self._stop_if_decided()
        try:
            if not self._stopping and self._elsewhere is not None:
                await self._send_pairs(self._elsewhere)
            elif not self._stopping:
                self._workers = [
                    asyncio.create_task(self._work(slot, launcher), name=f"match-slot-{slot}")
                    for slot in range(self._config.concurrency)
                ]
                await self._watch()
        finally:
            for worker in self._workers:
                worker.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)
            launcher.close()
            self._write_summary(last=True)
        if self._observer is not None:
            self._observer.ended(self._status, self._reason)
        return self._status

    def interrupt(self) -> None:
        """Stop: running games are given up, to be played again when the match is resumed."""
        self._stop(Status.INTERRUPTED, "asked to stop")

    async def _send_pairs(self, elsewhere: RemotePairs) -> None:
        """Have all pairs played by workers, so many at a time."""
        async with elsewhere:
            await elsewhere.check_workers()
            self._workers = [
                asyncio.create_task(self._send(elsewhere), name=f"match-sender-{slot}")
                for slot in range(elsewhere.slots)
            ]
            await self._watch(elsewhere.keeping)

    async def _send(self, elsewhere: RemotePairs) -> None:
        """Have pair after pair played."""
        engines = self._config.engines
        try:
            while (item := await self._next()) is not None:
                task, missing = item
                plans = [self._plan(task, index) for index in missing]
                try:
                    records = await elsewhere.play(plans, (engines[task.first], engines[task.second]))
                except PairError as error:
                    self._stop(Status.GIVEN_UP, f"pair {task.number} could not be played: {error}")
                    return
                for record in records:
                    self._finish(0, record)
                    if self._stopping:
                        return
        except asyncio.CancelledError:
            if not self._stopping:
                raise

    async def _watch(self, *others: asyncio.Task[None]) -> None:
        """Wait for the slots; the first one that fails, or one of ``others`` that does, ends the match."""
        pending = {*self._workers, *others}
        while pending & set(self._workers):
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if not task.cancelled() and (error := task.exception()) is not None:
                    raise error

    async def _next(self) -> tuple[PairTask, tuple[int, ...]] | None:
        """The next pair to play, which may have to be waited for; None when there is none."""
        for item in self._tasks:
            if item is not None:
                return item
            self._game_over.clear()
            await self._game_over.wait()
        return None

    def _stop(self, status: Status, reason: str) -> None:
        if not self._stopping:
            self._stopping = True
            self._status, self._reason = status, reason
            for worker in self._workers:
                if worker is not asyncio.current_task():  # that one sees for itself that it is over
                    worker.cancel()

    async def _work(self, slot: int, launcher: Launcher) -> None:
        """Play pair after pair."""
        contestants = self._contestants[slot]
        try:
            while (item := await self._next()) is not None:
                task, missing = item
                for index in missing:
                    record = await self._play(slot, task, index, launcher)
                    self._finish(slot, record)
                    if self._stopping:
                        return
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            await asyncio.gather(*(contestant.close() for contestant in contestants.values()))

    async def _play(self, slot: int, task: PairTask, index: int, launcher: Launcher) -> GameRecord:
        """One game of a pair."""
        config = self._config
        order = (task.first, task.second) if index == 0 else (task.second, task.first)
        first, second = (config.engines[place] for place in order)
        plan = self._plan(task, index)
        if self._observer is not None:
            self._observer.game_began(slot, plan, first.name, second.name)
        seats = [Seat(spec.name, self._contestant(slot, spec, launcher), spec.limit) for spec in (first, second)]
        adjudicator = Adjudicator(config.adjudication, config.game) if config.adjudication.active else None
        on_move = self._move_watcher(slot)

        def on_deal(commitment: str) -> None:
            replaced = None if self._store is None else self._store.commit(plan.number, commitment)
            if self._observer is not None:
                self._observer.dealt(plan.number, commitment, replaced)

        return await play_game(plan, seats[0], seats[1], adjudicator, on_move, on_deal)

    def _plan(self, task: PairTask, index: int) -> GamePlan:
        """Everything about a game that follows from the description of the match and its number alone."""
        config = self._config
        number = task.game_number(index)
        opening: Opening = self._openings.opening(task.round)
        banqi = config.game == "banqi"
        if banqi and index == 1:
            opening = opening.mirrored()
        return GamePlan(
            number=number,
            pair=task.number,
            round=task.round,
            game=config.game,
            rules=config.rules,
            scoring=config.scoring,
            opening=opening,
            deal_seed=derived(self._seed, "deal", task.round) if banqi else None,
            mirrored=banqi and index == 1,
            seeds=(derived(self._seed, "dice", number, 1), derived(self._seed, "dice", number, 2)),
            stall_ms=round(config.stall_s * 1000),
            banned_reply=config.banned_reply,
        )

    def _move_watcher(self, slot: int) -> Callable[[], None] | None:
        observer = self._observer
        return None if observer is None else lambda: observer.move_played(slot)

    def _contestant(self, slot: int, spec: EngineSpec, launcher: Launcher) -> Contestant:
        """The engine's instance for this slot, made when it is first needed."""
        contestants = self._contestants[slot]
        if spec.name not in contestants:
            contestants[spec.name] = self._make_contestant(slot, spec, launcher)
        return contestants[spec.name]

    def _make_contestant(self, slot: int, spec: EngineSpec, launcher: Launcher) -> Contestant:
        config, store = self._config, self._store
        if spec.builtin is not None:
            return make_builtin(spec, config.game)
        suffix = f"{spec.name}-{slot + 1}"
        wire = IoLog(store.log_path(f"{suffix}.io.txt")) if store is not None and config.log_io else None
        return ExternalContestant(
            spec,
            config.game,
            launcher,
            config.timeouts,
            stderr=None if store is None else store.log_path(f"{suffix}.stderr.txt"),
            wire=wire,
            cpus=slot_cpus(slot, config.concurrency) if config.affinity else None,
        )

    def _finish(self, slot: int, record: GameRecord) -> None:
        """Keep a game, count it, and see whether that ends the match."""
        publishable = self._ledger.record(record)
        if self._store is not None:
            self._store.remember(record)
            for game in publishable:
                self._store.publish(game)
        self.standings.add(record)
        self._game_over.set()
        self._count_starts()
        if self._observer is not None:
            self._observer.game_over(slot, record)
        self._watch_start_failures(record)
        self._stop_if_decided()
        self._write_summary()

    def _count_starts(self) -> None:
        for name, totals in self.standings.engines.items():
            instances = (contestants.get(name) for contestants in self._contestants)
            starts = [one.starts for one in instances if isinstance(one, ExternalContestant) and one.starts]
            totals.starts = sum(starts)
            totals.restarts = sum(starts) - len(starts)

    def _watch_start_failures(self, record: GameRecord) -> None:
        """End the match when an engine cannot be started again and again: nothing is learned from such games."""
        failures = self._start_failures
        failed = record.termination == Fault.START
        for seat, name in enumerate(record.players):
            lost = record.result is None or record.result.winner == ("p2", "p1")[seat]
            failures[name] = failures[name] + 1 if failed and lost else 0
            if failures[name] >= self._config.start_tries:
                often = f" {failures[name]} times in a row" if failures[name] > 1 else ""
                self._stop(Status.GIVEN_UP, f"{name} could not be started{often}: {record.detail}")

    def _decision(self) -> Decision | None:
        state = sprt_state(self._config, self.standings)
        return None if state is None or state.decision is Decision.CONTINUE else state.decision

    def _stop_if_decided(self) -> None:
        if (decision := self._decision()) is not None:
            self._stop(Status.DECIDED, f"{decision.value} accepted")

    def _write_summary(self, *, last: bool = False) -> None:
        """Tell the world at most once a second."""
        if self._store is not None and (last or time.monotonic() >= self._next_summary):
            self._next_summary = time.monotonic() + 1.0
            self._store.write_file(SUMMARY, encode_summary(self._config, self.standings, self._status.value))


def warm_up(game: str) -> None:
    """Have the kernels of the rules loaded, which takes half a second, before any clock runs."""
    position = load_game(game).start()
    move = position.legal_moves()[0]
    position = position.play(f"{move}=K" if position.needs_reveal(move) else move)
    position.outcome()
    position.canonical(position.legal_moves()[0])
    position.facts(*(("stake", ("p1",)) if game == "banqi" else ("flips", (position.legal_moves()[0],))))


def slot_cpus(slot: int, slots: int) -> frozenset[int]:
    """The processors of one slot: an equal share of those this process may use.

    Raises:
        ConfigurationError: there are fewer processors than slots.
    """
    usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    share = len(usable) // slots
    if share == 0:
        raise ConfigurationError(f"{len(usable)} processors cannot be shared out to {slots} games")
    return frozenset(usable[slot * share : (slot + 1) * share])
