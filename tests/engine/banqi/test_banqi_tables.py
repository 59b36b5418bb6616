"""Endgame tables: found for every material, true to the rules, and used by the search."""

from __future__ import annotations

import lzma
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from fanqi.banqi import GAME, Position
from fanqi.banqi.notation import format_setup
from fanqi.banqi.tables.build import Builder
from fanqi.banqi.tables.classes import classes, endgames
from fanqi.banqi.tables.generate import generate_tables
from fanqi.banqi.tables.retrograde import kept_size
from fanqi.banqi.tables.store import HEADER, MAGIC, TableError, read_tables, shipped_tables
from fanqi.banqi.tables.summary import summarise
from fanqi.banqi.tables.verify import verify_tables
from fanqi.game import Player
from fanqi.search import Control, Limits, Settings


@pytest.fixture(scope="module")
def small_tables(tmp_path_factory):
    """Tables of two and three men, generated and verified just now."""
    path = tmp_path_factory.mktemp("tables") / "three.bin"
    steps = []
    tables = generate_tables(path, 3, progress=lambda done, total, what: steps.append((done, total)))
    assert [row.longest for row in summarise(tables)] == [18, 24]
    assert [done for done, _ in steps] == list(range(1, 51)) and steps[-1] == (50, 50)
    return path


def test_endgames_fall_into_few_classes():
    assert [len(classes(men)) for men in (2, 3, 4)] == [5, 20, 75]
    assert [len(endgames(men)) for men in (2, 3)] == [49, 378]


def test_every_position_of_every_endgame_follows_from_its_moves(small_tables):
    assert verify_tables(read_tables(small_tables), every=True) == 0


def test_the_verifier_sees_a_wrong_value(small_tables):
    tables = read_tables(small_tables)
    block = tables._block
    won = next(index for index in range(5000, len(block)) if block[index] == 7)
    block[won] = 0
    assert verify_tables(tables) > 0


def test_shipped_tables_are_those_that_would_be_generated(small_tables):
    fresh, shipped = read_tables(small_tables), shipped_tables()
    count = len(fresh._block)
    assert (fresh._block == shipped._block[:count]).all()


class BrokenOffError(Exception):
    """What ends a build in the middle."""


@pytest.mark.parametrize("torn", [0, 7], ids=["between two tables", "in the middle of one"])
def test_a_build_that_was_broken_off_goes_on_where_it_was(small_tables, tmp_path, torn):
    path = tmp_path / "three.bin"
    partial = tmp_path / "three.bin.partial"

    def stop(done, total, what):
        if done == 11:
            raise BrokenOffError

    with pytest.raises(BrokenOffError):
        generate_tables(path, 3, threads=1, verify=False, progress=stop)
    assert not path.exists()
    partial.write_bytes(partial.read_bytes()[: -torn or None])
    steps = []
    generate_tables(path, 3, threads=1, verify=False, progress=lambda done, total, what: steps.append(done))
    assert steps == list(range(11 if torn else 12, 26))
    assert path.read_bytes() == small_tables.read_bytes()
    assert not partial.exists()


def test_threads_that_solve_one_class_at_once_get_the_same_table(monkeypatch):
    """Its address is in use from then on: a second one in its place would free the first."""
    solve, both_here = Builder.solve, threading.Barrier(2, timeout=60)

    def solve_together(builder, kind):
        both_here.wait()
        return solve(builder, kind)

    monkeypatch.setattr(Builder, "solve", solve_together)
    builder, kind = Builder(), classes(2)[0]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(builder.full, [kind, kind])
    assert first is second is builder.full(kind)


def test_tables_with_a_wrong_value_are_thrown_away(tmp_path, monkeypatch):
    monkeypatch.setattr("fanqi.banqi.tables.generate.verify_tables", lambda tables, **options: 3)
    with pytest.raises(RuntimeError, match="3 positions do not follow"):
        generate_tables(tmp_path / "two.bin", 2)
    assert list(tmp_path.iterdir()) == []


def test_shipped_tables_hold_all_endgames_of_their_men():
    tables = shipped_tables()
    assert len(tables.index) == sum(len(endgames(men)) for men in range(2, tables.men + 1))


