"""Swiss tournaments: who meets whom is fair and certain, and follows from the games, interrupted or not."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.event_loop import run_loop
from fanqi.match.api import resume_match
from fanqi.match.config import MatchConfig, decode_config, encode_config
from fanqi.match.errors import ConfigurationError, StoreError
from fanqi.match.ledger import Ledger
from fanqi.match.limit import Limit
from fanqi.match.matching import Forest, Matching
from fanqi.match.record import FORMAT, GameRecord, Result
from fanqi.match.report import build_report
from fanqi.match.schedule import Form, PairTask
from fanqi.match.specification import parse_engine
from fanqi.match.sprt import Sprt
from fanqi.match.standings import Standings
from fanqi.match.store import read_config, read_public_games
from fanqi.match.summary import summary_lines
from fanqi.match.swiss import Meeting, SwissRound, fewest_rounds, most_rounds, pair_round, swiss_table
from fanqi.match.swiss_course import SwissCourse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

BYE = 2.0

# --- matchings ------------------------------------------------------------------------------------------------------


def most_pairs(neighbours: Sequence[Sequence[int]], left: tuple[int, ...]) -> int:
    """The size of the largest matching, by trying everything."""
    if not left:
        return 0
    node, rest = left[0], left[1:]
    partners = [other for other in rest if other in neighbours[node]]
    return max(
        most_pairs(neighbours, rest),
        *(1 + most_pairs(neighbours, tuple(one for one in rest if one != other)) for other in partners),
        0,
    )


def graph(pairs: Sequence[tuple[int, int]], nodes: int, density: float, dice: random.Random) -> list[list[int]]:
    """The neighbours of each node: those of the pairs, and others by chance."""
    neighbours: list[list[int]] = [[] for _ in range(nodes)]
    for first, second in itertools.combinations(range(nodes), 2):
        if (first, second) in pairs or dice.random() < density:
            neighbours[first].append(second)
            neighbours[second].append(first)
    return neighbours


def assert_matched(partner: Sequence[int], neighbours: Sequence[Sequence[int]], pairs: int) -> None:
    matched = [node for node in range(len(partner)) if partner[node] != -1]
    assert all(partner[partner[node]] == node and partner[node] in neighbours[node] for node in matched)
    assert len(matched) == 2 * pairs


@given(st.integers(0, 8), st.floats(0, 1), st.integers(0, 10**6))
def test_a_matching_is_one_and_as_large_as_any(nodes: int, density: float, seed: int) -> None:
    neighbours = graph([], nodes, density, random.Random(seed))
    most = most_pairs(neighbours, tuple(range(nodes)))
    found = Matching(neighbours)
    assert_matched(found.partner, neighbours, most)
    assert found.is_perfect == (2 * most == nodes)


@given(st.integers(1, 5), st.floats(0, 1), st.integers(0, 10**6))
def test_two_nodes_are_taken_away_just_when_all_others_can_have_partners_without_them(
    pairs: int, density: float, seed: int
) -> None:
    dice = random.Random(seed)
    nodes = 2 * pairs
    neighbours = graph([(node, node + 1) for node in range(0, nodes, 2)], nodes, density / 2, dice)
    matching, left = Matching(neighbours), set(range(nodes))
    for first, second in dice.sample(list(itertools.combinations(range(nodes), 2)), nodes * (nodes - 1) // 2):
        if {first, second} <= left:
            others = tuple(sorted(left - {first, second}))
            possible = 2 * most_pairs(neighbours, others) == len(others)
            assert matching.take(first, second) == possible
            left = set(others) if possible else left
            assert_matched(matching.partner, neighbours, len(left) // 2)


# --- a round --------------------------------------------------------------------------------------------------------


def played(paired: SwissRound, dice: random.Random) -> SwissRound:
    """The round with results."""
    points = ((2.0, 0.0), (1.5, 0.5), (1.0, 1.0), (0.5, 1.5), (0.0, 2.0))
    return replace(paired, meetings=tuple(replace(m, points=dice.choice(points)) for m in paired.meetings))


def tournament(players: int, rounds: int, seed: int) -> list[SwissRound]:
    """Rounds with random results."""
    dice = random.Random(seed)
    course: list[SwissRound] = []
    for _ in range(rounds):
        course.append(played(pair_round(players, course, BYE, seed), dice))
    return course


def pairs_of(one: SwissRound, players: int) -> list[tuple[int, int]]:
    """Who meets whom; a bye is a meeting with one player more."""
    pairs = [(min(m.players), max(m.players)) for m in one.meetings]
    return pairs + ([] if one.bye is None else [(one.bye, players)])


def can_be_fresh(left: tuple[int, ...], met: set[tuple[int, int]]) -> bool:
    """Whether all can be paired without anybody meeting somebody again, by trying everything."""
    if not left:
        return True
    first, rest = left[0], left[1:]
    return any(
        (first, other) not in met and can_be_fresh(tuple(one for one in rest if one != other), met) for other in rest
    )


PLAYERS_AND_SEEDS = given(st.integers(2, 9), st.integers(0, 10**6))


@PLAYERS_AND_SEEDS
def test_everybody_is_in_each_round_once(players: int, seed: int) -> None:
    for one in tournament(players, most_rounds(players), seed):
        everybody = sorted(player for pair in pairs_of(one, players) for player in pair)
        assert everybody == list(range(players + players % 2))


@PLAYERS_AND_SEEDS
def test_nobody_meets_somebody_again_or_has_a_second_bye_as_long_as_that_can_be_avoided(
    players: int, seed: int
) -> None:
    met: set[tuple[int, int]] = set()
    for one in tournament(players, most_rounds(players), seed):
        pairs = pairs_of(one, players)
        if can_be_fresh(tuple(range(players + players % 2)), met):
            assert met.isdisjoint(pairs)
        met.update(pairs)


@given(st.sampled_from([3, 5, 7, 9]), st.integers(0, 10**6))
def test_the_bye_is_the_lowest_that_can_have_one(players: int, seed: int) -> None:
    course = tournament(players, most_rounds(players), seed)
    met: set[tuple[int, int]] = set()
    for number, one in enumerate(course):
        assert one.bye is not None
        points = {place.player: place.points for place in swiss_table(players, course[:number], BYE)}
        lower = [
            player for player in range(players) if points[player] < points[one.bye] and (player, players) not in met
        ]
        if (one.bye, players) not in met:
            for player in lower:
                others = tuple(other for other in range(players) if other != player)
                assert not can_be_fresh(others, met)
        met.update(pairs_of(one, players))


def from_the_middle(group: list[int]) -> list[int]:
    """A score group without its best: the best of the lower half first, then those around that one."""
    return sorted(group, key=lambda other: abs(group.index(other) - (len(group) + 1) // 2 + 1))


def paired_by_trying(players: int, course: Sequence[SwissRound], seed: int) -> list[set[int]]:
    """Who meets whom next by definition, the bye first: whether the others can be paired is found out by trying."""
    met = Counter(frozenset(pair) for one in course for pair in pairs_of(one, players))

    def can_be_paired(left: list[int]) -> bool:
        return not left or any(
            met[frozenset((left[0], other))] <= most
            and can_be_paired([one for one in left if one not in (left[0], other)])
            for other in left[1:]
        )

    left = list(range(players + players % 2))
    most = 0
    while not can_be_paired(left):
        most += 1
    points = {place.player: place.points for place in swiss_table(players, course, BYE)}
    lots = list(range(players))
    random.Random(seed).shuffle(lots)
    ranking = sorted(range(players), key=lambda player: (-points[player], lots[player]))
    found = []
    while left:
        if players in left:
            player, candidates = players, ranking[::-1]
        else:
            player, *others = (one for one in ranking if one in left)
            group = [other for other in others if points[other] == points[player]]
            candidates = from_the_middle(group) + others[len(group) :]
        for other in sorted(candidates, key=lambda other: met[frozenset((player, other))]):
            rest = [one for one in left if one not in (player, other)]
            if met[frozenset((player, other))] <= most and can_be_paired(rest):
                found.append({player, other})
                left = rest
                break
    return found


@given(st.integers(2, 8), st.integers(0, 9), st.integers(0, 10**6))
def test_a_round_is_the_one_that_trying_everything_finds(players: int, rounds: int, seed: int) -> None:
    course = tournament(players, min(rounds, most_rounds(players) + 2), seed)
    following = pair_round(players, course, BYE, seed)
    found = [set(pair) for pair in ([] if following.bye is None else [(following.bye, players)])]
    found += [set(meeting.players) for meeting in following.meetings]
    assert found == paired_by_trying(players, course, seed)


def test_a_meeting_takes_one_search_for_partners_of_the_others_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []

    class Counted(Forest):
        def augment(self) -> None:
            searches.append(self)
            super().augment()

    course = tournament(128, 6, 1)
    monkeypatch.setattr("fanqi.match.matching.Forest", Counted)
    pair_round(128, course, BYE, 1)
    assert len(searches) <= 2 * 64  # and one a pair of the first matching


@PLAYERS_AND_SEEDS
def test_the_same_results_and_seed_give_the_same_round(players: int, seed: int) -> None:
    course = tournament(players, 2, seed)
    assert pair_round(players, course, BYE, seed) == pair_round(players, list(course), BYE, seed)


def test_another_seed_draws_other_lots() -> None:
    assert len({pair_round(8, [], BYE, seed) for seed in range(20)}) > 10


@given(st.integers(0, 10**6))
def test_score_groups_stay_among_themselves_where_they_can(seed: int) -> None:
    first = pair_round(8, [], BYE, seed)
    first = replace(first, meetings=tuple(replace(m, points=(2.0, 0.0)) for m in first.meetings))
    winners = {m.first for m in first.meetings}
    second = pair_round(8, [first], BYE, seed)
    assert all((m.first in winners) == (m.second in winners) for m in second.meetings)


def test_the_best_of_a_group_meets_the_best_of_its_lower_half() -> None:
    order = [pair_round(8, [], BYE, 1).meetings[place].players for place in range(4)]
    lots = list(range(8))
    random.Random(1).shuffle(lots)
    ranking = sorted(range(8), key=lots.__getitem__)
    assert [set(pair) for pair in order] == [{ranking[place], ranking[place + 4]} for place in range(4)]


@PLAYERS_AND_SEEDS
def test_who_was_first_more_often_is_second_now(players: int, seed: int) -> None:
    firsts = [0] * players
    for one in tournament(players, most_rounds(players), seed):
        for meeting in one.meetings:
            assert firsts[meeting.first] <= firsts[meeting.second]
        for meeting in one.meetings:
            firsts[meeting.first] += 1
            firsts[meeting.second] -= 1


def test_thirty_two_players_can_meet_in_as_many_rounds_as_there_are_opponents() -> None:
    course = tournament(32, most_rounds(32), 1)
    pairs = [pair for one in course for pair in pairs_of(one, 32)]
    assert len(pairs) == 31 * 16
    assert len(set(pairs)) > 0.98 * len(pairs)


def test_a_table_counts_points_opponents_points_and_byes() -> None:
    course = [
        SwissRound((Meeting(0, 1, (2.0, 0.0)),), 2),
        SwissRound((Meeting(2, 0, (0.5, 1.5)),), 1),
    ]
    found = [(place.player, place.points, place.buchholz, place.byes) for place in swiss_table(3, course, BYE)]
    assert found == [(0, 3.5, 4.5, 0), (2, 2.5, 6.0, 1), (1, 2.0, 5.5, 1)]


@pytest.mark.parametrize(("players", "fewest", "most"), [(2, 1, 1), (3, 2, 3), (8, 3, 7), (9, 4, 9), (32, 5, 31)])
def test_a_winner_is_found_in_few_rounds_and_all_have_met_in_many(players: int, fewest: int, most: int) -> None:
    assert (fewest_rounds(players), most_rounds(players)) == (fewest, most)


# --- the course of a match ------------------------------------------------------------------------------------------


def config(engines: int = 5, **settings: Any) -> MatchConfig:
    found = tuple(parse_engine(f"{name}=builtin:random", Limit(nodes=1)) for name in "abcdefgh"[:engines])
    defaults: dict[str, Any] = {"games": 2, "seed": "7", "form": Form.SWISS, "rounds": 3}
    return MatchConfig(game="othello", engines=found, **{**defaults, **settings})


def record(task: PairTask, index: int, names: Sequence[str], winner: str | None) -> GameRecord:
    """A game of a pair, won by whom a seat names."""
    seats = (names[task.first], names[task.second]) if index == 0 else (names[task.second], names[task.first])
    return GameRecord(
        format=FORMAT, number=task.game_number(index), pair=task.number, round=task.round, game="othello",
        players=seats, date="", ended="", moves=[], result=Result(winner), termination="discs", final="",
    )  # fmt: skip


def play_all(described: MatchConfig, dice: random.Random, ledger: Ledger | None = None) -> list[GameRecord]:
    """All games that are left, in the order of the schedule."""
    names = [engine.name for engine in described.engines]
    ledger = ledger or Ledger(described)
    games = []
    for item in ledger.remaining():
        assert item is not None  # every game is over when the next one is asked for
        task, missing = item
        for index in missing:
            games.append(record(task, index, names, dice.choice(["p1", "p2", None])))
            ledger.record(games[-1])
    return games


@pytest.mark.parametrize("games", [1, 2, 3])
def test_games_are_numbered_and_as_many_as_they_should_be(games: int) -> None:
    described = config(games=games)
    found = play_all(described, random.Random(1))
    assert len(found) == described.total_games == games * 2 * 3
    assert len({game.number for game in found}) == len(found)
    assert {game.round for game in found} == set(range(1, 3 * ((games + 1) // 2) + 1))


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_a_course_goes_on_as_it_would_have_from_any_game_on(seed: int, kept: int) -> None:
    described = config()
    whole = play_all(described, random.Random(seed))
    results = {game.number: game.result for game in whole}
    known = random.Random(seed).sample(whole[:8], min(kept, 8)) if kept < 8 else whole[:kept]
    ledger = Ledger(described)
    for game in known:
        ledger.record(game)
    names = [engine.name for engine in described.engines]
    found = list(known)
    for item in ledger.remaining():
        assert item is not None
        task, missing = item
        for index in missing:
            game = record(task, index, names, None)
            game = msgspec.structs.replace(game, result=results[game.number])
            ledger.record(game)
            found.append(game)
    assert sorted(found, key=lambda game: game.number) == sorted(whole, key=lambda game: game.number)


def test_the_next_round_waits_for_the_last_game_of_this_one() -> None:
    described = config()
    ledger, names = Ledger(described), [engine.name for engine in described.engines]
    tasks = ledger.remaining()
    (one, _), (two, _) = (item for item in itertools.islice(tasks, 2) if item is not None)
    assert next(tasks) is None
    for task, index in ((two, 0), (one, 1), (one, 0)):
        ledger.record(record(task, index, names, "p1"))
        assert next(tasks) is None
    ledger.record(record(two, 1, names, None))
    item = next(tasks)
    assert item is not None
    assert item[0].number == 3


def test_a_round_is_settled_by_the_last_game_before_it_whoever_looks() -> None:
    described = config(games=1)
    read, unread = described.course(), described.course()
    assert read is not None
    assert unread is not None
    names = [engine.name for engine in described.engines]
    settled = []
    for task in unread.tasks():
        assert task is not None
        for course in (read, unread):
            course.record(record(task, 0, names, "p1"))
        before = copy.deepcopy(vars(read))
        settled.append(len(read.rounds))
        assert vars(read) == before
    assert settled == [1, 2, 2, 3, 3, 3]
    assert unread.rounds == read.rounds


def games_with_two_exchanged(described: MatchConfig) -> tuple[list[GameRecord], list[GameRecord]]:
    """The games of the first round as they should be, and with two engines in each other's place."""
    games = play_all(described, random.Random(1))[:4]
    strange = {name: name for name in "abcde"}
    strange[games[0].players[0]], strange[games[2].players[0]] = games[2].players[0], games[0].players[0]
    changed = [(strange[game.players[0]], strange[game.players[1]]) for game in games]
    return games, [msgspec.structs.replace(game, players=pair) for game, pair in zip(games, changed, strict=True)]


