"""`fanqi train`: the weights of both games' evaluations, and Othello's ProbCut parameters."""

from __future__ import annotations

import typer

from fanqi.train.commands.banqi import app as banqi
from fanqi.train.commands.evaluation import errors, fit
from fanqi.train.commands.fewest import fewest
from fanqi.train.commands.labels import search, solve
from fanqi.train.commands.probcut import probcut
from fanqi.train.commands.problems import problems
from fanqi.train.commands.sources import games, play, records

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def train() -> None:
    """Train the evaluations: labelled positions in, a weights file out. All but `banqi` is for Othello.

    \b
    Example: fanqi train games --data DIR --empties 24-60 --out games.npz
    Example: fanqi train fit games.npz solved.npz play.npz --out weights.bin --report report
    Example: fanqi train banqi play samples --games 1800
    """


for command in (games, solve, search, play, records, fit, errors, probcut, problems, fewest):
    app.command()(command)
app.add_typer(banqi, name="banqi")
