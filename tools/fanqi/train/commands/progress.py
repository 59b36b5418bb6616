"""What a command shows and keeps of its progress."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from fanqi.files import require_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["kept_beside", "progress_bar"]


@contextlib.contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A rich progress bar; the value is a function that takes the number of steps done."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextlib.contextmanager
def kept_beside(out: Path, suffix: str, title: str, total: int) -> Iterator[tuple[Path, Callable[[int], None]]]:
    """Where to keep what is done so far, and a progress bar for it; the file is gone when all has been done.

    Args:
        out: the result; the file is beside it, with another suffix.
        title, total: of the bar.

    Raises:
        OSError: the result could not be written.
        ValueError: it would take the place of what is kept.
    """
    require_place(out)
    path = out.with_suffix(suffix)
    if path == out:
        raise ValueError(f"{out}: a file of this name keeps what is done so far; choose another ending")
    with progress_bar(title, total) as step:
        yield path, step
    path.unlink()
