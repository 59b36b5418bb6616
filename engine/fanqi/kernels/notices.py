"""Who hears what the kernel cache has to say: a file that is not trusted, a disk that is full."""

from __future__ import annotations

import contextlib
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["notices_to", "tell"]


def print_notice(text: str) -> None:
    """One line on stderr, where there is one."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or None in a process without a console
        sys.stderr.write(f"fanqi: {text}\n")


listener: ContextVar[Callable[[str], None]] = ContextVar("listener", default=print_notice)


@contextlib.contextmanager
def notices_to(hear: Callable[[str], None]) -> Iterator[None]:
    """Send the notices of this thread to ``hear`` instead of stderr; each is one line for people."""
    token = listener.set(hear)
    try:
        yield
    finally:
        listener.reset(token)


def tell(text: str) -> None:
    """Say one line to whoever listens on this thread."""
    listener.get()(text)
