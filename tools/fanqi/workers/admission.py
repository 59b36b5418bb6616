"""What a worker lets a job ask for, whoever sends it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from fanqi.game import quoted
from fanqi.mqtt.work import Analyse, Game, Ping, Play, SearchLimits, Selfplay, Work, kind_of

if TYPE_CHECKING:
    from fanqi.mqtt.messages import Assign

__all__ = ["SAFE_OPTIONS", "Allowance", "Offer", "objection"]


SAFE_OPTIONS = frozenset(
    {
        "contempt", "hash", "komi", "move overhead", "multipv", "objective", "ownbook", "ponder", "preset", "scoring",
        "seed", "skill level", "stakes", "threads", "uci_elo", "uci_limitstrength",
    }
)  # fmt: skip
SAFE_VALUE = re.compile(r"[A-Za-z0-9 +.-]{0,40}")


@dataclass(frozen=True, slots=True)
class Allowance:
    """Upper limits of one job. The wire's own limits apply before these.

    Attributes:
        seconds: lease of a job, and ``movetime`` of one search.
        nodes: of one search.
        multipv: root lines of one search.
        positions: moves of a game to look at, and games of self-play.
        work_bytes: size of a job's description.
        options: names, in lower case, of engine options that a match may set; none that takes a file is among them.
    """

    seconds: float = 6 * 3600.0
    nodes: int = 10**13
    multipv: int = 64
    positions: int = 1000
    work_bytes: int = 128 * 1024
    options: frozenset[str] = SAFE_OPTIONS


@dataclass(frozen=True, slots=True)
class Offer:
    """What a worker does.

    Attributes:
        kinds, games: a job of others is refused.
        engines: names a `Play` may use, with the commands behind them; commands never leave this process.
        threads, hash_mib: for all running jobs together.
        credit: jobs held for each dispatcher, at most.
    """

    kinds: tuple[str, ...]
    games: tuple[str, ...]
    engines: tuple[tuple[str, str], ...] = ()
    threads: int = 1
    hash_mib: int = 64
    credit: int = 64


def objection(assign: Assign, work: Work, offer: Offer, allowance: Allowance) -> str | None:
    """Why a job is not taken, as one clause that contains what was asked and what is allowed; None when it is."""
    kind = kind_of(work)
    if kind not in offer.kinds:
        return f"does no {kind} jobs"
    if assign.threads > offer.threads:
        return f"{assign.threads} threads, there are {offer.threads}"
    if assign.hash_mib > offer.hash_mib:
        return f"{assign.hash_mib} MiB of hash, there are {offer.hash_mib}"
    if assign.lease_s > allowance.seconds:
        return f"a lease of {assign.lease_s:.0f} s, {allowance.seconds:.0f} are allowed"
    if len(assign.work) > allowance.work_bytes:
        return f"{len(assign.work)} bytes, {allowance.work_bytes} are allowed"
    return objection_to_work(work, offer, allowance) or objection_to_shares(work, assign)


def objection_to_work(work: Work, offer: Offer, allowance: Allowance) -> str | None:
    match work:
        case Ping():
            return None
        case Analyse():
            if work.multipv > allowance.multipv:
                return f"MultiPV {work.multipv}, {allowance.multipv} is allowed"
            return objection_to_game(work.position.game, offer) or objection_to_limits(work.limits, allowance)
        case Game():
            if len(work.position.moves) > allowance.positions:
                return f"a game of {len(work.position.moves)} moves, {allowance.positions} are allowed"
            return objection_to_game(work.position.game, offer) or objection_to_limits(work.limits, allowance)
        case Selfplay():
            if work.games > allowance.positions:
                return f"{work.games} games, {allowance.positions} are allowed"
            return objection_to_game(work.game, offer)
        case Play():
            return objection_to_game(work.game, offer) or objection_to_players(work, offer, allowance)
        case _:
            assert_never(work)


def objection_to_players(work: Play, offer: Offer, allowance: Allowance) -> str | None:
    """Engines that are not configured; options that might name a file, or ask for more than the job was said to."""
    known = {name for name, _ in offer.engines}
    for player in work.players:
        if player.engine not in known:
            return f"no engine called {quoted(player.engine)} is configured"
        for name, value in player.options.items():
            if name.strip().lower() not in allowance.options:
                return f"option {quoted(name)} is not one that a match may set here"
            if not SAFE_VALUE.fullmatch(value):
                return f"option {quoted(name)} may not be {quoted(value)} here"
    return None


def objection_to_shares(work: Work, assign: Assign) -> str | None:
    """Options of engines against what the assignment says that the job takes."""
    if not isinstance(work, Play):
        return None
    memory = sum(number_in(player.options, "hash") for player in work.players)
    threads = max(number_in(player.options, "threads") for player in work.players)
    if memory > assign.hash_mib or threads > assign.threads:
        return f"engines with {threads} threads and {memory} MiB, the job has {assign.threads} and {assign.hash_mib}"
    return None


def number_in(options: Mapping[str, str], wanted: str) -> int:
    """An option's value as a number; 0 where it is not set or is none."""
    for name, value in options.items():
        if name.strip().lower() == wanted and value.strip().isdecimal():
            return int(value.strip()[:18])  # `int` refuses thousands of digits; this many are too many as well
    return 0


def objection_to_game(game: str, offer: Offer) -> str | None:
    return None if game in offer.games else f"does not play {quoted(game)}"


def objection_to_limits(limits: SearchLimits, allowance: Allowance) -> str | None:
    if limits == SearchLimits():
        return "a search without any limit"
    if limits.movetime_ms is not None and limits.movetime_ms > allowance.seconds * 1000:
        return f"movetime {limits.movetime_ms} ms, {allowance.seconds * 1000:.0f} are allowed"
    if limits.nodes is not None and limits.nodes > allowance.nodes:
        return f"{limits.nodes} nodes, {allowance.nodes} are allowed"
    return None
