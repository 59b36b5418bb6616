"""One pair of games as a worker on another machine is asked to play it, and what comes back.

Everything about the games is settled by the match that sends the pair: openings, deals, seeds, limits. The worker only
supplies the engines, which it knows by name; no command goes over the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from fanqi.game import quoted
from fanqi.match.adjudication import Adjudicator
from fanqi.match.builtin import make_builtin
from fanqi.match.config import Adjudication
from fanqi.match.contestant import Contestant, ExternalContestant
from fanqi.match.dialects import Timeouts
from fanqi.match.errors import ConfigurationError
from fanqi.match.limit import Limit
from fanqi.match.openings import Opening
from fanqi.match.process import Launcher
from fanqi.match.referee import GamePlan, Seat, play_game
from fanqi.match.specification import EngineSpec, parse_engine

if TYPE_CHECKING:
    from fanqi.match.record import GameRecord

__all__ = ["PairEngine", "PairOrder", "decode_order", "encode_order", "order_of", "play_order"]


class PlanText(msgspec.Struct, frozen=True):
    """A `GamePlan`, its seeds as decimal digits: they have more bits than numbers on the wire."""

    number: int
    pair: int
    round: int
    game: str
    rules: str
    scoring: str
    opening: Opening
    deal_seed: str | None
    mirrored: bool
    seeds: tuple[str, str]
    stall_ms: int
    banned_reply: str


class PairOrder(msgspec.Struct, frozen=True):
    """What is to be played.

    Attributes:
        plans: of one or two games; odd game numbers have the first engine as p1.
        limits: of the two engines.
        adjudication, timeouts: as in `fanqi.match.config.MatchConfig`.
    """

    plans: tuple[PlanText, ...]
    limits: tuple[Limit, Limit]
    adjudication: Adjudication
    timeouts: Timeouts


@dataclass(frozen=True, slots=True)
class PairEngine:
    """One of the two engines: its name in the match, its name at the worker, its options."""

    name: str
    engine: str
    options: Mapping[str, str]


def order_of(
    plans: Sequence[GamePlan], limits: tuple[Limit, Limit], adjudication: Adjudication, timeouts: Timeouts
) -> PairOrder:
    """The order for some games of a pair."""
    return PairOrder(tuple(map(plan_text, plans)), limits, adjudication, timeouts)


def encode_order(order: PairOrder) -> bytes:
    """JSON in one line."""
    return msgspec.json.encode(order)


def decode_order(data: bytes) -> PairOrder:
    """The order in a payload.

    Raises:
        ConfigurationError: it is none.
    """
    try:
        return msgspec.json.decode(data, type=PairOrder)
    except (msgspec.DecodeError, UnicodeDecodeError, ConfigurationError) as error:
        raise ConfigurationError(f"not an order to play a pair: {error}") from None


def plan_text(plan: GamePlan) -> PlanText:
    return PlanText(
        plan.number,
        plan.pair,
        plan.round,
        plan.game,
        plan.rules,
        plan.scoring,
        plan.opening,
        None if plan.deal_seed is None else str(plan.deal_seed),
        plan.mirrored,
        (str(plan.seeds[0]), str(plan.seeds[1])),
        plan.stall_ms,
        plan.banned_reply,
    )


def plan_of(text: PlanText) -> GamePlan:
    """The plan in a text.

    Raises:
        ConfigurationError: a seed is no number.
    """
    try:
        deal_seed = None if text.deal_seed is None else int(text.deal_seed)
        seeds = (int(text.seeds[0]), int(text.seeds[1]))
    except ValueError as error:
        raise ConfigurationError(f"seed of game {text.number}: {error}") from None
    return GamePlan(
        text.number,
        text.pair,
        text.round,
        text.game,
        text.rules,
        text.scoring,
        text.opening,
        deal_seed,
        text.mirrored,
        seeds,
        text.stall_ms,
        text.banned_reply,
    )


def spec_of(player: PairEngine, limit: Limit, commands: Mapping[str, str]) -> EngineSpec:
    """The engine as it is started here.

    Raises:
        ConfigurationError: it is not known here, or its command cannot be understood.
    """
    command = commands.get(player.engine)
    if command is None:
        raise ConfigurationError(f"no engine called {quoted(player.engine)} is configured")
    spec = parse_engine(f"{player.name}={command}", limit)
    return replace(spec, limit=limit, options={**spec.options, **player.options})


async def play_order(
    order: PairOrder,
    players: tuple[PairEngine, PairEngine],
    commands: Mapping[str, str],
    on_move: Callable[[int], None] = lambda games: None,
) -> list[GameRecord]:
    """Play the games of an order, one after another.

    Args:
        commands: how the engines are started, by the names they have here.
        on_move: called after every move with the number of games that are over; what it raises ends everything.

    Raises:
        ConfigurationError: an engine is not known here or does not know an option.
    """
    specs = [spec_of(player, limit, commands) for player, limit in zip(players, order.limits, strict=True)]
    launcher = Launcher()
    game = order.plans[0].game if order.plans else "othello"
    records: list[GameRecord] = []
    contestants: list[Contestant] = []
    try:
        contestants.extend(contestant_of(spec, game, launcher, order.timeouts) for spec in specs)
        seats = [Seat(spec.name, one, spec.limit) for spec, one in zip(specs, contestants, strict=True)]
        for text in order.plans:
            plan = plan_of(text)
            first, second = seats if plan.number % 2 else reversed(seats)
            judge = Adjudicator(order.adjudication, plan.game) if order.adjudication.active else None
            records.append(await play_game(plan, first, second, judge, lambda: on_move(len(records))))
    finally:
        for contestant in contestants:
            await contestant.close()
        launcher.close()
    return records


def contestant_of(spec: EngineSpec, game: str, launcher: Launcher, timeouts: Timeouts) -> Contestant:
    if spec.builtin is not None:
        return make_builtin(spec, game)
    return ExternalContestant(spec, game, launcher, timeouts)
