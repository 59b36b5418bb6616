"""Reviews: what is judged, by which limits, and that the figures add up."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import DATA, TCGA, WTHOR, ScriptedSearcher, first_game

from fanqi.analysis import PHASES, SCALES, Plan, Searcher, Totals, review_game, totals_of
from fanqi.analysis.orientation import Orientation, turned_move
from fanqi.analysis.verdict import judge
from fanqi.game import Player, load_game
from fanqi.jobs.analyse import review_game as review_job
from fanqi.jobs.context import Context
from fanqi.mqtt.work import Game, PositionSpec, SearchLimits
from fanqi.records import GameRecord, Result, parse_ggf, parse_json, parse_records, parse_transcript, plain_moves
from fanqi.search import Info, SearchResult, Solve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fanqi.analysis import GameReview
    from fanqi.game import Position
    from fanqi.search import Limits


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    """The real engines, shared by all tests here."""
    return Searcher()


def random_game(game: str, seed: int, plies: int) -> GameRecord:
    """A game of random moves, flips with random outcomes."""
    dice = random.Random(seed)
    position = load_game(game).start()
    moves = []
    while (legal := position.legal_moves()) and len(moves) < plies:
        move = dice.choice(legal)
        if position.needs_reveal(move):
            move += "=" + dice.choice(position.covered())  # type: ignore[attr-defined]
        moves.append(move)
        position = position.play(move)
    return GameRecord(game, plain_moves(moves))


def tail(record: GameRecord, plies: int) -> GameRecord:
    """The last plies of a game, from a set-up position on."""
    position = load_game(record.game).start(record.rules)
    for move in record.moves[:-plies]:
        position = position.play(move.move)
    return GameRecord(record.game, record.moves[-plies:], position.fen(), rules=record.rules)


# ------------------------------------------------------------------------------------------------------- exactness


def best_margin(position: Position) -> float:
    """The final margin for the side to move with best play, by trying everything."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.margin if position.turn is Player.P1 else -outcome.margin
    scores = []
    for move in position.legal_moves():
        after = position.play(move)
        scores.append(best_margin(after) if after.turn is position.turn else -best_margin(after))
    return max(scores)


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_the_end_of_an_othello_game_is_judged_exactly(number: int, searcher: Searcher) -> None:
    review = review_game(1, tail(first_game(WTHOR, number), 8), Plan(depth=1), searcher)
    assert review.complete
    assert review.exact_from == 0
    for move in review.moves:
        before, after = review.boards[move.ply - 1], review.boards[move.ply]
        assert move.exact
        assert move.best.value == best_margin(before)
        assert move.played.value == -best_margin(after)
        assert move.loss == best_margin(before) + best_margin(after)


def least_margin(position: Position) -> float:
    """As `best_margin` where the fewest discs win: the opponent's margin."""
    outcome = position.outcome()
    if outcome is not None:
        return -outcome.margin if position.turn is Player.P1 else outcome.margin
    return max(-least_margin(position.play(move)) for move in position.legal_moves())


def test_anti_othello_is_told_by_its_type_and_played_for_the_fewest_discs(searcher: Searcher) -> None:
    record = tail(first_game(WTHOR, 3), 7)
    anti = GameRecord("othello", record.moves, record.start, tags=(("TY", "8a"),))
    review = review_game(1, anti, Plan(depth=1), searcher)
    assert review.terms.objective == "fewest"
    for move in review.moves:
        assert move.exact
        assert move.best.value == least_margin(review.boards[move.ply - 1])
    assert review.final is not None
    assert review.values[-1] == -final_margin(review)
    assert review_game(1, anti, Plan(depth=1, objective="most"), searcher).values[-1] == final_margin(review)


def final_margin(review: GameReview) -> float:
    outcome = review.boards[-1].outcome()
    assert outcome is not None
    return outcome.margin


