"""Sets of positions in which every move has a score: what `fanqi bench accuracy` measures a search against.

Each position is of another game of self-play, so that no two are alike and no fit has seen them as long as the seed is
kept for this. Games that are decided teach nothing, so only those are taken whose score by a short search is within
`CLOSE` discs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fanqi.bits import address_of
from fanqi.othello import GAME, Position
from fanqi.othello.endgame.last import final_score
from fanqi.othello.patterns import load_weights
from fanqi.records.obf import Problem, format_problem
from fanqi.search import Control, Limits, Settings, Solve
from fanqi.train.playing import BLOCK_WORDS, PLIES, play_games
from fanqi.train.positions import hashed
from fanqi.train.selfplay import BATCH, replay_game
from fanqi.train.solving import Solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fanqi.othello.patterns import Weights
    from fanqi.search import Engine, Info

__all__ = ["ProblemSettings", "make_problems", "positions"]

FIRST, LAST = 8, 20
CLOSE = 30
EXACT = 12
"""Empty squares from which the games are played perfectly; they need no more, since positions are taken before."""


@dataclass(frozen=True, slots=True)
class ProblemSettings:
    """Which positions, and how their moves get scores.

    Attributes:
        empties: empty squares of every position.
        seed: another one plays other games.
        depth: plies of the games' search.
        certainty: of the scores in percent; 100 for exact ones.
        plies: of the search that gives a move its score; None for one to the end of the game.
        hash_mib: table of that search.
    """

    empties: int
    seed: int
    depth: int = 5
    certainty: int = 100
    plies: int | None = None
    hash_mib: int = 512


def positions(settings: ProblemSettings, weights: Weights) -> Iterator[Position]:
    """Positions with two legal moves or more, one a game, without end; the same for the same settings and weights.

    Openings have `FIRST` to `LAST` random plies, or two less than the position needs if that is fewer.
    """
    solver = Solver(weights)
    block = np.zeros(BLOCK_WORDS, np.int64)
    done = 0
    while True:
        number = np.arange(done, done + BATCH)
        done += BATCH
        last = min(LAST, 60 - settings.empties - 2)
        wanted = FIRST + (hashed(number, settings.seed * 4) % np.uint64(last - FIRST + 1)).astype(np.int64)
        seeds = hashed(number, settings.seed * 4 + 1) | np.uint64(1)
        moves = np.zeros((BATCH, PLIES), np.uint8)
        scores, shape = np.full(moves.shape, -32768, np.int16), np.zeros((BATCH, 3), np.int64)
        play_games(
            address_of(block),
            address_of(weights.evaluation_block),
            solver.block,
            seeds,
            np.zeros(BATCH, np.int64),
            wanted,
            settings.depth,
            EXACT,
            moves,
            scores,
            shape,
        )
        for row in range(BATCH):
            ply = 60 - settings.empties
            plies, opening, _ = (int(n) for n in shape[row])
            if plies <= ply or opening >= ply or abs(int(scores[row, ply])) > 100 * CLOSE:
                continue
            own, opponent, sign = np.zeros(PLIES, np.uint64), np.zeros(PLIES, np.uint64), np.zeros(PLIES, np.int64)
            replay_game(moves[row, :plies], ply, own, opponent, sign)
            position = position_of(int(own[0]), int(opponent[0]), int(sign[0]) > 0)
            if len(position.legal_moves()) > 1:
                yield position


def position_of(own: int, opponent: int, black: bool) -> Position:
    first, second = ("X", "O") if black else ("O", "X")
    cells = "".join(first if own >> n & 1 else second if opponent >> n & 1 else "-" for n in range(64))
    return GAME.parse(f"{cells} {first}")


def make_problems(
    out: Path, count: int, settings: ProblemSettings, progress: Callable[[int], None] | None = None
) -> None:
    """Append problems to an OBF file until it holds ``count``; goes on where it was interrupted.

    A line that an interruption cut short is written anew.

    Raises:
        ValueError: the file holds positions of other settings or weights.
        OSError: the file cannot be read or written.
    """
    GAME.prepare()
    weights = load_weights(None)
    written = whole_lines(out)
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=settings.hash_mib))
    engine.reserve()
    for done, position in enumerate(positions(settings, weights)):
        if progress is not None:
            progress(min(done, count))
        if done == count:
            return
        if done < len(written):
            if not written[done].startswith(position.fen()):
                raise ValueError(f"{out}, line {done + 1}: of other settings or weights; choose another file")
            continue
        line = format_problem(judged(engine, position, settings))
        with out.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def whole_lines(path: Path) -> list[str]:
    """The lines of a file that end in a line feed; what is cut short behind them is removed from it."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)
    return data[:whole].decode("utf-8").splitlines()


def judged(engine: Engine, position: Position, settings: ProblemSettings) -> Problem:
    """The position with the score of each of its moves, best first; the table is kept from move to move."""
    engine.new_game()
    scores = [(move, -score_of(engine, position.play(move), settings)) for move in position.legal_moves()]
    scores.sort(key=lambda item: -item[1])
    return Problem(position.fen(), tuple(scores))


def score_of(engine: Engine, position: Position, settings: ProblemSettings) -> float:
    """Disc difference for the side to move, by the result where the game is over."""
    if position.outcome() is not None:
        return float(final_score(np.uint64(position.own), np.uint64(position.opponent)))
    if settings.plies is None:
        limits = Limits(solve=Solve.SCORE, certainty=settings.certainty)
    else:
        limits = Limits(depth=settings.plies, certainty=settings.certainty)
    info = engine.search(position, limits, Control(), ignore).infos[0]
    return (info.score_cp or 0) / 100


def ignore(info: Info) -> None:
    """Only the result of a search is wanted."""
