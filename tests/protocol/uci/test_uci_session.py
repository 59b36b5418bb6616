"""What a session says to what it is told, state by state."""

from __future__ import annotations

import re

import pytest

from fanqi.game import FEATURES, Player
from fanqi.search import Clock, Info, Limits, Solve
from fanqi.uci import HashBudget, LongLine, SearchPool, SessionConfig, option_table

INFO = "info depth 1 seldepth 0 multipv 1 score cp 0 nodes 10 nps 10000 hashfull 0 time 1 pv 1"


# --- handshake and small talk -------------------------------------------------------------------------------------


def test_uci_lists_every_option_and_ends_with_uciok(dialogue):
    said = dialogue.say("uci")
    assert said[0].startswith("id name Fanqi ")
    assert said[1].startswith("id author ")
    assert [line.partition(" type")[0] for line in said[2:-1]] == [
        f"option name {option.name}" for option in option_table().options
    ]
    assert said[-1] == "uciok"


def test_ugi_differs_only_in_its_last_line(dialogue):
    assert dialogue.say("uci")[:-1] == (ugi := dialogue.say("ugi"))[:-1]
    assert ugi[-1] == "ugiok"


def test_a_conversation(dialogue):
    dialogue.expect("isready", ["readyok"])
    dialogue.expect("position startpos moves 3 3", [])
    dialogue.expect("query legal", ["response 1 2 3"])
    dialogue.expect("query fen", ["response 4 p1"])
    dialogue.expect("d", ["oooo", "p1 to move", "fen 4 p1"])
    dialogue.expect("go depth 3", [INFO, "bestmove 1"])
    dialogue.expect("eval", ["term…", "total 50 cp"])
    dialogue.expect("go perft 2", ["1: 3", "2: 3", "3: 3", "", "Nodes searched: 9"])
    dialogue.expect("", [])
    dialogue.expect("# a remark", [])


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("joho", "unknown command at token 1: joho"),
        ("position", "expected startpos or fen at token 2: (end of line)"),
        ("position startpos moves 3 4", "cannot take 4 of 7 at token 5: 4"),
        ("position fen 7 p1 moves 1 1 1 5", "cannot take 5 of 4 at token 9: 5"),
        ("position fen lots", "expected stones and p1 or p2 at token 3: lots"),
        ("position fen", "expected a position at token 3: (end of line)"),
        ("position startpos 3", "unexpected word at token 3: 3"),
        ("setoption name Hashish value 3", "no such option at token 3: Hashish"),
        ("setoption name Hash value lots", "expected an integer from 1 to 65536 at token 5: lots"),
        ("setoption name Hash", "expected an integer from 1 to 65536 at token 4: (end of line)"),
        ("setoption name Clear Hash value 3", "Clear Hash takes no value at token 6: 3"),
        ("setoption name Rules value max=9", "expected max=2 at token 5: max=9"),
        ("go depth", "expected an integer from 1 to 1000 at token 3: (end of line)"),
        ("go depth 3 depth 4", "given twice at token 4: depth"),
        ("go p1time 3 btime 4", "given twice at token 4: btime"),
        ("go p1time 1000", "the clock of the side to move is missing at token 4: (end of line)"),
        ("go searchmoves 1 4 depth 2", "cannot take 4 of 7 at token 4: 4"),
        ("go selectivity 80", "expected one of 73, 87, 95, 98, 99, 100 at token 3: 80"),
        ("go selectivity 0", "expected an integer from 1 to 100 at token 3: 0"),
        ("go solve selectivity 73", "a solution is exact at token 3: selectivity"),
        ("go perft 3 depth 2", "perft stands alone at token 4: depth"),
        ("query weather", "no such question about a heap at token 2: weather"),
        ("query legal please", "unexpected word at token 3: please"),
        ("debug maybe", "expected on or off at token 2: maybe"),
        ("stop now", "unexpected word at token 2: now"),
        (b"position \xff\xfe", r"not UTF-8 at token 2: \xff\xfe"),
        (b"posi\x00tion", r"unknown command at token 1: posi\x00tion"),
        (LongLine(b"position startpos"), "line longer than 65536 bytes at token 1: position startpos…"),
        ("arbiter flip e9", "nothing has been dealt, begin with `arbiter new` at token 1: arbiter"),
        ("arbiter", "expected one of new, draw, flip, finish, open at token 2: (end of line)"),
    ],
)
def test_an_error_is_one_line_and_changes_nothing(dialogue, line, error):
    dialogue.say("position startpos moves 3")
    assert dialogue.say(line) == [f"info string error: {error}"]
    assert dialogue.say("query fen") == ["response 7 p2"]


