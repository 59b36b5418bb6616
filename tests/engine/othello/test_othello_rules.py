"""Positions by the rules: the worked examples, passes, the end, scoring, refusals."""

from __future__ import annotations

import pytest

from fanqi.game import GameError, MoveError, Player, PositionError, RulesError, load_game
from fanqi.othello import GAME, SCORINGS, Position, final_discs, final_margin
from fanqi.othello.notation import parse_board

pytestmark = pytest.mark.nojit

MUST_PASS = "---OXOOO--OOXXOXOOOOXOOXOOXXOXXXOOXOXXXXXXOXXXXXXXXOXXXOOOOOOXXX O"
"""White has no move; Black has."""


def other_side(fen: str) -> str:
    return fen[:-1] + ("O" if fen[-1] == "X" else "X")


def mirror(fen: str) -> str:
    """Left and right exchanged."""
    cells, side = fen.split()
    return "".join(cells[row : row + 8][::-1] for row in range(0, 64, 8)) + " " + side


def test_registry_finds_the_game():
    assert load_game("othello") is GAME


def test_worked_examples_of_the_rules(rule_vectors):
    assert len(rule_vectors) == 14
    for example in rule_vectors:
        fen = f"{example['board']} {example['side']}"
        position = GAME.parse(fen)
        assert list(position.legal_moves()) == example["legal"], example["id"]
        opponent = GAME.parse(other_side(fen)).legal_moves()
        assert list(opponent) == example["opponent_legal"], example["id"]
        if "move" in example:
            assert position.facts("flips", (example["move"],)).split() == example["flips"], example["id"]
            after = position.play(example["move"])
            assert after.fen().split()[0] == example["after"], example["id"]
            assert after.facts("discs") == f"{example['black_after']} {example['white_after']}", example["id"]


def test_start_position_is_the_documented_one():
    start = GAME.start()
    assert start.fen() == "---------------------------OX------XO--------------------------- X"
    assert (start.turn, start.ply, start.empties, start.outcome()) == (Player.P1, 0, 60, None)


def test_turns_alternate_and_plies_count():
    position = GAME.start().play("f5")
    assert (position.turn, position.ply) == (Player.P2, 1)
    assert position.play("d6").turn is Player.P1


def test_positions_are_values():
    start = GAME.start()
    after = start.play("f5")
    assert start == GAME.start() != after
    assert hash(start) == hash(GAME.parse(start.fen()))
    assert start != "start"
    assert Position.from_fen(after.fen()) == after
    assert repr(start) == f"Position.from_fen({start.fen()!r})"


def test_forced_pass_is_the_only_legal_move():
    position = GAME.parse(MUST_PASS)
    assert position.legal_moves() == ("pass",)
    passed = position.play("pass")
    assert (passed.turn, passed.ply, passed.black, passed.white) == (
        Player.P1,
        1,
        position.black,
        position.white,
    )
    assert passed.legal_moves() != ()


def test_omitted_pass_is_understood():
    position = GAME.parse(MUST_PASS)
    reply = position.play("pass").legal_moves()[0]
    assert position.play(reply) == position.play("pass").play(reply)
    assert position.play(reply).ply == 2
    assert position.canonical(reply.upper()) == reply
    assert position.expand(reply) == ("pass", reply)
    assert position.expand("PA") == ("pass",)
    assert GAME.start().expand("F5") == ("f5",)


def test_pass_with_a_legal_move_is_refused():
    with pytest.raises(MoveError, match="a pass is legal only when no square is; legal: c4 d3 e6 f5"):
        GAME.start().play("pass")


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("a1", "'a1': a1 turns no disc; legal: c4 d3 e6 f5"),
        ("D4", "'D4': d4 is taken; legal: c4 d3 e6 f5"),
        ("i9", "'i9': not a move"),
        ("", "'': not a move"),
        ("f5f5", "'f5f5': not a move"),
    ],
)
def test_bad_moves_are_named(move, reason):
    for method in (GAME.start().play, GAME.start().canonical, GAME.start().expand):
        with pytest.raises(MoveError, match=reason):
            method(move)


def test_nothing_can_be_played_after_the_end(rule_vectors):
    over = next(e for e in rule_vectors if e["id"] == "h1_empty_game_over")
    position = GAME.parse(f"{over['board']} X")
    assert position.legal_moves() == ()
    for move in ("h1", "pass"):
        with pytest.raises(MoveError, match="the game is over"):
            position.play(move)


def test_end_with_an_empty_square_by_every_convention(rule_vectors):
    over = next(e for e in rule_vectors if e["id"] == "b1_empty_game_over")
    position = GAME.parse(f"{over['board']} X")
    outcome = position.outcome()
    assert (outcome.winner, outcome.reason, outcome.margin) == (Player.P1, "discs", 6)
    assert {scoring: position.count_result(scoring).margin for scoring in SCORINGS} == {
        "winner-takes-empties": 6,
        "discs": 5,
        "split-empties": 5,
        "usoa": 5,
    }


