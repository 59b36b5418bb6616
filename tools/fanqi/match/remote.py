"""A match whose pairs are played by workers on a broker: the same records, statistics and resume as at home."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from fanqi.dispatch.dispatcher import Dispatcher
from fanqi.dispatch.ledger import Ledger, NewJob
from fanqi.dispatch.needs import Need
from fanqi.dispatch.service import DispatchService
from fanqi.game import quoted
from fanqi.match.errors import ConfigurationError, PairError
from fanqi.match.pair_check import objection_to_pair
from fanqi.match.pair_order import encode_order, order_of
from fanqi.match.record import GameRecord, decode_record
from fanqi.mqtt import LinkError, Network, Topics, new_name
from fanqi.mqtt.codec import decode_result, encode
from fanqi.mqtt.work import Play, Player, PlayResult, Result, Work

if TYPE_CHECKING:
    from fanqi.dispatch.lease import Completion
    from fanqi.match.config import MatchConfig
    from fanqi.match.referee import GamePlan
    from fanqi.match.specification import EngineSpec

__all__ = ["RemotePairs"]

PATIENCE_S = 5.0  # in which workers are expected to show themselves
LONGEST_LEASE_S = 6 * 3600.0
DEFAULT_HASH_MIB = 64
MOVES_OF_A_GAME = {"othello": 60, "banqi": 400}


class RemotePairs:
    """Has pairs played elsewhere, while its context is open.

    Args:
        config: of the match. Its engines are ``builtin:NAME``, or names that workers' configurations know.
        slots: pairs that are out at a time; the dispatcher keeps what no worker has room for.

    Attributes:
        keeping: ends with an error when the broker will not have us.

    Raises:
        ConfigurationError: an engine is given by a command.
    """

    def __init__(self, config: MatchConfig, network: Network, topics: Topics, *, slots: int = 256) -> None:
        for engine in config.engines:
            if engine.builtin is None and (" " in engine.command or engine.address is not None):
                raise ConfigurationError(
                    f"engine {engine.name}: {quoted(engine.command)} is a command; workers take builtin:NAME or a name "
                    "from their own configuration"
                )
        self.slots = slots
        self._config = config
        self._ledger = Ledger(None, name=new_name)
        self._dispatcher = Dispatcher(self._ledger, on_answer=self._on_answer, check=objection_to_result)
        self._service = DispatchService(self._dispatcher, network, topics)
        self._waiting: dict[int, asyncio.Future[list[GameRecord]]] = {}

    async def __aenter__(self) -> Self:
        """Get in touch with the workers, and stay so."""
        self.keeping = asyncio.create_task(self._keep(), name="match-elsewhere")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Take what is out back from the workers."""
        self._service.interrupt()
        with suppress(ConfigurationError):  # told by `check_workers`, or to whoever waits for `keeping`
            await self.keeping
        self._ledger.close()

    async def check_workers(self, patience_s: float = PATIENCE_S) -> None:
        """See that there is a worker for every pairing.

        Raises:
            ConfigurationError: the broker will not have us, or there is no worker for one of the pairings; says what
                those that are there lack.
        """
        needs = [self._need(self._config.engines[a], self._config.engines[b]) for a, b in self._config.pairings]
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            if self.keeping.done():
                self.keeping.result()
            if all(self._dispatcher.capable(need) for need in needs):
                return
            await asyncio.sleep(0.05)
        if self._service.trouble is not None:
            raise ConfigurationError(f"no broker: {self._service.trouble}")
        need = next(need for need in needs if not self._dispatcher.capable(need))
        lacks = self._dispatcher.lacking(need)
        there = "; ".join(f"{name} {why}" for name, why in sorted(lacks.items())) or "no worker is there"
        raise ConfigurationError(f"no worker for {need}: {there}")

    async def _keep(self) -> None:
        try:
            await self._service.run(forever=True)
        except LinkError as error:
            raise ConfigurationError(f"workers: {error.reason}") from None

    async def play(self, plans: Sequence[GamePlan], engines: tuple[EngineSpec, EngineSpec]) -> list[GameRecord]:
        """Have the games of one pair played; ``engines`` in the order in which they play the first of two games.

        Raises:
            PairError: no worker could.
        """
        config = self._config
        first, second = engines
        order = order_of(plans, (first.limit, second.limit), config.adjudication, config.timeouts)
        work = Play(game=config.game, players=(player_of(first), player_of(second)), settings=encode_order(order))
        job = NewJob(f"pair {plans[0].pair}", self._need(first, second), self._lease_s(engines, plans), encode(work))
        (seq,) = self._ledger.add([job])
        future: asyncio.Future[list[GameRecord]] = asyncio.get_running_loop().create_future()
        self._waiting[seq] = future
        self._service.wake()
        try:
            return await future
        finally:
            self._waiting.pop(seq, None)

    def _on_answer(self, completion: Completion) -> None:
        """Hand an answer on; it is not kept, since a long match has many."""
        self._ledger.forget(completion.seq)
        future = self._waiting.get(completion.seq)
        if future is None or future.done():
            return
        if completion.result is None:
            future.set_exception(PairError(completion.reason or "no reason was given"))
            return
        result = decode_result(completion.result)
        assert isinstance(result, PlayResult)
        future.set_result([decode_record(record) for record in result.records])

    def _need(self, first: EngineSpec, second: EngineSpec) -> Need:
        """What a worker has to offer: both engines, and room for the larger search and both tables."""
        engines = tuple(sorted({engine_name(first), engine_name(second)}))
        threads = max(first.number("Threads", 1), second.number("Threads", 1))
        memory = sum(spec.number("Hash", DEFAULT_HASH_MIB) for spec in (first, second) if spec.thinks)
        return Need("play", self._config.game, threads, max(1, memory), engines)

    def _lease_s(self, engines: tuple[EngineSpec, EngineSpec], plans: Sequence[GamePlan]) -> float:
        """Longer than the games can take if everybody keeps to the limits; heartbeats notice a lost worker anyway."""
        moves = MOVES_OF_A_GAME[self._config.game]
        longest = 0.0
        for spec in engines:
            limit = spec.limit
            if limit.tc is not None:
                periods = 1 if limit.tc.moves is None else moves // limit.tc.moves + 1
                longest += limit.tc.base_ms * periods + limit.tc.increment_ms * moves
            elif limit.movetime_ms is not None:
                longest += (limit.movetime_ms + limit.timemargin_ms) * moves
            else:
                return LONGEST_LEASE_S
        return min(LONGEST_LEASE_S, longest / 1000 * len(plans) * 1.5 + 300.0)


def objection_to_result(work: Work, result: Result) -> str | None:
    """What is wrong with a worker's result, if anything: it must be the records of the games asked for."""
    assert isinstance(work, Play)
    assert isinstance(result, PlayResult)
    return objection_to_pair(work, result)


def engine_name(spec: EngineSpec) -> str:
    """The name by which workers know an engine."""
    return spec.command


def player_of(spec: EngineSpec) -> Player:
    return Player(name=spec.name, engine=engine_name(spec), options=dict(spec.options))
