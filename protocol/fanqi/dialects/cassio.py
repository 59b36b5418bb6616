"""The engine protocol of Cassio (macOS): lines that begin with ``ENGINE-PROTOCOL``, answers that end with ``ready.``.

A result is one line: position, then move, depth, certainty, bounds of the value and the main line::

    <64 cells><X|O>, move F5, depth 21, @73%, W-2.00 <= v <= W+4.00, F5d6C3, node 123456, time 1.250

The letter before a value names the mover's colour and the value is from that mover's view. Moves of Black are written
in capitals, moves of White in small letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, assert_never

from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import clean_line, integer, number
from fanqi.game import MoveError, Player, PositionError
from fanqi.othello.notation import format_board, format_move, parse_board, parse_move

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "PREFIX",
    "CassioCommand",
    "CassioResult",
    "EmptyHash",
    "EndgameSearch",
    "FeedHash",
    "GetSearchInfos",
    "GetVersion",
    "Init",
    "MidgameSearch",
    "NewPosition",
    "Poll",
    "Quit",
    "Stop",
    "format_command",
    "format_result",
    "parse_command",
    "parse_result",
]

PREFIX = "ENGINE-PROTOCOL"


@dataclass(frozen=True, slots=True)
class Init:
    """``init``."""


@dataclass(frozen=True, slots=True)
class GetVersion:
    """``get-version``."""


@dataclass(frozen=True, slots=True)
class NewPosition:
    """``new-position``."""


@dataclass(frozen=True, slots=True)
class MidgameSearch:
    """``midgame-search POSITION ALPHA BETA DEPTH PRECISION``.

    Attributes:
        position: in the notation of `fanqi.game.Game.parse`.
        alpha, beta: discs, from the mover's view.
        depth: plies.
        precision: certainty of forward pruning in percent, 100 = none.
    """

    position: str
    alpha: float
    beta: float
    depth: int
    precision: int


@dataclass(frozen=True, slots=True)
class EndgameSearch:
    """``endgame-search POSITION ALPHA BETA PRECISION``, to the end of the game."""

    position: str
    alpha: float
    beta: float
    precision: int


@dataclass(frozen=True, slots=True)
class GetSearchInfos:
    """``get-search-infos``: nodes and time so far."""


@dataclass(frozen=True, slots=True)
class Stop:
    """``stop``."""


@dataclass(frozen=True, slots=True)
class Poll:
    """Nothing after the prefix: are you still searching?"""


@dataclass(frozen=True, slots=True)
class EmptyHash:
    """``empty-hash``."""


@dataclass(frozen=True, slots=True)
class FeedHash:
    """``feed-hash …``: what other searches have found; its words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quit:
    """``quit``."""


CassioCommand: TypeAlias = (
    Init
    | GetVersion
    | NewPosition
    | MidgameSearch
    | EndgameSearch
    | GetSearchInfos
    | Stop
    | Poll
    | EmptyHash
    | FeedHash
    | Quit
)

PLAIN: dict[str, CassioCommand] = {
    "": Poll(),
    "init": Init(),
    "get-version": GetVersion(),
    "new-position": NewPosition(),
    "get-search-infos": GetSearchInfos(),
    "stop": Stop(),
    "empty-hash": EmptyHash(),
    "quit": Quit(),
}
PLAIN_NAMES = {command: name for name, command in PLAIN.items()}


def parse_command(line: str | bytes) -> CassioCommand | None:
    """Read a command; None for an empty line.

    Raises:
        DialectError: another protocol, an unknown command, or arguments that cannot be read; the reason is worded as
            Edax words it, since that is what Cassio knows.
    """
    text = clean_line(line)
    if not text:
        return None
    prefix, _, rest = text.partition(" ")
    if prefix != PREFIX:
        raise DialectError(f'Unknown protocol "{text}"')
    name, *words = rest.split() or [""]
    name = name.lower()
    if name in PLAIN:
        return PLAIN[name]
    if name == "feed-hash":
        return FeedHash(tuple(words))
    if name in ("midgame-search", "endgame-search"):
        return parse_search(name, rest[len(name) :].strip())
    raise DialectError(f"unknown command {name}")


