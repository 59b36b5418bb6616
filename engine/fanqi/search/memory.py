"""Memory for transposition tables: had as a whole, or refused before it does harm.

Linux hands out more memory than there is, and ends the process that uses it. So what is free is asked for first, less
what tables have been promised and have not used yet. Elsewhere the system says itself when there is none (Windows), or
pages it out (macOS).
"""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TableMemoryError", "free_mib", "next_smaller", "take_table"]

Table = TypeVar("Table")


class GroupFiles(NamedTuple):
    """Where a version of control groups keeps its figures: two files, and a line of ``memory.stat``."""

    limit: str
    used: str
    cached: str


VERSIONS = {
    "": GroupFiles("memory.max", "memory.current", "inactive_file"),
    "memory": GroupFiles("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""By the controllers that ``/proc/self/cgroup`` names: none for version 2."""


SPARE = 16
"""One part in so many of what is free is left alone: tables are not all that this process and others need."""

taken: list[tuple[weakref.ref[Any], int]] = []
"""The tables of this process and their MiB."""

taking = threading.Lock()


class TableMemoryError(MemoryError):
    """There is no memory for a table.

    Attributes:
        mebibytes: what was asked for.
        free: MiB there were; None where the system does not tell, or has other reasons to refuse, such as a limit of
            the process.
    """

    def __init__(self, mebibytes: int, free: int | None) -> None:
        known = "" if free is None else f", {free} MiB are free"
        super().__init__(f"there is no memory for a hash table of {mebibytes} MiB{known}")
        self.mebibytes = mebibytes
        self.free = free


def take_table(mebibytes: int, take: Callable[[int], Table]) -> Table:
    """The table that ``take(mebibytes)`` makes, of the largest power of two up to that many MiB.

    Raises:
        TableMemoryError: there is no memory for it.
    """
    size = table_mib(mebibytes)
    with taking:
        free = free_mib()
        if free is not None:
            free = max(0, free - unused_mib())
            if size > free:
                raise TableMemoryError(mebibytes, free)
        try:
            table = take(mebibytes)
        except MemoryError:
            raise TableMemoryError(mebibytes, None) from None
        taken.append((weakref.ref(table), size))
        return table


def table_mib(mebibytes: int) -> int:
    """The size of the table that there is for that many MiB, at least 1: a power of two."""
    return 1 << mebibytes.bit_length() - 1


def next_smaller(mebibytes: int) -> int:
    """The size of the table to try when there is no memory for that of so many MiB; 0 when there is none."""
    return table_mib(mebibytes) // 2


def unused_mib(root: Path = Path("/")) -> int:
    """MiB of the tables there are that still count as free, as the system hands over each page at its first use.

    Args:
        root: where ``proc`` is.
    """
    taken[:] = [(table, size) for table, size in taken if table() is not None]
    used = numbers(root / "proc/self/status").get("RssAnon:")
    return 0 if used is None else max(0, sum(size for _, size in taken) - (used >> 10))


def free_mib(root: Path = Path("/")) -> int | None:
    """MiB that this process can use for tables: of the machine's memory, and of what its control groups allow.

    Args:
        root: where ``proc`` and ``sys`` are.

    Returns:
        None where the system does not tell; only Linux does.
    """
    machine = numbers(root / "proc/meminfo").get("MemAvailable:")
    if machine is None:
        return None
    free = min([machine << 10, *group_allowances(root)]) >> 20
    return free - free // SPARE


def group_allowances(root: Path) -> list[int]:
    """Bytes that each control group around this process still allows; what it can drop of its file cache counts."""
    allowances = []
    for line in read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        version = VERSIONS.get(controllers)
        if version is not None:
            top = root / "sys/fs/cgroup" / controllers
            group = top / path.strip("/")
            for folder in (group, *group.parents)[: len(group.parts) - len(top.parts) + 1]:
                limit, used = read(folder / version.limit).strip(), read(folder / version.used).strip()
                if limit.isdecimal() and used.isdecimal():
                    cached = numbers(folder / "memory.stat").get(version.cached, 0)
                    allowances.append(max(0, int(limit) - int(used) + cached))
    return allowances


def numbers(path: Path) -> dict[str, int]:
    """A file of lines that begin with a name and a number."""
    rows = (line.split() for line in read(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal()}


def read(path: Path) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
