"""The parts of a match that know no engines: limits, clocks, lines, schedules, descriptions, records."""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.game import Player, load_game
from fanqi.match.clock import GRACE_MS, GameClock
from fanqi.match.config import Adjudication, MatchConfig, decode_config, encode_config
from fanqi.match.dialects.uci_lines import is_scored, parse_best_move, parse_info, parse_option_name
from fanqi.match.errors import ConfigurationError, StoreError
from fanqi.match.ledger import Ledger
from fanqi.match.limit import DEFAULT_LIMIT, Limit, TimeControl, parse_time_control
from fanqi.match.lines import MAX_LINE, LineBuffer, tidy_line
from fanqi.match.opening_files import format_opening_line, load_openings, parse_opening_lines
from fanqi.match.openings import ListedOpenings, Opening, RandomOpenings, mirror_fen
from fanqi.match.record import DealProof, GameRecord, Result, decode_record, encode_record, hide_proof
from fanqi.match.schedule import Form, PairTask, schedule
from fanqi.match.seeds import derived
from fanqi.match.specification import parse_engine, parse_settings
from fanqi.match.sprt import Sprt
from fanqi.match.standings import Standings
from fanqi.match.store import repair
from fanqi.match.summary import summary_lines
from fanqi.match.tcp import parse_address

if TYPE_CHECKING:
    from pathlib import Path

QUICK = Limit(movetime_ms=100)


# --- limits and clocks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("60+0.6", TimeControl(60_000, 600)),
        ("40/60+0.6", TimeControl(60_000, 600, 40)),
        ("2:30+1", TimeControl(150_000, 1000)),
        ("10", TimeControl(10_000)),
        ("0.05", TimeControl(50)),
        ("0+0.1", TimeControl(0, 100)),
    ],
)
def test_time_controls_are_read_as_other_runners_write_them(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize(
    "text",
    [
        "",
        "60+",
        "+1",
        "-5",
        "60+0.6+1",
        "0/60",
        "60 + 1",
        "0",
        "0+0",
        "1e3",
        "1.2345",
        "٣",
        "9" * 5000,
        "1/" + "9" * 5000,
    ],
)
def test_time_controls_that_make_no_sense_are_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigurationError, match="time control"):
        parse_time_control(text)


@given(st.integers(0, 10**8), st.integers(1, 10**6), st.none() | st.integers(1, 99))
def test_a_time_control_reads_what_it_prints(base: int, increment: int, moves: int | None) -> None:
    control = TimeControl(base, increment, moves)
    assert parse_time_control(str(control)) == control


def test_an_engine_without_any_limit_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="needs a limit"):
        Limit()


def test_the_first_increment_is_there_before_the_first_move() -> None:
    clock = GameClock(Limit(TimeControl(1000, 100)), stall_ms=1)
    assert clock.left_ms == 1100
    assert clock.spend(300)
    assert clock.left_ms == 900


def test_a_clock_overstepped_within_the_margin_counts_as_empty() -> None:
    clock = GameClock(Limit(TimeControl(1000, 100), timemargin_ms=50), stall_ms=1)
    assert clock.allowed_ms == 1150
    assert clock.spend(1150)
    assert clock.left_ms == 100


def test_a_clock_overstepped_beyond_the_margin_is_lost() -> None:
    clock = GameClock(Limit(TimeControl(1000, 100), timemargin_ms=50), stall_ms=1)
    assert not clock.spend(1151)
    assert clock.left_ms == 0


def test_the_base_comes_again_after_its_moves() -> None:
    clock = GameClock(Limit(TimeControl(1000, 0, moves=2)), stall_ms=1)
    clock.spend(100)
    assert (clock.left_ms, clock.moves_to_go) == (900, 1)
    clock.spend(100)
    assert (clock.left_ms, clock.moves_to_go) == (1800, 2)


def test_a_fixed_time_is_for_each_move() -> None:
    clock = GameClock(Limit(movetime_ms=100, timemargin_ms=20), stall_ms=1)
    assert clock.spend(120)
    assert not clock.spend(121)
    assert clock.left_ms is None
    assert clock.patience_ms == 120 + GRACE_MS


