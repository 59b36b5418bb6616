"""Winning chances for a score."""

from __future__ import annotations

import math

__all__ = ["chances"]


def chances(score: int, draw_line: float, deviation: float) -> tuple[int, int, int]:
    """Win, draw and loss per mille.

    Args:
        score: in hundredths of a disc.
        draw_line: the final difference, in discs, that is a draw.
        deviation: of the final result from the score, in hundredths of a disc; 0 when the score is the
            result.
    """
    lead = score - 100 * draw_line
    if deviation <= 0:
        return (1000, 0, 0) if lead > 0 else (0, 0, 1000) if lead < 0 else (0, 1000, 0)
    # final differences are even: a draw is all within one disc of the line, if the line is even itself
    margin = 100.0 if draw_line % 2 == 0 else 0.0
    win = round(500 * math.erfc((margin - lead) / deviation / math.sqrt(2)))
    loss = round(500 * math.erfc((margin + lead) / deviation / math.sqrt(2)))
    return win, max(0, 1000 - win - loss), loss