def test_with_four_men_left_banqi_is_judged_by_the_tables(searcher: Searcher) -> None:
    start = "..../..../.K../..../...r/..../p.../..r. - r 0 -"
    for seed in range(4):
        dice, position, moves = random.Random(seed), load_game("banqi").parse(start), []
        while (legal := position.legal_moves()) and len(moves) < 12:
            moves.append(dice.choice(legal))
            position = position.play(moves[-1])
        review = review_game(1, GameRecord("banqi", plain_moves(moves), start), Plan(depth=2), searcher)
        assert all(move.exact for move in review.moves)
        assert {move.best.value for move in review.moves} <= {0.0, 50.0, 100.0}


def test_tables_are_not_believed_under_rules_they_do_not_know(searcher: Searcher) -> None:
    start = "K.../..../..../..../..../..../..../...k - r 0 -"
    for rules, known in (("", True), ("noprogress=20", False), ("chase=3", False), ("repetition=3", True)):
        review = review_game(1, GameRecord("banqi", (), start, rules=rules), Plan(depth=2), searcher)
        assert review.final is not None
        assert review.final.exact is known, rules


def test_a_covered_man_makes_nothing_exact(searcher: Searcher) -> None:
    review = review_game(1, tail(first_game(TCGA), 8), Plan(depth=3), searcher)
    for move in review.moves:
        covered = review.boards[move.ply - 1].fen().split()[1] != "-"
        assert not (covered and move.best.exact)
    assert review.exact_from == 4


# ---------------------------------------------------------------------------------------------------- determinism


@pytest.mark.parametrize("game", ["othello", "banqi"])
def test_a_review_is_the_same_whatever_was_reviewed_before(game: str, searcher: Searcher) -> None:
    plan = Plan(depth=3, exact=8, multipv=2)
    record = random_game(game, 1, 60)
    first = review_game(1, record, plan, searcher)
    review_game(1, random_game("othello", 2, 60), plan, searcher)
    review_game(1, random_game("banqi", 3, 40), plan, searcher)
    again = review_game(1, record, plan, searcher)
    fresh = review_game(1, record, plan, Searcher())
    assert first == again == fresh


# ----------------------------------------------------------------------------------------------------- what is said


@settings(max_examples=15)
@given(game=st.sampled_from(["othello", "banqi"]), seed=st.integers(0, 1 << 30), multipv=st.integers(1, 3))
def test_no_loss_is_negative_and_the_best_move_loses_nothing(
    searcher: Searcher, game: str, seed: int, multipv: int
) -> None:
    review = review_game(1, random_game(game, seed, 70), Plan(depth=2, exact=4, multipv=multipv), searcher)
    assert review.complete
    for move in review.moves:
        assert move.loss >= 0
        if "=" in move.move:
            assert move.loss == pytest.approx(max(0, move.best.value - move.played.value), abs=0.01)
        else:
            assert move.played.value == move.value
            assert move.loss <= max(0, move.best.value - move.value) + 0.01
        assert move.played.moves[0] == move.move.partition("=")[0]
        assert len(move.lines) == min(multipv, move.choices)
        assert (move.best.moves[0] == move.played.moves[0]) <= move.is_best
        assert (move.mark == "") or (move.loss > 0 and not move.forced)


def answer(scores: dict[str, int]) -> Callable[[Any, tuple[str, ...] | None, int], SearchResult]:
    """A search that first knows one move, and when asked for another one's score."""

    def search(position: Position, moves: tuple[str, ...] | None, deeper: int) -> SearchResult:
        move = next(iter(scores)) if moves is None else moves[0]
        return SearchResult(move, None, (Info(score_cp=scores[move], pv=(move,)),))

    return search


def test_a_move_that_comes_out_better_than_the_preferred_one_is_the_best() -> None:
    start = load_game("othello").start().play("f5")
    verdict = judge(start, "f6", answer({"d6": 100, "f6": 150}))
    assert (verdict.best, verdict.best_cp, verdict.move_cp, verdict.loss_cp) == ("f6", 150, 150, 0)
    verdict = judge(start, "f6", answer({"d6": 100, "f6": -50}))
    assert (verdict.best, verdict.best_cp, verdict.move_cp, verdict.loss_cp) == ("d6", 100, -50, 150)


