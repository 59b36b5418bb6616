"""What can go wrong between a payload, a broker and us.

Foreign exceptions are mapped to these at the boundary.
"""

from __future__ import annotations

__all__ = ["AddressError", "LinkError", "PayloadError", "TopicError", "VersionError", "WireError"]


class WireError(ValueError):
    """Root of everything this package refuses.

    Attributes:
        reason: one clause for people that contains the offending value.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class AddressError(WireError):
    """A broker address, a password file or a certificate that cannot be used."""


class TopicError(WireError):
    """A name or a topic that is not of ours."""


class PayloadError(WireError):
    """Bytes that are not what the document says: too long, not msgpack, a field missing or out of range."""


class VersionError(PayloadError):
    """A payload of a schema version that is not read here.

    Attributes:
        got: the version it states.
    """

    def __init__(self, got: int, supported: tuple[int, ...]) -> None:
        readable = ", ".join(map(str, supported))
        super().__init__(f"payload of schema version {got}; this side reads version {readable}")
        self.got = got


class LinkError(WireError):
    """The broker will not have us: wrong password, not allowed, a certificate that does not fit."""
