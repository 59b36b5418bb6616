"""A server without sockets, and players who talk to it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.ggs_server.central import Central
from fanqi.ggs_server.door import DoorRules
from fanqi.ggs_server.hall import Hall, Session
from fanqi.ggs_server.rules import Board, standard_start
from fanqi.ggs_server.service import Service
from fanqi.ggs_server.store import Account, Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fanqi.ggs_wire import GameType

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


@dataclass
class HandClock:
    """A clock that stands unless it is moved."""

    passed: float = 1000.0

    def now(self) -> float:
        return self.passed

    def date(self) -> datetime:
        return START + timedelta(seconds=self.passed)


@dataclass
class BlackFirst:
    """A dealer without chance."""

    source: random.Random = field(default_factory=lambda: random.Random(0))

    def black_first(self) -> bool:
        return True

    def start(self, kind: GameType) -> Board:
        return standard_start(kind.board)


class PlainPasswords:
    """Checks at once, by comparing."""

    def check(self, password: str, stored: str, then: Callable[[bool], None]) -> None:
        then(password == stored)

    def hash(self, password: str, then: Callable[[str], None]) -> None:
        then(password)


class Player:
    """A client; `say` gives the lines that came since the last look."""

    def __init__(self, club: Club, name: str, address: str = "127.0.0.1") -> None:
        self.club, self.name = club, name
        self.heard = bytearray()
        self.hung_up = False
        self.session = Session(self.heard.extend, self._hang_up, address)
        club.central.connect(self.session)

    def _hang_up(self) -> None:
        self.hung_up = True

    def say(self, line: str) -> list[str]:
        self.heard.clear()
        self.club.central.line(self.session, line)
        return self.lines()

    def os(self, command: str) -> list[str]:
        """A command for the service, and what it says about it."""
        return [line for line in self.say(f"tell /os {command}") if line not in ("", "READY")]

    def lines(self) -> list[str]:
        found = self.heard.decode("latin-1").split("\r\n")[:-1]
        self.heard.clear()
        return found

    def close(self) -> None:
        self.club.central.disconnect(self.session)


class Club:
    """The server and its state."""

    def __init__(
        self,
        path: Path | None = None,
        archived: Callable[[str], None] = lambda line: None,
        **rules: Any,
    ) -> None:
        self.clock = HandClock()
        self.store = Store(path)
        self.hall = Hall()
        self.service = Service(self.store, self.hall, self.clock, BlackFirst(), archived)
        self.central = Central(self.store, self.hall, self.service, PlainPasswords(), DoorRules(**rules), [])

    def member(self, name: str, level: int = 1, games: int = 2, rated: bool = True, trust: bool = True) -> Player:
        """Somebody registered who has logged in and is open to matches."""
        if self.store.account(name) is None:
            account = Account(name, level=level, verbose=set(), open=games, rated=rated, trust=trust)
            self.store.save_account(account, "secret")
        player = self.newcomer(name)
        player.lines()
        return player

    def caller(self, address: str = "127.0.0.1") -> Player:
        """Somebody who has connected and not said a name."""
        return Player(self, "", address)

    def newcomer(self, name: str, password: str = "secret") -> Player:
        """Somebody who has connected and logged in."""
        player = Player(self, name)
        player.say(name)
        self.central.line(player.session, password)
        return player


@pytest.fixture
def club() -> Club:
    return Club()


@pytest.fixture
def make_club() -> type[Club]:
    return Club
