"""An event loop whose clock jumps to the next timer as soon as nothing else is to be done."""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["run_virtually"]

T = TypeVar("T")


class JumpingSelector(selectors.DefaultSelector):
    """Passes the time instead of waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("nothing will ever happen")
        ready = super().select(0)
        if not ready:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """See the module."""

    def __init__(self) -> None:
        self._clock = JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end. It must not wait for threads, processes, or sockets: their time does not jump."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
