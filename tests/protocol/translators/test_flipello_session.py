"""Our session in Fairy-Stockfish's words, with Fairy-Stockfish itself (pyffish) as the referee."""

from __future__ import annotations

import os
import random

import pytest

try:
    import pyffish
except ImportError:
    if os.environ.get("CI") == "true":
        raise
    pyffish = None

needs_pyffish = pytest.mark.skipif(pyffish is None, reason="pyffish is not installed")
WITH_PASS = (
    "P@e3 P@f3 P@g3 P@d3 P@c3 P@g2 P@f5 P@g4 P@c5 P@e6 P@e7 P@c2 P@g5 P@d7 P@g1 P@h1 P@d2 P@g6 P@g7 P@c4 "
    "P@b2 P@h3 P@c7 P@h7 P@c6 P@h5 P@b3 P@g8 P@f7 P@f1"
)
WIPE_OUT = "P@e3 P@f5 P@e6 P@f3 P@g4 P@d3 P@e2 P@f4 P@c4"


def asked(talk, *lines):
    """What is answered to these lines, by way of isready."""
    talk.say(*lines, "isready")
    return talk.until("readyok")[:-1]


def searched(talk, position, go="go depth 1"):
    """The answers of a search, without remarks about waiting."""
    talk.say(f"position {position}", go)
    return [line for line in talk.until("bestmove") if not line.startswith("info string")]


@pytest.fixture
def talk(host):
    found = host("uci")
    asked(found, "setoption name UCI_Variant value flipello")
    return found


def test_the_handshake_lists_the_variant_for_hosts_that_look_for_it(host):
    found = host("uci")
    found.say("uci")
    assert any(line.startswith("option name UCI_Variant") and "var flipello" in line for line in found.until("uciok"))


def test_squares_are_mirrored_and_passes_are_the_lowest_own_square_twice(talk):
    assert searched(talk, "startpos moves")[-1] == "bestmove P@c5"
    assert searched(talk, f"startpos moves {WITH_PASS}")[-1] == "bestmove b2b2"
    assert searched(talk, f"startpos moves {WITH_PASS} b2b2")[-1] == "bestmove P@a3"


def test_the_picture_has_fairy_stockfishs_squares_and_signs(talk):
    said = asked(talk, "position startpos moves P@f4 P@d3", "d")
    assert said[:-1] == [
        "  a b c d e f g h",
        "8 - - - - - - - - 8",
        "7 - - - - - - - - 7",
        "6 - - + - - - - - 6",
        "5 - - + p P - - - 5",
        "4 - - + p P P - - 4",
        "3 - - + p - - - - 3",
        "2 - - + - - - - - 2",
        "1 - - - - - - - - 1",
        "  a b c d e f g h",
        "White (P) to move: P@c6 P@c5 P@c4 P@c3 P@c2",
        "discs P 3 p 3, empty 58",
    ]
    assert said[-1].startswith("fen 8/8/8/3pP3/3pPP2/3p4/8/8[")


def test_the_picture_names_a_forced_pass_and_the_end(talk):
    assert "White (P) to move: b2b2" in asked(talk, f"position startpos moves {WITH_PASS}", "d")
    assert "game over (Black (p) would be to move)" in asked(talk, f"position startpos moves {WIPE_OUT}", "d")


def test_questions_and_refusals_are_about_fairy_stockfishs_squares(talk):
    assert asked(talk, "position startpos moves P@f4", "query flips P@f3") == ["response e4"]
    assert asked(talk, "query discs") == ["response 4 1"]
    error = "info string error: not a move; expected one like P@f4, or a square twice for a pass"
    legal = "legal: P@d3 P@f5 P@f3"
    assert asked(talk, "query flips f3") == [f"{error} at token 3: f3"]
    assert asked(talk, "go searchmoves f3") == [f"{error} at token 3: f3"]
    assert asked(talk, "query flips P@a1") == [f"info string error: not legal here; {legal} at token 3: P@a1"]
    assert asked(talk, "go depth 1 searchmoves P@f3 P@a1") == [
        f"info string error: P@a1 turns no disc; {legal} at token 6: P@a1"
    ]
    assert asked(talk, "position startpos moves P@f4 P@f4") == [
        f"info string error: P@f4 is taken; {legal} at token 5: P@f4"
    ]


