"""`fanqi arbiter`: check a deal, or make the deal of a seed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.arbiter import (
    ArbiterError,
    DealRecord,
    RecordError,
    deal,
    deal_record,
    parse_seed,
    transcript_record,
    verify,
)
from fanqi.command_line import die
from fanqi.exit_codes import FAILED
from fanqi.files import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Check banqi deals, and make the deal of a seed.

    \b
    Example: fanqi arbiter verify matches/banqi/games.jsonl
    Example: fanqi arbiter deal 12345
    """,
)


def deals(text: str) -> Iterator[tuple[str, DealRecord]]:
    """Each deal of a match's ``games.jsonl``, or the one of a saved session, with a name for messages.

    Raises:
        RecordError: one of them cannot be read; the message names the line.
    """
    if not text.lstrip().startswith("{"):
        yield "the session", transcript_record(text.splitlines())
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            game = json.loads(line)
        except json.JSONDecodeError as error:
            raise RecordError(line, f"line {number}, column {error.colno}: {error.msg}") from None
        except (ValueError, RecursionError):  # a number of thousands of digits, brackets in brackets without end
            raise RecordError(line, f"line {number}: more than a record of a game can be") from None
        if not isinstance(game, dict):
            raise RecordError(line, f"line {number}: expected a JSON object")
        yield f"game on line {number}", deal_record(game)


def read_record(source: str) -> str:
    """The text of a file, or of stdin.

    Raises:
        OSError, UnicodeDecodeError: it cannot be read.
    """
    return sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")


@app.command("verify")
def verify_command(
    record: Annotated[str, typer.Argument(help="games.jsonl of a match, or a saved session; - reads stdin.")],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what does not hold.")] = False,
) -> None:
    """Check that every deal in RECORD was committed to, follows from its seed and was answered truthfully.

    Exit code 0 when everything holds, 1 when something does not.

    \b
    Example: fanqi arbiter verify matches/banqi/games.jsonl
    """
    try:
        text = read_record(record)
    except (OSError, UnicodeDecodeError) as error:
        name = "stdin" if record == "-" else record
        why = FileError.reading(name, error) if isinstance(error, OSError) else f"{name}: {error}"
        die("arbiter", why, FAILED)
    checked = wrong = 0
    try:
        for name, found in deals(text):
            checked += 1
            verdict = verify(found)
            wrong += not verdict.good
            for check in verdict.checks:
                if not check.holds:
                    typer.echo(f"{name}: WRONG: {check.claim}: {check.problem}")
                elif not quiet:
                    typer.echo(f"{name}: {check.claim}")
    except ArbiterError as error:
        die("arbiter", f"{record}: {error}", FAILED)
    if not checked:
        die("arbiter", f"{record}: no deal in it", FAILED)
    typer.echo(f"{checked - wrong} of {checked} deals hold")
    raise typer.Exit(1 if wrong else 0)


@app.command("deal")
def deal_command(
    seed: Annotated[str, typer.Argument(help="A number from 0 to 2^128-1.")],
) -> None:
    """Show the layout and the five-piece draw of a seed, by the algorithm in docs/arbiter.md.

    \b
    Example: fanqi arbiter deal 12345
    """
    try:
        dealt = deal(parse_seed(seed))
    except ArbiterError as error:
        die("arbiter", error)
    for rank in reversed(range(8)):
        typer.echo(f"{rank + 1}  {' '.join(dealt.layout[4 * rank : 4 * rank + 4])}")
    typer.echo("   a b c d")
    typer.echo(f"layout {dealt.layout}")
    typer.echo(f"draw {dealt.draw}")