def test_a_finished_game_has_no_best_move(dialogue):
    dialogue.say("position fen 0 p2")
    dialogue.expect("go depth 3", ["info string the game is over (empty)", "bestmove (none)"])
    dialogue.expect("eval", ["info string error: the game is over at token 1: eval"])
    dialogue.expect("query result", ["response p1win"])
    dialogue.expect("query reason", ["response empty"])
    dialogue.expect("query score", ["response 2"])
    dialogue.expect("query legal", ["response (none)"])
    dialogue.expect("query gameover", ["response true"])


def test_a_thousand_searches_of_a_finished_game_may_wait_at_once(fakes):
    dialogue = fakes.Dialogue(loaded=())
    dialogue.send("position fen 0 p1", *["go depth 1"] * 1000)
    dialogue.library.finish()
    assert dialogue.output.take().count("bestmove (none)") == 1000


def test_a_running_game_has_no_result(dialogue):
    for question in ("result", "reason", "score"):
        dialogue.expect(f"query {question}", ["response none"])
    dialogue.expect("query p1turn", ["response true"])
    dialogue.expect("query parity", ["response even"])


# --- limits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("go", Limits(infinite=True)),
        ("go depth 3 nodes 500", Limits(depth=3, nodes=500)),
        ("go movetime 0", Limits(movetime_ms=0)),
        ("go p1time 1000 p2time 5 p1inc 10", Limits(clock=Clock(1000, 10))),
        ("go wtime 5 btime 1000 binc 10 movestogo 7", Limits(clock=Clock(1000, 10, 7))),
        ("go btime -20 movestogo 0", Limits(clock=Clock(0))),
        ("go searchmoves 2 3 2 depth 1", Limits(depth=1, moves=("2", "3"))),
        ("go ponder movetime 100", Limits(ponder=True, movetime_ms=100)),
        ("go depth 12 selectivity 95", Limits(depth=12, certainty=95)),
        ("go selectivity 73", Limits(infinite=True, certainty=73)),
        ("go solve wld", Limits(solve=Solve.WDL)),
        ("go solve depth 4", Limits(solve=Solve.SCORE, depth=4)),
    ],
)
def test_go_says_what_bounds_the_search(dialogue, line, limits):
    dialogue.script.move = "2"
    dialogue.say(line, "stop")
    assert dialogue.script.searches[0][1] == limits


def test_in_banqi_the_white_clock_is_of_p1(dialogue):
    dialogue.say("setoption name UCI_Variant value BANQI", "go wtime 1000 btime 5")
    assert dialogue.script.searches[0][1].clock == Clock(1000)
    dialogue.expect("go solve", ["info string error: not in this game at token 2: solve"])
    error = "info string error: not in this game at token 4: selectivity"
    dialogue.expect("go depth 3 selectivity 73", [error])


# --- exactly one best move ----------------------------------------------------------------------------------------


def test_an_infinite_search_keeps_its_answer_until_stop(dialogue):
    dialogue.expect("go infinite", [INFO])
    dialogue.expect("isready", ["readyok"])
    dialogue.expect("stop", ["bestmove 1"])
    dialogue.expect("stop", [])


def test_a_pondering_search_keeps_its_answer_until_ponderhit(dialogue):
    dialogue.expect("go ponder depth 2", [INFO])
    dialogue.expect("ponderhit", ["bestmove 1"])
    dialogue.expect("ponderhit", [])


