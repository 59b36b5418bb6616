"""Names of hosts."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fanqi.game import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_host", "naming_host"]


def is_host(text: str) -> bool:
    """Whether a text can be looked up as the name or the address of a host.

    For one that cannot, the functions that connect and listen raise no OSError, but a UnicodeError.
    """
    try:
        return bool(text.encode("idna"))
    except UnicodeError:
        return False


@contextmanager
def naming_host(host: str) -> Iterator[None]:
    """Around what listens or connects: the error of a host that cannot be found says which one that was.

    Raises:
        socket.gaierror: the name cannot be looked up.
    """
    try:
        yield
    except socket.gaierror as error:
        raise socket.gaierror(error.errno, f"host {quoted(host)}: {error.strerror}") from None
