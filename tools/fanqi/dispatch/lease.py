"""One job in one worker's hands, and how long that may go on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.dispatch.needs import Need
    from fanqi.mqtt.messages import Progress

__all__ = ["Blame", "Completion", "Lease", "Stage", "Tally"]


class Stage(Enum):
    """How much the worker has said about the job."""

    ASKED = auto()  # nothing yet: the assignment is published again when it is due
    HELD = auto()  # it waits in the worker's queue
    RUNNING = auto()


class Blame(IntEnum):
    """How much a lost lease counts towards the tries a job has.

    A job that crashes takes its own process with it and not the worker, which reports that; a worker that is lost while
    it runs a job is most often lost for reasons of its own.
    """

    NONE = 0
    HALF = 1
    FULL = 2


@dataclass(slots=True)
class Lease:
    """Who has a job, under which attempt, until when. Times are monotonic seconds.

    Attributes:
        heard: when the worker last said that it has the job, or when it was given the job.
        ask_at: when the assignment is published next; only looked at while ASKED.
        wait: the last wait between two publications, seconds.
        asked: how often it was published.
        deadline: when it must be done; None until it runs.
    """

    seq: int
    attempt: int
    need: Need
    worker: str
    incarnation: str
    lease_s: float
    heard: float
    ask_at: float
    wait: float
    asked: int = 0
    stage: Stage = Stage.ASKED
    deadline: float | None = None
    progress: Progress | None = None

    def run(self, now: float) -> None:
        """The worker says that it runs the job."""
        self.heard = now
        if self.stage is not Stage.RUNNING:
            self.stage = Stage.RUNNING
            self.deadline = now + self.lease_s

    @property
    def blame_if_lost(self) -> Blame:
        """What it counts when the worker is lost now."""
        return Blame.HALF if self.stage is Stage.RUNNING else Blame.NONE

    def ask_again_at(self, when: float) -> None:
        """Whatever the worker said before does not count: the assignment is published afresh."""
        self.stage, self.deadline = Stage.ASKED, None
        self.ask_at, self.asked, self.wait = when, 0, 0.0


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of a job, as told to whoever watches.

    ``result`` is msgpack; ``reason`` is given instead of it.
    """

    seq: int
    need: Need
    worker: str | None
    attempt: int | None
    seconds: float = 0.0
    nodes: int = 0
    result: bytes | None = None
    reason: str | None = None


@dataclass(slots=True)
class Tally:
    """What happened since the dispatcher started, for metrics and tests."""

    assigned: int = 0
    asked_again: int = 0
    finished: int = 0
    failed: int = 0
    strikes: int = 0
    returned: int = 0
    refused: int = 0
    duplicates: int = 0
    unreadable: int = 0
    foreign: int = 0
    nodes: int = 0
    worker_seconds: float = 0.0
