"""A logger that costs nothing until it is used: coloured lines on a terminal, JSON lines otherwise."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping
    from typing import TextIO

__all__ = ["LEVELS", "Logger"]

C1 = re.compile("[\x7f-\x9f]")
LEVELS = ("debug", "info", "warning", "error")


class Stream(Protocol):
    """Where lines go."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...
    def isatty(self) -> bool: ...


class Logger:
    """Events with fields, from a level on.

    Args:
        level: one of `LEVELS`; events below it are dropped.
        stream: where to write; stderr by default.
        fields: go with every event.
    """

    def __init__(
        self, level: str = "warning", stream: Stream | None = None, fields: Mapping[str, object] | None = None
    ) -> None:
        self._rank = LEVELS.index(level)
        self._level = level
        self._stream = stream
        self._fields = dict(fields or {})
        self._target: Any = None

    def bind(self, **fields: object) -> Logger:
        """A logger that adds these fields to each event."""
        bound = Logger(self._level, self._stream, self._fields | fields)
        bound._target = self._target
        return bound

    def logs(self, level: str) -> bool:
        """Whether events of ``level`` are written; to be asked where an event costs something to make."""
        return LEVELS.index(level) >= self._rank

    def debug(self, event: str, **fields: object) -> None:
        self._log("debug", event, fields)

    def info(self, event: str, **fields: object) -> None:
        self._log("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self._log("warning", event, fields)

    def error(self, event: str, error: BaseException | None = None, **fields: object) -> None:
        """Something failed; with the traceback of ``error`` if there is one."""
        self._log("error", event, fields if error is None else fields | {"exc_info": error})

    def _log(self, level: str, event: str, fields: Mapping[str, object]) -> None:
        if LEVELS.index(level) < self._rank:
            return
        if self._target is None:
            self._target = make_target(self._stream or sys.stderr)
        getattr(self._target, level)(event, **{**self._fields, **fields})


def printable_fields(logger: object, name: str, event: MutableMapping[str, object]) -> MutableMapping[str, object]:
    """Texts fit for a terminal: what others have sent is among them."""
    from fanqi.uci.errors import shown

    return {key: shown(value, len(value)) if isinstance(value, str) else value for key, value in event.items()}


def escape_c1(logger: object, name: str, line: str) -> str:
    """The control characters that JSON may contain as they are, though a terminal obeys them."""
    return C1.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def make_target(stream: Stream) -> Any:
    """A structlog logger of its own, so that nobody's global configuration is touched."""
    import structlog

    processors: list[Any] = [structlog.processors.add_log_level, structlog.processors.TimeStamper("iso", utc=True)]
    if stream.isatty():
        processors.append(printable_fields)
        processors.append(structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback))
    else:
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # they may be large, or secret
        processors.append(structlog.processors.ExceptionRenderer(tracebacks))
        processors.append(structlog.processors.JSONRenderer(ensure_ascii=False))
        processors.append(escape_c1)
    writer = structlog.WriteLogger(cast("TextIO", stream))  # it writes and flushes, no more
    return structlog.wrap_logger(writer, processors=processors)