def test_the_mirror_image_of_the_best_move_loses_nothing() -> None:
    start = load_game("othello").start()
    verdict = judge(start, "d3", answer({"f5": 100, "d3": 60}))
    assert (verdict.best, verdict.best_cp, verdict.move_cp, verdict.loss_cp) == ("d3", 100, 100, 0)


def test_moves_that_are_images_of_each_other_have_one_score() -> None:
    start = load_game("othello").start()
    scores = {"c4": 100, "d3": 80, "e6": -40, "f5": 60}
    lines = tuple(
        Info(score_cp=score, pv=(move,), multipv=rank) for rank, (move, score) in enumerate(scores.items(), 1)
    )
    verdict = judge(start, "e6", lambda position, moves, deeper: SearchResult("c4", None, lines))
    assert [(info.pv[0], info.score_cp) for info in verdict.lines] == [(move, 100) for move in scores]
    assert verdict.loss_cp == 0


def test_a_game_and_its_images_get_the_same_review(scripted: Callable[..., GameReview]) -> None:
    moves = [move.move for move in first_game(WTHOR).moves[:30]]
    reviews = [
        scripted(GameRecord("othello", plain_moves([turned_move(symmetry, move) for move in moves])))
        for symmetry in (0, 3, 4, 7)  # the images of the board that keep its start
    ]
    assert len({review.moves[0].move for review in reviews}) == 4
    assert len({review.values for review in reviews}) == 1
    assert len({tuple((move.loss, move.mark) for move in review.moves) for review in reviews}) == 1


def test_orientations_lead_back_to_where_they_came_from() -> None:
    for symmetry in range(8):
        turn = Orientation(symmetry)
        for move in ("a1", "b1", "g3", "h7", "pass"):
            assert turn.back((turn.moves([move]) or ())[0]) == move


def test_a_mark_never_contradicts_the_scores_of_the_two_positions(
    othello_review: GameReview, banqi_review: GameReview
) -> None:
    for review in (othello_review, banqi_review):
        marked = 0
        for move in review.moves:
            before, after = review.values[move.ply - 1], review.values[move.ply]
            assert before == review.scale.for_p1(move.best.value, move.player)
            assert after == review.scale.for_p1(move.value, move.player)
            if move.mark and "=" not in move.move:
                marked += 1
                assert move.best.value - move.value >= move.loss - 0.01
        assert marked


def test_what_only_the_score_after_the_move_sees_is_searched_deeper() -> None:
    start = load_game("othello").start().play("d3")  # in the orientation in which it is searched
    after = start.play("c5")
    reply = after.legal_moves()[0]
    scores = {(start.fen(), move): 0 for move in start.legal_moves()}
    scores |= {(start.fen(), "c3"): 100, (start.fen(), "c5"): 50}
    scores |= {(after.fen(), move): -900 for move in after.legal_moves()} | {(after.fen(), reply): 500}
    record = GameRecord("othello", plain_moves(["c5"]), start.fen())
    for deeper, loss in ((100, 6.0), (-300, 2.0)):

        class Deeper(ScriptedSearcher):
            """Knows better what c3 is worth when it searches a ply deeper."""

            def search(self, game: str, position: Position, limits: Limits, *rest: Any, **more: Any) -> Any:
                known = dict(self._scores)
                if limits.depth == 17:
                    self._scores |= {(start.fen(), move): -400 for move in start.legal_moves()}
                    self._scores[start.fen(), "c3"] = deeper  # noqa: B023
                found = super().search(game, position, limits, *rest, **more)
                self._scores = known
                return found

        review = review_game(1, record, Plan(exact=0), Deeper(scores))
        assert review.moves[0].loss == loss
        assert review.values == (-deeper / 100, 5.0)


