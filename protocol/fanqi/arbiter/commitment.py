"""Commitments: a hash told before the game, and the opening that proves afterwards what it stood for.

The committed bytes are the domain tag, the salt (32 bytes), the seed (16 bytes, big-endian), the layout (32
ASCII letters) and the draw (5 ASCII letters); the salt comes from the operating system, so that nobody can
try out seeds.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.arbiter.deal import Deal

__all__ = ["SALT_BYTES", "Opening", "commitment", "new_salt"]

SALT_BYTES = 32
COMMITMENT_TAG = b"fanqi/commitment/1\0"


@dataclass(frozen=True, slots=True)
class Opening:
    """The secret laid open, and with it the proof of a commitment.

    Attributes:
        deal: seed, layout, draw.
        salt: 32 bytes.
    """

    deal: Deal
    salt: bytes

    @property
    def commitment(self) -> str:
        """The hash that has to have been told before the first move."""
        return commitment(self.deal, self.salt)


def new_salt() -> bytes:
    """32 bytes from the operating system."""
    return secrets.token_bytes(SALT_BYTES)


def commitment(deal: Deal, salt: bytes) -> str:
    """SHA-256 of the committed bytes, 64 lower-case hexadecimal digits."""
    committed = COMMITMENT_TAG + salt + deal.seed.to_bytes(16, "big") + (deal.layout + deal.draw).encode("ascii")
    return hashlib.sha256(committed).hexdigest()
