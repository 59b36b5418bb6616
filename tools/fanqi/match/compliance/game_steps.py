"""What the two games promise: positions, moves, questions, ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.match.compliance.probe import Probe, Violation

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["BANQI_STEPS", "OTHELLO_STEPS"]

BEFORE_PASS = "e6 f6 g6 d6 c6 g7 f4 g5 c4 e3 e2 c7 g4 d2 g8 h8 d7 g3 g2 c5 b7 h6 c2 h2 c3 h4 b6 g1 f2 f8"
WIPE_OUT = "e6 f4 e3 f6 g5 d6 e7 f5 c5"
RED_LOSES = "..../..../..../..../..../..../pp../K..p - b 3 -"
CHASE = "..../..../..../..../..../..../..n./.R.k - r 0 - moves b1c1 c2c3 c1c2 c3c4 c2c3 c4c5 c3c4 c5c6 c4c5 c6c7"


async def expect(probe: Probe, question: str, answer: str) -> None:
    """A question and the answer it must have.

    Raises:
        Violation: another one comes.
    """
    said = await probe.answer(question)
    if said != f"response {answer}":
        raise Violation(f"{question!r} is answered by {said!r}, expected 'response {answer}'")


async def othello_answers_questions(probe: Probe) -> None:
    """`query` answers gameover, result, reason, p1turn, legal, score and fen"""
    probe.send("position startpos moves f5")
    for question, answer in (
        ("gameover", "false"),
        ("result", "none"),
        ("reason", "none"),
        ("p1turn", "false"),
        ("legal", "d6 f4 f6"),
        ("score", "none"),
        ("fen", "-" * 27 + "OX------XXX" + "-" * 26 + " O"),
    ):
        await expect(probe, f"query {question}", answer)
    await probe.refusal("query weather", 2)


async def othello_reads_moves_in_all_spellings(probe: Probe) -> None:
    """moves are read in any case, passes in all spellings, and left out where they are forced"""
    expected = probe.rules.start()
    for move in (*BEFORE_PASS.split(), "pass", "c1"):
        expected = expected.play(move)
    for spelling in ("pass", "PA", "ps", "--", "0000", "@@@@", ""):
        said = await probe.answer_after(f"position startpos moves {BEFORE_PASS.upper()} {spelling} c1", "query fen")
        if said != f"response {expected.fen()}":
            raise Violation(f"a pass spelled {spelling!r} leads to {said!r}")


async def othello_passes(probe: Probe) -> None:
    """`bestmove pass` where nothing else is legal"""
    probe.send(f"position startpos moves {BEFORE_PASS}")
    search = await probe.search("go depth 1")
    if search.move != "pass":
        raise Violation(f"bestmove {search.move} where only a pass is legal")


async def othello_ends(probe: Probe) -> None:
    """a finished game has its result, and `go` answers `bestmove (none)`"""
    probe.send(f"position startpos moves {WIPE_OUT}")
    for question, answer in (
        ("gameover", "true"),
        ("result", "p1win"),
        ("reason", "discs"),
        ("legal", "(none)"),
        ("score", "64"),
    ):
        await expect(probe, f"query {question}", answer)
    search = await probe.search("go depth 3")
    if search.move != "(none)":
        raise Violation(f"bestmove {search.move} in a finished game")


async def othello_refuses_what_cannot_be(probe: Probe) -> None:
    """illegal moves and impossible positions are refused, and the position before stays"""
    probe.send("position startpos moves f5")
    await probe.refusal("position startpos moves f5 f5", 5)
    await probe.refusal("position startpos moves f5 z9", 5)
    await probe.refusal("position fen XXXX X", 3)
    await expect(probe, "query legal", "d6 f4 f6")


async def othello_solves(probe: Probe) -> None:
    """`go solve` gives the exact score"""
    probe.send("position fen -OOOOOOX" + "X" * 56 + " X")
    search = await probe.search("go solve")
    exact = [line for line in search.scored() if " selectivity 100 " in line]
    if not exact:
        raise Violation("no info with selectivity 100")


async def draws_the_board(probe: Probe) -> None:
    """`d` ends in a line `fen P` that `position fen` reads back"""
    probe.send("position startpos")
    said = await probe.ask("d")
    if not said or not said[-1].startswith("fen "):
        raise Violation(f"the last line of d is {said[-1:]!r}")
    errors = await probe.ask(f"position {said[-1]}")
    if errors:
        raise Violation(f"its own position is answered by {errors[0]!r}")


async def explains_its_evaluation(probe: Probe) -> None:
    """`eval` ends in a line `total N cp`"""
    probe.send("position startpos")
    probe.send("eval")
    words: list[str] = []
    while len(words) != 3 or words[2] != "cp" or not words[1].lstrip("+-").isdecimal():
        _, heard = await probe.until("total")
        words = heard.text.split()


async def counts_leaves(probe: Probe) -> None:
    """`go perft 2` counts right and gives no `bestmove`"""
    expected = probe.rules.perft(None, 2)
    probe.send("position startpos", "go perft 2")
    before, heard = await probe.until("Nodes")
    total = heard.text.rpartition(":")[2].strip()
    if total != str(expected):
        raise Violation(f"perft 2 is {expected}, it says {total}")
    shares = [line.rpartition(":")[2].strip() for line in before if ": " in line and not line.startswith("info")]
    if sum(int(share) for share in shares if share.isdecimal() and len(share) < 19) != expected:
        raise Violation("the moves' shares do not add up")
    await probe.silence(0.1, "perft has no bestmove")


async def banqi_answers_a_flip(probe: Probe) -> None:
    """the first move is a flip, answered by its square alone"""
    probe.send("ucinewgame", "position startpos")
    search = await probe.search("go depth 1")
    if len(search.move) != 2:
        raise Violation(f"bestmove {search.move}, expected a bare square")
    await probe.legal(search)


async def banqi_reads_moves_in_all_spellings(probe: Probe) -> None:
    """flips with their outcomes and steps are read in all spellings"""
    for spelled in ("b8=P a8=k b8a8", "b8b8=P a8(k) b8xa8", "b8(P) a8=k b8-a8"):
        said = await probe.answer_after(f"position startpos moves {spelled}", "query p1turn")
        if said != "response false":
            raise Violation(f"after {spelled!r}: {said!r}")


async def banqi_refuses_a_flip_without_outcome(probe: Probe) -> None:
    """a flip without its outcome, or with a piece that is not covered any more, is refused in a move list"""
    await probe.refusal("position startpos moves b8", 4)
    await probe.refusal("position startpos moves b8=K a8=K", 5)


async def banqi_refuses_what_cannot_be(probe: Probe) -> None:
    """impossible positions are refused with the reason"""
    for fen in (
        "KK../..../..../..../..../..../..../.... - r 0 -",
        "X.../..../..../..../..../..../..../...K - r 0 -",
        "..../..../..../..../..../..../..../k..K - r 3 r:b5>b7=2",
    ):
        await probe.refusal(f"position fen {fen}", 3)


async def banqi_keeps_the_chase_ban(probe: Probe) -> None:
    """a sixth chase is no legal move, and `Rules chase=off` makes it one"""
    probe.send(f"position fen {CHASE}")
    said = (await probe.answer("query legal")).split()
    if "c5c6" in said:
        raise Violation("c5c6 is a sixth chase and legal all the same")
    search = await probe.search("go depth 3")
    if search.move == "c5c6":
        raise Violation("it plays a sixth chase")
    if not probe.has("Rules"):
        return
    said = (await probe.answer_after("setoption name Rules value chase=off", "query legal")).split()
    await probe.ask("setoption name Rules value")
    if "c5c6" not in said:
        raise Violation("with chase=off c5c6 is not legal")


async def banqi_ends(probe: Probe) -> None:
    """a side without a move has lost, and `go` answers `bestmove (none)`"""
    probe.send(f"position fen {RED_LOSES} moves b2b1")
    for question, answer in (("gameover", "true"), ("result", "p1win"), ("reason", "no_moves"), ("score", "1")):
        await expect(probe, f"query {question}", answer)
    search = await probe.search("go depth 3")
    if search.move != "(none)":
        raise Violation(f"bestmove {search.move} in a finished game")


async def banqi_tells_no_move_after_a_flip(probe: Probe) -> None:
    """a line of play ends at its first flip, and no reply is expected to one"""
    probe.send("setoption name Ponder value true") if probe.has("Ponder") else None
    probe.send("position startpos moves b8=P a8=k")
    search = await probe.search("go depth 3")
    if probe.has("Ponder"):
        probe.send("setoption name Ponder value false")
    if len(search.move) == 2 and "ponder" in search.best:
        raise Violation(f"{' '.join(search.best)!r} expects a reply to a flip")
    for line in search.scored():
        pv = line.partition(" pv ")[2].split()
        if any(len(move) == 2 for move in pv[:-1]):
            raise Violation(f"the pv goes on after a flip: {line!r}")


COMMON: list[Callable[[Probe], Awaitable[None]]] = [draws_the_board, explains_its_evaluation, counts_leaves]

OTHELLO_STEPS: list[Callable[[Probe], Awaitable[None]]] = [
    othello_answers_questions,
    othello_reads_moves_in_all_spellings,
    othello_passes,
    othello_ends,
    othello_refuses_what_cannot_be,
    othello_solves,
    *COMMON,
]

BANQI_STEPS: list[Callable[[Probe], Awaitable[None]]] = [
    banqi_answers_a_flip,
    banqi_reads_moves_in_all_spellings,
    banqi_refuses_a_flip_without_outcome,
    banqi_refuses_what_cannot_be,
    banqi_keeps_the_chase_ban,
    banqi_ends,
    banqi_tells_no_move_after_a_flip,
    *COMMON,
]
