"""Banqi's levels below full strength; noise is in utility (see `fanqi.banqi.context`)."""

from __future__ import annotations

from fanqi.strength import Ladder, Rung

__all__ = ["LADDER"]

LADDER = Ladder(
    (
        Rung(depth=0, noise=40000, lines=64),
        Rung(depth=0, noise=22000, lines=64),
        Rung(depth=0, noise=14000, lines=64),
        Rung(depth=0, noise=9500, lines=64),
        Rung(depth=0, noise=6500, lines=64),
        Rung(depth=0, noise=4500, lines=64),
        Rung(depth=0, noise=3000, lines=64),
        Rung(depth=0, noise=2000, lines=64),
        Rung(depth=0, noise=1200, lines=64),
        Rung(depth=0, noise=600, lines=16),
        Rung(depth=0, noise=150, lines=8),
        Rung(depth=60, noise=0, lines=1, nodes=600),
        Rung(depth=60, noise=0, lines=1, nodes=1000),
        Rung(depth=60, noise=0, lines=1, nodes=1600),
        Rung(depth=60, noise=0, lines=1, nodes=2700),
        Rung(depth=60, noise=0, lines=1, nodes=4400),
        Rung(depth=60, noise=0, lines=1, nodes=7000),
        Rung(depth=60, noise=0, lines=1, nodes=11000),
        Rung(depth=60, noise=0, lines=1, nodes=16000),
        Rung(depth=60, noise=0, lines=1, nodes=24000),
    )
)
