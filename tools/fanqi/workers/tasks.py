"""A job in a worker's hands: the orders to run it, the news of it, its end, and the answers given before."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from fanqi.mqtt.messages import Assign, Busy, Finished, Progress
from fanqi.mqtt.work import Line, Work, kind_of

__all__ = ["Broke", "Done", "Order", "RecentAnswers", "Run", "Stop", "Task", "Update"]

MOST_ANSWERS = 4096
MOST_ANSWER_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Run:
    """Order: begin this job."""

    job: str
    work: Work
    threads: int
    hash_mib: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Order: end this job at once; nothing more is to be heard of it."""

    job: str


Order = Run | Stop


@dataclass(frozen=True, slots=True)
class Update:
    """News of a running job."""

    done: int = 0
    total: int = 0
    nodes: int = 0
    nps: int = 0
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """A job ended with a result, in msgpack."""

    result: bytes
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Broke:
    """A job ended without a result. ``final``: it would anywhere."""

    reason: str
    final: bool = False


@dataclass(slots=True)
class Task:
    """One job in hand."""

    dispatcher: str
    assign: Assign
    work: Work
    size: int
    since: float | None = None
    update: Update = field(default_factory=Update)
    told_at: float = 0.0

    @property
    def job(self) -> str:
        return self.assign.job

    @property
    def attempt(self) -> int:
        return self.assign.attempt

    def progress(self) -> Progress:
        """The last news, for its dispatcher."""
        news = self.update
        return Progress(
            job=self.job,
            attempt=self.attempt,
            done=news.done,
            total=news.total,
            nodes=news.nodes,
            nps=news.nps,
            line=news.line,
        )

    def busy(self, now: float) -> Busy:
        """The last news, for everybody."""
        return Busy(
            dispatcher=self.dispatcher,
            job=self.job,
            kind=kind_of(self.work),
            game=game_of(self.work),
            seconds=0.0 if self.since is None else now - self.since,
            nodes=self.update.nodes,
            nps=self.update.nps,
            note=note_of(self.update),
        )


class RecentAnswers:
    """The last results given, within bounds, so that a job whose answer was lost need not run again."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, tuple[str, Finished]] = OrderedDict()
        self._bytes = 0

    def add(self, dispatcher: str, answer: Finished) -> None:
        """Keep an answer; the oldest ones go when there are too many or they are too large."""
        if answer.job in self._answers:
            return
        self._answers[answer.job] = (dispatcher, answer)
        self._bytes += size_of(answer)
        while len(self._answers) > MOST_ANSWERS or self._bytes > MOST_ANSWER_BYTES:
            _, (_, oldest) = self._answers.popitem(last=False)
            self._bytes -= size_of(oldest)

    def get(self, dispatcher: str, job: str) -> Finished | None:
        """The answer given to this dispatcher for this job, if it is still known."""
        known = self._answers.get(job)
        return known[1] if known is not None and known[0] == dispatcher else None


def size_of(answer: Finished) -> int:
    return len(answer.result)


def game_of(work: Work) -> str | None:
    """The game a job is about, if any."""
    position = getattr(work, "position", None)
    return position.game if position is not None else getattr(work, "game", None)


def note_of(update: Update) -> str:
    """A running job in a few words."""
    parts = []
    if update.total:
        parts.append(f"{update.done}/{update.total}")
    if update.line is not None and update.line.depth:
        parts.append(f"depth {update.line.depth}")
    return ", ".join(parts)
