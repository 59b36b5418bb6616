"""Building: the same book whatever happens on the way; lines, passes, bounds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from fanqi.book.build import START, Bounds, Builder, Stopped, TimeUp
from fanqi.book.errors import BuildError
from fanqi.book.graph import Verdict
from fanqi.book.journal import RECORD_BYTES, Journal
from fanqi.book.judge import Judge, Question, SearchSettings
from fanqi.book.verify import faults
from fanqi.othello import Position
from fanqi.othello.notation import parse_move
from fanqi.othello_book import NO_MOVE, BookError, canonical, read_book, shared_book

SETTINGS = SearchSettings(depth=2)
BOUNDS = Bounds(positions=150)
PASS_LINE = ["d3", "c3", "e6", "d2", "d1", "e1", "b3", "c1", "pass", "b4"]
COLUMNS = ("own", "opponent", "value", "move", "score", "depth", "selectivity", "count", "links")

BUILD = """
import sys
from pathlib import Path
from fanqi.book.build import Bounds, Builder
from fanqi.book.judge import SearchSettings
with Builder(Path(sys.argv[1]), SearchSettings(depth=2)) as builder:
    print("building", flush=True)
    builder.expand(Bounds(positions=150))
"""


def contents(path):
    columns = read_book(path)[1]
    return [getattr(columns, name).tolist() for name in COLUMNS]


def test_a_built_book_keeps_its_promises(built):
    book = shared_book(str(built))
    assert len(book) == 150
    assert list(faults(book)) == []
    assert book.head.provenance["depth"] == 2
    assert 0 < book.error < 64


def test_threads_make_no_difference(built, tmp_path):
    with Builder(tmp_path / "b", SETTINGS, jobs=3) as builder:
        builder.expand(BOUNDS)
    assert contents(tmp_path / "b") == contents(built)
    assert not (tmp_path / "b.journal").exists()


def test_a_build_stopped_and_gone_on_with_makes_the_same_book(built, tmp_path):
    path, dice, stops = tmp_path / "b", random.Random(1), 0
    while True:
        left = [dice.randint(1, 60)]
        with Builder(path, SETTINGS) as builder:

            def count(_positions, builder=builder, left=left):
                left[0] -= 1
                if left[0] == 0:
                    builder.stop()

            builder.progress = count
            try:
                builder.expand(BOUNDS)
                break
            except Stopped:
                stops += 1
    assert stops > 3
    assert contents(path) == contents(built)
    assert not (tmp_path / "b.journal").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_build_killed_and_gone_on_with_makes_the_same_book(built, tmp_path):
    path, dice, killed = tmp_path / "b", random.Random(2), 0
    for _ in range(40):
        with subprocess.Popen([sys.executable, "-c", BUILD, str(path)], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            if killed < 3:
                time.sleep(dice.uniform(0.02, 0.2))
                process.kill()
            process.wait()
        if process.returncode == 0:
            break
        killed += process.returncode == -signal.SIGKILL
    assert process.returncode == 0
    assert killed
    assert contents(path) == contents(built)


def test_answers_of_a_killed_build_are_not_searched_again(tmp_path):
    path = tmp_path / "b"
    asked = []
    builder = Builder(path, SETTINGS)
    builder.progress = asked.append
    builder.expand(Bounds(positions=2))
    key = builder.next_batch(Bounds())[0]
    builder.absorb([key])
    answers = len(builder._journal)
    assert answers == 2  # the new position, and the one before it again; the others are in the file
    builder._journal.close()  # as if killed: nothing was written but the journal
    with Builder(path, SETTINGS) as again:
        assert len(again.graph) == 2
        again.progress = asked.append
        before = len(asked)
        again.absorb([key])
        assert len(asked) == before
        assert len(again.graph) == 3


def test_a_journal_cut_short_or_damaged_is_good_up_to_there(tmp_path):
    path, terms = tmp_path / "j", {"depth": 2}
    journal = Journal(path, terms)
    questions = [Question(n, 0, (n,)) for n in range(1, 6)]
    for question in questions:
        journal.put(question, Verdict(question.moves[0], -question.own, 2, 73))
    journal.close()
    whole = path.read_bytes()
    for length in range(len(whole) - 5 * RECORD_BYTES, len(whole)):
        path.write_bytes(whole[:length])
        found = Journal(path, terms)
        assert len(found) == (length - len(whole)) // RECORD_BYTES + 5
        found.close()
    damaged = bytearray(whole)
    damaged[-RECORD_BYTES] ^= 1
    path.write_bytes(damaged)
    found = Journal(path, terms)
    assert [found.get(question) is not None for question in questions] == [True] * 4 + [False]
    found.close()


def test_a_journal_of_other_settings_is_not_believed(tmp_path):
    first = Journal(tmp_path / "j", {"depth": 2})
    first.put(Question(1, 0, (1,)), Verdict(1, 5, 2, 73))
    first.close()
    second = Journal(tmp_path / "j", {"depth": 4})
    assert len(second) == 0
    second.close()


def test_two_builds_of_one_book_at_a_time_are_refused(tmp_path):
    with Builder(tmp_path / "b", SETTINGS), pytest.raises(BuildError, match="another process is building"):
        Builder(tmp_path / "b", SETTINGS)


def test_a_file_that_is_no_book_is_left_alone(tmp_path):
    (tmp_path / "b").write_text("mine")
    with pytest.raises(BookError, match="no book"):
        Builder(tmp_path / "b", SETTINGS)
    assert (tmp_path / "b").read_text() == "mine"
    assert not (tmp_path / "b.journal").exists()


def test_a_build_ends_when_its_time_is_up_and_goes_on_later(built, tmp_path):
    with Builder(tmp_path / "b", SETTINGS) as builder, pytest.raises(TimeUp):
        builder.expand(Bounds(seconds=1e-9))
    with Builder(tmp_path / "b", SETTINGS) as builder:
        builder.expand(BOUNDS)
    assert contents(tmp_path / "b") == contents(built)


def test_the_bounds_hold(tmp_path):
    bounds = Bounds(max_loss=1.5, max_plies=4)
    with Builder(tmp_path / "b", SETTINGS) as builder:
        builder.expand(bounds)
        assert builder.next_batch(bounds) == []
        assert builder.graph.plies.max() == 4
        assert 2 < len(builder.graph) < 1000


@pytest.mark.parametrize(
    "bad", [{"positions": 0}, {"seconds": 0.0}, {"max_loss": -1.0}, {"max_plies": 61}, {"loss_weight": float("nan")}]
)
def test_bounds_that_make_no_sense_are_named(bad):
    with pytest.raises(BuildError, match=str(next(iter(bad.values())))):
        Bounds(**bad)


@pytest.mark.parametrize("bad", [{"depth": 0}, {"selectivity": 90}, {"exact": 31}])
def test_settings_that_make_no_sense_are_named(bad):
    with pytest.raises(BuildError, match=str(next(iter(bad.values())))):
        SearchSettings(**bad)


def test_a_line_with_a_pass_is_followed_through_it(tmp_path):
    line = [parse_move(name) for name in PASS_LINE]
    with Builder(tmp_path / "b", SETTINGS) as builder:
        builder.follow([line], Bounds(max_loss=128))
    book = shared_book(str(tmp_path / "b"))
    assert list(faults(book)) == []
    position = Position()
    for number, name in enumerate(PASS_LINE):
        move = next(move for move in book.advice(position).moves if move.move == name)
        assert move.linked
        assert move.value == -book.value(position.play(name))
        if name == "pass":
            assert book.advice(position).moves == (move,)
            assert number == 8
        position = position.play(name)
    assert book.value(position) is not None


def test_best_first_expansion_goes_through_a_pass(tmp_path):
    position = Position()
    for name in PASS_LINE[:8]:
        position = position.play(name)
    before, after = (canonical(p.own, p.opponent) for p in (position, position.play("pass")))
    with Builder(tmp_path / "b", SETTINGS) as builder:
        builder.expand(Bounds(positions=12), [before])
        graph = builder.graph
        assert after in graph
        values = graph.values()
        assert values[graph.index_of(before)] == -values[graph.index_of(after)]
    assert list(faults(shared_book(str(tmp_path / "b")))) == []


def test_lines_that_are_mirror_images_are_one(tmp_path):
    lines = [[parse_move(name) for name in line.split()] for line in ("d3 c5", "f5 d6", "c4 e3", "e6 f4")]
    with Builder(tmp_path / "b", SETTINGS) as builder:
        builder.follow(lines, Bounds(max_loss=128))
        assert len(builder.graph) == 3


def test_a_line_is_left_where_it_gives_too_much_away(tmp_path):
    line = [parse_move(name) for name in PASS_LINE]
    with Builder(tmp_path / "b", SETTINGS) as builder:
        builder.follow([line], Bounds(max_loss=2))
        assert 1 < len(builder.graph) < len(PASS_LINE)


def test_a_position_is_scored_exactly_near_the_end():
    position = Position.from_fen("OOOOOOOOOOXOOOOOOOXXOXOOOXXXXOOOXXXXXOXOXXXOXXXOXXXXXX--XXXX---- X")
    key = canonical(position.own, position.opponent)
    moves = tuple(parse_move(name) for name in Position(*key).legal_moves())
    verdict = Judge(SearchSettings(depth=1, exact=18)).answer(Question(*key, moves))
    assert verdict.depth == position.empties
    assert verdict.selectivity == 100
    assert verdict.score % 200 == 0


def test_a_finished_game_has_its_result_as_score():
    black, white = (1 << 33) - 1, (1 << 64) - (1 << 33)
    assert Judge(SETTINGS).answer(Question(black, white, ())) == Verdict(NO_MOVE, 200, 0, 100)


def test_the_start_position_is_where_everything_begins():
    assert canonical(Position().own, Position().opponent) == START