def test_a_move_that_ends_the_game_is_scored_as_hosts_expect(talk):
    infos = searched(talk, f"startpos moves {WIPE_OUT.rpartition(' ')[0]}", "go depth 1 searchmoves P@c4")
    assert "score mate 1" in infos[0]
    assert infos[0].endswith(" pv P@c4")


def test_finished_games_are_told_as_hosts_expect(talk):
    assert searched(talk, f"startpos moves {WIPE_OUT}") == ["info depth 0 score mate 0", "bestmove (none)"]
    drawn = "PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/pppppppp/pppppppp/pppppppp/pppppppp[Pp]"
    assert searched(talk, f"fen {drawn} w 0 1") == ["info depth 0 score cp 0", "bestmove (none)"]
    won = drawn.replace("/pppp", "/Pppp", 1)
    assert searched(talk, f"fen {won} w 0 1") == ["info depth 0 score mate 1 pv (none)", "bestmove (none)"]


def test_the_clock_of_the_first_mover_is_white(talk):
    assert asked(talk, "position startpos", "go btime 1000") == [
        "info string error: the clock of the side to move is missing at token 4: (end of line)"
    ]
    assert searched(talk, "startpos", "go wtime 1000 btime 1 winc 5 binc 5")[-1] == "bestmove P@c5"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("position startpos moves P@f4 P@f4", "P@f4 is taken; legal: P@d3 P@f5 P@f3 at token 5: P@f4"),
        ("position startpos moves f4", "at token 4: f4"),
        (
            "position fen 8/8/8/3pP3/3Pp3/8/8/8[] w 0 1 moves P@f4 P@f4",
            "P@f4 is taken; legal: P@d3 P@f5 P@f3 at token 9: P@f4",
        ),
        ("position fen 8/8/8/3pP3/3Pp3/8/8[] w 0 1", "7 ranks; expected 8 at token 3"),
    ],
)
def test_errors_name_the_words_of_the_host(talk, command, error):
    (line,) = asked(talk, command)
    assert line.startswith("info string error: ")
    assert error in line


def test_ponder_moves_are_written_so_too(talk):
    asked(talk, "setoption name Ponder value true")
    assert searched(talk, "startpos")[-1] == "bestmove P@c5 ponder P@c6"


@needs_pyffish
@pytest.mark.parametrize("seed", range(12))
def test_fairy_stockfish_agrees_with_every_position_of_random_games(talk, seed):
    dice = random.Random(seed)
    start, moves = pyffish.start_fen("flipello"), []
    while legal := pyffish.legal_moves("flipello", start, moves):
        line = " ".join(("position startpos moves", *moves))
        told, fen = asked(talk, line, "query legal", "query fen")
        assert sorted(told.split()[1:]) == sorted(legal)
        theirs = pyffish.get_fen("flipello", start, moves)
        assert fen.split()[1].partition("[")[0] == theirs.partition("[")[0]
        assert fen.split()[2] == theirs.split()[1]
        moves.append(dice.choice(legal))
    over, result = asked(talk, f"position startpos moves {' '.join(moves)}", "query gameover", "query result")
    value = pyffish.game_result("flipello", start, moves) if hasattr(pyffish, "game_result") else None
    white = pyffish.get_fen("flipello", start, moves).partition("[")[0]
    discs = white.count("P") - white.count("p")
    assert over == "response true"
    assert result == f"response {'draw' if discs == 0 else 'p1win' if discs > 0 else 'p2win'}"
    assert value is None or (value == 0) == (discs == 0)


@needs_pyffish
@pytest.mark.parametrize("seed", range(5))
def test_fairy_stockfish_takes_our_positions(talk, seed):
    dice = random.Random(100 + seed)
    start, moves = pyffish.start_fen("flipello"), []
    for _ in range(dice.randrange(5, 50)):
        legal = pyffish.legal_moves("flipello", start, moves)
        if not legal:
            break
        moves.append(dice.choice(legal))
    told, fen = asked(talk, f"position startpos moves {' '.join(moves)}", "query legal", "query fen")
    ours = fen.removeprefix("response ")
    assert pyffish.validate_fen(ours, "flipello") == 1
    assert sorted(pyffish.legal_moves("flipello", ours, [])) == sorted(told.split()[1:])
