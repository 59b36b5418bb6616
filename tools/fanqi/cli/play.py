"""`fanqi play`: a person against the engine on a terminal."""

from __future__ import annotations

import datetime
import itertools
import random
from typing import TYPE_CHECKING, Annotated

import typer

from fanqi.command_line import die, known_game
from fanqi.exit_codes import INTERRUPTED
from fanqi.game import GameError, Player, load_game, quoted

if TYPE_CHECKING:
    from fanqi.game import Game, Position
    from fanqi.records import GameRecord

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

BOOK_VARIETY = 1.0
"""Discs a game of Othello may open worse than it could, so that not every evening begins alike."""
SEAT_WORDS = {
    "othello": ("black", "white", "first", "second", "random"),
    "banqi": ("first", "second", "draw", "random"),
}
SEATS = {"first": Player.P1, "black": Player.P1, "second": Player.P2, "white": Player.P2}


def chosen_seat(game: str, seat: str | None, seed: int | None, *, usual_start: bool) -> Player | None:
    """The person's seat; None where the five-piece draw decides."""
    if game == "banqi" and seat in (None, "draw"):
        return None if usual_start else Player.P1
    if seat is None:
        return Player.P1
    if seat == "random":
        return random.Random(seed).choice(tuple(Player))
    if seat not in SEAT_WORDS[game]:
        raise typer.BadParameter(f"{quoted(seat)}: expected one of {', '.join(SEAT_WORDS[game])}", param_hint="--seat")
    return SEATS[seat]


def start_position(game: Game, text: str | None, rules: str) -> Position:
    """Where the game begins.

    Raises:
        GameError: the rules or the position are refused.
    """
    from fanqi.records import RecordError, parse_position

    if text is None:
        return game.start(rules)
    try:
        found, position = parse_position(text, rules)
    except RecordError as error:
        raise GameError(error.text or text, error.reason) from None
    if found != game.name:
        raise GameError(text, f"that is a position of {found}")
    return position


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="othello or banqi", callback=known_game)] = "othello",
    level: Annotated[
        str, typer.Option(help="0 to 20 (full strength), beginner, intermediate, advanced, or 'elo N'.")
    ] = "20",
    movetime: Annotated[
        int | None,
        typer.Option(min=1, help="Milliseconds the engine takes for a move at most; 1000, for advanced 1500."),
    ] = None,
    seat: Annotated[
        str | None, typer.Option(help="black, white (Othello); first, second, draw (banqi); random.")
    ] = None,
    position: Annotated[str | None, typer.Option(help="Begin there instead, in any notation.")] = None,
    rules: Annotated[str, typer.Option(help="Rule parameters: chase=off (banqi), rules=1890 (Othello).")] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="Of the deal, and of the engine's whims.")] = None,
    letters: Annotated[bool, typer.Option("--letters", help="Letters instead of discs and characters.")] = False,
) -> None:
    """Play against the engine.

    Othello: you are Black unless you say otherwise. Banqi: an arbiter deals, commits to the deal before the first move
    and proves it afterwards; the five-piece draw decides who begins. Type help during the game for everything else, as
    hint and draw. After the game there are a rematch with the seats changed, an analysis of the game, and save. Exit
    codes: 0 good, 2 usage, 130 interrupted.

    \b
    Example: fanqi play
    Example: fanqi play othello --level 5
    Example: fanqi play othello --level intermediate
    Example: fanqi play banqi --level "elo 500"
    Example: fanqi play banqi --seat second --letters
    """
    from rich.console import Console

    from fanqi.play import Dealer, Evening, Opponent, Plan, Screen, StrengthError, Table, with_strength
    from fanqi.search import Settings

    person = chosen_seat(game, seat, seed, usual_start=position is None)
    console = Console(highlight=False)
    screen = Screen(console, console.input, letters=letters or not console.encoding.lower().startswith("utf"))
    played = load_game(game)
    try:
        start = start_position(played, position, rules)
    except GameError as error:
        die("play", error)
    try:
        whims = random.randrange(2**31) if seed is None else seed
        settings = with_strength(Settings(seed=whims, own_book=True, book_variety=BOOK_VARIETY), level, game)
    except StrengthError as error:
        raise typer.BadParameter(str(error), param_hint="--level") from None
    with console.status("Getting the engine ready; the first time this takes a minute …"):
        played.prepare()
    deals = itertools.count() if seed is None else itertools.count(seed)

    def next_table() -> Table:
        number = next(deals)
        deal = None if seed is None else number
        dealer = Dealer(deal, None if position is None else start.fen()) if game == "banqi" else None
        return Table(played, start, rules, dealer)

    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    plan = Plan(person, date=today, seed=seed or 0)
    try:
        Evening(next_table(), Opponent(played, settings, movetime), screen, plan, next_table, review_record).play()
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def review_record(record: GameRecord) -> None:
    """Judge a game and show that, as `fanqi analyse` does with a file; Ctrl-C shows what is done so far."""
    from fanqi.analysis import Plan
    from fanqi.cli.analyse import Bar, Output, review_all

    output, bar = Output("the game", as_json=False, html=None, svg=None), Bar()
    with bar.progress:
        review_all([(1, record)], Plan(), output, bar)
