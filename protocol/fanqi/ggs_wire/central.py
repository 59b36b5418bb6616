"""What the central server says: login prompts, presence, talk, errors, listings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Acknowledgement",
    "Banner",
    "CentralError",
    "CentralListing",
    "CentralText",
    "Goodbye",
    "LoginPrompt",
    "PasswordPrompt",
    "Presence",
    "Talk",
    "read_central",
]

LOGIN = ": Enter login (yours, or one you'd like to use)."
PASSWORD = ": Enter your password."
GOODBYE = ": Thank you for using GGS."


@dataclass(frozen=True, slots=True)
class LoginPrompt:
    """The server wants a name."""

    text: str = LOGIN

    def lines(self) -> list[str]:
        return [self.text]


@dataclass(frozen=True, slots=True)
class PasswordPrompt:
    """The server wants the password."""

    text: str = PASSWORD

    def lines(self) -> list[str]:
        return [self.text]


@dataclass(frozen=True, slots=True)
class Goodbye:
    """Answer to ``quit``."""

    def lines(self) -> list[str]:
        return [GOODBYE]


@dataclass(frozen=True, slots=True)
class CentralError:
    """``: ERR …``."""

    text: str

    def lines(self) -> list[str]:
        return [f": ERR {self.text}"]


@dataclass(frozen=True, slots=True)
class Presence:
    """Somebody (or a service) came or went; the level says whether registered, and is not always told."""

    name: str
    level: int | None
    arrived: bool

    def lines(self) -> list[str]:
        level = "" if self.level is None else f" {self.level}"
        return [f": {'+' if self.arrived else '-'} {self.name}{level}"]


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """With ``verbose +ack``: a command as typed and as understood."""

    typed: str
    expanded: str

    def lines(self) -> list[str]:
        return [f": +ack:  {self.typed} => {self.expanded}"]


LISTINGS = frozenset(("who", "finger", "help", "chann", "notify", "var", "alias", "history", "shistory", "salias")) | {
    "group",
    "ignore",
    "uptime",
    "mux",
    "stat",
}


@dataclass(frozen=True, slots=True)
class CentralListing:
    """A table; unlike everywhere else its rows have no bar before them."""

    kind: str
    rest: str
    rows: tuple[str, ...]

    def lines(self) -> list[str]:
        return [f": {self.kind}{self.rest}", *self.rows]


@dataclass(frozen=True, slots=True)
class CentralText:
    """Anything else that starts with a colon, as the answer to ``echo``."""

    text: tuple[str, ...]

    def lines(self) -> list[str]:
        return [f": {self.text[0]}", *(f"|{line}" for line in self.text[1:])]


@dataclass(frozen=True, slots=True)
class Talk:
    """Somebody talks: to us, on a ``.channel``, or to a ``_group``.

    Attributes:
        target: the channel or group; empty for a private message.
    """

    sender: str
    target: str
    text: tuple[str, ...]

    def lines(self) -> list[str]:
        head = f"{self.target} {self.sender}" if self.target else self.sender
        return [f"{head}: {self.text[0]}", *(f"|{line}" for line in self.text[1:])]


@dataclass(frozen=True, slots=True)
class Banner:
    """Free text before the login."""

    text: tuple[str, ...]

    def lines(self) -> list[str]:
        return list(self.text)


Central = (
    LoginPrompt
    | PasswordPrompt
    | Goodbye
    | CentralError
    | Presence
    | Acknowledgement
    | CentralListing
    | CentralText
    | Talk
    | Banner
)


def read_central(body: Sequence[str]) -> Central:
    """What the central server says; ``body`` is without the colon, its further lines without their bars."""
    head = body[0]
    if len(body) == 1:
        line = f": {head}"
        if head.startswith("Enter login"):
            return LoginPrompt(line)
        if head.startswith("Enter your password"):
            return PasswordPrompt(line)
        if line == GOODBYE:
            return Goodbye()
        if head.startswith("ERR "):
            return CentralError(head[4:])
        if found := re.fullmatch(r"([+-]) (\S+)(?: (-?\d+))?", head):
            return Presence(found[2], None if found[3] is None else int(found[3]), found[1] == "+")
        if found := re.fullmatch(r"\+ack:  (.*?) => (.*)", head):
            return Acknowledgement(found[1], found[2])
    return CentralText(tuple(body))


def read_listing(lines: Sequence[str]) -> CentralListing | None:
    """A table of the central server, from the raw lines of a whole block."""
    found = re.match(r": ([a-z]+)", lines[0])
    if found is None or found[1] not in LISTINGS:
        return None
    return CentralListing(found[1], lines[0][found.end() :], tuple(lines[1:]))
