"""Files that are kept from one run to the next are files: a named pipe in their place is refused, not waited for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from fanqi.book.errors import BuildError
from fanqi.book.journal import Journal
from fanqi.cli.app import run
from fanqi.dispatch.errors import LedgerError
from fanqi.dispatch.ledger import Ledger
from fanqi.dispatch.results import ResultFile
from fanqi.files import require_place, require_regular
from fanqi.ggs.errors import ConfigError
from fanqi.ggs.records import RecordBook
from fanqi.match.config import MatchConfig
from fanqi.match.errors import StoreError
from fanqi.match.limit import Limit
from fanqi.match.specification import parse_engine
from fanqi.match.store import Store
from fanqi.othello.patterns import default_weights
from fanqi.train.labelling import label_rows
from fanqi.train.positions import Positions
from fanqi.train.probcut import measure

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def name() -> str:
    return "somebody"


def no_rows() -> Positions:
    return Positions(*(np.zeros(0, kind) for kind in (np.uint64, np.uint64, np.float32, np.float32, np.int64)))


def match(folder: Path) -> Store:
    engines = tuple(parse_engine(f"{name}=builtin:random", Limit(nodes=1)) for name in "ab")
    return Store(folder, MatchConfig(game="othello", engines=engines, games=2, seed="1"), fresh=True)


@pytest.mark.parametrize(
    ("pipe", "use"),
    [
        ("x.journal", lambda path: Journal(path, {})),
        ("x.state", lambda path: Ledger(path, name=name)),
        ("x.jsonl", lambda path: ResultFile(Ledger(None, name=name), path, ordered=True)),
        ("games.ggf", lambda path: RecordBook(path.parent, "server")),
        ("games.jsonl", lambda path: RecordBook(path.parent, "server")),
        ("x.labels", lambda path: label_rows(no_rows(), [], np.int8, 1, path, {})),
        ("x.scores", lambda path: measure(no_rows(), default_weights(), 4, 8, path)),
        ("games.jsonl", lambda path: match(path.parent)),
        ("games.ggf", lambda path: match(path.parent)),
    ],
)
def test_a_named_pipe_in_place_of_a_file_is_refused_by_name(
    tmp_path: Path, pipe: str, use: Callable[[Path], object]
) -> None:
    os.mkfifo(tmp_path / pipe)
    with pytest.raises(
        (BuildError, LedgerError, ConfigError, StoreError, OSError),
        match=rf"{pipe}.*: not a regular file|not a regular file: .*{pipe}",
    ):
        use(tmp_path / pipe)


def test_what_is_not_there_or_a_file_is_good(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    require_regular(tmp_path / "file", tmp_path / "nothing")
    with pytest.raises(OSError, match="not a regular file"):
        require_regular(tmp_path / "nothing", tmp_path)


def test_a_file_whose_folder_is_not_there_cannot_be_kept(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"there is no folder {tmp_path}/no"):
        require_regular(tmp_path / "no" / "file")


def test_the_place_of_a_result_is_looked_at_before_the_work(tmp_path):
    require_place(tmp_path / "result", Path("result"))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        require_place(tmp_path / "no" / "result")
    with pytest.raises(IsADirectoryError) as refusal:
        require_place(tmp_path)
    assert refusal.value.filename == str(tmp_path)


@pytest.mark.parametrize(
    "command", [("show", "f5d6c3", "--svg"), ("book", "export", "shipped", "--as", "transcripts", "--out")]
)
def test_what_is_there_stays_when_the_disk_is_full_for_what_is_to_replace_it(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    resource = pytest.importorskip("resource", reason="only POSIX limits the size of files")
    target = tmp_path / "old.svg"
    target.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        code = run([*command, str(target)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old.svg": "old"}
