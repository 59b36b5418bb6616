"""What happened while we were away: adjourned matches to be resumed, and finished ones that nobody has written down.

After each login the service is asked for our stored and our archived matches. Stored ones are asked for again until
they go on. But an opponent who left a match, or who declines to go on with it, is not asked again before a new login
of his, unless he asks for it. Archived ones that are not in our records, since the connection was lost with their last
line, are fetched and written.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from fanqi.files import read_small, reason_of, write_whole
from fanqi.ggs.records import archived_games
from fanqi.ggs_wire import GameType, WireError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from fanqi.ggs.seat import Seat
    from fanqi.ggs_wire import Archive, History, Stored

__all__ = ["AwayLedger"]

RESUME_EVERY_S = 20.0
HOLD_ASKS_S = 15.0
ABSENT = re.compile(r"no opponent present for archived match '(\.\d+)'\.")


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
        self._absent: set[str] = set()  # matches whose opponents are not here
        self._resting: dict[str, str] = {}  # matches whose opponents do not want to go on, with their names
        self._listed = False  # whether the service has told, since the login, what is stored
        self._asked = 0  # how many were asked for: who comes next
        self._ever_stored: set[str] = set()
        self._looking: deque[str] = deque()
        self._resume_after = 0.0
        self._hold_until = 0.0
        self._baseline_file = seat.book.folder / "baseline.json"
        self._baseline = read_baseline(self._baseline_file, seat.book.server)

    def open(self, now: float) -> None:
        """The service is there."""
        self._seat.ask("stored")
        self._seat.ask("history")
        self._absent.clear()
        self._resume_after = now
        self._hold_until = now + HOLD_ASKS_S

    def clear(self) -> None:
        """The connection is lost."""
        self._looking.clear()
        self._listed = False

    def holds_asks(self, now: float) -> bool:
        """Whether new matches should wait, since an adjourned one is likely to go on in a moment."""
        return bool(self._waiting()) and now < self._hold_until

    def _waiting(self) -> set[str]:
        """Matches that the opponent may want to go on with."""
        return self._stored - self._absent - self._resting.keys()

    def tick(self, now: float, room: int, asked: Collection[str] = ()) -> None:
        """Ask for stored matches, as many as there is room for, in turn: the opponent of one may not answer.

        Not by ``continue``, which asks for all at once: the genuine server loses its way in its own list when one of
        several begins at that moment, and answers nothing where none can.

        Args:
            asked: those for which a request is open.
        """
        if not self._resume or now < self._resume_after:
            return
        waiting = sorted(self._waiting().difference(asked), key=lambda each: int(each[1:]))
        if not waiting:
            return
        self._resume_after = now + self._resume_every_s
        for _ in range(min(room, len(waiting))):
            self._seat.ask(f"ask {waiting[self._asked % len(waiting)]}")
            self._asked += 1

    # --- stored matches

    def hear_stored(self, message: Stored) -> None:
        if message.player == self._seat.me:
            self._stored = {entry.id for entry in message.entries if playable(entry.info)}
            self._listed = True
            self._ever_stored |= self._stored

    def opponents_here(self, names: Collection[str], now: float) -> None:
        """Players are here with whom there are stored matches: after our login those who were, later who comes."""
        if self._listed:
            self._resting = {each: opponent for each, opponent in self._resting.items() if opponent not in names}
        self._absent.clear()
        self._resume_after = 0.0
        self._hold_until = now + HOLD_ASKS_S
        self._seat.ask("stored")

    def adjourned(self, archive: str, left: str, now: float) -> None:
        """A match of ours was stored, since a player has left it."""
        self._ever_stored.add(archive)
        self._resume_after = min(self._resume_after, now + 1.0)
        if left != self._seat.me:
            self._resting[archive] = left
        self._seat.ask("stored")

    def declined(self, archive: str, opponent: str) -> None:
        """The opponent does not want to go on with a match."""
        self._resting[archive] = opponent

    def wanted(self, archive: str) -> None:
        """The opponent asks for a match, or it goes on."""
        self._resting.pop(archive, None)

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
        if absent := ABSENT.fullmatch(text):
            self._absent.add(absent[1])
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
    write_whole(path, msgspec.json.encode(known | {server: baseline}))
