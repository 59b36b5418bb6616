"""Commands that fit the evaluation, and say how far it is off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanqi.command_line import say
from fanqi.files import require_place, write_whole
from fanqi.train.commands.failure import failing
from fanqi.train.commands.options import WeightsOption, finite
from fanqi.train.commands.progress import progress_bar
from fanqi.train.commands.provenance import commit

if TYPE_CHECKING:
    from fanqi.train.fit import Error

__all__ = ["errors", "fit"]


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
    Goes on where it was interrupted (OUT with suffixes .evaluation.npz and .ordering.npz, and .network, a directory) if
    the positions are the same, else it begins anew.

    \b
    Example: fanqi train fit games.npz solved.npz play.npz --out weights.bin --report report
    """
    from rich.console import Console

    from fanqi.othello.patterns import EVALUATION, ORDERING, Weights, format_weights
    from fanqi.train.fit import EVALUATION_FIT, ORDERING_FIT, fit_section, hold_out_errors, settings_json
    from fanqi.train.network import NETWORK_FIT, fit_network
    from fanqi.train.positions import load_merged
    from fanqi.train.report import error_table

    with failing():
        require_place(out)
        fitted, held = load_merged(sources).split(hold_out)
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
        write_whole(out, format_weights(weights))
        write_report(report, provenance, errors, sum_errors, ordering_errors)
    console = Console()
    console.print(error_table("evaluation, hold-out", errors))
    console.print(error_table("ordering, hold-out", ordering_errors))
    say(f"{out}: {out.stat().st_size:,} bytes", err=False)


def write_report(
    directory: Path,
    provenance: dict[str, Any],
    errors: list[Error],
    sum_errors: list[Error],
    ordering_errors: list[Error],
) -> None:
    """Write ``report.json`` and ``hold_out.svg``.

    Args:
        errors, sum_errors, ordering_errors: of the evaluation, of it without the network, and of the one for ordering.
    """
    from fanqi.train.report import Curve, errors_json, plot_errors

    directory.mkdir(parents=True, exist_ok=True)
    figures = {"evaluation": errors, "sum": sum_errors, "ordering": ordering_errors}
    text = json.dumps(provenance | {name: errors_json(found) for name, found in figures.items()}, indent=1)
    (directory / "report.json").write_text(text + "\n")
    (directory / "hold_out.svg").write_text(
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
    from fanqi.train.positions import load_merged
    from fanqi.train.report import error_table, errors_json

    with failing():
        rows = load_merged(sources)
        if hold_out:
            rows = rows.split(hold_out)[1]
        found = hold_out_errors(load_weights(weights), rows)
    if as_json:
        typer.echo(json.dumps(errors_json(found)))
    else:
        Console().print(error_table("error by empty squares", found))
