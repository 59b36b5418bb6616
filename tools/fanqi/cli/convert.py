"""`fanqi convert`: game records from any format into any other."""

from __future__ import annotations

import contextlib
import datetime
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from fanqi.command_line import say, say_error
from fanqi.files import FileError, read_small, reason_of, write_whole
from fanqi.game import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fanqi.records import Format, GameRecord, RecordError, Writer

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

STANDARD_STREAM = "-"


class Report:
    """What went wrong, told as it happens, and counted.

    Attributes:
        games: written.
        unread: games that could not be read.
        damaged: errors beside the games, as in names and counts.
        unwritten: games that the format cannot hold.
    """

    def __init__(self) -> None:
        self.games = self.unread = self.damaged = self.unwritten = 0

    def cannot_read(self, source: str, error: RecordError) -> None:
        self.unread += error.lost
        self.damaged += not error.lost
        say_error("convert", error.located(source))

    def cannot_write(self, source: str, number: int, error: RecordError) -> None:
        self.unwritten += 1
        say_error("convert", f"{source}: game {number}: {error}")

    @property
    def complete(self) -> bool:
        """Whether everything was read and written."""
        return self.games > 0 and not (self.unread or self.damaged or self.unwritten)

    def summary(self, target: str, kind: Format) -> str:
        """One sentence."""
        if self.games:
            text = f"{self.games} {'game' if self.games == 1 else 'games'} written to {target} ({kind.title})"
        else:
            text = f"no game written to {target}"
        if self.unread:
            text += f", {self.unread} could not be read"
        if self.damaged:
            text += f", {self.damaged} {'error' if self.damaged == 1 else 'errors'} beside the games"
        if self.unwritten:
            text += f", {self.unwritten} cannot be held by that format"
        return text


def chosen_format(name: str | None, option: str) -> Format | None:
    """A format by its name on the command line."""
    from fanqi.records import FORMATS

    if name is None:
        return None
    if name not in FORMATS:
        raise typer.BadParameter(f"{quoted(name)} is no format; there are {', '.join(FORMATS)}", param_hint=option)
    return FORMATS[name]


def target_format(target: str, name: str | None) -> Format:
    """The format to write: as chosen, else by the ending of the file name."""
    from fanqi.records import FORMATS, format_for_suffix

    kind = chosen_format(name, "--to") or format_for_suffix(target)
    if kind is None:
        endings = ", ".join(f"{entry.suffixes[0]} ({entry.name})" for entry in FORMATS.values())
        raise typer.BadParameter(
            f"{quoted(target)} does not say which format: end it in one of {endings}, or give --to"
        )
    return kind


def read_source(source: str, kind: Format | None) -> Iterator[GameRecord | RecordError]:
    """The games of one file, or of stdin.

    Raises:
        FileError: it cannot be read.
        RecordError: it is of no known format.
    """
    try:
        yield from read_file(source, kind)
    except OSError as error:
        raise FileError.reading(error.filename or source, error) from None


def read_file(source: str, kind: Format | None) -> Iterator[GameRecord | RecordError]:
    """The same, with the system's errors."""
    from fanqi.records import read_records

    if source == STANDARD_STREAM:
        yield from read_records(sys.stdin.buffer, kind)
        return
    path = Path(source)
    with path.open("rb") as stream:
        size = path.stat().st_size if path.is_file() else None
        yield from read_records(stream, kind, size=size, names=lambda: wthor_names(path))


def wthor_names(source: Path) -> tuple[tuple[str, ...], tuple[str, ...], list[RecordError]]:
    """Players and tournaments from the name files beside a WTHOR file, as far as there are such files.

    What is wrong with one comes last; its file is named.
    """
    from fanqi.records import RecordError, read_names
    from fanqi.records.wthor import PLAYER_BYTES, TOURNAMENT_BYTES

    found: list[tuple[str, ...]] = []
    errors: list[RecordError] = []
    for suffix, record_bytes in ((".jou", PLAYER_BYTES), (".trn", TOURNAMENT_BYTES)):
        names: tuple[str, ...] = ()
        error: RecordError | None = None
        if path := name_file(source, suffix):
            try:
                names, error = read_names(read_small(path), record_bytes)
            except OSError as failure:
                error = RecordError(f"no names: {reason_of(failure)}", lost=False)
            if error is not None:
                error.file = str(path)
                errors.append(error)
        found.append(names)
    return found[0], found[1], errors


