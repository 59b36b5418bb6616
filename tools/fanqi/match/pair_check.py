"""Whether the records that a worker sends are those of the games it was asked to play.

Everything that follows from a record is worked out again: the moves under the rules, the deal from its seed, flips from
the layout, clocks from the times, adjudications from the scores, and the result from all of that. What engines did, or
failed to do, is the worker's word, since nobody else was there.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from fanqi.arbiter import ArbiterError, verify
from fanqi.game import GameError, Player, load_game, quoted
from fanqi.match.adjudication import Adjudicator, solved_verdict
from fanqi.match.clock import GameClock
from fanqi.match.errors import ConfigurationError, Fault, StoreError
from fanqi.match.pair_order import decode_order, plan_of
from fanqi.match.record import decode_record
from fanqi.match.referee import Verdict, deal_for, stake_for

if TYPE_CHECKING:
    from fanqi.arbiter import Arbiter
    from fanqi.game import Position
    from fanqi.match.limit import Limit
    from fanqi.match.pair_order import PairOrder
    from fanqi.match.record import GameRecord
    from fanqi.match.referee import GamePlan
    from fanqi.mqtt.work import Play, PlayResult

__all__ = ["objection_to_pair"]

FAULTS = {fault.value for fault in Fault}
ANY_TIME = {*FAULTS, "agreed"}
GETTING_READY = {Fault.START.value, Fault.STALL.value, Fault.CRASH.value, Fault.PROTOCOL.value}
"""Faults that an engine may show before its first move, whoever is to move."""


class WrongRecordError(ValueError):
    """A record that cannot be of the game that was ordered; the text says why, in one clause."""


def objection_to_pair(work: Play, result: PlayResult) -> str | None:
    """What is wrong with a worker's records, as one clause that names the game; None when nothing is."""
    try:
        order = decode_order(work.settings)
        records = [decode_record(record) for record in result.records]
        expected, found = [plan.number for plan in order.plans], [record.number for record in records]
        if found != expected:
            return f"records of games {found}, {expected} were ordered"
        for text, record in zip(order.plans, records, strict=True):
            try:
                Check(order, plan_of(text), work, record).all()
            except (WrongRecordError, GameError, ArbiterError) as error:
                return f"game {record.number}: {error}"
    except (StoreError, ConfigurationError) as error:
        return str(error)
    return None


