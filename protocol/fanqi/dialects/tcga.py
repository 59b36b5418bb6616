"""The numbered line protocol of the Taiwanese banqi client (TCGA and NTU tournaments).

``ID NAME arguments`` goes to the engine, ``=ID text`` or ``?ID text`` comes back, one line each. The number is that
of the command, not of the request. Squares and letters are ours; a flip is the same square twice in an answer, and
``flip b8 P`` when the host tells what was under it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import clean_line

__all__ = [
    "COMMANDS",
    "NUMBERS",
    "TcgaCommand",
    "TcgaReply",
    "format_command",
    "format_executed",
    "format_reply",
    "parse_choice",
    "parse_command",
    "parse_executed",
    "parse_reply",
]

COMMANDS = (
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "reset_board",
    "num_repetition",
    "num_moves_to_draw",
    "move",
    "flip",
    "genmove",
    "game_over",
    "ready",
    "time_settings",
    "time_left",
    "showboard",
    "init_board",
)
"""By number. The client really writes ``15 time_setting``."""

NUMBERS = {name: number for number, name in enumerate(COMMANDS)} | {"time_setting": 15}

COMMAND = re.compile(r"(\d{1,4})(?:\s+(\S+))?\s*(.*)")
REPLY = re.compile(r"([=?])\s*(\d{1,4})(?=\s|$)\s*(.*)")
SQUARE = re.compile(r"[a-d][1-8]")
PIECE = re.compile(r"[KGMRNCPkgmrncp]")


@dataclass(frozen=True, slots=True)
class TcgaCommand:
    """A command: its number rules, its name is for people."""

    number: int
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that belongs to the number, or an empty string."""
        return COMMANDS[self.number] if self.number < len(COMMANDS) else ""


@dataclass(frozen=True, slots=True)
class TcgaReply:
    """An answer to the command with that number."""

    good: bool
    number: int
    text: str = ""


def parse_command(line: str | bytes) -> TcgaCommand | None:
    """Read a command; None for an empty line.

    Raises:
        DialectError: it does not begin with a number.
    """
    text = clean_line(line)
    if not text:
        return None
    found = COMMAND.fullmatch(text)
    if found is None:
        raise DialectError("a command begins with its number", text)
    return TcgaCommand(int(found[1]), tuple(found[3].split()))


def format_command(command: TcgaCommand) -> str:
    """The line, without its newline, that `parse_command` reads back."""
    return " ".join((str(command.number), command.name or "unknown", *command.arguments))


def format_reply(reply: TcgaReply) -> str:
    """The line, without its newline, that `parse_reply` reads back."""
    return f"{'=' if reply.good else '?'}{reply.number}{' ' if reply.text else ''}{reply.text}"


def parse_reply(line: str | bytes) -> TcgaReply | None:
    """An answer, or None for a line that is none (engines chatter)."""
    found = REPLY.fullmatch(clean_line(line))
    return None if found is None else TcgaReply(found[1] == "=", int(found[2]), found[3].strip())


def parse_choice(text: str) -> str:
    """The move that a ``genmove`` answer chooses: ``b8`` for ``b8 b8``, ``b8a8`` for ``b8 a8`` or ``b8-a8``.

    Raises:
        DialectError: not two squares.
    """
    squares: list[str] = SQUARE.findall(text.lower())
    if len(squares) != 2 or len(re.sub(r"[\s,-]", "", text)) != 4:
        raise DialectError("expected two squares, such as b8 a8", text)
    return squares[0] if squares[0] == squares[1] else squares[0] + squares[1]


def format_choice(move: str) -> str:
    """The other way: ``b8 b8`` for ``b8``, ``b8 a8`` for ``b8a8``."""
    return f"{move[:2]} {move[2:4] or move[:2]}"


def format_executed(move: str) -> TcgaCommand:
    """The command that tells both engines of a move: ``11 flip b8 P`` for ``b8=P``, ``10 move b8 a8`` for ``b8a8``."""
    if "=" in move:
        return TcgaCommand(NUMBERS["flip"], (move[:2], move[3]))
    return TcgaCommand(NUMBERS["move"], (move[:2], move[2:4]))


def parse_executed(command: TcgaCommand) -> str:
    """The canonical move that ``move`` or ``flip`` tells of.

    Raises:
        DialectError: squares or piece are missing or none.
    """
    flips = command.name == "flip"
    words = command.arguments
    if len(words) != 2 or not SQUARE.fullmatch(words[0].lower()):
        raise DialectError(f"expected {'a square and a piece' if flips else 'two squares'}", " ".join(words))
    square = words[0].lower()
    if flips:
        if not PIECE.fullmatch(words[1]):
            raise DialectError("not a piece; expected one of KGMRNCP or kgmrncp", words[1])
        return f"{square}={words[1]}"
    if not SQUARE.fullmatch(words[1].lower()):
        raise DialectError("not a square; expected a1 to d8", words[1])
    return square + words[1].lower()
