"""The match folder: what is on disk at any moment is enough to go on, whatever happened.

===================  ================================================================================
``match.json``       the description of the match; written once, after all else that a match needs to go on
``journal.jsonl``    every finished game the moment it is over, with its secrets; the source of truth
``games.jsonl``      the games that may be published: a banqi deal opens when no game with it is left
``games.ggf``        the same as text (Othello); ``games.sgf`` under rules of old Reversi, ``games.tcga`` for banqi
``commitments.txt``  banqi: number of the game and the commitment to its deal, written before its first move; a game
                     that is begun again says which commitment the new one replaces
``openings.txt``     the openings that were read, one a line
``evaluation.txt``   a match of levels: the digest of the evaluation it began with
``summary.json``     the result so far
``report.html``      all of it to look at, when the match has stopped
``logs/``            standard error of the engines, and every line to and from them if asked for
===================  ================================================================================

A game is a line, appended in one write. A line that was cut off by a crash is taken out when the match goes
on, and the published files are written anew from the journal if they do not agree with it.
"""

from __future__ import annotations

import contextlib
import os
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

from fanqi.files import described, read_small, require_regular, write_whole
from fanqi.match.config import MatchConfig, decode_config, encode_config
from fanqi.match.errors import StoreError
from fanqi.match.record import decode_record, encode_record, hide_proof, plain_record
from fanqi.records import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fanqi.match.record import GameRecord

__all__ = [
    "EVALUATION",
    "JOURNAL",
    "OPENINGS",
    "REPORT",
    "SUMMARY",
    "Store",
    "beside_of",
    "check_vacant",
    "discard_match",
    "failure",
    "open_locked",
    "read_config",
    "read_journal",
    "read_note",
    "read_public_games",
]

CONFIG = "match.json"
JOURNAL = "journal.jsonl"
GAMES = "games.jsonl"
COMMITMENTS = "commitments.txt"
OPENINGS = "openings.txt"
EVALUATION = "evaluation.txt"
SUMMARY = "summary.json"
REPORT = "report.html"
LOGS = "logs"
TEXT_FORMATS = {"othello": "ggf", "reversi": "sgf", "banqi": "tcga"}
"""Of games; ``reversi`` is Othello under other rules, which a GGF cannot tell."""


