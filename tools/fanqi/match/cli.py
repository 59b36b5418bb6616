"""`fanqi match`: play a match, go on with one, report on one."""

from __future__ import annotations

import secrets
import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from fanqi.command_line import die, known_game, say
from fanqi.exit_codes import INTERRUPTED
from fanqi.game import quoted
from fanqi.match.api import (
    begin_match,
    check_players,
    check_processors,
    resume_match,
    run_runner,
    write_report,
)
from fanqi.match.config import BANNED_REPLIES, Adjudication, MatchConfig, check_frame
from fanqi.match.dialects import Timeouts
from fanqi.match.errors import ConfigurationError, StoreError
from fanqi.match.journal_repair import repair_match
from fanqi.match.limit import DEFAULT_LIMIT, DEFAULT_TIMEMARGIN_MS, Limit, parse_time_control
from fanqi.match.opening_files import load_openings
from fanqi.match.runner import Status
from fanqi.match.schedule import Form
from fanqi.match.specification import apply_settings, parse_command, parse_settings
from fanqi.match.sprt import EloModel, Sprt
from fanqi.match.store import check_vacant, discard_match, read_config
from fanqi.match.swiss import fewest_rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.match.runner import MatchRunner, Observer
    from fanqi.match.store import Store
    from fanqi.mqtt import BrokerAddress

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

PATIENCE = Timeouts()
RESUMED_WITH = ("resume", "workers", "plain")
"""Options that say how a match is played and shown, not which one."""


class EloUnit(StrEnum):
    """The models that test pairs."""

    LOGISTIC = EloModel.LOGISTIC.value
    NORMALIZED = EloModel.NORMALIZED.value


def fail(error: Exception | str, code: int) -> NoReturn:
    die("match", error, code)