def test_ponderhit_does_not_end_an_infinite_search(dialogue):
    dialogue.expect("go ponder infinite", [INFO])
    dialogue.expect("ponderhit", [])
    dialogue.expect("stop", ["bestmove 1"])


def test_stop_before_ponderhit_ends_pondering(dialogue):
    dialogue.say("go ponder depth 2")
    dialogue.expect("stop", ["bestmove 1"])


def test_the_reply_is_named_when_the_host_ponders(dialogue):
    dialogue.expect("setoption name ponder value true", [])
    dialogue.expect("go depth 1", [INFO, "bestmove 1 ponder 2"])


def test_an_illegal_choice_of_the_engine_is_replaced_and_reported(dialogue):
    dialogue.script.move = "7"
    dialogue.expect("go searchmoves 2 depth 1", [INFO, "bestmove 2"])
    assert "chose 7" in str(dialogue.faults[0])


def test_a_failing_search_still_answers(dialogue):
    dialogue.script.error = ZeroDivisionError("by zero")
    failure = "info string error: the search failed inside (ZeroDivisionError('by zero')) at token 1: go"
    dialogue.expect("go depth 1", [INFO, failure, "bestmove 1"])
    assert dialogue.faults == [dialogue.script.error]


def test_the_last_reports_are_printed_when_there_were_none(dialogue):
    dialogue.script.infos = ()
    dialogue.expect("go depth 1", ["bestmove 1"])


def test_a_refused_go_gets_no_best_move(dialogue):
    dialogue.expect("go depth 0", ["info string error: expected an integer from 1 to 1000 at token 3: 0"])


def test_a_command_that_fails_inside_is_an_error_and_the_session_goes_on(dialogue, fakes, monkeypatch):
    monkeypatch.setattr(fakes.Heap, "picture", lambda self: 1 / 0)
    dialogue.expect(
        "d", ["info string error: this failed inside (ZeroDivisionError('division by zero')) at token 1: d"]
    )
    assert len(dialogue.faults) == 1
    dialogue.expect("query p1turn", ["response true"])


# --- while searching ----------------------------------------------------------------------------------------------


def test_what_changes_the_state_waits_for_the_search_to_end(dialogue):
    dialogue.send("go infinite", "position startpos moves 3", "setoption name MultiPV value 3", "go depth 9")
    dialogue.executor.run_all()
    assert dialogue.output.take() == [INFO]
    assert dialogue.say("stop") == ["bestmove 1", INFO, "bestmove 1"]
    (first, _, _), (second, limits, _) = dialogue.script.searches
    assert (first.stones, second.stones, limits.depth) == (10, 7, 9)
    assert dialogue.script.settings[-1].multipv == 3


def test_stop_belongs_to_every_go_before_it(dialogue):
    dialogue.send("go infinite", "go infinite", "position startpos moves 2", "go ponder depth 4", "stop")
    dialogue.executor.run_all()
    assert [line for line in dialogue.output.take() if line.startswith("best")] == ["bestmove 1"] * 3


def test_ponderhit_belongs_to_the_last_go(dialogue):
    dialogue.send("go infinite", "go ponder depth 4", "ponderhit")
    dialogue.executor.run_all()
    assert dialogue.say("stop").count("bestmove 1") == 2


def test_questions_are_answered_during_a_search_unless_something_waits_before_them(dialogue):
    dialogue.say("go infinite")
    dialogue.expect("query fen", ["response 10 p1"])
    dialogue.expect("position startpos moves 1", [])
    dialogue.expect("query fen", [])
    dialogue.expect("isready", ["readyok"])
    dialogue.expect("uci", ["id…", "id…", *(["option…"] * len(option_table().options)), "uciok"])
    dialogue.expect("stop", ["bestmove 1", "response 9 p2"])


