"""Which event loop an asynchronous program runs on."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

__all__ = ["run_loop"]

T = TypeVar("T")


def run_loop(main: Coroutine[Any, Any, T], *, adds_readers: bool = False) -> T:
    """Run an asyncio program to its end, on uvloop where there is one: it halves what a match runner costs a move.

    Args:
        adds_readers: the program needs ``loop.add_reader``, as aiomqtt does. The usual loop of Windows has no such
            thing, and the one that has it starts no processes there.
    """
    with asyncio.Runner(loop_factory=loop_factory(adds_readers)) as runner:
        return runner.run(main)


def loop_factory(adds_readers: bool) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the loop; None for the usual one of asyncio."""
    if sys.platform == "win32":
        return asyncio.SelectorEventLoop if adds_readers else None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
