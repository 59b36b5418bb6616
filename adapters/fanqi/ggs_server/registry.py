"""What outlives a match: its record in the database and in the archive, and the ratings it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.ggs_server.archive import ggf_lines, store
from fanqi.ggs_server.ratings import Rating, margin_score, rate
from fanqi.ggs_server.store import MatchRecord
from fanqi.ggs_wire import RatingChange, RatingUpdate

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from fanqi.ggs_server.match import Match
    from fanqi.ggs_server.store import Store

__all__ = ["Registry"]


class Registry:
    """Writes matches and ratings down.

    Args:
        store: the database.
        date: tells the time of day, UTC.
        archived: told each archived match as GGF, one line, once the database has it. Must not raise.
    """

    def __init__(self, store: Store, date: Callable[[], datetime], archived: Callable[[str], None]) -> None:
        self._store, self._date, self._archived = store, date, archived

    def rating(self, name: str, pool: str) -> Rating:
        """A player's rating as it is now."""
        return self._store.rating(name, pool).at(self._date().timestamp())

    def ratings(self, match: Match) -> tuple[float, float]:
        """The ratings of both players in the pool of a match."""
        first, second = (self._store.rating(name, match.type.pool).rating for name in match.names)
        return first, second

    def keep(self, match: Match) -> None:
        """Write down a running rated match, so that it can go on even if this process dies."""
        if self.counts(match) and match.ahead() is None:
            self._store.save_match(self._record(match, "running"))

    def counts(self, match: Match) -> bool:
        """Whether something remains of a match when it ends: it is rated, and more than the bidding for its komi."""
        return match.rated and not (match.type.komi and match.games[0].komi is None)

    def settle(self, match: Match, result: float | None, *, aborted: bool) -> RatingUpdate | None:
        """A match is over: archive and rate it if it has a ``result``, else store it; unless it does not count."""
        with self._store.together():
            if aborted or not self.counts(match):
                self._store.delete_match(match.counter)
                return None
            if result is None:
                self._store.save_match(self._record(match, "stored"))
                return None
            record = self._record(match, "archived", result)
            self._store.save_match(record)
            update = self._rate(match, result)
        self._archived(record.ggf)
        return update

    def _record(self, match: Match, state: str, result: float = 0.0) -> MatchRecord:
        """A match for the database."""
        ratings, date = self.ratings(match), self._date()
        records = ["".join(ggf_lines(game, match.names, ratings, date)) for game in match.games]
        info = match.type.text(match.games[0].komi) + (":l" if state != "archived" else "")
        resume = b"" if state == "archived" else store(match.type, match.clocks, match.games)
        return MatchRecord(
            match.counter,
            state,
            match.names,
            info,
            date.timestamp(),
            ratings,
            result,
            f"{len(records)} {''.join(records)}",
            resume,
        )

    def _rate(self, match: Match, result: float) -> RatingUpdate:
        pool = match.type.pool
        before = [self.rating(name, pool) for name in match.names]
        after = list(rate(margin_score(result), before[0], before[1]))
        changes = []
        for name, old, new, margin in zip(match.names, before, after, (result, -result), strict=True):
            counted = Rating(
                new.rating,
                new.deviation,
                self._date().timestamp(),
                old.margin + margin,
                old.wins + (margin > 0),
                old.draws + (margin == 0),
                old.losses + (margin < 0),
            )
            self._store.save_rating(name, pool, counted)
            change = new.rating - old.rating
            changes.append(RatingChange(name, old.rating, old.deviation, change, new.rating, new.deviation))
        return RatingUpdate(match.id, (changes[0], changes[1]))
