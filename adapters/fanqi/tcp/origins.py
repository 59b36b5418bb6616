"""Which web pages may connect.

Any page that a browser shows may open a WebSocket to any address the browser reaches, the user's own machine included.
The browser only tells where the page came from, in the header ``Origin``; to refuse strangers is the server's part.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from fanqi.game import quoted

__all__ = ["Origins"]

ANY = "*"
OPAQUE = "null"  # a page from a file, or one in a sandbox
DEFAULT_PORTS = {"http": "80", "https": "443"}
HOST = r"[^\s/?#@:\[\]\\]+|\[[0-9a-f:.]+\]"
ORIGIN = re.compile(rf"([a-z][a-z0-9+.-]*)://({HOST})(?::([0-9]{{1,5}}))?")
HOST_HEADER = re.compile(rf"({HOST})(?::[0-9]*)?")


class Origins:
    """The pages a server takes.

    Without a list these are the programs that are no browsers (they send no origin), pages from this machine by its
    names ``localhost``, ``127.0.0.1`` and ``[::1]``, and pages from the host that the client called, on any port. Of
    the last kind a name does not count on a connection to the loopback address: its owner can have it point there, to
    reach a server that only this machine should (DNS rebinding).

    Args:
        listed: more of them: ``https://example.org:8000``, ``null`` for pages opened from a file, ``*`` for all.

    Raises:
        ValueError: one of them is no origin.
    """

    def __init__(self, listed: Iterable[str] = ()) -> None:
        self._listed = frozenset(origin if origin == ANY else canonical(origin) for origin in listed)

    def admit(self, origin: str | None, host: str | None, address: str) -> bool:
        """Whether a client may connect.

        Args:
            origin: the header ``Origin``; None where it is missing.
            host: the header ``Host``; None where it is missing.
            address: the server's own IP address on this connection.
        """
        if origin is None or ANY in self._listed:
            return True
        try:
            page = canonical(origin)
        except ValueError:
            return False
        if page in self._listed:
            return True
        found = ORIGIN.fullmatch(page)
        if found is None:
            return False
        name = found[2].strip("[]")
        if name == "localhost" or is_loopback(name):
            return True
        called = HOST_HEADER.fullmatch((host or "").strip().lower())
        return called is not None and called[1] == found[2] and (is_address(name) or not is_loopback(address))


def canonical(origin: str) -> str:
    """An origin in lower case and without the port that goes without saying.

    Raises:
        ValueError: it is none.
    """
    text = origin.strip().lower()
    if text in (OPAQUE, "file://"):  # Electron sends the latter
        return OPAQUE
    found = ORIGIN.fullmatch(text)
    if found is None:
        raise ValueError(f"{quoted(origin)} is no origin; expected the like of https://example.org:8000, null or *")
    scheme, host, port = found.groups()
    return f"{scheme}://{host}" if port in (None, DEFAULT_PORTS.get(scheme)) else f"{scheme}://{host}:{port}"


def is_address(name: str) -> bool:
    """Whether a host is named by its IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(name: str) -> bool:
    """Whether a host is named by an address that only its own machine reaches."""
    return is_address(name) and ipaddress.ip_address(name).is_loopback
