"""Reviews as one page that needs nothing but itself, and no script to be read.

Every ply has a panel with its board; one of them is shown, the one that the address names (``#g1p12``). Links do all of
it; the script beside this module adds keys, and steps without leaving a trail in the browser's history. The page is
well-formed XML as well as HTML.
"""

from __future__ import annotations

from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from fanqi.about import VERSION
from fanqi.analysis.facts import BanqiFacts, OthelloFacts
from fanqi.analysis.graph import GRAPH_STYLE, game_graph, score_title
from fanqi.analysis.names import game_facts, line_text, result_text, seat_name, side_name, title_of
from fanqi.analysis.table import fact_cells, score_after
from fanqi.analysis.totals import PHASES, totals_of
from fanqi.drawing import BANQI_NAMES, Marks, board_symbols, captured_letters, expected_score, page_style, small_board
from fanqi.game import Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fanqi.analysis.facts import Facts
    from fanqi.analysis.review import GameReview, Line, MoveReview
    from fanqi.analysis.totals import Totals
    from fanqi.game import Position

__all__ = ["build_page"]

MARK_CLASSES = {"": "", "?!": "m1", "?": "m2", "??": "m3"}
MARK_WORDS = {"?!": "dubious", "?": "a mistake", "??": "a blunder"}
LINE_MOVES = 9

EXPLANATIONS = {
    "othello": (
        "Scores are the final difference in discs that the search expects after the move, for Black; a figure without "
        "decimals is exact. A loss is what the best move would have saved: the smaller of what the search before the "
        "move and the scores of the two positions say. "
        "Mobility: squares that could be played; stable: discs that can never be turned; frontier: discs beside an "
        "empty square; odd: regions of empty squares with an odd number of them. Pairs are Black–White. C and X: "
        "played on such a square beside an empty corner."
    ),
    "banqi": (
        "Scores are what the first player can expect of the game after the move, in per cent: a win is 100, a draw "
        "50; a figure without decimals is exact. A loss is what the best move would have saved, in points: the "
        "smaller of what the search before the move and the scores of the two positions say. A flip is judged by "
        "what could be expected of it, and what it then showed is luck. Attacked: men that could be captured; "
        "hanging: those that could be captured and not taken back. Pairs are first–second player."
    ),
}


def build_page(reviews: Sequence[GameReview]) -> str:
    """The page of some reviewed games."""
    title = title_of(reviews[0].record) if len(reviews) == 1 else f"{len(reviews)} games"
    parts = {
        "title": escape(title),
        "style": page_style(boards=True) + GRAPH_STYLE + part("analysis.css"),
        "symbols": board_symbols({review.record.game for review in reviews}),
        "contents": contents(reviews) if len(reviews) > 1 else "",
        "games": "\n".join(game_part(review, alone=len(reviews) == 1) for review in reviews),
        "foot": escape(f"Made by Fanqi {VERSION}."),
        "script": part("analysis.js"),
    }
    pieces = part("analysis.html").split("{{")
    return pieces[0] + "".join(parts[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces[1:]))


def part(name: str) -> str:
    """A file that the page is made of."""
    return (resources.files("fanqi.analysis") / "page" / name).read_text(encoding="utf-8")


def contents(reviews: Sequence[GameReview]) -> str:
    """The list of the games of a page."""
    rows = []
    for review in reviews:
        found = totals_of(review)
        accuracies = "".join(f"<td class='number'>{percent(player.whole.accuracy)}</td>" for player in found)
        rows.append(
            f"<tr><td class='number'>{review.number}</td><td><a href='#game{review.number}'>"
            f"{escape(title_of(review.record))}</a></td><td>{escape(result_text(review.record))}</td>{accuracies}</tr>"
        )
    heads = "<th class='number'>#</th><th>game</th><th>result</th>"
    heads += "<th class='number'>accuracy of the first</th><th class='number'>of the second</th>"
    table = f"<table><tr>{heads}</tr>{''.join(rows)}</table>"
    return f"<header><h1>{len(reviews)} games</h1></header><section class='card wide'>{table}</section>"


