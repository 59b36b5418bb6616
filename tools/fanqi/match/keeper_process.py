"""The process between the runner and one engine: it starts the engine, and ends all that came of it.

Run as ``python -I -S keeper_process.py DESCRIPTOR PROGRAM [ARGUMENT ...]``. The descriptor is a socket to the runner.
It carries one line to the runner, ``pid NUMBER`` or ``errno NUMBER``, and its end of input means: end the engine.
Standard input, output and error are the engine's.

On Linux the process is the subreaper of what it starts (prctl(2), ``PR_SET_CHILD_SUBREAPER``): whatever the engine's
children do, such as ``setsid`` or a double fork, they stay its descendants, and it waits until none is left. Elsewhere
it ends the engine's process group. It ends as the engine did. Standard library only, and little of that, for there is
one such process for each engine.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals to the keeper that end the engine."""


def main() -> None:
    control = int(sys.argv[1])
    os.set_inheritable(control, False)
    signals = catch_signals()
    process_control(PR_SET_CHILD_SUBREAPER, 1)
    try:
        engine = start(sys.argv[2:])
    except OSError as error:
        os.write(control, b"errno %d\n" % (error.errno or 0))
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # the engine alone decides when they end
        os.dup2(nothing, descriptor)
    with contextlib.suppress(OSError):  # the runner is gone: seen below
        os.write(control, b"pid %d\n" % engine)
    end_as(watch(engine, control, signals))


def catch_signals() -> int:
    """Returns: a descriptor from which the numbers of the signals that came are read, one byte each."""
    signals, caught = os.pipe()
    os.set_blocking(signals, False)
    os.set_blocking(caught, False)
    signal.set_wakeup_fd(caught, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *ENDINGS):
        signal.signal(number, lambda *_: None)
    return signals


def process_control(option: int, value: int) -> None:
    """prctl(2), where there is one."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def start(arguments: list[str]) -> int:
    """Start the engine in a session of its own.

    Returns:
        Its process id.

    Raises:
        OSError: it cannot be run.
    """
    failed, fail = os.pipe()  # closed without a word when the program runs
    keeper = os.getpid()
    engine = os.fork()
    if engine == 0:
        try:
            os.setsid()
            process_control(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != keeper:  # the keeper was killed before prctl
                os._exit(1)
            for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and an engine would inherit that
                signal.signal(ignored, signal.SIG_DFL)
            os.execvp(arguments[0], arguments)
        except OSError as error:
            os.write(fail, b"%d" % (error.errno or 0))
        finally:
            os._exit(1)
    os.close(fail)
    number = os.read(failed, 16)
    os.close(failed)
    if number:
        os.waitpid(engine, 0)
        raise OSError(int(number), "")
    return engine


def watch(engine: int, control: int, signals: int) -> int:
    """Wait for the end of the engine or of the runner, and end what is left.

    Returns:
        The engine's status, as of ``os.waitpid``.
    """
    statuses: dict[int, int] = {}
    waiting = True
    while waiting:
        ready, _, _ = select.select([control, signals], [], [])
        if control in ready:
            waiting = False
        if signals in ready and any(number in ENDINGS for number in os.read(signals, 4096)):
            waiting = False
        with contextlib.suppress(ChildProcessError):
            reap(statuses)
        waiting = waiting and engine not in statuses
    end_all(engine, statuses)
    return statuses[engine]


def end_all(engine: int, statuses: dict[int, int]) -> None:
    """Kill what came of the engine until nothing is left of it."""
    with contextlib.suppress(OSError):
        os.killpg(engine, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            reap(statuses)  # raises as soon as no child is left
            for descendant in descendants():
                with contextlib.suppress(OSError):
                    os.kill(descendant, signal.SIGKILL)
            note(statuses, os.waitpid(-1, 0))


def reap(statuses: dict[int, int]) -> None:
    """Note what has ended.

    Raises:
        ChildProcessError: there are no children.
    """
    while (ended := os.waitpid(-1, os.WNOHANG))[0]:
        note(statuses, ended)


def note(statuses: dict[int, int], ended: tuple[int, int]) -> None:
    statuses.setdefault(*ended)  # the engine's number may come again


def descendants() -> list[int]:
    """All processes below this one, by /proc; none where there is no such thing."""
    from pathlib import Path  # takes as long to import as all else together, and few engines leave anything

    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(stat.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = children.pop(os.getpid(), [])
    for process in found:  # which grows meanwhile
        found += children.pop(process, [])
    return found


def end_as(status: int) -> None:
    """End this process with the code or by the signal of that ``status``."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the core of interest is the engine's
        with contextlib.suppress(OSError):  # SIGKILL does what it does
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main()
