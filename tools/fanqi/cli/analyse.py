"""`fanqi analyse`: every move of a game judged by the engine."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.command_line import die, html_file, names_file, say, say_error, svg_file
from fanqi.exit_codes import FAILED, INTERRUPTED
from fanqi.files import FileError, require_place, write_whole
from fanqi.game import FEATURES, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fanqi.analysis import GameReview, Plan, Searcher
    from fanqi.records import GameRecord, RecordError

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

PLAIN_WIDTH = 132
"""Columns where there is no terminal that would have some."""
STANDARD_INPUT = "-"


def chosen_games(game: int | None, games: str | None) -> range:
    """The numbers of the games that were asked for, from 1.

    Raises:
        typer.BadParameter: there is no such range.
    """
    if game is not None and games is not None:
        raise typer.BadParameter("give either --game or --games", param_hint="--games")
    if game is not None:
        return range(game, game + 1)
    if games is None:
        return range(1, sys.maxsize)
    found = re.fullmatch(r"(\d{0,9})(-?)(\d{0,9})", games.strip())
    if found is None or not (found[1] or found[3]):
        raise typer.BadParameter(f"{quoted(games)}: expected A-B, A- or -B", param_hint="--games")
    first = int(found[1] or 1)
    last = int(found[3]) if found[3] else sys.maxsize - 1 if found[2] else first
    if not 1 <= first <= last:
        raise typer.BadParameter(f"{quoted(games)}: games are counted from 1, upwards", param_hint="--games")
    return range(first, last + 1)


def read_games(source: str, wanted: range) -> Iterator[tuple[int, GameRecord | RecordError]]:
    """The games of a file, of stdin, or the one that is written out in the command itself.

    Raises:
        OSError: the file cannot be read.
        RecordError: it is no file of games, or it ends before the first game that is wanted.
    """
    from fanqi.cli.convert import read_source
    from fanqi.records import RecordError, numbered, parse_game_or_position

    try:
        is_there = source == STANDARD_INPUT or Path(source).exists()
    except (OSError, ValueError):  # a game, too long or too odd for a path
        is_there = False
    if not is_there:
        try:
            record = parse_game_or_position(source)
        except RecordError:
            if names_file(source):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source) from None
            raise
        yield 1, record
        return
    last = 0
    for number, item in numbered(read_source(source, None)):
        if number >= wanted.stop:
            return
        if number in wanted:
            yield number, item
        if not isinstance(item, RecordError) or item.lost:
            last = number
    if last < wanted.start:
        games = "1 game" if last == 1 else f"{last} games"
        raise RecordError(f"there is no game {wanted.start}: it holds {games}")


class Output:
    """Where reviews go: a table or lines on stdout as they come, a page and graphs at the end."""

    def __init__(self, source: str, *, as_json: bool, html: Path | None, svg: Path | None) -> None:
        from rich.console import Console

        self._source = source
        self._json = as_json
        self._html = html
        self._svg = svg
        self._kept: list[GameReview] = []
        self.errors = 0
        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=PLAIN_WIDTH)
        self._console = console
        self._letters = not console.encoding.lower().startswith("utf")

    def error(self, number: int, error: RecordError) -> None:
        """Something could not be read."""
        from fanqi.analysis.lines import encode, error_line

        self.errors += 1
        say_error("analyse", error.located(self._source))
        if self._json:
            self._write(encode(error_line(self._source, number, error)))

    def add(self, review: GameReview) -> None:
        """A game is done."""
        from fanqi.analysis.lines import encode, json_lines
        from fanqi.analysis.table import review_table

        if self._html is not None or self._svg is not None:
            self._kept.append(review)
        if self._json:
            self._write(b"".join(map(encode, json_lines(self._source, review))))
            return
        for part in review_table(review, width=self._console.width, letters=self._letters):
            self._console.print(part)
        self._console.print()

    def finish(self) -> None:
        """Write the files.

        Raises:
            OSError: one cannot be written.
        """
        from fanqi.analysis.graph import game_graph
        from fanqi.analysis.page import build_page

        if not self._kept:
            return
        if self._html is not None:
            write_file(self._html, build_page(self._kept))
        if self._svg is not None:
            for review in self._kept:
                path = self._svg
                if len(self._kept) > 1:
                    path = path.with_name(f"{path.stem}-{review.number}{path.suffix}")
                write_file(path, game_graph(review))

    def _write(self, data: bytes) -> None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def write_file(path: Path, text: str) -> None:
    """Write a file and say so.

    Raises:
        FileError: it cannot be written.
    """
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise FileError.writing(path, error) from None
    say(f"{path} written")


class Bar:
    """Progress on stderr, where that is a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True, highlight=False)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.progress = Progress(
            *columns,
            console=console,
            transient=True,
            disable=not console.is_terminal,
            redirect_stdout=False,  # else what goes to stdout would come out of stderr
            redirect_stderr=False,
        )
        self._task = self.progress.add_task("loading", total=None)

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """The bar is out of the way, for what has to be printed."""
        self.progress.stop()
        try:
            yield
        finally:
            self.progress.start()

    def prepare(self, name: str) -> None:
        """Load a game's kernels, compiling those that are not in the cache."""
        from fanqi.game import load_game
        from fanqi.kernels import CompileStep

        def done(place: int, total: int, step: CompileStep) -> None:
            if not step.cached:
                self.progress.update(self._task, completed=place, total=total, description=f"compiling {name}")

        load_game(name).prepare(done)

    def begin(self, number: int, count: int) -> Callable[[int, int], None]:
        """Game ``number`` of ``count`` begins; takes positions done and in all."""

        def step(done: int, total: int) -> None:
            self.progress.update(self._task, completed=done, total=total, description=f"game {number} of {count}")

        return step


