"""Certificates by which a server proves itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.files.errors import reason_of

if TYPE_CHECKING:
    import ssl
    from pathlib import Path

__all__ = ["server_context"]


def server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """TLS for a server with this certificate (a chain) and its key.

    Raises:
        OSError: a file cannot be read or is not what it should be; the message names them.
    """
    import ssl  # most servers speak plainly

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except OSError as error:
        raise OSError(f"certificate {str(certificate)!r}, key {str(key)!r}: {reason_of(error)}") from None
    return context
