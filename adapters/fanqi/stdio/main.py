"""The engine process: a thread that reads, one that writes, one that searches, and this one, which waits.

Nothing here may import numba, numpy, structlog, typer or rich before the handshake is answered.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Protocol, TypeAlias

from fanqi.logs import Logger
from fanqi.stdio.descriptors import fill_gaps
from fanqi.stdio.outbox import Outbox
from fanqi.uci import (
    HashBudget,
    Library,
    LineSplitter,
    LongLine,
    SearchPool,
    Services,
    Session,
    SessionConfig,
    format_command,
    option_table,
    set_aside_what_is_loaded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fanqi.uci import Output

__all__ = ["main"]

READ_BYTES = 65_536
FLUSH_SECONDS = 2.0


def main(argv: Sequence[str] = (), descriptors: tuple[int, int] = (0, 1)) -> int:
    """Run one session on stdin and stdout.

    Args:
        argv: the command line after ``fanqi engine``.
        descriptors: to read from and to write to.

    Returns:
        The exit code: 0 after ``quit`` or the end of the input, 1 when there was no input, nobody could read the
        answers or the process was interrupted, 2 for a usage error.
    """
    fill_gaps()
    config, first_lines, logger = SessionConfig(option_table(), reserves_memory=True), [], Logger()
    speak: Speak = own_protocol
    if argv:
        from fanqi.stdio.arguments import parse_arguments  # argparse costs a few milliseconds

        try:
            arguments = parse_arguments(argv)
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else 2
        config = SessionConfig(arguments.options, reserves_memory=True)
        first_lines = [format_command(command) for command in arguments.first_commands]
        logger = Logger(arguments.log_level)
        if arguments.translated:
            from fanqi.stdio.foreign import foreign_protocol

            speak = foreign_protocol(arguments.dialect, arguments.think, logger)
    return Process(config, logger, descriptors, speak).run(first_lines)


class Conversation(Protocol):
    """What a process holds with its host: a session, or a translator in front of one."""

    def receive(self, line: str | bytes | LongLine) -> None: ...
    def finish(self) -> None: ...
    def abandon(self) -> None: ...


Speak: TypeAlias = "Callable[[Output, Services, SessionConfig], Conversation]"


def own_protocol(output: Output, services: Services, config: SessionConfig) -> Conversation:
    """A session that speaks for itself."""
    return Session(output, services, config)


class Process:
    """One session and the threads around it."""

    def __init__(
        self, config: SessionConfig, logger: Logger, descriptors: tuple[int, int], speak: Speak = own_protocol
    ) -> None:
        self._input, output = descriptors
        self._logger = logger
        self._over = threading.Event()
        self._code = 0
        self._outbox = Outbox(output, self._over.set, self._broken)
        self._pool = SearchPool(slots=1)
        self._library = Library(after_load=set_aside_what_is_loaded)
        services = Services(self._library, self._pool, HashBudget(), self._fault)
        self._session = speak(self._outbox, services, config)

    def run(self, first_lines: Sequence[str]) -> int:
        """Live until the session ends; returns the exit code."""
        for line in first_lines:
            self._session.receive(line)
        threading.Thread(target=self._read, name="fanqi-stdin", daemon=True).start()
        try:
            self._over.wait()
        except KeyboardInterrupt:
            self._interrupted()
        flushed = self._outbox.close(FLUSH_SECONDS)
        if self._pool.busy or self._library.busy or not flushed:
            # a thread is in the middle of compiled code, or stuck in a write: the interpreter cannot end around it
            os._exit(self._code)
        return self._code

    def _read(self) -> None:
        splitter = LineSplitter()
        while data := self._read_some():
            splitter.feed(data)
            self._receive_all(splitter)
        splitter.end()
        self._receive_all(splitter)
        self._session.finish()

    def _read_some(self) -> bytes:
        try:
            return os.read(self._input, READ_BYTES)
        except OSError as error:  # stdin was never open, or its terminal is gone
            self._logger.warning("stdin cannot be read", reason=told(error))
            self._code = 1
            return b""

    def _receive_all(self, splitter: LineSplitter) -> None:
        while (line := splitter.pop()) is not None:
            if self._logger.logs("debug"):
                text = line.start if isinstance(line, LongLine) else line
                self._logger.debug("received", line=text.decode("utf-8", "backslashreplace"))
            self._session.receive(line)

    def _interrupted(self) -> None:
        """Ctrl-C ends the session as ``quit`` does; a second one, or a reader that is gone, ends it at once."""
        self._code = 1
        self._session.finish()
        try:
            self._over.wait(FLUSH_SECONDS)
        except KeyboardInterrupt:
            os._exit(1)

    def _broken(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):  # the host has gone: nobody needs to be told
            self._logger.error("stdout cannot be written", reason=told(error))
        self._code = 1
        self._session.abandon()
        self._over.set()

    def _fault(self, error: BaseException) -> None:
        self._logger.error("internal fault", error)


def told(error: OSError) -> str:
    """An error of a standard stream in words."""
    from fanqi.files import reason_of  # not before the handshake

    return reason_of(error)
