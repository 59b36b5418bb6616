"""What happened while we were away: adjourned matches to be resumed, and finished ones that nobody has written down.

After each login the service is asked for our stored and our archived matches. Stored ones are asked for again until
they go on. Archived ones that are not in our records, since the connection was lost with their last line, are fetched
and written.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from fanqi.files import read_small, reason_of
from fanqi.ggs.records import archived_games
from fanqi.ggs_wire import GameType, WireError

if TYPE_CHECKING:
    from pathlib import Path

    from fanqi.ggs.seat import Seat
    from fanqi.ggs_wire import Archive, History, Stored

__all__ = ["AwayLedger"]

RESUME_EVERY_S = 20.0
HOLD_ASKS_S = 15.0


class AwayLedger:
    """See the module.

    Args:
        seat: where we play.
        resume_every_s: how often adjourned matches are asked for.
    """

    def __init__(self, seat: Seat, resume_every_s: float = RESUME_EVERY_S) -> None:
        self._seat = seat
        self._book, self._logger = seat.book, seat.logger
        self._resume, self._resume_every_s = seat.config.accept.resume, resume_every_s
        self._stored: set[str] = set()
        self._alone = False  # there is one stored match and no other
        self._asked = 0  # how many were asked for by their ids: who comes next
        self._ever_stored: set[str] = set()
        self._looking: deque[str] = deque()
        self._resume_after = 0.0
        self._hold_until = 0.0
        self._baseline_file = seat.book.folder / "baseline.json"
        self._baseline = read_baseline(self._baseline_file, seat.book.server)

    def open(self, now: float) -> None:
        """The service is there."""
        self._seat.tell("stored")
        self._seat.tell("history")
        self._resume_after = now
        self._hold_until = now + HOLD_ASKS_S

    def clear(self) -> None:
        """The connection is lost."""
        self._looking.clear()

    def holds_asks(self, now: float) -> bool:
        """Whether new matches should wait, since an adjourned one is likely to go on in a moment."""
        return bool(self._stored) and now < self._hold_until

    def tick(self, now: float, room: int) -> None:
        """Ask for stored matches, as many as there is room for.

        ``continue`` asks for all at once; but the genuine server loses its way in its own list when one of several
        begins at that moment, so several are asked for by their ids, in turn: the opponent of one may stay away.
        """
        if not self._resume or not self._stored or now < self._resume_after:
            return
        self._resume_after = now + self._resume_every_s
        if self._alone:
            self._seat.tell("continue")
        else:
            waiting = sorted(self._stored, key=lambda each: int(each[1:]))
            for _ in range(min(room, len(waiting))):
                self._seat.tell(f"ask {waiting[self._asked % len(waiting)]}")
                self._asked += 1

    # --- stored matches

    def hear_stored(self, message: Stored) -> None:
        if message.player == self._seat.me:
            self._stored = {entry.id for entry in message.entries if playable(entry.info)}
            self._alone = len(message.entries) == 1
            self._ever_stored |= self._stored

    def opponent_returned(self, now: float) -> None:
        """Somebody is back with whom there are stored matches."""
        self._resume_after = 0.0
        self._hold_until = now + HOLD_ASKS_S
        self._seat.tell("stored")

    def adjourned(self, archive: str, now: float) -> None:
        """A match of ours was stored."""
        self._ever_stored.add(archive)
        self._resume_after = min(self._resume_after, now + 1.0)
        self._seat.tell("stored")

    def over(self, archive: str) -> None:
        """A match was finished before our eyes."""
        self._stored.discard(archive)

    # --- archived matches

    def hear_history(self, message: History) -> None:
        """Fetch what is not written yet. The first history from a server only says where ours begins."""
        if message.player != self._seat.me:
            return
        numbers = {entry.id: int(entry.id[1:]) for entry in message.entries}
        if self._baseline is None:
            stored = (int(archive[1:]) for archive in self._stored)
            self._baseline = max((*numbers.values(), *stored), default=-1)
            self._keep_baseline(self._baseline)
        for archive, number in numbers.items():
            wanted = number > self._baseline or archive in self._ever_stored
            if wanted and archive not in self._book.known and archive not in self._looking:
                self._looking.append(archive)
                self._seat.tell(f"look {archive}")

    def _keep_baseline(self, baseline: int) -> None:
        try:
            write_baseline(self._baseline_file, self._book.server, baseline)
        except OSError as error:  # the next start takes a later one, and play goes on
            self._logger.error("a record could not be written", file=self._baseline_file.name, reason=reason_of(error))

    def hear_archive(self, message: Archive) -> list[dict[str, Any]]:
        """Write a match that was fetched; gives its games as they were written."""
        if not self._looking:
            return []
        archive = self._looking.popleft()
        try:
            entries = self._book.write_archived(archive, self._seat.me, archived_games(message.records))
        except OSError as error:
            self._logger.error("a record could not be written", archive=archive, reason=reason_of(error))
            return []
        if entries:
            self._logger.info("match recorded from the archive", archive=archive, games=len(entries))
        return entries

    def hear_refusal(self, text: str) -> bool:
        """Whether a refusal is about a stored or an archived match, which is nothing to worry about."""
        if "archived match" not in text:
            return False
        if self._looking and f"'{self._looking[0]}'" in text:
            self._looking.popleft()
        return True


def playable(info: str) -> bool:
    """Whether a stored match (``8k+0.75r16:l``) is on a board that we play."""
    try:
        return GameType.parse(info.partition(":")[0]).board == 8
    except WireError:
        return False


def read_baseline(path: Path, server: str) -> int | None:
    """The newest archive id when we first came to a server: what is older is not ours to record."""
    try:
        known = msgspec.json.decode(read_small(path), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        return None
    return known.get(server)


def write_baseline(path: Path, server: str, baseline: int) -> None:
    """Keep it, beside those of other servers.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        known = msgspec.json.decode(read_small(path), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        known = {}
    path.write_bytes(msgspec.json.encode(known | {server: baseline}))
