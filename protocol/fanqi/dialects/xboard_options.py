"""Options in XBoard's words: how an engine declares one in a ``feature``, and how XBoard sets it.

``feature option="NAME -spin VALUE LOWEST HIGHEST"`` and the like come from the engine; ``option NAME=VALUE`` goes to
it, with 0 or 1 for a check, and ``option NAME`` for what is merely pressed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from fanqi.dialects.errors import DialectError
from fanqi.dialects.text import clean_line, integer

__all__ = [
    "XBoardOption",
    "format_xboard_option",
    "format_xboard_setting",
    "parse_xboard_option",
    "parse_xboard_setting",
]

OptionKind: TypeAlias = Literal["spin", "slider", "check", "combo", "string", "file", "path", "button", "save", "reset"]

DECLARATION = re.compile(
    r"(?P<name>\S.*?) -(?P<kind>spin|slider|check|combo|string|file|path|button|save|reset)(?: (?P<rest>.*))?"
)
BETWEEN_CHOICES = "///"
RANGED = ("spin", "slider")
PRESSED = ("button", "save", "reset")


@dataclass(frozen=True, slots=True)
class XBoardOption:
    """What an engine lets its user choose.

    Attributes:
        name: without ``=``.
        kind: as XBoard calls it; a slider is a spin, files and paths are strings.
        value: the one in force; ``0`` or ``1`` of a check, empty for what is pressed.
        lowest, highest: of a spin.
        choices: of a combo.
    """

    name: str
    kind: OptionKind
    value: str = ""
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()


def format_xboard_option(option: XBoardOption) -> str:
    """The value of an ``option`` feature, which `parse_xboard_option` reads back; a string keeps the blank before it.

    The chosen one of a combo has a star before it.
    """
    words = f"{option.name} -{option.kind}"
    if option.kind in PRESSED:
        return words
    if option.kind in RANGED:
        return f"{words} {option.value} {option.lowest} {option.highest}"
    if option.kind == "combo":
        shown = (f"*{choice}" if choice == option.value else choice for choice in option.choices)
        return f"{words} {f' {BETWEEN_CHOICES} '.join(shown)}"
    return f"{words} {option.value}"


def parse_xboard_option(text: str) -> XBoardOption:
    """Read the value of an ``option`` feature.

    Raises:
        DialectError: it is none; the reason says what is missing.
    """
    found = DECLARATION.fullmatch(text)
    if found is None:
        raise DialectError("option: expected a name and one of -spin, -check, -combo, -string, -button, …", text)
    name, kind, rest = found["name"], cast("OptionKind", found["kind"]), found["rest"] or ""
    if kind in PRESSED:
        return XBoardOption(name, kind)
    if kind in RANGED:
        numbers = [integer(word) for word in rest.split()]
        if len(numbers) != 3 or any(value is None for value in numbers):
            raise DialectError("option: expected a value, the lowest and the highest", text)
        value, lowest, highest = (value or 0 for value in numbers)
        return XBoardOption(name, kind, str(value), lowest, highest)
    if kind == "combo":
        words = [word.strip() for word in rest.split(BETWEEN_CHOICES)]
        choices = tuple(word.removeprefix("*") for word in words)
        chosen = [word[1:] for word in words if word.startswith("*")]
        return XBoardOption(name, kind, chosen[0] if chosen else choices[0], choices=choices)
    return XBoardOption(name, kind, rest)


def format_xboard_setting(option: XBoardOption, value: str) -> str:
    """The command that sets an option: ``option NAME=VALUE``, a check's with 0 or 1; ``option NAME`` presses it."""
    if option.kind in PRESSED:
        return f"option {option.name}"
    if option.kind == "check":
        value = {"true": "1", "false": "0"}.get(value.lower(), value)
    return f"option {option.name}={value}"


def parse_xboard_setting(line: str) -> tuple[str, str | None]:
    """Name and value of an ``option`` command, with or without that word; None where there is no ``=``.

    Raises:
        DialectError: there is no name.
    """
    name, equals, value = (part.strip() for part in clean_line(line).removeprefix("option ").partition("="))
    if not name:
        raise DialectError("option: expected NAME=VALUE, or NAME alone for a button", line)
    return name, value if equals else None
