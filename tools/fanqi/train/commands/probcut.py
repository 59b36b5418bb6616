"""The command that fits the error model of ProbCut."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fanqi.files import write_whole
from fanqi.train.commands.failure import failing
from fanqi.train.commands.options import WeightsOption, span
from fanqi.train.commands.progress import kept_beside
from fanqi.train.commands.provenance import commit

__all__ = ["probcut"]


def probcut(
    sources: Annotated[list[Path], typer.Argument(help="positions to search (.npz)")],
    out: Annotated[Path, typer.Option(help="parameter file to write")] = Path("probcut.json"),
    each: Annotated[int, typer.Option(min=1, help="positions for each number of empty squares")] = 100,
    empties: Annotated[str, typer.Option(help="numbers of empty squares, as 8-54")] = "8-54",
    depth: Annotated[int, typer.Option(min=4, max=20, help="deepest search in plies")] = 9,
    exact: Annotated[int, typer.Option(min=8, max=24, help="most empty squares that are solved")] = 18,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    weights: WeightsOption = None,
) -> None:
    """Measure how far shallow searches are from deep ones, and write the parameters that the search prunes by.

    Goes on where it was interrupted (OUT with suffix .scores).

    \b
    Example: fanqi train probcut games.npz play.npz --out probcut.json
    """
    from rich.console import Console
    from rich.table import Table

    from fanqi.othello.patterns import load_weights
    from fanqi.othello.patterns.probcut import format_model
    from fanqi.train.positions import load_merged
    from fanqi.train.probcut import choose_positions, fit_model, measure, table_of_spreads

    low, high = span(empties)
    with failing():
        rows = choose_positions(load_merged(sources), each, low, high)
        loaded = load_weights(weights)
        with kept_beside(out, ".scores", "searching", len(rows)) as (path, step):
            scores = measure(rows, loaded, depth, exact, path, threads, step)
            provenance = {"weights": loaded.provenance.get("commit", ""), "commit": commit()}
            model = fit_model(rows, scores, provenance)
            write_whole(out, format_model(model).encode())
    spreads = table_of_spreads(rows, scores, model)
    table = Table(*spreads[0], title="deep less shallow scores, in discs")
    for line in spreads:
        table.add_row(*line.values())
    Console().print(table)
    typer.echo(str(out))
