"""The command line of ``fanqi engine``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.game import GAME_NAMES
from fanqi.logs import LEVELS
from fanqi.uci import ProtocolError, SetOption, option_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fanqi.uci import OptionTable

__all__ = ["Arguments", "parse_arguments"]

EXAMPLE = """\
example:
  fanqi engine --variant banqi --option "Skill Level=5"
  then type:  position startpos        go movetime 1000        d        quit

docs/protocol.md has every command, option and answer.
"""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the command line says.

    Attributes:
        options: the options, their defaults as chosen.
        first_commands: to be carried out before any input.
        log_level: events from here on go to stderr.
    """

    options: OptionTable
    first_commands: tuple[SetOption, ...]
    log_level: str


def parse_arguments(argv: Sequence[str]) -> Arguments:
    """Read the command line.

    Raises:
        SystemExit: with code 0 after ``--help``, 2 for a usage error; what was wrong is on stderr.
    """
    parser = argparse.ArgumentParser(
        prog="fanqi engine",
        description="Speak the protocol on stdin and stdout.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--variant", choices=GAME_NAMES, default=GAME_NAMES[0], help="the game (default: othello)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="as setoption; may be repeated"
    )
    parser.add_argument("--log-level", choices=LEVELS, default="warning", help="what goes to stderr (default: warning)")
    chosen = parser.parse_args(argv)
    table = option_table().with_default(SetOption("UCI_Variant", chosen.variant))
    later: list[SetOption] = []
    for text in chosen.option:
        name, _, value = text.partition("=")
        command = SetOption(name.strip(), value.strip())
        try:
            if table.find(command).checked_by_game:
                later.append(command)
            else:
                table = table.with_default(command)
        except ProtocolError as error:
            parser.error(f"--option {text!r}: {error.what}")
    return Arguments(table, tuple(later), chosen.log_level)
