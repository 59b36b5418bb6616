"""Requests to play: one, its coming and going, a list of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanqi.ggs_wire.errors import WireError
from fanqi.ggs_wire.values import ClockSetting, GameType

__all__ = ["Request", "RequestChange", "RequestList"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to play.

    Attributes:
        id: as ``.8``.
        rating, asker, clock, type: of the one who asks; the type is from the asker's view.
        flag: ``R`` rated, ``U`` unrated, ``S`` a stored game, ``T`` of a tournament.
        opponent_rating, opponent: None when anybody may accept.
        opponent_clock: where it differs.
        stored: id of the stored game to resume.
    """

    id: str
    rating: float
    asker: str
    clock: ClockSetting
    type: GameType
    flag: str
    opponent_rating: float | None = None
    opponent: str | None = None
    opponent_clock: ClockSetting | None = None
    stored: str | None = None

    def text(self) -> str:
        """One line, its last field padded as in listings."""
        if self.opponent is None or self.opponent_rating is None:
            against = "*      *       "
        else:
            against = f"{self.opponent_rating:6.1f} {self.opponent:<8}"
        clock = "" if self.opponent_clock is None else f" {self.opponent_clock}"
        stored = "" if self.stored is None else f" {self.stored}"
        return (
            f"{self.id:>4} {self.rating:6.1f} {self.asker:<8} {self.clock} {self.type!s:>8} {self.flag} "
            f"{against}{clock}{stored}"
        )


@dataclass(frozen=True, slots=True)
class RequestChange:
    """A request has come, or gone: accepted, declined, cancelled, impossible."""

    added: bool
    request: Request

    def body(self) -> list[str]:
        return [f"{'+' if self.added else '-'} {self.request.text()}"]


@dataclass(frozen=True, slots=True)
class RequestList:
    """Answer to ``request``.

    Attributes:
        counts: as ``glob(0/1) recv(0/0) send(2/2)``: how many fit, of how many.
        groups: ``glob``, ``recv``, ``sent`` with their requests, empty ones left out.
        missing: what was asked for in vain.
    """

    counts: str
    groups: tuple[tuple[str, tuple[Request, ...]], ...]
    missing: tuple[str, ...] = ()

    def body(self) -> list[str]:
        lines = [f"request {self.counts}"]
        for name, requests in self.groups:
            lines += [f"{name} {len(requests)}", *(request.text() for request in requests)]
        return [*lines, f"{NOT_FOUND}{' '.join(self.missing)}"] if self.missing else lines


NOT_FOUND = "ERR not found: "
NUMBER = r"(-?\d+(?:\.\d+)?)"

REQUEST = re.compile(
    rf"\s*(\.\d{{1,9}})\s+{NUMBER} (\S+)\s+(\S+)\s+(\S+) ([RUST]) \s*(?:{NUMBER} (\S+)|\*\s+\*)((?:\s+\S+){{0,2}})\s*"
)


def read_request(line: str) -> Request | None:
    """A request without the sign before it."""
    found = REQUEST.fullmatch(line)
    if found is None:
        return None
    clock = stored = None
    for word in found[9].split():
        if word.startswith("."):
            stored = word
        else:
            clock = ClockSetting.parse(word)
    return Request(
        found[1],
        float(found[2]),
        found[3],
        ClockSetting.parse(found[4]),
        GameType.parse(found[5]),
        found[6],
        None if found[7] is None else float(found[7]),
        found[8],
        clock,
        stored,
    )


def read_request_change(body: Sequence[str]) -> RequestChange | None:
    line = body[0]
    if len(body) != 1 or line[:2] not in ("+ ", "- "):
        return None
    request = read_request(line[2:])
    return None if request is None else RequestChange(line[0] == "+", request)


def read_request_list(body: Sequence[str]) -> RequestList | None:
    if not body[0].startswith("request glob("):
        return None
    groups: list[tuple[str, tuple[Request, ...]]] = []
    missing: tuple[str, ...] = ()
    for line in body[1:]:
        if line.startswith(NOT_FOUND):
            missing = tuple(line.removeprefix(NOT_FOUND).split())
        elif head := re.fullmatch(r"(glob|recv|sent) \d+\s*", line):
            groups.append((head[1], ()))
        elif groups and (request := read_request(line)):
            name, requests = groups[-1]
            groups[-1] = (name, (*requests, request))
        else:
            raise WireError(line, "not a line of a request list")
    return RequestList(body[0].removeprefix("request ").rstrip(), tuple(groups), missing)
