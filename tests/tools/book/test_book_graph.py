"""The graph of a growing book: the rules on arrays, links, negamax, losses."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fanqi.book.graph import Graph, Verdict
from fanqi.book.rules import children
from fanqi.othello import Position
from fanqi.othello.notation import format_move, parse_move
from fanqi.othello_book import NO_MOVE, NO_SCORE, canonical

PASS_LINE = ["d3", "c3", "e6", "d2", "d1", "e1", "b3", "c1"]
"""After these Black must pass."""


def key_of(position):
    return canonical(position.own, position.opponent)


@pytest.fixture(scope="module")
def positions():
    dice, found = random.Random(1), []
    for _ in range(40):
        position = Position()
        found.append(position)
        while moves := position.legal_moves():
            position = position.play(dice.choice(moves))
            found.append(position)
    return found


def test_arrays_know_the_same_moves_as_the_engine(positions):
    own, opponent = (
        np.array(column, np.uint64) for column in zip(*[(p.own, p.opponent) for p in positions], strict=True)
    )
    found = children(own, opponent)
    passes = 0
    for number, position in enumerate(positions):
        rows = np.nonzero(found.parent == number)[0]
        expected = sorted((parse_move(name), *key_of(position.play(name))) for name in position.legal_moves())
        listed = zip(*(column[rows].tolist() for column in (found.move, found.own, found.opponent)), strict=True)
        assert sorted(listed) == expected
        passes += position.legal_moves() == ("pass",)
    assert passes


def open_verdict(graph, key, dice):
    moves = graph.open_moves([key])[0]
    if moves:
        return Verdict(dice.choice(moves), dice.randint(-2000, 2000), 5, 73)
    outcome = Position(*key).outcome()
    return Verdict(NO_MOVE, NO_SCORE if outcome is None else round(100 * outcome.margin), 0, 100)


def grown(steps, seed, batch=5):
    """A graph that grew at random, with scores by lot; it goes through a pass."""
    dice, graph = random.Random(seed), Graph()
    line = [Position()]
    for move in [*PASS_LINE, "pass", "b4"]:
        line.append(line[-1].play(move))
    for position in line:
        add(graph, [key_of(position)], dice)
    for _ in range(steps):
        chosen = dice.sample(range(len(graph)), min(batch, len(graph)))
        wanted = [p for p in chosen if graph.column("move")[p] != NO_MOVE]
        keys = []
        for number in wanted:
            own, opponent = graph.key(number)
            keys.append(key_of(Position(own, opponent).play(format_move(graph.column("move")[number]))))
        add(graph, list(dict.fromkeys(keys)), dice)
    return graph


def add(graph, keys, dice):
    replaced = graph.add(keys, [open_verdict(graph, key, dice) for key in keys])
    for number in replaced:
        graph.set_verdict(number, open_verdict(graph, graph.key(number), dice))


@pytest.fixture(scope="module")
def graph():
    return grown(60, seed=2)


def moves_into(graph, number):
    """{child: moves that lead to it} by the engine's rules."""
    position, found = Position(*graph.key(number)), {}
    for name in position.legal_moves():
        if (after := key_of(position.play(name))) in graph:
            found.setdefault(graph.index_of(after), []).append(name)
    return found


def test_every_move_to_a_position_of_the_graph_is_linked_once(graph):
    columns = graph.columns()
    links = np.split(columns.links, np.cumsum(columns.count)[:-1])
    assert columns.count.sum() > len(graph)  # there are transpositions
    place = {key: n for n, key in enumerate(zip(columns.own.tolist(), columns.opponent.tolist(), strict=True))}
    for number in range(len(graph)):
        inward = moves_into(graph, number)
        linked = [format_move(int(link)) for link in links[place[graph.key(number)]]]
        assert len(linked) == len(inward)
        assert all(len(set(names) & set(linked)) == 1 for names in inward.values())


def test_no_drop_out_move_leads_into_the_graph(graph):
    for number in range(len(graph)):
        move = int(graph.column("move")[number])
        if move != NO_MOVE:
            assert all(format_move(move) not in names for names in moves_into(graph, number).values())


def test_every_value_is_the_best_of_the_links_and_the_drop_out_move(graph):
    values = graph.values()
    for number in range(len(graph)):
        choices = [-values[child] for child in moves_into(graph, number)]
        if graph.column("score")[number] != NO_SCORE:
            choices.append(int(graph.column("score")[number]))
        assert values[number] == max(choices)


def test_a_pass_turns_the_value_round_and_costs_no_ply(graph):
    position = Position()
    for move in PASS_LINE:
        position = position.play(move)
    before, after = (graph.index_of(key_of(p)) for p in (position, position.play("pass")))
    values = graph.values()
    assert values[before] == -values[after]
    assert graph.plies[before] == graph.plies[after] == len(PASS_LINE)
    assert graph.column("move")[before] == NO_MOVE


def test_the_loss_of_a_position_is_the_least_of_all_ways_to_it(graph):
    values = graph.values()
    losses = graph.losses(values)
    parents = {}
    for number in range(len(graph)):
        for child in moves_into(graph, number):
            parents.setdefault(child, []).append(number)
    assert losses[graph.index_of(key_of(Position()))] == 0
    for child, ways in parents.items():
        assert losses[child] == min(losses[parent] + values[parent] + values[child] for parent in ways)


def test_a_graph_cut_back_is_what_it_was():
    graph = grown(20, seed=5)
    before, mark = graph.columns(), graph.mark
    keys = [key for key in (graph.key(n) for n in range(len(graph))) if graph.open_moves([key])[0]]
    own, opponent = keys[0]
    fresh = key_of(Position(own, opponent).play(format_move(graph.open_moves([keys[0]])[0][0])))
    graph.add([fresh], [Verdict(NO_MOVE, 0, 0, 100)])
    assert fresh in graph
    graph.cut_back(mark)
    assert fresh not in graph
    after = graph.columns()
    for name in ("own", "opponent", "value", "move", "score", "count", "links"):
        assert getattr(before, name).tolist() == getattr(after, name).tolist()


def test_a_graph_read_from_columns_is_the_same(graph):
    columns = graph.columns()
    again = Graph.of(columns).columns()
    for name in ("own", "opponent", "value", "move", "score", "depth", "selectivity", "count", "links"):
        assert getattr(again, name).tolist() == getattr(columns, name).tolist()
