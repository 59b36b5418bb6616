"""The command line of ``fanqi engine``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from fanqi.game import GAME_NAMES, quoted
from fanqi.logs import LEVELS
from fanqi.translators import DIALECTS
from fanqi.uci import Go, ProtocolError, SetOption, option_table, parse_command
from fanqi.uci.errors import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fanqi.uci import OptionTable

__all__ = ["Arguments", "parse_arguments"]

MISUSED = 2
LONGEST = 2000
EXAMPLE = """\
example:
  fanqi engine --variant banqi --option "Skill Level=5"
  then type:  position startpos        go movetime 1000        d        quit
  fanqi engine --dialect gtp --think "movetime 2000"

docs/protocol.md has every command, option and answer; docs/hosts.md says how to use Fanqi from other programs.
"""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the command line says.

    Attributes:
        options: the options, their defaults as chosen.
        first_commands: to be carried out before any input.
        log_level: events from here on go to stderr.
        dialect: one of `fanqi.translators.DIALECTS`.
        think: the limits of a search for which the host of a foreign dialect sets none.
    """

    options: OptionTable
    first_commands: tuple[SetOption, ...]
    log_level: str
    dialect: str
    think: Go

    @property
    def translated(self) -> bool:
        """Whether the session of our own protocol needs a translator in front of it."""
        return bool(DIALECTS[self.dialect].translator)


def game_name(text: str) -> str:
    """A game as the command line calls it."""
    return "othello" if text == "reversi" else text


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, as every command does."""

    def error(self, message: str) -> NoReturn:
        self.exit(MISUSED, f"{self.prog}: error: {shown(message, LONGEST)}; see {self.prog} --help\n")


def parse_arguments(argv: Sequence[str]) -> Arguments:
    """Read the command line.

    Raises:
        SystemExit: with code 0 after ``--help``, 2 for a usage error; what was wrong is on stderr.
    """
    parser = Parser(
        prog="fanqi engine",
        description="Speak the protocol on stdin and stdout.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--variant", type=game_name, choices=GAME_NAMES, help="the game (default: othello)")
    parser.add_argument(
        "--dialect", choices=tuple(DIALECTS), default="uci", help="speak another protocol (default: uci, our own)"
    )
    parser.add_argument(
        "--think",
        default="movetime 1000",
        metavar="LIMITS",
        help="words of `go` for a foreign host that sets no limit (default: movetime 1000)",
    )
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="as setoption; may be repeated"
    )
    parser.add_argument("--log-level", choices=LEVELS, default="warning", help="what goes to stderr (default: warning)")
    chosen = parser.parse_args(argv)
    dialect = DIALECTS[chosen.dialect]
    if dialect.translator and chosen.variant not in (None, dialect.variant):
        parser.error(f"--dialect {chosen.dialect} is for {dialect.variant}, not for {chosen.variant}")
    table = option_table().with_default(SetOption("UCI_Variant", chosen.variant or dialect.variant))
    if dialect.translator and dialect.variant == "othello":
        # the other engines of these hosts play from their books unless they are told not to
        table = table.with_default(SetOption("OwnBook", "true"))
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
            parser.error(f"--option {quoted(text)}: {error.what}")
    if later and dialect.translator:
        parser.error(f"--option {later[0].name}: with --dialect {chosen.dialect} it is the host that sets the rules")
    return Arguments(table, tuple(later), chosen.log_level, chosen.dialect, read_limits(parser, chosen.think))


def read_limits(parser: argparse.ArgumentParser, text: str) -> Go:
    """The limits of ``--think``, which must end a search by themselves."""
    try:
        command = parse_command(f"go {text}")
    except ProtocolError as error:
        parser.error(f"--think {quoted(text)}: {error.what}")
    if not isinstance(command, Go) or command.infinite or command.ponder or command.clock:
        parser.error(f"--think {quoted(text)}: expected words such as movetime 1000, depth 12 or nodes 100000")
    if command.depth is None and command.nodes is None and command.movetime is None:
        parser.error(f"--think {quoted(text)}: nothing in it ends a search")
    return command
