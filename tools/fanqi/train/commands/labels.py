"""Commands that replace labels: by exact scores, and by those of a search."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from fanqi.train.commands.failure import failing
from fanqi.train.commands.options import WeightsOption, finite, span
from fanqi.train.commands.progress import kept_beside

__all__ = ["search", "solve"]


def solve(
    source: Annotated[Path, typer.Argument(help="positions to solve (.npz)")],
    out: Annotated[Path, typer.Argument(help="solved positions to write (.npz)")],
    empties: Annotated[str, typer.Option(help="numbers of empty squares, as 6-16")] = "0-60",
    threads: Annotated[int, typer.Option(min=1)] = 2,
    weights: WeightsOption = None,
) -> None:
    """Replace labels by exact scores. Goes on where it was interrupted (OUT.labels).

    \b
    Example: fanqi train games --data DIR --empties 1-16 --out late.npz
    Example: fanqi train solve late.npz solved.npz
    """
    import numpy as np

    from fanqi.othello.patterns import load_weights
    from fanqi.train.positions import load_positions, save_positions
    from fanqi.train.solving import solve_rows

    low, high = span(empties)
    with failing():
        rows = load_positions(source).between(low, high)
        with kept_beside(out, ".labels", "solving", len(rows)) as (path, step):
            labels = solve_rows(rows, load_weights(weights), path, threads, step)
            save_positions(out, dataclasses.replace(rows, label=labels.astype(np.float32)))
    typer.echo(f"{len(rows):,} exact positions in {out}")


def search(
    source: Annotated[Path, typer.Argument(help="positions to search (.npz)")],
    out: Annotated[Path, typer.Argument(help="positions with new labels to write (.npz)")],
    depth: Annotated[int, typer.Option(min=1, max=60, help="plies; to the end where fewer squares are empty")] = 8,
    selectivity: Annotated[int, typer.Option(help="certainty of forward pruning: 73, 87, 95, 98, 99 or 100")] = 73,
    share: Annotated[
        float,
        typer.Option(min=0, max=1, callback=finite, help="of the search in a label; the old one is the rest"),
    ] = 1.0,
    tempo: Annotated[
        float,
        typer.Option(min=-64, max=64, callback=finite, help="discs added to every score, which is the side to move's"),
    ] = 0.0,
    weight: Annotated[
        float,
        typer.Option(min=0, max=1e6, callback=finite, help="what a row counts in a fit, as a multiple of before"),
    ] = 1.0,
    empties: Annotated[str, typer.Option(help="numbers of empty squares, as 24-52")] = "0-60",
    each: Annotated[int | None, typer.Option(min=1, help="random positions for each of them; all if left out")] = None,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    weights: WeightsOption = None,
) -> None:
    """Replace labels by the scores of the engine's own search. Goes on where it was interrupted (OUT.labels).

    Searches of odd depth are above those of even depth, so use even ones throughout, and half of the difference as
    --tempo.

    \b
    Example: fanqi train search play.npz searched.npz --empties 24-52 --each 50000 --depth 8
    Example: fanqi train search late.npz ended.npz --empties 16-20 --depth 20 --selectivity 95
    """
    import numpy as np

    from fanqi.othello.patterns import load_weights
    from fanqi.train.positions import load_positions, save_positions
    from fanqi.train.probcut import choose_positions
    from fanqi.train.searching import search_rows

    low, high = span(empties)
    with failing():
        rows = load_positions(source)
        rows = rows.between(low, high) if each is None else choose_positions(rows, each, low, high)
        with kept_beside(out, ".labels", "searching", len(rows)) as (path, step):
            scores = search_rows(rows, load_weights(weights), depth, selectivity, path, threads, step)
            labels = (share * (scores / 100.0 + tempo) + (1.0 - share) * rows.label).astype(np.float32)
            counts = (weight * rows.weight).astype(np.float32)
            save_positions(out, dataclasses.replace(rows, label=labels, weight=counts))
    typer.echo(f"{len(rows):,} searched positions in {out}")