def test_the_tighter_of_two_time_limits_holds() -> None:
    clock = GameClock(Limit(TimeControl(50), movetime_ms=100, timemargin_ms=0), stall_ms=1)
    assert clock.allowed_ms == 50


def test_without_a_time_limit_patience_is_bounded_all_the_same() -> None:
    clock = GameClock(Limit(depth=5), stall_ms=7000)
    assert clock.allowed_ms is None
    assert clock.patience_ms == 7000
    assert clock.spend(10**9)


# --- lines ----------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=40).filter(lambda b: b"\n" not in b)), st.data())
def test_lines_come_out_whole_however_the_bytes_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + data.draw(st.sampled_from([b"\n", b"\r\n"])) for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    buffer = LineBuffer()
    found = [line for a, b in itertools.pairwise([0, *cuts, len(stream)]) for line in buffer.feed(stream[a:b])]
    assert found == [tidy_line(line) for line in lines]
    assert buffer.overlong == 0


@pytest.mark.parametrize(
    "line",
    [
        b"bestmove f5",
        b" bestmove f5",
        b"\tbestmove\t f5 \r",
        b"bestmove  f5\r",
        b"\xef\xbb\xbfbestmove f5",
        b"\xef\xbb\xbf bestmove f5",
    ],
)
def test_blanks_around_and_between_the_words_of_a_line_make_no_difference(line: bytes) -> None:
    assert LineBuffer().feed(line + b"\n") == [b"bestmove f5"]


@pytest.mark.parametrize("chunk", [1000, 65_536, 10_000_000])
def test_a_line_that_is_too_long_is_dropped_and_the_next_one_kept(chunk: int) -> None:
    stream = b"a\n" + b"x" * 1_000_000 + b"\nb\n"
    buffer = LineBuffer()
    found = [line for at in range(0, len(stream), chunk) for line in buffer.feed(stream[at : at + chunk])]
    assert found == [b"a", b"b"]
    assert buffer.overlong == 1


def test_the_longest_line_is_kept() -> None:
    assert LineBuffer().feed(b"x" * MAX_LINE + b"\n") == [b"x" * MAX_LINE]


@given(st.lists(st.binary(max_size=200)))
def test_no_bytes_make_the_buffer_store_more_than_a_line(chunks: list[bytes]) -> None:
    buffer = LineBuffer()
    for chunk in chunks:
        buffer.feed(chunk * 600)
        assert len(buffer._rest) <= MAX_LINE


def test_an_info_line_is_read_as_far_as_it_can_be() -> None:
    thought = parse_info(
        b"info depth 12 seldepth 20 selectivity 100 multipv 1 score cp -34 wdl 1 2 3 nodes 99 nps x time 7 pv f5 d6"
    )
    assert (thought.cp, thought.depth, thought.nodes, thought.time_ms) == (-34, 12, 99, 7)
    assert thought.exact
    assert thought.pv == "f5 d6"


@pytest.mark.parametrize(("text", "cp"), [("mate 1", 99_999), ("mate -3", -99_997), ("cp x", None), ("mate", None)])
def test_scores_are_read_in_all_forms(text: str, cp: int | None) -> None:
    assert parse_info(f"info depth 1 score {text} nodes 5".encode()).cp == cp


@given(st.binary(max_size=200))
def test_no_line_can_upset_the_readers(line: bytes) -> None:
    for text in (line, b"info " + line, b"bestmove " + line, b"option name " + line):
        parse_info(text)
        parse_best_move(text)
        parse_option_name(text)
        is_scored(text)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (b"info depth 1 score cp 5 pv f5", True),
        (b"info depth 1 multipv 1 score cp 5 pv f5", True),
        (b"info depth 1 multipv 2 score cp 5 pv f5", False),
        (b"info depth 1 score cp 5 lowerbound pv f5", False),
        (b"info string score cp 5", False),
        (b"info depth 1", False),
    ],
)
def test_only_full_scores_of_the_first_line_are_kept(line: bytes, kept: bool) -> None:
    assert is_scored(line) is kept


