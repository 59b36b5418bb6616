"""Which event loop an asynchronous program runs on."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

__all__ = ["run_loop"]

T = TypeVar("T")

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGWINCH")
"""Those that programs give handlers."""


def run_loop(main: Coroutine[Any, Any, T], *, adds_readers: bool = False) -> T:
    """Run an asyncio program to its end, on uvloop where there is one: it halves what a match runner costs a move.

    Args:
        adds_readers: the program needs ``loop.add_reader``, as aiomqtt does. The usual loop of Windows has no such
            thing, and the one that has it starts no processes there.
    """
    with kept_handlers(), asyncio.Runner(loop_factory=loop_factory(adds_readers)) as runner:
        return runner.run(main)


@contextlib.contextmanager
def kept_handlers() -> Iterator[None]:
    """Afterwards signals do what they did before: a closed loop of uvloop goes on catching them, and nobody hears."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # one that was not set from Python cannot be set again
                signal.signal(number, handler)


def loop_factory(adds_readers: bool) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the loop; None for the usual one of asyncio."""
    if sys.platform == "win32":
        return asyncio.SelectorEventLoop if adds_readers else None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
