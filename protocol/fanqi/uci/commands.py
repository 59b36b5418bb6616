"""What a host can say: a closed union of frozen commands, read by `parse_command`, written by `format_command`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fanqi.search import Solve

__all__ = [
    "MAX_DEPTH",
    "ArbiterCommand",
    "Command",
    "Debug",
    "Draw",
    "Evaluate",
    "Go",
    "Handshake",
    "Help",
    "IsReady",
    "NewGame",
    "Perft",
    "PonderHit",
    "Query",
    "Quit",
    "SetOption",
    "SetPosition",
    "ShowBoard",
    "Stop",
]

MAX_DEPTH = 1000


@dataclass(frozen=True, slots=True)
class Handshake:
    """``uci`` or ``ugi``: the name of the protocol the host asks for."""

    protocol: Literal["uci", "ugi"] = "uci"


@dataclass(frozen=True, slots=True)
class IsReady:
    """``isready``."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """``ucinewgame`` or ``uginewgame``."""


@dataclass(frozen=True, slots=True)
class Debug:
    """``debug on|off``."""

    on: bool


@dataclass(frozen=True, slots=True)
class SetOption:
    """``setoption name N [value V]``; the value is None when the word ``value`` is missing."""

    name: str
    value: str | None = None

    @property
    def name_token(self) -> int:
        """Number of the name's first word."""
        return 3

    @property
    def value_token(self) -> int:
        """Number of the value's first word, whether there is one or not."""
        return 4 + len(self.name.split()) if self.value is not None else 3 + len(self.name.split())


@dataclass(frozen=True, slots=True)
class SetPosition:
    """``position startpos|fen P [moves M ...]``; ``fen`` is None for the start position."""

    fen: str | None = None
    moves: tuple[str, ...] = ()

    @property
    def fen_token(self) -> int:
        """Number of the position's first word."""
        return 3

    def move_token(self, index: int) -> int:
        """Number of the word that is ``moves[index]``."""
        return 4 + index + (len(self.fen.split()) if self.fen is not None else 0)


@dataclass(frozen=True, slots=True)
class Go:
    """``go`` and its limits, as said: which clock is whose depends on the game.

    Attributes:
        clock: values by the word that gave them: ``p1time``, ``p2time``, ``p1inc``, ``p2inc``, ``wtime``, ….
        tokens: the number of each limit's word in the line, and under ``""`` the number after the last word.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    movestogo: int | None = None
    clock: tuple[tuple[str, int], ...] = ()
    infinite: bool = False
    ponder: bool = False
    solve: Solve | None = None
    selectivity: int | None = None
    searchmoves: tuple[str, ...] | None = None
    tokens: Mapping[str, int] = field(default_factory=dict, compare=False)

    def token(self, word: str = "") -> int:
        """The number of a limit's word, or where one that is missing would stand; 1 if it was not read from a line."""
        return self.tokens.get(word, 1)


@dataclass(frozen=True, slots=True)
class Perft:
    """``go perft N``."""

    depth: int


@dataclass(frozen=True, slots=True)
class Stop:
    """``stop``."""


@dataclass(frozen=True, slots=True)
class PonderHit:
    """``ponderhit``."""


@dataclass(frozen=True, slots=True)
class Quit:
    """``quit``."""


@dataclass(frozen=True, slots=True)
class ShowBoard:
    """``d``."""


@dataclass(frozen=True, slots=True)
class Evaluate:
    """``eval``."""


@dataclass(frozen=True, slots=True)
class Help:
    """``help``."""


@dataclass(frozen=True, slots=True)
class Query:
    """``query WHAT [ARGUMENT ...]``."""

    what: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """``draw``: the opponent offers one."""


@dataclass(frozen=True, slots=True)
class ArbiterCommand:
    """``arbiter …``: the words after it, which `fanqi.arbiter` reads."""

    words: tuple[str, ...]


Command: TypeAlias = (
    Handshake
    | IsReady
    | NewGame
    | Debug
    | SetOption
    | SetPosition
    | Go
    | Perft
    | Stop
    | PonderHit
    | Quit
    | ShowBoard
    | Evaluate
    | Help
    | Query
    | Draw
    | ArbiterCommand
)
