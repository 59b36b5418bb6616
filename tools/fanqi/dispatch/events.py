"""From what state machines tell to the log: which events matter how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.logs import Logger

__all__ = ["teller"]

# Every job begins and ends; with a thousand of them a second nobody wants to read that.
DETAILS = frozenset({"job_begins", "job_ended", "job_stopped"})
TROUBLE = frozenset(
    {"disconnected", "foreign_result", "job_broke", "job_failed", "lease_lost", "unreadable_message",
     "unreadable_payload", "worker_distrusted", "worker_shunned", "wrong_result"}
)  # fmt: skip


def teller(logger: Logger) -> Callable[[str, dict[str, object]], None]:
    """What to give to a dispatcher or a worker as its ``tell``."""

    def tell(event: str, facts: dict[str, object]) -> None:
        if event in DETAILS:
            logger.debug(event, **facts)
        elif event in TROUBLE:
            logger.warning(event, **facts)
        else:
            logger.info(event, **facts)

    return tell
