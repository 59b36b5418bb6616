"""Growing a book: which position comes next, and keeping the file.

*Best first* is Lincke's drop-out expansion ("Strategies for the automatic construction of opening books", 2001): a
drop-out move is taken into the book in the order of its priority, the plies to it plus a weight for every disc that
both sides together give away on the way there. What is added is searched, its parent is searched again for another
drop-out move, and values and priorities of the whole book are computed anew.

Positions are taken in batches, so that several threads have work and a batch is the same for any number of them. Each
answer goes into the journal when it is found, and the book file is written at the end of a batch now and then: whatever
moment the process is killed at, the same command goes on from there and makes the same book.
"""

from __future__ import annotations

import datetime
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self

import numpy as np

from fanqi.about import VERSION
from fanqi.book.errors import BuildError
from fanqi.book.graph import Graph, Verdict
from fanqi.book.journal import Journal
from fanqi.book.judge import Judge, Question, SearchSettings
from fanqi.book.lines import Walk
from fanqi.files import write_whole
from fanqi.othello.patterns import evaluation_digest
from fanqi.othello_book import NO_MOVE, BookHead, format_book, read_book
from fanqi.othello_book.symmetry import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["START", "Bounds", "Builder", "Stopped", "TimeUp"]

START = canonical(1 << 28 | 1 << 35, 1 << 27 | 1 << 36)
"""The start position."""
SAVE_SECONDS = 30.0
SMALLEST_BATCH, LARGEST_BATCH = 8, 1024
POSITIONS_A_BATCH = 64
"""A batch is the book's positions divided by this."""

Key = tuple[int, int]


class Stopped(Exception):  # noqa: N818  nothing is wrong
    """The build was told to end."""


class TimeUp(Exception):  # noqa: N818  nothing is wrong
    """The build has taken as long as it was allowed to."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a book ends.

    Attributes:
        positions: it stops growing at so many.
        seconds: or after this long; None for no limit.
        max_loss: no line in which both sides together give away more discs.
        max_plies: no position after more moves.
        loss_weight: plies that a disc given away counts for in the order of expansion.
    """

    positions: int = 1 << 40
    seconds: float | None = None
    max_loss: float = 8.0
    max_plies: int = 60
    loss_weight: float = 2.0

    def __post_init__(self) -> None:
        for name, least, most in (
            ("positions", 1, None),
            ("max_loss", 0, 128),
            ("max_plies", 0, 60),
            ("loss_weight", 0, 100),
        ):
            value = getattr(self, name)
            if not least <= value <= (most if most is not None else value):
                raise BuildError(f"{name} {value}: expected {least} to {most if most is not None else 'any number'}")
        if self.seconds is not None and not self.seconds > 0:
            raise BuildError(f"a time of {self.seconds} seconds: expected more than 0")

    def holding(self, positions: int) -> Bounds:
        """The same with another number of positions."""
        return replace(self, positions=positions)


