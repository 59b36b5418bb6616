"""Workers inside this process, for jobs that need no other machine."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from fanqi.jobs.frames import Broken
from fanqi.workers.errors import WorkerError
from fanqi.workers.pool import Pool
from fanqi.workers.service import WorkerService
from fanqi.workers.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator

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
        with tied_together(service.run() for service in services) as running:
            try:
                yield
            finally:
                for service in services:
                    service.interrupt(now=True)
                await asyncio.gather(*running, return_exceptions=True)
    finally:
        await asyncio.gather(*(pool.close() for pool in pools))


@contextmanager
def tied_together(coroutines: Iterable[Coroutine[object, object, None]]) -> Iterator[list[asyncio.Task[None]]]:
    """Tasks whose first failure ends the block as well, and is raised in its place: as it is, not in a group."""
    parent = asyncio.current_task()
    failures: list[BaseException] = []

    def look_at(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            failures.append(error)
            if parent is not None and len(failures) == 1:
                parent.cancel()

    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    for task in tasks:
        task.add_done_callback(look_at)
    try:
        yield tasks
    except asyncio.CancelledError:
        if failures:
            raise failures[0] from None
        raise
