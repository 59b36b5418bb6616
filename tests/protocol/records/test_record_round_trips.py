"""For every format: parsing what was formatted gives the record back, for all games a format can hold."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanqi.banqi import Position as BanqiPosition
from fanqi.banqi import Rules
from fanqi.banqi.notation import START
from fanqi.game import Player
from fanqi.othello import GAME, Position
from fanqi.othello.scoring import final_margin
from fanqi.records import (
    FORMATS,
    GameRecord,
    PlayedMove,
    Problem,
    RecordError,
    Result,
    WthorHeader,
    format_names,
    format_obf,
    format_problem,
    parse_game_or_position,
    parse_names,
    parse_obf,
    parse_problem,
    parse_records,
    plain_moves,
)
from fanqi.records.fen import format_edax_fen, format_flipello_fen, parse_fen
from fanqi.records.tcga import RULES

BITS = (1 << 64) - 1
NAMES = st.text(string.ascii_letters + string.digits + ".-_' é翻", max_size=12).map(lambda text: " ".join(text.split()))
HUNDREDTHS = st.integers(-6400, 6400).map(lambda value: value / 100)
TIMES = st.integers(0, 100000).map(lambda value: value / 100)
RATINGS = st.none() | st.integers(0, 30000).map(lambda value: value / 10)


@st.composite
def starts(draw) -> Position:
    """The usual start, or any position at all."""
    if draw(st.booleans()):
        return Position()
    black = draw(st.integers(0, BITS))
    white = draw(st.integers(0, BITS)) & ~black
    return Position(black, white, draw(st.sampled_from(Player)))


@st.composite
def othello_games(draw, figures: bool = True) -> GameRecord:
    """A random game, perhaps not played to its end, with what most formats hold."""
    start = draw(starts())
    position, moves = start, []
    for choice in draw(st.lists(st.integers(0, 1 << 16), max_size=70)):
        legal = position.legal_moves()
        if not legal:
            break
        name = legal[choice % len(legal)]
        evaluation = draw(st.none() | HUNDREDTHS) if figures else None
        moves.append(PlayedMove(name, evaluation, draw(st.none() | TIMES) if figures else None))
        position = position.play(name)
    over = not position.legal_moves()
    result = None
    if over:
        result = Result.of_margin(final_margin(position.black.bit_count(), position.white.bit_count()))
    return GameRecord(
        "othello",
        tuple(moves),
        None if start == Position() else start.fen(),
        (draw(NAMES), draw(NAMES)),
        (draw(RATINGS), draw(RATINGS)),
        draw(st.sampled_from(["", "2026-11-30"])),
        draw(NAMES),
        result,
    )


@st.composite
def banqi_games(draw) -> GameRecord:
    """A random game under the client's rules."""
    start = BanqiPosition.parse(START, Rules.parse(RULES))
    position, moves = start, []
    letters = list(draw(st.permutations("KGGMMRRNNCCPPPPPkggmmrrnnccppppp")))
    for choice in draw(st.lists(st.integers(0, 1 << 16), max_size=80)):
        legal = position.legal_moves()
        if not legal:
            break
        name = legal[choice % len(legal)]
        if position.needs_reveal(name):
            name = f"{name}={letters.pop()}"
        moves.append(PlayedMove(name))
        position = position.play(name)
    result = draw(st.none() | st.builds(Result, st.sampled_from([None, *Player]), st.none(), st.just("no_moves")))
    return GameRecord(
        "banqi",
        tuple(moves),
        players=(draw(NAMES), draw(NAMES)),
        date=draw(st.sampled_from(["", "3:28pm Jan 13, 2022"])),
        result=result,
        rules=RULES,
    )


@st.composite
def reversi_games(draw) -> GameRecord:
    """A random game of old Reversi, from its start or, with the hands of a game without passes, from anywhere."""
    rules = draw(st.sampled_from(["rules=1890", "rules=1886", "rules=1886,start=parallel"]))
    usual = GAME.start(rules)
    start = draw(st.just(usual) | starts().map(lambda found: GAME.parse(found.fen(), rules)))
    position, moves = start, []
    for choice in draw(st.lists(st.integers(0, 1 << 16), max_size=70)):
        legal = position.legal_moves()
        if not legal:
            break
        moves.append(PlayedMove(legal[choice % len(legal)]))
        position = position.play(moves[-1].move)
    outcome = position.outcome()
    result = None if outcome is None else Result(outcome.winner, outcome.margin)
    return GameRecord(
        "othello", tuple(moves), None if start == usual else start.fen(), (draw(NAMES), ""), result=result, rules=rules
    )


def back(name: str, record: GameRecord) -> GameRecord:
    """The record after a way through a file of that format, which is also detected as that format."""
    writer = FORMATS[name].writer((2026, 11, 30))
    data = writer.add(record) + writer.finish()
    (again,) = parse_records(data)
    assert isinstance(again, GameRecord), again
    return again


@given(othello_games())
def test_ggf_holds_a_game_with_its_evaluations_and_times(record):
    assert back("ggf", record) == record


@given(othello_games(figures=False))
def test_sgf_holds_a_game_without_evaluations(record):
    assert back("sgf", record) == record


@given(reversi_games())
@pytest.mark.parametrize("name", ["sgf", "json"])
def test_sgf_and_json_lines_hold_games_of_old_reversi(name, record):
    assert back(name, record) == record


