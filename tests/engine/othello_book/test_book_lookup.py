"""What a book says about positions, in any orientation; and what it never says."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fanqi.game import Player
from fanqi.othello import Position
from fanqi.othello.notation import format_move, parse_move
from fanqi.othello_book import (
    NO_MOVE,
    NO_SCORE,
    SYMMETRIES,
    Book,
    BookHead,
    Columns,
    apply_symmetry,
    canonical,
    square_under,
)

PASS_LINE = ["d3", "c3", "e6", "d2", "d1", "e1", "b3", "c1"]
"""After these Black must pass."""


def random_book(games, seed):
    """A book of the positions of random games, with scores and links by lot; of its links every fifth is wrong."""
    dice = random.Random(seed)
    keys = sorted({canonical(p.own, p.opponent) for game in games for p in game})
    rows = []
    for own, opponent in keys:
        position = Position(own, opponent)
        legal = [parse_move(name) for name in position.legal_moves()]
        free = [square for square in range(64) if not (own | opponent) >> square & 1] + [64]
        wrong = dice.choice(free)
        links = sorted({*dice.sample(legal, dice.randint(0, len(legal))), *([wrong] if dice.random() < 0.2 else [])})
        move = dice.choice(free) if dice.random() < 0.8 else NO_MOVE
        score = NO_SCORE if move == NO_MOVE else dice.randint(-6400, 6400)
        rows.append((own, opponent, dice.randint(-6400, 6400), move, score, 12, 73, links))
    kinds = (np.uint64, np.uint64, np.int16, np.uint8, np.int16, np.uint8, np.uint8)
    return Book(
        BookHead(),
        Columns(
            *(np.array([row[n] for row in rows], kind) for n, kind in enumerate(kinds)),
            np.array([len(row[7]) for row in rows], np.uint8),
            np.array([link for row in rows for link in row[7]], np.uint8),
        ),
    )


@pytest.fixture(scope="module")
def games():
    dice, found = random.Random(3), []
    for _ in range(40):
        position, game = Position(), []
        while moves := position.legal_moves():
            game.append(position)
            position = position.play(dice.choice(moves))
        found.append([*game, position])
    passing = [Position()]
    for move in [*PASS_LINE, "pass"]:
        passing.append(passing[-1].play(move))
    return [*found, passing]


@pytest.fixture(scope="module")
def book(games):
    return random_book(games, seed=4)


def turned(position, symmetry):
    black, white = (apply_symmetry(symmetry, bits) for bits in (position.black, position.white))
    return Position(black, white, position.turn)


def test_no_move_is_named_that_is_not_legal(book, games):
    named = 0
    for position in (position for game in games for position in game):
        advice = book.advice(position)
        assert advice is not None
        moves = [move.move for move in advice.moves]
        assert set(moves) <= set(position.legal_moves())
        assert len(set(moves)) == len(moves)
        named += len(moves)
    assert named > 1000


def test_symmetric_positions_get_the_symmetric_moves(book, games):
    for position in (position for game in games[::8] for position in game):
        advice = book.advice(position)
        for symmetry in SYMMETRIES:
            image = book.advice(turned(position, symmetry))
            assert image.value == advice.value
            expected = {(format_move(square_under(symmetry, parse_move(m.move))), m.value) for m in advice.moves}
            assert {(move.move, move.value) for move in image.moves} == expected


def test_the_colours_do_not_matter(book, games):
    for position in games[0]:
        other = Position(position.white, position.black, position.turn.other)
        assert book.advice(other) == book.advice(position)


def test_the_value_of_a_linked_move_is_the_opponents_loss(book, games):
    for position in (position for game in games for position in game):
        for move in book.advice(position).moves:
            if move.linked:
                assert move.value == -book.value(position.play(move.move))


def test_a_position_that_is_not_in_the_book_is_unknown(book):
    nowhere = Position(1, 2, Player.P1)
    assert book.advice(nowhere) is None
    assert book.value(nowhere) is None


def test_a_pass_is_a_move_of_the_book_like_any_other(games):
    before = games[-1][-2]
    assert before.legal_moves() == ("pass",)
    own, opponent = canonical(before.own, before.opponent)
    after = canonical(before.opponent, before.own)
    rows = sorted([(own, opponent, 300, NO_MOVE, NO_SCORE, [64]), (*after, -300, 0, -300, [])])
    book = Book(
        BookHead(),
        Columns(
            np.array([row[0] for row in rows], np.uint64),
            np.array([row[1] for row in rows], np.uint64),
            np.array([row[2] for row in rows], np.int16),
            np.array([row[3] for row in rows], np.uint8),
            np.array([row[4] for row in rows], np.int16),
            np.array([12, 12], np.uint8),
            np.array([73, 73], np.uint8),
            np.array([len(row[5]) for row in rows], np.uint8),
            np.array([link for row in rows for link in row[5]], np.uint8),
        ),
    )
    advice = book.advice(before)
    assert [(move.move, move.value, move.linked) for move in advice.moves] == [("pass", 300, True)]


def test_a_line_ends_where_the_book_does_and_every_move_of_it_is_legal(book, games):
    for position in (position for game in games for position in game):
        for move in book.advice(position).moves:
            if not move.linked:
                continue
            line, depth, _ = book.line(position, move.move)
            assert depth >= sum(name != "pass" for name in line[:-1])
            reached = position
            for name in line:
                assert name in reached.legal_moves()
                reached = reached.play(name)
