"""GTP, the Go Text Protocol version 2, as Othello programs speak it.

``[id] command arguments`` goes one way, ``=[id] text`` or ``?[id] text`` and an empty line the other. Vertices are
letter and digit in either case, row 1 on top, or ``pass``. Hosts must also read Edax's ``= 1 text``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import clean_line
from fanqi.game import MoveError, Player
from fanqi.othello.notation import format_move, parse_move

__all__ = [
    "GtpCommand",
    "GtpReply",
    "format_command",
    "format_reply",
    "format_vertex",
    "parse_color",
    "parse_command",
    "parse_reply",
    "parse_vertex",
]

COMMAND = re.compile(r"(?:([0-9]{1,9})\s+)?(\S+)\s*(.*)")
REPLY = re.compile(r"([=?])[ \t]*(?:([0-9]{1,9})(?=\s|$))?[ \t]*(.*)", re.DOTALL)

COLORS = {"b": Player.P1, "black": Player.P1, "w": Player.P2, "white": Player.P2}


@dataclass(frozen=True, slots=True)
class GtpCommand:
    """A command line: its number if it has one, its name, its arguments as they were written."""

    name: str
    arguments: tuple[str, ...] = ()
    id: int | None = None


@dataclass(frozen=True, slots=True)
class GtpReply:
    """An answer: good or not, the number of its command, its text of one or more lines."""

    good: bool
    text: str = ""
    id: int | None = None


def parse_command(line: str | bytes) -> GtpCommand | None:
    """Read a command; None for a line that is empty or a comment, which gets no answer."""
    text = clean_line(line).partition("#")[0].strip()
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):  # the number of no command, which still has to be answered
        return GtpCommand("", (), int(text))
    found = COMMAND.fullmatch(text)
    if found is None:
        return None
    return GtpCommand(found[2], tuple(found[3].split()), None if found[1] is None else int(found[1]))


def format_command(command: GtpCommand) -> str:
    """The line, without its newline, that `parse_command` reads back."""
    words = ((str(command.id),) if command.id is not None else ()) + (command.name, *command.arguments)
    return " ".join(words)


def format_reply(reply: GtpReply) -> str:
    """The answer with the two newlines that end it; empty lines inside become blanks, since they would end it too."""
    text = re.sub(r"\n(?=\n|$)", "\n ", reply.text)
    number = "" if reply.id is None else str(reply.id)
    # GoGui takes what follows the first blank for the text: there is one, also before a text that begins a new line
    return f"{'=' if reply.good else '?'}{number}{' ' if text else ''}{text}\n\n"


def parse_reply(text: str) -> GtpReply | None:
    """An answer, of all lines up to the empty one; None for anything that does not begin with ``=`` or ``?``."""
    found = REPLY.fullmatch(text.strip("\r\n"))
    if found is None:
        return None
    return GtpReply(found[1] == "=", found[3].strip(), None if found[2] is None else int(found[2]))


def parse_color(text: str) -> Player:
    """
    Raises:
        DialectError: neither ``b``, ``black``, ``w`` nor ``white``, in any case.
    """
    player = COLORS.get(text.lower())
    if player is None:
        raise DialectError("not a colour; expected black or white", text)
    return player


def parse_vertex(text: str) -> str:
    """A canonical move.

    Raises:
        DialectError: neither a square a1 to h8 nor a pass, in any spelling.
    """
    try:
        return format_move(parse_move(text))
    except MoveError as error:
        raise DialectError(error.reason, text) from None


def format_vertex(move: str) -> str:
    """``F5`` or ``pass``: capital letters, as GTP has them for Go."""
    return move if move == "pass" else move.upper()