def test_what_waits_is_bounded(fakes):
    dialogue = fakes.Dialogue(config=SessionConfig(max_waiting_bytes=60))
    dialogue.say("go infinite")
    dialogue.expect("position startpos moves 1 2 3", [])
    dialogue.expect("position startpos moves 1 2 3", [])
    dialogue.expect("position startpos moves 1 2 3", ["info string error: too many commands wait at token 1: position"])
    dialogue.expect("stop", ["bestmove 1"])
    dialogue.expect("position startpos moves 1 2 3", [])


def test_an_error_of_form_is_told_during_a_search(dialogue):
    dialogue.say("go infinite")
    dialogue.expect("go depth x", ["info string error: expected an integer from 1 to 1000 at token 3: x"])


# --- the wait for a turn ------------------------------------------------------------------------------------------


def test_a_clock_is_charged_for_the_wait_and_the_wait_is_told(dialogue):
    dialogue.send("go p1time 1000 p1inc 5")
    dialogue.now = 0.153
    dialogue.executor.run_all()
    assert dialogue.output.take()[0] == "info string waited 153 ms for its turn"
    assert dialogue.script.searches[0][1].clock == Clock(847, 5)


def test_a_time_per_move_is_not_charged(dialogue):
    dialogue.send("go movetime 100")
    dialogue.now = 0.153
    dialogue.executor.run_all()
    assert dialogue.script.searches[0][1].movetime_ms == 100


def test_pondering_is_charged_from_ponderhit_only(dialogue):
    dialogue.send("go ponder p1time 1000")
    dialogue.now = 5.0
    dialogue.send("ponderhit")
    dialogue.now = 5.25
    dialogue.executor.run_all()
    (_, limits, control) = dialogue.script.searches[0]
    assert limits.clock == Clock(750)
    assert not control.pondering


def test_a_search_stopped_before_its_turn_answers_at_once(fakes):
    dialogue = fakes.Dialogue(executor=fakes.ManualExecutor(full=True))
    dialogue.send("go searchmoves 3 2")
    assert dialogue.output.take() == []
    dialogue.send("stop")
    said = "info string stopped before its turn: nothing was searched"
    assert dialogue.output.take() == [said, "bestmove 3"]
    assert dialogue.executor.queue == []


def test_a_search_stopped_when_it_is_about_to_begin_begins_stopped(dialogue):
    dialogue.send("go infinite", "stop")
    dialogue.executor.run_all()
    assert dialogue.script.searches[0][2].stopped
    assert dialogue.output.take() == [INFO, "bestmove 1"]


# --- loading ------------------------------------------------------------------------------------------------------


def test_commands_wait_for_the_game_in_order(fakes):
    dialogue = fakes.Dialogue(loaded=())
    dialogue.expect("uci", ["id…", "id…", *(["option…"] * len(option_table().options)), "uciok"])
    dialogue.expect("setoption name MultiPV value 0", ["info string error: expected an integer from 1 to 64…"])
    for line in ("position startpos moves 2", "isready", "query fen", "go depth 1", "isready"):
        dialogue.expect(line, [])
    dialogue.library.tell("othello: compiling kernels, 3 of 9 done")
    assert dialogue.output.take() == ["info string othello: compiling kernels, 3 of 9 done"]
    dialogue.library.finish()
    assert dialogue.output.take() == ["readyok", "response 8 p2", "readyok"]
    dialogue.executor.run_all()
    assert dialogue.output.take() == [INFO, "bestmove 1"]


def test_the_variant_is_chosen_before_anything_is_loaded(fakes):
    dialogue = fakes.Dialogue(loaded=())
    dialogue.send("setoption name UCI_Variant value banqi", "isready")
    assert [name for name, _ in dialogue.library.listeners] == ["banqi"]


def test_rules_load_the_game_that_has_them(fakes):
    dialogue = fakes.Dialogue(loaded=("othello",))
    dialogue.send("setoption name Rules value <empty>", "setoption name Rules")
    assert dialogue.library.listeners == []
    dialogue.send("setoption name Rules value chase=2")
    assert [name for name, _ in dialogue.library.listeners] == ["banqi"]
    dialogue.library.finish()
    assert dialogue.say("query legal") == ["response 1 2 3"]
    assert dialogue.say("setoption name UCI_Variant value banqi", "query legal") == ["response 1 2"]


