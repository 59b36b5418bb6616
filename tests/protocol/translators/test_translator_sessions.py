"""What happens in the middle of things: searches that are interrupted, games that go on, hosts that leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from fanqi.records import parse_tcga
from fanqi.uci import Go

TCGA = Path(__file__).parents[2] / "data" / "tcga"
BANQI = Path(__file__).parents[2] / "data" / "banqi"


# ------------------------------------------------------------------------------------------------------ NBoard


def test_nboard_ping_ends_a_search_in_the_middle_and_is_answered_after_it(host):
    talk = host("nboard", think=Go(infinite=True))
    talk.say("hint 3")
    talk.until("nodestats")
    talk.say("ping 2")
    assert talk.until("pong 2")[-1] == "pong 2"
    assert talk.silent()  # no answer of the search that was given up


def test_nboard_learns_the_game_with_what_was_said_of_its_moves(host):
    talk = host("nboard")
    talk.say("set game (;GM[Othello]PB[a]PW[b]B[F5/1.5/2]W[D6];)", "move C3/-1.00/0.30", "learn")
    talk.until("learned")
    (record,) = talk.learned
    assert [(move.move, move.evaluation, move.seconds) for move in record.moves] == [
        ("f5", 1.5, 2.0),
        ("d6", None, None),
        ("c3", -1.0, 0.3),
    ]
    assert record.players == ("a", "b")


def test_nboard_position_changes_end_a_hint_without_a_word(host):
    talk = host("nboard", think=Go(infinite=True))
    talk.say("hint 1")
    talk.until("nodestats")
    talk.say("move f5", "set depth 2", "go")
    assert talk.until("===")[-1].startswith("=== D6/")


def test_nboard_solves_when_the_end_is_near_and_says_so(host):
    talk = host("nboard")
    three_empty = "*" * 56 + "-O*-OO*-"
    talk.say("set depth 1", f"set game (;GM[Othello]BO[8 {three_empty} *];)", "hint 1")
    assert talk.until("search")[-1].endswith(" 0.99 0 1")
    talk.say("ping 1", "set depth 2", "hint 1")
    talk.until("pong 1")
    assert talk.until("search")[-1].endswith(" 2.99 0 100%")


def test_nboard_answers_a_ping_before_what_was_asked_after_it(host):
    talk = host("nboard", think=Go(infinite=True))
    talk.say("hint 1")
    talk.until("nodestats")
    talk.say("ping 7", "hint 1")  # the second hint does not end either
    assert talk.until("pong 7")[-1] == "pong 7"
    assert talk.until("nodestats")
    talk.say("ping 8")
    assert talk.until("pong 8")[-1] == "pong 8"


# ------------------------------------------------------------------------------------------------------- GTP


def test_gtp_commands_wait_for_the_search_before_them(host):
    talk = host("gtp")
    talk.say("1 genmove b", "2 genmove b", "3 name")
    heard = [line for line in talk.until("=3") if line]
    assert heard == ["=1 C4", "?2 wrong color: white is to move", "=3 Fanqi"]


def test_gtp_end_of_input_waits_for_what_was_asked(host):
    talk = host("gtp")
    talk.say("genmove b", "showboard")
    talk.translator.finish()
    assert any("White (O) to move" in line for line in talk.rest())


def test_gtp_interrupt_ends_a_search(host):
    talk = host("gtp", think=Go(infinite=True))
    talk.say("genmove b")
    while talk.translator.engine.searching is None:
        pass
    talk.say("# interrupt")
    assert talk.until("=") == ["= C4"]


def test_gtp_a_clock_becomes_the_limit_of_the_search(host):
    talk = host("gtp")
    asked = []
    go = talk.translator.engine.go

    def note_and_go(start, moves, limits, purpose):
        asked.append((limits.clock, limits.movestogo))
        go(start, moves, limits, purpose)

    talk.translator.engine.go = note_and_go
    talk.say("time_settings 0 10 5", "genmove b", "time_left w 3 0", "genmove w", "quit")
    talk.rest()
    assert asked == [((("p1time", 10000),), 5), ((("p2time", 5000),), None)]


def test_gtp_a_bug_is_told_and_the_next_command_is_answered(host):
    talk = host("gtp", {"game.sgf": None})
    talk.say("1 loadsgf game.sgf", "2 name")
    assert talk.hear().startswith("?1 failed inside: ")
    assert talk.until("=2")[-1] == "=2 Fanqi"
    assert [type(fault) for fault in talk.faults] == [TypeError]
    talk.faults.clear()


# ---------------------------------------------------------------------------------------------------- XBoard


def xboard(host, *lines):
    talk = host("xboard")
    talk.say("xboard", "protover 2", "new", *lines)
    talk.until("feature")
    return talk


def test_xboard_answers_pings_in_order_when_a_search_is_given_up(host):
    talk = host("xboard", think=Go(infinite=True))
    talk.say("go", "ping 1", "ping 2", "analyze", "ping 3", "exit", "ping 4")
    heard = talk.until("pong 4")
    assert [line for line in heard if line.startswith("pong")] == ["pong 1", "pong 2", "pong 3", "pong 4"]


def test_xboard_tells_people_when_they_must_pass_and_goes_on_after_it(host):
    talk = xboard(host, "force", "setboard Pp6/8/8/8/8/8/8/Pp6 w - - 0 1", "go")
    assert talk.until("telluser")[-2:] == [
        "move P@c1",
        "telluser You have no legal move and must pass: type @@@@",
    ]
    talk.say("usermove @@@@")
    assert talk.until("1-0")[-2:] == ["move P@c8", "1-0 {White wins 6-0}"]


def test_xboard_a_pass_that_people_leave_out_is_understood(host):
    talk = xboard(host, "force", "setboard Pp6/8/8/8/8/8/8/Pp6 w - - 0 1", "usermove P@c1", "usermove P@c8")
    heard = [line for line in talk.until("1-0") if not line.startswith("feature")]  # which may come late
    assert heard == ["1-0 {White wins 6-0}"]


def test_xboard_ping_during_thinking_is_answered_after_the_move(host):
    talk = xboard(host, "force", "sd 3")
    talk.say("go", "ping 9")
    heard = talk.until("pong 9")
    assert heard[-2:] == ["move P@c4", "pong 9"]


def test_xboard_force_during_analysis_ends_it(host):
    talk = xboard(host, "analyze")
    talk.until("1 99")
    talk.say("exit", "ping 3")
    assert talk.until("pong")[-1] == "pong 3"
    assert talk.silent()


def test_xboard_ponders_and_uses_it_when_the_expected_move_comes(host):
    talk = xboard(host, "hard", "post", "force", "st 1", "go")
    assert talk.until("1 99 0 7 (P@c3)")[-2] == "move P@c4"
    talk.say("usermove P@c3")
    assert talk.until("move ")[-1] == "move P@c2"


def test_xboard_gives_pondering_up_when_another_move_comes(host):
    talk = xboard(host, "hard", "force", "st 1", "go")
    talk.until("move ")
    talk.say("usermove P@e3")
    assert talk.until("move ")[-1].startswith("move P@")
    talk.say("easy", "ping 1")
    assert talk.until("pong 1")[-1] == "pong 1"


# ------------------------------------------------------------------------------------------------------ TCGA

WIRES = sorted(TCGA.glob("*.wire.txt"))


@pytest.mark.parametrize("path", WIRES, ids=lambda path: path.stem.partition(".")[0])
def test_tcga_real_games_replay_on_the_engine_side(path, host):
    talk = host("tcga")
    own = {"1": "=1 Fanqi", "2": "=2 0.1.0"}
    for line in path.read_text(encoding="utf-8").splitlines():
        side, _, text = line.partition(" ")
        if side == "H:":
            talk.say(text)
            asked = text.split()[0]
        elif asked == "12":  # the move the engine made then; ours may choose another one
            assert talk.hear().startswith("=12 ")
        else:
            assert talk.hear() == own.get(asked, text)
    name = path.name.replace("wire", "record")
    record = parse_tcga(next(folder / name for folder in (TCGA, BANQI) if (folder / name).exists()).read_text("utf-8"))
    followed = talk.translator._moves
    assert followed == [move.move for move in record.moves][: len(followed)]
    assert len(followed) >= len(record.moves) - 1


def test_tcga_goes_on_where_the_rules_it_was_told_have_ended_the_game(host):
    talk = host("tcga")
    bare = " ".join(["-"] * 27)
    talk.say(f"18 init_board k - - - {bare} R {' '.join('0' * 14)}", "9 num_moves_to_draw 2")
    talk.say("10 move a8 a7", "10 move d1 d2", "12 genmove black", "10 move a7 a8", "5 quit")
    assert talk.rest() == ["=18", "=9", "=10", "=10", "=12 a7 a6", "=10", "=5"]


def test_tcga_rules_of_the_host_reach_the_search(host):
    talk = host("tcga")
    sent = []
    option = talk.translator.engine.option
    talk.translator.engine.option = lambda name, value: (sent.append((name, value)), option(name, value))
    talk.say("12 genmove unknown", "8 num_repetition 0", "9 num_moves_to_draw 40", "12 genmove unknown", "5 quit")
    talk.rest()
    assert sent == [("Rules", "chase=off,repetition=3"), ("Rules", "chase=off,noprogress=40")]


# ------------------------------------------------------------------------------------------------------ Cassio


@pytest.mark.parametrize(
    ("asked", "obeyed"),
    [(0, 73), (72, 73), (79, 73), (80, 87), (83, 87), (91, 95), (96, 95), (97, 98), (99, 99), (100, 100), (130, 100)],
)
def test_cassio_is_searched_for_at_the_certainty_nearest_to_its_precision(host, asked, obeyed):
    talk = host("cassio")
    talk.say("ENGINE-PROTOCOL init")
    talk.until("ready.")
    start = "---------------------------OX------XO---------------------------X"
    late = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--X"
    for question in (f"midgame-search {start} -64 64 9 {asked}", f"endgame-search {late} -64 64 {asked}"):
        talk.say(f"ENGINE-PROTOCOL {question}")
        result, _ = talk.until("ready.")
        assert f"@{obeyed}%" in result


# ----------------------------------------------------------------------------------------------- every dialect


@pytest.mark.parametrize("dialect", ["nboard", "gtp", "xboard", "cassio", "tcga"])
def test_the_end_of_the_input_ends_every_translator(dialect, host):
    talk = host(dialect)
    talk.translator.finish()
    assert talk.rest() == []


@pytest.mark.parametrize("dialect", ["nboard", "gtp", "xboard", "cassio", "tcga"])
def test_a_host_that_is_gone_is_not_spoken_to(dialect, host):
    talk = host(dialect)
    talk.translator.abandon()
    talk.say("name", "ping 1", "ENGINE-PROTOCOL init", "1 name")
    assert talk.silent()


def test_xboard_tells_of_a_pass_by_the_board_as_it_sees_it_without_turned_discs(host):
    talk = xboard(host, "variant flipello", "force", "setboard 8/8/8/8/8/8/8/Pp6[] w 0 1")
    talk.until("piece")
    talk.say("setboard Pp6/8/8/8/8/8/8/Pp6[] w 0 1", "usermove P@c1", "ping 1")
    talk.until("pong 1")
    # b1 has been turned, but XBoard still shows it black; Black has no move
    talk.say("setboard Pp6/8/8/8/8/8/8/PpP5[] w 0 2", "usermove P@c8")
    heard = [line for line in talk.until("1-0") if not line.startswith("feature")]  # which may come late
    assert heard == ["1-0 {White wins 6-0}"]


def test_xboard_does_not_bother_another_computer_with_advice(host):
    talk = xboard(host, "computer", "force", "setboard Pp6/8/8/8/8/8/8/Pp6 w - - 0 1", "go", "ping 1")
    assert talk.until("pong 1")[-2:] == ["move P@c1", "pong 1"]


# ------------------------------------------------------------------------------ more memory than there is

SHORTAGE = "there is no memory for a hash table of 64 MiB, 10 MiB are free; it has 8 MiB now"


def test_xboard_is_told_at_once_of_memory_that_cannot_be_had_and_the_engine_plays(host):
    talk = xboard(host)
    talk.say("memory 5000000")
    shortage = "there is no memory for a hash table of 65536 MiB, 64 MiB are free; it has 64 MiB now"
    assert talk.until("tellusererror")[-1] == f"tellusererror {shortage}"
    talk.say("go", "ping 1")
    assert [line for line in talk.until("pong") if not line.startswith("feature")] == ["move P@c4", "pong 1"]


def test_nboard_shows_memory_that_cannot_be_had_in_its_status_line(host):
    talk = host("nboard", memory_mib=10)
    talk.say("nboard 2", "ping 1")
    heard = talk.until("pong 1")
    assert [line for line in heard if line.startswith("status")][-1] == f"status error: {SHORTAGE}"
    talk.say("go")
    talk.until("===")


@pytest.mark.parametrize(
    ("dialect", "lines"),
    [
        ("gtp", ["clear_board", "genmove b"]),
        ("cassio", ["ENGINE-PROTOCOL init"]),
        ("tcga", ["14 ready"]),
    ],
)
def test_dialects_without_a_word_for_it_have_it_said_where_people_look(dialect, lines, host):
    talk = host(dialect, memory_mib=10)
    talk.say(*lines)
    assert talk.warnings.get(timeout=60) == SHORTAGE
    assert talk.hear()[0] in "=r"
