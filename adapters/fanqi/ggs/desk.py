"""Requests: those made to us, and those that we make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.ggs.link import Backoff
from fanqi.ggs.policy import judge_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.ggs.config import AskConfig
    from fanqi.ggs.seat import Seat
    from fanqi.ggs_wire import GameType, Request, RequestChange

__all__ = ["RequestDesk"]

YIELD_TO_OTHER_S = 5.0
ANSWER_TO_ASK_S = 10.0
AFTER_REFUSAL_S = 2.0
LONGEST_AFTER_REFUSAL_S = 120.0
MOST_REQUESTS = 1000
AS_CONFIRMED = {
    "accept": "request gone before it was accepted",
    "decline": "request declined",
    "cancel": "request withdrawn",
}


@dataclass(slots=True)
class Pending:
    """A request that the service shows.

    Attributes:
        since: when it came.
        sent: what we have sent about it: ``accept``, ``decline``, ``cancel``, or nothing yet.
        sent_at: and when.
    """

    request: Request
    since: float
    sent: str = ""
    sent_at: float = 0.0


class RequestDesk:
    """Answers requests by policy with the reason logged, and makes our own in turn.

    What we send is logged as an attempt. What the service confirms is logged and counted as done.

    Args:
        seat: where we play.
        playing: matches in progress.
        stored_declined: given a stored match that its opponent declines to go on with, and the opponent's name.
        stored_wanted: given a stored match that its opponent asks for, or that goes on.

    Attributes:
        stopping: no new matches.
        asking: make requests of our own.
    """

    def __init__(
        self,
        seat: Seat,
        playing: Callable[[], int],
        stored_declined: Callable[[str, str], None],
        stored_wanted: Callable[[str], None],
    ) -> None:
        self._seat, self._playing = seat, playing
        self._stored_declined, self._stored_wanted = stored_declined, stored_wanted
        self._config, self._status, self._logger = seat.config, seat.status, seat.logger
        self.stopping = False
        self.asking = True
        self._requests: dict[str, Pending] = {}
        self._next_ask = 0
        self._ask_after = 0.0
        self._rest_until = [0.0] * len(self._config.ask)  # each of our requests, after the opponent has declined it
        self._asked: float | None = None  # when a request was sent that has not shown up yet
        self._refusals = Backoff(AFTER_REFUSAL_S, LONGEST_AFTER_REFUSAL_S)

    def clear(self) -> None:
        """The connection is lost, and all requests with it."""
        self._requests.clear()
        self._asked = None

    def open(self, now: float) -> None:
        """The service is there."""
        self._ask_after = now + 1.0

    @property
    def stored_asked(self) -> set[str]:
        """Stored matches that we have asked for, and that nobody has answered yet."""
        ours = (pending.request for pending in self._requests.values() if pending.request.asker == self._seat.me)
        return {request.stored for request in ours if request.stored is not None}

    @property
    def _last_ask(self) -> int:
        """Which of our requests was made last."""
        return (self._next_ask - 1) % len(self._config.ask)

    # --- what is heard

    def hear(self, change: RequestChange) -> None:
        """A request has come or gone."""
        request = change.request
        if not change.added:
            self._gone(request.id)
            return
        if request.opponent is not None and self._seat.me not in (request.asker, request.opponent):
            return
        pending = Pending(request, self._seat.clock())
        if len(self._requests) < MOST_REQUESTS:
            self._requests[request.id] = pending
        if request.asker == self._seat.me:
            self._asked = None
            return
        if request.stored is not None:
            self._stored_wanted(request.stored)
        if request.stored in self.stored_asked and self._seat.me > request.asker:
            return  # both ask at once: the name that sorts first accepts; if it does not, `tick` does
        self._answer(pending)

    def _gone(self, name: str) -> None:
        """A request is there no more, and no match has come of it."""
        pending = self._requests.pop(name, None)
        if pending is None:
            return
        request = pending.request
        if pending.sent:
            self._logger.info(AS_CONFIRMED[pending.sent], request=name, asker=request.asker)
            self._status.declined += pending.sent == "decline"
        elif request.asker == self._seat.me and not self.stopping and self._playing() < self._config.accept.games:
            self._logger.info("our request was declined", request=name, opponent=request.opponent)
            if request.stored is not None:
                self._stored_declined(request.stored, request.opponent or "")
            elif self._config.ask:
                self._rest_until[self._last_ask] = self._seat.clock() + self._config.ask[self._last_ask].give_up_s

    def refused(self) -> None:
        """The service has refused something, perhaps our request."""
        self._asked = None
        self._ask_after = max(self._ask_after, self._seat.clock() + self._refusals.next_s())

    def match_started(self, names: tuple[str, str], kind: GameType) -> dict[str, str]:
        """A match has come of a request. Gives the clocks asked for, by player; nothing if they are not known."""
        self._asked = None
        self._refusals.succeeded()
        for name, pending in self._requests.items():
            request = pending.request
            asker, opponent = names if request.asker == names[0] else names[::-1]  # a stored match may change them
            if (request.asker, request.type) == (asker, kind) and request.opponent in (None, opponent):
                if pending.sent == "accept":
                    self._status.accepted += 1
                    self._logger.info("request accepted", request=name, asker=request.asker)
                if request.stored is not None:
                    self._stored_wanted(request.stored)
                del self._requests[name]
                return {asker: str(request.clock), opponent: str(request.opponent_clock or request.clock)}
        return {}

    def match_ended(self, now: float) -> None:
        asks = self._config.ask
        self._ask_after = now + (asks[self._last_ask].pause_s if asks else 0.0)

    def _answer(self, pending: Pending) -> None:
        request = pending.request
        verdict = judge_request(request, self._config.accept, self._seat.me, self._playing(), self.stopping)
        if verdict.silent:
            return
        self._logger.info(
            "accepting a request" if verdict.accept else "declining a request",
            request=request.id,
            type=str(request.type),
            clock=str(request.clock),
            flag=request.flag,
            asker=request.asker,
            reason=verdict.reason,
        )
        self._send(pending, "accept" if verdict.accept else "decline")

    def _send(self, pending: Pending, command: str) -> None:
        pending.sent, pending.sent_at = command, self._seat.clock()
        self._seat.ask(f"{command} {pending.request.id}")

    # --- what is done from time to time

    def tick(self, now: float, may_ask: bool) -> None:
        """Withdraw what nobody takes, take up what was left to us, ask for the next match."""
        for pending in self._requests.values():
            request = pending.request
            if request.asker == self._seat.me and request.stored is None and self._config.ask:
                if now - max(pending.since, pending.sent_at) > self._config.ask[self._last_ask].give_up_s:
                    self._send(pending, "cancel")
            elif request.opponent == self._seat.me and not pending.sent and now - pending.since > YIELD_TO_OTHER_S:
                self._answer(pending)
        if may_ask and self.asking and not self.stopping and now >= self._ask_after:
            self._ask(now)

    def _ask(self, now: float) -> None:
        """Make the next of our requests, unless one is open."""
        pending = (each.request for each in self._requests.values())
        if any(request.asker == self._seat.me and request.stored is None for request in pending):
            return
        if self._asked is not None and now - self._asked < ANSWER_TO_ASK_S:
            return
        ask = self._choose_ask(now)
        if ask is None:
            return
        self._asked = now
        self._logger.info("asking", type=ask.type, clock=ask.clock, opponent=ask.opponent or "anybody")
        self._seat.ask(f"ask {ask.type} {ask.clock} {ask.opponent}".rstrip())

    def _choose_ask(self, now: float) -> AskConfig | None:
        """The next in turn that does not rest."""
        asks = self._config.ask
        for _ in asks:
            number = self._next_ask % len(asks)
            self._next_ask = number + 1
            if now >= self._rest_until[number]:
                return asks[number]
        return None