@app.callback(invoke_without_command=True)
def match(
    context: typer.Context,
    game: Annotated[str, typer.Option(help="othello or banqi", callback=known_game)] = "othello",
    engine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COMMAND",
            help="COMMAND is a command line, tcp://HOST:PORT, or builtin:random, builtin:greedy, builtin:fanqi. "
            "Settings may follow it: option.NAME=VALUE, tc=, movetime=, depth=, nodes=, timemargin=, dir=. "
            "Give it once an engine.",
        ),
    ] = None,
    each: Annotated[str, typer.Option(help="Settings of all engines, as 'option.Hash=64'.")] = "",
    games: Annotated[int | None, typer.Option(help="Games of each pairing, played in pairs.")] = None,
    rules: Annotated[str, typer.Option(help="Rule parameters: chase=off (banqi), rules=1890 (Othello).")] = "",
    scoring: Annotated[
        str, typer.Option(help="Convention of the margin (Othello): discs, split-empties, usoa, …")
    ] = "",
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds a move.")] = None,
    tc: Annotated[str | None, typer.Option(help="Clock in seconds: BASE+INC or MOVES/BASE+INC.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Plies.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a move.")] = None,
    timemargin: Annotated[
        int, typer.Option(min=0, help="Milliseconds by which a time limit may be overstepped.")
    ] = DEFAULT_TIMEMARGIN_MS,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Of openings, deals and dice; from the system if left out, and kept in the folder."),
    ] = None,
    openings: Annotated[
        str | None,
        typer.Option(
            help="balanced (Othello's default; random:8 under --rules), start, random:N, or a file: transcripts, OBF, "
            "GGF, SGF, PGN, WTHOR; banqi positions."
        ),
    ] = None,
    opening_order: Annotated[str, typer.Option(help="Of a file: sequential or random.")] = "random",
    opening_first: Annotated[int, typer.Option(min=1, help="Begin at this opening of the file.")] = 1,
    opening_plies: Annotated[int | None, typer.Option(min=1, help="Use at most so many moves of each.")] = None,
    form: Annotated[Form, typer.Option(help="Who meets whom.")] = Form.ROUND_ROBIN,
    rounds: Annotated[
        int | None, typer.Option(help="Rounds of a Swiss tournament; as many as find a winner if left out.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Games at once.")] = 1,
    oversubscribe: Annotated[bool, typer.Option("--oversubscribe", help="More searches than processors.")] = False,
    affinity: Annotated[bool, typer.Option("--affinity", help="Give each game processors of its own.")] = False,
    sprt: Annotated[
        str | None, typer.Option(metavar="ELO0,ELO1", help="Stop as soon as a sequential test has decided.")
    ] = None,
    sprt_model: Annotated[EloUnit, typer.Option(help="Unit of ELO0 and ELO1.")] = EloUnit.NORMALIZED,
    sprt_error: Annotated[str, typer.Option(metavar="ALPHA,BETA", help="Its two error rates.")] = "0.05,0.05",
    resign: Annotated[
        str | None, typer.Option(metavar="CP,MOVES", help="Lost when the own score is that bad so often in a row.")
    ] = None,
    two_sided: Annotated[bool, typer.Option("--two-sided", help="The winner's scores have to agree.")] = False,
    draw: Annotated[
        str | None, typer.Option(metavar="CP,MOVES,PLY", help="Drawn when both scores are that even, from PLY on.")
    ] = None,
    max_plies: Annotated[int | None, typer.Option(min=1, help="Drawn when a game gets that long.")] = None,
    solve: Annotated[
        int | None, typer.Option(min=1, max=20, help="An exact solver decides Othello from so many empty squares.")
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help="The endgame tables decide banqi.")] = False,
    banned_reply: Annotated[
        str, typer.Option(help=f"To an answer that only banqi's chase ban forbids: {', '.join(BANNED_REPLIES)}.")
    ] = "forfeit",
    stall: Annotated[float, typer.Option(min=0.1, help="Seconds a move may take without a time limit.")] = 300.0,
    start_timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to introduce itself.")] = PATIENCE.start,
    ready_timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds to get ready, from its last sign of life.")
    ] = PATIENCE.ready,
    stop_timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to answer a stop.")] = PATIENCE.stop,
    quit_timeout: Annotated[float, typer.Option(min=0.0, help="Seconds to end.")] = PATIENCE.quit,
    ready_each_move: Annotated[
        bool, typer.Option("--ready-each-move", help="Ask `isready` before each move, not only before each game.")
    ] = False,
    start_tries: Annotated[
        int, typer.Option(min=1, help="End the match when an engine cannot be started so often in a row.")
    ] = 5,
    out: Annotated[
        Path | None, typer.Option("--dir", "--out", help="Folder of the match; matches/GAME-DATE-TIME if left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a match that is in the folder.")] = False,
    resume: Annotated[Path | None, typer.Option(help="Go on with the match in this folder.")] = None,
    workers: Annotated[
        str | None,
        typer.Option(metavar="mqtt://HOST", help="Have the pairs played by the workers on this broker."),
    ] = None,
    log_io: Annotated[bool, typer.Option("--log-io", help="Keep every line to and from the engines.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Lines instead of a live table.")] = False,
) -> None:
    """Play engines against each other through a referee, and say what the result is worth.

    Games come in pairs: in Othello with the same opening and colours exchanged, in banqi with the same deal and seats
    exchanged, the second game on the mirror image of the board. An engine that crashes, hangs or plays an illegal move
    loses that game, is started again, and the match goes on. An interrupted match goes on with --resume.

    \b
    Example: fanqi match --game othello --games 20 --tc 10+0.1 \\
               --engine "new=fanqi engine option.Hash=64" --engine "old=/opt/fanqi-0.1/bin/fanqi engine"
    Example: fanqi match --game banqi --games 100 --movetime 50 --concurrency 2 \\
               --engine "me=fanqi engine" --engine them=builtin:greedy
    Example: fanqi match --sprt 0,5 --tc 5+0.05 --engine "a=./a" --engine "b=./b"
    Example: fanqi match --workers mqtt://host --games 1000 --movetime 100 \\
               --engine a=builtin:fanqi --engine b=edax      (a name that the workers' configurations know)
    Example: fanqi match --resume matches/othello-20260101-120000
    Example: fanqi match report matches/othello-20260101-120000
    """
    if context.invoked_subcommand is not None:
        return
    observer = make_observer(plain)
    try:
        if resume is not None:
            check_alone(context)
            broker = broker_of(workers)
            runner, store = resume_match(resume, observer, broker)
            try:
                if not runner.is_over:
                    check_players(read_config(resume), broker, say_waiting)
            except ConfigurationError:
                store.close()
                raise
            say(f"Going on with {resume}")
        else:
            games = games if games is not None or sprt is not None else 2
            check_frame(game, len(engine or []), games)
            commands = [parse_command(text) for text in engine or []]
            limit = common_limit(movetime, tc, depth, nodes, timemargin)
            shared = {"timemargin": str(timemargin), **parse_settings(each)}
            if form is Form.SWISS and rounds is None:
                rounds = fewest_rounds(len(commands))
            config = MatchConfig(
                game=game,
                engines=tuple(apply_settings(spec, {**shared, **own}, limit) for spec, own in commands),
                games=games,
                seed=str(secrets.randbits(64) if seed is None else seed),
                form=form,
                rounds=rounds,
                rules=rules,
                scoring=scoring,
                openings=openings or usual_openings(game, rules),
                opening_order=opening_order,
                opening_first=opening_first,
                concurrency=concurrency,
                stall_s=stall,
                timeouts=Timeouts(start_timeout, ready_timeout, stop_timeout, quit_timeout, ready_each_move),
                sprt=None if sprt is None else make_sprt(sprt, sprt_error, sprt_model),
                adjudication=make_adjudication(resign, two_sided, draw, max_plies, solve, tables),
                banned_reply=banned_reply,
                start_tries=start_tries,
                affinity=affinity,
                log_io=log_io,
            )
            config.check()
            if workers is None:
                check_processors(config, oversubscribe)
            listed, complaints = load_openings(config.openings, game, rules, opening_plies)
            for complaint in complaints:
                say(f"fanqi match: skipped: {complaint}")
            directory = out or Path("matches") / f"{game}-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
            check_vacant(directory, replace=force)
            broker = broker_of(workers)
            check_players(config, broker, say_waiting)
            runner, store = begin_match(config, listed, directory, observer, broker, replace=force)
            for remark in remarks(config, limit):
                say(f"fanqi match: {remark}")
    except ConfigurationError as error:
        fail(error, 2)
    except StoreError as error:
        fail(error, 1)
    raise typer.Exit(play(runner, store, fresh=resume is None))


