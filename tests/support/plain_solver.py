"""The score of an Othello position with a few empty squares, by the plainest search there is."""

from __future__ import annotations

__all__ = ["exact_score"]


def exact_score(position):
    """Disc difference for the side to move, empty squares to the winner."""
    outcome = position.outcome()
    if outcome is not None:
        margin = int(outcome.margin)
        return margin if outcome.winner is None or outcome.winner == position.turn else -margin
    return max(
        value if after.turn == position.turn else -value
        for after in map(position.play, position.legal_moves())
        for value in [exact_score(after)]
    )