@pytest.mark.parametrize("damage", [b"", b"something else", None])
def test_a_file_that_is_no_table_is_refused(small_tables, tmp_path, damage):
    data = small_tables.read_bytes()
    path = tmp_path / "damaged.bin"
    path.write_bytes(data[:-100] if damage is None else damage)
    with pytest.raises(TableError, match=r"damaged\.bin"):
        read_tables(path)
    with pytest.raises(TableError, match="No such file"):
        read_tables(tmp_path / "none.bin")


def entry(kind, packed):
    return MAGIC + HEADER.pack(kind.first, kind.second, kind.cannons, 0, kind.takes, len(packed)) + packed


def test_a_file_takes_no_more_memory_than_its_tables(small_tables, tmp_path):
    path, kind = tmp_path / "bomb.bin", classes(2)[0]
    table = bytes(kept_size(2))
    for damage in (
        entry(kind, lzma.compress(bytes(1 << 26))),
        entry(kind, lzma.compress(table) + b"more"),
        entry(kind, lzma.compress(table[:-1])),
        entry(kind, lzma.compress(table, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])),
        small_tables.read_bytes() + small_tables.read_bytes()[len(MAGIC) :],
    ):
        path.write_bytes(damage)
        with pytest.raises(TableError, match=r"bomb\.bin: "):
            read_tables(path)
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TableError, match="no endgame tables"):
        read_tables(path)
    all_of_two = b"".join(entry(kind, lzma.compress(table))[len(MAGIC) :] for kind in classes(2))
    path.write_bytes(MAGIC + all_of_two)
    assert read_tables(path).men == 2


def test_a_file_that_lacks_tables_is_refused(small_tables, tmp_path):
    data, path = small_tables.read_bytes(), tmp_path / "gap.bin"
    length = HEADER.size + HEADER.unpack_from(data, len(MAGIC))[-1]
    path.write_bytes(MAGIC + data[len(MAGIC) + length :])
    with pytest.raises(TableError, match="1 of the tables of 2 to 3 men are not in it"):
        read_tables(path)
    path.write_bytes(MAGIC)
    with pytest.raises(TableError, match="there are no tables in it"):
        read_tables(path)


def test_what_is_no_file_is_refused_instead_of_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(TableError, match="not a file"):
            read_tables(path)
    with pytest.raises(TableError, match="null"):
        read_tables(Path("a\0b"))


def test_an_engine_takes_other_tables_and_says_once_why_not(small_tables, tmp_path):
    engine = GAME.engine()
    position = GAME.parse("R.../..../..../..../...n/..../..../.... - r 0 -")
    for path, complaints in ((small_tables, 0), (tmp_path / "none.bin", 1), (tmp_path / "none.bin", 0)):
        engine.configure(Settings(hash_mib=4, endgame_path=str(path)))
        infos = []
        result = engine.search(position, Limits(depth=2), Control(), infos.append)
        assert result.infos[0].score_cp == 10000
        told = [info.text for info in infos if info.text]
        assert len(told) == complaints
        assert all("none.bin: No such file" in text and "shipped" in text for text in told)


def solve_with_counters(start):
    """Positions from which the side to move wins or loses, among all that ``start`` can lead to by quiet plies and
    captures, every chase count in the state; distances to the next capture. Plain sweeps over a dictionary.
    """

    def key(position):
        fields = position.fen().split()
        return " ".join((*fields[:3], fields[4]))

    graph, todo = {}, [start]
    while todo:
        position = todo.pop()
        if key(position) in graph:
            continue
        outcome = position.outcome()
        children = []
        if outcome is None:
            for move in position.legal_moves():
                child = position.play(move)
                # quiet plies are no part of this: start each position anew
                child = GAME.parse(" ".join((*child.fen().split()[:3], "0", child.fen().split()[4])))
                children.append(child)
                todo.append(child)
        graph[key(position)] = (outcome, [key(child) for child in children])
    value = {}
    for name, (outcome, _) in graph.items():
        if outcome is not None:
            mover_wins = outcome.winner is Player.P1
            value[name] = (mover_wins, 0)
    plies = 0
    while plies < 60:
        plies += 1
        fresh = {}
        for name, (_, children) in graph.items():
            if name in value:
                continue
            results = [value.get(child) for child in children]
            if any(r is not None and not r[0] for r in results):
                fresh[name] = (True, plies)
            elif all(r is not None for r in results):
                fresh[name] = (False, plies)
        value |= fresh
    return value


