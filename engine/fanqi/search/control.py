"""The handle to one running search: stop it at once, at a time, or turn pondering into a timed search."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Control"]


class Control:
    """Shared between the thread that searches and those that may stop it.

    Kernels poll ``flag[0]`` by an atomic load; any other value than 0 means stop. Time limits are kept by a
    watcher thread that sets the flag, so a kernel never reads a clock and a limit holds to well under a
    millisecond while the GIL is free.

    Args:
        pondering: the search starts on the opponent's time; the clock starts at `ponderhit`.
        clock: monotonic seconds.
    """

    def __init__(self, *, pondering: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        import numpy as np  # not above: sessions import this package before the handshake, which must be quick

        self.flag: NDArray[np.int64] = np.zeros(8, np.int64)  # one cache line to itself
        self._clock = clock
        self._condition = threading.Condition()
        self._pondering = pondering
        self._started = clock()
        self._limit: float | None = None  # seconds after _started
        self._watcher: threading.Thread | None = None
        self._closed = False

    @property
    def stopped(self) -> bool:
        """Whether the search has been told to end, by anyone."""
        return bool(self.flag[0])

    @property
    def pondering(self) -> bool:
        """Whether the search still runs on the opponent's time."""
        return self._pondering

    def elapsed_ms(self) -> float:
        """Milliseconds since the search got its turn, or since `ponderhit`."""
        return (self._clock() - self._started) * 1000.0

    def stop(self) -> None:
        """End the search as soon as the kernel polls again. May be called often and from any thread."""
        with self._condition:
            self.flag[0] = 1
            self._condition.notify_all()

    def ponderhit(self) -> None:
        """The expected reply was played: time limits count from now."""
        with self._condition:
            if self._pondering:
                self._pondering = False
                self._started = self._clock()
            self._condition.notify_all()

    def limit(self, milliseconds: float) -> None:
        """Stop the search this long after it got its turn. A later call replaces an earlier one."""
        with self._condition:
            self._limit = milliseconds / 1000.0
            self._condition.notify_all()
            if self._watcher is None and not self._closed:
                self._watcher = threading.Thread(target=self._watch, name="fanqi-deadline", daemon=True)
                self._watcher.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until stopped or no longer pondering; for callers that must hold an answer back.

        Returns:
            False when ``timeout`` seconds went by first.
        """
        with self._condition:
            return self._condition.wait_for(lambda: self.stopped or not self._pondering, timeout)

    def wait_stopped(self, timeout: float | None = None) -> bool:
        """Block until stopped; False when ``timeout`` seconds went by first."""
        with self._condition:
            return self._condition.wait_for(lambda: self.stopped, timeout)

    def close(self) -> None:
        """Let the watcher go. The search is over."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def _watch(self) -> None:
        with self._condition:
            while not self._closed and not self.stopped:
                if self._pondering or self._limit is None:
                    self._condition.wait()
                    continue
                remaining = self._started + self._limit - self._clock()
                if remaining <= 0:
                    self.flag[0] = 1
                    self._condition.notify_all()
                    return
                self._condition.wait(remaining)