def usual_openings(game: str, rules: str) -> str:
    """Where games begin if nobody says otherwise."""
    if game != "othello":
        return "start"
    return "random:8" if rules else "balanced"


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(help="Folder of a match, over or not.")],
) -> None:
    """Write the report page of a match anew.

    \b
    Example: fanqi match report matches/othello-20260101-120000
    """
    try:
        typer.echo(str(write_report(directory)))
    except StoreError as error:
        fail(error, 1)


def remarks(config: MatchConfig, limit: Limit | None) -> Iterator[str]:
    """What somebody who has just described a match may not have thought of.

    Args:
        limit: given for all engines, if any.
    """
    bare = [engine.name for engine in config.engines if engine.thinks and engine.limit.without_margin == DEFAULT_LIMIT]
    if limit is None and bare:
        yield f"no limit for {', '.join(bare)}, so --tc {DEFAULT_LIMIT.tc} it is"
    if config.games is not None and config.games % 2:
        yield (
            f"--games {config.games} is odd: the last game of each pairing has no second game with seats exchanged, so "
            "it counts as a game and not in a pair"
        )


def say_waiting(names: list[str]) -> None:
    say(f"fanqi match: waiting for {', '.join(names)} to start")


@app.command()
def repair(
    directory: Annotated[Path, typer.Argument(help="Folder of a match that nobody plays.")],
) -> None:
    """Take lines out of a match's journal that are no games of it; what is good is kept, and the match can go on.

    What is taken out is appended to journal-rejected.jsonl. The games that are missing then are played by --resume.

    \b
    Example: fanqi match repair matches/othello-20260101-120000
    """
    try:
        done = repair_match(directory)
    except StoreError as error:
        fail(error, 1)
    for number, why in done.rejected.items():
        typer.echo(f"line {number} was taken out: {why}")
    typer.echo(f"{done.kept} games are good. Go on with: fanqi match --resume {directory}")