def test_a_game_that_cannot_be_loaded_is_an_error_for_each_that_needs_it(fakes):
    dialogue = fakes.Dialogue(loaded=())
    dialogue.send("isready", "go depth 1", "setoption name MultiPV value 2")
    dialogue.library.finish(problem="ImportError: no numba")
    dialogue.library.finish(problem="ImportError: no numba")
    assert dialogue.output.take() == [
        "info string error: othello cannot be loaded (ImportError: no numba) at token 1: isready",
        "info string error: othello cannot be loaded (ImportError: no numba) at token 1: go",
    ]
    assert not dialogue.session.busy


def test_stop_during_loading_stops_what_was_sent_before(fakes):
    dialogue = fakes.Dialogue(loaded=())
    dialogue.send("go infinite", "stop", "go ponder depth 1", "ponderhit")
    dialogue.library.finish()
    dialogue.executor.run_all()
    assert [line for line in dialogue.output.take() if line.startswith("best")] == ["bestmove 1"] * 2


# --- the end ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["quit", None])
def test_the_end_stops_the_search_and_does_what_waits(dialogue, end):
    dialogue.say("go infinite")
    dialogue.send("position startpos moves 3", "query fen", "go infinite")
    if end is None:
        dialogue.session.finish()
    else:
        dialogue.send(end, "query p1turn")
    dialogue.executor.run_all()
    assert dialogue.output.take() == ["bestmove 1", "response 7 p2", INFO, "bestmove 1"]
    assert dialogue.output.over.is_set()


def test_quit_while_idle_ends_at_once(dialogue):
    dialogue.send("quit")
    assert dialogue.output.over.is_set()


def test_quit_waits_for_kernels_to_be_read_but_not_to_be_compiled(fakes):
    dialogue = fakes.Dialogue(loaded=())
    dialogue.send("isready", "quit")
    dialogue.library.tell("othello: reading")
    assert not dialogue.output.over.is_set()
    dialogue.library.tell("othello: compiling", compiling=True)
    assert dialogue.output.over.is_set()
    dialogue.library.finish()
    assert dialogue.output.take() == ["info string othello: reading", "info string othello: compiling"]


def test_quit_while_loading_from_the_cache_still_answers(fakes):
    dialogue = fakes.Dialogue(loaded=())
    dialogue.send("isready", "quit")
    dialogue.library.finish()
    assert dialogue.output.take() == ["readyok"]
    assert dialogue.output.over.is_set()


def test_nobody_is_told_anything_after_they_have_gone(dialogue):
    dialogue.say("go infinite")
    dialogue.session.abandon()
    dialogue.executor.run_all()
    assert dialogue.say("isready") == []
    assert not dialogue.session.busy


def test_a_client_that_goes_away_ends_its_search(fakes):
    pool = SearchPool()
    dialogue = fakes.Dialogue(executor=pool)
    dialogue.script.until_stopped = True
    dialogue.send("go infinite")
    assert dialogue.script.searching.wait(20)
    dialogue.session.abandon()
    assert dialogue.script.searches[0][2].stopped


def test_a_server_that_closes_says_why(dialogue):
    dialogue.say("go infinite")
    dialogue.session.close("idle for 600 s")
    assert dialogue.output.take() == ["info string closing: idle for 600 s", "bestmove 1"]
    assert dialogue.output.over.is_set()


# --- options ------------------------------------------------------------------------------------------------------


def test_options_reach_the_engine(dialogue):
    dialogue.say(
        "setoption name hash value 7",
        "setoption name Skill Level value 3",
        "setoption name Move Overhead value 25",
        "setoption name Contempt value -5",
        "go depth 1",
    )
    settings = dialogue.script.settings[-1]
    assert (settings.hash_mib, settings.skill_level) == (7, 3)
    assert (settings.move_overhead_ms, settings.contempt) == (25, -5)


