"""What every search promises: one legal answer, honest infos, limits kept, stops obeyed."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from fanqi.match.compliance.probe import Probe, Violation, playable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fanqi.game import Position

__all__ = ["SEARCH_STEPS"]

SLACK_S = 0.15
"""How much later than promised an answer may come here: the checker cannot know how busy the machine is."""

NUMBERS = {"depth", "seldepth", "selectivity", "multipv", "nodes", "nps", "hashfull", "time"}


async def answers_a_depth(probe: Probe) -> None:
    """`go depth 2` is answered by exactly one legal `bestmove`, with at least one scored `info` before it"""
    probe.send("ucinewgame", "position startpos")
    search = await probe.search("go depth 2")
    await probe.legal(search)
    await probe.silence(0.1, "one go, one bestmove")
    if not search.scored():
        raise Violation("no info with a score before bestmove")


async def infos_are_well_formed(probe: Probe) -> None:
    """`info` fields are numbers in their ranges, and lines of play can be played"""
    probe.send("position startpos")
    search = await probe.search("go depth 3")
    position = await probe.legal(search)
    for line in search.scored():
        check_info(line, position)


def check_info(line: str, position: Position) -> None:
    """One ``info`` line.

    Raises:
        Violation: a field is missing its value, is out of range, or a move cannot be played.
    """
    words = line.split()[1:]
    place = 0
    while place < len(words):
        word = words[place]
        if word == "pv":
            if not words[place + 1 :]:
                raise Violation(f"an empty pv: {line!r}")
            wrong = playable(position, words[place + 1 :])
            if wrong is not None:
                raise Violation(f"{wrong} in the pv cannot be played: {line!r}")
            return
        if word == "score":
            place += check_score(words[place + 1 : place + 4], line)
        elif word == "wdl":
            shares = words[place + 1 : place + 4]
            whole = len(shares) == 3 and all(share.isdecimal() and len(share) < 5 for share in shares)
            if not whole or sum(map(int, shares)) != 1000:
                raise Violation(f"wdl is three per mille that add up to 1000: {line!r}")
            place += 4
        elif word in NUMBERS:
            value = words[place + 1] if place + 1 < len(words) else ""
            if not value.isdecimal() or len(value) > 18 or (word in ("hashfull",) and int(value) > 1000):
                raise Violation(f"{word} {value!r} is no such number: {line!r}")
            place += 2
        else:
            raise Violation(f"unknown field {word!r}: {line!r}")


def check_score(words: list[str], line: str) -> int:
    """``cp N [lowerbound|upperbound]``; how many words it takes with ``score``."""
    if len(words) < 2 or words[0] != "cp" or not words[1].lstrip("-").isdecimal():
        raise Violation(f"score is cp and an integer: {line!r}")
    return 4 if words[2:] and words[2] in ("lowerbound", "upperbound") else 3


async def keeps_a_node_limit(probe: Probe) -> None:
    """`go nodes 1` is answered by a legal move"""
    probe.send("position startpos")
    await probe.legal(await probe.search("go nodes 1"))


async def keeps_a_fixed_time(probe: Probe) -> None:
    """`go movetime 200` is answered in time"""
    probe.send("position startpos")
    search = await probe.search("go movetime 200")
    await probe.legal(search)
    if search.seconds > 0.2 + SLACK_S:
        raise Violation(f"it took {1000 * search.seconds:.0f} ms")


async def plays_by_the_clock(probe: Probe) -> None:
    """`go p1time 1000 p2time 1000 p1inc 10 p2inc 10 movestogo 20` takes a part of the clock"""
    probe.send("position startpos")
    search = await probe.search("go p1time 1000 p2time 1000 p1inc 10 p2inc 10 movestogo 20")
    await probe.legal(search)
    if search.seconds > 0.7:
        raise Violation(f"it took {1000 * search.seconds:.0f} ms of 1000 for one move of twenty")


async def understands_chess_clocks(probe: Probe) -> None:
    """`wtime` and `btime` are read as the clocks of the seats they stand for"""
    own, other = ("b", "w") if probe.game == "othello" else ("w", "b")
    probe.send("position startpos")
    search = await probe.search(f"go {own}time 300 {other}time 3600000 {own}inc 0 {other}inc 0")
    await probe.legal(search)
    if search.seconds > 0.3 + SLACK_S:
        raise Violation(f"with 300 ms on its clock it took {1000 * search.seconds:.0f} ms")


async def moves_at_once_when_time_is_over(probe: Probe) -> None:
    """a clock at zero or below is answered at once"""
    for left in (1, 0, -100):
        probe.send("position startpos")
        search = await probe.search(f"go p1time {left} p2time {left}")
        await probe.legal(search)
        if search.seconds > 0.1 + SLACK_S:
            raise Violation(f"with {left} ms on the clock it took {1000 * search.seconds:.0f} ms")


async def refuses_a_missing_clock(probe: Probe) -> None:
    """a clock without that of the side to move is refused, without a `bestmove`"""
    probe.send("position startpos")
    errors = [line for line in await probe.ask("go p2time 1000") if line.startswith("info string error: ")]
    if len(errors) != 1:
        raise Violation(f"expected one error line, there are {len(errors)}")
    await probe.silence(0.2, "a refused go has no bestmove")


async def thinks_until_stopped(probe: Probe) -> None:
    """`go infinite` gives no answer before `stop`, and then one at once"""
    probe.send("position startpos", "go infinite")
    await probe.silence(0.4, "go infinite waits for stop")
    search = await probe.search_end(probe.send("stop"))
    await probe.legal(search)
    if search.seconds > 0.02 + SLACK_S:
        raise Violation(f"stop was answered after {1000 * search.seconds:.0f} ms, expected 20")


async def is_ready_while_it_thinks(probe: Probe) -> None:
    """`isready` is answered at once during a search, which goes on"""
    probe.send("position startpos", "go infinite")
    await asyncio.sleep(0.1)
    asked = probe.send("isready")
    _, heard = await probe.until("readyok", 5.0)
    if heard.at - asked > SLACK_S:
        raise Violation(f"readyok came after {1000 * (heard.at - asked):.0f} ms")
    await probe.silence(0.1, "the search goes on")
    await probe.legal(await probe.search_end(probe.send("stop")))


async def a_stop_without_a_search_is_silent(probe: Probe) -> None:
    """`stop` and `ponderhit` without a search say nothing"""
    said = await probe.ask("stop", "ponderhit")
    if said:
        raise Violation(f"{said[0]!r} comes all the same")


async def ponders(probe: Probe) -> None:
    """`go ponder` waits for `ponderhit`, from when on its limits count"""
    probe.send("position startpos", "go ponder movetime 100")
    await probe.silence(0.4, "go ponder waits for ponderhit")
    search = await probe.search_end(probe.send("ponderhit"))
    await probe.legal(search)
    if search.seconds > 0.1 + SLACK_S:
        raise Violation(f"{1000 * search.seconds:.0f} ms after ponderhit, with movetime 100")


async def a_stop_ends_pondering(probe: Probe) -> None:
    """`stop` ends `go ponder` with a legal move"""
    probe.send("position startpos", "go ponder depth 50")
    await asyncio.sleep(0.1)
    await probe.legal(await probe.search_end(probe.send("stop")))


async def waiting_searches_keep_their_order(probe: Probe) -> None:
    """two searches sent at once are both answered, in order, each for its own position"""
    first = probe.rules.start().legal_moves()[0]
    reply = f"{first}=K" if probe.game == "banqi" else first
    probe.send("position startpos", "go depth 1", f"position startpos moves {reply}", "go depth 1")
    await probe.legal(await probe.search_end(time.monotonic()))
    await probe.legal(await probe.search_end(time.monotonic()), reply)


async def restricts_itself_to_moves(probe: Probe) -> None:
    """`go searchmoves M` answers M"""
    probe.send("position startpos")
    for move in probe.rules.start().legal_moves()[-2:]:
        search = await probe.search(f"go depth 1 searchmoves {move}")
        if search.move != move:
            raise Violation(f"asked for {move}, it answers {search.move}")


async def tells_several_lines(probe: Probe) -> None:
    """`MultiPV 2` tells two different lines, ranked 1 and 2"""
    if not probe.has("MultiPV"):
        return
    probe.send("setoption name MultiPV value 2", "position startpos")
    search = await probe.search("go depth 2")
    probe.send("setoption name MultiPV value 1")
    ranks = {line.split(" multipv ")[1].split()[0] for line in search.scored() if " multipv " in line}
    if ranks != {"1", "2"}:
        raise Violation(f"lines of rank {sorted(ranks)}")


async def names_the_expected_reply(probe: Probe) -> None:
    """`ponder` in a `bestmove` comes with the option `Ponder` only, and can be played"""
    if not probe.has("Ponder"):
        return
    probe.send("setoption name Ponder value true", "position startpos")
    search = await probe.search("go depth 3")
    probe.send("setoption name Ponder value false")
    if "ponder" in search.best:
        position = await probe.legal(search)
        wrong = playable(position, [search.move, search.best[search.best.index("ponder") + 1]])
        if wrong is not None:
            raise Violation(f"{wrong} in {' '.join(search.best)!r} cannot be played")
    search = await probe.search("go depth 3")
    if "ponder" in search.best:
        raise Violation(f"{' '.join(search.best)!r} with Ponder off")


SEARCH_STEPS: list[Callable[[Probe], Awaitable[None]]] = [
    answers_a_depth,
    infos_are_well_formed,
    keeps_a_node_limit,
    keeps_a_fixed_time,
    plays_by_the_clock,
    understands_chess_clocks,
    moves_at_once_when_time_is_over,
    refuses_a_missing_clock,
    thinks_until_stopped,
    is_ready_while_it_thinks,
    a_stop_without_a_search_is_silent,
    ponders,
    a_stop_ends_pondering,
    waiting_searches_keep_their_order,
    restricts_itself_to_moves,
    tells_several_lines,
    names_the_expected_reply,
]
