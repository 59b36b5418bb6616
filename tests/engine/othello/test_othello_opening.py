"""When the engine plays from its book, and what it then plays."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from fanqi.othello import Position
from fanqi.othello.engine import OthelloEngine
from fanqi.othello_book import Book, format_book, packaged_book
from fanqi.search import Clock, Control, Limits, Settings, Solve

TIMED = Limits(movetime_ms=50)
BOOK = Settings(own_book=True, hash_mib=1)


@pytest.fixture(scope="module")
def book():
    return packaged_book()


@pytest.fixture
def ask():
    """Asks a new engine, or the one given; gives the result and what was reported."""

    def search(position, limits=TIMED, settings=BOOK, engine=None):
        engine = engine or OthelloEngine()
        engine.configure(settings)
        reports, control = [], Control()
        try:
            return engine.search(position, limits, control, reports.append), reports
        finally:
            control.close()

    return search


def from_book(reports):
    return any((info.text or "").startswith("book ") for info in reports)


def book_positions(book, count):
    """Positions for which the book has looked deep enough, along lines that do not always play its best move."""
    found, waiting, seen = [], [Position()], set()
    while waiting and len(found) < count:
        position = waiting.pop(0)
        advice = book.advice(position)
        if advice is None or position in seen:
            continue
        seen.add(position)
        if (best := advice.within(0)) and book.line(position, best[-1].move)[1] >= 16:
            found.append(position)
        waiting += [position.play(move.move) for move in advice.moves[:5] if move.linked]
    return found


def test_a_move_from_the_book_says_so_and_comes_with_its_score_and_line(ask, book):
    result, reports = ask(Position().play("f5"))
    (info,) = reports
    assert info.text.startswith(f"book {result.move} ")
    assert info.score_cp == book.advice(Position().play("f5")).value
    assert info.depth > len(info.pv) > 1
    assert info.pv[:2] == (result.move, result.ponder)
    assert info.nodes == 0
    assert result.infos == (info,)


def test_the_book_is_asked_on_a_clock_too_and_when_pondering(ask):
    for limits in (Limits(clock=Clock(1000)), Limits(clock=Clock(1000), ponder=True)):
        assert from_book(ask(Position(), limits)[1])


@pytest.mark.parametrize(
    "limits",
    [
        Limits(infinite=True, depth=2),
        Limits(nodes=100),
        Limits(movetime_ms=50, nodes=100),
        Limits(movetime_ms=50, moves=("f5",)),
        Limits(movetime_ms=50, solve=Solve.SCORE),
        Limits(depth=60, movetime_ms=50),
    ],
)
def test_what_asks_for_an_analysis_is_searched(ask, limits):
    assert not from_book(ask(Position(), limits)[1])


def test_a_depth_is_answered_from_the_book_where_it_has_looked_as_deep(ask):
    _, (info,) = ask(Position(), Limits(depth=5))
    assert info.depth >= 5
    assert from_book(ask(Position(), Limits(depth=info.depth))[1])
    assert not from_book(ask(Position(), Limits(depth=info.depth + 1, movetime_ms=20))[1])


def test_a_certainty_is_answered_from_the_book_where_its_searches_were_as_certain(ask):
    _, (info,) = ask(Position(), Limits(depth=5, certainty=73))
    assert info.text.startswith("book ")
    assert info.selectivity == 73
    assert not from_book(ask(Position(), Limits(depth=5, certainty=87))[1])


@pytest.mark.parametrize(
    "changes",
    [{"own_book": False}, {"multipv": 2}, {"skill_level": 19}, {"objective": "fewest"}, {"draw_line": 0.5}],
    ids=lambda changes: next(iter(changes)),
)
def test_settings_under_which_the_book_does_not_count(ask, changes):
    assert not from_book(ask(Position(), settings=dataclasses.replace(BOOK, **changes))[1])


def test_a_position_that_is_not_in_the_book_is_searched(ask):
    position = Position.from_fen("OX-------------------------OX------XO---------------------------X")
    result, reports = ask(position)
    assert not from_book(reports)
    assert result.move in position.legal_moves()


def test_without_variety_the_best_move_is_played(ask, book):
    for position in book_positions(book, 40):
        result, reports = ask(position)
        assert from_book(reports)
        best = book.advice(position).moves[0]
        assert result.move == best.move


def test_with_variety_no_move_is_worse_than_the_stated_error(ask, book):
    assert book.error > 0
    played, positions = set(), book_positions(book, 30)
    for seed in range(8):
        settings = dataclasses.replace(BOOK, book_variety=64.0, seed=seed)
        engine = OthelloEngine()
        for number, position in enumerate(positions):
            result, reports = ask(position, settings=settings, engine=engine)
            assert from_book(reports)
            values = {move.move: move.value for move in book.advice(position).moves if move.linked}
            assert values[result.move] >= book.advice(position).value - 100 * book.error - 1
            played.add((number, result.move))
    assert len(played) > 1.2 * len(positions)  # another move now and then


def test_with_a_small_variety_no_move_is_worse_than_that(ask, book):
    settings = dataclasses.replace(BOOK, book_variety=0.25, seed=5)
    for position in book_positions(book, 60):
        result, _ = ask(position, settings=settings)
        values = {move.move: move.value for move in book.advice(position).moves if move.linked}
        assert values[result.move] >= book.advice(position).value - 25


def games(ask, seed, count):
    """The first moves of some games with variety."""
    engine, settings = OthelloEngine(), dataclasses.replace(BOOK, book_variety=1.0, seed=seed)
    played = []
    for _ in range(count):
        position = Position()
        for _ in range(8):
            result, _ = ask(position, settings=settings, engine=engine)
            position = position.play(result.move)
        played.append(position)
        engine.new_game()
    return played


def test_the_same_seed_plays_the_same_games_and_not_one_game_all_the_time(ask):
    assert games(ask, 1, 6) == games(ask, 1, 6)
    assert games(ask, 1, 6) != games(ask, 2, 6)
    assert len(set(games(ask, 1, 6))) > 1


def test_a_book_that_cannot_be_read_is_told_of_once_and_done_without(ask, tmp_path):
    path = tmp_path / "my.book"
    settings = dataclasses.replace(BOOK, book_path=str(path))
    engine = OthelloEngine()
    for attempt in range(2):
        result, reports = ask(Position(), settings=settings, engine=engine)
        assert result.move in Position().legal_moves()
        told = [info.text for info in reports if info.text]
        assert told == ([f"book {path}: No such file or directory; playing without a book"] if attempt == 0 else [])
    path.write_bytes(b"\x88 nonsense")
    other, reports = ask(Position(), settings=dataclasses.replace(settings, book_path=str(path) + "/"), engine=engine)
    assert other.move in Position().legal_moves()
    assert len([info for info in reports if info.text]) == 1


def test_a_book_of_ones_own_is_used_instead(ask, tmp_path, book):
    path = tmp_path / "my.book"
    path.write_bytes(format_book(book.head, book.columns))
    assert from_book(ask(Position(), settings=dataclasses.replace(BOOK, book_path=str(path)))[1])


def test_without_the_option_no_book_is_read(ask, tmp_path):
    path = tmp_path / "missing.book"
    _, reports = ask(Position(), settings=Settings(hash_mib=1, book_path=str(path)))
    assert not [info for info in reports if info.text]


def test_where_the_book_has_not_looked_deep_a_timed_search_is_made(ask, book, tmp_path):
    path = tmp_path / "shallow.book"
    shallow_book = Book(book.head, dataclasses.replace(book.columns, depth=np.full_like(book.columns.depth, 3)))
    path.write_bytes(format_book(shallow_book.head, shallow_book.columns))
    shallow, waiting = None, [Position()]
    while shallow is None:
        position = waiting.pop()
        advice = shallow_book.advice(position)
        if (best := advice.within(0)) and 8 <= shallow_book.line(position, best[0].move)[1] < 16:
            shallow = position
        waiting += [position.play(move.move) for move in advice.moves if move.linked]
    settings = dataclasses.replace(BOOK, book_path=str(path))
    assert not from_book(ask(shallow, settings=settings)[1])
    assert from_book(ask(shallow, Limits(depth=8), settings)[1])