def game_part(review: GameReview, *, alone: bool) -> str:
    """Everything about one game."""
    record = review.record
    name = title_of(record) if alone else f"Game {review.number}: {title_of(record)}"
    level = "h1" if alone else "h2"
    facts = "".join(f"<span>{escape(key)} <b>{escape(value)}</b></span>" for key, value in game_facts(review))
    out = [
        f"<article id='game{review.number}' class='game {record.game}'>",
        f"<header><{level} class='title'>{escape(name)}</{level}></header><p class='facts'>{facts}</p>",
    ]
    if not review.complete:
        out.append(f"<p class='note'>Interrupted: {len(review.moves)} of {len(record.moves)} moves were judged.</p>")
    panels = "".join(panel(review, ply) for ply in range(len(review.boards)))
    moves = f"<div class='card moves' tabindex='0'>{moves_table(review)}</div>" if review.moves else ""
    out.append(f"<section class='stage'><div class='card panels'>{panels}</div>{moves}</section>")
    if review.moves:
        graph = game_graph(review, link=lambda ply: f"#{panel_id(review, ply)}")
        title = f"Course of the game: {escape(score_title(review))}"
        out.append(f"<section class='card course'><h2>{title}</h2>{graph_legend(review)}{graph}</section>")
        out.append(f"<section class='cards'>{''.join(player_cards(review))}</section>")
    out.append(f"<p class='soft note'>{escape(explanation(review))}</p></article>")
    return "\n".join(out)


def graph_legend(review: GameReview) -> str:
    """Whose colour is which, and what the signs of the graph say."""
    sides = zip(Player, ("first", "second"), strict=True)
    told = [f"<span><i class='{style}'></i>{escape(who(review, player))}</span>" for player, style in sides]
    told += [f"<span><b class='{MARK_CLASSES[mark]}'>●</b> {mark} {word}</span>" for mark, word in MARK_WORDS.items()]
    if review.record.game == "banqi":
        told.append("<span><b class='soft'>▲</b> luck</span>")
    return f"<p class='legend'>{''.join(told)}</p>"


def who(review: GameReview, player: Player) -> str:
    """A player with what it plays: ``Zebra (Black)``."""
    name, side = seat_name(review.record, player), side_name(review, player)
    return side if name == side.partition(",")[0] else f"{name} ({side})"


def explanation(review: GameReview) -> str:
    scale = review.scale
    marks = f"?! loses {scale.dubious:g} or more, ? {scale.mistake:g}, ?? {scale.blunder:g}."
    halved = (
        f"Accuracy: 100 for the best move, half as much for every {scale.halving:g} lost; forced moves count nothing."
    )
    return f"{EXPLANATIONS[review.record.game]} {marks} {halved}"


def panel_id(review: GameReview, ply: int) -> str:
    return f"g{review.number}p{ply}"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def signed(value: float) -> str:
    return f"{value:+z.1f}".replace("-", "−")


# --------------------------------------------------------------------------------------------------- the players


def player_cards(review: GameReview) -> Iterator[str]:
    unit = "discs" if review.scale.unit == "discs" else "points"
    for found, style in zip(totals_of(review), ("first", "second"), strict=True):
        whole = found.whole
        figures = [
            ("accuracy", f"{percent(whole.accuracy)} %" if whole.accuracy is not None else "–"),
            (f"mean loss ({unit})", "–" if whole.mean_loss is None else f"{whole.mean_loss:.2f}"),
            ("best moves", f"{whole.best} of {whole.decisions}"),
            ("blunders ??", str(whole.blunders)),
            ("mistakes ?", str(whole.mistakes)),
            ("dubious ?!", str(whole.dubious)),
        ]
        if found.luck is not None:
            figures.append(("luck of flips", signed(found.luck)))
        listed = "".join(f"<div><dt>{escape(key)}</dt><dd>{escape(value)}</dd></div>" for key, value in figures)
        rows = "".join(phase_row(name, sums) for name, sums in zip(PHASES, found.phases, strict=True) if sums.decisions)
        heads = "<th>phase</th>" + "".join(
            f"<th class='number'>{head}</th>" for head in ("moves", "best", "mean loss", "accuracy")
        )
        name, side = seat_name(review.record, found.player), side_name(review, found.player)
        beside = "" if name == side else f" <span class='soft'>{escape(side)}</span>"
        yield (
            f"<div class='card'><h2><i class='{style}'></i>{escape(name)}{beside}</h2><dl class='figures'>{listed}</dl>"
            f"<table><tr>{heads}</tr>{rows}</table></div>"
        )


def phase_row(name: str, sums: Totals) -> str:
    mean = "–" if sums.mean_loss is None else f"{sums.mean_loss:.2f}"
    cells = (str(sums.decisions), str(sums.best), mean, percent(sums.accuracy))
    return f"<tr><td>{name}</td>{''.join(f'<td class=number>{cell}</td>' for cell in cells)}</tr>".replace(
        "class=number", "class='number'"
    )


# ------------------------------------------------------------------------------------------------ the move table


