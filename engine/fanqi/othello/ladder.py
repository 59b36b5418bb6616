"""Othello's levels below full strength; noise is in hundredths of a disc."""

from __future__ import annotations

from fanqi.strength import Ladder, Rung

__all__ = ["LADDER"]

LADDER = Ladder(
    (
        Rung(depth=1, noise=8000, lines=64, exact_from=0),
        Rung(depth=1, noise=3000, lines=64, exact_from=0),
        Rung(depth=1, noise=2000, lines=64, exact_from=0),
        Rung(depth=1, noise=1300, lines=64, exact_from=0),
        Rung(depth=1, noise=720, lines=64, exact_from=1),
        Rung(depth=1, noise=500, lines=64, exact_from=1),
        Rung(depth=1, noise=350, lines=64, exact_from=2),
        Rung(depth=1.4, noise=300, lines=64, exact_from=3),
        Rung(depth=1.8, noise=260, lines=64, exact_from=4),
        Rung(depth=2.2, noise=220, lines=16, exact_from=5),
        Rung(depth=2.7, noise=190, lines=12, exact_from=6),
        Rung(depth=3.2, noise=160, lines=12, exact_from=7),
        Rung(depth=3.7, noise=135, lines=10, exact_from=8),
        Rung(depth=4.2, noise=115, lines=8, exact_from=9),
        Rung(depth=4.8, noise=95, lines=8, exact_from=10),
        Rung(depth=5.5, noise=78, lines=6, exact_from=11),
        Rung(depth=6.5, noise=62, lines=6, exact_from=12),
        Rung(depth=7.5, noise=48, lines=5, exact_from=13),
        Rung(depth=8.7, noise=36, lines=4, exact_from=14),
        Rung(depth=10, noise=25, lines=3, exact_from=16),
    )
)
