"""The course of a game as an SVG graph: the score above, what each move lost below.

Whole in itself: colours for light and dark are in it, and it needs no script. Every ply is a column with a tooltip; in
a page each links to the board of that ply.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from fanqi.analysis.names import seat_name, side_name
from fanqi.analysis.totals import PHASES
from fanqi.game import Player

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fanqi.analysis.review import GameReview, MoveReview

__all__ = ["GRAPH_STYLE", "game_graph", "score_title"]

WIDTH, LEFT, RIGHT = 900, 62, 14
TOP, SCORES, GAP, LOSSES, BOTTOM = 46, 230, 34, 74, 40
HEIGHT = TOP + SCORES + GAP + LOSSES + BOTTOM

GRAPH_STYLE = """
.graph { --first: #2f6f4f; --second: #b4572e; --even: #9aa096; --card: #ffffff; --ink: #22261f; --soft: #6b7167;
  --line: #e2e0d8; --bad: #c62828; --poor: #d9821b; --odd: #c9a91a; font-family: system-ui, "Noto Sans", sans-serif; }
@media (prefers-color-scheme: dark) {
  .graph { --first: #6cc297; --second: #e79b6f; --even: #7a8077; --card: #1f2320; --ink: #e7e9e3; --soft: #9aa297;
    --line: #343a34; --bad: #ff6b61; --poor: #f2a33c; --odd: #e0c64a; }
}
.graph text { fill: var(--soft); font-size: 13px; } .graph .name { fill: var(--ink); font-weight: 600; }
.graph .axis { stroke: var(--line); } .graph .even { stroke: var(--even); stroke-dasharray: 4 3; }
.graph .score { fill: none; stroke: var(--ink); stroke-width: 2; stroke-linejoin: round; }
.graph .f { fill: var(--first); } .graph .s { fill: var(--second); } .graph .area { opacity: .3; }
.graph .proven { fill: var(--ink); opacity: .05; } .graph .phase { stroke: var(--line); stroke-dasharray: 2 4; }
.graph .m1 { fill: var(--odd); } .graph .m2 { fill: var(--poor); } .graph .m3 { fill: var(--bad); }
.graph .dot { stroke: var(--card); stroke-width: 1.5; } .graph .luck { fill: var(--soft); }
.graph .column rect { fill: transparent; } .graph .column:hover rect { fill: var(--ink); fill-opacity: .08; }
.graph .cursor { stroke: var(--ink); stroke-width: 1; }
"""

MARK_CLASSES = {"?!": "m1", "?": "m2", "??": "m3"}


@dataclass(frozen=True, slots=True)
class Frame:
    """Where things are.

    Attributes:
        plies: number of the last ply.
        low, high: ends of the score axis.
        most: end of the axis of losses.
    """

    plies: int
    low: float
    high: float
    most: float

    def x(self, ply: float) -> float:
        return LEFT + ply / max(1, self.plies) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        inside = min(self.high, max(self.low, value))
        return TOP + (self.high - inside) / (self.high - self.low) * SCORES

    def depth(self, loss: float) -> float:
        """How far down a bar of a loss goes."""
        return min(loss, self.most) / self.most * LOSSES


def game_graph(review: GameReview, *, link: Callable[[int], str] | None = None) -> str:
    """The graph of a review.

    Args:
        link: the address of a ply's board, in a page; without it the graph stands alone and brings its style along.
    """
    frame = frame_of(review)
    parts = [*background(review, frame), *curve(review, frame), *losses(review, frame)]
    if link is None:
        parts += legend(review)
    parts += columns(review, frame, link)
    if link is None:
        sheet = f"<style>{GRAPH_STYLE}</style>" + f'<rect width="{WIDTH}" height="{HEIGHT}" style="fill:var(--card)"/>'
        top = 0
        head = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
    else:
        sheet = head = ""
        top = TOP - 14  # a page has a legend of its own
        parts.append(f'<line class="cursor" y1="{TOP}" y2="{HEIGHT - BOTTOM}" visibility="hidden"/>')
    name = escape(f"Course of the game, {seat_name(review.record, Player.P1)} against ", {'"': "&quot;"})
    name += escape(seat_name(review.record, Player.P2), {'"': "&quot;"})
    return (
        f'<svg {head}class="graph" viewBox="0 {top} {WIDTH} {HEIGHT - top}" role="img" aria-label="{name}" '
        f'data-left="{LEFT}" data-right="{WIDTH - RIGHT}" data-plies="{frame.plies}">{sheet}\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def frame_of(review: GameReview) -> Frame:
    scale = review.scale
    worst = max((move.loss for move in review.moves), default=0.0)
    if scale.unit == "%":
        return Frame(len(review.record.moves), 0.0, 100.0, max(20.0, min(50.0, 10 * math.ceil(worst / 10))))
    known = [abs(value) for value in review.values if value is not None]
    end = min(64.0, max(8.0, 4.0 * math.ceil((max(known, default=0.0) + 1) / 4)))
    return Frame(len(review.record.moves), -end, end, max(8.0, min(24.0, 4 * math.ceil(worst / 4))))


def text(x: float, y: float, content: str, attributes: str = "") -> str:
    return f'<text x="{x:.4g}" y="{y:.4g}" {attributes}>{escape(content)}</text>'


def background(review: GameReview, frame: Frame) -> Iterator[str]:
    """Axes, phases, and the part of the game that is proven."""
    scale, bottom = review.scale, TOP + SCORES + GAP + LOSSES
    if (first := review.exact_from) is not None and first < frame.plies:
        x = frame.x(first)
        width, height = frame.x(frame.plies) - x, bottom - TOP
        yield f'<rect class="proven" x="{x:.1f}" y="{TOP}" width="{width:.1f}" height="{height}"/>'
        yield text(WIDTH - RIGHT - 4, TOP + 14, "exact", 'text-anchor="end"')
    for tick in score_ticks(frame):
        y = frame.y(tick)
        style = "even" if tick == scale.even else "axis"
        yield f'<line class="{style}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        label = f"{tick:+g}".replace("-", "−") if scale.unit == "discs" and tick else f"{tick:g}"
        yield text(LEFT - 7, y + 4, label, 'text-anchor="end"')
    komi = review.terms.draw_line
    if komi and frame.low < komi < frame.high:
        y = frame.y(-komi if review.terms.objective == "fewest" else komi)
        yield f'<line class="even" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield text(LEFT + 4, y - 4, f"komi {komi:+g}")
    for before, move in zip(review.moves, review.moves[1:], strict=False):
        if move.phase != before.phase:
            x = frame.x(move.ply - 0.5)
            yield f'<line class="phase" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>'
            if x < WIDTH - RIGHT - 74:
                yield text(x + 4, TOP + SCORES - 5, PHASES[move.phase])
    step = next(step for step in (5, 10, 20, 50, 100, 200, 1000) if frame.plies / step <= 14)
    for ply in range(0, frame.plies + 1, step):
        yield text(frame.x(ply), bottom + 18, str(ply), 'text-anchor="middle"')
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "moves played", 'text-anchor="middle" class="title"')
    yield upright(TOP + SCORES / 2, score_title(review))
    top = TOP + SCORES + GAP
    yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{top}" y2="{top}"/>'
    yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}"/>'
    yield text(LEFT - 7, top + 4, "0", 'text-anchor="end"')
    yield text(LEFT - 7, bottom + 4, f"{frame.most:g}", 'text-anchor="end"')
    yield upright(top + LOSSES / 2, "lost")


def score_title(review: GameReview) -> str:
    """What the scores of a game are, whose and in what unit."""
    whose = seat_name(review.record, Player.P1)
    title = review.scale.title.format(whose if len(whose) <= 18 else side_name(review, Player.P1))
    return title.replace("discs", "discs, fewest win") if review.terms.objective == "fewest" else title


def upright(y: float, content: str) -> str:
    place = f'transform="translate(16 {y:.4g}) rotate(-90)"'
    return f'<text {place} text-anchor="middle" class="title">{escape(content)}</text>'


def score_ticks(frame: Frame) -> list[float]:
    """Round numbers on the score axis."""
    if frame.low == 0:
        return [0, 25, 50, 75, 100]
    step = next(step for step in (4, 8, 16, 32) if frame.high / step <= 4)
    count = int(frame.high // step)
    return [float(step * place) for place in range(-count, count + 1)]


def curve(review: GameReview, frame: Frame) -> Iterator[str]:
    """The score, with the ground between it and the even line in the colour of whoever is ahead."""
    even = review.scale.even
    points = [(frame.x(ply), value) for ply, value in enumerate(review.values) if value is not None]
    if not points:
        return
    base = frame.y(even)
    for name, side in (("f", max), ("s", min)):
        # crossings of the even line become points of their own, so that neither colour leaks over it
        path = "".join(f"L{x:.1f} {frame.y(side(value, even)):.1f}" for x, value in with_crossings(points, even))
        yield f'<path class="area {name}" d="M{points[0][0]:.1f} {base:.1f}{path}L{points[-1][0]:.1f} {base:.1f}Z"/>'
    line = " ".join(f"{x:.1f},{frame.y(value):.1f}" for x, value in points)
    yield f'<polyline class="score" points="{line}"/>'
    for move in review.moves:
        x, value = frame.x(move.ply), review.values[move.ply]
        if value is None:
            continue
        if move.luck is not None and abs(move.luck) >= review.scale.dubious:
            up = (move.luck > 0) == (move.player is Player.P1)
            tip = -7 if up else 7
            y = frame.y(value) + (2 * tip if move.mark else 0)  # beside the dot of the mark
            yield f'<path class="luck" d="M{x - 5:.1f} {y - tip / 2:.1f}h10l-5 {tip}Z"/>'
        if move.mark:
            yield f'<circle class="dot {MARK_CLASSES[move.mark]}" cx="{x:.1f}" cy="{frame.y(value):.1f}" r="5"/>'


def with_crossings(points: list[tuple[float, float]], even: float) -> Iterator[tuple[float, float]]:
    """The points of a line, and where it crosses a level."""
    before: tuple[float, float] | None = None
    for x, value in points:
        if before is not None and (before[1] - even) * (value - even) < 0:
            share = (even - before[1]) / (value - before[1])
            yield before[0] + share * (x - before[0]), even
        before = (x, value)
        yield before


def losses(review: GameReview, frame: Frame) -> Iterator[str]:
    """A bar down for every move that lost something."""
    top = TOP + SCORES + GAP
    width = max(1.5, min(9.0, 0.7 * (WIDTH - LEFT - RIGHT) / max(1, frame.plies)))
    for move in review.moves:
        if move.loss:
            side = "f" if move.player is Player.P1 else "s"
            x, tall = frame.x(move.ply) - width / 2, max(1.0, frame.depth(move.loss))
            yield f'<rect class="{side}" x="{x:.1f}" y="{top}" width="{width:.1f}" height="{tall:.1f}"/>'


def legend(review: GameReview) -> Iterator[str]:
    """Whose colour is which, and what the dots say."""
    x = float(LEFT)
    for player, style in ((Player.P1, "f"), (Player.P2, "s")):
        name = seat_name(review.record, player)
        side = side_name(review, player)
        shown = side if name == side.partition(",")[0] else f"{name[:24]} ({side})"
        yield f'<rect class="{style}" x="{x:.1f}" y="14" width="13" height="13" rx="2"/>'
        yield text(x + 19, 25, shown, 'class="name"')
        x += 42 + 8.2 * len(shown)
    names = [("m1", "?!"), ("m2", "?"), ("m3", "??")]
    right = WIDTH - RIGHT - (164 if review.scale.unit == "%" else 110)
    for place, (style, name) in enumerate(names):
        yield f'<circle class="dot {style}" cx="{right + 38 * place}" cy="21" r="5"/>'
        yield text(right + 38 * place + 8, 25, name)
    if review.scale.unit == "%":
        yield f'<path class="luck" d="M{right + 114} 25h10l-5 -7Z"/>'
        yield text(right + 128, 25, "luck")


def columns(review: GameReview, frame: Frame, link: Callable[[int], str] | None) -> Iterator[str]:
    """What one hears of a ply by pointing at it."""
    half = (WIDTH - LEFT - RIGHT) / max(1, frame.plies) / 2
    by_ply = {move.ply: move for move in review.moves}
    values = review.values
    for ply in range(frame.plies + 1):
        value = values[ply]
        if value is None and link is None:
            continue
        said = "start" if ply == 0 else f"{ply}. {review.record.moves[ply - 1].move}"
        if (move := by_ply.get(ply)) is not None:
            said += f" {move.signs}".rstrip() + loss_words(review, move)
        if value is not None:
            said += f"; score {review.scale.text(value)}"
        box = (
            f'<g class="column"><title>{escape(said)}</title><rect x="{frame.x(ply) - half:.1f}" y="{TOP}" '
            f'width="{2 * half:.1f}" height="{HEIGHT - BOTTOM - TOP}"/></g>'
        )
        yield box if link is None else f'<a href="{link(ply)}" tabindex="-1">{box}</a>'


def loss_words(review: GameReview, move: MoveReview) -> str:
    """What a move lost, for a tooltip."""
    lost = review.scale.loss_text(move.loss, exact=move.exact)
    return f", lost {lost} against {move.best.moves[0]}" if lost else ""
