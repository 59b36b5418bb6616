"""The evaluation and the estimates of flips are what they come to man by man."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fanqi.banqi import GAME
from fanqi.banqi import context as c
from fanqi.banqi import weights as w
from fanqi.banqi.board import CANNON, STEP_PREY
from fanqi.banqi.evaluation import ATTACKS, COVERED, MOBILE, NEAR, SIDE_TERMS, STATIC_TERMS, STEPS, static_terms
from fanqi.banqi.material import material_entry
from fanqi.banqi.memory import Memory
from fanqi.banqi.ordering import HISTORY_MOST, list_flips
from fanqi.banqi.state import BAG, HIDDEN, SQUARES, TURN
from fanqi.banqi.utility import KNOWN, utility
from fanqi.bits import address_of
from fanqi.bits.memory import load
from fanqi.kernels import kernel
from fanqi.search import Control, Settings

pytestmark = pytest.mark.nojit

COVERED_MAN = 8
STEPS_AWAY = ((0, 1), (0, -1), (1, 0), (-1, 0))


@kernel("int64(int64[::1])")
def estimate_all_flips(words):
    context = address_of(words)
    frame = load(context, c.FRAMES)
    return list_flips(frame, material_entry(context, frame), 0, 32, -1)


class Board:
    """A position as squares with men, for loops over them."""

    def __init__(self, position, values):
        state = position.state
        codes = state[SQUARES : SQUARES + 4].tobytes()
        self.men = {square: code for square, code in enumerate(codes) if code not in (0, COVERED_MAN)}
        self.covered = [square for square, code in enumerate(codes) if code == COVERED_MAN]
        self.bag = [int(state[BAG]) >> 4 * piece & 15 for piece in range(14)]
        self.values = values

    def beside(self, square):
        for files, ranks in STEPS_AWAY:
            file, rank = square % 4 + files, square // 4 + ranks
            if 0 <= file < 4 and 0 <= rank < 8:
                yield 4 * rank + file

    def second_in_line(self, square):
        """What a cannon on ``square`` may strike: the second thing that stands in each direction."""
        for files, ranks in STEPS_AWAY:
            file, rank, seen = square % 4 + files, square // 4 + ranks, 0
            while 0 <= file < 4 and 0 <= rank < 8:
                if 4 * rank + file in self.men or 4 * rank + file in self.covered:
                    seen += 1
                    if seen == 2:
                        yield 4 * rank + file
                        break
                file, rank = file + files, rank + ranks

    def of(self, colour):
        return [(square, code) for square, code in self.men.items() if code >> 3 == colour]

    def value(self, code):
        return self.values[7 * (code >> 3) + (code & 7) - 1]

    def distance(self, prey, hunters):
        """Steps over free squares until a hunter takes the prey; 9 for more than 8 or none."""
        reach, steps = {prey}, 0
        while steps < 8:
            steps += 1
            around = {near for square in reach for near in self.beside(square)}
            if around & hunters:
                return steps
            reach |= {square for square in around if square not in self.men and square not in self.covered}
        return 9


def takes(code, other):
    """Whether a man takes another beside it."""
    return code >> 3 != other >> 3 and bool(STEP_PREY[(code & 7) - 1] >> ((other & 7) - 1) & 1)


def side_terms(board, weights, own, to_move):
    """The terms of one colour."""
    near, attacked = 0, []
    struck = {
        square for origin, code in board.of(own) if code & 7 == CANNON + 1 for square in board.second_in_line(origin)
    }
    for square, code in board.of(1 - own):
        hunters = {origin for origin, hunter in board.of(own) if takes(hunter, code)}
        if square in struck or hunters & set(board.beside(square)):
            attacked.append(board.value(code))
        if hunters:
            table = w.CLOSENESS if len(hunters) == 1 else w.PURSUIT
            near += board.value(code) * int(weights[table + board.distance(square, hunters) - 1])
    steps = weighted = gain = danger = 0
    for square, code in board.of(own):
        free = [s for s in board.beside(square) if s not in board.men and s not in board.covered]
        steps += len(free)
        weighted += board.value(code) * (len(free) * int(weights[w.MOBILITY_SHARE]))
        weighted -= board.value(code) * (not free) * int(weights[w.STUCK])
        beside = sum(s in board.covered for s in board.beside(square))
        for piece, count in enumerate(board.bag):
            other = 8 * (piece // 7) + piece % 7 + 1
            gain += beside * count * board.values[piece] * takes(code, other)
            danger += beside * count * board.value(code) * takes(other, code)
    covered = 0
    if board.covered:
        covered = (gain * int(weights[w.COVERED_PREY]) - danger * int(weights[w.COVERED_DANGER])) // len(board.covered)
        inside = sum(board.bag[7 * own + kind] * board.values[7 * own + kind] for kind in range(7))
        covered = (covered + inside * int(weights[w.COVERED_SHARE])) // 1000
    best, rest = (w.ATTACK_BEST, w.ATTACK_REST) if to_move else (w.THREAT_BEST, w.THREAT_REST)
    dearest = max(attacked, default=0)
    return {
        STEPS: steps,
        MOBILE: steps * int(weights[w.MOBILITY]) + weighted // 1000,
        NEAR: near >> 8,
        ATTACKS: (dearest * int(weights[best]) + (sum(attacked) - dearest) * int(weights[rest])) // 100,
        COVERED: covered,
    }


def flip_value(board, square, turn):
    """The expected change for the side to move when the square is turned up."""
    total = 0
    for piece, count in enumerate(board.bag):
        code = 8 * (piece // 7) + piece % 7 + 1
        lines = [board.men[s] for s in board.second_in_line(square) if s in board.men]
        beside = [board.men[s] for s in board.beside(square) if s in board.men]
        struck = any(other >> 3 != code >> 3 and other & 7 == CANNON + 1 for other in lines)
        in_danger = struck or any(takes(other, code) for other in beside)
        prey = [board.value(other) for other in beside if takes(code, other)]
        if code & 7 == CANNON + 1:
            prey += [board.value(other) for other in lines if other >> 3 != code >> 3]
        dearest, value = max(prey, default=0), board.values[piece]
        if code >> 3 == turn:
            total += count * (-value if in_danger else dearest // 4)
        elif dearest:
            total -= count * dearest
        else:
            total += count * (value // 4 if in_danger else 0)
    return total // len(board.covered)


def sample(setups):
    """Random positions, few enough for interpreted kernels."""
    return [GAME.parse(fen) for fen in random.Random(5).sample(setups, 120)]


def weights_that_tell_hunters_apart():
    weights = w.load_weights()
    weights[:, w.PURSUIT : w.PURSUIT + 9] += np.arange(9) * 7
    return weights


def test_every_term_is_the_sum_over_single_men(setups):
    memory = Memory(weights_that_tell_hunters_apart())
    for position in sample(setups):
        memory.use_weights(len(position.covered()))
        numbers = np.zeros(STATIC_TERMS, np.int64)
        static_terms(memory.words, position.state, numbers)
        board = Board(position, numbers[2 * SIDE_TERMS + 2 :].tolist())
        turn = int(position.state[TURN])
        for first, colour, to_move in ((0, turn, True), (SIDE_TERMS, 1 - turn, False)):
            expected = side_terms(board, memory.weights, colour, to_move)
            assert {term: int(numbers[first + term]) for term in expected} == expected, position.fen()


def test_a_flip_is_estimated_by_what_may_turn_up(setups):
    compared = 0
    for position in sample(setups):
        covered = int(position.state[HIDDEN]).bit_count()
        if covered == 0:
            continue
        memory = Memory()
        control = Control()
        memory.set_up(position, Settings(hash_mib=1), [], control.flag)
        numbers = np.zeros(STATIC_TERMS, np.int64)
        static_terms(memory.words, position.state, numbers)
        board = Board(position, numbers[2 * SIDE_TERMS + 2 :].tolist())
        assert estimate_all_flips(memory.words) == covered
        listed = memory._frames[c.MOVES : c.MOVES + covered].tolist()
        estimates = {(word & 1023) // 33: (word >> 10) + 2 * HISTORY_MOST for word in listed}
        turn = int(position.state[TURN])
        assert estimates == {square: flip_value(board, square, turn) for square in board.covered}, position.fen()
        compared += covered
    assert compared > 300


def test_the_utility_rises_through_the_end_of_its_table_and_is_odd():
    scores = [utility(cp) for cp in range(KNOWN - 200, KNOWN + 200)]
    assert scores == sorted(scores) and scores[0] < scores[-1] < c.EVALUATION_MOST
    assert [utility(-cp) for cp in range(0, 2 * KNOWN, 97)] == [-utility(cp) for cp in range(0, 2 * KNOWN, 97)]
