"""One game: two contestants, the rules, two clocks, and in banqi the secret.

The referee alone knows where pieces lie. A contestant learns the position, which holds how many of each are
still covered, and what its opponent's flips and its own showed.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fanqi.arbiter import Arbiter
from fanqi.game import GameError, MoveError, Player, load_game
from fanqi.match.clock import GameClock
from fanqi.match.errors import EngineError, Fault
from fanqi.match.record import FORMAT, DealProof, GameRecord, Ply, Result, columns
from fanqi.match.turn import Setup, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Position
    from fanqi.match.adjudication import Adjudicator
    from fanqi.match.contestant import Contestant
    from fanqi.match.limit import Limit
    from fanqi.match.openings import Opening
    from fanqi.match.turn import Reply

__all__ = ["GamePlan", "Seat", "Verdict", "deal_for", "play_game", "stake_for"]


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits where, and under which limit."""

    name: str
    contestant: Contestant
    limit: Limit


@dataclass(frozen=True, slots=True)
class GamePlan:
    """Everything that is settled before a game begins.

    Attributes:
        number, pair, round: see `GameRecord`.
        game, rules, scoring: what is played.
        opening: start position and moves that are played before the contestants are asked.
        deal_seed: of the covered pieces (banqi).
        mirrored: the deal's mirror image is played.
        seeds: for dice that p1 and p2 may play.
        stall_ms: how long a move may take where no time limit says so.
        banned_reply: what is done with an answer that only banqi's chase ban forbids: ``forfeit``,
            ``replace`` or ``ask-again``.
    """

    number: int
    pair: int
    round: int
    game: str
    rules: str
    scoring: str
    opening: Opening
    deal_seed: int | None
    mirrored: bool
    seeds: tuple[int, int]
    stall_ms: int
    banned_reply: str = "forfeit"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game ended.

    Attributes:
        winner: None for a draw.
        termination: see `GameRecord`.
        detail: for people.
        margin: from p1's view, if it was measured.
        void: it counts for nothing.
    """

    winner: Player | None
    termination: str
    detail: str = ""
    margin: float | None = None
    void: bool = False

    def result(self) -> Result | None:
        """As it is recorded."""
        if self.void:
            return None
        winner = None if self.winner is None else self.winner.name.lower()
        margin = None if self.margin is None else float(self.margin)
        return Result(winner, margin, "" if self.termination == "discs" else self.termination)


@dataclass(slots=True)
class Board:
    """A game in progress."""

    position: Position
    moves: list[str] = field(default_factory=list)
    moves_text: str = ""
    plies: list[Ply] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def play(self, ply: Ply) -> None:
        self.position = self.position.play(ply.move)
        self.moves.append(ply.move)
        self.moves_text = f"{self.moves_text} {ply.move}" if self.moves_text else ply.move
        self.plies.append(ply)


async def play_game(
    plan: GamePlan,
    p1: Seat,
    p2: Seat,
    adjudicator: Adjudicator | None = None,
    on_move: Callable[[], None] | None = None,
    on_deal: Callable[[str], None] | None = None,
) -> GameRecord:
    """Play one game to its end, whatever the contestants do.

    Args:
        plan: everything about the game that was settled before.
        p1, p2: who plays.
        adjudicator: may end the game early.
        on_move: called after each move.
        on_deal: called with the commitment of a banqi deal before anything is asked of anybody.

    Returns:
        The record, with the whole proof of the deal in it (`fanqi.match.record.hide_proof` takes it out
        again).
    """
    started = datetime.now(UTC)
    game = load_game(plan.game)
    start = plan.opening.start
    board = Board(game.start(plan.rules) if start == "startpos" else game.parse(start, plan.rules))
    arbiter = None
    if plan.deal_seed is not None:
        arbiter = deal_for(board.position, plan.deal_seed, mirrored=plan.mirrored)
        if on_deal is not None:
            on_deal(arbiter.commitment)
    for move in plan.opening.moves:
        board.play(Ply(board.position.canonical(move)))
    table = Table(plan, {Player.P1: p1, Player.P2: p2}, board, arbiter, adjudicator, on_move)
    verdict = await table.play()
    ended = datetime.now(UTC)
    return GameRecord(
        format=FORMAT,
        number=plan.number,
        pair=plan.pair,
        round=plan.round,
        game=plan.game,
        players=(p1.name, p2.name),
        labels=(p1.contestant.label, p2.contestant.label),
        limits=(str(p1.limit), str(p2.limit)),
        rules=plan.rules,
        scoring=plan.scoring,
        start=None if start == "startpos" else start,
        opening=plan.opening.name,
        opening_plies=len(plan.opening.moves),
        date=started.isoformat(timespec="milliseconds"),
        ended=ended.isoformat(timespec="milliseconds"),
        moves=board.moves,
        **columns(board.plies),  # type: ignore[arg-type]
        result=verdict.result(),
        termination=verdict.termination,
        detail=verdict.detail,
        final=board.position.fen(),
        deal=None if arbiter is None else proof_of(arbiter, mirrored=plan.mirrored),
        notes=[*board.notes, *p1.contestant.remarks(), *p2.contestant.remarks()],
    )


class Table:
    """The referee at work on one game."""

    def __init__(
        self,
        plan: GamePlan,
        seats: dict[Player, Seat],
        board: Board,
        arbiter: Arbiter | None,
        adjudicator: Adjudicator | None,
        on_move: Callable[[], None] | None,
    ) -> None:
        self.plan = plan
        self.seats = seats
        self.board = board
        self.arbiter = arbiter
        self.adjudicator = adjudicator
        self.on_move = on_move
        self.clocks = {player: GameClock(seat.limit, plan.stall_ms) for player, seat in seats.items()}
        self.setups = {
            player: Setup(
                plan.game, plan.rules, plan.opening.start, player, self.clocks[player], plan.seeds[player - 1]
            )
            for player in Player
        }

    async def play(self) -> Verdict:
        """From getting ready to the verdict."""
        verdict = await self.prepare()
        while verdict is None:
            verdict = self.ruled()
            if verdict is None and self.adjudicator is not None:
                verdict = await self.adjudicator.solved(self.board.position)
            if verdict is None:
                verdict = await self.one_move()
        return verdict

    async def prepare(self) -> Verdict | None:
        """Get both ready; who fails has lost, and if both fail the game is void."""
        faults = await asyncio.gather(*(self.ready(player) for player in Player))
        match faults:
            case [None, None]:
                return None
            case [fault, None] if fault is not None:
                return self.lost(Player.P1, fault)
            case [None, fault] if fault is not None:
                return self.lost(Player.P2, fault)
            case _:
                detail = "; ".join(
                    f"{self.seats[player].name}: {fault.detail}"
                    for player, fault in zip(Player, faults, strict=True)
                    if fault is not None
                )
                return Verdict(None, Fault.START.value, detail, void=True)

    async def ready(self, player: Player) -> EngineError | None:
        try:
            await self.seats[player].contestant.prepare(self.setups[player])
        except EngineError as fault:
            return fault
        return None

    def ruled(self) -> Verdict | None:
        """The verdict of the rules, or of the adjudicator."""
        outcome = self.board.position.outcome(self.plan.scoring)
        if outcome is not None:
            return Verdict(outcome.winner, outcome.reason, "", outcome.margin)
        return None if self.adjudicator is None else self.adjudicator.verdict(self.board.position)

    async def one_move(self) -> Verdict | None:
        """Ask the side to move, and play what it answers."""
        board = self.board
        player = board.position.turn
        seat, clock = self.seats[player], self.clocks[player]
        turn = Turn(
            self.setups[player], board.moves, board.position, clock, self.clocks[player.other], board.moves_text
        )
        try:
            reply = await seat.contestant.choose(turn)
            move, elapsed_ms = await self.checked(player, reply, turn)
        except EngineError as fault:
            await seat.contestant.recover()
            return self.lost(player, fault)
        allowed_ms = clock.allowed_ms
        if not clock.spend(elapsed_ms):
            return self.lost(player, late(reply, elapsed_ms, allowed_ms))
        if reply.resigns:
            return self.given_up(player)
        if self.arbiter is not None and board.position.needs_reveal(move):
            move = f"{move}={self.arbiter.flip(move)}"
        thought = reply.thought
        board.play(Ply(move, elapsed_ms, clock.left_ms, thought.cp, thought.depth, thought.nodes, thought.exact))
        if self.on_move is not None:
            self.on_move()
        if self.adjudicator is not None:
            self.adjudicator.heard(player, thought.cp)
        if reply.offers_draw and self.board.position.outcome() is None:
            return await self.draw_offered(player.other)
        return None

    async def checked(self, player: Player, reply: Reply, turn: Turn) -> tuple[str, int]:
        """The move in canonical notation, or the one that is played in its place, and the time it took.

        Raises:
            EngineError: not a legal move.
        """
        try:
            return self.choice(reply), reply.elapsed_ms
        except MoveError as error:
            return await self.not_legal(player, reply, turn, error)

    def choice(self, reply: Reply) -> str:
        """The canonical move of a reply.

        Raises:
            MoveError: not legal.
            EngineError: a flip that also says what it shows, which nobody but the referee can.
        """
        move = self.board.position.canonical(reply.move)
        if "=" in move:
            raise EngineError(Fault.ILLEGAL, f"{printable(reply.move)}: a flip is answered by its square alone")
        return move

    async def not_legal(self, player: Player, reply: Reply, turn: Turn, error: MoveError) -> tuple[str, int]:
        """What to do about an answer that is not legal: nothing, unless only the chase ban forbids it."""
        position = self.board.position
        fault = EngineError(Fault.ILLEGAL, f"{printable(reply.move)}: {error.reason}; position {position.fen()}")
        if self.plan.banned_reply == "forfeit" or self.plan.game != "banqi":
            raise fault
        if simple_move(reply.move) not in position.facts("banned").split():
            raise fault
        ply = len(self.board.moves) + 1
        self.board.notes.append(f"ply {ply}: {self.seats[player].name} answered the banned {reply.move}")
        elapsed_ms = reply.elapsed_ms
        if self.plan.banned_reply == "ask-again":
            again = await self.seats[player].contestant.choose(turn)
            elapsed_ms += again.elapsed_ms
            with contextlib.suppress(MoveError):  # if it insists, a move is chosen for it
                return self.choice(again), elapsed_ms
        legal = position.legal_moves()
        return legal[ply % len(legal)], elapsed_ms

    async def draw_offered(self, opponent: Player) -> Verdict | None:
        """Ask the opponent whether it takes the draw."""
        contestant = self.seats[opponent].contestant
        try:
            accepted = await contestant.answer_draw()
        except EngineError as fault:
            await contestant.recover()
            return self.lost(opponent, fault)
        return Verdict(None, "agreed", "", 0.0) if accepted else None

    def given_up(self, player: Player) -> Verdict:
        """A resignation; in banqi it costs what a loss would cost now."""
        margin = self.stake(player.other)
        return Verdict(player.other, "resigned", f"{self.seats[player].name} resigned", margin)

    def lost(self, player: Player, fault: EngineError) -> Verdict:
        """The loss of an engine by its own fault."""
        detail = f"{self.seats[player].name}: {fault.detail}"
        return Verdict(player.other, fault.fault.value, detail, self.stake(player.other))

    def stake(self, winner: Player) -> float | None:
        """Stake points for p1 if ``winner`` won now (banqi)."""
        return stake_for(self.board.position, self.plan.game, winner)


def stake_for(position: Position, game: str, winner: Player) -> float | None:
    """Stake points for p1 if ``winner`` won in this position; None where the game has no stakes."""
    if game != "banqi":
        return None
    try:
        points = int(position.facts("stake", (winner.name.lower(),)))
    except GameError:
        return None
    return points if winner is Player.P1 else -points


def late(reply: Reply, elapsed_ms: int, allowed_ms: int | None) -> EngineError:
    """The fault of a move that came, but too late."""
    return EngineError(Fault.TIME, f"answered {printable(reply.move)} after {elapsed_ms} ms, {allowed_ms} were allowed")


def deal_for(position: Position, seed: int, *, mirrored: bool) -> Arbiter:
    """An arbiter for the covered squares of a position."""
    board, covered = position.fen().split()[:2]
    cells = "".join(reversed(board.split("/")))
    squares = [index for index, cell in enumerate(cells) if cell == "X"]
    return Arbiter.new(seed, covered.replace("-", ""), squares, mirrored=mirrored)


def proof_of(arbiter: Arbiter, *, mirrored: bool) -> DealProof:
    """Commitment and opening, once the game is over."""
    arbiter.finish()
    opening = arbiter.open()
    secret = opening.deal
    return DealProof(arbiter.commitment, str(secret.seed), opening.salt.hex(), secret.layout, secret.draw, mirrored)


def simple_move(text: str) -> str:
    """``b8-a8`` and ``b8xa8`` as ``b8a8``."""
    return text.replace("-", "").replace("x", "").lower()


def printable(text: str) -> str:
    """A move text for a record: whatever an engine sends, it is short and printable."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return repr(shown if len(shown) <= 40 else shown[:40] + "…")
