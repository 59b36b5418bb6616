"""Proved wins are found, and won."""

from __future__ import annotations

from fanqi.bench.banqi_conversion import convert, proved_wins
from fanqi.search import Limits


def test_proved_wins_are_carried_through():
    positions = list(proved_wins(8, 3, nodes=50_000))
    assert {32 - len(position.captured()) for position in positions} == {3, 4, 5, 6}
    assert all(convert(position, Limits(nodes=5000)).won for position in positions)
