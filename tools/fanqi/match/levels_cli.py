"""`fanqi levels`: how strong the levels are, and how that is found out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from fanqi.command_line import die, known_game, say
from fanqi.exit_codes import FAILED, INTERRUPTED
from fanqi.files import described, write_whole
from fanqi.match.api import begin_match, resume_match, run_runner, write_report
from fanqi.match.errors import MatchError
from fanqi.match.levels import (
    calibrate,
    evaluation_of,
    levels_config,
    require_evaluation,
    table_lines,
)
from fanqi.match.opening_files import load_openings
from fanqi.match.progress import PlainProgress
from fanqi.match.runner import Status
from fanqi.match.store import EVALUATION, read_config
from fanqi.strength import Calibration, CalibrationError, load_calibration

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

GameName = Annotated[str, typer.Argument(help="othello or banqi", callback=known_game)]


def fail(error: Exception | str, code: int = 1) -> NoReturn:
    die("levels", error, code)


@app.callback()
def levels() -> None:
    """How strong each level is.

    \b
    Example: fanqi levels show othello
    Example: fanqi levels make banqi --games 100 --dir matches/levels-banqi
    Example: fanqi levels fit matches/levels-banqi --out engine/fanqi/strength/data/banqi.json
    """


@app.command()
def show(game: GameName) -> None:
    """Print the table that comes with Fanqi.

    \b
    Example: fanqi levels show othello
    """
    table = load_calibration(game)
    low, high = table.range
    typer.echo(f"{table.game}: {table.games} games on {table.made}, {table.anchor} = 0, level 20 at {table.full}")
    typer.echo(f"UCI_Elo {low} to {high}")
    typer.echo("\n".join(["", *table_lines(table)]))


@app.command()
def make(
    game: GameName,
    directory: Annotated[Path, typer.Option("--dir", help="Folder of the match; one that is there is gone on with.")],
    games: Annotated[int, typer.Option(min=2, help="Games of each pairing.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of openings, deals and dice.")] = 1,
    every: Annotated[int, typer.Option(min=1, max=10, help="Let only every N-th level play.")] = 1,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a move of full strength.")] = None,
) -> None:
    """Rate all levels by a match, in which each plays its neighbours, and write the table into its folder.

    It can be interrupted: the same command goes on with it. What is in the folder counts, so other options are for a
    folder that is not there yet.

    \b
    Example: fanqi levels make othello --dir matches/levels-othello --games 40
    """
    observer = PlainProgress(sys.stdout)
    try:
        if (directory / "match.json").exists():
            if (there := read_config(directory).game) != game:
                fail(f"{directory}: a match of {there}, not of {game}")
            require_evaluation(directory, game)
            runner, store = resume_match(directory, observer)
        else:
            config = levels_config(game, games, str(seed), nodes, every)
            listed, _ = load_openings(config.openings, config.game, config.rules, None)
            beside = {EVALUATION: evaluation_of(game).encode()}
            runner, store = begin_match(config, listed, directory, observer, beside=beside)
        try:
            status = run_runner(runner)
            write_report(directory)
        finally:
            store.close()
        if status is not Status.FINISHED:
            say(f"Go on with: fanqi levels make {game} --dir {directory}", err=False)
            raise typer.Exit(INTERRUPTED if status is Status.INTERRUPTED else FAILED)
        finish(calibrate(directory), directory / "levels.json")
    except MatchError as error:
        fail(error)


@app.command()
def fit(
    directory: Annotated[Path, typer.Argument(help="Folder of a match of levels, over or not.")],
    out: Annotated[Path | None, typer.Option(help="Write the table there, if it can be used.")] = None,
) -> None:
    """Rate the levels from the games that a folder has so far.

    \b
    Example: fanqi levels fit matches/levels-othello --out engine/fanqi/strength/data/othello.json
    """
    try:
        finish(calibrate(directory), out)
    except MatchError as error:
        fail(error)


def finish(table: Calibration, out: Path | None) -> None:
    """Print a table, and write it where it is good."""
    typer.echo("\n".join(table_lines(table)))
    try:
        table.check()
    except CalibrationError as error:
        fail(error)
    if out is not None:
        try:
            write_whole(out, table.format().encode())
        except OSError as error:
            fail(described(error, out))
        say(f"Written: {out}", err=False)