@pytest.mark.parametrize(
    ("black", "white", "scores"),
    [
        (33, 31, dict.fromkeys(SCORINGS, (33, 31))),
        (
            56,
            7,
            {
                "winner-takes-empties": (57, 7),
                "discs": (56, 7),
                "split-empties": (56.5, 7.5),
                "usoa": (56, 7),
            },
        ),
        (
            20,
            0,
            {"winner-takes-empties": (64, 0), "discs": (20, 0), "split-empties": (42, 22), "usoa": (64, 0)},
        ),
        (
            0,
            13,
            {
                "winner-takes-empties": (0, 64),
                "discs": (0, 13),
                "split-empties": (25.5, 38.5),
                "usoa": (0, 64),
            },
        ),
        (
            30,
            30,
            {
                "winner-takes-empties": (32, 32),
                "discs": (30, 30),
                "split-empties": (32, 32),
                "usoa": (30, 30),
            },
        ),
        (
            0,
            0,
            {"winner-takes-empties": (32, 32), "discs": (0, 0), "split-empties": (32, 32), "usoa": (0, 0)},
        ),
    ],
)
def test_scoring_conventions(black, white, scores):
    for scoring, expected in scores.items():
        assert final_discs(black, white, scoring) == expected
        assert final_margin(black, white, scoring) == expected[0] - expected[1]


def test_unknown_scoring_is_refused():
    with pytest.raises(RulesError, match="'golf': no such scoring"):
        final_discs(33, 31, "golf")


def test_draw_has_no_winner():
    draw = GAME.parse("X" * 32 + "O" * 32 + " X").outcome()
    assert (draw.winner, draw.margin) == (None, 0)


def test_unreachable_positions_are_accepted():
    for fen in ("-" * 64 + " X", "X" * 64 + " O", "-" * 27 + "X" + "-" * 36 + " X"):
        assert GAME.parse(fen).outcome() is not None


def test_impossible_positions_are_refused():
    with pytest.raises(PositionError, match="'a1 b1': black and white on the same square"):
        Position(0b111, 0b011)
    with pytest.raises(PositionError, match="black does not fit in 64 bits"):
        Position(1 << 64, 0)
    with pytest.raises(PositionError, match="white does not fit"):
        Position(0, -1)


def test_rule_parameters_are_refused():
    for call in (GAME.start, lambda rules: GAME.parse(GAME.start().fen(), rules)):
        with pytest.raises(RulesError, match="'chase=off': unknown parameter"):
            call("chase=off")


def test_facts_name_what_is_wrong():
    start = GAME.start()
    assert start.facts("flips", ("F5",)) == "e5"
    for what, arguments, message in (
        ("flips", ("a1",), "'a1': not legal here; legal: c4 d3 e6 f5"),
        ("flips", ("pass",), "a pass turns no discs"),
        ("flips", (), "'': flips takes one square"),
        ("flips", ("f5", "d6"), "'d6': flips takes one square"),
        ("discs", ("f5",), "'f5': discs takes nothing"),
        ("weather", (), "'weather': no such question; expected flips or discs"),
        ("covered", ("f5",), "'covered': no such question; expected flips or discs"),
    ):
        with pytest.raises(GameError, match=message):
            start.facts(what, arguments)


def test_picture_shows_board_side_discs_and_legal_moves():
    assert GAME.start().play("f5").picture().splitlines() == [
        "  a b c d e f g h",
        "1 - - - - - - - - 1",
        "2 - - - - - - - - 2",
        "3 - - - - - - - - 3",
        "4 - - - O X + - - 4",
        "5 - - - X X X - - 5",
        "6 - - - + - + - - 6",
        "7 - - - - - - - - 7",
        "8 - - - - - - - - 8",
        "  a b c d e f g h",
        "White (O) to move: d6 f4 f6",
        "discs X 4 O 1, empty 59",
    ]
    assert "White (O) to move: pass" in GAME.parse(MUST_PASS).picture()
    assert "game over (Black (X) would be to move)" in GAME.parse("X" * 64 + " X").picture()


def test_mirrored_games_have_mirrored_moves(games):
    for position in games[0]:
        mirrored = GAME.parse(mirror(position.fen()))
        flipped = {"abcdefgh"[7 - "abcdefgh".index(m[0])] + m[1] if m != "pass" else m for m in mirrored.legal_moves()}
        assert flipped == set(position.legal_moves())


def test_random_games_end_by_the_rules(games, reference):
    for game in games[:20]:
        final = game[-1]
        assert final.outcome() is not None
        assert all(position.outcome() is None for position in game[:-1])
        assert final.outcome().margin == final_margin(final.black.bit_count(), final.white.bit_count())
        assert reference.legal_moves(final.black, final.white) == reference.legal_moves(final.white, final.black) == 0
        assert parse_board(final.fen()) == (final.black, final.white, final.turn)
