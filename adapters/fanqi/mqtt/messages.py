"""What dispatchers and workers say to each other: two closed unions, and the presence everybody may read.

Times called ``expires`` and ``sent`` are milliseconds of Unix time on the sender's clock; see `Drift` for
what the receiver makes of them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Raw

from fanqi.mqtt.work import Count, GameName, Line, ShortText, Wire

__all__ = [
    "Accepted",
    "Assign",
    "Busy",
    "Cancel",
    "Drift",
    "Failed",
    "Finished",
    "Held",
    "Holding",
    "Presence",
    "Progress",
    "Refused",
    "Returned",
    "Started",
    "ToDispatcher",
    "ToWorker",
    "Unsupported",
]

JobId = Annotated[str, Meta(min_length=1, max_length=80)]
Attempt = Annotated[int, Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Threads = Annotated[int, Meta(ge=1, le=1024)]
Name = Annotated[str, Meta(min_length=1, max_length=63)]
Reason = Annotated[str, Meta(max_length=1000)]
Names = Annotated[tuple[Annotated[str, Meta(max_length=64)], ...], Meta(max_length=256)]


class Assign(Wire, frozen=True, kw_only=True, tag="assign"):
    """To a worker: this job is yours. Harmless when repeated: a worker that has it, or has had it, says so.

    Attributes:
        job: unique among all jobs of all dispatchers.
        attempt: counts from 1; a later attempt of the same job supersedes this one.
        expires: a worker that reads it later than this does not begin.
        lease_s: longest time the job may run; the worker gives it up then.
        threads, hash_mib: what the search gets, exactly, so that a result does not depend on the worker.
        work: one of `fanqi.mqtt.work.Work`, decoded on its own, so that bad work can be refused by job id.
    """

    job: JobId
    attempt: Attempt
    expires: Count
    lease_s: Seconds
    threads: Threads = 1
    hash_mib: Annotated[int, Meta(ge=1, le=1_048_576)] = 16
    work: Raw


class Cancel(Wire, frozen=True, kw_only=True, tag="cancel"):
    """To a worker: the result of this job is not wanted any more. Not answered."""

    job: JobId


class Accepted(Wire, frozen=True, kw_only=True, tag="accepted"):
    """The worker has the job, and waits for free threads or for the turn of its dispatcher."""

    job: JobId
    attempt: Attempt


class Started(Wire, frozen=True, kw_only=True, tag="started"):
    """The job runs from now on; its lease's time counts."""

    job: JobId
    attempt: Attempt


class Progress(Wire, frozen=True, kw_only=True, tag="progress"):
    """How far a running job is. May be lost."""

    job: JobId
    attempt: Attempt
    done: Count = 0
    total: Count = 0
    nodes: Count = 0
    nps: Count = 0
    line: Line | None = None


class Finished(Wire, frozen=True, kw_only=True, tag="finished"):
    """The result: one of `fanqi.mqtt.work.Result`, of the job's kind, decoded on its own."""

    job: JobId
    attempt: Attempt
    seconds: Seconds
    nodes: Count = 0
    result: Raw


class Failed(Wire, frozen=True, kw_only=True, tag="failed"):
    """The job was tried and did not work out.

    ``final``: it will not work anywhere, such as an illegal position.
    """

    job: JobId
    attempt: Attempt
    reason: Reason
    final: bool = False


class Refused(Wire, frozen=True, kw_only=True, tag="refused"):
    """The job was not taken: no room now (``busy``), or not something this worker does (``unable``)."""

    job: JobId
    attempt: Attempt
    why: Literal["busy", "unable"]
    reason: Reason


class Returned(Wire, frozen=True, kw_only=True, tag="returned"):
    """The job is handed back unfinished, by no fault of its own: the worker stops."""

    job: JobId
    attempt: Attempt
    reason: Reason


class Held(Wire, frozen=True, kw_only=True):
    """One job in a worker's hands."""

    job: JobId
    attempt: Attempt
    running: bool = False


class Holding(Wire, frozen=True, kw_only=True, tag="holding"):
    """The heartbeat: everything the worker holds for this dispatcher. What is not in it, it does not hold."""

    jobs: Annotated[tuple[Held, ...], Meta(max_length=4096)] = ()


class Unsupported(Wire, frozen=True, kw_only=True, tag="unsupported"):
    """Answer to a payload of a schema version, or to a message, that the other side does not read."""

    reason: Reason


ToWorker = Assign | Cancel | Unsupported
ToDispatcher = Accepted | Started | Progress | Finished | Failed | Refused | Returned | Holding | Unsupported


class Busy(Wire, frozen=True, kw_only=True):
    """One running job, as everybody may see it."""

    dispatcher: Name
    job: JobId
    kind: ShortText
    game: GameName | None = None
    seconds: Seconds = 0.0
    nodes: Count = 0
    nps: Count = 0
    note: ShortText = ""


class Presence(Wire, frozen=True, kw_only=True):
    """What a worker offers and does. Retained; renewed on every change and at least every ``heartbeat_s``.

    Attributes:
        v: schema version.
        incarnation: another one means that the worker has lost whatever it held before.
        state: ``ready`` takes jobs, ``closed`` does not now (see ``note``), ``leaving`` will not any more.
        credit: how many jobs it will hold for each dispatcher, running ones included.
        threads, free_threads, hash_mib: what searches may use in total; a job gets what its `Assign` says.
        engines: names for `Play`.
    """

    v: int
    sent: Count
    incarnation: Name
    state: Literal["ready", "closed", "leaving"]
    software: ShortText = ""
    kinds: Names = ()
    games: Names = ()
    engines: Names = ()
    threads: Threads = 1
    free_threads: Annotated[int, Meta(ge=0, le=1024)] = 0
    hash_mib: Annotated[int, Meta(ge=0, le=1_048_576)] = 0
    credit: Annotated[int, Meta(ge=0, le=4096)] = 0
    heartbeat_s: Annotated[float, Meta(gt=0, le=3600)] = 5.0
    started: Count = 0
    finished: Count = 0
    failed: Count = 0
    nps: Count = 0
    running: Annotated[tuple[Busy, ...], Meta(max_length=1024)] = ()
    note: ShortText = ""


class Drift:
    """What to add to a peer's clock to get ours, learned from its messages.

    Clocks of two machines may be minutes apart, and a message may have waited in a queue; the smallest
    difference seen is the clocks' plus one quick delivery, which is all that an expiry in seconds needs.
    """

    def __init__(self) -> None:
        self._smallest: int | None = None

    def learn(self, sent: int, now: int) -> None:
        """Take note of a message that the peer says it sent at ``sent`` and that arrived at ``now``."""
        late = now - sent
        self._smallest = late if self._smallest is None else min(self._smallest, late)

    def ours(self, theirs: int) -> int:
        """A time on the peer's clock, on ours."""
        return theirs + (self._smallest or 0)
