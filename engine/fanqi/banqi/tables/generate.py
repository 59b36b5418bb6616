"""Generating all tables from nothing, and checking them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from fanqi.banqi.tables.build import Builder
from fanqi.banqi.tables.classes import EndgameClass, classes
from fanqi.banqi.tables.retrograde import keep
from fanqi.banqi.tables.store import EndgameTables, write_tables
from fanqi.banqi.tables.verify import verify_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["generate_tables"]


def generate_tables(
    path: Path,
    men: int = 4,
    *,
    threads: int = 2,
    verify: bool = True,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[int, int]:
    """Solve all endgames of 2 to ``men`` men and write them to a file.

    Args:
        path: of the file; one that exists is replaced when all is done.
        men: 2 to 4.
        threads: classes solved at a time; each takes 2 MB at four men.
        verify: check every position of every class against those its moves lead to.
        progress: called after each class with (done, in all, what).

    Returns:
        The longest distance to a capture for each number of men, in plies.

    Raises:
        ValueError: ``men`` is out of range.
        RuntimeError: a check failed.
    """
    if not 2 <= men <= 4:
        raise ValueError(f"endgames of {men} men: expected 2 to 4")
    builder = Builder()
    total = (1 + verify) * sum(len(classes(count)) for count in range(2, men + 1))
    kept: dict[EndgameClass, NDArray[np.uint8]] = {}

    def make(kind: EndgameClass) -> NDArray[np.uint8]:
        full = builder.full(kind) if kind.men < men else builder.solve(kind)
        return keep(full, kind.men)

    with ThreadPoolExecutor(max_workers=threads) as pool:
        for count in range(2, men + 1):
            for kind, table in zip(classes(count), pool.map(make, classes(count)), strict=True):
                kept[kind] = table
                if progress is not None:
                    progress(len(kept), total, f"solving {count} men")
    if verify:
        checked = len(kept)
        faults = verify_tables(
            EndgameTables(kept),
            progress=lambda done, _: progress(checked + done, total, "checking") if progress else None,
        )
        if faults:
            raise RuntimeError(f"{faults} positions do not follow from their moves")
    write_tables(path, kept.items())
    return {
        count: max(plies for kind, plies in builder.longest.items() if kind.men == count) for count in range(2, men + 1)
    }