def test_answers_carry_their_words() -> None:
    assert parse_best_move(b"bestmove") is None
    offered, resigned = parse_best_move(b"bestmove f5 ponder d6 draw"), parse_best_move(b"bestmove f5 resign")
    assert offered is not None
    assert resigned is not None
    assert (offered.move, offered.offers_draw, offered.resigns) == ("f5", True, False)
    assert (resigned.move, resigned.offers_draw, resigned.resigns) == ("f5", False, True)


# --- descriptions ---------------------------------------------------------------------------------------------


def test_an_engine_is_described_in_one_line() -> None:
    spec = parse_engine('new=./fanqi engine "option.Skill Level=3" option.Hash=64 tc=10+0.1 timemargin=20', QUICK)
    assert spec.name == "new"
    assert spec.arguments == ["./fanqi", "engine"]
    assert spec.options == {"Skill Level": "3", "Hash": "64"}
    assert spec.limit == Limit(TimeControl(10_000, 100), timemargin_ms=20)


def test_settings_for_all_engines_give_way_to_an_engines_own() -> None:
    each = parse_settings("option.Hash=16 option.Threads=1 timemargin=7")
    spec = parse_engine("a=x option.Hash=64", QUICK, each)
    assert spec.options == {"Hash": "64", "Threads": "1"}
    assert spec.limit == replace(QUICK, timemargin_ms=7)


def test_words_in_the_middle_of_a_command_are_the_commands_own() -> None:
    assert parse_engine("a=env depth=3 ./engine", QUICK).arguments == ["env", "depth=3", "./engine"]


