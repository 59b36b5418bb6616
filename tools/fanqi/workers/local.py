"""Workers inside this process, for jobs that need no other machine."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fanqi.jobs.frames import Broken
from fanqi.workers.errors import WorkerError
from fanqi.workers.pool import Pool
from fanqi.workers.service import WorkerService
from fanqi.workers.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from fanqi.mqtt import Network, Topics
    from fanqi.workers.admission import Offer

__all__ = ["local_workers"]


@asynccontextmanager
async def local_workers(
    count: int,
    offer: Offer,
    network: Network,
    topics: Topics,
    *,
    prepare: tuple[str, ...] = (),
    tell: Callable[[str, dict[str, object]], None] = lambda event, facts: None,
) -> AsyncIterator[None]:
    """Run ``count`` workers with this offer each, until the context is left.

    Raises:
        WorkerError: the kernels of a game to ``prepare`` cannot be had.
    """
    pools = [Pool(1, engines=dict(offer.engines)) for _ in range(count)]
    services = [
        WorkerService(f"local-{number}", Worker(offer, heartbeat_s=1.0), pool, network, topics, tell=tell)
        for number, pool in enumerate(pools, 1)
    ]
    try:
        for game, answer in (await pools[0].prepare(prepare)).items():
            if isinstance(answer, Broken):
                raise WorkerError(f"{game}: {answer.reason}")
        async with asyncio.TaskGroup() as group:
            for service in services:
                group.create_task(service.run())
            try:
                yield
            finally:
                for service in services:
                    service.interrupt(now=True)
    finally:
        await asyncio.gather(*(pool.close() for pool in pools))