def review_all(games: list[tuple[int, GameRecord]], plan: Plan, output: Output, bar: Bar) -> bool:
    """Review game after game; False when interrupted.

    The searches run on a thread of their own, since a signal reaches Python only between two kernels of its thread.
    """
    from fanqi.analysis import Searcher, review_game
    from fanqi.records import RecordError

    searcher = Searcher()
    failure: list[BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            ready: set[str] = set()
            for place, (number, record) in enumerate(games, 1):
                if record.game not in ready:
                    bar.prepare(record.game)
                    ready.add(record.game)
                try:
                    review = review_game(number, record, plan, searcher, bar.begin(place, len(games)))
                except RecordError as error:
                    with bar.away():
                        output.error(number, error)
                    continue
                if review.final is not None:
                    with bar.away():
                        output.add(review)
                if searcher.stopped:
                    return
        except BaseException as error:
            failure.append(error)
        finally:
            ended.set()

    threading.Thread(target=work, name="fanqi-analyse", daemon=True).start()
    interrupted = wait_for(ended, searcher)
    if failure:
        raise failure[0]
    return not interrupted


def wait_for(ended: threading.Event, searcher: Searcher) -> bool:
    """Wait for the work to end; whether somebody interrupted it. A second interrupt is not held back.

    An event and no join: a join that was interrupted may take the thread for dead.
    """
    try:
        while not ended.wait(0.1):
            pass
        return False
    except KeyboardInterrupt:
        searcher.stop()
    while not ended.wait(0.1):
        pass
    return True


@app.command()
def analyse(
    source: Annotated[str, typer.Argument(metavar="FILE|GAME|-", help="A file of games, a transcript, or stdin.")],
    game: Annotated[int | None, typer.Option(min=1, help="Only this game of the file.")] = None,
    games: Annotated[str | None, typer.Option(metavar="A-B", help="Only these games; A- and -B will do.")] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, max=60, help="Plies; 16 in Othello (anti: 10), 6 in banqi if nothing is given.")
    ] = None,
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds of each search, at most.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes of each search, at most.")] = None,
    exact: Annotated[
        int | None, typer.Option(min=0, max=60, help="Othello: solve from so many empty squares; 20 (anti: 14).")
    ] = None,
    multipv: Annotated[int, typer.Option(min=1, max=60, help="Lines for every position.")] = 1,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Search threads (Othello).")] = 1,
    hash_mib: Annotated[int, typer.Option("--hash", min=1, max=65_536, help="MiB of hash table.")] = 64,
    objective: Annotated[
        str | None, typer.Option(help="Othello: most or fewest discs win; told by the game's type if left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Lines of JSON instead of a table.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with graph, table and boards there.", callback=html_file)
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Write the graph there; of several games, NAME-N.svg.", callback=svg_file)
    ] = None,
) -> None:
    """Judge every move of a game: its score, the best move, what was lost, and what there is to see on the board.

    Othello: GGF, SGF, PGN, WTHOR, transcripts, JSON lines; banqi: TCGA records and JSON lines, such as games.jsonl of a
    match. The kind is told by the content. Scores are exact from --exact empty squares on, and where the endgame tables
    know. Ctrl-C gives what is done so far. What cannot be read is named with its line and column, and the rest goes
    on. Exit codes: 0 all done, 1 something could not be read or written, 2 usage, 130 interrupted. See docs/analyse.md.

    \b
    Example: fanqi analyse game.ggf
    Example: fanqi analyse WTH_2024.wtb --games 1-10 --html games.html
    Example: fanqi analyse games.jsonl --game 3 --movetime 500 --multipv 3
    Example: fanqi convert game.sgf --to ggf - | fanqi analyse - --json
    """
    from fanqi.analysis import Plan
    from fanqi.records import RecordError

    if objective not in (None, "most", "fewest"):
        raise typer.BadParameter(f"{quoted(objective)}: most or fewest", param_hint="--objective")
    wanted = chosen_games(game, games)
    try:
        require_place(*(path for path in (html, svg) if path is not None))
    except OSError as error:
        die("analyse", error)
    plan = Plan(depth, nodes, movetime, exact, multipv, threads, hash_mib, objective)
    output = Output(source, as_json=as_json, html=html, svg=svg)
    found: list[tuple[int, GameRecord]] = []
    try:
        for number, item in read_games(source, wanted):
            if isinstance(item, RecordError):
                output.error(number, item)
            else:
                found.append((number, item))
    except (RecordError, OSError) as error:
        die("analyse", error if isinstance(error, OSError) else f"{source}: {error}", 1)
    for name in sorted({record.game for _, record in found}):
        if threads > FEATURES[name].max_threads:
            say(f"fanqi analyse: {name} is searched with one thread")
    bar = Bar()
    try:
        with bar.progress:
            done = review_all(found, plan, output, bar)
        output.finish()
    except BrokenPipeError:
        raise  # whoever read our output has gone: nothing left to tell
    except OSError as error:
        die("analyse", error, 1)
    if not done:
        say("fanqi analyse: interrupted")
        raise typer.Exit(INTERRUPTED)
    if output.errors:
        raise typer.Exit(FAILED)
