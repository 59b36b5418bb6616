"""Kind ``play``: one pair of match games, by the match runner's own referee."""

from __future__ import annotations

import asyncio

from fanqi.jobs.context import Context, JobError, Stopped
from fanqi.match.errors import ConfigurationError
from fanqi.match.pair_order import PairEngine, PairOrder, decode_order, play_order
from fanqi.match.record import encode_record
from fanqi.mqtt.work import Play, PlayResult

__all__ = ["play"]


def play(work: Play, context: Context, commands: dict[str, str]) -> PlayResult:
    """Play the pair with engines that ``commands`` knows.

    Raises:
        JobError: the order cannot be understood, or an engine is not known here.
        Stopped: the job was told to end.
    """
    first, second = (PairEngine(player.name, player.engine, player.options) for player in work.players)
    try:
        order = decode_order(work.settings)
        return asyncio.run(play_pair(order, (first, second), commands, context))
    except ConfigurationError as error:
        raise JobError(str(error)) from None
    except asyncio.CancelledError:
        raise Stopped from None
    finally:
        context.when_stopped(None)


async def play_pair(
    order: PairOrder, players: tuple[PairEngine, PairEngine], commands: dict[str, str], context: Context
) -> PlayResult:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    context.when_stopped(lambda: loop.call_soon_threadsafe(task.cancel))
    records = await play_order(order, players, commands, lambda games: context.step(games, len(order.plans)))
    return PlayResult(records=tuple(map(encode_record, records)))