def test_what_only_the_search_before_the_move_sees_is_no_mistake() -> None:
    start = load_game("othello").start().play("d3")
    after = start.play("c5")
    scores = {(start.fen(), move): -900 for move in start.legal_moves()}
    scores |= {(start.fen(), "c3"): 500, (start.fen(), "c5"): -500}
    scores |= {(after.fen(), move): -450 for move in after.legal_moves()}
    record = GameRecord("othello", plain_moves(["c5"]), start.fen())
    move = review_game(1, record, Plan(exact=0), ScriptedSearcher(scores)).moves[0]
    assert (move.best.value, move.value, move.loss, move.mark) == (5.0, 4.5, 0.5, "")


@pytest.mark.parametrize("path", [WTHOR, TCGA])
def test_the_moves_of_a_given_opening_are_not_judged(path: Path, scripted: Callable[..., GameReview]) -> None:
    record = replace(first_game(path), opening_plies=12)
    review = scripted(record)
    given, played = review.moves[:12], review.moves[12:]
    assert all(
        (move.given, move.loss, move.mark, move.luck, move.decided) == (True, 0, "", None, False) for move in given
    )
    assert played == scripted(first_game(path)).moves[12:]
    assert None not in review.values
    assert sum(found.whole.decisions for found in totals_of(review)) == sum(move.decided for move in played)


def test_marks_begin_at_their_thresholds() -> None:
    for scale in SCALES.values():
        assert [scale.mark(loss) for loss in (0, scale.dubious - 0.01)] == ["", ""]
        assert [scale.mark(loss) for loss in (scale.dubious, scale.mistake, scale.blunder)] == ["?!", "?", "??"]
        assert scale.accuracy(0) == 100
        assert scale.accuracy(scale.halving) == pytest.approx(50)
        assert scale.other(scale.other(7.0)) == 7.0


def test_proven_results_that_are_thrown_away_are_named(searcher: Searcher) -> None:
    reviews = [review_game(1, tail(first_game(WTHOR, number), 12), Plan(depth=1), searcher) for number in range(1, 13)]
    changes = [(move, move.change) for review in reviews for move in review.moves if move.change]
    assert changes
    for move, change in changes:
        before, _, after = change.partition(" to ")
        assert {"win": move.best.value > 0, "draw": move.best.value == 0}[before]
        assert {"loss": move.played.value < 0, "draw": move.played.value == 0}[after]


def test_komi_moves_the_line_between_winning_and_losing(searcher: Searcher) -> None:
    record = tail(first_game(WTHOR, 1), 1)  # Black wins by 4 whatever White does
    komi = GameRecord("othello", record.moves, record.start, tags=(("TY", "8k"), ("KM", "5.5")))
    review = review_game(1, komi, Plan(), searcher)
    assert review.terms.draw_line == 5.5
    assert review.terms.settings.draw_line == 5.5
    assert review.values[-1] == 4.0  # scores stay differences on the board


def test_the_figures_of_phases_add_up_to_those_of_the_game(
    othello_review: GameReview, banqi_review: GameReview
) -> None:
    for review in (othello_review, banqi_review):
        for found in totals_of(review):
            mine = [move for move in review.moves if move.player is found.player and not move.forced]
            for name in ("decisions", "best", "dubious", "mistakes", "blunders", "loss"):
                assert getattr(found.whole, name) == pytest.approx(sum(getattr(part, name) for part in found.phases))
            assert found.whole.decisions == len(mine)
            assert found.whole.loss == pytest.approx(sum(move.loss for move in mine))
            assert found.whole.mean_loss == pytest.approx(found.whole.loss / len(mine))
            assert 0 < (found.whole.accuracy or 0) < 100
        assert {move.phase for move in review.moves} == set(range(len(PHASES)))


def test_forced_moves_are_nobodys_decision(othello_review: GameReview) -> None:
    passes = [move for move in othello_review.moves if move.move == "pass"]
    assert len(passes) == 2
    assert all(move.forced and move.loss == 0 and move.mark == "" for move in passes)
    assert Totals.of(passes, othello_review.scale).decisions == 0
    assert Totals.of(passes, othello_review.scale).accuracy is None


