"""The command that fits the evaluation of anti-Othello."""

from __future__ import annotations

from typing import Annotated

import typer

from fanqi.train.commands.progress import progress_bar

__all__ = ["fewest"]


def fewest(
    number: Annotated[int, typer.Option("--games", min=20, help="games to play")] = 400,
    depth: Annotated[int, typer.Option(min=1, max=8, help="plies searched")] = 3,
    exact: Annotated[int, typer.Option(min=1, max=16, help="empty squares from which play is perfect")] = 12,
    seed: Annotated[int, typer.Option(min=0, help="of openings and random moves")] = 1,
) -> None:
    """Fit the evaluation of anti-Othello, where fewest discs win, to games of the engine against itself.

    The coefficients printed are those at the top of engine/fanqi/othello/fewest.py.

    \b
    Example: fanqi train fewest --games 400
    """
    from fanqi.train.fewest import fit_fewest, play_fewest

    with progress_bar("games", number) as step:
        rows, games = play_fewest(number, depth, exact, seed, step)
    fit = fit_fewest(rows, games)
    typer.echo(f"{fit.rows:,} positions; hold-out error {fit.absolute:.2f} discs, RMS {fit.rms:.2f}")
    for name, level, slope in zip(
        ("MOVES", "AROUND", "CORNER", "STABLE", "DISC", "TURN"), fit.level, fit.slope, strict=True
    ):
        typer.echo(f"{name}, {name}_SLOPE = {round(level)}, {round(16 * slope)}")
