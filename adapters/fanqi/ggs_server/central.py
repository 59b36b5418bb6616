"""The central server: talk, people, settings; logins are at its door, what is for ``/os`` goes to the service.

Like the service it knows no sockets. Passwords are checked by whoever runs it, since hashing takes time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fanqi.ggs_server import info_commands, play_commands, set_commands
from fanqi.ggs_server.door import SERVICE_LEVEL, SERVICE_NAME, WRONG_PASSWORD, Door, DoorRules, Passwords
from fanqi.ggs_server.hall import Hall, Session, State
from fanqi.ggs_server.help import CENTRAL_HELP
from fanqi.ggs_server.set_commands import set_bells
from fanqi.ggs_wire import (
    Acknowledgement,
    CentralError,
    CentralText,
    Goodbye,
    Presence,
    ServiceError,
    Talk,
    format_duration,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.ggs_server.service import Service
    from fanqi.ggs_server.store import Store

__all__ = ["Central"]

VERBOSE = ("news", "ack", "help", "faq")
BELLS = ("t", "tc", "tg", "n", "nc", "ng", "ni", "nn")
MOST_NAMES = 64
MOST_TEXT = 1024
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

SERVICE_COMMANDS = {**play_commands.COMMANDS, **info_commands.COMMANDS, **set_commands.COMMANDS}


def printable(line: str) -> str:
    """A line, of bytes as Latin-1, without the control characters: others read on their terminals what is in it.

    UTF-8 passes, as it does on the genuine server; where a line is not UTF-8 it is taken for Latin-1.
    """
    try:
        return CONTROL.sub("", line.encode("latin-1").decode().replace("\t", " ")).encode().decode("latin-1")
    except UnicodeDecodeError:
        return CONTROL.sub("", line.replace("\t", " "))


class Central:
    """State and commands of the central server.

    Args:
        rules, banner: see `Door`.
    """

    def __init__(
        self,
        store: Store,
        hall: Hall,
        service: Service,
        passwords: Passwords,
        rules: DoorRules,
        banner: list[str] | None = None,
    ) -> None:
        self.store, self.hall, self.service, self.passwords = store, hall, service, passwords
        self.door = Door(store, hall, service, passwords, rules, self.line, banner)
        self._commands: dict[str, Callable[[Session, str], None]] = {
            "tell": self.tell,
            "t": self.tell,
            ".": self.tell_again,
            "chann": self.chann,
            "notify": self.notify,
            "ignore": self.ignore,
            "who": self.who,
            "finger": self.finger,
            "info": self.info,
            "passw": self.passw,
            "name": self.set_name,
            "email": self.set_email,
            "uptime": self.uptime,
            "echo": self.echo,
            "help": self.help,
            "verbose": self.verbose,
            "bell": self.bell,
            "vt100": lambda session, text: self.switch(session, text, "vt100"),
            "hear": lambda session, text: self.switch(session, text, "hear"),
            "mso": lambda session, text: None,  # Edax sends this alias of the public server
        }

    def connect(self, session: Session) -> None:
        """Greet a new connection, or turn it away."""
        self.door.connect(session)

    def too_slow(self, session: Session) -> None:
        """A connection has been there for as long as a login may take."""
        self.door.too_slow(session)

    def disconnect(self, session: Session) -> None:
        """A connection is gone."""
        self.door.disconnect(session)

    def ended(self, session: Session) -> None:
        """A client has sent its last line."""
        self.door.ended(session)

    def line(self, session: Session, line: str) -> None:
        """A line that a client has sent."""
        session.active = self.service.now()
        if session.state is State.IN:
            self._command(session, printable(line))
        else:
            self.door.line(session, line)

    # --- commands

    def _command(self, session: Session, line: str) -> None:
        text = line.strip()
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        after: Callable[[], None] | None = None
        if not text:
            pass
        elif word == "quit":
            session.lines(Goodbye().lines())
            self._see_off(session)
            return
        elif word in ("tell", "t") and rest.split(" ", 1)[0] == SERVICE_NAME:
            after = lambda: self._service_command(session, rest.partition(" ")[2].strip())  # noqa: E731
        elif word in self._commands:
            self._commands[word](session, rest)
        else:
            self._error(session, f"command '{word}' not recognized.")
        if text and "ack" in session.me.verbose:
            session.lines(Acknowledgement(text, text).lines())
        session.ready()
        if after is not None:
            after()
        if session.state is State.IN and session.me.level:
            self.store.save_account(session.me)

    def _service_command(self, session: Session, text: str) -> None:
        word, _, rest = text.partition(" ")
        command = SERVICE_COMMANDS.get(word)
        if command is not None:
            command(self.service, session, rest.strip())
        else:
            session.hear(ServiceError(f"command '{word}' not recognized."))

    def _see_off(self, session: Session) -> None:
        """Disconnect somebody, and hang up whatever happens to his matches."""
        try:
            self.disconnect(session)
        finally:
            session.hang_up()

    def _error(self, session: Session, text: str) -> None:
        session.lines(CentralError(text).lines())

    # --- talk

    def tell(self, session: Session, text: str) -> None:
        targets, _, said = text.partition(" ")
        if not targets:
            self._error(session, "tell <who1,who2,..> [mssg] ; who = .chann | _group | user.")
            return
        session.last_target = targets
        spoken = tuple(said.split("\\"))
        for target in sorted(set(targets.split(","))):
            if target.startswith("."):
                self._tell_channel(session, target, spoken)
            elif target.startswith("_"):
                self._error(session, "only admins can talk to a _group.")
            elif target == SERVICE_NAME:
                self._service_command(session, said)
            else:
                self._tell_player(session, target, spoken)

    def _tell_channel(self, session: Session, channel: str, said: tuple[str, ...]) -> None:
        if channel not in session.me.channels:
            self._error(session, f"you must listen to '{channel}' if you want to talk on it.")
            return
        lines = Talk(session.name, channel, said).lines()
        for other in self.hall:
            if other is not session and channel in other.me.channels and session.name not in other.me.ignore:
                other.unasked(lines, bell="tc")

    def _tell_player(self, session: Session, name: str, said: tuple[str, ...]) -> None:
        other = self.hall[name]
        if other is None:
            self._error(session, f"user '{name}' not found.")
        elif session.name in other.me.ignore or not other.me.hear:
            self._error(session, f"'{name}' will not hear you.")
        else:
            other.unasked(Talk(session.name, "", said).lines(), bell="t")

    def tell_again(self, session: Session, text: str) -> None:
        self.tell(session, f"{session.last_target} {text}" if session.last_target else "")

    def echo(self, session: Session, text: str) -> None:
        session.unasked(CentralText(tuple(text.split("\\"))).lines())

    # --- lists of names

    def chann(self, session: Session, text: str) -> None:
        listeners: dict[str, list[str]] = {}
        for other in self.hall:
            for channel in other.me.channels:
                listeners.setdefault(channel, []).append(other.name)
        words = text.split()
        match words:
            case []:
                counts = " ".join(f"{channel}({len(names)})" for channel, names in sorted(listeners.items()))
                session.lines([f": chann {len(listeners)} : {counts}"])
            case ["%"]:
                session.me.channels.clear()
            case ["+", *channels]:
                for channel in channels:
                    if not re.fullmatch(r"\.[!-+\--\[\]-~]{1,15}", channel):
                        self._error(session, f"'{channel}' is not a proper channel name.")
                    elif len(session.me.channels) < MOST_NAMES:
                        session.me.channels.add(channel)
            case ["-", *channels]:
                session.me.channels.difference_update(channels)
            case _:
                asked = sorted(listeners) if words == ["?"] else words
                for channel in asked:
                    names = listeners.get(channel)
                    if names is None:
                        self._error(session, f"channel '{channel}' not found.")
                    else:
                        session.lines([f": chann {channel:<8} {len(names):2d} : {' '.join(names)}"])

    def notify(self, session: Session, text: str) -> None:
        words = text.split()
        match words:
            case []:
                counts: dict[str, int] = {}
                for other in self.hall:
                    for name in other.me.notify:
                        counts[name] = counts.get(name, 0) + 1
                shown = " ".join(f"{name}({count})" for name, count in sorted(counts.items()))
                session.lines([f": notify {len(counts)} : {shown}"])
            case ["%"]:
                session.me.notify.clear()
            case ["+" | "-"]:
                pass  # news of who follows whom are not kept here
            case ["+", *names]:
                for name in names:
                    if name not in (SERVICE_NAME, "*") and info_commands.account(self.service, name) is None:
                        self._error(session, f"'{name}' is|are not a registered user.")
                    elif len(session.me.notify) < MOST_NAMES:
                        session.me.notify.add(name)
                        self._show_presence(session, name)
            case ["-", *names]:
                session.me.notify.difference_update(session.me.notify if "*" in names else names)
            case _:
                self._error(session, "notify [*|%] | [[+|-] <user> .. <user>].")

    def _show_presence(self, session: Session, name: str) -> None:
        if name == SERVICE_NAME:
            session.lines(Presence(SERVICE_NAME, SERVICE_LEVEL, True).lines())
        elif (other := self.hall[name]) is not None and other is not session:
            session.lines(Presence(name, other.me.level, True).lines())

    def ignore(self, session: Session, text: str) -> None:
        words = text.split()
        match words:
            case []:
                names = sorted(session.me.ignore)
                session.lines([f": ignore {len(names)} : {' '.join(names)}"])
            case ["%"]:
                session.me.ignore.clear()
            case ["+", *names] if names:
                room = max(MOST_NAMES - len(session.me.ignore), 0)
                session.me.ignore |= set(names[:room])
            case ["-", *names] if names:
                session.me.ignore.difference_update(names)
            case _:
                self._error(session, "ignore [%] | [[+|-] <user> .. <user>].")

    # --- people

    def who(self, session: Session, text: str) -> None:
        if text:
            self._error(session, "who.")
            return
        now = self.service.now()
        rows = [f": who{len(self.hall) + 1:5d}        idle      online         ip-addr hostname"]
        rows.append(f"{SERVICE_NAME:<8} +    00:00:00    {self._duration(now):>8}")
        for other in self.hall:
            idle, online = self._duration(now - other.active), self._duration(now - other.since)
            row = f"{other.name:<8} {'+' if other.me.level else '-'}{idle:>12}{online:>12}"
            if other is session or session.me.level > 1:
                row += f" {other.address:>15} "
            rows.append(row + (" <=" if other is session else ""))
        session.lines(rows)

    def _duration(self, seconds: float) -> str:
        return format_duration(int(max(seconds, 0)), 8)

    def finger(self, session: Session, text: str) -> None:
        missing = []
        for name in sorted(set(text.split())) or [session.name]:
            account = info_commands.account(self.service, name)
            if account is None:
                missing.append(name)
                continue
            here = self.hall[name]
            session.lines(
                [
                    ": finger",
                    f"login  : {account.name}",
                    f"name   : {account.real_name}",
                    f"info   : {account.info}",
                    *([f"email  : {account.email}"] if here is session or session.me.level > 1 else []),
                    f"level  : {account.level}",
                    f"here   : {'+' if here is not None else '-'}",
                    *([] if here is not None else [f"last   : {info_commands.day_and_time(account.last)}"]),
                ]
            )
        if missing:
            session.lines([f": finger ERR not found: {' '.join(missing)}"])

    def info(self, session: Session, text: str) -> None:
        if len(text) > MOST_TEXT:
            self._error(session, f"string longer than {MOST_TEXT} chars.")
        else:
            session.me.info = text

    def passw(self, session: Session, text: str) -> None:
        """``NEW OLD [USER]``; administrators may say - for the old one of somebody registered."""
        words = text.split()
        if not 2 <= len(words) <= 3:
            self._error(session, "passw <new> <old> [login].")
            return
        if session.changing_password:
            self._error(session, "another change of a password is under way.")
            return
        new, old, name = (*words, session.name)[:3]
        known = self.store.account(name)
        if known is None and name != session.name:
            self._error(session, f"user '{name}' not found.")
            return
        hashed_old = known[1] if known is not None else self.door.guests.get(name, "")

        def hashed_new(hashed: str) -> None:
            session.changing_password = False
            self._keep_password(name, hashed)

        def checked(right: bool) -> None:
            if right:
                self.passwords.hash(new, hashed_new)
                return
            session.changing_password = False
            if session.state is State.IN:
                session.unasked(CentralError(WRONG_PASSWORD).lines())
                if self.door.blame(session):
                    self._see_off(session)

        session.changing_password = True
        if old == "-" and session.me.level > 1:
            checked(True)
        else:
            self.passwords.check(old, hashed_old, checked)

    def _keep_password(self, name: str, hashed: str) -> None:
        account = info_commands.account(self.service, name)
        if account is not None and account.level:
            self.store.save_account(account, hashed)
        elif account is not None:
            self.door.guests[name] = hashed

    def set_name(self, session: Session, text: str) -> None:
        self._describe(session, text, "name", "real_name")

    def set_email(self, session: Session, text: str) -> None:
        self._describe(session, text, "email", "email")

    def _describe(self, session: Session, text: str, command: str, attribute: str) -> None:
        """An administrator names somebody; who has both a name and an address is registered."""
        user, _, value = text.partition(" ")
        if session.me.level < 2:
            self._error(session, "command restricted to _admin group.")
            return
        account = info_commands.account(self.service, user)
        if account is None:
            self._error(session, f"user '{user}' not found." if user else f"{command} <user> [{command}].")
            return
        setattr(account, attribute, value.strip()[:MOST_TEXT])
        if account.level == 0 and account.real_name and account.email:
            account.level = 1
            self.store.save_account(account, self.door.guests.pop(user))
        elif account.level:
            self.store.save_account(account)

    # --- settings

    def verbose(self, session: Session, text: str) -> None:
        after = set_bells(session.me.verbose, VERBOSE, text)
        if after is None:
            self._error(session, f"verbose (+|-)({'|'.join(VERBOSE)}).")
        else:
            session.me.verbose = after

    def bell(self, session: Session, text: str) -> None:
        after = set_bells(session.me.bell, BELLS, text)
        if after is None:
            self._error(session, f"bell (+|-)({'|'.join(BELLS)}).")
        else:
            session.me.bell = after

    def switch(self, session: Session, text: str, name: str) -> None:
        if text not in ("", "+", "-"):
            self._error(session, f"{name} [+|-].")
        else:
            setattr(session.me, name, text == "+" if text else not getattr(session.me, name))

    def uptime(self, session: Session, text: str) -> None:
        session.lines([": uptime", f"Up since {self.service.started:%d %b %Y %H:%M:%S} UTC, {len(self.hall)} here"])

    def help(self, session: Session, text: str) -> None:
        for topic in text.split() or ["help"]:
            lines = CENTRAL_HELP.get(topic)
            if lines is None:
                session.lines([f": help ERR not found: {topic}"])
            else:
                session.lines([f": help {topic}", *lines])
