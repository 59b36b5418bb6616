"""Whole games between scripted engines: pairing, clocks, secrets, records, courtesies."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from reversi_reference import Reversi

from fanqi.arbiter import mirror_layout, verify
from fanqi.game import load_game
from fanqi.match.config import Adjudication
from fanqi.match.dialects import Timeouts
from fanqi.match.errors import ConfigurationError
from fanqi.match.limit import Limit, TimeControl
from fanqi.match.openings import Opening
from fanqi.match.runner import Status
from fanqi.match.sprt import EloModel, Sprt
from fanqi.match.store import read_journal
from fanqi.records import parse_ggf, parse_json, parse_records, parse_tcga

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
HOSTILE_COMMAND = f"{sys.executable} -S {HERE / 'hostile' / 'wrong_game.py'}"


def courteous(arguments: str = "") -> str:
    return f"{sys.executable} -S {HERE / 'engines' / 'courteous.py'} {arguments}".strip()


def test_colours_are_exchanged_within_a_pair(play_match: Callable[..., Any], instant: str) -> None:
    played = play_match(f"a={instant}", f"b={instant} --random 1", games=4, openings="random:6")
    assert [game.players for game in played.games] == [("a", "b"), ("b", "a")] * 2
    first, second, third, _ = played.games
    assert first.moves[:6] == second.moves[:6] != third.moves[:6]
    assert first.opening_plies == 6
    assert first.times[5] is None
    assert first.times[6] is not None


def test_the_same_seed_gives_the_same_games(play_match: Callable[..., Any], instant: str) -> None:
    first, again, other = (
        [game.moves for game in play_match(f"a={instant}", "b=builtin:random", games=4, seed=seed).games]
        for seed in ("9", "9", "10")
    )
    assert first == again != other


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_every_record_replays_to_its_end(game: str, play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "g=builtin:greedy", games=4, game=game)
    rules = load_game(game)
    for record in played.games:
        position = rules.start(record.rules)
        for move in record.moves:
            position = position.play(move)
        assert position.fen() == record.final
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.reason == record.termination
        assert outcome.margin == record.result.margin


def test_old_reversi_is_played_and_kept_with_its_rules(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "g=builtin:greedy", games=4, rules="rules=1890", openings="random:6")
    kept = list(parse_records((played.directory / "games.sgf").read_bytes()))
    assert not (played.directory / "games.ggf").exists()
    for record, text in zip(played.games, kept, strict=True):
        game = Reversi.of_1890()
        for move in record.moves:
            assert move in game.moves()
            game = game.after(move)
        assert game.moves() == []
        assert record.result.margin == game.margin()
        assert (text.rules, [move.move for move in text.moves]) == ("rules=1890", list(record.moves))


def test_a_banqi_pair_is_one_deal_and_its_mirror_image(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "g=builtin:greedy", games=4, game="banqi")
    first, second, third, _ = (game.deal for game in played.games)
    assert first.seed == second.seed != third.seed
    assert mirror_layout(first.layout) == second.layout
    assert first.commitment != second.commitment


def test_every_deal_can_be_verified_from_the_published_record(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "g=builtin:greedy", games=2, game="banqi")
    lines = (played.directory / "games.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert all(verify(json.loads(line)).good for line in lines)


def test_a_deal_is_published_only_when_both_games_are_over(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "bad=/no/such/engine", games=8, game="banqi", start_tries=3)
    assert played.status is Status.GIVEN_UP
    assert [game.number for game in played.games] == [1, 2]
    assert [game.number for game in read_journal(played.directory)] == [1, 2, 3]


def test_positions_of_a_banqi_file_are_dealt_and_mirrored_too(play_match: Callable[..., Any]) -> None:
    start = "X..r/..../..../..../..../..../..../K..X Rp r 5 -"
    listed = [Opening(start, (), start)]
    played = play_match("r=builtin:random", "g=builtin:greedy", game="banqi", openings="a file", listed=listed)
    assert played.games[0].start == start
    assert played.games[1].start == "r..X/..../..../..../..../..../..../X..K Rp r 5 -"
    assert all(verify({"start": g.start, "moves": g.moves, "deal": as_dict(g.deal)}).good for g in played.games)


def as_dict(deal: Any) -> dict[str, Any]:
    return {name: getattr(deal, name) for name in deal.__struct_fields__}


def test_records_are_read_by_whatever_reads_records(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "g=builtin:greedy", games=2)
    for line, ggf, game in zip(
        (played.directory / "games.jsonl").read_text().splitlines(),
        (played.directory / "games.ggf").read_text().splitlines(),
        played.games,
        strict=True,
    ):
        for found in (parse_json(line), parse_ggf(ggf)):
            assert [move.move for move in found.moves] == game.moves
            assert found.players == game.players
            assert found.result is not None
            assert found.result.margin == game.result.margin


def test_banqi_records_are_read_as_the_client_writes_them(play_match: Callable[..., Any]) -> None:
    played = play_match("r=builtin:random", "g=builtin:greedy", games=2, game="banqi")
    found = list(parse_records((played.directory / "games.tcga").read_bytes()))
    assert [[move.move for move in game.moves] for game in found] == [game.moves for game in played.games]  # type: ignore[union-attr]
    first = (played.directory / "games.tcga").read_text().split("INITIAL\n")[1]
    assert parse_tcga(f"INITIAL\n{first}").players == ("r", "g")


def test_a_resignation_is_respected(play_match: Callable[..., Any]) -> None:
    played = play_match(f"a={courteous('resign 3')}", f"b={courteous()}", games=1)
    (game,) = played.games
    assert game.termination == "resigned"
    assert game.score_of("b") == 1.0
    assert len(game.moves) == 4


def test_an_offered_draw_is_agreed_when_the_opponent_takes_it(play_match: Callable[..., Any]) -> None:
    played = play_match(f"a={courteous('offer 3')}", f"b={courteous('accept')}", games=1)
    (game,) = played.games
    assert (game.termination, game.score_of("a"), len(game.moves)) == ("agreed", 0.5, 5)


@pytest.mark.parametrize("opponent", ["courteous", "builtin:random"])
def test_a_declined_draw_changes_nothing(opponent: str, play_match: Callable[..., Any]) -> None:
    other = courteous() if opponent == "courteous" else opponent
    played = play_match(f"a={courteous('offer 3')}", f"b={other}", games=1)
    assert played.games[0].termination == "discs"


def test_what_an_engine_says_of_its_moves_is_kept(play_match: Callable[..., Any]) -> None:
    played = play_match(f"a={courteous()}", "b=builtin:random", games=1)
    (game,) = played.games
    assert game.evals[:5:2] == [0.0, 0.1, 0.2]
    assert game.depths[0] == 3
    assert game.nodes[0] == 7
    assert game.evals[1] is None
    assert game.labels == ("Hostile", "random mover")


def test_clocks_are_kept_for_each_side_by_its_own_limit(play_match: Callable[..., Any], instant: str) -> None:
    played = play_match(
        f"a={instant} tc=60+1", "b=builtin:random depth=3", games=2, limit=Limit(TimeControl(5000), timemargin_ms=0)
    )
    first = played.games[0]
    assert first.limits == ("tc=60+1", "depth=3")
    assert first.clocks[0] is not None
    assert 61_000 < first.clocks[0] <= 62_000
    assert first.clocks[1] is None


def test_a_game_is_adjudicated_when_the_loser_sees_it(play_match: Callable[..., Any]) -> None:
    # the courteous engine's score rises by 0.1 each move; its opponent says nothing
    played = play_match(
        f"a={courteous()}", f"b={courteous()}", games=1, adjudication=Adjudication(draw_cp=100, draw_moves=2)
    )
    assert (played.games[0].termination, len(played.games[0].moves)) == ("adjudicated_draw", 4)


def test_a_solver_decides_as_perfect_play_would(play_match: Callable[..., Any]) -> None:
    # random movers never play perfectly, so the solver's word is checked against its own at the end
    played = play_match("a=builtin:random", "b=builtin:random", games=2, adjudication=Adjudication(solve_empties=6))
    for game in played.games:
        assert game.termination == "adjudicated_solved"
        assert game.final.count("-") == 6
        assert game.result.margin == best_margin(load_game("othello").parse(game.final))


def best_margin(position: Any) -> float:
    """Disc difference under perfect play from p1's view, by trying everything."""
    outcome = position.outcome()
    if outcome is not None:
        return float(outcome.margin)
    margins = [best_margin(position.play(move)) for move in position.legal_moves()]
    return max(margins) if position.turn == 1 else min(margins)


