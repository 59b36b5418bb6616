"""`fanqi submit`: have many jobs done, by workers on a broker or in this process."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.cli.connection import (
    Login,
    MetricsHost,
    MetricsPort,
    on_interrupt,
    with_login,
)
from fanqi.command_line import die, known_game, say
from fanqi.event_loop import run_loop
from fanqi.exit_codes import INTERRUPTED
from fanqi.game import quoted

if TYPE_CHECKING:
    import signal

    from fanqi.dispatch.intake import Source, Template
    from fanqi.dispatch.ledger import Ledger
    from fanqi.mqtt import BrokerAddress

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@with_login
def submit(
    inputs: Annotated[list[str] | None, typer.Argument(metavar="[FILE|POSITION|-]...", help="What to work on.")] = None,
    out: Annotated[Path | None, typer.Option(help="Results, one JSON line a job; - for stdout.")] = None,
    broker: Annotated[str | None, typer.Option(help="mqtt://[USER@]HOST[:PORT][/PREFIX], or mqtts://.")] = None,
    local: Annotated[int | None, typer.Option(min=1, max=256, help="No broker: so many workers in here.")] = None,
    kind: Annotated[str, typer.Option(help="analyse, game, selfplay, or ping.")] = "analyse",
    depth: Annotated[int | None, typer.Option(min=1, max=255, help="Plies.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes of each search.")] = None,
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds of each search.")] = None,
    solve: Annotated[str | None, typer.Option(help="Solve exactly: score or wdl.")] = None,
    multipv: Annotated[int, typer.Option(min=1, max=500, help="Lines of each analysis.")] = 1,
    game: Annotated[
        str | None, typer.Option(help="Take only positions of this game; needed for selfplay.", callback=known_game)
    ] = None,
    rules: Annotated[str, typer.Option(help="Rule parameters: chase=off (banqi), rules=1890 (Othello).")] = "",
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Threads of each job.")] = 1,
    hash_mib: Annotated[int, typer.Option("--hash", min=1, help="MiB of hash table of each job.")] = 16,
    games: Annotated[int, typer.Option(min=1, help="Self-play: how many games.")] = 100,
    games_per_job: Annotated[int, typer.Option(min=1, help="Self-play: games of one job.")] = 10,
    exact: Annotated[int, typer.Option(min=0, max=24, help="Self-play: solved from so many empty squares.")] = 14,
    seed: Annotated[int, typer.Option(min=0, help="Self-play: seed of the first job.")] = 1,
    unordered: Annotated[bool, typer.Option("--unordered", help="Write results as they come.")] = False,
    tries: Annotated[int, typer.Option(min=1, help="A job is given up after so many failed tries.")] = 3,
    verify: Annotated[
        float, typer.Option(min=0, max=1, help="Have this share of the jobs, 0 to 1, done by two workers and compared.")
    ] = 0.0,
    job_timeout: Annotated[float, typer.Option(min=1, help="Seconds for a job without a movetime.")] = 3600.0,
    state: Annotated[Path | None, typer.Option(help="State file; RESULTS.state if left out.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try again what was given up before.")] = False,
    *,
    login: Login,
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "error",
) -> None:
    """Have positions, games or self-play worked out, by workers elsewhere or in this process.

    Everything that happened is in the state file: kill it at any moment and give the same command again, and it goes
    on. Each result is one line of JSON, in the order of the input. Games of self-play go to a folder beside it,
    RESULTS.games.

    Every answer is checked against its job before it counts; a worker whose answers fail that gets no more work. With
    --verify, where two workers disagree, a third one decides.

    \b
    Example: fanqi submit positions.obf --depth 12 --local 2 --out results.jsonl
    Example: fanqi submit games.ggf --kind game --movetime 200 --broker mqtt://host --out reviewed.jsonl
    Example: fanqi submit --kind selfplay --game othello --depth 5 --games 1000 --local 2 --out play.jsonl
    Example: fanqi submit startpos "startpos moves f5 d6" --depth 10 --local 1 --out -
    """
    from fanqi.dispatch.errors import DispatchError
    from fanqi.dispatch.intake import Source, Template, open_source
    from fanqi.logs import LEVELS
    from fanqi.mqtt import WireError
    from fanqi.mqtt.work import SearchLimits
    from fanqi.workers.errors import WorkerError

    if out is None:
        die("submit", "no --out: name a file for the results, or - for stdout")
    if (broker is None) == (local is None):
        die("submit", "give either --broker or --local")
    if kind not in ("analyse", "game", "selfplay", "ping"):
        die(
            "submit",
            f"--kind {quoted(kind)}: there are analyse, game, selfplay and ping; pairs of a match: fanqi match",
        )
    if solve not in (None, "score", "wdl"):
        die("submit", f"--solve {quoted(solve)}: score or wdl")
    if log_level not in LEVELS:
        die("submit", f"--log-level {quoted(log_level)}: {', '.join(LEVELS)}")
    limits = SearchLimits(depth=depth, nodes=nodes, movetime_ms=movetime, solve=solve)  # type: ignore[arg-type]
    if kind in ("analyse", "game") and limits == SearchLimits():
        die("submit", "no limit: give --depth, --nodes, --movetime or --solve")
    if kind == "selfplay" and (game is None or depth is None):
        die("submit", "self-play needs --game and --depth")
    if verify and (kind in ("analyse", "game") and (movetime is not None or threads > 1)):
        die(
            "submit",
            "--verify: two searches agree only with --threads 1 and --depth, --nodes or --solve, without --movetime",
        )
    if verify and local == 1:
        die("submit", "--verify needs at least two workers: --local 2")
    template = Template(
        kind=kind,
        limits=limits,
        multipv=multipv,
        rules=rules,
        game=game,
        threads=threads,
        hash_mib=hash_mib,
        job_timeout_s=job_timeout,
        games=games if kind == "selfplay" else 0,
        games_per_job=games_per_job,
        exact=exact,
        seed=seed,
    )
    try:
        address = None if broker is None else login.address(broker)
        if kind == "selfplay":
            sources = [Source("self-play")]
        elif inputs:
            sources = [open_source(argument, kind, place) for place, argument in enumerate(inputs, 1)]
        else:
            die("submit", "nothing to work on: name a file or a position, or - for stdin")
        ledger = open_ledger(out, state)
    except (WireError, DispatchError) as error:
        die("submit", error)
    try:
        code = run_loop(
            work(
                ledger,
                sources,
                template,
                address,
                local or 0,
                out,
                ordered=not unordered,
                tries=tries,
                verify=verify,
                retry_failed=retry_failed,
                log_level=log_level,
                metrics=None if metrics_port is None else (metrics_host, metrics_port),
            ),
            adds_readers=True,
        )
    except (WireError, DispatchError, WorkerError, OSError) as error:
        die("submit", error, 1)
    finally:
        with contextlib.suppress(DispatchError):  # what was committed before is there; the rest will be done again
            ledger.close()
    raise typer.Exit(code)


def open_ledger(out: Path, state: Path | None) -> Ledger:
    """The state file of a submission; in memory when the results go to stdout and no file is named."""
    from fanqi.dispatch.errors import LedgerError
    from fanqi.dispatch.ledger import Ledger
    from fanqi.mqtt import new_name

    if state is None and out != Path("-"):
        state = out.with_name(out.name + ".state")
        if out.exists() and out.stat().st_size and not state.exists():
            raise LedgerError(f"{str(out)!r} is there already, without the state file that would say how to go on")
    return Ledger(state, name=new_name)


async def work(
    ledger: Ledger,
    sources: list[Source],
    template: Template,
    address: BrokerAddress | None,
    local: int,
    out: Path,
    *,
    ordered: bool,
    tries: int,
    verify: float,
    retry_failed: bool,
    log_level: str,
    metrics: tuple[str, int] | None,
) -> int:
    """Submit, wait, report; the exit code."""
    from fanqi.dispatch.dispatcher import Dispatcher
    from fanqi.dispatch.display import Display
    from fanqi.dispatch.events import teller
    from fanqi.dispatch.metrics import DispatchMetrics
    from fanqi.dispatch.policy import Policy
    from fanqi.dispatch.results import ResultFile
    from fanqi.dispatch.service import DispatchService
    from fanqi.dispatch.submission import Submission
    from fanqi.game import GAME_NAMES
    from fanqi.jobs.check import objection_to_result
    from fanqi.logs import Logger
    from fanqi.metrics import serve_metrics
    from fanqi.mqtt import Hub, Network, Topics
    from fanqi.mqtt.work import KINDS
    from fanqi.workers.admission import Offer
    from fanqi.workers.local import local_workers

    logger = Logger(log_level).bind(dispatcher=ledger.dispatcher)
    submission = Submission(ledger, sources, template)
    if retry_failed and ledger.retry_failed():
        ledger.write("written", "0")
        ledger.write("cursor", "0")
    to_stdout = out == Path("-")
    records = None
    if template.kind == "selfplay" and not to_stdout:
        records = out.with_name(out.name + ".games")
        records.mkdir(exist_ok=True)
    results = ResultFile(ledger, None if to_stdout else out, ordered=ordered, records=records, stream=sys.stdout.buffer)
    figures = DispatchMetrics()
    tell = teller(logger)

    def distrusted(worker: str) -> None:
        """Say it whatever is logged: the answers of that worker are done again."""
        taken_back = results.recall(worker)
        again = f"; {taken_back:,} of its answers are done again" if taken_back else ""
        say(f"fanqi submit: worker {worker} is not believed any more{again}")

    dispatcher = Dispatcher(
        ledger,
        policy=Policy(tries=tries),
        on_answer=figures.observe,
        check=objection_to_result,
        verify=verify,
        on_distrust=distrusted,
        tell=tell,
    )
    network: Network
    if address is None:
        network, topics = Hub(), Topics()
    else:
        from fanqi.mqtt.client import Broker

        network, topics = Broker(address), address.topics

    async with contextlib.AsyncExitStack() as stack:
        display = stack.enter_context(Display(dispatcher, lambda: submission.complete))

        def harvest(last: bool) -> None:
            results.harvest(last)
            display.show(service.trouble)

        service = DispatchService(dispatcher, network, topics, feed=submission.feed, harvest=harvest, tell=tell)

        def interrupted(count: int, which: signal.Signals) -> None:
            if count > 1:
                raise SystemExit(INTERRUPTED)
            service.interrupt()

        on_interrupt(interrupted)
        if metrics is not None:
            await stack.enter_async_context(
                serve_metrics(
                    *metrics,
                    lambda: figures.families(dispatcher),
                    lambda: figures.health(dispatcher, service.trouble),
                )
            )
        if address is None:
            submission.feed()
            offer = Offer(KINDS, GAME_NAMES, threads=template.threads, hash_mib=max(64, template.hash_mib))
            needed = tuple(game for game in GAME_NAMES if any(need.game == game for need in ledger.needs()))
            await stack.enter_async_context(local_workers(local, offer, network, topics, prepare=needed, tell=tell))
        complete = await service.run()
    results.close()
    return report(ledger, dispatcher.tally.finished, complete, to_stdout)


def report(ledger: Ledger, finished: int, complete: bool, to_stdout: bool) -> int:
    """Say how it went, on stderr; the exit code."""
    from fanqi.uci.errors import shown

    counts = ledger.counts
    for answer in ledger.failures(5):
        say(f"job {answer.seq} ({answer.origin}): {answer.body.decode(errors='replace')}")
    if counts.failed > 5:
        say(f"and {counts.failed - 5:,} more")
    for worker, reason in ledger.opinions.reasons():
        say(f"worker {worker} is not believed: {shown(reason)}")
    failed = f", {counts.failed:,} failed" if counts.failed else ""
    jobs = "1 job" if counts.total == 1 else f"{counts.total:,} jobs"
    say(f"{jobs}: {counts.done:,} done{failed}; {finished:,} of them now")
    if not complete:
        say("interrupted" + ("" if to_stdout else "; the same command goes on"))
        return INTERRUPTED
    return int(counts.failed > 0)
