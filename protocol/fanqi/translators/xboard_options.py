"""Options in XBoard's words: those by which a person chooses how strong the engine plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.dialects.errors import DialectError
from fanqi.uci import ProtocolError, SetOption

if TYPE_CHECKING:
    from fanqi.uci import OptionDeclaration, OptionTable

__all__ = ["OFFERED", "chosen_option", "offered_options"]

OFFERED = ("Skill Level", "UCI_LimitStrength", "UCI_Elo", "Preset")
GAME = "othello"
SWITCHES = {"1": "true", "0": "false"}


def offered_options(table: OptionTable) -> list[str]:
    """The values of the ``option`` features, with the defaults of a session's table."""
    return [feature_of(one) for one in table.listed(GAME) if one.name in OFFERED]


def feature_of(option: OptionDeclaration) -> str:
    """``NAME -spin VALUE LOWEST HIGHEST``, ``NAME -check 0|1``, or ``NAME -combo`` and the choices, a star before the
    chosen one."""
    match option.type:
        case "spin":
            return f"{option.name} -spin {option.default} {option.lowest} {option.highest}"
        case "check":
            return f"{option.name} -check {int(option.default == 'true')}"
    choices = " /// ".join(f"*{choice}" if choice == option.default else choice for choice in option.choices)
    return f"{option.name} -combo {choices}"


def chosen_option(text: str, table: OptionTable) -> tuple[str, str]:
    """Name and value of an ``option NAME=VALUE``, as a session takes them; switches are 0 or 1 with XBoard.

    Raises:
        DialectError: it is no option that is offered, or cannot have that value.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if name not in OFFERED or not equals:
        raise DialectError(f"expected one of {', '.join(OFFERED)}, = and a value")
    command = SetOption(name, value)
    option = table.find(command)
    if option.declaration.type == "check":
        command = SetOption(name, SWITCHES.get(value, value))
    try:
        option.read(command, GAME)
    except ProtocolError as error:
        raise DialectError(f"{name}: {error.what}") from None
    return name, command.value or ""
