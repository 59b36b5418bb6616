"""New labels for many positions, on several threads, going on where they were interrupted.

Labels are appended to a file, in the order of the rows and in whole chunks; its length is the progress.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.files import require_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fanqi.train.positions import Positions

    Labeller = Callable[[NDArray[np.uint64], NDArray[np.uint64]], NDArray[Any]]

__all__ = ["LabelError", "label_rows"]


class LabelError(ValueError):
    """A progress file that does not belong to the rows; the message names it."""


def label_rows(
    rows: Positions,
    labellers: Sequence[Labeller],
    kind: type[np.generic],
    chunk: int,
    progress_file: Path,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[Any]:
    """Label all rows, going on where ``progress_file`` ends.

    Args:
        rows: their labels are not looked at.
        labellers: one for each thread; takes the discs of both sides and gives a label of ``kind`` for each.
        kind: the type of a label.
        chunk: rows that a labeller is given at a time.
        progress_file: created if missing; after the last row it holds all labels.
        progress: called with (rows done, rows in all).

    Raises:
        LabelError: the file has more labels than there are rows.
        OSError: it is no regular file, or cannot be read and written.
    """
    require_regular(progress_file)
    size = np.dtype(kind).itemsize
    done = (progress_file.stat().st_size if progress_file.exists() else 0) // size
    if done > len(rows):
        raise LabelError(f"{progress_file}: {done} labels, but there are only {len(rows)} rows to label")
    if done < len(rows):
        done -= done % chunk
    with progress_file.open("ab") as file, ThreadPoolExecutor(len(labellers)) as pool:
        file.truncate(size * done)
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
                progress(done, len(rows))
    return np.fromfile(progress_file, kind)
