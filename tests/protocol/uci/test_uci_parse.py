"""Commands and answers as text: what is written is read back, what is wrong is named with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.search import Bound, Info, Solve
from fanqi.uci import (
    ArbiterAnswer,
    ArbiterCommand,
    BestMove,
    Debug,
    Draw,
    Evaluate,
    Go,
    Handshake,
    HandshakeDone,
    Help,
    Identity,
    IsReady,
    NewGame,
    OptionDeclaration,
    Perft,
    PonderHit,
    ProtocolError,
    Query,
    Quit,
    ReadyOk,
    Response,
    Said,
    SetOption,
    SetPosition,
    ShowBoard,
    Stop,
    format_answer,
    format_command,
    parse_answer,
    parse_command,
)

KEYWORDS = {
    "name", "value", "moves", "startpos", "fen", "type", "default", "min", "max", "var", "ponder", "draw", "resign",
    "none", "0000", "string", "pv", "wld", "seed",
}  # fmt: skip
LIMITS = {
    "depth", "nodes", "movetime", "movestogo", "infinite", "ponder", "solve", "selectivity", "searchmoves",
    "perft", "p1time", "p2time", "p1inc", "p2inc", "wtime", "btime", "winc", "binc",
}  # fmt: skip

words = st.text(st.characters(min_codepoint=33, exclude_categories=("C", "Z")), min_size=1, max_size=9).filter(
    lambda word: word.lower() not in KEYWORDS | LIMITS and word != "(none)" and not word.startswith("#")
)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
numbers = st.integers(0, 10**17)
move_lists = st.lists(words, min_size=1, max_size=5).map(tuple)
clocks = st.dictionaries(
    st.sampled_from(["p1time", "p2time", "p1inc", "p2inc", "wtime", "btime", "winc", "binc"]),
    st.integers(-(10**17), 10**17),
).map(lambda clock: tuple(clock.items()))

commands = st.one_of(
    st.sampled_from(["uci", "ugi"]).map(Handshake),
    st.sampled_from([IsReady(), NewGame(), Stop(), PonderHit(), Quit(), ShowBoard(), Evaluate(), Help(), Draw()]),
    st.booleans().map(Debug),
    st.builds(SetOption, phrases, st.none() | st.just("") | phrases),
    st.builds(SetPosition, st.none() | phrases, st.just(()) | move_lists),
    st.builds(Perft, st.integers(1, 1000)),
    st.builds(Query, words, st.just(()) | move_lists),
    st.builds(ArbiterCommand, st.just(()) | move_lists),
    st.builds(
        Go,
        depth=st.none() | st.integers(1, 1000),
        nodes=st.none() | st.integers(1, 10**17),
        movetime=st.none() | numbers,
        movestogo=st.none() | numbers,
        clock=clocks,
        infinite=st.booleans(),
        ponder=st.booleans(),
        solve=st.sampled_from([None, Solve.SCORE, Solve.WDL]),
        selectivity=st.none() | st.integers(1, 100),
        searchmoves=st.none() | move_lists,
    ),
)

answers = st.one_of(
    st.builds(Identity, st.sampled_from(["name", "author"]), phrases),
    st.builds(OptionDeclaration, phrases, st.just("button")),
    st.builds(OptionDeclaration, phrases, st.just("check"), st.sampled_from(["true", "false"])),
    st.builds(OptionDeclaration, phrases, st.just("string"), st.just("") | phrases),
    st.builds(OptionDeclaration, phrases, st.just("spin"), numbers.map(str), st.integers(-9, 9), st.integers(10, 99)),
    st.builds(OptionDeclaration, phrases, st.just("combo"), phrases, choices=st.lists(phrases).map(tuple)),
    st.sampled_from(["uci", "ugi"]).map(HandshakeDone),
    st.just(ReadyOk()),
    st.builds(Said, phrases),
    st.builds(Response, phrases),
    st.builds(ArbiterAnswer, move_lists),
    st.builds(BestMove, st.none() | words, st.none() | words, st.sampled_from([None, "draw", "resign"])),
    st.builds(
        Info,
        depth=st.integers(0, 99),
        seldepth=st.integers(0, 99),
        selectivity=st.none() | st.integers(0, 100),
        multipv=st.integers(1, 64),
        score_cp=st.integers(-9999, 9999),
        bound=st.sampled_from(Bound),
        wdl=st.none() | st.tuples(*[st.integers(0, 1000)] * 3),
        nodes=numbers,
        hashfull=st.integers(0, 1000),
        time_ms=numbers,
        pv=st.just(()) | move_lists,
    ),
)


@given(commands)
def test_a_command_that_is_written_is_read_back(command):
    assert parse_command(format_command(command)) == command
    assert parse_command(format_command(command).encode()) == command


@given(answers)
def test_an_answer_that_is_written_is_read_back(answer):
    assert parse_answer(format_answer(answer)) == answer


@given(st.binary() | st.text())
def test_any_line_is_a_command_or_one_error_on_one_printable_line(line):
    try:
        parse_command(line)
    except ProtocolError as error:
        assert str(error).isprintable()
        assert 1 <= error.token <= len(line) + 1


@given(st.text())
def test_any_line_is_an_answer_or_an_error(line):
    try:
        parse_answer(line)
    except ProtocolError:
        assert line.split()[0] in ("bestmove", "id", "option", "readyok")


@pytest.mark.parametrize("line", ["", "   ", "\t", "# go", "#"])
def test_blank_lines_and_remarks_are_no_commands(line):
    assert parse_command(line) is None


def test_blanks_between_words_do_not_matter():
    assert parse_command("  position \t startpos   moves  f5  d6 ") == SetPosition(None, ("f5", "d6"))


def test_the_value_of_an_option_is_the_rest_of_the_line_as_it_was_written():
    assert parse_command("setoption  name Book File value  /a  b/c ") == SetOption("Book File", "/a  b/c")


def test_an_error_knows_its_place():
    with pytest.raises(ProtocolError) as caught:
        parse_command("go depth 3 movetime soon")
    assert (caught.value.token, caught.value.text) == (5, "soon")


def test_a_long_word_is_shortened_in_the_message():
    with pytest.raises(ProtocolError) as caught:
        parse_command("x" * 5000)
    assert len(str(caught.value)) < 130


def test_more_digits_than_a_number_may_have_are_no_number():
    with pytest.raises(ProtocolError, match="expected an integer"):
        parse_command(f"go nodes {'9' * 5000}")


def test_telemetry_that_cannot_be_read_is_left_out():
    line = "info depth x seldepth 9 score cp 12 upperbound tbhits 3 nonsense 4 wdl 1 2 currmove e4 nodes 5 pv e4 d5"
    assert parse_answer(line) == Info(seldepth=9, score_cp=12, bound=Bound.UPPER, nodes=5, pv=("e4", "d5"))


@pytest.mark.parametrize(("mate", "score"), [(3, 31997), (-2, -31998), (0, -32000)])
def test_a_mate_score_of_a_foreign_engine_is_a_large_one(mate, score):
    assert parse_answer(f"info depth 1 score mate {mate}").score_cp == score


@pytest.mark.parametrize("line", ["bestmove", "bestmove e4 ponder", "bestmove e4 e5", "id", "readyok now"])
def test_what_matters_is_read_strictly(line):
    with pytest.raises(ProtocolError):
        parse_answer(line)


@pytest.mark.parametrize("line", ["", "Stockfish 17", "  a b c d", "go depth 3"])
def test_other_lines_are_no_answers(line):
    assert parse_answer(line) is None


def test_an_error_is_told_from_other_remarks():
    assert parse_answer("info string error: no such option at token 3: x").is_error
    assert not parse_answer("info string waited 3 ms for its turn").is_error