def name_file(source: Path, suffix: str) -> Path | None:
    """The file of the same stem, else ``WTHOR``, else the only one of the folder; endings in any case."""
    beside = [path for path in sorted(source.parent.iterdir()) if path.suffix.lower() == suffix]
    for stem in (source.stem.lower(), "wthor"):
        for path in beside:
            if path.stem.lower() == stem:
                return path
    return beside[0] if len(beside) == 1 else None


@contextlib.contextmanager
def written_whole(target: str) -> Iterator[BinaryIO]:
    """A file that appears under its name only when it is complete, so that it may be one of the sources.

    Nothing appears, and what is there stays, if nothing is written.

    As for `fanqi.files.write_whole`, a link stays one, and what is there and no regular file is written to.

    Raises:
        FileError: it cannot be written.
    """
    if target == STANDARD_STREAM:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if Path(target).exists() and not Path(target).is_file():
        try:
            with Path(target).open("wb") as stream:
                yield stream
        except FileError:  # of a source
            raise
        except OSError as error:
            raise FileError.writing(target, error) from None
        return
    path = Path(os.path.realpath(target))
    try:
        descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise FileError.writing(target, error) from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            empty = stream.tell() == 0
        if empty:
            Path(part).unlink()
            return
        umask = os.umask(0)
        os.umask(umask)
        Path(part).chmod(0o666 & ~umask)
        Path(part).replace(path)
    except BaseException as error:
        Path(part).unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise FileError.writing(target, error) from None
        raise


def write_name_files(writer: Writer, target: str) -> None:
    """The players and tournaments of a WTHOR file, beside it."""
    from fanqi.records import WthorWriter

    if isinstance(writer, WthorWriter) and target != STANDARD_STREAM:
        for suffix, data in writer.name_files().items():
            path = Path(target).with_suffix(suffix)
            try:
                write_whole(path, data)
            except OSError as error:
                raise FileError.writing(path, error) from None


@app.command()
def convert(
    sources: Annotated[list[str], typer.Argument(metavar="IN...", help='Files to read; "-" is stdin.')],
    target: Annotated[str, typer.Argument(metavar="OUT", help='File to write; "-" is stdout.')],
    source_format: Annotated[str | None, typer.Option("--from", help="Format of IN; told by its content.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format of OUT; told by its name.")] = None,
) -> None:
    """Convert game records: ggf, sgf, pgn, wthor, transcript, obf, tcga (banqi), json.

    Several IN are written into one OUT. What cannot be read is named by file, line and column, and the rest goes on;
    the exit code is then 1. Forced passes are put in where a format leaves them out, and illegal moves are refused.
    WTHOR takes its names from .jou and .trn files beside it. See docs/formats.md.

    \b
    Example: fanqi convert game.ggf game.pgn
    Example: fanqi convert WTH_*.wtb all.txt
    Example: fanqi convert --to json record.txt -
    """
    from fanqi.records import RecordError, numbered

    kind, read_as = target_format(target, to), chosen_format(source_format, "--from")
    today = datetime.datetime.now(datetime.UTC).date()
    writer = kind.writer((today.year, today.month, today.day))
    report = Report()
    try:
        with written_whole(target) as stream:
            for source in sources:
                try:
                    for number, item in numbered(read_source(source, read_as)):
                        if isinstance(item, RecordError):
                            report.cannot_read(source, item)
                            continue
                        try:
                            stream.write(writer.add(item))
                            report.games += 1
                        except RecordError as error:
                            report.cannot_write(source, number, error)
                except RecordError as error:  # no format at all
                    report.cannot_read(source, error)
            if report.games:
                stream.write(writer.finish())
        if report.games:
            write_name_files(writer, target)
    except FileError as error:  # what is wrong with stdout, all commands say alike
        say_error("convert", error)
        raise typer.Exit(1) from None
    say(report.summary(target, kind))
    if not report.complete:
        raise typer.Exit(1)
