"""A player's figures, over a game and its phases. Forced and given moves were nobody's decision and do not count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.game import Player

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fanqi.analysis.review import GameReview, MoveReview
    from fanqi.analysis.scale import Scale

__all__ = ["PHASES", "PlayerTotals", "Totals", "totals_of"]

PHASES = ("opening", "midgame", "endgame")
"""Othello: more than 40 empty squares, more than 20, the rest. Banqi: more than 16 covered men, some, none."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over some moves of one player.

    Attributes:
        decisions: moves where there was a choice.
        best: those of them that lose nothing.
        dubious, mistakes, blunders: those with the marks ``?!``, ``?``, ``??``.
        loss: the sum of all losses.
        accuracy: the mean accuracy of the decisions, in per cent; None without any.
    """

    decisions: int
    best: int
    dubious: int
    mistakes: int
    blunders: int
    loss: float
    accuracy: float | None

    @property
    def mean_loss(self) -> float | None:
        """The loss of a decision on average; None without any."""
        return self.loss / self.decisions if self.decisions else None

    @classmethod
    def of(cls, moves: Iterable[MoveReview], scale: Scale) -> Totals:
        """The figures of some moves."""
        chosen = [move for move in moves if move.decided]
        marks = [move.mark for move in chosen]
        accuracy = sum(scale.accuracy(move.loss) for move in chosen) / len(chosen) if chosen else None
        return cls(
            len(chosen),
            sum(move.is_best for move in chosen),
            marks.count("?!"),
            marks.count("?"),
            marks.count("??"),
            round(sum((move.loss for move in chosen), 0.0), 2),
            accuracy,
        )


@dataclass(frozen=True, slots=True)
class PlayerTotals:
    """One player's figures.

    Attributes:
        player: whose.
        whole: over the game.
        phases: over each of `PHASES`.
        luck: banqi: sum of the luck of its flips; None without flips.
    """

    player: Player
    whole: Totals
    phases: tuple[Totals, ...]
    luck: float | None


def totals_of(review: GameReview) -> tuple[PlayerTotals, PlayerTotals]:
    """The figures of both players."""
    first, second = (player_totals(player, review.moves, review.scale) for player in Player)
    return first, second


def player_totals(player: Player, moves: Sequence[MoveReview], scale: Scale) -> PlayerTotals:
    mine = [move for move in moves if move.player is player]
    lucks = [move.luck for move in mine if move.luck is not None]
    return PlayerTotals(
        player,
        Totals.of(mine, scale),
        tuple(Totals.of((move for move in mine if move.phase == phase), scale) for phase in range(len(PHASES))),
        round(sum(lucks), 2) if lucks else None,
    )