def test_luck_is_measured_against_all_that_could_have_come_up(scripted: Callable[..., GameReview]) -> None:
    record = tail(first_game(TCGA), 7)  # begins with the flip of one of two covered men
    flip = record.moves[0].move
    bag = load_game("banqi").parse(record.start or "", record.rules).covered()  # type: ignore[attr-defined]
    lucks = []
    for letter in bag:
        other = GameRecord("banqi", plain_moves([f"{flip[:2]}={letter}"]), record.start, rules=record.rules)
        lucks.append(scripted(other).moves[0].luck)
    assert len(bag) == 2
    assert len(set(lucks)) == 2
    assert sum(lucks) == pytest.approx(0, abs=0.02)


def test_only_flips_have_luck_and_it_adds_up(banqi_review: GameReview) -> None:
    assert all((move.luck is not None) == ("=" in move.move) for move in banqi_review.moves)
    for found in totals_of(banqi_review):
        lucks = [move.luck for move in banqi_review.moves if move.luck is not None and move.player is found.player]
        assert found.luck == pytest.approx(sum(lucks))


def test_a_flip_is_searched_deeper_and_its_outcomes_all_alike() -> None:
    record = first_game(TCGA)
    searcher = ScriptedSearcher()
    review_game(1, record, Plan(depth=7), searcher)
    flips = [limits.depth for _, limits, _ in searcher.asked if limits.moves and len(limits.moves[0]) == 2]
    steps = [limits.depth for _, limits, _ in searcher.asked if limits.moves and len(limits.moves[0]) == 4]
    assert set(flips) == {8}
    assert set(steps) == {7}
    assert {limits.depth for _, limits, _ in searcher.asked if not limits.moves} == {7, 8, 4}


def test_a_job_of_a_worker_judges_a_game_by_the_same_searches() -> None:
    record = first_game(TCGA)
    here, there = ScriptedSearcher(), ScriptedSearcher()
    review = review_game(1, record, Plan(depth=7), here)
    context = Context()
    context._searcher = there
    moves = tuple(move.move for move in record.moves)
    work = Game(
        position=PositionSpec(game="banqi", fen=record.start or "", moves=moves, rules=record.rules),
        limits=SearchLimits(depth=7),
    )
    found = review_job(work, context)
    ours, theirs = (
        {(board.fen(), limits.moves[0], limits.depth) for board, limits, _ in searcher.asked if limits.moves}
        for searcher in (here, there)
    )
    assert ours == theirs
    assert {depth for _, move, depth in theirs if len(move) == 2} == {8}
    assert [move.best for move in found.moves] == [move.best.moves[0] for move in review.moves]


def test_every_search_keeps_to_the_limits_that_were_given() -> None:
    searcher = ScriptedSearcher()
    review_game(1, first_game(WTHOR), Plan(nodes=500, movetime_ms=30, exact=12, threads=2, hash_mib=8), searcher)
    for position, limits, used in searcher.asked:
        assert (limits.nodes, limits.movetime_ms, limits.depth) == (500, 30, None)
        assert limits.solve is (Solve.SCORE if position.empties <= 12 else None)  # type: ignore[attr-defined]
        assert (used.threads, used.hash_mib, used.move_overhead_ms) == (2, 8, 0)
    searcher = ScriptedSearcher()
    review_game(1, first_game(WTHOR), Plan(), searcher)
    assert {limits.depth for _, limits, _ in searcher.asked} == {16, 17, None}


def test_games_are_searched_from_their_end_to_their_start() -> None:
    searcher = ScriptedSearcher()
    review_game(1, first_game(WTHOR), Plan(), searcher)
    plies = [position.ply for position, _, _ in searcher.asked]
    assert plies == sorted(plies, reverse=True)


# ------------------------------------------------------------------------------------------------ all kinds of games


