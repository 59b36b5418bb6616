"""`fanqi book`: build, import, show, export, measure and check opening books."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fanqi.command_line import die, say
from fanqi.exit_codes import INTERRUPTED
from fanqi.files import write_whole
from fanqi.game import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fanqi.book.build import Bounds, Builder
    from fanqi.book.judge import SearchSettings
    from fanqi.othello import Position
    from fanqi.othello_book import Book

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

SHIPPED = "shipped"

BookArgument = Annotated[Path, typer.Argument(metavar="BOOK", help="The book file.")]
ReadArgument = Annotated[str, typer.Argument(metavar="BOOK", help="A book file, or: shipped, the one of the package.")]
DepthOption = Annotated[int | None, typer.Option(help="Plies of a search. [default: as the book so far, 12]")]
SelectivityOption = Annotated[
    int | None, typer.Option(help="Percent of certainty of its pruning: 73, 87, 95, 98, 99, 100. [default: so far, 73]")
]
ExactOption = Annotated[
    int | None, typer.Option(help="Empty squares from which moves are solved. [default: so far, 18]")
]
PositionsOption = Annotated[int | None, typer.Option(min=1, help="Stop at so many positions.")]
MinutesOption = Annotated[float | None, typer.Option(min=0.01, help="Stop after so many minutes.")]
LossOption = Annotated[float, typer.Option(min=0, help="No line that gives away more discs, both sides together.")]
PliesOption = Annotated[int, typer.Option(min=0, max=60, help="No position after more moves.")]
JobsOption = Annotated[int, typer.Option(min=1, max=256, help="Threads that search.")]
SampleOption = Annotated[
    int, typer.Option(min=0, help="Positions searched deeper at the end, to state the book's error; 0 leaves it.")
]
DeeperOption = Annotated[int, typer.Option(min=1, max=40, help="Plies more for these.")]


@app.callback()
def book() -> None:
    """Opening books for Othello.

    \b
    Example: fanqi book build my.book --depth 14 --minutes 60 --jobs 2
    Example: fanqi book import my.book games.ggf lines.txt
    Example: fanqi book show my.book f5d6c3
    Example: fanqi engine --option OwnBook=true --option BookFile=my.book
    """


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """Turn the errors a user can cause into a message and exit code 1."""
    from fanqi.book.errors import BuildError
    from fanqi.othello_book import BookError
    from fanqi.records import RecordError

    try:
        yield
    except BrokenPipeError:  # whoever read our output has gone, which is no error of ours
        raise
    except (OSError, BookError, BuildError, RecordError) as error:
        die("book", error, 1)


@contextlib.contextmanager
def interruptible(builder: Builder) -> Iterator[None]:
    """Ctrl-C, or SIGTERM, ends the build when the running searches are done; a second one ends the program."""

    def stop(number: int, _frame: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        builder.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def search_settings(path: Path, depth: int | None, selectivity: int | None, exact: int | None) -> SearchSettings:
    """As chosen; what is not, as the book was built, if there is one."""
    from fanqi.book.judge import SearchSettings
    from fanqi.othello_book import read_book

    usual = SearchSettings().described()
    if path.exists():
        said = read_book(path)[0].provenance
        usual |= {name: value for name in usual if type(value := said.get(name)) is int}
    chosen = {"depth": depth, "selectivity": selectivity, "exact": exact}
    return SearchSettings(**usual | {name: value for name, value in chosen.items() if value is not None})


def prepare() -> None:
    """Have the kernels ready, and say that this may take a while."""
    from rich.console import Console

    from fanqi.othello import GAME

    with Console(stderr=True).status("Getting the engine ready; the first time this takes a minute …"):
        GAME.prepare()


def finish(builder: Builder, sample: int, deeper: int) -> None:
    """State the error of a book that has grown."""
    from fanqi.book.display import progress_bar

    if sample:
        with progress_bar("measuring", min(sample, len(builder.graph)), "positions") as tell:
            builder.measure(sample, deeper, tell)


def tell_result(path: Path, builder: Builder, *, stopped: bool) -> None:
    """One sentence about the book as it is now."""
    error = builder.head.error
    stated = "no error stated yet" if error is None else f"stated error {error:.2f} discs"
    say(f"{path}: {len(builder.graph):,} positions, {stated}", err=False)
    if stopped:
        say("stopped before the end; the same command goes on from here")


def grow(
    path: Path,
    settings: SearchSettings,
    jobs: int,
    work: Callable[[Builder], None],
    total: int | None,
    measure: tuple[int, int],
) -> None:
    """Have a builder do some work on a book, with a progress bar, kind to Ctrl-C.

    Raises:
        typer.Exit: with `INTERRUPTED` if it was told to end.
    """
    from fanqi.book.build import Builder, Stopped, TimeUp
    from fanqi.book.display import progress_bar

    interrupted = False
    with Builder(path, settings, jobs) as builder:
        with interruptible(builder):
            try:
                with progress_bar(path.name, total, "positions") as tell:
                    builder.progress = tell
                    tell(len(builder.graph))
                    with contextlib.suppress(TimeUp):
                        work(builder)
                    tell(len(builder.graph))
                finish(builder, *measure)
            except Stopped:
                interrupted = True
        builder.close()
        tell_result(path, builder, stopped=interrupted)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


@app.command()
def build(
    book: BookArgument,
    positions: PositionsOption = None,
    minutes: MinutesOption = None,
    depth: DepthOption = None,
    selectivity: SelectivityOption = None,
    exact: ExactOption = None,
    max_loss: LossOption = 8.0,
    max_plies: PliesOption = 60,
    weight: Annotated[float, typer.Option(min=0, help="Plies that a disc given away counts for in the order.")] = 2.0,
    start: Annotated[list[str] | None, typer.Option(help="Also grow from this position, in any notation.")] = None,
    jobs: JobsOption = 1,
    sample: SampleOption = 100,
    deeper: DeeperOption = 6,
) -> None:
    """Grow a book best first, from the start position or from where it is.

    It ends at --positions or after --minutes; without either when nothing is left within --max-loss and --max-plies.
    Interrupted or killed at any moment, the same command goes on where it was and makes the same book.

    \b
    Example: fanqi book build my.book --positions 50000
    Example: fanqi book build my.book --depth 16 --minutes 600 --jobs 4
    """
    from fanqi.book.build import START

    with failing():
        settings = search_settings(book, depth, selectivity, exact)
        bounds = make_bounds(positions, minutes, max_loss, max_plies, weight)
        roots = [START, *map(root_key, start or [])]
        prepare()
        grow(book, settings, jobs, lambda builder: builder.expand(bounds, roots), positions, (sample, deeper))


@app.command("import")
def import_(
    book: BookArgument,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="GGF, WTHOR, SGF, PGN, transcripts, JSON lines.")
    ],
    after: Annotated[str, typer.Option(help="Moves to put before every transcript, as d3.")] = "",
    positions: PositionsOption = None,
    minutes: MinutesOption = None,
    depth: DepthOption = None,
    selectivity: SelectivityOption = None,
    exact: ExactOption = None,
    max_loss: LossOption = 16.0,
    max_plies: PliesOption = 30,
    jobs: JobsOption = 1,
    sample: SampleOption = 100,
    deeper: DeeperOption = 6,
) -> None:
    """Take the positions of recorded games and lines into a book, scored like all others.

    A line is left where it gives away more than --max-loss discs, or after --max-plies moves.

    \b
    Example: fanqi book import my.book logistello_book.txt --after d3
    Example: fanqi book import my.book WTH_2024.wtb --max-plies 20
    """
    from fanqi.book.sources import read_lines

    with failing():
        settings = search_settings(book, depth, selectivity, exact)
        bounds = make_bounds(positions, minutes, max_loss, max_plies, 0.0)
        unread: list[str] = []

        def complain(text: str) -> None:
            unread.append(text)
            say(text)

        lines = [line for path in files for line in read_lines(path, after, complain)]
        prepare()
        grow(book, settings, jobs, lambda builder: builder.follow(lines, bounds), positions, (sample, deeper))
    if unread:
        say(f"{len(unread)} of {len(lines) + len(unread)} games were left out")
        raise typer.Exit(1)


def make_bounds(positions: int | None, minutes: float | None, max_loss: float, max_plies: int, weight: float) -> Bounds:
    """The bounds of a build."""
    from fanqi.book.build import Bounds

    seconds = None if minutes is None else 60 * minutes
    bounds = Bounds(seconds=seconds, max_loss=max_loss, max_plies=max_plies, loss_weight=weight)
    return bounds if positions is None else bounds.holding(positions)


def root_key(text: str) -> tuple[int, int]:
    """A position a book is to grow from.

    Raises:
        RecordError: it cannot be read, or is none of Othello.
    """
    from fanqi.othello_book import canonical

    position = read_position(text)
    return canonical(position.own, position.opponent)


def read_position(text: str) -> Position:
    """An Othello position in any notation.

    Raises:
        RecordError: it cannot be read, or is none of Othello.
    """
    from fanqi.othello import Position
    from fanqi.records import RecordError, parse_position

    _, position = parse_position(text or "othello")
    if not isinstance(position, Position):
        raise RecordError("not a position of Othello", text)
    return position


@app.command()
def measure(
    book: BookArgument,
    sample: Annotated[int, typer.Option(min=1, help="Positions searched, evenly from all.")] = 100,
    deeper: DeeperOption = 6,
    jobs: JobsOption = 1,
) -> None:
    """State a book's error: how far its scores are from those of deeper searches, root mean square.

    \b
    Example: fanqi book measure my.book --sample 500 --deeper 8
    """
    from fanqi.book.build import Builder, Stopped
    from fanqi.book.errors import BuildError

    with failing():
        if not book.exists():
            raise BuildError(f"{book}: there is no such book")
        settings = search_settings(book, None, None, None)
        prepare()
        stopped = False
        with Builder(book, settings, jobs) as builder:
            with interruptible(builder):
                try:
                    finish(builder, sample, deeper)
                except Stopped:
                    stopped = True
            tell_result(book, builder, stopped=stopped)
    if stopped:
        raise typer.Exit(INTERRUPTED)


def open_book(text: str) -> Book:
    """A book to be read."""
    from fanqi.othello_book import packaged_book, shared_book

    return packaged_book() if text == SHIPPED else shared_book(str(Path(text)))


@app.command(context_settings={"ignore_unknown_options": True})  # a board may begin with a hyphen
def show(
    book: ReadArgument,
    position: Annotated[
        list[str] | None, typer.Argument(metavar="POSITION|MOVES", help="In any notation; without, what the book is.")
    ] = None,
) -> None:
    """Show what a book is, or what it says about a position: its moves, symmetric ones as one, best first.

    \b
    Example: fanqi book show shipped
    Example: fanqi book show my.book f5d6c3
    """
    from rich.console import Console

    from fanqi.book.display import head_table, moves_table, plies_table

    with failing():
        opened = open_book(book)
        console = Console(highlight=False)
        if position is None:
            console.print(head_table(opened.head, len(opened)))
            console.print(plies_table(opened))
            return
        found = read_position(" ".join(position))
        advice = opened.advice(found)
        if advice is None:
            say("not in the book")
            raise typer.Exit(1)
        console.print(found.picture(), markup=False)
        console.print(moves_table(opened, found))


@app.command()
def export(
    book: ReadArgument,
    kind: Annotated[str, typer.Option("--as", help="transcripts, json (one position a line), or obf.")] = "transcripts",
    out: Annotated[Path | None, typer.Option(help="Write there instead of to stdout.")] = None,
) -> None:
    """Write a book in a form that other programs read.

    \b
    Example: fanqi book export my.book --as transcripts --out lines.txt
    Example: fanqi book export shipped --as json
    """
    from fanqi.book.export import EXPORTS

    if kind not in EXPORTS:
        raise typer.BadParameter(f"{quoted(kind)}: expected one of {', '.join(EXPORTS)}", param_hint="--as")
    with failing():
        lines = EXPORTS[kind](open_book(book))
        if out is None:
            for line in lines:
                typer.echo(line)
            return
        write_whole(out, "".join(f"{line}\n" for line in lines).encode())


@app.command()
def check(book: ReadArgument) -> None:
    """Check a whole book by the rules: links, drop-out moves, negamax.

    \b
    Example: fanqi book check my.book
    """
    from fanqi.book.verify import faults

    with failing():
        opened = open_book(book)
        found = list(faults(opened))
    for fault in found:
        say(fault)
    if found:
        raise typer.Exit(1)
    typer.echo(f"{len(opened):,} positions, all of them right")