def test_a_game_that_gets_too_long_is_drawn(play_match: Callable[..., Any]) -> None:
    played = play_match("a=builtin:random", "b=builtin:random", games=1, adjudication=Adjudication(max_plies=10))
    assert (played.games[0].termination, len(played.games[0].moves)) == ("adjudicated_length", 10)
    assert played.games[0].score_of("a") == 0.5


def test_a_sequential_test_ends_the_match_by_itself(play_match: Callable[..., Any]) -> None:
    test = Sprt(0, 100, model=EloModel.LOGISTIC)
    played = play_match("strong=builtin:greedy", f"weak={HOSTILE_COMMAND}", games=None, sprt=test)
    assert played.status is Status.DECIDED
    assert 10 < len(played.games) < 200
    summary = json.loads((played.directory / "summary.json").read_text())
    assert summary["sprt"]["decision"] == "H1"


def test_three_engines_play_round_robin_with_the_same_openings(play_match: Callable[..., Any]) -> None:
    played = play_match(
        "a=builtin:random", "b=builtin:greedy", "c=builtin:random", games=4, openings="random:5", concurrency=2
    )
    assert len(played.games) == 12
    by_round: dict[int, set[str]] = {}
    for game in played.games:
        by_round.setdefault(game.round, set()).add(game.opening)
    assert all(len(openings) == 1 for openings in by_round.values())
    points = [played.runner.standings.points(name) for name in "abc"]
    assert sum(score for score, _ in points) == 12
    assert [games for _, games in points] == [8, 8, 8]


