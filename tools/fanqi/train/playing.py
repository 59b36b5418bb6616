"""One game of self-play in one kernel: a varied opening, a shallow search, and perfect play at the end.

The search is a plain alpha-beta of fixed depth on the pattern evaluation: it needs no table and no clock, so that the
same seed plays the same game on every machine. From ``exact`` empty squares on the solver plays, and every score is
exact.

All memory is one block of 64-bit words, reached by its address::

    STATES    index vectors, STATE_BYTES for each ply of the search
    LISTS     move lists, LIST_WORDS for each ply: (key, square, flipped) each
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.bits import load, popcount, store
from fanqi.kernels import kernel
from fanqi.othello.board import START_BLACK, START_WHITE
from fanqi.othello.endgame.last import final_score
from fanqi.othello.endgame.search import null_window
from fanqi.othello.endgame.shallow import odd_quadrants
from fanqi.othello.moves import ZERO, bit, flips, legal_moves, lowest_square, without_lowest
from fanqi.othello.patterns import evaluate, evaluation_board, evaluation_move, evaluation_pass, refine
from fanqi.train.compiled import compiled
from fanqi.train.solving import solve_position

__all__ = ["BLOCK_WORDS", "NO_SCORE", "PLIES", "play_games", "search_score"]

PLIES = 60
NO_SCORE = -32768
"""In place of a score where the opening was not chosen by search."""

BLACK, WHITE = np.uint64(START_BLACK), np.uint64(START_WHITE)
DEPTH_MAX = 24
STATE_BYTES = 128
LIST_WORDS = 3 * 36
STATES = 0
LISTS = STATES + (DEPTH_MAX + 2) * STATE_BYTES // 8
BLOCK_WORDS = LISTS + (DEPTH_MAX + 2) * LIST_WORDS
INFINITE: Any = np.int64(10_000)  # typed: a literal must never reach a recursive function (see CONTRIBUTING.md)
LARGE_CORRECTION = 2000
"""No correction of an evaluation makes up for more than this."""


@compiled
def insert(entries: Any, count: Any, key: Any, square: Any, turned: Any) -> Any:
    """Insert a move into a list that is sorted by key, lowest first."""
    at = count
    while at > 0 and load(entries, 3 * at - 3) > key:
        for word in range(3):
            store(entries, 3 * at + word, load(entries, 3 * at - 3 + word))
        at -= 1
    store(entries, 3 * at, key)
    store(entries, 3 * at + 1, square)
    store(entries, 3 * at + 2, turned)


@compiled
def list_moves(block: Any, weights: Any, own: Any, opp: Any, moves: Any, empties: Any, ply: Any) -> Any:
    """Fill the move list of a ply, best first by the evaluation after the move; returns their number."""
    entries = block + 8 * (LISTS + ply * LIST_WORDS)
    state = block + ply * STATE_BYTES
    count = 0
    while moves != ZERO:
        square = lowest_square(moves)
        moves = without_lowest(moves)
        turned = flips(own, opp, square)
        evaluation_move(state, state + STATE_BYTES, square, turned)
        insert(entries, count, evaluate(state + STATE_BYTES, weights, empties - 1), square, turned)
        count += 1
    return count


@compiled
def search(block: Any, weights: Any, own: Any, opp: Any, alpha: Any, beta: Any, depth: Any, ply: Any) -> Any:
    """Alpha-beta (fail-soft) in hundredths of a disc; the state of ``ply`` belongs to the position."""
    empties = 64 - popcount(own | opp)
    state = block + ply * STATE_BYTES
    if depth == 0:
        return refine(state, own, opp, weights, empties, evaluate(state, weights, empties))
    moves = legal_moves(own, opp)
    if moves == ZERO:
        if legal_moves(opp, own) == ZERO:
            return 100 * final_score(own, opp)
        evaluation_pass(state, state + STATE_BYTES)
        return -search(block, weights, opp, own, -beta, -alpha, depth, ply + 1)
    best = -INFINITE
    if depth == 1:
        while moves != ZERO:
            square = lowest_square(moves)
            moves = without_lowest(moves)
            turned, after = flips(own, opp, square), state + STATE_BYTES
            evaluation_move(state, after, square, turned)
            score = -evaluate(after, weights, empties - 1)
            if score < best - LARGE_CORRECTION:
                continue
            best = max(best, -refine(after, opp ^ turned, own | turned | bit(square), weights, empties - 1, -score))
            if best >= beta:
                break
        return best
    count = list_moves(block, weights, own, opp, moves, empties, ply)
    entries = block + 8 * (LISTS + ply * LIST_WORDS)
    for at in range(count):
        square, turned = load(entries, 3 * at + 1), np.uint64(load(entries, 3 * at + 2))
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        evaluation_move(state, state + STATE_BYTES, square, turned)
        limit = max(alpha, best)
        if at == 0:
            score = -search(block, weights, after_own, after_opp, -beta, -limit, depth - 1, ply + 1)
        else:
            score = -search(block, weights, after_own, after_opp, ~limit, -limit, depth - 1, ply + 1)
            if limit < score < beta:
                score = -search(block, weights, after_own, after_opp, -beta, -score, depth - 1, ply + 1)
        if score > best:
            best = score
            if score >= beta:
                break
    return best


@compiled
def search_score(block: Any, weights: Any, own: Any, opp: Any, depth: Any) -> Any:
    """The score of a position by a search of ``depth`` plies."""
    evaluation_board(block, own, opp)
    return search(block, weights, own, opp, -INFINITE, INFINITE, depth, np.int64(0))


@compiled
def best_move(block: Any, weights: Any, own: Any, opp: Any, depth: Any) -> Any:
    """(square, score) by a search of ``depth`` plies, at least 1, of a position with a legal move."""
    evaluation_board(block, own, opp)
    empties = 64 - popcount(own | opp)
    count = list_moves(block, weights, own, opp, legal_moves(own, opp), empties, 0)
    entries = block + 8 * LISTS
    best, chosen = -INFINITE, -1
    for at in range(count):
        square, turned = load(entries, 3 * at + 1), np.uint64(load(entries, 3 * at + 2))
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        evaluation_move(block, block + STATE_BYTES, square, turned)
        score = -search(block, weights, after_own, after_opp, -INFINITE, -best, depth - 1, np.int64(1))
        if score > best:
            best, chosen = score, square
    return chosen, best


@compiled
def perfect_move(block: Any, weights: Any, solver: Any, own: Any, opp: Any, score: Any) -> Any:
    """A move that reaches ``score``, the exact score of a position with a legal move."""
    evaluation_board(block, own, opp)
    empties = 64 - popcount(own | opp)
    count = list_moves(block, weights, own, opp, legal_moves(own, opp), empties, 0)
    entries = block + 8 * LISTS
    for at in range(count - 1):
        square, turned = load(entries, 3 * at + 1), np.uint64(load(entries, 3 * at + 2))
        after_own, after_opp = opp ^ turned, own | turned | bit(square)
        if (
            -null_window(solver, after_own, after_opp, -score, empties - 1, odd_quadrants(after_own, after_opp))
            >= score
        ):
            return square
    return load(entries, 3 * count - 2)


@compiled
def next_random(state: Any) -> Any:
    """The next state of a xorshift generator, whose state is its output; never 0."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@compiled
