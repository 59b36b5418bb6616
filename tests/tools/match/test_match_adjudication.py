"""Ending games by the scores of the engines."""

from __future__ import annotations

import pytest

from fanqi.game import Player, load_game
from fanqi.match.adjudication import Adjudicator
from fanqi.match.config import Adjudication

P1, P2 = Player.P1, Player.P2
START = load_game("othello").start()


def verdict_after(settings: Adjudication, *scores: tuple[Player, int | None]) -> tuple[Player | None, str] | None:
    adjudicator = Adjudicator(settings, "othello")
    for player, cp in scores:
        adjudicator.heard(player, cp)
    found = adjudicator.verdict(START)
    return None if found is None else (found.winner, found.termination)


RESIGN = Adjudication(resign_cp=500, resign_moves=2)
TWO_SIDED = Adjudication(resign_cp=500, resign_moves=2, resign_two_sided=True)
DRAW = Adjudication(draw_cp=10, draw_moves=2)


@pytest.mark.parametrize(
    ("settings", "scores", "expected"),
    [
        (RESIGN, [(P1, -500), (P2, 0), (P1, -600)], (P2, "adjudicated_loss")),
        (RESIGN, [(P1, -500), (P2, 0), (P1, -499)], None),
        (RESIGN, [(P1, -500), (P1, None), (P1, -500)], None),
        (RESIGN, [(P2, -900), (P2, -900)], (P1, "adjudicated_loss")),
        (RESIGN, [(P1, 900), (P1, 900)], None),
        (TWO_SIDED, [(P1, -500), (P2, 0), (P1, -500), (P2, 0)], None),
        (TWO_SIDED, [(P1, -500), (P2, 500), (P1, -500), (P2, 500)], (P2, "adjudicated_loss")),
        (DRAW, [(P1, 5), (P2, -10), (P1, 0), (P2, 10)], (None, "adjudicated_draw")),
        (DRAW, [(P1, 5), (P2, -10), (P1, 0), (P2, 11)], None),
        (DRAW, [(P1, 5), (P2, 5), (P1, 5), (P2, None)], None),
        (Adjudication(draw_cp=10, draw_moves=1, draw_from=1), [(P1, 0), (P2, 0)], None),
    ],
)
def test_scores_end_a_game_only_when_they_all_say_so(
    settings: Adjudication, scores: list[tuple[Player, int | None]], expected: tuple[Player | None, str] | None
) -> None:
    assert verdict_after(settings, *scores) == expected


def test_nothing_is_adjudicated_unless_asked_for() -> None:
    assert not Adjudication().active
    assert verdict_after(Adjudication(), (P1, -99999), (P1, -99999), (P1, -99999)) is None
