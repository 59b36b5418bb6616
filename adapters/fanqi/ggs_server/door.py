"""The door: names, passwords, who may come in, and who is told that somebody came or went."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from fanqi.ggs_server.hall import Hall, Session, State, name_allowed
from fanqi.ggs_server.help import BANNER, CENTRAL_HELP
from fanqi.ggs_server.store import Account, Store
from fanqi.ggs_wire import CentralError, LoginPrompt, PasswordPrompt, Presence

if TYPE_CHECKING:
    from fanqi.ggs_server.service import Service

__all__ = ["SERVICE_LEVEL", "SERVICE_NAME", "Door", "Passwords"]

LOGIN_RULE = "Login (2-8 chars) can not start with '.' or '_' chars and can not contain ',' or '\\' chars."
SERVICE_NAME, SERVICE_LEVEL = "/os", 1
MOST_WAITING = 100


class Passwords(Protocol):
    """Checks and hashes passwords, later or at once, and calls back."""

    def check(self, password: str, stored: str, then: Callable[[bool], None]) -> None: ...

    def hash(self, password: str, then: Callable[[str], None]) -> None: ...


class Door:
    """Lets people in and out.

    Args:
        register: every newcomer is registered, with the password of the first login. Otherwise newcomers are guests
            until an administrator gives them a name and an address.
        take: takes the lines that somebody sent before the answer to the password.
        banner: lines before the login prompt.
        most_clients: connections beyond this, logged in or not, are told so and closed.

    Attributes:
        guests: hashed passwords of guests who are here.
    """

    def __init__(
        self,
        store: Store,
        hall: Hall,
        service: Service,
        passwords: Passwords,
        register: bool,
        take: Callable[[Session, str], None],
        banner: list[str] | None = None,
        most_clients: int = 1000,
    ) -> None:
        self._store, self._hall, self._service, self._passwords = store, hall, service, passwords
        self._register, self._take, self._most_clients = register, take, most_clients
        self._banner = BANNER if banner is None else banner
        self._connected: set[Session] = set()  # logged in or not
        self.guests: dict[str, str] = {}

    def connect(self, session: Session) -> None:
        """Greet a new connection."""
        if len(self._connected) >= self._most_clients:
            session.lines([": ERR the server is full."])
            session.state = State.CLOSED
            session.hang_up()
            return
        self._connected.add(session)
        session.lines(self._banner)
        session.lines(LoginPrompt().lines())

    def disconnect(self, session: Session) -> None:
        """A connection is gone."""
        self._connected.discard(session)
        was_in, session.state = session.state is State.IN, State.CLOSED
        if not was_in or self._hall[session.name] is not session:
            return
        try:
            self._service.left(session)
        finally:  # whatever happens to his matches, he is gone
            del self._hall.sessions[session.name]
            self.guests.pop(session.name, None)
        if session.me.level:
            self._store.touch(session.me)
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
        else:
            session.state = State.NAME
            session.lines([*CentralError("Password is incorrect.").lines(), *LoginPrompt().lines()])
            self._go_on(session)

    def _admit_newcomer(self, session: Session, name: str, hashed: str) -> None:
        if session.state is not State.CHECKING:
            return
        if self._store.account(name) is not None or self._hall[name] is not None:  # somebody was faster
            self._checked(session, Account(name), right=False)
            return
        account = Account(name, level=1 if self._register else 0)
        if self._register:
            self._store.save_account(account, hashed)
        else:
            self.guests[name] = hashed
        self._admit(session, account)

    def _admit(self, session: Session, account: Account) -> None:
        before = self._hall[account.name]
        if before is not None:  # the newer connection wins
            account = before.me
            before.lines([": You have logged in from elsewhere."])
            kept = self.guests.get(account.name)
            self.disconnect(before)
            before.hang_up()
            if kept is not None:
                self.guests[account.name] = kept
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
