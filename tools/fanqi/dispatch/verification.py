"""Which jobs are done twice, and when two answers are the same."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Any

import msgspec

from fanqi.mqtt.work import Analyse, Game, Ping, Selfplay

if TYPE_CHECKING:
    from fanqi.dispatch.ledger import Ledger
    from fanqi.mqtt.work import Result, Work

__all__ = ["Verification", "is_repeatable", "same_result"]

SALT = "verification"
SCALE = 2**64


class Verification:
    """Chooses a share of a ledger's jobs, the same ones after a restart, and which no worker can foresee.

    Args:
        share: from 0 to 1.
    """

    def __init__(self, ledger: Ledger, share: float) -> None:
        self._share = share
        salt = ledger.read(SALT)
        if salt is None and share:
            ledger.write(SALT, salt := secrets.token_hex(16))
        self._salt = bytes.fromhex(salt or "")

    def wants(self, seq: int, work: Work, threads: int) -> bool:
        """Whether a job is one of those to be done by two workers."""
        if not self._share or not is_repeatable(work, threads):
            return False
        drawn = hashlib.blake2b(str(seq).encode(), key=self._salt, digest_size=8).digest()
        return int.from_bytes(drawn) < self._share * SCALE


def is_repeatable(work: Work, threads: int) -> bool:
    """Whether two honest workers come to the same result: nothing depends on time or on the order of threads."""
    match work:
        case Analyse() | Game():
            return threads == 1 and work.limits.movetime_ms is None
        case Selfplay() | Ping():
            return True
    return False


def same_result(first: Result, second: Result) -> bool:
    """Whether two results are the same but for the time that they took."""
    return bool(timeless(msgspec.to_builtins(first)) == timeless(msgspec.to_builtins(second)))


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key != "time_ms"}
    if isinstance(value, list | tuple):
        return [timeless(inner) for inner in value]
    return value
