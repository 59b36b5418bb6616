"""`fanqi show`: a position or a game on the terminal, or as an SVG picture."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.command_line import die, names_file, say, say_error, svg_file
from fanqi.exit_codes import FAILED
from fanqi.files import FileError, write_whole

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.records import GameRecord

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

LONGEST_TITLE = 400


def read_record(text: str, number: int) -> GameRecord:
    """A position as a game without moves, or the game of that number of a file.

    Raises:
        FileError: the file cannot be read.
        RecordError: what is in it cannot, or there are fewer games.
    """
    from fanqi.records import RecordError, parse_game_or_position

    path = Path(text)
    try:
        is_there = path.exists()
    except (OSError, ValueError):  # a position, too long or too odd for a path
        is_there = False
    if not is_there:
        try:
            return parse_game_or_position(text)
        except RecordError:
            if not names_file(text):
                raise
    if path.is_dir():
        with contextlib.suppress(RecordError):  # a folder may be called like a game
            return parse_game_or_position(text)
    try:
        return read_game(text, number)
    except RecordError as error:
        raise RecordError(error.located(text)) from None


def read_game(source: str, wanted: int) -> GameRecord:
    """The game of that number of a file; an error beside it is said, and is no hindrance."""
    from fanqi.cli.convert import read_source
    from fanqi.records import RecordError, numbered

    games = 0
    for number, item in numbered(read_source(source, None)):
        if isinstance(item, RecordError) and not item.lost:
            say_error("show", item.located(source))
            continue
        games = number
        if number == wanted:
            if isinstance(item, RecordError):
                raise item
            return item
    raise RecordError(f"game {wanted} of a file of {games}")


def positions_of(record: GameRecord, ply: int | None) -> tuple[list[Position], str]:
    """The positions up to a ply, and the move that led to the last of them.

    Raises:
        RecordError: a move is not legal, or the game has not so many plies.
    """
    from fanqi.records import RecordError, positions

    if ply is not None and ply > len(record.moves):
        raise RecordError(f"there is no ply {ply}: the game has {len(record.moves)}")
    moves = record.moves if ply is None else record.moves[:ply]
    return list(positions(record, len(moves))), moves[-1].move if moves else ""


def heading(record: GameRecord, ply: int) -> str:
    """Who played whom, where and when, and how far the game is shown; fit for a terminal, whatever the file says."""
    from fanqi.uci.errors import shown

    seats = ("Black", "White") if record.game == "othello" else ("first", "second")
    names = [name or seat for name, seat in zip(record.players, seats, strict=True)]
    parts = [f"{names[0]} – {names[1]}"] if any(record.players) else []
    parts += [text for text in (record.place, record.date) if text]
    if ply < len(record.moves):
        parts.append(f"ply {ply} of {len(record.moves)}")
    return shown(", ".join(parts), LONGEST_TITLE)


def move_numbers(record: GameRecord, ply: int) -> dict[str, int]:
    """The number of the move on each square; passes have none, as in printed diagrams."""
    played = [move.move for move in record.moves[:ply] if move.move != "pass"]
    return {square: number for number, square in enumerate(played, 1)}


@app.command()
def show(
    what: Annotated[list[str], typer.Argument(metavar="POSITION|FILE", help="A position in any notation, or a file.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of a file.")] = 1,
    ply: Annotated[int | None, typer.Option(min=0, help="After how many plies; the end if left out.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write an SVG picture there instead.", callback=svg_file)] = None,
    numbers: Annotated[bool, typer.Option("--numbers", help="SVG, Othello: number the discs by move.")] = False,
    letters: Annotated[bool, typer.Option("--letters", help="Letters instead of discs and characters.")] = False,
) -> None:
    """Show a position or a game.

    POSITION is 64 cells and a side to move, a transcript, a GGF board or game, a FEN of Edax or Fairy-Stockfish, a
    banqi position, or "othello" or "banqi" for a start position. FILE is a record that "fanqi convert" reads.

    \b
    Example: fanqi show f5d6c3d3c4
    Example: fanqi show game.ggf --ply 20 --svg board.svg --numbers
    Example: fanqi show "X.../.n../..../.R../..../..../.k../P..K g b 11 r:b5>b7=5"
    """
    from rich.console import Console

    from fanqi.drawing import Marks, board_svg, board_text
    from fanqi.records import RecordError

    try:
        record = read_record(" ".join(what), game)
        reached, last = positions_of(record, ply)
    except (RecordError, FileError) as error:
        die("show", error, FAILED)
    position, shown = reached[-1], len(reached) - 1
    title = heading(record, shown)
    console = Console(highlight=False)
    # a terminal of another encoding cannot show the signs
    letters = letters or (svg is None and not console.encoding.lower().startswith("utf"))
    legal = position.legal_moves() if record.game == "othello" else ()
    marks = Marks(last, legal, letters)
    if svg is None:
        if title:
            console.print(title, soft_wrap=True, markup=False)
        console.print(board_text(record.game, position, marks))
        return
    played = move_numbers(record, shown) if numbers and record.game == "othello" else None
    try:
        write_whole(svg, board_svg(record.game, position, marks, title, played).encode())
    except OSError as error:
        die("show", FileError.writing(svg, error), FAILED)
    say(f"{svg} written")