@pytest.mark.parametrize("name", ["ggf", "pgn", "transcript", "wthor", "obf"])
def test_formats_that_cannot_tell_the_rules_refuse_old_reversi(name):
    with pytest.raises(RecordError, match="cannot say by which rules a game is played; SGF and JSON lines can"):
        FORMATS[name].writer((2026, 11, 30)).add(GameRecord("othello", plain_moves(["d4"]), rules="rules=1890"))


def test_sgf_refuses_hands_that_its_readers_would_not_expect():
    start = GAME.start().fen() + " 31"
    with pytest.raises(RecordError, match="SGF has no place for the discs in hand"):
        FORMATS["sgf"].writer((2026, 11, 30)).add(GameRecord("othello", start=start, rules="rules=1890"))
    assert back("json", GameRecord("othello", start=start, rules="rules=1890")).start == start


def test_a_position_with_discs_in_hand_is_read_under_its_rules_only():
    text = "-" * 27 + "XO------XO" + "-" * 27 + " X 30"
    record = parse_game_or_position(f"{text} moves f5", "rules=1890")
    assert (record.start, [move.move for move in record.moves]) == (text, ["f5"])
    for lost in (text, f"{text} moves f5"):
        with pytest.raises(RecordError, match="discs in hand are known under rules=1890 only"):
            parse_game_or_position(lost)


def test_an_sgf_with_other_words_about_its_rules_is_a_game_of_othello():
    (record,) = parse_records(b"(;FF[4]GM[2]RU[Japanese]SZ[8];B[f5];W[d6])")
    assert record.rules == ""
    (wrong,) = parse_records(b"(;FF[4]GM[2]RU[rules=1891]SZ[8];B[f5];W[d6])")
    assert "rules takes othello or 1886 or 1890" in str(wrong)


@given(othello_games())
def test_pgn_holds_a_game_with_its_evaluations_and_times(record):
    written = replace(record, date=record.date.replace("-", "."))
    assert back("pgn", written) == written


@given(othello_games(figures=False))
def test_a_transcript_holds_the_moves_and_nothing_else(record):
    bare = GameRecord("othello", record.moves, record.start, result=record.result)
    if bare.moves or bare.result is None:
        assert back("transcript", bare) == bare


@given(othello_games() | banqi_games())
def test_json_lines_hold_everything(record):
    tags = (("TY", "8b"), ("anything", "at all ]"))
    tagged = replace(record, tags=tags, opening_plies=len(record.moves) // 2)
    assert back("json", tagged) == tagged


@given(banqi_games())
def test_a_tcga_record_holds_a_banqi_game(record):
    again = back("tcga", record)
    kept = tuple(tag for tag in again.tags if tag[0] not in ("first", "time", "tcga_comment", "tcga_result"))
    assert replace(again, tags=kept) == record


@given(othello_games(figures=False), st.integers(0, 64))
def test_wthor_holds_a_finished_game_from_the_usual_start(record, theoretical):
    position, moves = Position(), []
    while legal := position.legal_moves():  # play on to the end from the usual start, by the record's own choices
        wish = record.moves[len(moves)].move if len(moves) < len(record.moves) else legal[0]
        moves.append(PlayedMove(wish if wish in legal else legal[0]))
        position = position.play(moves[-1].move)
    result = Result.of_margin(final_margin(position.black.bit_count(), position.white.bit_count()))
    tags = (("theoretical", str(theoretical)),)
    again = back("wthor", GameRecord("othello", tuple(moves), date="1999", result=result, tags=tags))
    assert (again.moves, again.result, again.date) == (tuple(moves), result, "1999")
    assert again.tag("theoretical") == str(theoretical)


@given(starts(), st.lists(st.tuples(st.integers(0, 63), st.integers(-64, 64)), max_size=5), NAMES)
def test_obf_holds_a_position_with_its_scores(position, scored, comment):
    scores = tuple((f"{'abcdefgh'[square % 8]}{square // 8 + 1}", float(score)) for square, score in scored)
    problem = Problem(position.fen(), scores, comment)
    assert parse_problem(format_problem(problem)) == problem
    record = parse_obf(format_problem(problem))
    assert format_obf(record) == format_problem(problem)
    assert parse_obf(format_obf(record)) == record


@given(starts())
def test_chess_fens_hold_any_position(position):
    assert parse_fen(format_edax_fen(position.fen())) == position.fen()
    assert parse_fen(format_flipello_fen(position.fen())) == position.fen()


@given(st.lists(st.text(string.ascii_letters + " éü", max_size=19).map(str.strip), max_size=20))
def test_wthor_name_files_hold_latin_names(names):
    header = WthorHeader((2026, 11, 30), 2026)
    assert list(parse_names(format_names(names, 20, header), 20)) == names


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(FORMATS)),
    st.binary(max_size=200)
    | st.text("(;)[]GMOthelBPWAaf5/1.0 \n|*-X", max_size=200).map(str.encode)
    | st.text("* 1.INTALbx8()-=Pp \n", max_size=200).map(str.encode),
)
def test_no_bytes_make_a_reader_do_anything_but_give_records_and_errors(name, data):
    for item in parse_records(data, FORMATS[name]):
        assert isinstance(item, GameRecord | RecordError)
        if isinstance(item, RecordError):
            assert str(item)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"tcga", "json"}))
def test_formats_of_othello_refuse_banqi_by_name(name):
    with pytest.raises(RecordError, match="Othello games only"):
        FORMATS[name].writer((2026, 11, 30)).add(GameRecord("banqi"))
