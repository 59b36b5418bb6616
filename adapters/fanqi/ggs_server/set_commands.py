"""Commands that set something: open, trust, rated, client, and whom to follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fanqi.ggs_server.help import SERVICE_HELP
from fanqi.ggs_server.info_commands import BELLS, account
from fanqi.ggs_wire import CommandError, Listing, ServiceError

if TYPE_CHECKING:
    from fanqi.ggs_server.hall import Session
    from fanqi.ggs_server.service import Service

__all__ = ["COMMANDS", "set_bells"]

Command = Callable[["Service", "Session", str], None]
MOST_NAMES = 64


def switch(name: str, attribute: str) -> Command:
    """A command that turns something on with ``+``, off with ``-``, and over without either."""

    def command(service: Service, player: Session, text: str) -> None:
        if text not in ("", "+", "-"):
            player.hear(ServiceError(f"{name} [+|-]."))
            return
        setattr(player.me, attribute, text == "+" if text else not getattr(player.me, attribute))

    return command


def rated(service: Service, player: Session, text: str) -> None:
    if player.me.level < 1:
        player.hear(ServiceError("you are not registered."))
    else:
        switch("rated", "rated")(service, player, text)


def open_for(service: Service, player: Session, text: str) -> None:
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        player.hear(ServiceError(f"open <n != {text}>."))
        return
    player.me.open = int(text)
    if player.me.open <= len(player.matches):
        service.requests.drop_all(player.name)


def set_bells(bells: set[str], known: tuple[str, ...], text: str) -> set[str] | None:
    """Bells after ``+a -b``; None when the text is not understood."""
    after = set(bells)
    for word in text.split() or [""]:
        if word[:1] not in ("+", "-") or word[1:] not in known:
            return None
        if word[0] == "+":
            after.add(word[1:])
        else:
            after.discard(word[1:])
    return after


def bell(service: Service, player: Session, text: str) -> None:
    after = set_bells(player.me.os_bell, BELLS, text)
    if after is None:
        player.hear(ServiceError(f"bell (+|-)({'|'.join(BELLS)})."))
    else:
        player.me.os_bell = after


def names_command(name: str, attribute: str) -> Command:
    """A command that keeps a list of names: ``+ alice bob``, ``- alice``, ``%`` for nobody."""

    def command(service: Service, player: Session, text: str) -> None:
        kept: set[str] = getattr(player.me, attribute)
        words = text.split()
        match words:
            case []:
                counts = name_counts(service, attribute)
                shown = " ".join(f"{each}({count})" for each, count in counts.items())
                player.hear(Listing(name, f" {len(counts)} : {shown}", ()))
            case ["%"]:
                kept.clear()
            case ["+" | "-"]:
                pass  # news of who follows whom are not kept here
            case ["+", *names]:
                missing = [each for each in names if each != "*" and account(service, each) is None]
                kept |= set(names) - set(missing) - {player.name}
                for each in sorted(kept)[MOST_NAMES:]:
                    kept.discard(each)
                if missing:
                    rows = tuple(f"ERR '{each}' is not a registered user." for each in sorted(missing))
                    player.hear(Listing(name, "", rows))
            case ["-", *names]:
                kept.difference_update(names)
            case _:
                player.hear(ServiceError(f"{name} [*|%] | [[+|-] <user> .. <user>]."))

    return command


def name_counts(service: Service, attribute: str) -> dict[str, int]:
    """How many of those who are here keep each name."""
    counts: dict[str, int] = {}
    for session in service.hall:
        for each in getattr(session.me, attribute):
            counts[each] = counts.get(each, 0) + 1
    return dict(sorted(counts.items()))


def help_text(service: Service, player: Session, text: str) -> None:
    for topic in text.split() or ["help"]:
        lines = SERVICE_HELP.get(topic)
        if lines is None:
            player.hear(CommandError("help", f"not found: {topic}"))
        else:
            player.hear(Listing("help", f" {topic}", tuple(lines)))


COMMANDS: dict[str, Command] = {
    "open": open_for,
    "trust": switch("trust", "trust"),
    "rated": rated,
    "client": switch("client", "client"),
    "vt100": switch("vt100", "os_vt100"),
    "hear": switch("hear", "os_hear"),
    "bell": bell,
    "notify": names_command("notify", "os_notify"),
    "track": names_command("track", "track"),
    "ignore": names_command("ignore", "os_ignore"),
    "help": help_text,
}
