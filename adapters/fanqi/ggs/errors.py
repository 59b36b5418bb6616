"""What ends a client, or one of its connections."""

from __future__ import annotations

__all__ = ["ConfigError", "ConnectionLostError", "GgsError", "LoginError"]


class GgsError(Exception):
    """Root of everything this package raises."""


class ConfigError(GgsError):
    """The configuration cannot be used; the message names the file and the value."""


class LoginError(GgsError):
    """The server does not take our name and password."""


class ConnectionLostError(GgsError):
    """The connection is of no more use: closed, silent, or flooding."""