class Check:
    """One record against its plan. Every method raises `WrongRecordError`, or an error of rules or deal."""

    def __init__(self, order: PairOrder, plan: GamePlan, work: Play, record: GameRecord) -> None:
        first_is_p1 = plan.number % 2 == 1
        names = (work.players[0].name, work.players[1].name)
        self.order, self.plan, self.record = order, plan, record
        self.players = names if first_is_p1 else (names[1], names[0])
        self.limits: tuple[Limit, Limit] = order.limits if first_is_p1 else (order.limits[1], order.limits[0])
        self.opening_plies = len(plan.opening.moves)

    def all(self) -> None:
        """Everything that can be checked."""
        self.headings()
        self.columns()
        self.replay()

    def headings(self) -> None:
        """What was settled before the game, and the texts that are shown to people."""
        plan, record = self.plan, self.record
        start = None if plan.opening.start == "startpos" else plan.opening.start
        for name, found, ordered in (
            ("pair", record.pair, plan.pair),
            ("round", record.round, plan.round),
            ("game", record.game, plan.game),
            ("players", record.players, self.players),
            ("limits", record.limits, tuple(map(str, self.limits))),
            ("rules", record.rules, plan.rules),
            ("scoring", record.scoring, plan.scoring),
            ("start", record.start, start),
            ("opening", record.opening, plan.opening.name),
            ("plies of the opening", record.opening_plies, self.opening_plies),
        ):
            if found != ordered:
                raise WrongRecordError(f"{name} {quoted(str(found))}, {quoted(str(ordered))} was ordered")
        for text in (record.date, record.ended):
            try:
                datetime.fromisoformat(text)
            except ValueError:
                raise WrongRecordError(f"{quoted(text)} is not a time") from None

    def columns(self) -> None:
        """One entry a move, or none at all; numbers that can be."""
        record = self.record
        for name in ("times", "evals", "clocks", "depths", "nodes", "exact"):
            values = getattr(record, name)
            if values and len(values) != len(record.moves):
                raise WrongRecordError(f"{len(values)} {name} for {len(record.moves)} moves")
            for value in values:
                if value is not None and (not math.isfinite(value) or (name != "evals" and value < 0)):
                    raise WrongRecordError(f"{name} has {value}")

    def replay(self) -> None:
        """The game from its start, as the referee saw it."""
        plan, record = self.plan, self.record
        game = load_game(plan.game)
        start = plan.opening.start
        position: Position = game.start(plan.rules) if start == "startpos" else game.parse(start, plan.rules)
        arbiter = None if plan.deal_seed is None else deal_for(position, plan.deal_seed, mirrored=plan.mirrored)
        self.deal(arbiter)
        settings = self.order.adjudication
        judge = Adjudicator(settings, plan.game) if settings.active else None
        clocks = {player: GameClock(limit, plan.stall_ms) for player, limit in zip(Player, self.limits, strict=True)}
        for ply, move in enumerate(record.moves):
            if ply < self.opening_plies:
                if move != position.canonical(plan.opening.moves[ply]):
                    raise WrongRecordError(f"ply {ply + 1}: {quoted(move)}, the opening has {plan.opening.moves[ply]}")
            else:
                if (early := self.verdict(position, judge)) is not None:
                    raise WrongRecordError(f"ply {ply + 1}: the game was over by {early.termination}")
                self.clock(ply, clocks[position.turn])
                self.require_legal(position, move, ply, arbiter)
            player = position.turn
            position = position.play(move)
            if judge is not None and ply >= self.opening_plies:
                score = record.evals[ply] if record.evals else None
                judge.heard(player, None if score is None else round(score * 100))
        if len(record.moves) < self.opening_plies:
            raise WrongRecordError(f"{len(record.moves)} moves, the opening alone has {self.opening_plies}")
        if position.fen() != record.final:
            raise WrongRecordError(f"the moves lead to {position.fen()}, recorded is {quoted(record.final)}")
        self.end(position, judge)

    def deal(self, arbiter: Arbiter | None) -> None:
        """The deal that follows from the seed, opened."""
        proof = self.record.deal
        if arbiter is None or proof is None:
            if arbiter is not None or proof is not None:
                raise WrongRecordError("a deal where none was ordered" if arbiter is None else "the deal is missing")
            return
        arbiter_seed = str(self.plan.deal_seed)
        if (proof.seed, proof.mirrored) != (arbiter_seed, self.plan.mirrored):
            raise WrongRecordError(f"the deal of seed {quoted(str(proof.seed))}, {arbiter_seed} was ordered")
        for check in verify(msgspec.to_builtins(self.record)).checks:
            if not check.holds:
                raise WrongRecordError(f"not so: {check.claim}: {check.problem}")

    def clock(self, ply: int, clock: GameClock) -> None:
        """The time of a move, and the clock afterwards."""
        record = self.record
        seconds = record.times[ply] if record.times else None
        if seconds is None:
            raise WrongRecordError(f"ply {ply + 1}: no time")
        if not clock.spend(round(seconds * 1000)):
            raise WrongRecordError(f"ply {ply + 1}: {seconds} s are more than were left, and the game went on")
        left = record.clocks[ply] if record.clocks else None
        if left != clock.left_ms:
            raise WrongRecordError(f"ply {ply + 1}: {left} ms on the clock, it must be {clock.left_ms}")

    def require_legal(self, position: Position, move: str, ply: int, arbiter: Arbiter | None) -> None:
        """A legal move in canonical notation; a flip shows what the deal has there."""
        canonical = position.canonical(move)
        if canonical != move or position.needs_reveal(move):
            raise WrongRecordError(f"ply {ply + 1}: {quoted(move)} is not written as in records")
        square, flip, piece = move.partition("=")
        if flip and arbiter is not None and arbiter.flip(square) != piece:
            raise WrongRecordError(f"ply {ply + 1}: {quoted(move)}, another piece lies there")

    def verdict(self, position: Position, judge: Adjudicator | None) -> Verdict | None:
        """The verdict of the rules or of the adjudication settings, if there is one here."""
        outcome = position.outcome(self.plan.scoring)
        if outcome is not None:
            return Verdict(outcome.winner, outcome.reason, "", outcome.margin)
        if judge is None:
            return None
        verdict = judge.verdict(position)
        if verdict is None and judge.solves(position):
            verdict = solved_verdict(position)
        return verdict

    def end(self, position: Position, judge: Adjudicator | None) -> None:
        """The result, and why the game was over: by rule, by adjudication, or by what an engine did."""
        record = self.record
        at_start = len(record.moves) == self.opening_plies
        # the referee gets both ready before it looks at the position, and settles a draw offer before it adjudicates
        if record.termination in ANY_TIME and (at_start or position.outcome() is None):
            verdict = self.told(position)
        else:
            verdict = self.verdict(position, judge) or self.told(position)
        expected = verdict.result()
        if (record.result, record.termination) != (expected, verdict.termination):
            raise WrongRecordError(
                f"the result is {record.result} by {quoted(record.termination)}, it must be {expected} by "
                f"{quoted(verdict.termination)}"
            )

    def told(self, position: Position) -> Verdict:
        """The verdict by what the engines are said to have done; the loser is the side to move."""
        record, loser = self.record, position.turn
        at_start = len(record.moves) == self.opening_plies
        match record.termination:
            case Fault.START.value if record.result is None and at_start:
                return Verdict(None, Fault.START.value, void=True)
            case "agreed" if not at_start:
                return Verdict(None, "agreed", "", 0.0)
            case "resigned":
                pass
            case fault if fault in GETTING_READY and at_start and record.result is not None:
                loser = Player.P2 if record.result.winner == "p1" else Player.P1
            case fault if fault in FAULTS and fault != Fault.START.value:
                pass
            case other:
                raise WrongRecordError(f"the game is not over, and {quoted(other)} does not end one here")
        return Verdict(loser.other, record.termination, "", stake_for(position, self.plan.game, loser.other))
