"""What a fit achieved: hold-out error by phase, as a table for the terminal, JSON, and an SVG plot."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fanqi.train.fit import Error

__all__ = ["Curve", "error_table", "errors_json", "plot_errors"]

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 34, 48
COLOURS = ("#1b6ca8", "#c44e23", "#2d7d46", "#7a4ea3")


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a plot: a name and (empty squares, discs) points."""

    name: str
    points: Sequence[tuple[float, float]]


def error_table(title: str, errors: Sequence[Error]) -> Table:
    """Hold-out error by number of empty squares."""
    table = Table(title=title)
    for heading in ("empties", "positions", "mean error", "mean |error|", "RMS error"):
        table.add_column(heading, justify="right")
    for error in errors:
        table.add_row(
            str(error.empties), f"{error.rows:,}", f"{error.mean:+.2f}", f"{error.absolute:.2f}", f"{error.rms:.2f}"
        )
    return table


def errors_json(errors: Sequence[Error]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {"empties": e.empties, "positions": e.rows, "mean": e.mean, "absolute": e.absolute, "rms": e.rms}
        for e in errors
    ]


def plot_errors(title: str, curves: Sequence[Curve]) -> str:
    """An SVG with discs over the number of empty squares, many empty squares on the left as a game runs."""
    points = [point for curve in curves for point in curve.points]
    low, high = min(p[0] for p in points), max(p[0] for p in points)
    top = max(1.0, max(p[1] for p in points)) * 1.05

    def x(empties: float) -> float:
        return LEFT + (high - empties) / max(high - low, 1) * (WIDTH - LEFT - RIGHT)

    def y(discs: float) -> float:
        return HEIGHT - BOTTOM - discs / top * (HEIGHT - TOP - BOTTOM)

    step = next(s for s in (0.5, 1, 2, 5, 10, 20) if top / s <= 10)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{html.escape(title)}</text>',
    ]
    level = 0.0
    while level <= top:
        parts.append(f'<path d="M{LEFT} {y(level):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(level) + 4:.1f}" text-anchor="end">{level:g}</text>')
        level += step
    parts.extend(
        f'<text x="{x(empties):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{empties}</text>'
        for empties in range(int(high) // 4 * 4, int(low) - 1, -4)
    )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">empty squares</text>')
    parts.append(f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">discs</text>')
    for number, curve in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in sorted(curve.points, reverse=True))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        height = TOP + 14 + 16 * number
        parts.append(f'<text x="{WIDTH - RIGHT - 8}" y="{height}" text-anchor="end" fill="{colour}">')
        parts.append(f"{html.escape(curve.name)}</text>")
    parts.append("</svg>\n")
    return "\n".join(parts)