def test_options_of_one_game_reach_its_engine(dialogue):
    dialogue.say(
        "setoption name Threads value 3",
        "setoption name Objective value FEWEST",
        "setoption name Komi value -3.5",
        "setoption name Stakes value true",
        "setoption name EndgamePath value /data/my tables.bin",
        "setoption name Seed value 77",
        "go depth 1",
    )
    settings = dialogue.script.settings[-1]
    assert (settings.threads, settings.objective, settings.draw_line) == (3, "fewest", -3.5)
    assert (settings.stakes, settings.seed, settings.endgame_path) == (True, 77, "/data/my tables.bin")


def test_a_strength_reaches_the_engine_in_every_way_it_can_be_asked_for(dialogue):
    dialogue.say(
        "setoption name UCI_LimitStrength value true",
        "setoption name uci_elo value 700",
        "setoption name Preset value Beginner",
        "go depth 1",
    )
    settings = dialogue.script.settings[-1]
    assert (settings.limit_strength, settings.elo, settings.preset) == (True, 700, "beginner")


def test_a_rating_is_listed_with_the_range_of_the_chosen_game_and_taken_from_that_of_any(dialogue):
    def listed():
        (line,) = (line for line in dialogue.say("uci") if line.startswith("option name UCI_Elo "))
        return line

    widest = FEATURES["othello"].elo[1]
    assert f" min {FEATURES['othello'].elo[0]} max {widest}" in listed()
    assert dialogue.say("setoption name UCI_Variant value banqi", f"setoption name UCI_Elo value {widest}") == []
    assert " min {} max {}".format(*FEATURES["banqi"].elo) in listed()
    (said,) = dialogue.say(f"setoption name UCI_Elo value {widest + 1}")
    assert "from {} to {} at token 5: {}".format(*FEATURES["banqi"].elo, widest + 1) in said


@pytest.mark.parametrize("komi", ["much", "65", "-64.5", "1e3", "nan", ""])
def test_a_komi_is_a_number_of_discs(dialogue, komi):
    (said,) = dialogue.say(f"setoption name Komi value {komi}")
    assert "expected a number from -64 to 64 at token 5: " in said


def test_threads_are_not_listed_where_there_is_but_one():
    assert "Threads" not in [option.name for option in option_table(max_threads=1).options]


def test_an_engine_is_configured_again_only_after_a_change(dialogue):
    dialogue.say("go depth 1", "go depth 1", "setoption name Hash value 3", "go depth 1")
    assert [settings.hash_mib for settings in dialogue.script.settings] == [64, 3]


def test_isready_takes_the_memory_for_searches_once_where_it_shall(fakes):
    dialogue = fakes.Dialogue(config=SessionConfig(reserves_memory=True))
    dialogue.send("isready", "query p1turn")
    assert dialogue.output.take() == []
    dialogue.executor.run_all()
    assert dialogue.output.take() == ["readyok", "response true"]
    dialogue.expect("isready", ["readyok"])
    assert dialogue.script.reserved == 1
    dialogue.expect("ucinewgame", [])
    dialogue.expect("setoption name Hash value 9", [])
    dialogue.expect("isready", ["readyok"])
    assert (dialogue.script.reserved, dialogue.script.settings[-1].hash_mib) == (2, 9)


SHORTAGE = "info string error: there is no memory for a hash table of 5000 MiB, 1000 MiB are free; it has 512 MiB now"


def test_isready_tells_once_of_memory_that_cannot_be_had_and_takes_what_can_be(fakes):
    dialogue = fakes.Dialogue(config=SessionConfig(reserves_memory=True))
    dialogue.script.memory_mib = 1000
    dialogue.say("setoption name Hash value 5000")
    dialogue.expect("isready", [f"{SHORTAGE} at token 1: isready", "readyok"])
    dialogue.expect("isready", ["readyok"])
    dialogue.expect("setoption name MultiPV value 2", [])
    dialogue.expect("isready", ["readyok"])
    dialogue.expect("go depth 1", [INFO, "bestmove 1"])
    assert [settings.hash_mib for settings in dialogue.script.settings] == [5000, 2048, 1024, 512, 512]
    assert dialogue.faults == []


