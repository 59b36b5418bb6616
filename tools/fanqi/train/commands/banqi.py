"""`fanqi train banqi`: the weights of banqi's evaluation, from games of the engine against itself."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.command_line import say
from fanqi.files import require_place, write_whole
from fanqi.train.commands.failure import failing
from fanqi.train.commands.options import finite
from fanqi.train.commands.progress import progress_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Samples = Annotated[Path, typer.Argument(help="folder that `fanqi train banqi play` filled")]
Weights = Annotated[Path | None, typer.Option("--weights", help="TOML to begin with; the shipped ones if left out")]
Out = Annotated[Path, typer.Option("--out", help="weights to write (TOML)")]
Nodes = Annotated[int, typer.Option(min=1, help="nodes a move")]
Seed = Annotated[int, typer.Option(min=0, help="of deals and random moves")]


@app.callback()
def banqi() -> None:
    """Fit the weights of banqi's evaluation, and measure what they are worth.

    \b
    Example: fanqi train banqi play samples --games 1800
    Example: fanqi train banqi fit samples --out fitted.toml
    Example: fanqi train banqi duel fitted.toml --pairs 100
    """


@app.command()
def play(
    directory: Annotated[Path, typer.Argument(help="folder for the samples")],
    games: Annotated[int, typer.Option(min=1, help="games in all files together")],
    nodes: Nodes = 3000,
    seed: Seed = 1,
) -> None:
    """Self-play: quiet positions with what the search and the result say of them.

    Goes on where it was interrupted.

    \b
    Example: fanqi train banqi play samples --games 1800
    """
    from fanqi.train.banqi.selfplay import play_files

    prepare()
    with failing(), progress_bar("games", games) as step:
        play_files(directory, games, nodes, seed, step)


@app.command()
def fit(
    directory: Samples,
    out: Out,
    weights: Weights = None,
    result_share: Annotated[
        float, typer.Option(min=0, max=1, callback=finite, help="of the result in the target; the search is the rest")
    ] = 0.5,
    rounds: Annotated[int, typer.Option(min=1, help="most derivatives taken")] = 8,
) -> None:
    """Fit all weights of the evaluation by least squares; the search's own settings stay.

    Every tenth file of samples is held out.

    \b
    Example: fanqi train banqi fit samples --out fitted.toml
    """
    from fanqi.banqi.weights import WEIGHT_SIZES, format_weights
    from fanqi.train.banqi.regression import BOUNDS, Model
    from fanqi.train.banqi.regression import fit as least_squares
    from fanqi.train.banqi.selfplay import load_samples

    prepare()
    with failing():
        require_place(out)
        start = read_weights(weights)
        fitted, held = load_samples(directory)
        names = [name for name, size in WEIGHT_SIZES.items() for _ in range(size)]
        free = [(row, place) for row in (0, 1) for place, name in enumerate(names) if name in BOUNDS]
        model, outside = Model(fitted, result_share), Model(held, result_share)
        typer.echo(f"{len(fitted):,} positions to fit, {len(held):,} held out")
        found = least_squares(
            model,
            start,
            free,
            rounds=rounds,
            report=lambda number, loss: typer.echo(f"round {number}: mean squared error {loss:.5f}"),
        )
        write_whole(out, format_weights(found.weights).encode())
    say(f"held out: {outside.loss(start):.5f} before, {outside.loss(found.weights):.5f} after; {out}", err=False)


@app.command()
def chances(directory: Samples) -> None:
    """Compare predicted shares of wins, draws and losses with the results, and fit the draw model.

    \b
    Example: fanqi train banqi chances samples
    """
    import numpy as np

    from fanqi.banqi.state import HIDDEN
    from fanqi.train.banqi.chances import fit_draws, reliability
    from fanqi.train.banqi.selfplay import load_samples

    with failing():
        samples, _ = load_samples(directory)
        for covered in (True, False):
            rows = np.flatnonzero((samples.states[:, HIDDEN] != 0) == covered)
            typer.echo("with covered men" if covered else "all face up")
            if not len(rows):
                typer.echo("  no positions")
                continue
            part = samples.take(rows)
            typer.echo("  utility  positions  predicted win/draw/loss  real win/draw/loss")
            for row in reliability(part):
                predicted, real = (
                    " / ".join(f"{share:.2f}" for share in shares) for shares in (row.predicted, row.real)
                )
                typer.echo(f"  {row.lowest:>+7.2f}  {row.count:>9,}  {predicted:>23}  {real:>18}")
            draws = fit_draws(part)
            typer.echo(f"  draws: {draws.even:.2f} of even positions, power {draws.power:.1f}, -log {draws.loss:.4f}")


@app.command()
def spsa(
    names: Annotated[list[str], typer.Argument(help="weights to tune, by their names in the file")],
    out: Out,
    weights: Weights = None,
    iterations: Annotated[int, typer.Option(min=1, help="pairs of games")] = 2000,
    nodes: Nodes = 3000,
    seed: Seed = 1,
) -> None:
    """Tune chosen weights by games: simultaneous perturbation, each weight by at most a tenth of its range.

    \b
    Example: fanqi train banqi spsa mobility stuck --iterations 2000 --out tuned.toml
    """
    from fanqi.banqi.weights import WEIGHT_SIZES, format_weights
    from fanqi.train.banqi.regression import BOUNDS, bounds_of
    from fanqi.train.banqi.spsa import Schedule
    from fanqi.train.banqi.spsa import spsa as perturb

    for name in names:
        if name not in BOUNDS:
            raise typer.BadParameter(f"{name}: not a weight of the evaluation; those are {', '.join(BOUNDS)}")
    prepare()
    with failing(), progress_bar("pairs", iterations) as step:
        require_place(out)
        start = read_weights(weights)
        places = [name for name, size in WEIGHT_SIZES.items() for _ in range(size)]
        free = [(row, place) for row in (0, 1) for place, name in enumerate(places) if name in names]
        low, high = bounds_of(free).T
        schedule = Schedule(iterations=iterations, nodes=nodes)
        tuned = perturb(start, free, (high - low) / 10, schedule, seed, lambda done, _: step(done))
        write_whole(out, format_weights(tuned).encode())
    say(f"tuned weights in {out}", err=False)


@app.command()
def duel(
    first: Annotated[Path, typer.Argument(help="weights (TOML)")],
    second: Annotated[Path | None, typer.Argument(help="their opponent; the shipped ones if left out")] = None,
    pairs: Annotated[int, typer.Option(min=1, help="pairs of games, each with one deal")] = 100,
    nodes: Nodes = 5000,
    seed: Seed = 1,
) -> None:
    """Play two sets of weights against each other in pairs of games with the same deal.

    \b
    Example: fanqi train banqi duel fitted.toml --pairs 100
    """
    from fanqi.train.banqi.duel import engine_with, play_pair, score_of

    prepare()
    with failing(), progress_bar("pairs", pairs) as step:
        one, two = engine_with(read_weights(first)), engine_with(read_weights(second))
        chooser = random.Random(seed)
        points = []
        for done in range(1, pairs + 1):
            points.append(play_pair(one, two, nodes, chooser))
            step(done)
    share, error = score_of(points)
    typer.echo(f"{share:.3f} ± {error:.3f} of the points in {pairs} pairs")


def prepare() -> None:
    """Compile what the engine needs before a progress bar starts."""
    from fanqi.banqi import GAME

    GAME.prepare()


def read_weights(path: Path | None) -> NDArray[np.int64]:
    """The weights of a file, or the shipped ones.

    Raises:
        ValueError: the file is no set of weights; the message names it.
        OSError: it cannot be read.
    """
    from fanqi.banqi.weights import load_weights

    if path is None:
        return load_weights()
    try:
        return load_weights(path.read_text("utf-8"))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None
