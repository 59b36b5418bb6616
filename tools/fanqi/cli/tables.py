"""`fanqi tables`: banqi's endgame tables, built, checked and described."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.command_line import die, say
from fanqi.files import require_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fanqi.banqi.tables.store import EndgameTables

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Banqi's endgame tables: every position of two to four men, all face up.

    Those that come with Fanqi are used without being asked for; the option EndgamePath of the engine names another
    file.

    \b
    Example: fanqi tables info
    Example: fanqi tables build --men 4 --out endgames.bin --jobs 2
    Example: fanqi tables verify endgames.bin
    """,
)

Jobs = Annotated[int, typer.Option(min=1, max=256, help="Tables worked on at a time, a processor each.")]
TableFile = Annotated[Path | None, typer.Argument(help="A table file; the shipped one if left out.")]


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error; the value is a function that takes what is done, how much there is, and what it is."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<14}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("loading", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


@contextmanager
def failing() -> Iterator[None]:
    """What can go wrong with files and tables becomes one line and exit code 1."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        die("tables", error, 1)


def load(file: Path | None) -> EndgameTables:
    from fanqi.banqi.tables.store import read_tables, shipped_tables

    return shipped_tables() if file is None else read_tables(file)


def show(tables: EndgameTables) -> None:
    from fanqi.banqi.tables.summary import summarise

    typer.echo(f"{'men':>3} {'tables':>7} {'endgames':>9} {'entries':>12} {'won':>12} {'lost':>12} {'longest':>8}")
    for row in summarise(tables):
        typer.echo(
            f"{row.men:>3} {row.classes:>7} {row.endgames:>9,} {row.entries:>12,} {row.won:>12,} {row.lost:>12,} "
            f"{row.longest:>8}"
        )


@app.command()
def info(file: TableFile = None) -> None:
    """Say what a table file holds: for each number of men how many are won or lost, and the longest distance.

    An entry is a position up to the symmetry of the board; a distance is in plies, to the next capture.

    \b
    Example: fanqi tables info
    """
    with failing():
        show(load(file))


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="The file to write.")],
    men: Annotated[int, typer.Option(min=2, max=4, help="Solve endgames of 2 to so many men.")] = 4,
    jobs: Jobs = 1,
    check: Annotated[bool, typer.Option("--verify/--no-verify", help="Check all that was solved.")] = True,
) -> None:
    """Solve all endgames and write them to a file; then check every position against those its moves lead to.

    Every table is kept as soon as it is solved, in OUT.partial: the same command goes on where it was broken off.

    \b
    Example: fanqi tables build --out endgames.bin --jobs 2
    Example: fanqi tables build --men 3 --out small.bin
    """
    from fanqi.banqi.tables.generate import generate_tables

    with failing(), progress_bar() as progress:
        require_place(out)
        tables = generate_tables(out, men, threads=jobs, verify=check, progress=progress)
    show(tables)
    say(f"{out}: {out.stat().st_size:,} bytes, {'verified' if check else 'not verified'}", err=False)


@app.command()
def verify(
    file: TableFile = None,
    every: Annotated[bool, typer.Option(help="Check every set of men, not one for each table.")] = False,
    jobs: Jobs = 1,
) -> None:
    """Check that every position's value follows from the values its moves lead to; exit code 1 when one does not.

    The check plays by the rules of the game and shares nothing with the solver.

    \b
    Example: fanqi tables verify --jobs 2
    Example: fanqi tables verify endgames.bin --every
    """
    from fanqi.banqi.tables.verify import verify_tables

    with failing(), progress_bar() as progress:
        faults = verify_tables(
            load(file), every=every, threads=jobs, progress=lambda done, total: progress(done, total, "checking")
        )
    typer.echo(f"{faults} faults")
    raise typer.Exit(1 if faults else 0)