@pytest.mark.parametrize("men", ["Rn", "Rr", "Pk", "Kc", "Cp", "Cc"])
def test_with_all_chase_counters_in_the_state_two_men_have_the_values_of_the_tables(men):
    chooser = random.Random(men)
    start = None
    while start is None or start.outcome():
        squares = chooser.sample(range(32), 2)
        board = ["."] * 32
        for square, man in zip(squares, men, strict=True):
            board[square] = man
        ranks = "/".join("".join(board[first : first + 4]) for first in range(28, -1, -4))
        start = GAME.parse(f"{ranks} - {chooser.choice('rb')} 0 -")
    values = solve_with_counters(start)
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=1))
    compared = 0
    for name in list(values) + sample_of(start, values):
        board, hidden, turn, chase = name.split()
        if chase != "-":
            continue
        position = GAME.parse(f"{board} {hidden} {turn} 0 -")
        if position.outcome():
            continue
        result = engine.search(position, Limits(depth=1), Control(), lambda info: None)
        score = result.infos[0].score_cp
        expected = values.get(name)
        assert (score > 5000) == (expected is not None and expected[0]), name
        assert (score < -5000) == (expected is not None and not expected[0]), name
        compared += 1
    assert compared > 50


def sample_of(start, values):
    """A few positions of the same men that nobody can force."""
    chooser = random.Random(4)
    names = []
    position = start
    for _ in range(100):
        if position.outcome():
            position = start
        position = position.play(chooser.choice(position.legal_moves()))
        fields = position.fen().split()
        name = " ".join((*fields[:3], "-"))
        if name not in values and fields[4] == "-":
            names.append(name)
    return names


@pytest.mark.parametrize(
    "fen",
    [
        "R.../..../..../..../...n/..../..../.... - r 0 -",
        "..../..../..R./..../..../.m../..../K... - r 0 -",
        "G.../R.../..../..../..../..../..../...n - r 0 -",
    ],
)
def test_won_endgames_are_carried_through(fen):
    position: Position = GAME.parse(fen)
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=4))
    won = engine.search(position, Limits(depth=4), Control(), lambda info: None).infos[0].score_cp
    assert won == 10000
    chooser = random.Random(1)
    while position.outcome() is None:
        if position.turn is Player.P1:
            move = engine.search(position, Limits(depth=4), Control(), lambda info: None).move
        else:
            move = chooser.choice(position.legal_moves())
        position = position.play(move)
    assert position.outcome().winner is Player.P1


def test_a_table_win_that_the_quiet_plies_do_not_leave_room_for_is_a_draw():
    scores = []
    for quiet in (0, 41, 42, 58):
        position = GAME.parse(f"R.../..../..../..../..../..../..../n... - r {quiet} -")
        engine = GAME.engine()
        engine.configure(Settings(hash_mib=1))
        result = engine.search(position, Limits(depth=2), Control(), lambda info: None)
        scores.append(result.infos[0].score_cp)
    assert scores[0] in (0, 10000) and scores[-1] == 0
    assert all(one >= two for one, two in pairwise(scores))


def test_setups_of_endgames_are_symmetric():
    """A mirrored position has the mirrored result, whichever quarter of the board the first man is in."""
    chooser = random.Random(11)
    engine = GAME.engine()
    engine.configure(Settings(hash_mib=1))
    for _ in range(50):
        squares = chooser.sample(range(32), 3)
        scores = set()
        for mirror in (0, 3, 28, 31):
            board = ["."] * 32
            for square, man in zip(squares, "RNr", strict=True):
                board[square ^ mirror] = man
            ranks = "/".join("".join(board[first : first + 4]) for first in range(28, -1, -4))
            position = GAME.parse(f"{ranks} - r 0 -")
            result = engine.search(position, Limits(depth=1), Control(), lambda info: None)
            scores.add(result.infos[0].score_cp)
            assert format_setup(position.setup()) == position.fen()
        assert len(scores) == 1