def test_a_search_tells_once_of_memory_that_cannot_be_had_and_does_with_what_can_be(dialogue):
    dialogue.script.memory_mib = 1000
    dialogue.say("setoption name Hash value 5000")
    dialogue.expect("go depth 1", [f"{SHORTAGE} at token 1: go", INFO, "bestmove 1"])
    dialogue.expect("go depth 1", [INFO, "bestmove 1"])
    dialogue.say("setoption name Hash value 900")
    dialogue.expect("go depth 1", [INFO, "bestmove 1"])
    assert dialogue.script.settings[-1].hash_mib == 900
    assert dialogue.faults == []


def test_without_memory_for_any_table_readyok_and_a_legal_move_come_all_the_same(fakes):
    dialogue = fakes.Dialogue(config=SessionConfig(reserves_memory=True))
    dialogue.script.memory_mib = 0
    assert [line.partition(" (")[0] for line in dialogue.say("isready", "isready", "go depth 1")] == [
        "info string error: this failed inside",
        "readyok",
        "readyok",
        "info string error: the search failed inside",
        "bestmove 1",
    ]


def test_an_engine_that_cannot_be_made_is_told_once_a_command_and_readyok_comes_all_the_same(fakes):
    dialogue = fakes.Dialogue(config=SessionConfig(reserves_memory=True))
    dialogue.script.engine_error = ValueError("no weights")
    failure = "info string error: this failed inside (ValueError('no weights')) at token 1: isready"
    for _ in range(2):
        dialogue.expect("isready", [failure, "readyok"])
    assert dialogue.say("go depth 1")[-1] == "bestmove 1"
    assert dialogue.say("query p1turn") == ["response true"]


@pytest.mark.parametrize("line", ["ucinewgame", "uginewgame", "setoption name Clear Hash"])
def test_the_engine_forgets_when_told_and_isready_waits_for_it(dialogue, line):
    dialogue.say("go depth 1", "position startpos moves 1")
    dialogue.send(line, "isready", "query fen")
    assert dialogue.output.take() == []
    dialogue.executor.run_all()
    assert dialogue.script.forgot == 1
    fen = "response 9 p2" if line.startswith("setoption") else "response 10 p1"
    assert dialogue.output.take() == ["readyok", fen]


def test_another_variant_has_its_own_board_and_engine(dialogue):
    dialogue.say("position startpos moves 1", "go depth 1", "setoption name UCI_Variant value banqi")
    dialogue.expect("query fen", ["response 10 p1"])
    dialogue.say("go depth 1")
    assert len(dialogue.script.settings) == 2


def test_rules_apply_to_the_position_on_the_board(dialogue):
    dialogue.say("setoption name UCI_Variant value banqi", "position fen 9 p2 moves 1")
    dialogue.expect("setoption name Rules value max=2", [])
    dialogue.expect("query fen", ["response 8 p1"])
    dialogue.expect("query legal", ["response 1 2"])


def test_rules_that_the_moves_on_the_board_break_are_refused(dialogue):
    dialogue.say("setoption name UCI_Variant value banqi", "position startpos moves 3")
    what = "the position cannot be kept under these rules, cannot take 3 of 10 (3)"
    dialogue.expect("setoption name Rules value max=2", [f"info string error: {what} at token 5: max=2"])
    dialogue.expect("query legal", ["response 1 2 3"])


def test_a_table_is_cut_to_what_is_left_and_that_is_said(fakes):
    budget = HashBudget(100)
    one, other = fakes.Dialogue(budget=budget), fakes.Dialogue(budget=budget)
    one.say("go depth 1")
    said = other.say("go depth 1")
    assert said[0] == "info string Hash is 36 MiB here, not 64: others use the rest"
    assert other.script.settings[-1].hash_mib == 36
    one.send("quit")
    assert budget.used_mib == 36


