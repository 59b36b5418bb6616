"""What players can do on a server beyond what the real sessions show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fanqi.records.ggf import parse_ggf

if TYPE_CHECKING:
    from pathlib import Path


def start(asker: Any, other: Any, kind: str = "8", clock: str = "1:00") -> str:
    """Start a match and give its id."""
    asker.os(f"ask {kind} {clock} {other.name}")
    request = other.lines()[1].split()[2]
    lines = other.os(f"accept {request}")
    asker.lines()
    return lines[0].split()[3]


def play_all(black: Any, white: Any, match: str, moves: str) -> None:
    for number, move in enumerate(moves.split()):
        (black, white)[number % 2].os(f"play {match} {move}//0.1")


def test_a_newcomer_is_registered_at_once_where_the_policy_is_open(make_club: Any) -> None:
    club = make_club(register=True)
    player = club.newcomer("ann")
    assert not [line for line in player.os("rated +") if "ERR" in line]
    player.close()
    assert club.newcomer("ann", "wrong").lines()[:1] == [": ERR Password is incorrect."]
    assert "READY" in club.newcomer("ann").lines()


def test_a_newcomer_is_a_guest_until_an_administrator_gives_a_name_and_an_address(club: Any) -> None:
    admin, guest = club.member("root", level=2), club.newcomer("ann")
    assert guest.os("rated +")[-1:] == ["/os: ERR you are not registered."]
    admin.say("name ann Ann")
    assert guest.os("rated +")[-1:] == ["/os: ERR you are not registered."]
    admin.say("email ann ann@example.org")
    assert guest.os("rated +")[-1:] == [": +ack:  tell /os rated + => tell /os rated +"]
    guest.close()
    assert club.newcomer("ann", "other").lines()[:1] == [": ERR Password is incorrect."]


def test_only_administrators_name_others(club: Any) -> None:
    ann = club.member("ann")
    assert ann.say("email ann a@b") == [": ERR command restricted to _admin group.", "READY"]


@pytest.mark.parametrize("name", ["a", "ninechars", ".ann", "_ann", "/os", "a,b", "a\\b", "a b", ""])
def test_names_that_would_confuse_are_refused_and_asked_for_again(club: Any, name: str) -> None:
    player = club.caller()
    assert player.say(name)[-1] == ": Enter login (yours, or one you'd like to use)."


def test_a_full_server_takes_no_more_players_but_who_is_here_may_log_in_again(make_club: Any) -> None:
    club = make_club(most_clients=2)
    club.newcomer("ann")
    bob = club.newcomer("bob")
    carl = club.newcomer("carl")
    assert (carl.hung_up, carl.lines()[-1]) == (True, ": ERR the server is full.")
    assert "READY" in club.newcomer("ann").lines()
    bob.close()
    bob.close()
    assert "READY" in club.newcomer("carl").lines()
    assert club.newcomer("dora").hung_up


def test_a_full_server_registers_nobody_whom_it_does_not_let_in(make_club: Any) -> None:
    club = make_club(register=True, most_clients=1)
    club.newcomer("ann")
    club.newcomer("bob")
    assert club.store.account("bob") is None


def test_connections_that_do_not_log_in_keep_no_players_out(make_club: Any) -> None:
    club = make_club(most_clients=2, most_strangers=3)
    silent = [club.caller() for _ in range(2)]
    assert "READY" in club.newcomer("ann").lines()
    assert "READY" in club.newcomer("bob").lines()
    assert not any(caller.hung_up for caller in silent)


def test_where_many_have_not_logged_in_who_had_time_to_makes_room_for_the_next(make_club: Any) -> None:
    club = make_club(most_strangers=2)
    first = club.caller()
    club.clock.passed += 4.0
    second, third = club.caller(), club.caller()
    assert [caller.hung_up for caller in (first, second, third)] == [False, False, True]
    assert third.lines() == [": ERR too many are logging in."]
    club.clock.passed += 2.0
    first.lines()
    assert "READY" in club.newcomer("ann").lines()
    assert first.lines() == [": ERR no login in 5 s, and others wait."]
    assert (first.hung_up, second.hung_up) == (True, False)
    assert first.say("ann") == []


def test_who_has_logged_in_is_not_too_slow(club: Any) -> None:
    ann, silent = club.member("ann"), club.caller()
    for player in (ann, silent):
        club.central.too_slow(player.session)
    assert (ann.hung_up, silent.hung_up) == (False, True)
    assert ann.say("echo here")[1] == ": here"


def test_one_address_has_so_many_connections_and_loopback_any_number(make_club: Any) -> None:
    club = make_club(most_per_address=2)
    there = [club.caller("192.0.2.1") for _ in range(3)]
    assert [caller.hung_up for caller in there] == [False, False, True]
    assert there[2].lines() == [": ERR 2 connections from 192.0.2.1 are open already."]
    assert not club.caller("192.0.2.2").hung_up
    for number in range(20):
        assert "READY" in club.newcomer(f"bot{number}").lines()
    for caller in there:
        caller.close()
        caller.close()
    assert not club.caller("192.0.2.1").hung_up
    assert not club.caller("192.0.2.1").hung_up
    assert club.caller("192.0.2.1").hung_up


def test_wrong_passwords_end_the_connection_and_then_keep_the_address_out(make_club: Any) -> None:
    club = make_club(connects_per_minute=100)
    club.member("ann").close()
    caller = club.caller("192.0.2.1")
    for _ in range(5):
        assert not caller.hung_up
        caller.say("ann")
        assert caller.say("guess")[0] == ": ERR Password is incorrect."
    assert caller.hung_up
    assert "too many connections from 192.0.2.1" in club.caller("192.0.2.1").lines()[0]
    assert not club.caller("192.0.2.2").hung_up


def test_a_player_has_only_so_many_requests_pending_and_ignores_only_so_many(club: Any) -> None:
    ann = club.member("ann")
    asked = [ann.os(f"ask 8 {minutes}:00")[-1] for minutes in range(1, 66)]
    assert asked[63].startswith("/os: +")
    assert asked[64] == "/os: ERR you have too many pending requests."
    for batch in range(3):
        ann.say("ignore + " + " ".join(f"x{batch}{number}" for number in range(50)))
    assert ann.say("ignore")[0].startswith(": ignore 64 :")


def test_the_newer_of_two_connections_wins_and_games_of_the_older_are_adjourned(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    start(ann, bob)
    again = club.newcomer("ann")
    assert ann.hung_up
    assert "READY" in again.lines()
    assert bob.lines()[1] == "/os: - match .0 1720 ann 1720 bob 8 R ann left .0"


def test_passwords_can_be_changed_by_their_owner_and_by_an_administrator(club: Any) -> None:
    ann, admin = club.member("ann"), club.member("root", level=2)
    ann.say("passw better wrong")
    ann.say("passw better secret")
    ann.close()
    assert "READY" in club.newcomer("ann", "better").lines()
    ann.say("passw mine - bob")
    admin.say("passw best - ann")
    assert club.newcomer("ann", "better").lines()[:1] == [": ERR Password is incorrect."]


def test_an_asked_mirror_image_starts_the_match_at_once(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    ann.os("ask 8b 1:00 2:00 bob")
    assert bob.os("ask 8w 2:00 1:00 ann")[0] == "/os: + match .0 1720 ann 1720 bob 8b R"


def test_a_formula_accepts_without_a_word_and_another_declines(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    bob.os("aform rated & mt1 >= 60")
    bob.os("dform anti")
    assert ann.os("ask 8a 1:00 bob") == ["/os: ERR your request doesn't fit the opponent's formula."]
    assert ann.os("ask 8 1:00 bob")[0].startswith("/os: + match")


def test_a_request_to_anybody_is_heard_by_those_who_listen_and_taken_by_one(club: Any) -> None:
    ann, bob, carl = (club.member(name) for name in ("ann", "bob", "carl"))
    bob.os("request +")
    ann.os("ask 8 1:00")
    assert bob.lines()[1].split()[:3] == ["/os:", "+", ".0"]
    assert carl.lines() == []
    assert carl.os("accept .0")[0] == "/os: + match .0 1720 ann 1720 carl 8 R"


def test_full_players_get_no_requests(club: Any) -> None:
    ann, bob, carl = club.member("ann"), club.member("bob", games=1), club.member("carl")
    carl.os("ask 8 1:00 bob")
    start(ann, bob)
    assert carl.lines()[-2] == "/os: -   .0 1720.0 carl     01:00//02:00        8 R 1720.0 bob"
    assert carl.os("ask 8 1:00 bob") == ["/os: ERR Player is not accepting new matches."]


def test_a_game_to_its_end_is_rated_archived_and_written_as_ggf(make_club: Any) -> None:
    archive: list[str] = []
    club = make_club(archived=archive.append)
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob)
    play_all(ann, bob, match, "e6 f4 e3 f6 g5 d6 e7 f5")  # the shortest wipe-out continues with c5
    ann.os(f"play {match} c5//0.1")
    assert [line for line in bob.lines() if "- match" in line] == ["/os: - match .0 2038 ann 1402 bob 8 R +64.00  .0"]
    (line,) = archive
    record = parse_ggf(line)
    assert record.result is not None
    assert (record.players, record.result.margin) == (("ann", "bob"), 64.0)
    assert ann.os("history")[1].endswith("1720 ann      1720 bob       +64.0 8")


def test_an_adjourned_match_survives_the_server_being_killed(make_club: Any, tmp_path: Path) -> None:
    club = make_club(tmp_path / "club.db")
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob)
    play_all(ann, bob, match, "f5 d6 c3")
    club.store.close()  # nobody says goodbye

    club = make_club(tmp_path / "club.db")
    assert club.store.recover() == 1
    ann, bob = club.member("ann"), club.member("bob")
    ann.os("open 2")
    bob.os("open 2")
    ann.os("continue")
    lines = bob.os("continue")
    assert lines[0] == "/os: + match .0 1720 ann 1720 bob 8 R"
    assert "|3 move(s)" in lines
    assert "|  2: d6//0.10" in lines
    assert bob.os("play .0 d3//1")[0].startswith("/os: update")


def test_clocks_go_on_where_they_stood_when_a_match_is_resumed(club: Any) -> None:
    ann, bob = club.member("ann", trust=False), club.member("bob")
    match = start(ann, bob)
    club.clock.passed += 20
    ann.os(f"play {match} f5")
    bob.os("break")
    ann.lines()
    ann.os("continue")
    lines = bob.os("continue")
    assert "|ann      (1720.0 *) 00:40,1:0//02:00,1:0" in lines


def test_an_untrusted_player_is_charged_what_passes(club: Any) -> None:
    ann, bob = club.member("ann", trust=False), club.member("bob")
    match = start(ann, bob)
    club.clock.passed += 7.5
    lines = ann.os(f"play {match} f5//0.1")
    assert lines[1] == "|  1: f5//7.50"
    assert "trust-violation" not in lines[0]


def test_flags_fall_by_themselves_and_end_the_match(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    start(ann, bob, clock="0:10//0:20")
    for _ in range(2):
        club.clock.passed = club.service.next_event()
        club.service.tick()
    heard = [line for line in bob.lines() if line.startswith("/os:")]
    assert heard[:2] == ["/os: timeout .0 ann (*)", "/os: fatal-timeout .0 ann (*)"]
    assert heard[-1].endswith("8 R -64.00  .0")
    assert club.service.next_event() is None


def test_a_fatal_flag_in_one_game_of_a_pair_lets_the_other_go_on(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob, kind="s8", clock="0:10//0")
    bob.os(f"play {match}.1 f5//0.1")
    club.clock.passed = club.service.next_event()
    club.service.tick()
    heard = [line for line in bob.lines() if line.startswith("/os:")]
    assert "/os: end .0.0 ( ann vs. bob ) -64.00" in heard
    assert ann.os(f"play {match}.1 d6//0.1")[0] == "/os: update .0.1 s8 K?"


def test_in_a_synchro_match_the_opponent_sees_a_move_only_when_both_are_made(club: Any) -> None:
    ann, bob, watcher = club.member("ann"), club.member("bob"), club.member("eve")
    match = start(ann, bob, kind="s8")
    watcher.os(f"watch + {match}")
    watcher.lines()
    assert ann.os(f"play {match}.0 f5")[0] == "/os: update .0.0 s8 K?"
    assert (bob.lines(), watcher.lines()) == ([], [])
    assert "|0 move(s)" in bob.os("moves")
    assert "|1 move(s)" in ann.os("moves")
    assert bob.os(f"play {match}.1 c4")[0] == "/os: update .0.1 s8 K?"
    assert len([line for line in watcher.lines() if line.startswith("/os: update")]) == 2


def test_an_unmatched_move_of_a_pair_is_taken_back_when_the_match_is_adjourned(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob, kind="s8")
    ann.os(f"play {match}.0 f5")
    bob.close()
    assert "B[f5" not in ann.os("look .0")[1]


def test_who_has_already_moved_in_a_pair_is_told_that_it_is_the_wrong_game(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob, kind="s8")
    ann.os(f"play {match}.0 f5")
    assert ann.os(f"play {match}.1 d6") == ["/os: error .0.1 wrong game!"]
    assert ann.os(f"play {match}.2 d6") == ["/os: error .0.2 game id must be .0 or .1 in synchro games"]


def test_a_second_bid_is_refused_and_a_resumed_komi_game_keeps_its_komi(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob, kind="8k")
    ann.os(f"play {match} f5/3")
    assert ann.os(f"play {match} f5/3") == ["/os: error .0 you already sent the first move"]
    assert "/os: join .0 8k K2" in bob.os(f"play {match} c4/1")
    bob.os("break")
    assert ann.os("stored")[1].endswith("8k+2.00:l")
    ann.os("continue")
    assert "/os: join .1 8k K2" in bob.os("continue")


def test_resignation_loses_everything_and_both_games_of_a_pair(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    start(ann, bob, kind="s8")
    lines = bob.os("resign")
    assert lines[:2] == ["/os: end .0.0 ( ann vs. bob ) +64.00", "/os: end .0.1 ( ann vs. bob ) +64.00"]
    assert lines[-1].endswith("s8 R +64.00  .0")


def test_an_agreed_score_ends_the_game(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    start(ann, bob)
    ann.os("score 4")
    assert bob.os("score -4")[-1].endswith("8 R +4.00  .0")
    assert "RE[+4.000:s]" in ann.os("look .0")[1]


def test_a_draw_is_the_same_from_both_sides(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    start(ann, bob, kind="8w")
    ann.os("score 0")
    assert bob.os("score 0")[-1].endswith("8w R +0.00  .0")
    assert "RE[+0.000:s]" in ann.os("look .0")[1]


def test_an_unrated_match_that_is_broken_off_is_lost(club: Any) -> None:
    ann, bob = club.member("ann", rated=False), club.member("bob")
    start(ann, bob)
    assert bob.os("break")[-1] == "/os: - match .0 1720 ann 1720 bob 8 U bob left"
    assert ann.os("stored")[0] == "/os: stored 0 ann"


def test_a_rated_match_that_is_broken_off_while_komi_is_bid_for_is_lost_and_no_id_is_promised(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob, kind="8k")
    ann.os(f"play {match} f5/3")
    assert bob.os("break")[-1] == "/os: - match .0 1720 ann 1720 bob 8k R bob left"
    assert ann.os("stored")[0] == "/os: stored 0 ann"


def test_players_are_told_when_somebody_with_a_stored_match_returns(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    ann.os("stored +")
    start(ann, bob)
    bob.close()
    ann.lines()
    club.newcomer("bob")
    assert "/os: + bob stored" in ann.lines()


def test_undo_needs_both_and_gives_the_time_back(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob)
    ann.os(f"play {match} f5//9")
    assert ann.os("undo") == ["/os: undo .0 ann is asking"]
    lines = bob.os("undo")
    assert lines[1] == "|0 move(s)"
    assert "|ann      (1720.0 *) 01:00,0:0//02:00,0:0" in lines


def test_a_move_that_was_taken_back_stays_so_when_the_server_is_killed(make_club: Any, tmp_path: Path) -> None:
    club = make_club(tmp_path / "club.db")
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob)
    play_all(ann, bob, match, "f5 d6")
    ann.os("undo")
    bob.os("undo")
    club.store.close()  # nobody says goodbye

    club = make_club(tmp_path / "club.db")
    club.store.recover()
    assert club.member("ann").os("look .0")[1].count("B[f5") == 1
    assert "W[d6" not in club.member("bob").os("look .0")[1]


def test_an_offer_to_abort_is_void_after_the_next_move(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob)
    assert bob.os("abort") == ["/os: abort .0 bob is asking"]
    play_all(ann, bob, match, "f5 d6")
    ann.lines()
    assert ann.os("abort") == ["/os: abort .0 ann is asking"]
    assert bob.os("abort")[-1] == "/os: - match .0 1720 ann 1720 bob 8 R aborted"


def test_who_does_not_want_to_hear_is_not_told_what_is_said_at_matches(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    match = start(ann, bob)
    ann.os(f"tell {match} hello")
    assert "/os: .0 A 1720 ann: hello" in bob.lines()
    bob.os("hear -")
    ann.os(f"tell {match} hello")
    assert bob.lines() == []


def test_who_guesses_passwords_of_others_is_hung_up_on(club: Any) -> None:
    ann = club.member("ann")
    club.member("bob")
    for _ in range(5):
        assert not ann.hung_up
        ann.say("passw mine guess bob")
    assert ann.hung_up
    assert club.hall["ann"] is None


def test_an_account_that_has_not_changed_is_not_written(club: Any) -> None:
    ann = club.member("ann")
    before = club.store._db.total_changes
    ann.say("who")
    assert club.store._db.total_changes == before
    ann.say("info here")
    assert club.store._db.total_changes == before + 1


def test_talk_goes_to_players_channels_and_matches_but_not_to_who_ignores_it(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    assert ann.say("tell bob hello\\there") == ["READY"]
    assert bob.lines() == ["", "ann: hello", "|there", "READY"]
    bob.say("ignore + ann")
    assert ann.say("tell bob again") == [": ERR 'bob' will not hear you.", "READY"]
    ann.say("tell .chat anybody")
    assert bob.lines() == []


def test_presence_is_told_to_those_who_asked(club: Any) -> None:
    ann = club.member("ann")
    club.member("bob").close()
    assert ann.say("notify + bob") == ["READY"]
    assert ann.say("notify + /os") == [": + /os 1", "READY"]
    bob = club.newcomer("bob")
    assert ann.lines() == ["", ": + bob 1", "READY"]
    bob.close()
    assert ann.lines() == ["", ": - bob 1", "READY"]


def test_terminals_get_their_prompt_erased_and_errors_coloured(club: Any) -> None:
    ann = club.member("ann")
    ann.say("vt100 +")
    ann.os("vt100 +")
    assert ann.os("accept") == ["\x1b[2K\r/os: \x1b[101m\x1b[7mERR\x1b[0m accept <id>."]


def test_bells_ring_for_those_who_want_them(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    bob.os("bell +r")
    bob.say("bell +t")
    ann.os("ask 8 1:00 bob")
    ann.say("tell bob hello")
    heard = bob.lines()
    assert heard[1].startswith("/os: \a+   .0 1720.0 ann")
    assert "ann: \ahello" in heard
    assert not [line for line in bob.os("accept .0") if "\a+ match" in line]


def test_what_is_looked_for_in_vain_is_named_behind_what_was_found(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    start(ann, bob)
    assert ann.os("match bob carl .9")[1:] == [
        "|  .0 1720 ann      1720 bob             8  R 0",
        "|ERR not found: .9 carl",
    ]
    assert ann.os("request carl") == ["/os: request glob(0/0) recv(0/0) send(0/0)", "|ERR not found: carl"]


def test_settings_outlive_the_connection(club: Any) -> None:
    ann = club.member("ann")
    ann.os("open 7")
    ann.os("aform komi")
    ann.close()
    ann = club.newcomer("ann")
    ann.lines()
    rows = ann.os("finger")
    assert "|open   : 7" in rows
    assert "|accept : komi" in rows


@pytest.mark.parametrize(
    "command",
    ["play .0", "play . f5", "play .0.0.0 f5", "ask", "ask .x", "accept x", "watch + x", "look x", "top", "top 8 x",
     "rank 8 x y", "assess", "assess 8 x 3", "score .0 x", "tell", "history x", "finger x", "bell", "open -1",
     "who 8 b", "who 8 a x y z", "undo .0", "moves .9", "help x", "notify x", "decline x", "cancel .x",
     "stored x", "ask 8 1:00 x", "aform (", "foo"],
)  # fmt: skip
def test_every_bad_command_is_answered_by_one_error(club: Any, command: str) -> None:
    lines = club.member("ann").os(command)
    assert len(lines) == 1
    assert "ERR" in lines[0]


@pytest.mark.parametrize(
    "line", ["\x00", "tell", "tell /os", "tell /os ", "  ", "\\", "tell bob", "chann + x", "q" * 2000]
)
def test_strange_lines_are_answered_by_ready(club: Any, line: str) -> None:
    assert club.member("ann").say(line)[-1] == "READY"


def test_an_anti_game_and_a_board_of_another_size_are_played(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    lines = []
    for kind in ("6a", "10", "88", "4"):
        match = start(ann, bob, kind)
        width = {"6a": 6, "10": 10, "88": 10, "4": 4}[kind]
        low = width // 2
        move = f"{'abcdefghijklmn'[low + 1] if width > 4 else 'd'}{low + 1}"
        lines.append(ann.os(f"play {match} {move}")[0])
        ann.os(f"abort {match}")
        bob.os(f"abort {match}")
    assert [line.split()[1] for line in lines] == ["update"] * 4


SPOKEN = [
    (b"red \x1b[31mtext\x07", b"red [31mtext"),
    (b"a\tb\x00c\x7fd", b"a bcd"),
    ("gr\u00fc\u00df \u7ffb\u68cb".encode(), "gr\u00fc\u00df \u7ffb\u68cb".encode()),
    (b"\xc2\x9b2J utf-8", b"2J utf-8"),
    (b"\x9b2J latin-1 \xfc", b"2J latin-1 \xfc"),
]


@pytest.mark.parametrize(("said", "heard"), SPOKEN)
@pytest.mark.parametrize("way", ["tell bob ", "tell .chat ", "tell /os tell .0 "])
def test_nobody_sends_control_characters_to_the_terminal_of_another(
    club: Any, said: bytes, heard: bytes, way: str
) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    start(ann, bob)
    for player in (ann, bob):
        player.say("chann + .chat")
    bob.heard.clear()
    ann.say(way + said.decode("latin-1"))
    (line,) = [line for line in bytes(bob.heard).split(b"\r\n") if b"ann: " in line]
    assert line.endswith(b"ann: " + heard)


def test_what_a_player_tells_of_himself_has_no_control_characters(club: Any) -> None:
    ann, bob = club.member("ann"), club.member("bob")
    ann.say("info my \x1b]0;title\x07")
    assert "info   : my ]0;title" in bob.say("finger ann")
