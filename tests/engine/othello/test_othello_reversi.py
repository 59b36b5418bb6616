"""Old Reversi, of 1890 and of 1886: rules, counts and search against a slow program of its own."""

from __future__ import annotations

import random

import pytest
from reversi_reference import Reversi

from fanqi.game import MoveError, Player, PositionError, RulesError
from fanqi.othello import GAME
from fanqi.othello.reversi import Rules
from fanqi.search import Control, Limits, Settings, Solve

NO_PASSES = "rules=1890"
EARLY = "rules=1886"
PARALLEL = "rules=1886,start=parallel"
REFERENCES = {
    NO_PASSES: Reversi.of_1890,
    EARLY: lambda: Reversi.of_1886(parallel=False),
    PARALLEL: lambda: Reversi.of_1886(parallel=True),
}
SEEDS = (*range(20), 93, 97, 120, 148)
"""Of random games; in the last four somebody has to pass for want of a disc."""
HERE_OR_THERE = "XXXXXXO-OOOOOOX-" + "X" * 48
"""Black can turn a disc from h1 only, White from h2 only."""
HERE = "XXXXXXO-XXXXXXX-" + "X" * 48
"""Black can turn a disc from h1, White none."""


def play_at_random(rules, seed, stop=0):
    """A random game by the reference, to ``stop`` empty squares; yields every position."""
    dice, game = random.Random(seed), REFERENCES[rules]()
    yield game
    while (moves := game.moves()) and len(game.cells) < 64 - stop:
        game = game.after(dice.choice(moves))
        yield game


def late(rules, empties, count):
    """Some positions near the end with moves left, from random games."""
    found, seed = [], 0
    while len(found) < count:
        *_, game = play_at_random(rules, seed, empties)
        seed += 1
        if game.moves():
            found.append(game)
    return found


def search(engine, position, **limits):
    return engine.search(position, Limits(**limits), Control(), lambda info: None)


@pytest.fixture
def engine():
    found = GAME.engine()
    found.configure(Settings(hash_mib=1))
    return found


# ------------------------------------------------------------------------------------------------------------ rules


@pytest.mark.parametrize("text", ["", "rules=1890", "rules=1886", "rules=1886,start=parallel"])
def test_rules_are_written_as_they_are_read(text):
    assert str(Rules.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("rules=1891", "rules takes othello or 1886 or 1890"),
        ("chase=off", "unknown parameter 'chase=off'"),
        ("rules=1890,start=parallel", "start belongs to rules=1886"),
        ("start=parallel", "start belongs to rules=1886"),
        ("rules=1886,start=square", "start takes diagonal or parallel"),
        ("rules=1886,rules=1890", "rules is given twice"),
        ("rules", "rules takes"),
        (",", "unknown parameter ''"),
    ],
)
def test_rules_that_do_not_exist_are_refused_with_those_that_do(text, reason):
    with pytest.raises(RulesError, match=reason):
        GAME.start(text)


def test_the_usual_rules_are_those_of_othello_as_ever():
    assert type(GAME.start("rules=othello")) is type(GAME.start())
    assert GAME.start("rules=1886,start=diagonal").fen() == GAME.start().fen()


def test_the_players_of_1890_fill_the_centre_in_turn():
    position = GAME.start(NO_PASSES)
    assert position.legal_moves() == ("d4", "d5", "e4", "e5")
    with pytest.raises(MoveError, match="the first four discs go to d4 d5 e4 e5"):
        position.play("f5")
    position = position.play("d4").play("e4").play("d5")
    assert position.legal_moves() == ("e5",)
    assert position.facts("flips", ("e5",)) == ""
    position = position.play("e5")
    assert position.fen() == "-" * 27 + "XO------XO" + "-" * 27 + " X 30"
    assert position.legal_moves() == ("f3", "f4", "f5", "f6")
    assert position.facts("hand") == "30 30"


