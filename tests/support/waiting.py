"""Waiting for what another process does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["until"]


def until(condition: Callable[[], object], seconds: float) -> None:
    """Wait until ``condition`` holds, and fail when it does not within ``seconds``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")