class Store:
    """A match folder opened for writing; only one at a time can have it open.

    Args:
        directory: of the match; made if there is none.
        config: of the match.
        fresh: begin it, instead of going on with what is there.
        replace: begin it in place of a match that is there; that one is gone once all that the new one needs is
            written, and untouched until then.
        beside: files that the match cannot go on without, by name; for a fresh one.

    Raises:
        StoreError: there is a match already (``fresh`` without ``replace``), or another process has it open, or it
            cannot be written. Every method that writes raises it too, as on a full disk.
    """

    def __init__(
        self,
        directory: Path,
        config: MatchConfig,
        *,
        fresh: bool,
        replace: bool = False,
        beside: Mapping[str, bytes] | None = None,
    ) -> None:
        self.directory = directory
        self._config = config
        text = "reversi" if config.game == "othello" and config.rules else config.game
        self._text_format = FORMATS[TEXT_FORMATS[text]]
        self._text_path = directory / text_name(text)
        self._begun: dict[int, str] = {}
        with ExitStack() as undo:
            try:
                if fresh:
                    self._begin(replace, {**(beside or {}), CONFIG: encode_config(config)}, undo)
                else:
                    require_regular(directory / JOURNAL, directory / COMMITMENTS, *self._public)
                    self._journal = undo.enter_context(open_locked(directory / JOURNAL))
                    repair(directory / JOURNAL)
                    self._begun = read_commitments(directory / COMMITMENTS)
                    self._games, self._text = (undo.enter_context(opened(path)) for path in self._public)
            except OSError as error:
                raise failure(directory, error) from None
            undo.pop_all()

    @property
    def _public(self) -> tuple[Path, Path]:
        return self.directory / GAMES, self._text_path

    def _begin(self, replace: bool, notes: Mapping[str, bytes], undo: ExitStack) -> None:
        """Make a match of the folder: all is written beside, then what was there is removed, then all is renamed.

        It is a match once it has its description, the last of ``notes``; a start that fails leaves what was there.
        """
        directory = self.directory
        check_vacant(directory, replace=replace)
        if not directory.exists():
            directory.mkdir(parents=True)
            undo.callback(remove_folder, directory)
        require_regular(directory / JOURNAL, directory / COMMITMENTS, *self._public)
        if not (directory / JOURNAL).exists():
            undo.callback((directory / JOURNAL).unlink, missing_ok=True)
        self._journal = undo.enter_context(open_locked(directory / JOURNAL))
        check_vacant(directory, replace=replace)  # another process may have begun one meanwhile
        for name, data in notes.items():
            undo.callback(beside_of(directory / name).unlink, missing_ok=True)
            beside_of(directory / name).write_bytes(data)
        clear(directory, self._journal)
        for path in self._public:
            undo.callback(path.unlink, missing_ok=True)
        self._games, self._text = (undo.enter_context(opened(path)) for path in self._public)
        for name in notes:
            beside_of(directory / name).replace(directory / name)

    def remember(self, record: GameRecord) -> None:
        """Keep a finished game for certain; nobody else sees it yet."""
        append(self._journal, self.directory / JOURNAL, encode_record(record))

    def commit(self, number: int, commitment: str) -> str | None:
        """Tell the commitment to a deal before the game begins.

        Returns:
            The commitment that this one replaces, if the game was begun before and not played to its end.
        """
        path = self.directory / COMMITMENTS
        replaced = self._begun.pop(number, None)
        remark = "" if replaced is None else f" replaces {replaced}"
        try:
            with path.open("ab", buffering=0) as file:
                append(file, path, f"{number} {commitment}{remark}\n".encode())
        except OSError as error:
            raise failure(path, error) from None
        return replaced

    def publish(self, record: GameRecord) -> None:
        """Write a game where everybody may read it."""
        append(self._games, self.directory / GAMES, encode_record(record))
        append(self._text, self._text_path, self._as_text(record))

    def rewrite_public(self, records: Iterator[GameRecord]) -> None:
        """Write the published files anew, atomically."""
        self._games.close()
        self._text.close()
        games, text = self.directory / f"{GAMES}.new", self.directory / f"{self._text_path.name}.new"
        try:
            with games.open("wb") as games_file, text.open("wb") as text_file:
                for record in records:
                    games_file.write(encode_record(record))
                    text_file.write(self._as_text(record))
            games.replace(self.directory / GAMES)
            text.replace(self._text_path)
            self._games, self._text = map(opened, self._public)
        except OSError as error:
            raise failure(self.directory, error) from None

    def write_file(self, name: str, data: bytes) -> None:
        """Write a whole file of the folder, atomically."""
        try:
            write_whole(self.directory / name, data)
        except OSError as error:
            raise failure(self.directory / name, error) from None

    def log_path(self, name: str) -> Path:
        """Where a log called ``name`` goes."""
        return self.directory / LOGS / name

    def close(self) -> None:
        for file in (self._games, self._text, self._journal):
            file.close()

    def _as_text(self, record: GameRecord) -> bytes:
        format_game = self._text_format.format_game
        assert format_game is not None
        return (format_game(plain_record(record)) + self._text_format.end).encode()


def check_vacant(directory: Path, *, replace: bool = False) -> None:
    """Refuse a place where no match can begin.

    Args:
        replace: a match that is there is to be replaced.

    Raises:
        StoreError: it is no folder, or there is a match.
    """
    if directory.exists() and not directory.is_dir():
        raise StoreError(f"{directory}: not a folder")
    if not replace and (directory / CONFIG).exists():
        raise StoreError(f"{directory} holds a match already; --resume goes on with it, --force replaces it")


def opened(path: Path) -> IO[bytes]:
    """A file to append to, so that every line is there at once."""
    return path.open("ab", buffering=0)


def beside_of(path: Path) -> Path:
    """Where a file is written before it replaces what is there."""
    return path.with_name(f"{path.name}.new")


def remove_folder(directory: Path) -> None:
    with contextlib.suppress(OSError):  # somebody has put something there
        directory.rmdir()


def text_name(game: str) -> str:
    """The name of the file with the games as text; ``game`` is a key of `TEXT_FORMATS`."""
    return f"games{FORMATS[TEXT_FORMATS[game]].suffixes[0]}"