def test_who_has_no_disc_left_passes_however_many_squares_would_do():
    assert GAME.parse(f"{HERE_OR_THERE} X 1", NO_PASSES).legal_moves() == ("h1",)
    position = GAME.parse(f"{HERE_OR_THERE} X 0", NO_PASSES)
    assert (position.in_hand(Player.P1), position.in_hand(Player.P2)) == (0, 2)
    assert position.legal_moves() == ("pass",)
    assert position.play("pass").legal_moves() == ("h2",)
    with pytest.raises(MoveError, match="no disc is left in hand; legal: pass"):
        position.play("h1")


def test_a_game_ends_when_the_one_has_no_disc_and_the_other_no_move():
    assert GAME.parse(f"{HERE} X 1", NO_PASSES).legal_moves() == ("h1",)
    ended = GAME.parse(f"{HERE} X 0", NO_PASSES)
    assert ended.legal_moves() == ()
    assert ended.outcome("discs").margin == 60


@pytest.mark.parametrize("rules", [NO_PASSES, EARLY])
def test_a_game_that_ends_early_is_counted_in_1890_and_drawn_in_1886(rules):
    outcome = GAME.parse("XXXXX" + "-" * 59 + " O", rules).outcome()
    if rules == NO_PASSES:
        assert (outcome.winner, outcome.margin) == (Player.P1, 64)
    else:
        assert (outcome.winner, outcome.margin, outcome.reason) == (None, 0, "no_moves")


@pytest.mark.parametrize("hand", ["17", "33", "99", "123", "²"])
def test_a_hand_that_cannot_be_is_refused(hand):
    with pytest.raises(PositionError):
        GAME.parse("XXXXXXXX-OOOOOO" + "-" * 49 + f" X {hand}", NO_PASSES)


@pytest.mark.parametrize("rules", ["", EARLY])
def test_discs_in_hand_are_refused_where_the_rules_know_none(rules):
    with pytest.raises(PositionError, match="discs in hand are known under rules=1890 only"):
        GAME.parse(GAME.start().fen() + " 30", rules)


def test_a_hand_that_is_not_given_is_that_of_a_game_without_passes():
    start = GAME.start().fen()
    assert GAME.parse(start, NO_PASSES).fen() == start + " 30"
    assert GAME.parse(GAME.start().play("f5").fen(), NO_PASSES).fen().endswith(" O 29")


@pytest.mark.parametrize("rules", REFERENCES)
def test_random_games_are_those_of_the_reference(rules):
    for seed in SEEDS:
        for game in play_at_random(rules, seed):
            position = GAME.parse(game.text(), rules)
            assert position.fen() == game.text()
            assert list(position.legal_moves()) == game.moves()
            for move in game.moves():
                assert position.play(move).fen() == game.after(move).text()
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.margin == game.margin()


def test_hands_run_out_in_some_of_those_games():
    """Else the test above says nothing of the rule that matters."""
    short = [game for seed in SEEDS[-4:] for game in play_at_random(NO_PASSES, seed) if game.hands[game.turn] == 0]
    assert sum(Reversi(game.cells, game.turn).moves() not in ([], ["pass"]) for game in short) >= 4


# ------------------------------------------------------------------------------------------------------------ perft


@pytest.mark.parametrize(("rules", "depth"), [(NO_PASSES, 7), (EARLY, 4), (PARALLEL, 4)])
def test_leaves_from_the_start_are_as_many_as_the_reference_counts(rules, depth):
    counts = [REFERENCES[rules]().perft(plies) for plies in range(depth + 1)]
    assert [GAME.perft(None, plies, rules) for plies in range(depth + 1)] == counts
    assert sum(leaves for _, leaves in GAME.perft_divide(None, depth, rules)) == counts[-1]


def test_leaves_where_hands_run_out_are_as_many_as_the_reference_counts():
    for game in late(NO_PASSES, 5, 30):
        text = game.text()
        assert [GAME.perft(text, depth, NO_PASSES) for depth in range(7)] == [game.perft(depth) for depth in range(7)]


# ----------------------------------------------------------------------------------------------------------- search


@pytest.mark.parametrize("rules", REFERENCES)
def test_the_solver_finds_what_plain_alpha_beta_finds(rules, engine):
    for game in late(rules, 7, 20):
        (info,) = search(engine, GAME.parse(game.text(), rules), solve=Solve.SCORE).infos
        assert info.proven
        assert info.score_cp == 100 * game.value(), game.text()


