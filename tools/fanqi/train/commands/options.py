"""Options that several commands have, and what their values may be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["DataOption", "WeightsOption", "finite", "span"]

DataOption = Annotated[
    Path | None,
    typer.Option("--data", envvar="FANQI_DATA", help="Directory with the WTHOR files (*.wtb), also FANQI_DATA."),
]
WeightsOption = Annotated[
    Path | None, typer.Option("--weights", help="Weights to use; FANQI_WEIGHTS or the package's if left out.")
]


def span(text: str) -> tuple[int, int]:
    """Read ``6-16`` or ``14``."""
    low, _, high = text.partition("-")
    try:
        bounds = int(low), int(high or low)
    except ValueError:
        bounds = (1, 0)
    if not 0 <= bounds[0] <= bounds[1] <= 60:
        raise typer.BadParameter(f"{text!r}: expected numbers of empty squares as 14 or 6-16")
    return bounds


def finite(value: float) -> float:
    """Refuse infinity, and what is no number at all: the ranges of older versions of typer let that pass."""
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value}: expected a number")
    return value