def play(runner: MatchRunner, store: Store, *, fresh: bool) -> int:
    """Run the match and return the exit code."""
    try:
        status = run_runner(runner)
        report_path = write_report(store.directory)
    except ConfigurationError as error:
        store.close()
        if fresh and not runner.standings.games:
            discard_match(store.directory)
        fail(error, 2)
    except StoreError as error:
        fail(f"{error}; when that is mended, fanqi match --resume {store.directory} goes on", 1)
    finally:
        store.close()
    say(f"Records: {store.directory}", err=False)
    typer.echo(f"Report:  {report_path}")
    if status is Status.INTERRUPTED:
        say(f"Go on with: fanqi match --resume {store.directory}", err=False)
        return INTERRUPTED
    if not runner.standings.played:
        fail("no game could be played: an engine did not start in any of them", 1)
    return 0 if status in (Status.FINISHED, Status.DECIDED) else 1


def check_alone(context: typer.Context) -> None:
    """Refuse options beside ``--resume`` that describe another match: the folder holds the description.

    Raises:
        ConfigurationError: there is one; it is named.
    """
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in RESUMED_WITH and source is not None and source.name == "COMMANDLINE":
            raise ConfigurationError(f"--{name.replace('_', '-')}: --resume takes it from the folder")


def broker_of(workers: str | None) -> BrokerAddress | None:
    """The broker whose workers play; user and password come from the environment, see docs/workers.md.

    Raises:
        ConfigurationError: the address cannot be used.
    """
    if workers is None:
        return None
    from fanqi.mqtt import AddressError, complete_address

    try:
        return complete_address(workers)
    except AddressError as error:
        raise ConfigurationError(f"--workers: {error}") from None


def make_observer(plain: bool) -> Observer:
    """A live table on a terminal, lines elsewhere."""
    from fanqi.match.progress import LiveProgress, PlainProgress

    if plain or not sys.stdout.isatty():
        return PlainProgress(sys.stdout)
    from rich.console import Console

    return LiveProgress(Console())


def common_limit(
    movetime: int | None, tc: str | None, depth: int | None, nodes: int | None, timemargin: int
) -> Limit | None:
    """The limit of engines that have none of their own."""
    if movetime is None and tc is None and depth is None and nodes is None:
        return None
    return Limit(None if tc is None else parse_time_control(tc), movetime, depth, nodes, timemargin)


def make_sprt(bounds: str, errors: str, unit: EloUnit) -> Sprt:
    """A sequential test from ``ELO0,ELO1`` and ``ALPHA,BETA``."""
    elo0, elo1 = decimals("--sprt", bounds, 2)
    alpha, beta = decimals("--sprt-error", errors, 2)
    try:
        return Sprt(elo0, elo1, alpha, beta, EloModel(unit.value))
    except ValueError as error:
        raise ConfigurationError(f"--sprt: {error}") from None


def make_adjudication(
    resign: str | None, two_sided: bool, draw: str | None, max_plies: int | None, solve: int | None, tables: bool
) -> Adjudication:
    """The adjudication settings from their options."""
    settings: dict[str, int] = {}
    if resign is not None:
        settings |= integers("--resign", resign, resign_cp=0, resign_moves=1)
    if draw is not None:
        settings |= integers("--draw", draw, draw_cp=0, draw_moves=1, draw_from=0)
    if two_sided and resign is None:
        raise ConfigurationError("--two-sided goes with --resign")
    return Adjudication(**settings, resign_two_sided=two_sided, max_plies=max_plies, solve_empties=solve, tables=tables)


def decimals(option: str, text: str, count: int) -> list[float]:
    """``count`` numbers with commas between them."""
    parts = text.split(",")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(value) < 1e6 for value in values):
        raise ConfigurationError(f"{option} {quoted(text)}: expected {count} numbers with commas between them")
    return values


def integers(option: str, text: str, **least: int) -> dict[str, int]:
    """Named integers with commas between them, each with the least value it may have."""
    parts = text.split(",")
    good = len(parts) == len(least) and all(
        part.isascii() and part.isdecimal() and len(part) < 10 and int(part) >= value
        for part, value in zip(parts, least.values(), strict=False)
    )
    if not good:
        wanted = ", ".join(f"{name.partition('_')[2]} (at least {value})" for name, value in least.items())
        raise ConfigurationError(f"{option} {quoted(text)}: expected integers with commas between them: {wanted}")
    return dict(zip(least, map(int, parts), strict=True))
