"""Playing for stake points: a win counts 5, 3 or 1 by how many of the winner's men the loser has captured.

With `STAKES` set a certain win at multiplier m is worth ``WIN * m / 5``, so a lost position plays for men: six of them
bring the loss from 5 down to 3, thirteen down to 1.
"""

from __future__ import annotations

from fanqi.banqi.context import STAKES
from fanqi.banqi.state import MEN, TURN
from fanqi.bits.memory import load
from fanqi.kernels import kernel

__all__ = ["stake", "stake_prospect"]

MEN_A_SIDE = 16
LATER_CAPTURES = 7
"""Tenths of a man that each of the loser's men but one will still capture.

From the tuning games: in positions that their later winner was ahead in, losers with 3, 5, 7, 9, 11 and 14 men went on
to capture 1.6, 3.1, 4.6, 6.2, 7.5 and 9.3. The lines of `stake_prospect` are least squares over the same games: the
mean squared error of the expected multiplier is 0.65, where a constant has 0.90."""


@kernel
def stake(context: int, state: int, winner: int, score: int) -> int:
    """The utility ``score`` of a game that colour ``winner`` has won, by the stakes if those are played for."""
    if load(context, STAKES) == 0:
        return score
    captured = MEN_A_SIDE - load(state, MEN + winner)
    if captured <= 5:
        return score
    return score * 3 // 5 if captured <= 12 else score // 5


@kernel
def stake_prospect(context: int, state: int, score: int) -> int:
    """A static utility by the stakes that are likely in the end.

    `LATER_CAPTURES` says how many men the likely loser will have captured in the end. Between the steps of the
    multiplier the expectation goes in straight lines, since that number is a guess.
    """
    if load(context, STAKES) == 0:
        return score
    winner = load(state, TURN)
    if score < 0:
        winner = 1 - winner
    captured = 10 * (MEN_A_SIDE - load(state, MEN + winner))
    captured += max(0, LATER_CAPTURES * (load(state, MEN + 1 - winner) - 1))
    tenths = 50
    if captured >= 150:
        tenths = 10
    elif captured > 110:
        tenths = 30 - (captured - 110) // 2
    elif captured > 70:
        tenths = 30
    elif captured > 20:
        tenths = 50 - (captured - 20) * 2 // 5
    return score * tenths // 50