def test_a_game_of_another_meeting_than_there_should_be_is_refused_at_once() -> None:
    described = config()
    course = described.course()
    assert course is not None
    games, strange = games_with_two_exchanged(described)
    course.record(games[1])
    with pytest.raises(StoreError, match=r"round 1: \w has played \w, whom it does not meet in this version"):
        course.record(strange[0])


def test_a_game_of_another_meeting_is_refused_when_its_round_is_settled_after_it() -> None:
    described = config()
    course = described.course()
    assert course is not None
    whole = play_all(described, random.Random(1))
    late = whole[4]
    course.record(msgspec.structs.replace(late, players=(late.players[0], late.players[0])))
    for game in whole[:3]:
        course.record(game)
    with pytest.raises(StoreError, match=rf"round 2: {late.players[0]} has played {late.players[0]}"):
        course.record(whole[3])


def test_a_game_without_a_result_gives_nobody_points_and_the_round_goes_on() -> None:
    course = SwissCourse(["a", "b"], 1, 1, 1)
    (task,) = (task for task in course.tasks() if task is not None)
    course.record(msgspec.structs.replace(record(task, 0, "ab", None), result=None))
    assert [place.points for place in course.table()] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"rounds": None}, "no number of rounds: expected 1 to 5"),
        ({"rounds": 0}, "0 rounds: expected 1 to 5 with 5 engines"),
        ({"rounds": 6}, "6 rounds: expected 1 to 5 with 5 engines"),
        ({"form": Form.GAUNTLET}, "3 rounds: only a Swiss tournament"),
        ({"engines": 2, "rounds": 1, "sprt": Sprt(0, 5)}, "no Swiss tournament"),
    ],
)
def test_descriptions_that_make_no_tournament_are_refused(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        config(**settings).check()


def test_a_description_comes_back_from_its_file() -> None:
    assert decode_config(encode_config(config())) == config()


def test_the_summary_has_rounds_and_a_table_by_points() -> None:
    described = config()
    standings = Standings.of(described)
    for game in play_all(described, random.Random(4)):
        standings.add(game)
    lines = summary_lines(described, standings)
    assert [line.partition(":")[0] for line in lines[:3]] == ["Round 1", "Round 2", "Round 3"]
    assert all(line.endswith("has a bye") for line in lines[:3])
    points = [float(line.split()[-5]) for line in lines[5:10]]
    assert points == sorted(points, reverse=True)
    assert sum(points) == 3 * (2 * 2 + 2)


# --- real games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_a_tournament_is_played_and_goes_on_where_it_was(game: str, play_match: Callable[..., Any]) -> None:
    engines = [*(f"{name}=builtin:random" for name in "abcd"), "e=builtin:greedy"]
    done = play_match(*engines, game=game, form=Form.SWISS, rounds=3, concurrency=3, seed="5")
    whole = sorted((one.number, one.players, one.moves) for one in done.games)
    assert [number for number, _, _ in whole] == list(range(1, 13))
    journal: Path = done.directory / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:5]))
    runner, store = resume_match(done.directory)
    try:
        run_loop(runner.run())
    finally:
        store.close()
    again = list(read_public_games(done.directory))
    assert sorted((one.number, one.players, one.moves) for one in again) == whole
    page = build_report(read_config(done.directory), again)
    assert page.count('"buchholz":') == 5
    assert '"buchholz":null' not in page
