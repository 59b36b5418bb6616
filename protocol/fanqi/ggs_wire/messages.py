"""Blocks to messages and back: who speaks, and which recogniser knows what was said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.ggs_wire import central, events, matches, requests, tables
from fanqi.ggs_wire.boards import Join, JoinGgf, Update, UpdateGgf, read_join, read_update
from fanqi.ggs_wire.central import Central, Talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fanqi.ggs_wire.framing import Block

__all__ = ["SERVICE", "FromService", "Message", "Unknown", "format_message", "format_service", "recognise"]

SERVICE = "/os"

FromService = (
    Join
    | JoinGgf
    | Update
    | UpdateGgf
    | tables.Archive
    | events.CommandError
    | matches.GameEnd
    | tables.History
    | events.Kibitz
    | tables.Listing
    | matches.MatchEnd
    | matches.MatchList
    | matches.MatchStart
    | events.Offer
    | events.PlayError
    | matches.RatingUpdate
    | events.Refusal
    | requests.RequestChange
    | requests.RequestList
    | events.ServiceError
    | tables.Stored
    | tables.StoredNotice
    | events.Timeout
    | events.TrustViolation
)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Lines that no recogniser knows.

    Attributes:
        reason: why a recogniser that should have known them gave up; empty when none felt called upon.
    """

    raw: tuple[str, ...]
    reason: str = ""

    def lines(self) -> list[str]:
        return list(self.raw)


Message = FromService | Central | Unknown

RECOGNISERS: tuple[Callable[[Sequence[str]], FromService | None], ...] = (
    read_update,
    read_join,
    requests.read_request_change,
    matches.read_match,
    events.read_error,
    matches.read_rating_update,
    matches.read_game_end,
    events.read_clock_event,
    events.read_offer,
    tables.read_stored,
    tables.read_history,
    events.read_kibitz,
    matches.read_match_list,
    requests.read_request_list,
    tables.read_archive,
    tables.read_listing,
)

HEADER = re.compile(r"(?:([._]\S+) )?([^\s:]+): (.*)|: (.*)|(/os):()")


def recognise(block: Block) -> tuple[Message, ...]:
    """The messages of a block, in order; nothing for a bare READY. Never raises."""
    if not block.lines:
        return ()
    listing = central.read_listing(block.lines)
    if listing is not None:
        return (listing,)
    return tuple(read_message(lines) for lines in split(block.lines))


def split(lines: Sequence[str]) -> Iterator[list[str]]:
    """Cut the lines of a block before each one that is no continuation."""
    message: list[str] = []
    for line in lines:
        if message and not line.startswith("|"):
            yield message
            message = []
        message.append(line)
    yield message


def read_message(lines: Sequence[str]) -> Message:
    """One message from its lines, a header and its continuations."""
    header = HEADER.fullmatch(lines[0])
    if header is None:
        return central.Banner(tuple(lines)) if lines[0][:1] not in (":", "/") else Unknown(tuple(lines))
    target, sender, said, central_said = header[1], header[2], header[3], header[4]
    body = [said or central_said or "", *(line[1:] for line in lines[1:])]
    try:
        if central_said is not None:
            return central.read_central(body)
        if sender != SERVICE:
            return Talk(sender, target or "", tuple(body))
        for recogniser in RECOGNISERS:
            if (message := recogniser(body)) is not None:
                return message
    except ValueError as error:  # a WireError, or a number of thousands of digits
        return Unknown(tuple(lines), str(error))
    return Unknown(tuple(lines))


def format_service(body: Sequence[str]) -> list[str]:
    """Lines on the wire of something that the service says; blanks at its end are cut off, as the server does."""
    lines = [f"{SERVICE}: {body[0]}", *(f"|{line}" for line in body[1:])]
    lines[-1] = lines[-1].rstrip()
    return lines


def format_message(message: Message) -> list[str]:
    """The lines that a message was read from."""
    if isinstance(message, FromService):
        return format_service(message.body())
    return message.lines()
