"""`fanqi train`: from game records to the weights and the ProbCut parameters of the Othello engine."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fanqi.train.positions import Positions

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

DataOption = Annotated[
    Path | None,
    typer.Option("--data", envvar="FANQI_DATA", help="Directory with the WTHOR files (*.wtb), also FANQI_DATA."),
]
WeightsOption = Annotated[
    Path | None, typer.Option("--weights", help="Weights to use; FANQI_WEIGHTS or the package's if left out.")
]


@app.callback()
def train() -> None:
    """Train the Othello evaluation: labelled positions in, a weights file out.

    \b
    Example: fanqi train games --data DIR --empties 24-60 --out games.npz
    Example: fanqi train fit games.npz solved.npz play.npz --out weights.bin --report report
    """


def fail(error: Exception | str) -> typer.Exit:
    """Say what was wrong; the exit code for the caller to raise."""
    typer.echo(f"fanqi train: error: {error}", err=True)
    return typer.Exit(1)


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """Turn the errors a user can cause into a message and exit code 1."""
    try:
        yield
    except OSError as error:
        raise fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error) from None
    except ValueError as error:
        raise fail(error) from None


def span(text: str) -> tuple[int, int]:
    """Read ``6-16`` or ``14``."""
    low, _, high = text.partition("-")
    try:
        bounds = int(low), int(high or low)
    except ValueError:
        bounds = (1, 0)
    if not 0 <= bounds[0] <= bounds[1] <= 60:
        raise typer.BadParameter(f"{text!r}: expected numbers of empty squares as 14 or 6-16")
    return bounds


def finite(value: float) -> float:
    """Refuse infinity, and what is no number at all: the ranges of older versions of typer let that pass."""
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value}: expected a number")
    return value


def beside(out: Path, suffix: str) -> Path:
    """The file that keeps what is done so far.

    Raises:
        ValueError: the result would take its place.
    """
    path = out.with_suffix(suffix)
    if path == out:
        raise ValueError(f"{out}: a file of this name keeps what is done so far; choose another ending")
    return path


@contextlib.contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A rich progress bar; the value is a function that takes the number of steps done."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


def commit() -> str:
    """The commit of the sources, with a mark if they were changed since; the version outside a checkout."""
    from fanqi.about import VERSION

    here = Path(__file__).parent
    try:
        name = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], cwd=here, capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "."], cwd=here, check=False).returncode
    except (OSError, subprocess.CalledProcessError):
        return f"version {VERSION}"
    return f"{name}+changes" if changed else name


def load_all(paths: list[Path]) -> Positions:
    from fanqi.train.positions import load_positions, merge

    return merge([load_positions(path) for path in paths])


@app.command()
def games(
    sources: Annotated[
        list[Path] | None, typer.Argument(help="WTHOR directories, and files of any record format")
    ] = None,
    out: Annotated[Path, typer.Option(help="positions to write (.npz)")] = Path("games.npz"),
    empties: Annotated[str, typer.Option(help="numbers of empty squares, as 24-60")] = "1-60",
    data: DataOption = None,
) -> None:
    """Positions from recorded games.

    Those of a directory of WTHOR files carry the theoretical score from 24 empty squares up, and the result of the
    game below that; those of a file (GGF, SGF, PGN, WTHOR, transcripts, JSON lines) carry the result.

    \b
    Example: fanqi train games --data DIR --empties 24-60 --out games.npz
    Example: fanqi train games DIR ggs.ggf --out games.npz
    """
    from fanqi.train.positions import concatenate, save_positions
    from fanqi.train.recorded import recorded_positions
    from fanqi.train.wthor import wthor_positions

    low, high = span(empties)
    chosen = sources or ([data] if data is not None else [])
    if not chosen:
        raise typer.BadParameter("no games: name directories or files, or set --data or FANQI_DATA")
    with failing():
        rows = concatenate(
            [
                wthor_positions(path, number << 32) if path.is_dir() else recorded_positions(path, number << 32)
                for number, path in enumerate(chosen)
            ]
        )
        rows = rows.take((rows.empties >= low) & (rows.empties <= high))
        save_positions(out, rows)
    typer.echo(f"{len(rows):,} positions in {out}")


@app.command()
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
        rows = load_positions(source)
        rows = rows.take((rows.empties >= low) & (rows.empties <= high))
        labels_file = beside(out, ".labels")
        with progress_bar("solving", len(rows)) as step:
            labels = solve_rows(rows, load_weights(weights), labels_file, threads, step)
        save_positions(out, dataclasses.replace(rows, label=labels.astype(np.float32)))
        labels_file.unlink()
    typer.echo(f"{len(rows):,} exact positions in {out}")


@app.command()
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
        if each is None:
            rows = rows.take((rows.empties >= low) & (rows.empties <= high))
        else:
            rows = choose_positions(rows, each, low, high)
        labels_file = beside(out, ".labels")
        with progress_bar("searching", len(rows)) as step:
            scores = search_rows(rows, load_weights(weights), depth, selectivity, labels_file, threads, step)
        labels = (share * (scores / 100.0 + tempo) + (1.0 - share) * rows.label).astype(np.float32)
        counts = (weight * rows.weight).astype(np.float32)
        save_positions(out, dataclasses.replace(rows, label=labels, weight=counts))
        labels_file.unlink()
    typer.echo(f"{len(rows):,} searched positions in {out}")


@app.command()
def play(
    directory: Annotated[Path, typer.Argument(help="where the records go")],
    number: Annotated[int, typer.Option("--games", min=1, help="games in all files together")],
    seed: Annotated[int, typer.Option(min=0, help="another seed plays other games, into other files")] = 1,
    depth: Annotated[int, typer.Option(min=1, max=12, help="plies searched")] = 5,
    exact: Annotated[int, typer.Option(min=1, max=20, help="empty squares from which play is perfect")] = 14,
    workers: Annotated[int, typer.Option(min=1, help="threads, each with its own file")] = 2,
    weights: WeightsOption = None,
    data: DataOption = None,
) -> None:
    """Self-play from varied openings, half of them from the WTHOR games if there are any.

    Goes on where it was interrupted.

    \b
    Example: fanqi train play selfplay --games 100000 --depth 5 --exact 14
    """
    from fanqi.train.selfplay import PlaySettings, play_files
    from fanqi.train.wthor import wthor_games

    with failing(), progress_bar("games", number) as step:
        books = None if data is None else wthor_games(data)
        settings = PlaySettings(depth, exact)
        paths = play_files(directory, seed, number, settings, workers, weights, books, step)
    for path in paths:
        typer.echo(str(path))


@app.command()
def records(
    sources: Annotated[list[Path], typer.Argument(help="self-play records (.msgpack)")],
    out: Annotated[Path, typer.Option(help="positions to write (.npz)")],
    blend: Annotated[
        float, typer.Option(min=0, max=1, callback=finite, help="share of the search's score in a label")
    ] = 0.5,
) -> None:
    """Positions from self-play records, labelled by result and search, exactly near the end.

    \b
    Example: fanqi train records selfplay/*.msgpack --out play.npz
    """
    from fanqi.train.positions import concatenate, save_positions
    from fanqi.train.selfplay import selfplay_positions

    with failing():
        rows = concatenate(
            [selfplay_positions(path, blend, (number + 1000) << 32) for number, path in enumerate(sources)]
        )
        save_positions(out, rows)
    typer.echo(f"{len(rows):,} positions in {out}")


@app.command()
def fit(
    sources: Annotated[list[Path], typer.Argument(help="positions to fit (.npz)")],
    out: Annotated[Path, typer.Option(help="weights file to write")] = Path("weights.bin"),
    report: Annotated[Path, typer.Option(help="directory for report.json and hold_out.svg")] = Path("report"),
    data: Annotated[str, typer.Option(help="what the provenance says about the data")] = "",
    hold_out: Annotated[
        float, typer.Option(min=0.01, max=0.5, callback=finite, help="share of the games held out")
    ] = 0.05,
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Fit both evaluations and the network, and write the weights file, a table of hold-out errors, JSON and a plot.

    Where a later source has a position of the same game again, as after a search, its label alone counts.
    Goes on where it was interrupted (OUT with suffixes .evaluation.npz and .ordering.npz, and .network, a directory).

    \b
    Example: fanqi train fit games.npz solved.npz play.npz --out weights.bin --report report
    """
    from rich.console import Console

    from fanqi.othello.patterns import EVALUATION, ORDERING, Weights, format_weights
    from fanqi.train.fit import EVALUATION_FIT, ORDERING_FIT, fit_section, hold_out_errors, settings_json
    from fanqi.train.network import NETWORK_FIT, fit_network
    from fanqi.train.report import Curve, error_table, errors_json, plot_errors

    with failing():
        fitted, held = load_all(sources).split(hold_out)
        sections = []
        for name, patterns, settings in (
            ("evaluation", EVALUATION, EVALUATION_FIT),
            ("ordering", ORDERING, ORDERING_FIT),
        ):
            checkpoint = out.with_suffix(f".{name}.npz")
            with progress_bar(f"fitting the {name}", settings.iterations) as step:
                sections.append(fit_section(patterns, fitted, settings, threads, checkpoint, step))
        provenance: dict[str, Any] = {
            "data": data or ", ".join(path.name for path in sources),
            "positions": len(fitted),
            "commit": commit(),
            "settings": {
                "evaluation": settings_json(EVALUATION_FIT),
                "ordering": settings_json(ORDERING_FIT),
                "network": settings_json(NETWORK_FIT),
            },
        }
        sums = Weights(sections[0], sections[1], provenance)
        with progress_bar("fitting the network", len(NETWORK_FIT.bands)) as step:
            network = fit_network(fitted, sums, NETWORK_FIT, threads, out.with_suffix(".network"), step)
        weights = Weights(sections[0], sections[1], provenance, network)
        sum_errors = hold_out_errors(sums, held)
        errors = hold_out_errors(weights, held)
        ordering_errors = [e for e in hold_out_errors(weights, held, ordering=True) if e.empties <= ORDERING_FIT.last]
        provenance["hold_out"] = {
            "positions": len(held),
            "absolute_error_by_empties": {str(e.empties): e.absolute for e in errors},
        }
        out.write_bytes(format_weights(weights))
        report.mkdir(parents=True, exist_ok=True)
        text = json.dumps(
            provenance
            | {
                "evaluation": errors_json(errors),
                "sum": errors_json(sum_errors),
                "ordering": errors_json(ordering_errors),
            },
            indent=1,
        )
        (report / "report.json").write_text(text + "\n")
        (report / "hold_out.svg").write_text(
            plot_errors(
                "Hold-out error of the evaluation, mean absolute and RMS",
                [
                    Curve("RMS", [(e.empties, e.rms) for e in errors]),
                    Curve("mean absolute", [(e.empties, e.absolute) for e in errors]),
                    Curve("mean absolute, without the network", [(e.empties, e.absolute) for e in sum_errors]),
                    Curve("mean absolute, ordering", [(e.empties, e.absolute) for e in ordering_errors]),
                ],
            )
        )
    console = Console()
    console.print(error_table("evaluation, hold-out", errors))
    console.print(error_table("ordering, hold-out", ordering_errors))
    typer.echo(f"{out}: {out.stat().st_size:,} bytes")


@app.command()
def errors(
    sources: Annotated[list[Path], typer.Argument(help="labelled positions (.npz)")],
    weights: WeightsOption = None,
    hold_out: Annotated[
        float, typer.Option(min=0, max=0.5, callback=finite, help="only the share held out by fit; 0 = all")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a table")] = False,
) -> None:
    """The error of a weights file on positions, by number of empty squares.

    \b
    Example: fanqi train errors solved.npz --weights weights.bin --hold-out 0.05
    """
    from rich.console import Console

    from fanqi.othello.patterns import load_weights
    from fanqi.train.fit import hold_out_errors
    from fanqi.train.report import error_table, errors_json

    with failing():
        rows = load_all(sources)
        if hold_out:
            rows = rows.split(hold_out)[1]
        found = hold_out_errors(load_weights(weights), rows)
    if as_json:
        typer.echo(json.dumps(errors_json(found)))
    else:
        Console().print(error_table("error by empty squares", found))


@app.command()
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
    from fanqi.train.probcut import choose_positions, fit_model, measure, table_of_spreads

    low, high = span(empties)
    with failing():
        rows = choose_positions(load_all(sources), each, low, high)
        loaded = load_weights(weights)
        score_file = beside(out, ".scores")
        with progress_bar("searching", len(rows)) as step:
            scores = measure(rows, loaded, depth, exact, score_file, threads, step)
        provenance = {"weights": loaded.provenance.get("commit", ""), "commit": commit()}
        model = fit_model(rows, scores, provenance)
        out.write_text(format_model(model))
        score_file.unlink()
    spreads = table_of_spreads(rows, scores, model)
    table = Table(*spreads[0], title="deep less shallow scores, in discs")
    for line in spreads:
        table.add_row(*line.values())
    Console().print(table)
    typer.echo(str(out))


@app.command()
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
