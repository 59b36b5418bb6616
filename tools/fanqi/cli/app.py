"""The table of subcommands, and the group that imports one only when it is run or its help is shown."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from fanqi.about import VERSION
from fanqi.cli.streams import name_streams, output_error, settle_output
from fanqi.command_line import UsageError, did_you_mean, explain, say_error
from fanqi.exit_codes import FAILED, INTERRUPTED, MISUSED
from fanqi.game.errors import DataError
from fanqi.search.memory import TableMemoryError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run"]


@dataclass(frozen=True, slots=True)
class Subcommand:
    """Where a subcommand lives: ``module`` has a typer application called ``app``."""

    module: str
    help: str


SUBCOMMANDS = {
    "engine": Subcommand("fanqi.cli.engine", "Speak the protocol on stdin and stdout."),
    "serve": Subcommand("fanqi.cli.serve", "Serve the protocol over TCP and WebSocket."),
    "play": Subcommand("fanqi.cli.play", "Play against the engine on the terminal."),
    "match": Subcommand("fanqi.match.cli", "Play engines against each other through a referee."),
    "openings": Subcommand("fanqi.match.openings_cli", "Make a balanced opening suite for matches."),
    "levels": Subcommand("fanqi.match.levels_cli", "Show how strong the levels are, or find it out by matches."),
    "compliance": Subcommand("fanqi.match.compliance_cli", "Check an engine against the protocol, step by step."),
    "perft": Subcommand("fanqi.cli.perft", "Count the leaves of the game tree."),
    "bench": Subcommand("fanqi.cli.bench", "Node-count signature, speed and latency."),
    "arbiter": Subcommand("fanqi.cli.arbiter", "Deal banqi fairly, and check how others dealt."),
    "worker": Subcommand("fanqi.cli.worker", "Do jobs for whoever submits them to a broker."),
    "broker": Subcommand("fanqi.cli.broker", "Run a small MQTT broker for one machine."),
    "submit": Subcommand("fanqi.cli.submit", "Have many positions or games worked out, here or by workers."),
    "ggs": Subcommand("fanqi.cli.ggs", "Play Othello on a GGS server, unattended."),
    "ggs-server": Subcommand("fanqi.cli.ggs_server", "Run a GGS server of one's own."),
    "convert": Subcommand("fanqi.cli.convert", "Convert game records between formats."),
    "show": Subcommand("fanqi.cli.show", "Show a position or a game on the terminal, or as SVG."),
    "book": Subcommand("fanqi.cli.book", "Build, import, show and export opening books (Othello)."),
    "analyse": Subcommand("fanqi.cli.analyse", "Judge every move of a game, with a graph and a page."),
    "train": Subcommand("fanqi.train.cli", "Fit the Othello evaluation and ProbCut from games."),
    "tables": Subcommand("fanqi.cli.tables", "Build, check and describe banqi's endgame tables."),
    "warmup": Subcommand("fanqi.cli.warmup", "Compile all kernels now, once."),
}


BOARD = re.compile(r"-[-.*xXoObBwW ]{15,}")
ALIASES = {"analyze": "analyse", "reversi": "play"}


class LazyGroup(TyperGroup):
    """Knows its commands by name and first line of help; imports the rest on demand."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        subcommand = SUBCOMMANDS.get(cmd_name)
        if subcommand is None:
            return None
        command: Any = typer.main.get_command(importlib.import_module(subcommand.module).app)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = ALIASES.get(args[0], args[0])
        if name not in SUBCOMMANDS and not name.startswith("-"):
            like = get_close_matches(name, [*SUBCOMMANDS, *ALIASES])
            ctx.fail(f"there is no command {name}{did_you_mean(like)}; see fanqi --help")
        return super().resolve_command(ctx, [name, *args[1:]])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, subcommand.help) for name, subcommand in SUBCOMMANDS.items()])


def show_version(value: bool) -> None:
    if value:
        typer.echo(f"fanqi {VERSION}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Print the version."),
) -> None:
    """Fanqi (翻棋): an engine server for Othello and banqi, a match runner, and their tools.

    Example: fanqi match --game othello --games 10 --movetime 100 --engine "a=fanqi engine" --engine b=builtin:greedy
    """


def no_option(word: str) -> str:
    """A word of the command line; a board that begins with ``-`` is no option, so its first empty square is a dot."""
    return f".{word[1:]}" if BOARD.fullmatch(word) else word


def run(argv: Sequence[str]) -> int:
    """Run the typer application on ``argv`` and return its exit code: 0 good, 1 failure, 2 usage, 130 interrupted.

    Typer's own `main` is left out: it words errors in its own way, and calls the end of any file an abort.
    """
    name_streams()
    code, failure = 0, None
    command: Any = typer.main.get_command(app)
    try:
        with command.make_context("fanqi", [no_option(word) for word in argv]) as context:
            command.invoke(context)
    except typer.Exit as stop:
        code = stop.exit_code
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except UsageError as error:
        code = MISUSED
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(str(error), err=True)  # it is the help page
        else:
            say_error(*explain(error))
    except EOFError as error:
        code = FAILED
        say_error("", f"the input, or a file, ended too early{f': {error}' if str(error) else ''}")
    except (OSError, TableMemoryError, DataError) as error:
        failure = error
    told = code != 0 and output_error() is not None  # by the command itself
    unwritten = settle_output()
    if failure is None and not told:
        failure = unwritten
    if failure is None:
        return code
    if not isinstance(failure, BrokenPipeError):  # whoever read our output has gone: nothing left to tell
        say_error("", failure)
    return FAILED