def test_an_option_that_is_a_number_is_found_in_any_case() -> None:
    spec = parse_engine("a=x option.hash=64 option.Threads=many option.skill_level=3", QUICK)
    assert (spec.number("Hash", 16), spec.number("Threads", 1), spec.number("MultiPV", 2)) == (64, 1, 2)
    assert spec.number("Skill Level", 20) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "NAME=COMMAND"),
        ("=x", "NAME=COMMAND"),
        ("a=", "NAME=COMMAND"),
        ("a/b=x", "file name"),
        ("a=builtin:chess", "builtin:random"),
        ("a=tcp://nowhere", "tcp://HOST:PORT"),
        ("a=tcp://host:99999", "tcp://HOST:PORT"),
        ("a=x depth=0", "at least 1"),
        ("a=x tc=never", "time control"),
        ("a='x", "No closing quotation"),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(text: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        parse_engine(text, QUICK)


def test_an_engine_without_a_limit_gets_the_usual_one() -> None:
    assert parse_engine("a=x option.depth=8", None).limit == DEFAULT_LIMIT
    assert parse_engine("a=x timemargin=5", None).limit == replace(DEFAULT_LIMIT, timemargin_ms=5)


def test_fanqi_as_a_command_is_this_installation_wherever_it_is() -> None:
    spec = parse_engine("a=fanqi engine --quiet", QUICK)
    assert spec.command == "fanqi engine --quiet"
    assert spec.arguments == [sys.executable, "-P", "-m", "fanqi.cli", "engine", "--quiet"]
    assert parse_engine("a=./fanqi engine", QUICK).arguments == ["./fanqi", "engine"]


def test_the_depth_of_an_nboard_engine_is_limit_enough() -> None:
    engine = parse_engine("a=nboard:x option.Depth=8", None)
    assert (engine.limit, engine.options) == (Limit(depth=8), {"Depth": "8"})
    assert parse_engine("a=nboard:x option.depth=8", QUICK).limit == QUICK
    with pytest.raises(ConfigurationError, match=r"engine a: option\.depth=deep: expected an integer"):
        parse_engine("a=nboard:x option.depth=deep", None)


def test_addresses_may_be_ipv6() -> None:
    assert parse_address("tcp://[::1]:7654") == ("::1", 7654)
    assert parse_address("tcp://localhost:1") == ("localhost", 1)


@pytest.mark.parametrize(
    "text",
    ["tcp://a..b:1", "tcp://[]:1", f"tcp://{'x' * 64}:1", "tcp://\udcff:1", f"tcp://host:{'1' * 5000}", "tcp://host:²"],
)
def test_what_cannot_be_connected_to_is_refused_as_an_address(text: str) -> None:
    with pytest.raises(ConfigurationError, match="address"):
        parse_address(text)


def config(**settings: object) -> MatchConfig:
    engines = (parse_engine("a=x", QUICK), parse_engine("b=y option.Hash=1", QUICK))
    defaults: dict[str, object] = {"game": "othello", "engines": engines, "games": 4, "seed": str(2**100)}
    return MatchConfig(**{**defaults, **settings})  # type: ignore[arg-type]


def test_a_description_is_read_back_as_it_was_written() -> None:
    described = config(sprt=Sprt(0, 5), adjudication=Adjudication(500, 3, True, 10, 4, 30, 100), form=Form.GAUNTLET)
    assert decode_config(encode_config(described)) == described


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"format": "x"}', b"\xff"])
def test_a_file_that_describes_no_match_is_refused(data: bytes) -> None:
    with pytest.raises(StoreError):
        decode_config(data)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"game": "chess"}, "othello or banqi"),
        ({"engines": (parse_engine("a=x", QUICK),)}, "two engines or more"),
        ({"engines": (parse_engine("a=x", QUICK),) * 2}, "two engines are called 'a'"),
        ({"games": 0}, "at least 1"),
        ({"games": None}, "sequential test"),
        ({"concurrency": 0}, "at least 1"),
        ({"rules": "chase=maybe", "game": "banqi"}, "chase"),
        ({"rules": "chase=off"}, "unknown parameter 'chase=off'"),
        ({"scoring": "golf"}, "golf"),
        ({"banned_reply": "laugh"}, "ask-again"),
    ],
)
def test_matches_that_cannot_be_played_are_refused(settings: dict[str, object], why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        config(**settings).check()


# --- schedules ------------------------------------------------------------------------------------------------


def test_every_pairing_has_its_pair_before_any_has_its_next() -> None:
    tasks = list(schedule(3, 4, Form.ROUND_ROBIN))
    assert [(task.round, task.first, task.second) for task in tasks] == [
        (1, 0, 1), (1, 0, 2), (1, 1, 2), (2, 0, 1), (2, 0, 2), (2, 1, 2),
    ]  # fmt: skip
    assert [task.number for task in tasks] == [1, 2, 3, 4, 5, 6]


def test_in_a_gauntlet_the_first_meets_all_others() -> None:
    assert [(t.first, t.second) for t in schedule(4, 2, Form.GAUNTLET)] == [(0, 1), (0, 2), (0, 3)]


def test_an_odd_number_of_games_ends_with_half_a_pair() -> None:
    assert [task.games for task in schedule(2, 5, Form.ROUND_ROBIN)] == [2, 2, 1]


def test_pairs_are_made_one_at_a_time_without_end() -> None:
    tasks = schedule(2, None, Form.ROUND_ROBIN)
    assert [next(tasks).number for _ in range(1000)][-1] == 1000


def test_games_have_numbers_of_their_own() -> None:
    numbers = [task.game_number(index) for task in schedule(3, 4, Form.ROUND_ROBIN) for index in (0, 1)]
    assert numbers == list(range(1, 13))


# --- seeds and openings ---------------------------------------------------------------------------------------


def test_derived_seeds_never_change() -> None:
    assert derived(1, "deal", 1) == 289876357964043122227399574890924861910
    assert len({derived(seed, what, n) for seed in (1, 2) for what in ("deal", "dice") for n in range(50)}) == 200


def test_a_position_is_mirrored_with_its_chase_counters() -> None:
    fen = "X.../.n../..../.R../..../..../.k../P..K g b 11 r:b5>b7=5,b:a2>d1=1"
    assert mirror_fen(fen) == "...X/..n./..../..R./..../..../..k./K..P g b 11 r:c5>c7=5,b:d2>a1=1"
    assert mirror_fen(mirror_fen(fen)) == fen


def test_random_openings_are_the_same_for_everybody_and_different_in_each_round() -> None:
    source, again = (RandomOpenings("othello", "", 8, 5) for _ in range(2))
    openings = [source.opening(number) for number in range(1, 30)]
    assert [again.opening(number) for number in range(1, 30)] == openings
    assert len(set(openings)) > 25
    assert all(len(opening.moves) == 8 for opening in openings)


def test_a_list_is_gone_through_again_and_again_in_order() -> None:
    listed = [Opening(name=str(n)) for n in range(3)]
    assert [ListedOpenings(listed, None, 1).opening(n).name for n in range(1, 6)] == ["1", "2", "0", "1", "2"]


def test_a_random_order_uses_every_opening_once_before_it_repeats() -> None:
    listed = [Opening(name=str(n)) for n in range(20)]
    source = ListedOpenings(listed, 7)
    names = [source.opening(n).name for n in range(1, 41)]
    assert set(names[:20]) == set(names[20:]) == {str(n) for n in range(20)}
    assert names[:20] != names[20:]
    assert source.opening(3).name == names[2]


def test_opening_files_of_any_kind_are_read_and_bad_lines_named(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_bytes(b"f5d6c3d3c4\r\nf5f5\r\nF5 D6 C4\r\n")
    openings, complaints = load_openings(str(book), "othello", "", None)
    assert [opening.moves for opening in openings] == [("f5", "d6", "c3", "d3", "c4"), ("f5", "d6", "c4")]
    assert len(complaints) == 1
    assert "line 2" in complaints[0]


def test_openings_can_be_cut_short(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("f5d6c3d3c4\n")
    assert load_openings(str(book), "othello", "", 2)[0][0].moves == ("f5", "d6")


def test_banqi_positions_are_read_with_their_comments(tmp_path: Path) -> None:
    book = tmp_path / "positions.txt"
    book.write_text("# endings\n..../r.../..../..../..../..../..../...K - r 5 -  # one each\nnonsense\n")
    openings, complaints = load_openings(str(book), "banqi", "", None)
    assert [opening.start for opening in openings] == ["..../r.../..../..../..../..../..../...K - r 5 -"]
    assert "line 3" in complaints[0]


@pytest.mark.parametrize("choice", ["random:0", "random:99", "random:x", "/no/such/file"])
def test_openings_that_cannot_be_had_are_refused(choice: str) -> None:
    with pytest.raises(ConfigurationError, match="openings"):
        load_openings(choice, "othello", "", None)


def test_a_file_without_a_single_good_opening_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("f5f5\n")
    with pytest.raises(ConfigurationError, match="none that can be played"):
        load_openings(str(book), "othello", "", None)


def test_kept_openings_are_read_back() -> None:
    openings = [Opening("startpos", ("f5", "d6"), "f5d6"), Opening("startpos", (), "startpos")]
    text = "".join(f"{format_opening_line(opening)}\n" for opening in openings)
    assert parse_opening_lines(text) == openings


# --- records, ledger, standings -------------------------------------------------------------------------------


def record(number: int, winner: str | None = "p1", **changes: object) -> GameRecord:
    names = ("a", "b") if number % 2 else ("b", "a")
    plain = GameRecord(
        format="fanqi-match-game-1",
        number=number,
        pair=(number + 1) // 2,
        round=(number + 1) // 2,
        game="othello",
        players=names,
        date="2026-01-01",
        ended="2026-01-01",
        moves=["f5", "d6"],
        times=[0.1, None],
        nodes=[10, None],
        result=Result(winner, 6.0 if winner == "p1" else -6.0),
        termination="discs",
        final="",
    )
    return msgspec.structs.replace(plain, **changes)  # type: ignore[arg-type]


def test_a_record_is_read_back_as_it_was_written() -> None:
    game = record(1, deal=DealProof("c", "1", "s", "l", "d", True))
    assert decode_record(encode_record(game)) == game
    assert encode_record(game).count(b"\n") == 1


def test_a_hidden_deal_tells_its_commitment_and_nothing_else() -> None:
    hidden = hide_proof(record(1, deal=DealProof("c", "1", "s", "l", "d", True)))
    assert hidden.deal == DealProof("c", mirrored=True)


@pytest.mark.parametrize("line", [b"", b"{", b"{}", b'{"format":"other"}', b"\xff\n"])
def test_a_line_that_is_no_record_is_refused(line: bytes) -> None:
    with pytest.raises(StoreError):
        decode_record(line)


def test_what_is_left_to_play_shrinks_with_every_game() -> None:
    ledger = Ledger(config(games=6))
    for number in (1, 2, 5):
        ledger.record(record(number))
    assert list(ledger.remaining()) == [(PairTask(2, 2, 0, 1), (0, 1)), (PairTask(3, 3, 0, 1), (1,))]


def test_deals_open_when_no_game_with_them_is_left() -> None:
    ledger = Ledger(config(game="banqi", games=4))
    first, second = (record(number, game="banqi", deal=DealProof("c", "1", "s")) for number in (1, 2))
    assert ledger.record(first) == []
    assert ledger.record(second) == [first, second]


@given(st.permutations(range(1, 13)))
def test_the_order_in_which_games_end_does_not_matter(numbers: list[int]) -> None:
    ledger, standings = Ledger(config(games=12)), Standings(["a", "b"], [(0, 1)])
    for number in numbers:
        game = record(number, "p1" if number % 3 else None)
        ledger.record(game)
        standings.add(game)
    assert not list(ledger.remaining())
    (totals,) = standings.pairings.values()
    assert totals.counts == (4, 4, 4)
    assert totals.pairs == [0, 2, 2, 2, 0]


def test_a_pair_with_a_void_game_tells_nothing() -> None:
    standings = Standings(["a", "b"], [(0, 1)])
    standings.add(record(1))
    standings.add(record(2, result=None, termination="start_failure"))
    (totals,) = standings.pairings.values()
    assert totals.pairs == [0] * 5
    assert totals.counts == (0, 0, 1)
    assert standings.void == 1


def test_faults_are_counted_for_who_made_them_and_do_not_count_as_margins() -> None:
    standings = Standings(["a", "b"], [(0, 1)])
    standings.add(record(1, "p1", termination="time"))
    standings.add(record(2, "p1", termination="crash"))
    assert standings.engines["b"].faults == {"time": 1}
    assert standings.engines["a"].faults == {"crash": 1}
    (totals,) = standings.pairings.values()
    assert totals.margins == [0, 0.0, 0.0]


def test_margins_are_from_the_first_engines_view() -> None:
    standings = Standings(["a", "b"], [(0, 1)])
    standings.add(record(1, "p1"))
    standings.add(record(2, "p1"))
    (totals,) = standings.pairings.values()
    assert totals.margins == [2, 0.0, 72.0]


def test_seats_alternate_also_from_a_position_in_which_white_begins() -> None:
    white_begins = record(1, start=f"{'-' * 64} O")
    assert list(white_begins.plies_of(0)) == [1]
    assert list(record(1).plies_of(0)) == [0]


def test_the_summary_never_prints_nan(capsys: pytest.CaptureFixture[str]) -> None:
    standings = Standings(["a", "b"], [(0, 1)])
    for number in range(4):
        if number:
            standings.add(record(number))
        text = "\n".join(summary_lines(config(), standings))
        assert "nan" not in text
        assert "inf" not in text
    assert "Ptnml(0-2)" in text


def test_a_line_that_was_cut_off_is_taken_out(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    for whole, rest in ((b"a\nb\n", b"half"), (b"", b"x" * 200_000), (b"a\n", b""), (b"", b"")):
        journal.write_bytes(whole + rest)
        repair(journal)
        assert journal.read_bytes() == whole


def test_openings_of_banqi_have_their_mirror_image() -> None:
    opening = Opening("..../r.../..../..../..../..../..../...K - r 5 -")
    assert opening.mirrored().start == "..../...r/..../..../..../..../..../K... - r 5 -"
    assert Opening().mirrored() == Opening()
    position = load_game("banqi").parse(opening.mirrored().start)
    assert position.turn is Player.P1
