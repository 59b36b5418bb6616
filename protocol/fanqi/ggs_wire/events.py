"""What happens during a match, and every way in which the service says no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanqi.ggs_wire.values import GameId

__all__ = ["CommandError", "Kibitz", "Offer", "PlayError", "Refusal", "ServiceError", "Timeout", "TrustViolation"]


@dataclass(frozen=True, slots=True)
class ServiceError:
    """``ERR …``: the last command was not carried out."""

    text: str

    def body(self) -> list[str]:
        return [f"ERR {self.text}"]


@dataclass(frozen=True, slots=True)
class CommandError:
    """``decline ERR not found: .9``: a part of a command was not carried out."""

    command: str
    text: str

    def body(self) -> list[str]:
        return [f"{self.command} ERR {self.text}"]


REFUSALS = (
    "random games must be komi or synchro",
    "synchro+komi not supported",
    "illegal board type",
    "only one color preference allowed",
    "missing or illegal rand-type",
    "no preferred color in komi or rand games",
    "no preferred color in komi games",
    "no preferred color in rand games",
    "different players in synchro games",
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A game type that is not played, in the service's words and without ``ERR``."""

    text: str

    def body(self) -> list[str]:
        return [self.text]


@dataclass(frozen=True, slots=True)
class PlayError:
    """``error .2 illegal move``: a move was not taken."""

    game: str
    text: str

    def body(self) -> list[str]:
        return [f"error {self.game} {self.text}"]


@dataclass(frozen=True, slots=True)
class TrustViolation:
    """A player stated less time than passed; the clock was charged with the time that passed."""

    game: GameId
    player: str
    colour: str
    grace: int
    excess: float

    def body(self) -> list[str]:
        place = f"{self.game} {self.player} ({self.colour})"
        return [f"trust-violation {place} delta= {self.grace} + {self.excess:.1f} secs"]


@dataclass(frozen=True, slots=True)
class Timeout:
    """A flag fell: the soft one (the game goes on, at best lost narrowly) or the hard one (the game is over)."""

    game: GameId
    player: str
    colour: str
    fatal: bool

    def body(self) -> list[str]:
        return [f"{'fatal-' if self.fatal else ''}timeout {self.game} {self.player} ({self.colour})"]


@dataclass(frozen=True, slots=True)
class Offer:
    """``undo``, ``abort`` or ``score`` is asked for; it takes effect when both have."""

    kind: str
    game: GameId
    player: str

    def body(self) -> list[str]:
        return [f"{self.kind} {self.game} {self.player} is {'offering' if self.kind == 'score' else 'asking'}"]


@dataclass(frozen=True, slots=True)
class Kibitz:
    """Talk at a match, to ``A``ll, ``O``bservers or ``P``layers."""

    game: str
    audience: str
    rating: int
    player: str
    text: str

    def body(self) -> list[str]:
        return [f"{self.game} {self.audience} {self.rating:4d} {self.player}: {self.text}"]


def read_error(body: Sequence[str]) -> ServiceError | CommandError | PlayError | Refusal | None:
    """Every way to say no."""
    line = body[0]
    if len(body) != 1:
        return None
    if line.startswith("ERR "):
        return ServiceError(line[4:])
    if found := re.fullmatch(r"error (\.\S+) (.+)", line):
        return PlayError(found[1], found[2])
    if found := re.fullmatch(r"([a-z]+(?: [+-])?) ERR (.*)", line):
        return CommandError(found[1], found[2])
    return Refusal(line) if line in REFUSALS else None


def read_clock_event(body: Sequence[str]) -> Timeout | TrustViolation | None:
    if found := re.fullmatch(r"(fatal-)?timeout (\S+) (\S+) \(([*O?])\)\s*", body[0]):
        return Timeout(GameId.parse(found[2]), found[3], found[4], found[1] is not None)
    found = re.fullmatch(r"trust-violation (\S+) (\S+) \(([*O?])\) delta= (\d+) \+ (-?\d+\.\d+) secs\s*", body[0])
    if found is None:
        return None
    return TrustViolation(GameId.parse(found[1]), found[2], found[3], int(found[4]), float(found[5]))


def read_offer(body: Sequence[str]) -> Offer | None:
    found = re.fullmatch(r"(undo|abort|score) (\S+) (\S+) is (?:asking|offering)\s*", body[0])
    return None if found is None else Offer(found[1], GameId.parse(found[2]), found[3])


def read_kibitz(body: Sequence[str]) -> Kibitz | None:
    found = re.fullmatch(r"(\.\d+(?:\.\d)?) ([AOP])\s+(-?\d+) (\S+): ?(.*)", body[0])
    return None if found is None else Kibitz(found[1], found[2], int(found[3]), found[4], found[5])
