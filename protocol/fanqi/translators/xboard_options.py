"""The options of a session that XBoard shows: how strong the engine plays, and from which book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.dialects.errors import DialectError
from fanqi.dialects.xboard_options import XBoardOption, parse_xboard_setting
from fanqi.uci import ProtocolError, SetOption

if TYPE_CHECKING:
    from fanqi.uci import OptionDeclaration, OptionTable

__all__ = ["OFFERED", "chosen_option", "offered_options"]

OFFERED = (
    "Skill Level",
    "UCI_LimitStrength",
    "UCI_Elo",
    "Preset",
    "Contempt",
    "Move Overhead",
    "OwnBook",
    "BookFile",
    "BookVariety",
    "Clear Hash",
)
"""For the others XBoard has commands of its own, or no use: it knows neither banqi nor other rules of Othello."""
FILES = frozenset({"BookFile"})
GAME = "othello"
SWITCHES = {"1": "true", "0": "false"}


def offered_options(table: OptionTable) -> list[XBoardOption]:
    """The options to declare, with the defaults of a session's table."""
    listed = {option.name: option for option in table.listed(GAME)}
    return [shown(listed[name]) for name in OFFERED if name in listed]


def shown(option: OptionDeclaration) -> XBoardOption:
    """An option of our own protocol in XBoard's words."""
    value = option.default or ""
    match option.type:
        case "spin":
            return XBoardOption(option.name, "spin", value, option.lowest or 0, option.highest or 0)
        case "check":
            return XBoardOption(option.name, "check", str(int(value == "true")))
        case "combo":
            return XBoardOption(option.name, "combo", value, choices=option.choices)
        case "button":
            return XBoardOption(option.name, "button")
        case "string":
            return XBoardOption(option.name, "file" if option.name in FILES else "string", value)


def chosen_option(text: str, table: OptionTable) -> SetOption:
    """The command for a session that an ``option NAME=VALUE`` or ``option NAME`` asks for.

    Raises:
        DialectError: it is no option that is offered, or cannot have that value.
    """
    name, value = parse_xboard_setting(text)
    offered = {option.name.lower(): option for option in offered_options(table)}
    option = offered.get(name.lower())
    if option is None:
        raise DialectError(f"no such option; there are {', '.join(each.name for each in offered.values())}")
    if option.kind == "check":
        value = SWITCHES.get(value or "", value)
    elif option.kind == "button":
        value = value or None
    command = SetOption(option.name, value)
    if value is None and option.kind != "button":
        raise DialectError(f"{option.name}: expected = and a value")
    try:
        table.find(command).read(command, GAME)
    except ProtocolError as error:
        expected = "expected 0 or 1" if option.kind == "check" else error.what
        raise DialectError(f"{option.name}: {expected}") from None
    return command
