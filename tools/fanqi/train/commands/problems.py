"""The command that makes a set of positions whose moves all have scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fanqi.command_line import say
from fanqi.files import require_place
from fanqi.train.commands.failure import failing
from fanqi.train.commands.progress import progress_bar

__all__ = ["problems"]


def problems(
    out: Annotated[Path, typer.Argument(help="OBF file to write or to go on with")],
    empties: Annotated[int, typer.Option(min=10, max=48, help="empty squares of every position")],
    count: Annotated[int, typer.Option(min=1, help="positions in the file")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="another seed takes other games")] = 1,
    depth: Annotated[
        int | None, typer.Option(min=1, max=60, help="plies behind a score; to the end if left out")
    ] = None,
    selectivity: Annotated[
        int, typer.Option(help="certainty of the scores: 73, 87, 95, 98, 99, or 100 for exact")
    ] = 100,
    hash_mib: Annotated[int, typer.Option("--hash", min=1, max=65_536, help="MiB of hash table")] = 512,
) -> None:
    """Positions of games against itself, with a score for every move, for `fanqi bench accuracy`.

    Goes on where it was interrupted.

    \b
    Example: fanqi train problems 24.obf --empties 24 --count 300
    Example: fanqi train problems 36.obf --empties 36 --depth 26 --selectivity 99
    """
    from fanqi.othello.levels import LEVELS
    from fanqi.train.problems import ProblemSettings, make_problems

    if selectivity not in LEVELS:
        raise typer.BadParameter(f"--selectivity {selectivity}: expected one of {', '.join(map(str, LEVELS))}")
    settings = ProblemSettings(empties, seed, certainty=selectivity, plies=depth, hash_mib=hash_mib)
    with failing(), progress_bar("problems", count) as step:
        require_place(out)
        make_problems(out, count, settings, step)
    say(f"{count} positions in {out}", err=False)
