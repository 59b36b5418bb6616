"""`fanqi openings`: make a balanced opening suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fanqi.about import VERSION
from fanqi.files import described, require_place, write_whole
from fanqi.match.opening_suite import format_suite, judge, positions_after

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def openings() -> None:
    """Opening suites for matches.

    \b
    Example: fanqi openings make --plies 8 --depth 10 --bound 1 --out even.txt
    """


@app.command()
def make(
    out: Annotated[Path, typer.Option(help="The file to write: one transcript a line.")],
    plies: Annotated[int, typer.Option(min=1, max=10, help="Length of the openings.")] = 8,
    depth: Annotated[int, typer.Option(min=1, max=30, help="How deep each position is searched.")] = 10,
    bound: Annotated[float, typer.Option(min=0, help="Keep what is within so many discs of even.")] = 1.0,
) -> None:
    """Write every Othello position so many plies from the start, up to symmetry, that our engine finds close to even.

    \b
    Example: fanqi openings make --plies 6 --depth 14 --bound 0.5 --out even6.txt
    """
    try:
        require_place(out)  # not after an hour's search
    except OSError as error:
        raise typer.BadParameter(described(error), param_hint="--out") from None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    positions = positions_after(plies)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("searching", total=len(positions))
        judged = list(judge(positions, depth, lambda count: progress.update(task, completed=count)))
    kept = sum(abs(one.discs) <= bound for one in judged)
    heading = [
        f"Othello positions {plies} plies from the start, up to symmetry, within {discs_text(bound)} of even",
        f"at depth {depth} by Fanqi {VERSION}: {kept} of {len(judged)}",
    ]
    write_whole(out, format_suite(judged, bound, heading).encode())
    typer.echo(f"{kept} of {len(judged)} positions are within {discs_text(bound)}: {out}")


def discs_text(count: float) -> str:
    return "1 disc" if count == 1 else f"{count:g} discs"