def parse_search(name: str, text: str) -> MidgameSearch | EndgameSearch:
    """The arguments of a search; the cells may have blanks between them."""
    found = re.match(r"(?:[-._XxOo*BbWw0]\s*){64}[XxOo*BbWw0](?=\s|$)", text)
    try:
        position = format_board(*parse_board(found.group() if found else ""))
    except PositionError:
        raise DialectError(f"{name} cannot parse position.") from None
    words = text[found.end() if found else 0 :].split()
    fields = ("alpha", "beta", "depth", "precision") if name == "midgame-search" else ("alpha", "beta", "precision")
    values: list[float] = []
    for index, field in enumerate(fields):
        word = words[index].removesuffix("%") if index < len(words) else ""
        value = number(word) if field in ("alpha", "beta") else integer(word)
        if value is None:
            raise DialectError(f"{name} cannot parse {field}.")
        values.append(value)
    if name == "midgame-search":
        return MidgameSearch(position, values[0], values[1], int(values[2]), int(values[3]))
    return EndgameSearch(position, values[0], values[1], int(values[2]))


def format_command(command: CassioCommand) -> str:
    """The line, without its newline, that `parse_command` reads back."""
    match command:
        case MidgameSearch(position, alpha, beta, depth, precision):
            cells = position.replace(" ", "")
            words = f"midgame-search {cells} {alpha:.2f} {beta:.2f} {depth} {precision}"
        case EndgameSearch(position, alpha, beta, precision):
            words = f"endgame-search {position.replace(' ', '')} {alpha:.0f} {beta:.0f} {precision}"
        case FeedHash(fed):
            words = " ".join(("feed-hash", *fed))
        case Init() | GetVersion() | NewPosition() | GetSearchInfos() | Stop() | Poll() | EmptyHash() | Quit():
            words = PLAIN_NAMES[command]
        case _:
            assert_never(command)
    return f"{PREFIX} {words}".rstrip()


@dataclass(frozen=True, slots=True)
class CassioResult:
    """What a search has found.

    Attributes:
        position: which one it was asked about.
        move: canonical.
        depth, certainty: how deep, and with how many percent.
        lower, upper: bounds of the value in discs, from the mover's view.
        pv: canonical moves.
        nodes, seconds: what it took.
    """

    position: str
    move: str
    depth: int
    certainty: int
    lower: float
    upper: float
    pv: tuple[str, ...]
    nodes: int
    seconds: float


def format_result(result: CassioResult) -> str:
    """The line, without its newline, that `parse_result` reads back."""
    player = Player.P1 if result.position.endswith("X") else Player.P2
    colour = "B" if player is Player.P1 else "W"
    return (
        f"{result.position.replace(' ', '')}, move {coloured([result.move], player)}, depth {result.depth}, "
        f"@{result.certainty}%, {colour}{result.lower:+.2f} <= v <= {colour}{result.upper:+.2f}, "
        f"{coloured(result.pv, player)}, node {result.nodes}, time {result.seconds:.3f}"
    )


def coloured(moves: Sequence[str], player: Player) -> str:
    """Moves one after another, Black's in capitals; a pass is ``PA`` or ``pa``."""
    out = []
    for move in moves:
        name = "pa" if move == "pass" else move
        out.append(name.upper() if player is Player.P1 else name)
        player = player.other
    return "".join(out)


RESULT = re.compile(
    r"(?P<cells>[-XO]{64})(?P<side>[XO])\s*,\s*move\s+(?P<move>\w\w)\s*,\s*depth\s+(?P<depth>\d{1,9})\s*,"
    r"\s*@(?P<certainty>\d{1,9})%\s*,\s*[BW](?P<lower>[-+]?[\d.]+)\s*<=\s*v\s*<=\s*[BW](?P<upper>[-+]?[\d.]+)\s*,"
    r"\s*+(?P<pv>\w*+)\s*+(?:,\s*node\s+(?P<nodes>\d{1,18}))?+\s*+(?:,\s*time\s+(?P<seconds>[\d.]+))?+\s*+"
)


def parse_result(line: str | bytes) -> CassioResult | None:
    """A result, or None for any other line."""
    found = RESULT.fullmatch(clean_line(line))
    if found is None:
        return None
    try:
        moves = [format_move(parse_move(pair)) for pair in re.findall(r"..", found["move"] + found["pv"])]
    except MoveError:
        return None
    return CassioResult(
        f"{found['cells']} {found['side']}",
        moves[0],
        int(found["depth"]),
        int(found["certainty"]),
        float(number(found["lower"]) or 0.0),
        float(number(found["upper"]) or 0.0),
        tuple(moves[1:]),
        int(found["nodes"] or 0),
        float(number(found["seconds"] or "") or 0.0),
    )
