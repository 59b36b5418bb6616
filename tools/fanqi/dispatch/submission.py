"""One submission: its sources become jobs in a ledger, bit by bit, and it can be begun again where it stopped."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator

import msgspec

from fanqi.dispatch.errors import LedgerError
from fanqi.dispatch.intake import Rejected, Source, Template, jobs_of
from fanqi.dispatch.ledger import Ledger, NewJob
from fanqi.dispatch.needs import Need

__all__ = ["Submission"]

ROUND = 500  # pieces of input taken at once, in between messages are looked at
ROUND_S = 0.02


class Submission:
    """Feeds a ledger from sources.

    How many pieces of input have become jobs is kept with the jobs, so that nothing is lost or doubled when the
    process dies in between.

    Raises:
        LedgerError: the ledger belongs to another submission.
    """

    def __init__(
        self,
        ledger: Ledger,
        sources: list[Source],
        template: Template,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        described = json.dumps([msgspec.to_builtins(template), [source.identity() for source in sources]])
        known = ledger.read("submission")
        if known is None:
            ledger.write("submission", described)
        elif known != described:
            raise LedgerError(
                f"state file {str(ledger.path)!r}: it is that of another submission (other input or settings);"
                " give another --out or --state"
            )
        taken = int(ledger.read("taken") or 0)
        self.complete = ledger.read("complete") is not None
        self._taken = taken
        self._template = template
        everything = itertools.chain.from_iterable(jobs_of(source, template) for source in sources)
        self._pieces: Iterator[NewJob | Rejected] = itertools.islice(everything, taken, None)

    def feed(self) -> bool:
        """Turn some more input into jobs; False when there is none left.

        Raises:
            IntakeError: a source turns out to be unreadable as a whole.
        """
        if self.complete:
            return False
        until = self._clock() + ROUND_S
        batch: list[NewJob | Rejected] = []
        for piece in self._pieces:
            batch.append(piece)
            if len(batch) >= ROUND or self._clock() >= until:
                break
        else:
            self.complete = True
        self._store(batch)
        return not self.complete

    def _store(self, batch: list[NewJob | Rejected]) -> None:
        nothing = Need(self._template.kind, None, self._template.threads, self._template.hash_mib)
        jobs = [NewJob(piece.origin, nothing, 0.0, b"") if isinstance(piece, Rejected) else piece for piece in batch]
        for seq, piece in zip(self._ledger.add(jobs), batch, strict=True):
            if isinstance(piece, Rejected):
                self._ledger.fail(seq, None, None, piece.reason)
        self._taken += len(batch)
        self._ledger.write("taken", str(self._taken))
        if self.complete:
            self._ledger.write("complete", "yes")