def test_every_line_to_and_from_an_engine_can_be_kept(play_match: Callable[..., Any], instant: str) -> None:
    played = play_match(f"a={instant}", "b=builtin:random", games=1, log_io=True)
    log = (played.directory / "logs" / "a-1.io.txt").read_text()
    assert " > uci\n" in log
    assert " < uciok\n" in log
    assert log.count(" < bestmove ") == len(list(played.games[0].plies_of(0)))


def test_readiness_is_asked_before_each_game_and_on_demand_before_each_move(
    play_match: Callable[..., Any], instant: str
) -> None:
    asked = []
    for every_move in (False, True):
        timeouts = Timeouts(start=30.0, ready=30.0, every_move=every_move)
        played = play_match(f"a={instant}", "b=builtin:random", games=1, log_io=True, timeouts=timeouts)
        log = (played.directory / "logs" / "a-1.io.txt").read_text()
        asked.append(log.count("> isready") - every_move * log.count("> go "))
    assert asked == [2, 2]


def test_engines_see_no_more_than_a_player_may_know(play_match: Callable[..., Any], instant: str) -> None:
    played = play_match(f"a={instant}", "b=builtin:random", games=2, game="banqi", log_io=True)
    log = (played.directory / "logs" / "a-1.io.txt").read_text()
    for game in played.games:
        for secret in (game.deal.seed, game.deal.salt, game.deal.layout, game.deal.commitment):
            assert secret not in log
    # no position tells what a later flip will show: every outcome in it has been played
    asked = [line.split(" moves ")[1].split() for line in log.splitlines() if " moves " in line]
    for moves in asked:
        assert any(game.moves[: len(moves)] == moves for game in played.games)


def test_rules_reach_the_engines(play_match: Callable[..., Any], instant: str) -> None:
    played = play_match(f"a={instant}", "b=builtin:random", games=1, game="banqi", rules="noprogress=10", log_io=True)
    assert "setoption name Rules value noprogress=10" in (played.directory / "logs" / "a-1.io.txt").read_text()
    assert played.games[0].rules == "noprogress=10"


def test_an_option_that_an_engine_does_not_have_ends_the_match_before_it_begins(
    play_match: Callable[..., Any], instant: str
) -> None:
    with pytest.raises(ConfigurationError, match="no option 'Hahs'"):
        play_match(f"a={instant} option.Hahs=1", "b=builtin:random")
