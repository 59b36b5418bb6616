"""Names on command lines: games, and files whose ending says what they hold."""

from __future__ import annotations

import mimetypes
import re
from difflib import get_close_matches
from pathlib import Path

import typer

from fanqi.command_line.errors import did_you_mean
from fanqi.game import GAME_NAMES, quoted

__all__ = ["html_file", "known_game", "known_games", "names_file", "svg_file"]

FILE_NAME = re.compile(r"(?![a-hA-H][1-8])(?!(?:[A-Za-z]\d)+\Z)[^\s;(]+|\S+\.[A-Za-z][A-Za-z0-9]{1,5}")
BOARD = re.compile(r"[-.*xXoObBwW0-9/]+")
ALSO_CALLED = {"reversi": "othello"}


def known_game(name: str | None) -> str | None:
    """The game of that name, in any case; for options and arguments.

    Raises:
        typer.BadParameter: there is no such game.
    """
    if name is None:
        return None
    found = ALSO_CALLED.get(name.lower(), name.lower())
    if found in GAME_NAMES:
        return found
    like = get_close_matches(name.lower(), [*GAME_NAMES, *ALSO_CALLED])
    hint = did_you_mean(like).removeprefix(", ") or f"there are {', '.join(GAME_NAMES)}"
    raise typer.BadParameter(f"{quoted(name)} is not a game; {hint}")


def known_games(names: list[str] | None) -> list[str] | None:
    """`known_game` for an option that may be given several times."""
    return None if names is None else [name for name in map(known_game, names) if name is not None]


def names_file(text: str) -> bool:
    """Whether a text that is no game was meant to name a file."""
    from fanqi.records import format_for_suffix

    return format_for_suffix(text) is not None or (FILE_NAME.fullmatch(text) is not None and not BOARD.fullmatch(text))


def require_kind(path: Path | None, kind: str, ending: str) -> Path | None:
    """A file to be written, unless its name says that it holds something else.

    Raises:
        typer.BadParameter: it does.
    """
    if path is not None and mimetypes.guess_type(path.name)[0] not in (None, kind):
        raise typer.BadParameter(f"{quoted(str(path))}: it would hold {ending[1:].upper()}; give it a name in {ending}")
    return path


def svg_file(path: Path | None) -> Path | None:
    """`require_kind` for pictures."""
    return require_kind(path, "image/svg+xml", ".svg")


def html_file(path: Path | None) -> Path | None:
    """`require_kind` for pages."""
    return require_kind(path, "text/html", ".html")
