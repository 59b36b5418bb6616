"""`fanqi warmup`: compile every kernel before anybody waits for one."""

from __future__ import annotations

import importlib
import time
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.command_line import known_games
from fanqi.game import GAME_NAMES, load_game

if TYPE_CHECKING:
    from rich.progress import Progress

    from fanqi.kernels import CompileStep

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


def prepare(name: str, progress: Progress) -> list[CompileStep]:
    """Prepare one game's kernels under a progress bar of their own."""
    task = progress.add_task(f"{name}: loading numba", total=None)

    def step_done(done: int, total: int, step: CompileStep) -> None:
        progress.update(task, completed=done, total=total, description=f"{name}: {step.name.rpartition('.')[2]}")

    from fanqi.kernels import compile_kernels, import_kernels

    import_kernels(f"fanqi.{name}")
    steps = load_game(name).prepare(step_done)
    if name == "othello":
        importlib.import_module("fanqi.train.playing")  # self-play jobs
        steps += compile_kernels("fanqi.train", step_done)
    progress.update(task, completed=1, total=1, description=f"{name}: ready")
    return steps


@app.command()
def warmup(
    game: Annotated[
        list[str] | None, typer.Option(help="Only this game; may be given again.", callback=known_games)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List every kernel, not only the slowest ten.")] = False,
) -> None:
    """Compile all kernels, or load them from the cache, and show what that took.

    After it no other command compiles anything, except for fanqi train, which keeps what it compiles at first use.

    The cache is kept per user and is compiled anew only when the sources, numba or the processor change.

    \b
    Example: fanqi warmup
    Example: FANQI_CACHE_DIR=/var/cache/fanqi fanqi warmup --game banqi --all
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Table

    from fanqi.kernels import cache_problem, cache_root

    names = game or list(GAME_NAMES)
    console = Console(highlight=False)
    started = time.perf_counter()
    columns = (TextColumn("{task.description:<36}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        steps = [step for name in names for step in prepare(name, progress)]
    elapsed = time.perf_counter() - started

    table = Table("kernel", "seconds", "from cache", box=None, pad_edge=False)
    table.columns[1].justify = "right"
    shown = steps if every else sorted(steps, key=lambda step: -step.seconds)[:10]
    for step in shown:
        table.add_row(step.name, f"{step.seconds:.2f}", "yes" if step.cached else "compiled")
    console.print(table)
    if len(shown) < len(steps):
        console.print(f"and {len(steps) - len(shown)} more; --all lists them")
    hits = sum(step.cached for step in steps)
    console.print(
        f"{len(steps)} kernels ready in {elapsed:.1f} s, {hits} of them from {cache_root()}",
        soft_wrap=True,
        markup=False,
    )
    if problem := cache_problem():
        console.print(f"warning: {problem}", soft_wrap=True, markup=False)
