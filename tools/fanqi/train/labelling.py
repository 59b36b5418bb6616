"""New labels for many positions, on several threads, going on where they were interrupted.

Labels are kept in a `SideFile`, in the order of the rows and in whole chunks.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from fanqi.train.origin import positions_name
from fanqi.train.side_file import SideFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    from fanqi.train.positions import Positions

    Labeller = Callable[[NDArray[np.uint64], NDArray[np.uint64]], NDArray[Any]]

__all__ = ["label_rows"]


def label_rows(
    rows: Positions,
    labellers: Sequence[Labeller],
    label: DTypeLike,
    chunk: int,
    path: Path,
    origin: Mapping[str, str | int],
    progress: Callable[[int], None] | None = None,
) -> NDArray[Any]:
    """Label all rows, going on where the file at ``path`` ends.

    Args:
        rows: their labels are not looked at.
        labellers: one for each thread; takes the discs of both sides and gives a label of type ``label`` for each.
        label: the type of one.
        chunk: rows that a labeller is given at a time.
        path: of the `SideFile`; after the last row it holds all labels.
        origin: what a label follows from beside its position.
        progress: called with the number of rows done.

    Raises:
        SideFileError: the file was begun with something else, or for other rows.
        OSError: it is no regular file, or cannot be read and written.
    """
    kept = SideFile(path, {**origin, "positions": positions_name(rows)}, label, len(rows))
    done = kept.rows
    if done < len(rows):
        done -= done % chunk
    with kept.appending(done) as file, ThreadPoolExecutor(len(labellers)) as pool:
        while done < len(rows):
            starts = range(done, min(len(rows), done + len(labellers) * chunk), chunk)
            jobs = [
                pool.submit(labeller, rows.own[first : first + chunk], rows.opponent[first : first + chunk])
                for labeller, first in zip(labellers, starts, strict=False)
            ]
            for job in jobs:
                labels = job.result()
                file.write(labels.tobytes())
                done += len(labels)
            file.flush()
            if progress is not None:
                progress(done)
    return kept.read()
