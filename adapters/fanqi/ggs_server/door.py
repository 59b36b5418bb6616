"""The door: names, passwords, who may come in, and who is told that somebody came or went.

Players and strangers, who have not logged in, have places of their own: nobody can keep players out by connections that
say nothing. Nor can one address by being many, see `fanqi.peers.AddressBook`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fanqi.ggs_server.hall import Hall, Session, State, name_allowed
from fanqi.ggs_server.help import BANNER, CENTRAL_HELP
from fanqi.ggs_server.store import Account, Store
from fanqi.ggs_wire import CentralError, LoginPrompt, PasswordPrompt, Presence
from fanqi.peers import AddressBook, source_of

if TYPE_CHECKING:
    from fanqi.ggs_server.service import Service

__all__ = ["LOGIN_SECONDS", "SERVICE_LEVEL", "SERVICE_NAME", "WRONG_PASSWORD", "Door", "DoorRules", "Passwords"]

LOGIN_RULE = "Login (2-8 chars) can not start with '.' or '_' chars and can not contain ',' or '\\' chars."
SERVICE_NAME, SERVICE_LEVEL = "/os", 1
WRONG_PASSWORD = "Password is incorrect."
MOST_WAITING = 100
MOST_TRIES = 5
"""Wrong passwords in one connection."""
LOGIN_SECONDS = 60.0
"""To log in, where there is room."""
CROWDED_SECONDS = 5.0
"""To log in, where others wait for the place."""


class Passwords(Protocol):
    """Checks and hashes passwords, later or at once, and calls back."""

    def check(self, password: str, stored: str, then: Callable[[bool], None]) -> None: ...

    def hash(self, password: str, then: Callable[[str], None]) -> None: ...


@dataclass(frozen=True, slots=True)
class DoorRules:
    """Who may come in. Who may not is told why, and hung up on.

    Attributes:
        register: every newcomer is registered, with the password of the first login. Otherwise newcomers are guests
            until an administrator gives them a name and an address.
        most_clients: players logged in at a time. Who is here already may always log in again: the newer connection
            takes the place of the older one.
        most_strangers: connections at a time that have not logged in. When there are so many, the one that has been
            there longest makes room, once it has had `CROWDED_SECONDS`.
        most_per_address: connections at a time of one address, logged in or not; loopback is not limited.
        connects_per_minute: of one address, in the long run and as a burst; a wrong password counts as twenty.
    """

    register: bool = False
    most_clients: int = 1000
    most_strangers: int = 100
    most_per_address: int = 64
    connects_per_minute: int = 600


class Door:
    """Lets people in and out.

    Args:
        take: takes the lines that somebody sent before the answer to the password.
        banner: lines before the login prompt.

    Attributes:
        guests: hashed passwords of guests who are here.
    """

    def __init__(
        self,
        store: Store,
        hall: Hall,
        service: Service,
        passwords: Passwords,
        rules: DoorRules,
        take: Callable[[Session, str], None],
        banner: list[str] | None = None,
    ) -> None:
        self._store, self._hall, self._service, self._passwords = store, hall, service, passwords
        self._rules, self._take = rules, take
        self._banner = BANNER if banner is None else banner
        self._addresses = AddressBook(rules.most_per_address, rules.connects_per_minute, service.now)
        self._counted: set[Session] = set()  # by the address book, logged in or not
        self._strangers: dict[Session, float] = {}  # since when, the longest first
        self.guests: dict[str, str] = {}

    def connect(self, session: Session) -> None:
        """Greet a new connection, or turn it away."""
        refusal = self._addresses.enter(source_of(session.address))
        if refusal is not None:
            self._turn_away(session, f"{refusal}.")
            return
        self._counted.add(session)
        if not self._make_room():
            self._turn_away(session, "too many are logging in.")
            return
        self._strangers[session] = self._service.now()
        session.lines(self._banner)
        session.lines(LoginPrompt().lines())

    def too_slow(self, session: Session) -> None:
        """`LOGIN_SECONDS` have passed since a connection was made; it may have logged in."""
        if session in self._strangers:
            self._turn_away(session, f"no login in {LOGIN_SECONDS:g} s.")

    def _make_room(self) -> bool:
        """Whether there is a place for a stranger, perhaps that of another one."""
        if len(self._strangers) < self._rules.most_strangers:
            return True
        longest, since = next(iter(self._strangers.items()))
        if self._service.now() - since < CROWDED_SECONDS:
            return False
        self._turn_away(longest, f"no login in {CROWDED_SECONDS:g} s, and others wait.")
        return True

    def _turn_away(self, session: Session, reason: str) -> None:
        """Somebody may not come in, or not stay."""
        self._strangers.pop(session, None)
        session.state = State.CLOSED
        session.lines(CentralError(reason).lines())
        session.hang_up()

    def disconnect(self, session: Session) -> None:
        """A connection is gone."""
        self._strangers.pop(session, None)
        if session in self._counted:
            self._counted.discard(session)
            self._addresses.leave(source_of(session.address))
        was_in, session.state = session.state is State.IN, State.CLOSED
        if not was_in or self._hall[session.name] is not session:
            return
        try:
            self._service.left(session)
        finally:  # whatever happens to his matches, he is gone
            del self._hall.sessions[session.name]
            self.guests.pop(session.name, None)
        if session.me.level:
            session.me.last = self._service.unix()
            self._store.save_account(session.me)
        self._tell_presence(session, arrived=False)

    def ended(self, session: Session) -> None:
        """Nothing will come from there any more: hang up, after the answer to the password if that is being checked."""
        session.ended = True
        if session.state is not State.CHECKING:
            session.hang_up()

    def line(self, session: Session, line: str) -> None:
        """A line from somebody who is not in yet."""
        match session.state:
            case State.NAME:
                self._take_name(session, line.strip())
            case State.PASSWORD:
                self._take_password(session, line)
            case State.CHECKING:
                if len(session.waiting) < MOST_WAITING:
                    session.waiting.append(line)
            case State.IN | State.CLOSED:
                pass

    def _go_on(self, session: Session) -> None:
        """Take the lines that came while the password was being checked."""
        while session.waiting and session.state is not State.CHECKING:
            self._take(session, session.waiting.pop(0))
        if session.ended:
            self.ended(session)

    def _take_name(self, session: Session, name: str) -> None:
        if not name_allowed(name):
            session.lines([f": ERR {LOGIN_RULE}", *LoginPrompt().lines()])
            return
        session.typed_name = name
        session.state = State.PASSWORD
        session.lines(PasswordPrompt().lines())

    def _take_password(self, session: Session, password: str) -> None:
        session.state = State.CHECKING
        name = session.typed_name
        known = self._store.account(name)
        if known is not None:
            self._passwords.check(password, known[1], lambda right: self._checked(session, known[0], right))
        elif name in self.guests:
            self._passwords.check(
                password, self.guests[name], lambda right: self._checked(session, Account(name), right)
            )
        else:
            self._passwords.hash(password, lambda hashed: self._admit_newcomer(session, name, hashed))

    def _checked(self, session: Session, account: Account, right: bool) -> None:
        if session.state is not State.CHECKING:
            return
        if right:
            self._admit(session, account)
            return
        if self.blame(session):
            self._turn_away(session, WRONG_PASSWORD)
            return
        session.state = State.NAME
        session.lines([*CentralError(WRONG_PASSWORD).lines(), *LoginPrompt().lines()])
        self._go_on(session)

    def blame(self, session: Session) -> bool:
        """Somebody was wrong about a password; tells whether that was once too often."""
        session.wrong_passwords += 1
        self._addresses.blame(source_of(session.address))
        return session.wrong_passwords >= MOST_TRIES

    def _admit_newcomer(self, session: Session, name: str, hashed: str) -> None:
        if session.state is not State.CHECKING:
            return
        if self._store.account(name) is not None or self._hall[name] is not None:  # somebody was faster
            self._checked(session, Account(name), right=False)
            return
        self._admit(session, Account(name, level=1 if self._rules.register else 0), hashed)

    def _admit(self, session: Session, account: Account, hashed: str | None = None) -> None:
        """Let somebody in; ``hashed`` is the password of one who has no account yet."""
        before = self._hall[account.name]
        if before is None and len(self._hall) >= self._rules.most_clients:
            self._turn_away(session, "the server is full.")
            return
        if hashed is not None and account.level:
            self._store.save_account(account, hashed)
        elif hashed is not None:
            self.guests[account.name] = hashed
        if before is not None:  # the newer connection wins
            account = before.me
            before.lines([": You have logged in from elsewhere."])
            kept = self.guests.get(account.name)
            self.disconnect(before)
            before.hang_up()
            if kept is not None:
                self.guests[account.name] = kept
        del self._strangers[session]
        session.account = account
        session.state = State.IN
        session.since = self._service.now()
        self._hall.sessions[account.name] = session
        session.ready()
        present = [Presence(SERVICE_NAME, SERVICE_LEVEL, True)] if account.notify & {SERVICE_NAME, "*"} else []
        wanted = self._hall.sessions if "*" in account.notify else account.notify
        present += [
            Presence(each.name, each.me.level, True)
            for each in self._hall.present(sorted(wanted))
            if each is not session and each.name not in account.ignore
        ]
        if present:
            session.unasked([line for presence in present for line in presence.lines()], ready=False)
        for topic in ("faq", "help", "news"):
            if topic in account.verbose:
                session.lines([f": help {topic}", *CENTRAL_HELP[topic]])
                session.ready()
        self._tell_presence(session, arrived=True)
        self._service.arrived(session)
        self._go_on(session)

    def _tell_presence(self, session: Session, arrived: bool) -> None:
        lines = Presence(session.name, session.me.level, arrived).lines()
        for other in self._hall:
            if other is not session and other.me.notify & {session.name, "*"} and session.name not in other.me.ignore:
                other.unasked(lines, bell="n")