def moves_table(review: GameReview) -> str:
    """A row a move; the last columns are left out where there is no room, since the panels have it all."""
    banqi = review.record.game == "banqi"
    heads = ["<th class='number'>#</th>", "<th>move</th>", "<th class='number'>score</th>"]
    heads.append("<th class='number'>loss</th>")
    if banqi:
        heads.append("<th class='number'>luck</th>")
    heads += ["<th>best</th>", "<th class='extra'>line</th>"]
    beside = ("mobility", "hanging", "covered") if banqi else ("mobility", "stable", "odd")
    heads += [f"<th class='number extra'>{name}</th>" for name in beside]
    rows = "".join(move_row(review, move, banqi=banqi) for move in review.moves)
    return f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>{rows}</tbody></table>"


def move_row(review: GameReview, move: MoveReview, *, banqi: bool) -> str:
    board = review.boards[move.ply - 1]
    side = "first" if move.player is Player.P1 else "second"
    corner = f" <span class='soft'>{move.corner}</span>" if move.corner else ""
    name = f"<i class='{side}'></i>{escape(move.move)}{corner} <b class='{MARK_CLASSES[move.mark]}'>{move.mark}</b>"
    best = "" if move.is_best else escape(line_text(move.best, board, 1))
    if not move.decided:
        best = f"<span class='soft'>{'given' if move.given else 'forced'}</span>"
    cells = [
        f"<td class='number soft'>{move.ply}</td>",
        f"<td><a href='#{panel_id(review, move.ply)}'>{name}</a></td>",
        f"<td class='number'>{score_after(review, move)}</td>",
        f"<td class='number {MARK_CLASSES[move.mark]}'>{review.scale.loss_text(move.loss, exact=move.exact)}</td>",
    ]
    if banqi:
        cells.append(f"<td class='number'>{'' if move.luck is None else signed(move.luck)}</td>")
    cells.append(f"<td>{best}</td>")
    line = escape(line_text(move.played if move.is_best else move.best, board, 4 if banqi else 5))
    cells.append(f"<td class='extra soft line'>{line}</td>")
    facts = fact_cells(review.facts[move.ply])
    shown = (facts[1], facts[3], facts[4]) if banqi else (facts[1], facts[2], facts[4])
    cells += [f"<td class='number extra soft'>{cell}</td>" for cell in shown]
    return f"<tr data-ply='{move.ply}'>{''.join(cells)}</tr>"


def score(review: GameReview, line: Line, player: Player) -> str:
    """A line's score for p1."""
    return review.scale.text(review.scale.for_p1(line.value, player), exact=line.exact)


# ------------------------------------------------------------------------------------------------ board by board


def panel(review: GameReview, ply: int) -> str:
    """The position after ``ply`` moves and what there is to say about it."""
    record, last = review.record, len(review.boards) - 1
    board, first = review.boards[ply], len(record.moves) - len(review.moves)
    move = review.moves[ply - first - 1] if ply > first else None
    played = record.moves[ply - 1].move if ply else ""
    hint = move.best.moves[0] if move is not None and move.mark else ""
    if hint == "pass":
        hint = ""
    picture = small_board(record.game, board, Marks(played), hint)
    steps = "".join(
        step(review, sign, name, target, enabled=enabled)
        for sign, name, target, enabled in (
            ("|‹", "first position", 0, ply > 0),
            ("‹", "one move back", max(0, ply - 1), ply > 0),
            ("›", "one move on", min(last, ply + 1), ply < last),
            ("›|", "last position", last, ply < last),
        )
    )
    said = "".join(remarks(review, ply, move))
    lost = trays(board) if record.game == "banqi" else ""
    shown = " shown" if ply == 0 else ""
    return (
        f"<section class='ply{shown}' id='{panel_id(review, ply)}'>{picture}"
        f"<nav class='controls'>{steps}<span>{ply} of {last}</span></nav>{said}"
        f"<div class='more'>{lost}{facts_list(review.facts[ply])}</div></section>"
    )


def trays(board: Position) -> str:
    """The men that each side has lost."""
    rows = []
    for side, name, lost in zip("rb", ("Red", "Black"), captured_letters(board.fen()), strict=True):
        men = "".join(BANQI_NAMES[letter] for letter in lost)
        rows.append(f"<p class='tray'><span>{name} lost {len(lost)}</span><b class='{side}'>{men}</b></p>")
    return "".join(rows)


def step(review: GameReview, sign: str, name: str, target: int, *, enabled: bool) -> str:
    """A link to another ply; where there is none, the same shape without a link."""
    if not enabled:
        return f"<span class='off' aria-hidden='true'>{sign}</span>"
    return f"<a href='#{panel_id(review, target)}' title='{name}' aria-label='{name}'>{sign}</a>"


