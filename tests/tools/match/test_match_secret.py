"""The engine's choices do not depend on what nobody can see."""

from __future__ import annotations

import asyncio

import pytest

from fanqi.arbiter import Arbiter, Deal, deal
from fanqi.match import referee
from fanqi.match.builtin import make_builtin
from fanqi.match.limit import Limit
from fanqi.match.openings import START
from fanqi.match.referee import GamePlan, Seat, play_game
from fanqi.match.specification import parse_engine

LIMIT = Limit(nodes=300)


def game_on(layout: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The moves of our engine against itself on a layout."""
    secret = Deal(0, layout, "KGMRN")
    monkeypatch.setattr(referee, "deal_for", lambda *args, **named: Arbiter(secret))
    plan = GamePlan(1, 1, 1, "banqi", "", "", START, 0, False, (1, 2), 60_000)

    async def main() -> list[str]:
        specs = [parse_engine(f"{name}=builtin:fanqi", LIMIT) for name in "ab"]
        contestants = [make_builtin(spec, "banqi") for spec in specs]
        seats = [Seat(spec.name, one, LIMIT) for spec, one in zip(specs, contestants, strict=True)]
        try:
            return list((await play_game(plan, seats[0], seats[1])).moves)
        finally:
            for contestant in contestants:
                await contestant.close()

    return asyncio.run(main())


@pytest.mark.slow
def test_two_layouts_are_played_the_same_until_the_first_difference_is_flipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layout = deal(5).layout
    moves = game_on(layout, monkeypatch)
    flips = [move[:2] for move in moves if "=" in move]
    late = flips[len(flips) // 2 :]
    # exchange what lies under two squares that are flipped late
    squares = ["abcd"[at % 4] + str(at // 4 + 1) for at in range(32)]
    one, other = next(
        (squares.index(a), squares.index(b))
        for a in late
        for b in late
        if layout[squares.index(a)] != layout[squares.index(b)]
    )
    cells = list(layout)
    cells[one], cells[other] = cells[other], cells[one]
    changed = game_on("".join(cells), monkeypatch)
    first = min(index for index, move in enumerate(moves) if move[:2] in (squares[one], squares[other]) and "=" in move)
    assert first > 10
    assert changed[:first] == moves[:first]
    assert changed[first][:2] == moves[first][:2]
    assert changed[first] != moves[first]
