"""Positions, moves and rule parameters as text; what is refused, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.banqi import GAME, Rules
from fanqi.banqi.board import SQUARE_NAMES
from fanqi.banqi.notation import Move, format_setup, parse_move, parse_setup
from fanqi.game import GameError, MoveError, Player, PositionError, RulesError

START = "XXXX/XXXX/XXXX/XXXX/XXXX/XXXX/XXXX/XXXX KGGMMRRNNCCPPPPPkggmmrrnnccppppp ?0 0 -"
CHASE = "..../.n../..../.R../..../..../..../...K - r 11 r:b5>b7=5"


def test_positions_survive_the_way_to_text_and_back(setups):
    for fen in setups[:1000]:
        setup = parse_setup(fen, Rules())
        again = parse_setup(format_setup(setup), Rules())
        assert again.codes == setup.codes and again.counters == setup.counters
        assert sorted(again.hidden) == sorted(setup.hidden)
        position = GAME.parse(fen)
        assert GAME.parse(position.fen()) == position


@given(st.sampled_from(range(32)), st.sampled_from(range(32)), st.sampled_from("KGMRNCPkgmrncp"))
def test_moves_survive_the_way_to_text_and_back(origin, target, letter):
    move = Move(origin, target)
    assert parse_move(str(move)) == move
    flip = parse_move(f"{SQUARE_NAMES[origin]}={letter}")
    assert flip.is_flip and parse_move(str(flip)) == flip


@given(st.text(max_size=12))
def test_any_text_is_a_move_or_a_clear_error(text):
    try:
        assert parse_move(str(parse_move(text))) == parse_move(text)
    except MoveError as error:
        assert error.text == text


@given(st.text(alphabet="KkPpX.-/rb?0159 :>=,a", max_size=80))
def test_any_text_is_a_position_or_a_clear_error(text):
    for attempt in (text, f"{START.split()[0]} {text}", f"..../..../..../..../..../..../..../Kp.. - {text}"):
        try:
            GAME.parse(attempt)
        except PositionError as error:
            assert error.text == attempt


@pytest.mark.parametrize("text", ["b8=P", "b8b8=P", "b8(P)", "B8=P"])
def test_a_flip_is_read_in_each_notation(text):
    assert GAME.start().canonical(text) == "b8=P"
    assert GAME.start().play(text) == GAME.start().play("b8=P")


@pytest.mark.parametrize("text", ["b8", "b8?", "b8b8"])
def test_a_flip_without_outcome_is_a_choice_but_not_a_move(text):
    start = GAME.start()
    assert start.canonical(text) == "b8"
    assert start.needs_reveal(start.canonical(text))
    with pytest.raises(MoveError, match="needs its outcome"):
        start.play(text)


@pytest.mark.parametrize("text", ["b5a5", "b5-a5", "B5A5", "b5xa5"])
def test_a_step_is_read_in_each_notation(text):
    position = GAME.parse(CHASE)
    assert position.canonical(text) == "b5a5"
    assert not position.needs_reveal("b5a5")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a banqi move"),
        ("e2e4", "not a banqi move"),
        ("b8=", "not a banqi move"),
        ("b8=PP", "not a banqi move"),
        ("b8=X", "no piece"),
        ("b8=Q", "no piece"),
        ("b5b6=P", "no outcome"),
        ("b5-b5", "two different squares"),
        ("b5b6", "one chase too many"),
        ("b5", "not covered"),
        ("a1a2", "a1 is empty"),
        ("b7b8", "not a piece of the side to move"),
        ("b5b8", "cannot go from b5 to an empty square"),
    ],
)
def test_moves_are_refused_with_the_reason(text, why):
    with pytest.raises(MoveError, match=why) as caught:
        GAME.parse(CHASE).play(text)
    assert caught.value.text == text


def test_an_outcome_that_is_not_covered_any_more_is_refused():
    position = GAME.start().play("a1=K")
    with pytest.raises(MoveError, match="no K is covered any more"):
        position.play("b1=K")


def test_no_move_is_taken_after_the_end():
    position = GAME.parse("..../..../..../..../..../..../..../.K.. - b 0 -")
    with pytest.raises(MoveError, match=r"over \(extinct\)"):
        position.play("b1a1")


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("", "expected 5 fields"),
        (START + " 7", "expected 5 fields"),
        ("XXXX " + START.split(" ", 1)[1], "board field: expected 8 ranks"),
        ("XXX/" + START.split("/", 1)[1], "board field: rank 8"),
        ("XXXQ/" + START.split("/", 1)[1], "board field: 'Q'"),
        (START.replace("KGG", "KKG"), "2 K, but a set has 1"),
        (START.replace("KGG", "GG"), "31 pieces for 32 covered"),
        (START.replace("KGG", "xGG"), "hidden field: 'x'"),
        (START.replace("KGG", "XGG"), "hidden field: 'X'"),
        (START.replace("?0", "w"), "turn field 'w'"),
        (START.replace("0 -", "61 -"), "np field '61'"),
        (START.replace("0 -", "-1 -"), "np field '-1'"),
        ("..../..../..../..../..../..../..../K... P r 0 -", "1 pieces for 0 covered"),
        ("..../..../..../..../..../..../KK../kk.. - r 0 -", "2 K, but a set has 1"),
        ("..../..../..../..../..../..../..../..../ - r 0 -", "expected 8 ranks"),
        ("..../..../..../..../..../..../..../.... - r 0 -", "no piece at all"),
        ("..../..../..../..../..../..../..../Kk.. - ?0 0 -", "face up"),
        ("..../..../..../..../..../..../..../X... K ?0 0 -", "nobody has a colour yet"),
        (CHASE.replace("b7=5", "a1=5"), "no black target on a1"),
        (CHASE.replace("b5>", "a1>"), "no red chaser on a1"),
        (CHASE.replace("r:", "b:"), "no black chaser on b5"),
        (CHASE.replace("=5", "=6"), "a count from 1 to 5"),
        (CHASE.replace("=5", "=0"), "a count from 1 to 5"),
        (CHASE.replace("=5", "=5,r:b5>b7=4"), "second count of one pair"),
        (CHASE.replace("=5", ""), "not like"),
    ],
)
def test_positions_that_cannot_be_are_refused_with_the_field(fen, why):
    with pytest.raises(PositionError, match=why) as caught:
        GAME.parse(fen)
    assert caught.value.text == fen


def test_positions_that_merely_cannot_be_reached_are_accepted():
    for fen in (
        START.replace("?0", "r"),
        START.replace("?0", "?1"),
        "..../..../..../..../..../..../..../X..X kP ?0 0 -",
        "..../..../..../..../..../..../..../Kp.. - r 60 -",
        "n..g/..../..../.R../..../..../..../...K - r 11 r:b5>a8=5,r:d1>d8=3",
    ):
        assert GAME.parse(GAME.parse(fen).fen()) == GAME.parse(fen)


def test_the_hidden_field_is_a_multiset_in_any_order():
    fen = "X..X/..X./..../.R../..../..../..../...K {} r 11 -"
    assert len({GAME.parse(fen.format(order)) for order in ("Ppk", "kPp", "pkP")}) == 1
    assert GAME.parse(fen.format("pkP")).fen().split()[1] == "Pkp"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("", Rules()),
        (" ", Rules()),
        ("chase=on", Rules()),
        ("chase=off,noprogress=40", Rules(chase=0, no_progress=40)),
        ("noprogress=100, repetition=3", Rules(no_progress=100, repetition=3)),
        ("chase=7,repetition=off", Rules(chase=7)),
    ],
)
def test_rule_parameters_are_read_and_written_back(text, rules):
    assert Rules.parse(text) == rules
    assert Rules.parse(str(rules)) == rules


@pytest.mark.parametrize(
    "text",
    [
        "chase",
        "chase=",
        "chase=0",
        "chase=31",
        "chase=-1",
        "chase=²",
        "noprogress=off",
        "noprogress=0",
        "noprogress=1000",
        "repetition=2",
        "repetition=on",
        "speed=3",
        "chase=on,chase=off",
        ",",
        "chase=on,",
    ],
)
def test_bad_rule_parameters_are_refused(text):
    with pytest.raises(RulesError) as caught:
        GAME.start(text)
    assert caught.value.text == text


def test_a_bad_value_of_a_rule_is_named_once():
    with pytest.raises(RulesError) as caught:
        GAME.start("chase=maybe")
    assert str(caught.value) == "'chase=maybe': chase takes on, off or a number from 1 to 30"


def test_a_position_without_end_is_refused_in_one_line_of_ordinary_length():
    for fen in ("X" * 100_000, "X" * 100_000 + " - r 0 -", f"X.../{'x' * 9999}/{'..../' * 5}.... - r 0 -", "a " * 9999):
        with pytest.raises(PositionError) as caught:
            GAME.parse(fen)
        assert len(str(caught.value)) < 300


def test_the_first_mover_gets_the_colour_he_flips():
    red, black = GAME.start().play("a1=P"), GAME.start().play("a1=p")
    assert (red.colour(Player.P1), red.colour(Player.P2), red.turn) == (0, 1, Player.P2)
    assert (black.colour(Player.P1), black.colour(Player.P2), black.turn) == (1, 0, Player.P2)
    assert red.fen().split()[2] == "b" and black.fen().split()[2] == "r"


def test_the_side_to_move_of_a_position_is_p1():
    position = GAME.parse("..../..../..../..../..../..../..../Kr.. - b 7 -")
    assert position.turn is Player.P1
    assert position.play("b1xa1" if "b1a1" in position.legal_moves() else "b1c1").turn is Player.P2


def test_the_third_occurrence_is_a_draw_where_repetition_counts():
    shuttle = ["a8a7", "d1d2", "a7a8", "d2d1"]
    position = GAME.parse("K.../..../..../..../..../..../..../...p - r 0 -", "repetition=3")
    for move in shuttle + shuttle[:3]:
        position = position.play(move)
        assert position.outcome() is None
    position = position.play("d2d1")
    assert position.outcome().reason == "repetition"
    assert position.outcome().winner is None
    assert position.legal_moves() == ()


def test_the_stake_depends_on_what_the_loser_has_captured():
    men = "KGGMMRRNNCCPPPPP"
    for captured, points in [(0, 5), (5, 5), (6, 3), (12, 3), (13, 1), (15, 1)]:
        left = (men[: 16 - captured]).ljust(32, ".")
        fen = "/".join(left[i : i + 4] for i in range(0, 32, 4)) + " - b 0 -"
        outcome = GAME.parse(fen).outcome()
        assert (outcome.reason, outcome.winner, outcome.margin) == ("extinct", Player.P2, -points)


def test_the_picture_shows_what_a_player_may_know():
    position = GAME.parse("X.../.n../..../.R../..../..../..../...K p r 11 r:b5>b7=2")
    picture = position.picture()
    assert "7 | . n . . |" in picture and "    a b c d" in picture
    assert "to move: red (capitals), p1" in picture
    assert "covered: p (1)" in picture
    assert "captured from black: kggmmrrnccpppp (14)" in picture
    assert "quiet plies: 11 of 60" in picture
    assert "b5 after b7 2 of 5" in picture


def test_questions_about_a_position_are_answered():
    position = GAME.parse(CHASE)
    assert position.facts("banned") == "b5b6"
    assert position.facts("covered") == "-"
    assert position.facts("captured").startswith("GGMMR")
    assert position.facts("stake", ("p2",)) == "1"
    for what, arguments, message in (
        ("weather", (), "'weather': no such question; expected banned, captured, covered or stake"),
        ("flips", ("a1",), "'flips': no such question; expected banned, captured, covered or stake"),
        ("stake", (), "'': expected p1 or p2"),
        ("stake", ("p3",), "'p3': expected p1 or p2"),
        ("stake", ("p1", "p2"), "'p2': stake takes one player"),
        ("banned", ("b5",), "'b5': banned takes nothing"),
    ):
        with pytest.raises(GameError, match=message):
            position.facts(what, arguments)


def test_positions_are_not_changed_by_playing_on():
    start = GAME.start()
    before = start.fen()
    start.play("a1=K").play("a2=p")
    assert start.fen() == before and start.ply == 0
    with pytest.raises(ValueError, match="read-only"):
        start.state[0] = 1