def remarks(review: GameReview, ply: int, move: MoveReview | None) -> Iterator[str]:
    """The verdict on the move that led here, and what the engine would play now."""
    record, scale = review.record, review.scale
    if move is None:
        what = "The position before the first move" if ply == 0 else f"{ply}. {record.moves[ply - 1].move}, not judged"
        yield f"<p class='verdict'>{escape(what)}</p>"
    else:
        before = review.boards[ply - 1]
        mark = f" <b class='{MARK_CLASSES[move.mark]}'>{move.mark}</b>" if move.mark else ""
        who = "first" if move.player is Player.P1 else "second"
        head = f"<p class='verdict'><i class='{who}'></i>{ply}. <b>{escape(move.move)}</b>{mark} "
        yield f"{head}<span>{escape(verdict(review, move))}</span></p>"
        if move.corner:
            yield f"<p class='soft'>{move.corner} square beside an empty corner.</p>"
        if move.change:
            yield f"<p class='m3'>Proven: {escape(move.change)}.</p>"
        if move.luck is not None:
            yield f"<p>Luck of the flip: {signed(move.luck)} points for its player.</p>"
        if not move.is_best:
            yield f"<p class='soft'>Best was {escape(line_text(move.best, before, LINE_MOVES))}</p>"
        known = (move.best.moves[:1], move.played.moves[:1])  # their scores are those of positions of the game
        others = [line for line in move.lines if line.moves[:1] not in known]
        for other in others:
            worth = score(review, other, move.player)
            yield f"<p class='soft'>{worth}: {escape(line_text(other, before, LINE_MOVES))}</p>"
        yield from recorded(review, move)
    value = review.values[ply]
    if value is None:
        return
    exact, line = next_line(review, ply)
    said = f"Score now: <b>{scale.text(value, exact=exact)}</b>"
    if line is not None and line.moves:
        said += f" <span class='soft'>{escape(line_text(line, review.boards[ply], LINE_MOVES))}</span>"
    yield f"<p>{said}</p>"


def next_line(review: GameReview, ply: int) -> tuple[bool, Line | None]:
    """What the engine would play in a position."""
    first = len(review.record.moves) - len(review.moves)
    line = review.moves[ply - first].best if ply < len(review.record.moves) else review.final
    return (False, None) if line is None else (line.exact, line)


def verdict(review: GameReview, move: MoveReview) -> str:
    """One clause about a move."""
    if move.given:
        return "given as the opening, not judged"
    if move.forced:
        return "forced"
    if move.is_best:
        return "the best move" if move.best.exact else "nothing better found"
    lost = review.scale.loss_text(move.loss, exact=move.exact)
    unit = "" if not lost else " discs" if review.scale.unit == "discs" else " points"
    word = f"{MARK_WORDS[move.mark]}: " if move.mark else ""
    return f"{word}lost {lost or 'next to nothing'}{unit}"


def recorded(review: GameReview, move: MoveReview) -> Iterator[str]:
    """What the record itself says of a move."""
    parts = []
    if move.recorded is not None:
        thought = f"{move.recorded:+z.2f} discs".replace("-", "−")
        if review.record.game == "banqi":
            thought = f"{expected_score(move.recorded):.1f} %"
        parts.append(f"its player expected {thought} for itself")
    if move.seconds is not None:
        parts.append(f"took {move.seconds:.3g} s")
    if parts:
        yield f"<p class='soft'>By the record {' and '.join(parts)}.</p>"


def facts_list(facts: Facts) -> str:
    match facts:
        case OthelloFacts():
            pairs = [
                ("discs", facts.discs),
                ("mobility", facts.mobility),
                ("stable", facts.stable),
                ("frontier", facts.frontier),
            ]
            listed = [(name, f"{pair[0]}–{pair[1]}") for name, pair in pairs]
            listed += [("empty", str(facts.empties)), ("odd regions", f"{facts.odd} of {facts.regions}")]
        case BanqiFacts():
            listed = [
                ("men", f"{facts.men[0]}–{facts.men[1]}"),
                ("mobility", f"{facts.mobility[0]}–{facts.mobility[1]}"),
                ("attacked", squares(facts.attacked)),
                ("hanging", squares(facts.hanging)),
                ("covered", str(facts.covered)),
                ("quiet plies", str(facts.quiet)),
            ]
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in listed)
    return f"<dl class='figures'>{rows}</dl>"


def squares(pair: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    """Squares of both sides."""
    return " – ".join(" ".join(side) or "none" for side in pair) if any(pair) else "none"
