"""Who is connected, and how they are spoken to. No sockets here: a session has a sink for bytes.

A direct reply is lines and READY. What comes unasked has an empty line before it, or, on terminals (``vt100 +``), an
escape sequence that erases the prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from fanqi.ggs_wire import (
    CommandError,
    FromService,
    GameEnd,
    Join,
    JoinGgf,
    Kibitz,
    MatchEnd,
    MatchStart,
    Offer,
    RatingUpdate,
    RequestChange,
    ServiceError,
    StoredNotice,
    Timeout,
    TrustViolation,
    Update,
    UpdateGgf,
    format_service,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fanqi.ggs_server.match import Match
    from fanqi.ggs_server.store import Account

__all__ = ["Hall", "Session", "State", "name_allowed"]

ERASE = "\x1b[2K\r"
ERROR = "\x1b[101m\x1b[7mERR\x1b[0m"


class State(Enum):
    """Where a connection stands."""

    NAME = "name"
    PASSWORD = "password"
    CHECKING = "checking"
    IN = "in"
    CLOSED = "closed"


def name_allowed(name: str) -> bool:
    """Two to eight visible characters; services start with a slash, channels with a dot, groups with an underscore."""
    visible = re.fullmatch(r"[!-~]{2,8}", name) is not None and not set(name) & set(",\\:")
    return visible and name[0] not in "._/+-*%?|="


@dataclass(eq=False, slots=True)
class Session:
    """A connection.

    Attributes:
        send: takes bytes for the other side.
        hang_up: closes the connection once everything is sent.
        address: of the other side, for ``who``.
        wrong_passwords: how many were tried.
        account: once logged in.
        since, active: monotonic seconds of the login and of the last line.
        matches, watching: what is played and watched, oldest first.
        last_target: to whom a bare dot talks.
        waiting: lines that came while the password was being checked.
        changing_password: a change is under way; a second one has to wait, since hashing takes time.
        ended: nothing will come any more; it is hung up on once everything that came is answered.
    """

    send: Callable[[bytes], None]
    hang_up: Callable[[], None]
    address: str = "127.0.0.1"
    state: State = State.NAME
    typed_name: str = ""
    wrong_passwords: int = 0
    account: Account | None = None
    since: float = 0.0
    active: float = 0.0
    matches: list[Match] = field(default_factory=list)
    watching: list[Match] = field(default_factory=list)
    last_target: str = ""
    waiting: list[str] = field(default_factory=list)
    changing_password: bool = False
    ended: bool = False

    @property
    def me(self) -> Account:
        """The account of who is logged in."""
        assert self.account is not None, "not logged in"
        return self.account

    @property
    def name(self) -> str:
        return self.me.name

    def lines(self, lines: Iterable[str]) -> None:
        """Raw lines."""
        self.send("".join(f"{line}\r\n" for line in lines).encode("latin-1", "replace"))

    def ready(self) -> None:
        """The end of a reply."""
        self.lines(["READY"])

    def unasked(self, lines: Sequence[str], ready: bool = True, bell: str = "") -> None:
        """A block that is no direct reply.

        Args:
            bell: which of the player's bells it rings.
        """
        if self.state is not State.IN:
            return
        self._block(ring(lines) if bell in self.me.bell else lines, ready)

    def hear(self, message: FromService) -> None:
        """Something that the Othello service says."""
        if self.state is not State.IN:
            return
        lines = format_service(message.body())
        if self.me.os_vt100 and isinstance(message, ServiceError | CommandError):
            lines[0] = lines[0].replace("ERR", ERROR, 1)
        self._block(ring(lines) if self._bell(message) in self.me.os_bell else lines, ready=True)

    def _block(self, lines: Sequence[str], ready: bool) -> None:
        if self.me.vt100:
            block = [ERASE + lines[0], *lines[1:]]
        else:
            block = ["", *lines]
        self.lines([*block, "READY"] if ready else block)

    def _bell(self, message: FromService) -> str:
        """Which of the service's bells a message rings."""
        match message:
            case RequestChange(request=request):
                return "r" if self.name in (request.asker, request.opponent) else "nr"
            case StoredNotice():
                return "ns"
            case Kibitz(audience=audience):
                return {"A": "ta", "O": "to", "P": "tp"}.get(audience, "")
            case MatchStart(names=names) | MatchEnd(names=names):
                return "p" if self.name in names else "n"
            case Join() | Update() | JoinGgf() | UpdateGgf() | Timeout() | TrustViolation() | Offer() | GameEnd():
                return "p" if any(match.number == message.game.match for match in self.matches) else "w"
            case RatingUpdate():
                return "p" if any(match.number == message.match.match for match in self.matches) else "w"
            case _:
                return ""


def ring(lines: Sequence[str]) -> list[str]:
    """With a bell before what is said."""
    return [lines[0].replace(": ", ": \a", 1), *lines[1:]]


class Hall:
    """Everybody who is logged in, by name."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}

    def __getitem__(self, name: str) -> Session | None:
        return self.sessions.get(name)

    def __iter__(self) -> Iterator[Session]:
        return iter(sorted(self.sessions.values(), key=lambda session: session.name))

    def __len__(self) -> int:
        return len(self.sessions)

    def present(self, names: Iterable[str]) -> list[Session]:
        """Those of these names who are here, each once, in the order given."""
        return [session for name in dict.fromkeys(names) if (session := self.sessions.get(name)) is not None]