def random_square(moves: Any, state: Any) -> Any:
    """One of the squares, all alike likely."""
    skip = np.int64((state >> np.uint64(20)) % np.uint64(popcount(moves)))
    for _ in range(skip):
        moves = without_lowest(moves)
    return lowest_square(moves)


@compiled
def play_game(
    block: Any,
    weights: Any,
    solver: Any,
    seed: Any,
    given: Any,
    wanted: Any,
    depth: Any,
    exact: Any,
    moves: Any,
    scores: Any,
) -> Any:
    """Play one game into ``moves`` and ``scores``.

    Returns:
        (plies, plies of the opening, first ply with an exact score); (0, 0, 0) if the game ended in the opening.
    """
    own, opp = BLACK, WHITE
    random = seed
    opening = given + wanted
    first_exact = -1
    score = 0
    for ply in range(PLIES):
        legal = legal_moves(own, opp)
        if legal == ZERO:
            own, opp, score = opp, own, -score
            legal = legal_moves(own, opp)
            if legal == ZERO:
                if ply <= opening:
                    return 0, 0, 0
                return ply, opening, first_exact if first_exact >= 0 else ply
        empties = 64 - popcount(own | opp)
        scores[ply] = NO_SCORE
        if ply < given:
            square = np.int64(moves[ply])
            if not ((legal >> np.uint64(square)) & np.uint64(1)):
                return 0, 0, 0
        elif ply < opening:
            random = next_random(random)
            square = random_square(legal, random)
        elif empties <= exact:
            if first_exact < 0:
                first_exact = ply
                guess = search_score(block, weights, own, opp, np.int64(2))
                score = solve_position(solver, own, opp, 2 * ((guess + 100) // 200))
            square = perfect_move(block, weights, solver, own, opp, score)
            scores[ply] = 100 * score
        else:
            square, score = best_move(block, weights, own, opp, depth)
            scores[ply] = score
        moves[ply] = square
        turned = flips(own, opp, square)
        own, opp, score = opp ^ turned, own | turned | bit(square), -score
    return PLIES, opening, first_exact if first_exact >= 0 else PLIES


@kernel(
    "void(int64, int64, int64, uint64[::1], int64[::1], int64[::1], int64, int64, uint8[:, ::1], int16[:, ::1],"
    " int64[:, ::1])"
)
def play_games(
    block: Any,
    weights: Any,
    solver: Any,
    seeds: Any,
    given: Any,
    wanted: Any,
    depth: Any,
    exact: Any,
    moves: Any,
    scores: Any,
    shape: Any,
) -> Any:
    """Play a batch of games.

    Args:
        block: address of `BLOCK_WORDS` words.
        weights: address of an evaluation block.
        solver: address of a search context's block.
        seeds: (games,) uint64, not 0.
        given: (games,) plies of the opening that are in ``moves`` already.
        wanted: (games,) random plies after them.
        depth: of the search in plies.
        exact: empty squares from which the solver plays.
        moves: (games, 60) uint8, squares; passes are implied.
        scores: (games, 60) int16, hundredths of a disc from the view of the side to move, or `NO_SCORE`.
        shape: (games, 3) int64, written: plies, plies of the opening, first ply with an exact score. All 0 for a
            game that ended in its opening.
    """
    for game in range(len(seeds)):
        plies, opening, first_exact = play_game(
            block, weights, solver, seeds[game], given[game], wanted[game], depth, exact, moves[game], scores[game]
        )
        shape[game, 0], shape[game, 1], shape[game, 2] = plies, opening, first_exact
