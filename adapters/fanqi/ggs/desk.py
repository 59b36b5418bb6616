"""Requests: those made to us, and those that we make."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from fanqi.ggs.policy import judge_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.ggs.seat import Seat
    from fanqi.ggs_wire import GameType, Request, RequestChange

__all__ = ["RequestDesk"]

YIELD_TO_OTHER_S = 5.0
ANSWER_TO_ASK_S = 10.0
AFTER_REFUSAL_S = 2.0
MOST_REQUESTS = 1000


class RequestDesk:
    """Answers requests by policy with the reason logged, and makes our own in turn.

    Args:
        seat: where we play.
        playing: matches in progress.

    Attributes:
        stopping: no new matches.
        asking: make requests of our own.
    """

    def __init__(self, seat: Seat, playing: Callable[[], int]) -> None:
        self._seat, self._playing = seat, playing
        self._config, self._status, self._logger = seat.config, seat.status, seat.logger
        self.stopping = False
        self.asking = True
        self._requests: dict[str, tuple[Request, float]] = {}  # with the time of their last look
        self._next_ask = 0
        self._ask_after = 0.0
        self._asked: float | None = None  # when a request was sent that has not shown up yet

    def clear(self) -> None:
        """The connection is lost, and all requests with it."""
        self._requests.clear()
        self._asked = None

    def open(self, now: float) -> None:
        """The service is there."""
        self._ask_after = now + 1.0

    # --- what is heard

    def hear(self, change: RequestChange) -> None:
        """A request has come or gone."""
        request = change.request
        if not change.added:
            self._requests.pop(request.id, None)
            return
        if request.opponent is not None and self._seat.me not in (request.asker, request.opponent):
            return
        if len(self._requests) < MOST_REQUESTS:
            self._requests[request.id] = (request, time.monotonic())
        if request.asker == self._seat.me:
            self._asked = None
        elif request.flag == "S" and self._we_ask_for(request.stored) and self._seat.me > request.asker:
            pass  # both ask at once: the name that sorts first accepts; if it does not, `tick` does
        else:
            self._answer(request)

    def refused(self) -> None:
        """The service has refused something, perhaps our request."""
        self._asked = None
        self._ask_after = max(self._ask_after, time.monotonic() + AFTER_REFUSAL_S)

    def match_started(self) -> None:
        self._asked = None

    def match_ended(self, now: float) -> None:
        asks = self._config.ask
        self._ask_after = now + (asks[(self._next_ask - 1) % len(asks)].pause_s if asks else 0.0)

    def clocks_of(self, names: tuple[str, str], kind: GameType) -> dict[str, str]:
        """The clocks that were asked for with a match that starts now, by player; empty if that is not known."""
        for request, _ in self._requests.values():
            if (request.asker, request.type) == (names[0], kind) and request.opponent in (None, names[1]):
                return {names[0]: str(request.clock), names[1]: str(request.opponent_clock or request.clock)}
        return {}

    def _we_ask_for(self, stored: str | None) -> bool:
        """Whether we have asked for a stored game ourselves."""
        return any(
            request.asker == self._seat.me and request.stored is not None and request.stored == stored
            for request, _ in self._requests.values()
        )

    def _answer(self, request: Request) -> None:
        verdict = judge_request(request, self._config.accept, self._seat.me, self._playing(), self.stopping)
        if verdict.silent:
            return
        self._logger.info(
            "request accepted" if verdict.accept else "request declined",
            request=request.id,
            type=str(request.type),
            clock=str(request.clock),
            flag=request.flag,
            asker=request.asker,
            reason=verdict.reason,
        )
        if verdict.accept:
            self._status.accepted += 1
        else:
            self._status.declined += 1
        self._seat.tell(f"{'accept' if verdict.accept else 'decline'} {request.id}")

    # --- what is done from time to time

    def tick(self, now: float, may_ask: bool) -> None:
        """Withdraw what nobody takes, take up what was left to us, ask for the next match."""
        for name, (request, since) in list(self._requests.items()):
            if request.asker == self._seat.me and request.flag != "S" and self._config.ask:
                give_up_s = self._config.ask[(self._next_ask - 1) % len(self._config.ask)].give_up_s
                if now - since > give_up_s:
                    self._logger.info("request withdrawn", request=name, after_s=round(give_up_s))
                    self._requests[name] = (request, now)
                    self._seat.tell(f"cancel {name}")
            elif request.flag == "S" and request.opponent == self._seat.me and now - since > YIELD_TO_OTHER_S:
                self._requests[name] = (request, now)
                self._answer(request)
        if may_ask and self.asking and not self.stopping and self._config.ask and now >= self._ask_after:
            self._ask(now)

    def _ask(self, now: float) -> None:
        """Make the next of our requests, unless one is open."""
        if any(request.asker == self._seat.me and request.flag != "S" for request, _ in self._requests.values()):
            return
        if self._asked is not None and now - self._asked < ANSWER_TO_ASK_S:
            return
        ask = self._config.ask[self._next_ask % len(self._config.ask)]
        self._next_ask += 1
        self._asked = now
        self._logger.info("asking", type=ask.type, clock=ask.clock, opponent=ask.opponent or "anybody")
        self._seat.tell(f"ask {ask.type} {ask.clock} {ask.opponent}".rstrip())
