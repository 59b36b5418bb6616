"""`fanqi compliance`: check an engine against the protocol, step by step."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from fanqi.command_line import die, known_game
from fanqi.match.compliance import Outcome, check_engine
from fanqi.match.errors import ConfigurationError, EngineError

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def compliance(
    command: Annotated[str, typer.Argument(help="Command line of the engine, or tcp://HOST:PORT.")],
    game: Annotated[
        str | None, typer.Option(help="Only othello or banqi; all the engine offers if left out.", callback=known_game)
    ] = None,
    patience: Annotated[float, typer.Option(min=1, help="Seconds for what may take long, such as compiling.")] = 120.0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what is wrong.")] = False,
) -> None:
    """Check an engine against docs/protocol.md, step by step, and say what is wrong.

    Exit code 0 when every step holds, 1 when one does not, 2 when the engine cannot be started.

    \b
    Example: fanqi compliance "fanqi engine"
    Example: fanqi compliance --game banqi "./my-engine --fast"
    """

    def show(outcome: Outcome) -> None:
        step = outcome.step
        where = f" ({step.game})" if step.game else ""
        if outcome.problem is not None:
            typer.echo(f"{step.number:3} WRONG {step.claim}{where}\n          {outcome.problem}")
        elif not quiet:
            typer.echo(f"{step.number:3} ok    {step.claim}{where}")

    try:
        outcomes = asyncio.run(check_engine(command, show, game, patience))
    except (EngineError, ConfigurationError) as error:
        detail = error.detail if isinstance(error, EngineError) else str(error)
        die("compliance", detail)
    wrong = sum(outcome.problem is not None for outcome in outcomes)
    typer.echo(f"{len(outcomes) - wrong} of {len(outcomes)} steps hold")
    raise typer.Exit(1 if wrong else 0)