def test_the_solver_is_right_when_fewest_discs_win(engine):
    engine.configure(Settings(hash_mib=1, objective="fewest"))
    for game in late(NO_PASSES, 4, 10):
        position = GAME.parse(game.text(), NO_PASSES)

        def worst(found, lower=-99):
            moves = found.moves()
            if not moves:
                return -(found.margin() if found.turn == "X" else -found.margin())
            return max(-worst(found.after(move)) for move in moves)

        assert search(engine, position).infos[0].score_cp == 100 * worst(game)


def test_one_engine_solves_a_position_by_every_rule_in_turn(engine):
    """No result of one set of rules is believed under another."""
    for game in late(NO_PASSES, 6, 5):
        board = game.text().rsplit(" ", 1)[0]
        for hands in (game.hands, {"X": 3, "O": 3}):
            found = Reversi(game.cells, game.turn, hands)
            assert search(engine, GAME.parse(found.text(), NO_PASSES)).infos[0].score_cp == 100 * found.value()
        drawn = Reversi(game.cells, game.turn)
        assert search(engine, GAME.parse(board, EARLY)).infos[0].score_cp == 100 * drawn.value()


@pytest.mark.parametrize("rules", REFERENCES)
def test_no_search_plays_or_expects_an_illegal_move(rules, engine):
    engine.configure(Settings(hash_mib=1, multipv=3))
    for seed in range(2):
        dice, position = random.Random(seed), GAME.start(rules)
        while moves := position.legal_moves():
            result = search(engine, position, nodes=dice.choice((1, 50, 3000)))
            for info in result.infos:
                found = position
                for move in info.pv:
                    assert move in found.legal_moves()
                    found = found.play(move)
            assert result.move in moves
            position = position.play(dice.choice((result.move, dice.choice(moves))))


@pytest.mark.parametrize(("rules", "score"), [(EARLY, 0), (NO_PASSES, -6400)])
def test_the_loss_of_all_discs_is_a_draw_in_1886_to_shallow_searches_too(rules, score, engine):
    """White has to pass, and Black's only move, a1, turns twelve discs."""
    position = GAME.parse("-OOOOOOX" + "O------X" * 6 + "X------X O", rules)
    assert search(engine, position, depth=1).infos[0].score_cp == score
    assert engine._crew.search(position, -100, -99, 1) == score  # in a null window there is a short cut


@pytest.mark.parametrize("empties", [2, 4, 7, 10])
def test_no_line_is_illegal_where_it_is_as_long_as_a_hand(empties, engine):
    engine.configure(Settings(hash_mib=1, multipv=4))
    for game in late(NO_PASSES, empties, 25):
        start = GAME.parse(game.text(), NO_PASSES)
        for depth in range(1, empties + 1):
            for info in search(engine, start, depth=depth).infos:
                position = start
                for move in info.pv:
                    assert move in position.legal_moves()
                    position = position.play(move)


def test_the_centre_is_filled_by_what_comes_after(engine):
    """Beside Black's first disc White leaves Black the choice; opposite it, parallel starts alone are left."""
    position = GAME.start(NO_PASSES)
    result = search(engine, position, depth=9)
    assert result.infos[0].depth == 9
    assert set(result.infos[0].pv[:4]) == {"d4", "d5", "e4", "e5"}
    chosen = search(engine, position, depth=9, moves=("e5",))
    assert chosen.move == "e5"
    assert search(engine, position.play("d4"), nodes=1).move in position.play("d4").legal_moves()


def test_a_player_below_full_strength_plays_old_reversi_too(engine):
    engine.configure(Settings(hash_mib=1, skill_level=0, seed=4))
    position = GAME.start(NO_PASSES)
    while moves := position.legal_moves():
        move = search(engine, position, depth=4).move
        assert move in moves
        position = position.play(move)


def test_the_evaluation_of_an_unfilled_centre_is_nothing_and_harms_nothing(engine):
    assert engine.evaluate(GAME.start(NO_PASSES))[0] == 0
    assert isinstance(engine.evaluate(GAME.parse(f"{HERE} X 0", NO_PASSES))[0], int)