def test_an_unfinished_game_ends_with_what_the_engine_would_play(scripted: Callable[..., GameReview]) -> None:
    review = scripted(parse_transcript("f5d6c3"))
    assert review.complete
    assert review.final is not None
    assert review.final.moves[0] in review.boards[-1].legal_moves()
    assert review.values[-1] == -review.final.value  # White is to move


def test_a_position_without_moves_has_a_score(scripted: Callable[..., GameReview]) -> None:
    review = scripted(GameRecord("banqi"))
    assert review.complete
    assert review.moves == ()
    assert len(review.values) == 1


def test_a_loss_on_time_changes_nothing_on_the_board(scripted: Callable[..., GameReview]) -> None:
    lost = GameRecord("othello", plain_moves(["f5", "d6"]), result=Result(Player.P2, -64.0, "time"))
    plain = GameRecord("othello", plain_moves(["f5", "d6"]))
    assert scripted(lost).moves == scripted(plain).moves
    assert scripted(lost).values == scripted(plain).values


def test_scores_of_a_game_that_white_begins_are_turned_the_right_way(scripted: Callable[..., GameReview]) -> None:
    start = "---------------------------OX------XXX-------------------------- O"
    review = scripted(GameRecord("othello", plain_moves(["d6", "c5"]), start))
    assert [move.player for move in review.moves] == [Player.P2, Player.P1]
    assert review.values[0] == -review.moves[0].best.value
    assert review.values[1] == review.moves[1].best.value


def test_both_games_of_a_synchro_pair_are_games_of_their_own(scripted: Callable[..., GameReview]) -> None:
    games = list(parse_records((DATA / "analysis" / "synchro.ggf").read_bytes()))
    assert len(games) == 2
    for game in games:
        assert isinstance(game, GameRecord)
        review = scripted(game)
        assert review.terms.draw_line == 0
        assert review.terms.objective == "most"
        assert review.boards[0].fen() == game.start
        assert game.result is not None
        assert final_margin(review) == game.result.margin
        assert any(move.recorded is not None for move in review.moves)


def test_types_and_komi_that_make_no_sense_are_passed_over(scripted: Callable[..., GameReview]) -> None:
    for tags in ("TY[zzz]", "TY[]KM[?]", "KM[nan]", "KM[9999]"):
        review = scripted(parse_ggf(f"(;GM[Othello]{tags}B[f5];)"))
        assert (review.terms.objective, review.terms.draw_line) == ("most", 0.0)


def test_games_of_a_match_are_analysed_under_their_rules(scripted: Callable[..., GameReview]) -> None:
    line = '{"game":"banqi","players":["a","b"],"rules":"chase=off","moves":["b3=r","b4=P"],"result":{"winner":"p1"}}'
    review = scripted(parse_json(line))
    assert str(review.boards[-1].rules) == "chase=off"  # type: ignore[attr-defined]
    assert review.record.players == ("a", "b")


def test_an_interrupted_review_has_the_moves_from_the_end_on() -> None:
    record = first_game(WTHOR)
    whole = review_game(1, record, Plan(), ScriptedSearcher())
    part = review_game(1, record, Plan(), ScriptedSearcher(stop_after=20))
    assert not part.complete
    assert 0 < len(part.moves) < len(whole.moves)
    assert part.moves == whole.moves[-len(part.moves) :]
    known = [value is not None for value in part.values]
    assert known == [False] * (len(known) - sum(known)) + [True] * sum(known)
    assert len(totals_of(part)) == 2


def test_a_searcher_that_was_stopped_searches_no_more_until_it_is_told_to(searcher: Searcher) -> None:
    searcher.stop()
    try:
        review = review_game(1, parse_transcript("f5d6c3"), Plan(depth=1), searcher)
        assert review.final is None
        assert not review.complete
    finally:
        searcher.resume()
    assert review_game(1, parse_transcript("f5d6c3"), Plan(depth=1), searcher).complete
