"""Engine processes: started in a session of their own, listened to, and gone for certain afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fanqi.files import reason_of
from fanqi.match.errors import EngineError, Fault
from fanqi.match.keeper import Keeper

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fanqi.match.channel import Listener

__all__ = ["MAX_STDERR", "Launcher", "ProcessLink"]

MAX_STDERR = 16 << 20
"""Bytes of stderr kept of one process; what comes after is read and dropped."""
LAST_WORDS_S = 0.1
"""How long output may still come in after a process has ended (a child may hold the pipe for ever)."""
OBITUARY_S = 1.0
"""How long the end of the output waits for the end of the keeper, which tells more."""
TERM_S = 0.5
MAX_FILES = 1 << 16
KILL = signal.SIGKILL if os.name == "posix" else signal.SIGTERM  # Windows ends a process in one way only
CLOCK_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class ProcessLink(asyncio.SubprocessProtocol):
    """One engine process, seen from the event loop. What the loop started is its keeper, where the system has those."""

    def __init__(self, channel: Listener, keeper: Keeper | None, stderr: Path | None) -> None:
        self._channel = channel
        self._keeper = keeper
        self._stderr_path = stderr
        self._stderr_left = MAX_STDERR
        self._stderr: Any = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: asyncio.WriteTransport | None = None
        self._closing = False
        self._output_ended = False
        self._timer: asyncio.TimerHandle | None = None
        self._engine = 0
        self.ended = asyncio.Event()

    # --- what the channel and the player use ----------------------------------------------------------------

    def write(self, data: bytes) -> None:
        if self._stdin is not None and not self._stdin.is_closing():
            self._stdin.write(data)

    def cpu_seconds(self) -> float | None:
        """Processor time of the process and its threads so far; None where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._engine}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS

    async def close(self, patience_s: float) -> None:
        """Wait for the process to end after it was told to, then insist. Returns when it is gone."""
        self._closing = True
        if self._stdin is not None:
            self._stdin.close()  # whoever misses `quit` sees the end of its input
        if not await self._wait(patience_s):
            self._signal(signal.SIGTERM)
            if not await self._wait(TERM_S):
                self.kill()
                await self._wait(10.0)
        if self._transport is not None:
            self._transport.close()
        if self._keeper is not None:
            self._keeper.close()
        self._close_stderr()

    async def run(self) -> None:
        """Wait until the engine runs.

        Raises:
            OSError: it cannot be run.
        """
        if self._keeper is not None:
            self._engine = await self._keeper.engine()

    def kill(self) -> None:
        """End the process and everything that came of it now."""
        self._closing = True
        if self._keeper is not None:
            self._keeper.end()
        self._signal(KILL)

    # --- what asyncio calls ---------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)  # uvloop's is no subclass of it
        if self._keeper is None:
            self._engine = self._transport.get_pid()
        self._stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._channel.feed(data)
        elif self._stderr_left > 0:
            self._keep_stderr(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 2:
            return
        if fd == 1:
            self._output_ended = True
        if self._transport is not None and self._transport.get_returncode() is not None:
            self._mourn()
        elif self._timer is None and not self.ended.is_set():
            what = "its output" if fd == 1 else "its input"
            self._timer = asyncio.get_running_loop().call_later(OBITUARY_S, self._half_dead, what)

    def process_exited(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._output_ended:
            self._mourn()
        else:
            self._timer = asyncio.get_running_loop().call_later(LAST_WORDS_S, self._mourn)

    # --- inside ---------------------------------------------------------------------------------------------

    async def _wait(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.ended.wait(), seconds)
        return self.ended.is_set()

    def _half_dead(self, what: str) -> None:
        self._channel.lose(EngineError(Fault.CRASH, f"closed {what} but runs on"))

    def _mourn(self) -> None:
        """The process has ended and its last words have been heard."""
        if self.ended.is_set():
            return
        if self._timer is not None:
            self._timer.cancel()
        code = self._transport.get_returncode() if self._transport is not None else None
        self._channel.lose(EngineError(Fault.CRASH, exit_text(code)))
        self._signal(KILL)  # somebody may have killed the keeper
        self.ended.set()
        self._close_stderr()

    def _signal(self, number: signal.Signals) -> None:
        if not self._engine:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self._engine, number)
            elif self._transport is not None:
                self._transport.kill()

    def _keep_stderr(self, data: bytes) -> None:
        self._stderr_left -= len(data)
        if self._stderr_path is None:
            return
        if self._stderr is None:
            try:
                self._stderr_path.parent.mkdir(parents=True, exist_ok=True)
                self._stderr = self._stderr_path.open("ab", buffering=0)
            except OSError:
                self._stderr_left = 0  # a full or read-only disk must not end the match
                return
        with contextlib.suppress(OSError):
            self._stderr.write(data)
            if self._stderr_left <= 0:
                self._stderr.write(b"\n[the rest was dropped]\n")

    def _close_stderr(self) -> None:
        if self._stderr is not None:
            self._stderr.close()
            self._stderr = None
            self._stderr_left = 0


def exit_text(code: int | None) -> str:
    """How a process ended, for people."""
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"


class Launcher:
    """Starts engine processes, one at a time, and sees to it that none outlives the runner."""

    def __init__(self) -> None:
        self._keepers: list[Keeper] = []
        self._lock = asyncio.Lock()  # a processor mask is set on this thread while a process starts
        raise_file_limit()

    async def start(
        self,
        arguments: Sequence[str],
        channel: Listener,
        *,
        stderr: Path | None = None,
        directory: str | None = None,
        cpus: frozenset[int] | None = None,
    ) -> ProcessLink:
        """Start an engine and attach it to ``channel``.

        Args:
            arguments: program and its arguments.
            channel: hears what it says.
            stderr: file that its standard error is appended to; dropped if None.
            directory: where it runs.
            cpus: processors it may use.

        Raises:
            EngineError: it cannot be started.
        """
        loop = asyncio.get_running_loop()
        options: dict[str, Any] = {}
        keeper, command = None, list(arguments)
        link = None
        try:
            if os.name == "posix":
                keeper = self._new_keeper()
                command = keeper.command(arguments)
                options = {"start_new_session": True, "pass_fds": (keeper.descriptor,), "cwd": directory}
                if is_uvloop(loop):
                    options["preexec_fn"] = partial(inherit_beside_the_standard_three, keeper.descriptor)
            else:
                options = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0), "cwd": directory}
            async with self._lock:
                with confined_to(cpus):
                    _, link = await loop.subprocess_exec(
                        lambda: ProcessLink(channel, keeper, stderr),
                        *command,
                        stdin=asyncio.subprocess.PIPE,
                        stdout=asyncio.subprocess.PIPE,
                        stderr=asyncio.subprocess.PIPE,
                        **options,
                    )
            await link.run()
        except (OSError, ValueError) as error:
            if link is not None:
                await link.close(0.0)
            elif keeper is not None:
                keeper.close()
            raise EngineError(Fault.START, f"cannot run {arguments[0]}: {reason_of(error)}") from None
        except BaseException:
            if keeper is not None:
                keeper.end()
            raise
        channel.attach(link)
        return link

    def close(self) -> None:
        """Nothing is started any more; whatever still runs is killed."""
        for keeper in self._keepers:
            keeper.end()
        for keeper in self._keepers:
            keeper.wait()
        self._keepers = []

    def _new_keeper(self) -> Keeper:
        """One that is told to end its engine when this closes."""
        self._keepers = [keeper for keeper in self._keepers if not keeper.closed]
        self._keepers.append(Keeper())
        return self._keepers[-1]


def is_uvloop(loop: asyncio.AbstractEventLoop) -> bool:
    return type(loop).__module__.partition(".")[0] == "uvloop"


def inherit_beside_the_standard_three(descriptor: int) -> None:
    """In a process that is about to become a keeper: every other descriptor is closed when it does.

    uvloop (0.23) leaves it copies of its own ends of the pipes, whatever ``close_fds`` says, so that an engine which
    closes its output would seem to think on until its time is up.
    """
    for path in Path("/dev/fd").iterdir():
        with contextlib.suppress(OSError):  # the one of the list itself is closed by now
            if int(path.name) > 2:
                os.set_inheritable(int(path.name), int(path.name) == descriptor)


def raise_file_limit() -> None:
    """Allow as many open files as the system lets us: each engine takes six, and the usual limit is 1024."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextlib.contextmanager
def confined_to(cpus: frozenset[int] | None) -> Iterator[None]:
    """Let what is started inside inherit a processor mask, where the system has such a thing.

    The mask is set on this thread before the process exists, so no thread of the engine can have escaped it.
    """
    if cpus is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