def test_debug_says_more(dialogue):
    dialogue.expect("debug on", [])
    assert "info string debug: go depth 1 searchmoves 1 3" in dialogue.say("go depth 1 searchmoves 1 3")
    assert "info string debug: go depth 1 selectivity 73" in dialogue.say("go depth 1 selectivity 73")
    said = dialogue.say("go p1time 60000 p1inc 100 movestogo 5", "stop")
    assert any(re.fullmatch(r"info string debug: go time \d+ inc 100 movestogo 5", line) for line in said)


def test_perft_can_be_limited_and_stopped(fakes):
    dialogue = fakes.Dialogue(config=SessionConfig(max_perft_depth=6))
    dialogue.expect("go perft 7", ["info string error: perft is limited to depth 6 here at token 3: 7"])
    dialogue.send("go perft 3", "stop")
    dialogue.executor.run_all()
    assert dialogue.output.take() == ["info string perft stopped"]


# --- draws and resignation ----------------------------------------------------------------------------------------


def with_score(dialogue, score):
    dialogue.script.infos = (Info(depth=1, score_cp=score, nodes=1, pv=("1",)),)
    return dialogue.say("go depth 1")[-1]


def test_a_lost_position_is_resigned_at_the_third_bad_score(dialogue):
    dialogue.say("setoption name Resign Score value 500")
    assert [with_score(dialogue, -600) for _ in range(3)] == ["bestmove 1", "bestmove 1", "bestmove 1 resign"]
    assert with_score(dialogue, -499) == "bestmove 1"


def test_scores_of_the_other_player_do_not_count(dialogue):
    dialogue.say("setoption name Resign Score value 500")
    for moves in ("", " moves 1", "", " moves 1"):
        dialogue.say(f"position startpos{moves}")
        assert with_score(dialogue, -600) == "bestmove 1"


def test_a_level_game_is_offered_as_a_draw_and_an_offer_is_taken(dialogue):
    dialogue.expect("draw", ["response decline"])
    assert [with_score(dialogue, 5) for _ in range(3)] == ["bestmove 1"] * 3
    dialogue.expect("draw", ["response decline"])
    dialogue.say("setoption name Draw Score value 10")
    assert with_score(dialogue, -10) == "bestmove 1 draw"
    dialogue.expect("draw", ["response accept"])
    assert with_score(dialogue, 11) == "bestmove 1"
    dialogue.expect("draw", ["response decline"])


def test_a_new_game_begins_without_scores(dialogue):
    dialogue.say("setoption name Draw Score value 10")
    for _ in range(3):
        with_score(dialogue, 0)
    dialogue.say("ucinewgame")
    dialogue.expect("draw", ["response decline"])
    assert with_score(dialogue, 0) == "bestmove 1"


def test_both_are_off_at_first(dialogue):
    assert [with_score(dialogue, -30000) for _ in range(4)] == ["bestmove 1"] * 4
    assert [with_score(dialogue, 0) for _ in range(4)] == ["bestmove 1"] * 4


# --- arbiter ------------------------------------------------------------------------------------------------------


def test_an_arbiter_deals_beside_the_engine(dialogue):
    (commit,) = dialogue.say("arbiter new seed 7")
    assert commit.startswith("arbiter commit ")
    (reveal,) = dialogue.say("arbiter flip b8")
    assert reveal.startswith("arbiter reveal b8=")
    (refused,) = dialogue.say("arbiter open")
    assert refused.endswith(" at token 2: open")
    dialogue.expect("arbiter finish", ["arbiter finished"])
    (opened,) = dialogue.say("arbiter open")
    assert opened.startswith("arbiter opened seed 7 layout ")


def test_turns_are_those_of_the_position(dialogue):
    dialogue.say("position fen 5 p2")
    dialogue.say("go p2time 700 p1time 3")
    assert dialogue.script.searches[0][0].turn is Player.P2
    assert dialogue.script.searches[0][1].clock == Clock(700)
