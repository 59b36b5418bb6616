"""`fanqi perft`: leaf counts, the yardstick by which two move generators agree."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.command_line import die, known_game
from fanqi.exit_codes import INTERRUPTED
from fanqi.game import GameError, load_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Gives whether there was a Ctrl-C, which is raised as ever, and makes sure that it ends the command.

    What is raised while Python clears up, as it does after each of the hundreds of modules that a game loads, is lost,
    and the count would go on for ever; extension modules of others make an ImportError of it.
    """
    interrupted = threading.Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupted.set()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupted.is_set
    except Exception:
        if not interrupted.is_set():
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted.is_set():
        raise typer.Exit(INTERRUPTED)


@app.command()
def perft(
    game: Annotated[str, typer.Argument(help="othello or banqi", callback=known_game)],
    depth: Annotated[int, typer.Argument(min=0, max=1000, help="plies")],
    position: Annotated[str | None, typer.Option(help="Position; the start position if left out.")] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Count below each root move as well.")] = False,
    rules: Annotated[str, typer.Option(help="Rule parameters: chase=off (banqi), rules=1890 (Othello).")] = "",
) -> None:
    """Count the leaves of the game tree; the last line is "nodes N".

    In Othello a pass is one ply and a game that ended earlier is one leaf. In banqi a finished game has no
    continuation, and the hidden letters of the position are the layout in the order a1, b1, ..., d8, so that a flip
    has one outcome. Without --position, banqi is dealt in the order of the piece letters.

    \b
    Example: fanqi perft othello 9 --divide
    Example: fanqi perft banqi 4 --rules chase=off
    """
    try:
        with interruptible() as interrupted:
            played = load_game(game)
            # counted in parts, since a signal reaches Python only between two of them
            counts = played.perft_divide(position, depth, rules, interrupted) if depth else []
        if divide:
            for move, nodes in counts:
                typer.echo(f"{move}: {nodes}")
        # nothing to divide: a finished game, or no plies
        total = sum(nodes for _, nodes in counts) if counts else played.perft(position, depth, rules)
    except GameError as error:
        die("perft", error)
    typer.echo(f"nodes {total}")
