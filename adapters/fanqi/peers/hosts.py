"""Names of hosts."""

from __future__ import annotations

__all__ = ["is_host"]


def is_host(text: str) -> bool:
    """Whether a text can be looked up as the name or the address of a host.

    For one that cannot, the functions that connect and listen raise no OSError, but a UnicodeError.
    """
    try:
        return bool(text.encode("idna"))
    except UnicodeError:
        return False
