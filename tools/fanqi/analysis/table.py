"""A review on a terminal: colours where there are some, and readable without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from fanqi.analysis.facts import BanqiFacts, OthelloFacts
from fanqi.analysis.names import game_facts, line_text, seat_name, side_name, title_of
from fanqi.analysis.totals import PHASES, totals_of
from fanqi.game import Player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from fanqi.analysis.facts import Facts
    from fanqi.analysis.review import GameReview, Line, MoveReview
    from fanqi.analysis.totals import Totals

__all__ = ["LINE_MOVES", "review_table"]

LINE_MOVES = 7
MARK_STYLES = {"": "", "?!": "yellow", "?": "dark_orange", "??": "bold red"}
DISCS = {Player.P1: "●", Player.P2: "○"}
LETTERS = {Player.P1: "B", Player.P2: "W"}
SEATS = {Player.P1: "1", Player.P2: "2"}

FACT_HEADINGS = {
    "othello": ("discs", "mobility", "stable", "frontier", "odd"),
    "banqi": ("men", "mobility", "attacked", "hanging", "covered"),
}
FACTS_BY_WORTH = {
    "othello": ("mobility", "stable", "odd", "discs", "frontier"),
    "banqi": ("hanging", "covered", "attacked", "mobility", "men"),
}
"""Which of them narrow terminals show."""
GAP = 2
"""Blanks between columns."""
MOST_NAME = 16
"""Letters of a name before it is cut."""
LEAST_LINE = 11
"""Columns that the line of moves should have before the last facts are let in."""


def review_table(review: GameReview, *, width: int, letters: bool = False) -> Iterator[RenderableType]:
    """What there is to print about a game, piece by piece.

    Args:
        width: columns there are.
        letters: letters instead of discs, for terminals that cannot show them.
    """
    yield heading(review)
    if review.moves:
        yield moves_table(review, width=width, letters=letters)
    if review.final is not None:
        yield last_position(review, review.final)
    if review.moves:
        yield Text()
        yield totals_table(review)
        yield Text(footnote(review), style="dim")
    if not review.complete:
        yield Text(f"interrupted: {len(review.moves)} of {len(review.record.moves)} moves", style="bold")


def heading(review: GameReview) -> Text:
    text = Text(f"Game {review.number}: {title_of(review.record)}\n", style="bold")
    text.append(", ".join(f"{name} {value}" for name, value in game_facts(review)), style="not bold")
    text.append("\n")
    return text


def moves_table(review: GameReview, *, width: int, letters: bool) -> Table:
    """A line a move; facts are those of the position after it, as many as there is room for."""
    game = review.record.game
    banqi = game == "banqi"
    names = ["#", "move", "score", "loss", *(["luck"] if banqi else []), "best", "score", "line"]
    line = len(names) - 1
    names += FACT_HEADINGS[game]
    rows = [list(row(review, move, banqi=banqi, letters=letters)) for move in review.moves]
    widths = [max(len(name), *(cells[place].cell_len for cells in rows)) for place, name in enumerate(names)]
    left = width - sum(widths[:line]) - GAP * line
    shown = set(range(line))
    for name in FACTS_BY_WORTH[game]:
        place = names.index(name)
        if left - GAP - widths[place] >= min(LEAST_LINE, widths[line]):
            left -= GAP + widths[place]
            shown.add(place)
    if left >= len("line"):
        shown.add(line)
        widths[line] = min(widths[line], left)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place in sorted(shown):
        left_aligned = names[place] in ("move", "best", "line")
        table.add_column(names[place], justify="left" if left_aligned else "right", no_wrap=True, width=widths[place])
    for cells in rows:
        table.add_row(*(cells[place] for place in sorted(shown)))
    return table


def row(review: GameReview, move: MoveReview, *, banqi: bool, letters: bool) -> Iterator[Text]:
    scale, board = review.scale, review.boards[move.ply - 1]
    yield Text(str(move.ply), style="dim")
    signs = SEATS if banqi else LETTERS if letters else DISCS
    yield Text(f"{signs[move.player]} {move.move} {move.signs}".rstrip(), style=MARK_STYLES[move.mark])
    yield Text(score_after(review, move))
    yield Text(scale.loss_text(move.loss, exact=move.exact), style=MARK_STYLES[move.mark])
    if banqi:
        yield Text("" if move.luck is None else f"{move.luck:+z.1f}".replace("-", "−"))
    if move.loss:
        yield Text(line_text(move.best, board, 1))
        yield Text(scale.text(scale.for_p1(move.best.value, move.player), exact=move.best.exact))
    else:
        yield Text("given" if move.given else "forced" if move.forced else "=", style="dim")
        yield Text()
    yield Text(line_text(move.played if move.is_best else move.best, board, LINE_MOVES), style="dim")
    for fact in fact_cells(review.facts[move.ply]):
        yield Text(fact, style="dim")


def score_after(review: GameReview, move: MoveReview) -> str:
    """The score of the position after a move, for p1."""
    return review.scale.text(review.scale.for_p1(move.value, move.player), exact=move.value_exact)


def fact_cells(facts: Facts) -> tuple[str, ...]:
    """One cell for each of `FACT_HEADINGS`."""
    match facts:
        case OthelloFacts():
            pairs = (facts.discs, facts.mobility, facts.stable, facts.frontier)
            return (*(f"{black}-{white}" for black, white in pairs), f"{facts.odd}/{facts.regions}")
        case BanqiFacts():
            attacked, hanging = ([len(squares) for squares in pair] for pair in (facts.attacked, facts.hanging))
            pairs = (facts.men, facts.mobility, (attacked[0], attacked[1]), (hanging[0], hanging[1]))
            return (*(f"{first}-{second}" for first, second in pairs), str(facts.covered))


def last_position(review: GameReview, final: Line) -> Text:
    """What the last position is worth."""
    board = review.boards[-1]
    value = review.scale.text(review.scale.for_p1(final.value, board.turn), exact=final.exact)
    if not final.moves:
        return Text(f"\nend of the game: {value}")
    where = "\nafter the last move" if review.moves else "score"
    return Text(f"{where}: {value}, best {line_text(final, board, LINE_MOVES)} (depth {final.depth})")


def totals_table(review: GameReview) -> Table:
    """A line a player, and one for each phase."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("player", no_wrap=True, overflow="ellipsis")
    names = ["moves", "best", "?!", "?", "??", "mean loss", "accuracy %"]
    players = totals_of(review)
    lucky = any(player.luck is not None for player in players)
    for name in [*names, *(["luck"] if lucky else [])]:
        table.add_column(name, justify="right", no_wrap=True)
    for player in players:
        name, side = seat_name(review.record, player.player), side_name(review, player.player)
        if name != side:
            name = f"{name if len(name) <= MOST_NAME else name[: MOST_NAME - 1] + '…'} ({side})"
        luck = "" if player.luck is None else f"{player.luck:+z.1f}".replace("-", "−")
        table.add_row(Text(name), *totals_cells(player.whole), luck)
        for phase, sums in zip(PHASES, player.phases, strict=True):
            if sums.decisions:
                table.add_row(
                    Text(f"  {phase}", style="dim"), *(Text(cell, style="dim") for cell in totals_cells(sums))
                )
    return table


def totals_cells(sums: Totals) -> tuple[str, ...]:
    counts = (sums.decisions, sums.best, sums.dubious, sums.mistakes, sums.blunders)
    mean = "" if sums.mean_loss is None else f"{sums.mean_loss:.2f}"
    return (*map(str, counts), mean, "" if sums.accuracy is None else f"{sums.accuracy:.1f}")


def footnote(review: GameReview) -> str:
    """What the figures mean."""
    scale = review.scale
    if scale.unit == "discs":
        told = (
            "Scores are those of the position after the move, for Black; a loss is what the best move would have "
            "saved. Both are in discs, exact without decimals. Pairs: Black-White, after the move; odd: odd regions of "
            "empty squares, of all. C, X: played there beside an empty corner."
        )
    else:
        told = (
            "Scores: what the first player can expect after the move, in per cent, a win 100, a draw 50; losses in "
            "points of it; exact without decimals. Luck: what a flip showed, less what could be expected of it, for "
            "its player. Pairs: first-second, after the move."
        )
    return f"{told} ?! loses {scale.dubious:g} or more, ? {scale.mistake:g}, ?? {scale.blunder:g}."
