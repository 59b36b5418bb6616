"""What a finished game counts, by the conventions in use.

Who wins is the same in all of them; only the margin differs, and only where squares stay empty.
"""

from __future__ import annotations

from fanqi.game import RulesError

__all__ = ["DEFAULT_SCORING", "SCORINGS", "final_discs", "final_margin"]

DEFAULT_SCORING = "winner-takes-empties"
SCORINGS = (DEFAULT_SCORING, "discs", "split-empties", "usoa")


def final_discs(black: int, white: int, scoring: str = DEFAULT_SCORING) -> tuple[float, float]:
    """The score of both colours at the end of a game.

    Args:
        black, white: discs on the board.
        scoring: one of

            * ``winner-takes-empties`` -- World Othello Federation, and Japan since 2014-06-01: empty squares
              go to the winner, a draw is 32-32;
            * ``discs`` -- what lies on the board;
            * ``split-empties`` -- Japan before that date: half of the empty squares each;
            * ``usoa`` -- what lies on the board, except that a wipe-out is 64-0.

    Raises:
        RulesError: no such convention.
    """
    empties = 64 - black - white
    if scoring == "discs":
        return black, white
    if scoring == "split-empties":
        return black + empties / 2, white + empties / 2
    if scoring == "usoa":
        if white == 0 and black:
            return 64, 0
        if black == 0 and white:
            return 0, 64
        return black, white
    if scoring == DEFAULT_SCORING:
        if black == white:
            return 32, 32
        return (black + empties, white) if black > white else (black, white + empties)
    raise RulesError(scoring, f"no such scoring; expected one of {', '.join(SCORINGS)}")


def final_margin(black: int, white: int, scoring: str = DEFAULT_SCORING) -> float:
    """Black's score less White's by a convention of `final_discs`.

    Raises:
        RulesError: no such convention.
    """
    own, opponent = final_discs(black, white, scoring)
    return own - opponent
