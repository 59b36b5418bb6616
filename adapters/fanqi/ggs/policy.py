"""What we say to requests and offers: pure functions of the configuration and of what was asked, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.ggs.config import AcceptConfig, OfferConfig
    from fanqi.ggs_wire import ClockSetting, Request

__all__ = ["Verdict", "judge_offer", "judge_request"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, and why.

    Attributes:
        silent: leave it unanswered: it is for somebody else, or for anybody.
    """

    accept: bool
    reason: str
    silent: bool = False


def judge_request(request: Request, accept: AcceptConfig, me: str, playing: int, stopping: bool) -> Verdict:
    """Whether to take a request.

    Args:
        me: our name.
        playing: matches in progress.
        stopping: no new matches any more.
    """
    if request.asker == me:
        return Verdict(False, "our own", silent=True)
    if request.opponent is not None and request.opponent != me:
        return Verdict(False, "for somebody else", silent=True)
    silent = request.opponent is None
    reason = objection(request, accept, playing, stopping)
    if reason is None:
        return Verdict(True, "fits")
    return Verdict(False, reason, silent)


def objection(request: Request, accept: AcceptConfig, playing: int, stopping: bool) -> str | None:
    """Why a request is declined; None when nothing speaks against it."""
    stored = request.flag == "S"
    kind = request.type
    if stopping and not stored:
        return "stopping"
    if playing >= accept.games:
        return f"{playing} matches in progress, at most {accept.games} wanted"
    if kind.board != 8:
        return f"board {kind.board} is not played"
    if any(fnmatchcase(request.asker, pattern) for pattern in accept.blocked):
        return f"{request.asker} is blocked"
    if stored:
        return None if accept.resume else "adjourned games are not resumed"
    if not any(fnmatchcase(request.asker, pattern) for pattern in accept.opponents):
        return f"{request.asker} is not among the opponents wanted"
    if request.opponent is None and not accept.from_anybody:
        return "made to anybody"
    if not any(fnmatchcase(str(kind), pattern) for pattern in accept.types):
        return f"type {kind} is not wanted"
    if accept.rated != "any" and (accept.rated == "yes") != (request.flag in ("R", "T")):
        return "rated" if accept.rated == "no" else "not rated"
    low, high = accept.rating
    if not low <= request.rating <= high:
        return f"rating {request.rating:g} is not between {low:g} and {high:g}"
    own = request.clock if request.opponent_clock is None else request.opponent_clock
    return clock_objection(own, request.clock, accept)


def clock_objection(own: ClockSetting, theirs: ClockSetting, accept: AcceptConfig) -> str | None:
    """Why a pair of clocks is not wanted."""
    for name, value, (low, high) in (
        ("initial time", own.initial, accept.initial_s),
        ("increment", own.increment, accept.increment_s),
        ("extension", own.extension, accept.extension_s),
    ):
        if not low <= value <= high:
            return f"{name} {value} s is not between {low:g} and {high:g}"
    if accept.equal_clocks and own != theirs and total(own) < total(theirs):
        return f"clock {own} is worse than theirs, {theirs}"
    return None


def total(clock: ClockSetting) -> float:
    """Seconds for a game of thirty moves."""
    return clock.initial + 30 * clock.increment / clock.increment_moves + clock.extension


def judge_offer(kind: str, offers: OfferConfig, rated: bool) -> Verdict:
    """What to say when the opponent asks to undo or to abort, or offers a score."""
    if kind == "score":  # the service does not tell which score, so there is nothing to agree to
        return Verdict(False, "scores are played out")
    rule = offers.undo if kind == "undo" else offers.abort
    if rule == "always" or (rule == "unrated" and not rated):
        return Verdict(True, f"{kind}: {rule}")
    return Verdict(False, f"{kind}: {rule}" + (" in a rated match" if rated and rule == "unrated" else ""))
