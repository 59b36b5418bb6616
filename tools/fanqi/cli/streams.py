"""Standard streams that are closed or full: whoever uses them hears which one it was, in one sentence."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fanqi.files import FileError
from fanqi.stdio.descriptors import fill_gaps

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["StandardStream", "name_streams", "output_error", "settle_output"]


class StandardStream(io.FileIO):
    """The bytes of stdin or stdout, with errors that name it.

    Args:
        descriptor: 0 or 1.

    Raises:
        FileError: by all methods that read or write.
        BrokenPipeError: by those that write; whoever read us has gone, which is nobody's mistake.

    Attributes:
        error: the first there was.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb" if descriptor else "rb", closefd=False)
        self.error: OSError | None = None

    def read(self, size: int | None = -1, /) -> Any:
        return self._try(super().read, size)

    def readall(self) -> Any:
        return self._try(super().readall)

    def readinto(self, buffer: Any, /) -> Any:
        return self._try(super().readinto, buffer)

    def write(self, data: Any, /) -> Any:
        return self._try(super().write, data)

    def _try(self, operation: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return operation(*arguments)
        except BrokenPipeError as error:
            self.error = self.error or error
            raise
        except OSError as error:
            named = FileError.writing("stdout", error) if self.fileno() else FileError.reading("stdin", error)
            self.error = self.error or named
            raise named from None


def name_streams() -> None:
    """Make errors of stdin and stdout name them, also where Python has found them closed and has none.

    Streams that are not the process's own, as in tests, are left alone.
    """
    fill_gaps()
    if is_own(sys.stdin, 0):
        sys.stdin = io.TextIOWrapper(io.BufferedReader(StandardStream(0)), **manner_of(sys.stdin))
    if is_own(sys.stdout, 1):
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(StandardStream(1)), **manner_of(sys.stdout))


def is_own(stream: Any, descriptor: int) -> bool:
    """Whether a stream is the one that the interpreter has made for a descriptor, or was missing then."""
    if stream is None:
        return True
    try:
        return isinstance(stream, io.TextIOWrapper) and stream.fileno() == descriptor
    except OSError:
        return False


def manner_of(stream: Any) -> dict[str, Any]:
    """How a text stream encodes, and when it writes; of one that was missing, how any would."""
    if stream is None:
        return {"encoding": "utf-8"}
    at_once = stream.line_buffering or stream.write_through
    return {"encoding": stream.encoding, "errors": stream.errors, "line_buffering": at_once}


def output_error() -> OSError | None:
    """The first error there was of stdout."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.error if isinstance(raw, StandardStream) else None


def settle_output() -> OSError | None:
    """Write out what is left for stdout; the first error there was if not all of it could be written."""
    try:
        sys.stdout.flush()
        failure = output_error()
    except OSError as error:
        failure = output_error() or error
    if failure is not None:
        # the interpreter flushes again when it ends, and would complain in its own words
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    return failure
