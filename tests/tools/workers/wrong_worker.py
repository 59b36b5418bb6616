"""A worker that answers wrongly in every way it can think of, beside two good ones: no wrong result may count.

``make soak-wrong-workers`` runs this file with 1,000 jobs; the tests run it small.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
from typing import TYPE_CHECKING

import msgspec

from fanqi.dispatch.dispatcher import Dispatcher
from fanqi.dispatch.ledger import Ledger, NewJob
from fanqi.dispatch.needs import Need
from fanqi.dispatch.policy import Policy
from fanqi.dispatch.service import DispatchService, unix_ms
from fanqi.dispatch.verification import timeless
from fanqi.game import load_game
from fanqi.jobs.check import objection_to_result
from fanqi.mqtt import Endpoint, Hub, Incoming, Outgoing, Topics
from fanqi.mqtt.codec import (
    MAX_TO_DISPATCHER,
    decode_result,
    decode_to_worker,
    decode_work,
    encode,
    encode_envelopes,
)
from fanqi.mqtt.messages import Assign, Failed, Finished, Presence
from fanqi.mqtt.work import (
    KINDS,
    Analyse,
    AnalyseResult,
    Game,
    GameResult,
    Line,
    Ping,
    PingResult,
    PositionSpec,
    SearchLimits,
    Selfplay,
    SelfplayResult,
    kind_of,
)
from fanqi.workers.admission import Offer
from fanqi.workers.local import local_workers

if TYPE_CHECKING:
    from fanqi.mqtt.work import Result, Work

TOPICS = Topics()
GAMES = ("othello", "banqi")
WRONG = "wrong"


def random_moves(game: str, chance: random.Random) -> tuple[str, ...]:
    """Some moves from the start, the game not over after them."""
    position, moves, letters = load_game(game).start(), [], list("KGGMMRRNNCCPPPPPkggmmrrnnccppppp")
    chance.shuffle(letters)
    for _ in range(chance.randrange(1, 30)):
        move = chance.choice(position.legal_moves())
        if position.needs_reveal(move):
            move += "=" + letters.pop()
        after = position.play(move)
        if not after.legal_moves():
            break
        moves.append(move)
        position = after
    return tuple(moves)


def works(count: int, seed: int) -> list[Work]:
    """Jobs of every kind that needs no engines; most are analyses."""
    chance = random.Random(seed)
    found: list[Work] = []
    for number in range(count):
        game = GAMES[number % 2]
        spec = PositionSpec(game=game, moves=random_moves(game, chance))
        limits = chance.choice([SearchLimits(depth=3), SearchLimits(nodes=500)])
        match number % 25:
            case 0:
                found.append(Game(position=spec, limits=SearchLimits(depth=1)))
            case 1:
                found.append(Selfplay(game=game, games=1, seed=number, depth=1, exact=4))
            case 2:
                found.append(Ping(text=f"ping {number}"))
            case _:
                found.append(Analyse(position=spec, limits=limits, multipv=chance.choice([1, 1, 2])))
    return found


class WrongWorker:
    """Answers every job at once.

    Args:
        plausible: its analyses could be right, and only another worker's show that they are not.
    """

    def __init__(self, hub: Hub, seed: int, *, plausible: bool) -> None:
        self._hub = hub
        self._chance = random.Random(seed)
        self._plausible = plausible
        self.answered = 0

    def presence(self) -> bytes:
        presence = Presence(
            v=1,
            sent=unix_ms(),
            incarnation="x",
            state="ready",
            kinds=KINDS,
            games=GAMES,
            threads=8,
            free_threads=8,
            hash_mib=1024,
            credit=64,
            heartbeat_s=60.0,
        )
        return encode(presence)

    async def run(self) -> None:
        endpoint = Endpoint(WRONG, (TOPICS.to_worker(WRONG, "+"),))
        async with self._hub.open(endpoint) as link:
            link.publish(Outgoing(TOPICS.presence(WRONG), self.presence(), retain=True))
            while True:
                for event in await link.receive():
                    if not isinstance(event, Incoming):
                        continue
                    _, dispatcher = TOPICS.read_to_worker(event.topic)
                    for message in decode_to_worker(event.payload).messages:
                        if isinstance(message, Assign):
                            link.publish(Outgoing(TOPICS.to_dispatcher(dispatcher, WRONG), self.answer(message)))
                            self.answered += 1
                await asyncio.sleep(0)

    def answer(self, assign: Assign) -> bytes:
        work, chance = decode_work(assign.work), self._chance
        if self._plausible and isinstance(work, Analyse):
            raw = encode(plausible(work))
        else:
            raw = chance.choice(self.lies(work))
            if raw is None:
                failed = Failed(job=assign.job, attempt=assign.attempt, reason="\x1b[2Jno", final=True)
                return encode_envelopes([failed], unix_ms(), MAX_TO_DISPATCHER)[0]
        finished = Finished(job=assign.job, attempt=assign.attempt, seconds=0.0, nodes=1, result=msgspec.Raw(raw))
        stranger = msgspec.structs.replace(finished, job=assign.job + "9")
        return encode_envelopes([stranger, finished], unix_ms(), MAX_TO_DISPATCHER)[0]

    def lies(self, work: Work) -> list[bytes | None]:
        """Results that a look at the job shows to be wrong; None: the job is said to be impossible."""
        illegal = "h8" if game_of(work) == "banqi" else "d4"  # no square of the one, never empty in the other
        wrong: list[Result] = [
            AnalyseResult(move=illegal, lines=(Line(depth=3, score_cp=0, pv=(illegal,)),)),
            AnalyseResult(move="\x1b[2J\n", lines=(Line(depth=3, score_cp=0, pv=("\x1b[2J\n",)),)),
            AnalyseResult(move=None),
            PingResult(text="\x07"),
            GameResult(moves=()),
            SelfplayResult(games=1, positions=0, records=b"\xc5\xff\xff"),
            SelfplayResult(games=1, positions=0, records=b"{}"),
        ]
        if isinstance(work, Analyse):
            right = plausible(work)
            line = right.lines[0]
            for change in ({"score_cp": 99_999}, {"depth": 200}, {"pv": (*line.pv, "z9")}, {"pv": ()}):
                changed = msgspec.structs.replace(line, **change)
                if change.keys() != {"depth"} or work.limits.depth is not None:
                    wrong.append(msgspec.structs.replace(right, lines=(changed,)))
        return [*map(encode, wrong), b"\x81\xa4type\xa4nope", b"\xc1", None]


def plausible(work: Analyse) -> AnalyseResult:
    """The last legal move, with a score and the depth asked for."""
    position = load_game(work.position.game).start()
    for move in work.position.moves:
        position = position.play(move)
    moves = position.legal_moves()[::-1][: work.multipv]
    depth = work.limits.depth or 7
    lines = tuple(
        Line(depth=depth, score_cp=5, nodes=77, multipv=rank, pv=(move,)) for rank, move in enumerate(moves, 1)
    )
    return AnalyseResult(move=moves[0], lines=lines)


async def distribute(
    jobs: list[Work], *, wrong: WrongWorker | None, hub: Hub, verify: float, bad_answers: int = 3
) -> tuple[list, Ledger]:
    """The results of all jobs, without times; two good workers, and perhaps a wrong one that is there first."""
    ledger = Ledger(None, name=lambda: "d")
    ledger.add(
        NewJob(str(number), Need(kind_of(work), game_of(work), hash_mib=4), 600.0, encode(work))
        for number, work in enumerate(jobs, 1)
    )
    policy = Policy(bad_answers=bad_answers)
    dispatcher = Dispatcher(ledger, policy=policy, check=objection_to_result, verify=verify, on_distrust=ledger.reopen)
    task = None if wrong is None else asyncio.create_task(wrong.run())
    async with local_workers(2, Offer(KINDS, GAMES, threads=1, hash_mib=64), hub, TOPICS, prepare=GAMES):
        await DispatchService(dispatcher, hub, TOPICS).run()
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    answers = ledger.answers_by_seq(0, len(jobs))
    assert len(answers) == len(jobs)
    return [
        timeless(msgspec.to_builtins(decode_result(answer.body))) if answer.good else answer.body for answer in answers
    ], ledger


def game_of(work: Work) -> str | None:
    match work:
        case Analyse() | Game():
            return work.position.game
        case Selfplay():
            return work.game
    return None


def run_wrong_worker(count: int, seed: int, *, plausible: bool, bad_answers: int = 3) -> dict[str, object]:
    """Do all jobs with good workers alone, then with the wrong one beside them; figures of what happened.

    Args:
        plausible: see `WrongWorker`; every job is done twice then.
        bad_answers: after so many the wrong worker gets no more work.

    Raises:
        AssertionError: a result is another one.
    """
    jobs = works(count, seed)
    expected, _ = asyncio.run(distribute(jobs, wrong=None, hub=Hub(), verify=0.0))
    hub = Hub()
    wrong = WrongWorker(hub, seed, plausible=plausible)
    got, ledger = asyncio.run(distribute(jobs, wrong=wrong, hub=hub, verify=float(plausible), bad_answers=bad_answers))
    for number, (mine, theirs) in enumerate(zip(got, expected, strict=True), 1):
        assert mine == theirs, f"job {number}: {jobs[number - 1]}: {mine}, expected {theirs}"
    return {"wrong answers": wrong.answered, "distrusted": ledger.opinions.reasons()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for kind, plausible, bad_answers in (
        ("that a check finds", False, 3),
        ("that a check finds, from a worker that gets work to the end", False, 10**9),
        ("that only another worker finds, --verify 1", True, 10**9),
    ):
        figures = run_wrong_worker(arguments.jobs, arguments.seed, plausible=plausible, bad_answers=bad_answers)
        print(f"{arguments.jobs} jobs, no wrong result; wrong answers {kind}: {figures}", flush=True)


if __name__ == "__main__":
    main()
