"""Generating all tables from nothing, and checking them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from fanqi.banqi.tables.build import Builder
from fanqi.banqi.tables.classes import EndgameClass, classes
from fanqi.banqi.tables.retrograde import keep
from fanqi.banqi.tables.store import EndgameTables, TableFile, pack
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
) -> EndgameTables:
    """Solve all endgames of 2 to ``men`` men and write them to a file.

    Each class is written when it is solved, and an attempt that was broken off is taken up (see
    `fanqi.banqi.tables.store.TableFile`).

    Args:
        path: of the file; one that exists is replaced when all is done.
        men: 2 to 4.
        threads: classes solved or checked at a time; each takes 2 MB at four men.
        verify: check every position of every class against those its moves lead to.
        progress: called after each class with (done, in all, what).

    Returns:
        The tables.

    Raises:
        ValueError: ``men`` is out of range.
        OSError: the file cannot be written.
        RuntimeError: a check failed; what was solved is thrown away.
    """
    if not 2 <= men <= 4:
        raise ValueError(f"endgames of {men} men: expected 2 to 4")
    builder = Builder()
    wanted = [kind for count in range(2, men + 1) for kind in classes(count)]
    total = (1 + verify) * len(wanted)

    def make(kind: EndgameClass) -> tuple[NDArray[np.uint8], bytes]:
        kept = keep(builder.full(kind) if kind.men < men else builder.solve(kind), kind.men)
        return kept, pack(kept)

    file = TableFile(path)
    try:
        with ThreadPoolExecutor(max_workers=threads) as pool:
            for count in range(2, men + 1):
                # fewer men first: a class is solved from those that its captures lead to
                missing = [kind for kind in classes(count) if kind not in file.kept]
                try:
                    for kind, (kept, packed) in zip(missing, pool.map(make, missing), strict=True):
                        file.add(kind, kept, packed)
                        if progress is not None:
                            progress(len(file.kept), total, f"solving {count} men")
                except BaseException:
                    pool.shutdown(cancel_futures=True)  # or the rest would be solved before the exception is seen
                    raise
    except BaseException:
        file.close()
        raise
    tables = EndgameTables({kind: file.kept[kind] for kind in wanted})
    if verify:
        faults = verify_tables(
            tables,
            threads=threads,
            progress=lambda done, _: progress(len(wanted) + done, total, "checking") if progress else None,
        )
        if faults:
            file.discard()
            raise RuntimeError(f"{faults} positions do not follow from their moves")
    file.finish()
    return tables