def clear(directory: Path, journal: IO[bytes]) -> None:
    """Remove the files of a match from its folder, all but its locked journal, which is emptied.

    Whoever is killed meanwhile leaves a match that is to be replaced still, or a folder in which one can begin: the
    description goes last, and no game is left when it goes.
    """
    texts = [text_name(game) for game in TEXT_FORMATS]
    for name in (GAMES, *texts, COMMITMENTS, OPENINGS, EVALUATION, SUMMARY, REPORT):
        (directory / name).unlink(missing_ok=True)
    for log in (directory / LOGS).glob("*.txt"):
        log.unlink()
    journal.truncate(0)
    (directory / CONFIG).unlink(missing_ok=True)


def discard_match(directory: Path) -> None:
    """Remove the files of a match, and nothing else, from its folder, and a folder that is empty then.

    Raises:
        StoreError: a process plays the match, or a file cannot be removed.
    """
    if not directory.is_dir():
        return
    try:
        require_regular(directory / JOURNAL)
        with open_locked(directory / JOURNAL) as journal:
            clear(directory, journal)
        (directory / JOURNAL).unlink()  # Windows removes no open file
    except OSError as error:
        raise failure(directory, error) from None
    remove_folder(directory / LOGS)
    remove_folder(directory)


def read_config(directory: Path) -> MatchConfig:
    """The description of the match in a folder.

    Raises:
        StoreError: there is none.
    """
    try:
        return decode_config(read_small(directory / CONFIG))
    except OSError as error:
        raise failure(directory / CONFIG, error) from None
    except StoreError as error:
        raise StoreError(f"{directory / CONFIG}: {error}") from None


def read_note(directory: Path, name: str) -> str | None:
    """The text of a small file that the match was begun with; None if it was begun without.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        return read_small(directory / name).decode(errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failure(directory / name, error) from None


def read_journal(directory: Path) -> Iterator[GameRecord]:
    """All finished games in the order in which they ended, secrets included."""
    return read_lines(directory / JOURNAL)


def read_public_games(directory: Path) -> Iterator[GameRecord]:
    """The published games. A deal that is not open yet is hidden."""
    return map(hide_unopened, read_lines(directory / GAMES))


def hide_unopened(record: GameRecord) -> GameRecord:
    return record if record.deal is None or record.deal.seed is not None else hide_proof(record)


def read_lines(path: Path) -> Iterator[GameRecord]:
    """The records of a file, a cut off last line left out.

    Raises:
        StoreError: a line is no record; it is named.
    """
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield decode_record(line)
            except StoreError as error:
                raise StoreError(f"{path}, line {number}: {error}") from None


def read_commitments(path: Path) -> dict[int, str]:
    """The last commitment that was told of each game; lines that are none are left out."""
    found: dict[int, str] = {}
    if path.exists():
        with path.open(encoding="ascii", errors="replace") as lines:
            for words in map(str.split, lines):
                if len(words) in (2, 4) and words[0].isdecimal() and len(words[0]) < 16:
                    found[int(words[0])] = words[1]
    return found


def repair(path: Path) -> None:
    """Take out a last line that was cut off."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        keep = end
        while keep > 0:
            step = min(keep, 1 << 16)
            file.seek(keep - step)
            found = file.read(step).rfind(b"\n")
            if found >= 0:
                keep = keep - step + found + 1
                break
            keep -= step
        if keep != end:
            file.truncate(keep)


def append(file: IO[bytes], path: Path, data: bytes) -> None:
    """All of ``data``: an unbuffered file on a disk that fills up takes a part of it and says nothing."""
    try:
        while data:
            data = data[file.write(data) :]
    except OSError as error:
        raise failure(path, error) from None


def failure(path: Path, error: OSError) -> StoreError:
    """What a system's refusal is to the match."""
    return StoreError(described(error, path))


def open_locked(path: Path) -> IO[bytes]:
    """Open a file for appending and keep other processes from doing so; the lock goes with the process.

    Raises:
        StoreError: another process has it.
    """
    file = path.open("ab", buffering=0)
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            with contextlib.suppress(AttributeError):
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        file.close()
        raise StoreError(f"{path.parent}: another process plays this match") from None
    return file
