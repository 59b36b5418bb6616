"""Topics: who may be spoken to, and who speaks.

``P/worker/W/presence``
    What worker W offers and does, retained; an empty payload says that it is gone (its last will too).
``P/worker/W/from/D``
    From dispatcher D to worker W.
``P/dispatcher/D/from/W``
    From worker W to dispatcher D.

P is the prefix, ``fanqi`` unless the broker address names another. The sender is a level of the topic and not
a field of the payload, so that a broker's access list can vouch for it.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from fanqi.game import quoted
from fanqi.mqtt.errors import TopicError

__all__ = ["DEFAULT_PREFIX", "Topics", "check_name", "new_name"]

DEFAULT_PREFIX = "fanqi"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}(/[A-Za-z0-9][A-Za-z0-9._-]{0,62}){0,7}")
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # without l, o, 0, 1, which people mix up


def check_name(name: str) -> str:
    """``name`` if it can be a worker's or a dispatcher's.

    Raises:
        TopicError: it is empty, longer than 63 characters, or has other ones than letters, digits, ``.``,
            ``_``, ``-``.
    """
    if not NAME.fullmatch(name):
        raise TopicError(
            f"{quoted(name)} cannot be a name: 1 to 63 letters, digits, '.', '_' or '-', a letter or digit first"
        )
    return name


def new_name(length: int = 10) -> str:
    """A random name; ten characters (50 bits) keep strangers on one broker apart."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


@dataclass(frozen=True, slots=True)
class Topics:
    """Forms and reads the topics below one prefix."""

    prefix: str = DEFAULT_PREFIX

    def __post_init__(self) -> None:
        if not PREFIX.fullmatch(self.prefix):
            raise TopicError(f"{quoted(self.prefix)} cannot be a topic prefix: up to eight names with '/' between them")

    def presence(self, worker: str) -> str:
        return f"{self.prefix}/worker/{worker}/presence"

    def to_worker(self, worker: str, dispatcher: str) -> str:
        return f"{self.prefix}/worker/{worker}/from/{dispatcher}"

    def to_dispatcher(self, dispatcher: str, worker: str) -> str:
        return f"{self.prefix}/dispatcher/{dispatcher}/from/{worker}"

    def read_presence(self, topic: str) -> str | None:
        """The worker whose presence this is, or None when it is another kind of topic."""
        match self._levels(topic):
            case ["worker", worker, "presence"] if NAME.fullmatch(worker):
                return worker
        return None

    def read_to_worker(self, topic: str) -> tuple[str, str] | None:
        """(worker, dispatcher) of a message to a worker, or None when it is another kind of topic."""
        match self._levels(topic):
            case ["worker", worker, "from", dispatcher] if NAME.fullmatch(worker) and NAME.fullmatch(dispatcher):
                return worker, dispatcher
        return None

    def read_to_dispatcher(self, topic: str) -> tuple[str, str] | None:
        """(dispatcher, worker) of a message to a dispatcher, or None when it is another kind of topic."""
        match self._levels(topic):
            case ["dispatcher", dispatcher, "from", worker] if NAME.fullmatch(worker) and NAME.fullmatch(dispatcher):
                return dispatcher, worker
        return None

    def _levels(self, topic: str) -> list[str]:
        head = self.prefix + "/"
        return topic[len(head) :].split("/") if topic.startswith(head) else []