class Builder:
    """A book file that grows. Use it as a context manager.

    Args:
        path: of the book, created if missing; the journal lies beside it.
        settings: of the searches from now on.
        jobs: threads that search.

    Attributes:
        progress: called after each search with the number of positions; may be set at any time.

    Raises:
        BookError: there is a file, but it is no book.
        BuildError: another process builds it.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, settings: SearchSettings, jobs: int = 1) -> None:
        self._path = path
        self._settings = settings
        self.progress: Callable[[int], None] | None = None
        self._digest = evaluation_digest()
        terms = {**settings.described(), "evaluation": self._digest, "version": VERSION}
        self._journal = Journal(path.with_name(f"{path.name}.journal"), terms)
        try:
            self._head, columns = read_book(path) if path.exists() else (BookHead(), None)
        except Exception:
            self._journal.close(remove=not len(self._journal))
            raise
        self.graph = Graph() if columns is None else Graph.of(columns)
        self._changed = False  # since the file was written
        self._saved = time.monotonic()
        self._deadline: float | None = None
        self._stopping = False
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="fanqi-book")
        self._judges: SimpleQueue[Judge] = SimpleQueue()
        self._jobs = jobs
        for _ in range(jobs):
            self._judges.put(Judge(settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def head(self) -> BookHead:
        """What the file says about the book."""
        return self._head

    def stop(self) -> None:
        """End the build as soon as the searches that run are done; the method at work raises `Stopped`."""
        self._stopping = True

    def close(self) -> None:
        """Write what is not written yet and let go of the files."""
        self._stopping = True
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._changed:
            self._write()
        self._journal.close(remove=not len(self._journal))

    # --- the two ways to grow -------------------------------------------------------------------------------

    def expand(self, bounds: Bounds, roots: Iterable[Key] = (START,)) -> None:
        """Best first, until a bound is reached or nothing is left within them.

        Raises:
            Stopped: told to end; what was found is kept.
            TimeUp: so is what was found in time.
        """
        self._deadline = None if bounds.seconds is None else time.monotonic() + bounds.seconds
        self.absorb([root for root in roots if root not in self.graph])
        while len(self.graph) < bounds.positions:
            batch = self.next_batch(bounds)
            if not batch:
                break
            self.absorb(batch)
        self.save()

    def follow(self, lines: Sequence[Sequence[int]], bounds: Bounds) -> None:
        """Take in the positions of lines that begin at the start position, the nearer ones first.

        A line is left where a bound is reached; its positions are scored like all others.

        Args:
            lines: legal moves, every pass among them.
            bounds: as for `expand`; of `loss_weight` no use is made.

        Raises:
            Stopped, TimeUp: as for `expand`.
        """
        self._deadline = None if bounds.seconds is None else time.monotonic() + bounds.seconds
        self.absorb([START] if START not in self.graph else [])
        walk = Walk(lines)
        walk.keep(self._within(bounds))
        while len(self.graph) < bounds.positions and walk.step():
            fresh = [key for key in walk.positions if key not in self.graph]
            while fresh and len(self.graph) < bounds.positions:
                size = min(self._batch_size, bounds.positions - len(self.graph))
                self.absorb(fresh[:size])
                fresh = fresh[size:]
            walk.keep(self._within(bounds))
        self.save()

    def _within(self, bounds: Bounds) -> set[Key]:
        """The positions from which lines may go on."""
        loss = self.graph.losses(self.graph.values())
        good = np.nonzero((loss <= 100 * bounds.max_loss) & (self.graph.plies < bounds.max_plies))[0]
        return {self.graph.key(int(position)) for position in good}

    @property
    def _batch_size(self) -> int:
        return max(SMALLEST_BATCH, min(LARGEST_BATCH, len(self.graph) // POSITIONS_A_BATCH))

    def next_batch(self, bounds: Bounds) -> list[Key]:
        """The positions to be added next, the most urgent ones first."""
        graph = self.graph
        value = graph.values()
        score = graph.column("score").astype(np.int64)
        loss = graph.losses(value) + value - score
        open_ = (graph.column("move") != NO_MOVE) & (loss <= 100 * bounds.max_loss) & (graph.plies < bounds.max_plies)
        rows = np.nonzero(open_)[0]
        priority = 100 * graph.plies[rows] + bounds.loss_weight * loss[rows]
        order = np.lexsort((graph.column("opponent")[rows], graph.column("own")[rows], priority))
        size = min(self._batch_size, bounds.positions - len(graph))
        chosen = rows[order[:size]]
        return list(dict.fromkeys(self._after_drop_out(chosen)))

    def _after_drop_out(self, rows: NDArray[np.int64]) -> list[Key]:
        graph = self.graph
        after = graph.successors([graph.key(row) for row in rows.tolist()])
        wanted = after.move == graph.column("move")[rows][after.parent]
        return list(zip(after.own[wanted].tolist(), after.opponent[wanted].tolist(), strict=True))

    # --- one batch ------------------------------------------------------------------------------------------

    def absorb(self, keys: Sequence[Key]) -> None:
        """Score positions and take them in; all of them, or when stopped, none.

        Raises:
            Stopped, TimeUp: see `expand`.
        """
        if not keys:
            return
        graph, mark = self.graph, self.graph.mark
        verdicts = self._ask(self._questions(keys), mark.positions)
        replaced = graph.add(keys, verdicts)
        try:
            again = self._ask(self._questions([graph.key(position) for position in replaced]), mark.positions)
        except BaseException:
            graph.cut_back(mark)
            raise
        for position, verdict in zip(replaced, again, strict=True):
            graph.set_verdict(position, verdict)
        self._changed = True
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def _questions(self, keys: Sequence[Key]) -> list[Question]:
        """What to ask about positions: which of the moves is best that do not lead into the book."""
        return [Question(*key, moves) for key, moves in zip(keys, self.graph.open_moves(keys), strict=True)]

    def _ask(self, questions: Sequence[Question], positions: int) -> list[Verdict]:
        """Answers in order, from the journal or by search."""
        answers: list[Verdict | None] = [
            self._journal.get(question) if question.moves else self._result(question) for question in questions
        ]
        left = iter([number for number, answer in enumerate(answers) if answer is None])
        running: dict[Future[Verdict], int] = {}
        try:
            while True:
                while len(running) < 2 * self._jobs and (number := next(left, None)) is not None:
                    running[self._pool.submit(self._search, questions[number])] = number
                if not running:
                    break
                for done in wait(running, timeout=0.5, return_when=FIRST_COMPLETED).done:
                    answers[running.pop(done)] = done.result()
                    if self.progress is not None:
                        self.progress(positions)
                if self._stopping:
                    raise Stopped
                if self._deadline is not None and time.monotonic() > self._deadline:
                    raise TimeUp
        finally:
            for future in running:
                future.cancel()
            wait(running)
        return [answer for answer in answers if answer is not None]

    def _result(self, question: Question) -> Verdict:
        """What there is to say where there is nothing to choose."""
        judge = self._judges.get()
        try:
            return judge.answer(question)
        finally:
            self._judges.put(judge)

    def _search(self, question: Question) -> Verdict:
        judge = self._judges.get()
        try:
            verdict = judge.answer(question)
        finally:
            self._judges.put(judge)
        self._journal.put(question, verdict)
        return verdict

    # --- the file -------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Write the book; the journal is not needed any more. Only between batches."""
        self._write()
        self._journal.clear()

    def _write(self) -> None:
        columns = self.graph.columns()
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        if self._changed:  # an error measured on a smaller book is kept until it is measured again
            made: dict[str, str | int | float | bool | None] = {
                "engine": f"Fanqi {VERSION}",
                "evaluation": self._digest,
                **self._settings.described(),
                "date": today,
            }
            self._head = BookHead(error=self._head.error, provenance={**self._head.provenance, **made})
        write_whole(self._path, format_book(self._head, columns))
        self._changed = False
        self._saved = time.monotonic()

    # --- the stated error -----------------------------------------------------------------------------------

    def measure(self, sample: int, deeper: int, after: Callable[[int], None] | None = None) -> float:
        """State the book's error: the root mean square difference of its values from those of deeper searches.

        Args:
            sample: how many positions, evenly from all.
            deeper: plies more than the book's searches.
            after: called with the number of positions measured.

        Raises:
            Stopped: see `expand`.
        """
        columns = self.graph.columns()
        rows = np.unique(np.linspace(0, len(columns) - 1, min(sample, len(columns))).astype(np.int64)).tolist()
        depth = min(60, self._settings.depth + deeper)
        settings = SearchSettings(depth, self._settings.selectivity, self._settings.exact)
        judges: SimpleQueue[Judge] = SimpleQueue()
        for _ in range(self._jobs):
            judges.put(Judge(settings))

        def difference(row: int) -> int:
            judge = judges.get()
            try:
                if self._stopping:
                    return 0
                return judge.score(int(columns.own[row]), int(columns.opponent[row])) - int(columns.value[row])
            finally:
                judges.put(judge)

        differences = []
        for found in self._pool.map(difference, rows):
            if self._stopping:
                raise Stopped
            differences.append(found)
            if after is not None:
                after(len(differences))
        error = round(float(np.sqrt(np.mean(np.square(differences)))) / 100, 2)
        self._head = BookHead(
            error=error,
            provenance={
                **self._head.provenance,
                "error_positions": len(rows),
                "error_depth": depth,
                "error_evaluation": self._digest,
            },
        )
        self._write()
        return error
