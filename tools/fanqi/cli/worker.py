"""`fanqi worker`: do jobs for whoever submits them to a broker."""

from __future__ import annotations

import contextlib
import shutil
import signal
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
from fanqi.command_line import die
from fanqi.event_loop import run_loop
from fanqi.game import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fanqi.logs import Logger
    from fanqi.workers.config import Setup

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)

Broker = Annotated[str | None, typer.Option(help="mqtt://[USER@]HOST[:PORT][/PREFIX], or mqtts://.")]


@app.callback()
@with_login
def worker(
    context: typer.Context,
    broker: Broker = None,
    config: Annotated[Path | None, typer.Option(help="TOML file; see `fanqi worker example-config`.")] = None,
    name: Annotated[str | None, typer.Option(help="Unique name; made from the host's if left out.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="Threads of all jobs together.")] = None,
    hash_mib: Annotated[int | None, typer.Option("--hash", min=1, help="MiB of all hash tables together.")] = None,
    max_jobs: Annotated[int | None, typer.Option(min=1, help="Stop after so many jobs.")] = None,
    niceness: Annotated[int | None, typer.Option(min=0, max=19, help="By how much jobs are nicer.")] = None,
    hours: Annotated[str | None, typer.Option(help="When to work: 'Mon-Fri 20:00-07:00; Sat-Sun'.")] = None,
    *,
    login: Login,
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Take jobs from a broker, run them on this machine, answer, repeat.

    The first Ctrl-C finishes the jobs in hand, the second hands them back; SIGTERM hands them back at once. No command
    ever comes over the wire: a match may use only built-in engines and those that this worker's configuration names.

    \b
    Example: fanqi worker --broker mqtt://host
    Example: fanqi worker --config worker.toml --hours "Mon-Fri 20:00-07:00; Sat-Sun" --metrics-port 9464
    """
    if context.invoked_subcommand is not None:
        return
    import msgspec

    from fanqi.logs import LEVELS, Logger
    from fanqi.mqtt import WireError
    from fanqi.workers.config import Config, load_config, resolve
    from fanqi.workers.errors import WorkerError

    if log_level not in LEVELS:
        die("worker", f"--log-level {quoted(log_level)}: {', '.join(LEVELS)}")
    proofs = {
        "user": login.user, "password_file": text_of(login.password_file), "ca": text_of(login.ca),
        "cert": text_of(login.certificate), "key": text_of(login.key), "verify": False if login.insecure else None,
    }  # fmt: skip
    given = {
        "broker": broker, "name": name, "threads": threads, "hash": hash_mib, "max_jobs": max_jobs,
        "niceness": niceness, "hours": hours,
    }  # fmt: skip
    try:
        base = load_config(config) if config is not None else Config()
        base = msgspec.structs.replace(base, **known(given), login=msgspec.structs.replace(base.login, **known(proofs)))
        setup = resolve(base)
    except WorkerError as error:
        die("worker", error)
    logger = Logger(log_level).bind(worker=setup.name)
    metrics = None if metrics_port is None else (metrics_host, metrics_port)
    try:
        run_loop(work(setup, logger, metrics), adds_readers=True)
    except (WireError, WorkerError, OSError) as error:
        die("worker", error, 1)


def known(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def text_of(path: Path | None) -> str | None:
    return None if path is None else str(path)


async def work(setup: Setup, logger: Logger, metrics: tuple[str, int] | None) -> None:
    """Be a worker until told to stop."""
    from fanqi.dispatch.events import teller
    from fanqi.jobs.frames import Broken
    from fanqi.metrics import Histogram, serve_metrics
    from fanqi.mqtt.client import Broker
    from fanqi.workers.errors import WorkerError
    from fanqi.workers.metrics import worker_families, worker_health
    from fanqi.workers.pool import Pool
    from fanqi.workers.service import WorkerService
    from fanqi.workers.worker import Worker

    offer = setup.offer
    pool = Pool(offer.threads, engines=dict(offer.engines), niceness=setup.niceness)
    try:
        logger.info("preparing", games=offer.games)
        for game, answer in (await pool.prepare(offer.games)).items():
            if isinstance(answer, Broken):
                raise WorkerError(f"{game}: {answer.reason}")
            logger.info("prepared", game=game, seconds=round(answer.seconds, 2), compiled=answer.compiled)
        seconds = Histogram()
        worker = Worker(
            offer,
            setup.allowance,
            heartbeat_s=setup.heartbeat_s,
            max_jobs=setup.max_jobs,
            on_done=seconds.observe,
        )
        service = WorkerService(
            setup.name,
            worker,
            pool,
            Broker(setup.address),
            setup.address.topics,
            hours=setup.hours,
            tell=teller(logger),
        )

        def interrupted(count: int, which: signal.Signals) -> None:
            hand_back = count > 1 or which is signal.SIGTERM
            logger.info("stopping", hand_back=hand_back, running=len(worker.running))
            service.interrupt(now=hand_back)

        on_interrupt(interrupted)
        async with contextlib.AsyncExitStack() as stack:
            if metrics is not None:
                port = await stack.enter_async_context(
                    serve_metrics(*metrics, lambda: worker_families(worker, seconds), lambda: worker_health(service))
                )
                logger.info("metrics", port=port)
            logger.info("ready", broker=str(setup.address), threads=offer.threads, hash_mib=offer.hash_mib)
            await service.run()
    finally:
        await pool.close()
    logger.info("stopped", finished=worker.done, failed=worker.broke)


@app.command("list")
@with_login
def list_workers(
    broker: Broker = None,
    once: Annotated[bool, typer.Option("--once", help="Show them once and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, once.")] = False,
    *,
    login: Login,
) -> None:
    """Show the workers on a broker: who is there, doing what, how fast. Ctrl-C ends it.

    \b
    Example: fanqi worker list --broker mqtt://host
    Example: fanqi worker list --broker mqtt://host --json
    """
    from rich.console import Console

    from fanqi.mqtt import WireError
    from fanqi.mqtt.client import Broker as RealBroker
    from fanqi.workers.watch import watch

    if broker is None:
        die("worker list", "no broker: give --broker mqtt://HOST")
    console = Console(stderr=as_json)
    try:
        address = login.address(broker)
        once = once or as_json or not console.is_terminal
        following = watch(RealBroker(address), address.topics, console, once=once, as_json=as_json)
        code = run_loop(following, adds_readers=True)
    except WireError as error:
        die("worker list", error, 1)
    except KeyboardInterrupt:
        code = 0
    raise typer.Exit(code)


@app.command("example-config")
def example_config() -> None:
    """Print a commented configuration file.

    \b
    Example: fanqi worker example-config > worker.toml
    """
    from fanqi.workers.config import EXAMPLE

    typer.echo(EXAMPLE, nl=False)


@app.command("systemd-unit")
def systemd_unit(
    config: Annotated[Path, typer.Option(help="Where the configuration will be.")] = Path("/etc/fanqi/worker.toml"),
    password_file: Annotated[Path | None, typer.Option(help="Where the broker's password will be.")] = None,
    niceness: Annotated[int, typer.Option(min=0, max=19, help="Of the service.")] = 10,
    stop_seconds: Annotated[int, typer.Option(min=1, help="How long it may finish the job in hand.")] = 300,
) -> None:
    """Print a hardened systemd unit for a worker.

    \b
    Example: fanqi worker systemd-unit > /etc/systemd/system/fanqi-worker.service
    """
    from fanqi.workers.systemd import systemd_unit as unit

    command = shutil.which("fanqi") or str(Path(sys.executable).with_name("fanqi"))
    typer.echo(unit(command, config, password_file, niceness=niceness, stop_seconds=stop_seconds), nl=False)
