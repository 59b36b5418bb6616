"""Every message of a foreign dialect is read back as it was written, and read in the dress others give it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.dialects import DialectError, cassio, flipello, gtp, nboard, tcga, xboard, xboard_options
from fanqi.game import Player
from fanqi.othello import Position
from fanqi.records import GameRecord, PlayedMove

SQUARES = [f"{file}{row}" for file in "abcdefgh" for row in range(1, 9)]
MOVES = st.sampled_from([*SQUARES, "pass"])
HUNDREDTHS = st.integers(-6400, 6400).map(lambda value: value / 100)
TIMES = st.integers(0, 100_000).map(lambda value: value / 100)
WORDS = st.from_regex(r"[A-Za-z0-9.]{1,8}", fullmatch=True)
TEXTS = st.lists(WORDS, max_size=4).map(" ".join)
NUMBERS = st.integers(-10_000, 10_000)
PVS = st.lists(MOVES, min_size=1, max_size=5).map(tuple)
LINES = st.text(max_size=60) | st.binary(max_size=60)
BITS = st.integers(0, (1 << 64) - 1)


@st.composite
def positions(draw):
    black = draw(BITS)
    return Position(black, draw(BITS) & ~black, draw(st.sampled_from(Player)))


# ------------------------------------------------------------------------------------------------------ NBoard

GUI_LINES = st.one_of(
    st.builds(nboard.Hello, NUMBERS),
    st.builds(nboard.SetDepth, NUMBERS),
    st.builds(nboard.SetContempt, NUMBERS),
    st.just(nboard.SetGame(GameRecord("othello", (PlayedMove("f5", 1.0, 2.0), PlayedMove("d6")), players=("a", "b")))),
    st.builds(nboard.Move, MOVES, st.none() | HUNDREDTHS, st.none() | TIMES),
    st.builds(nboard.Hint, NUMBERS),
    st.builds(nboard.Go),
    st.builds(nboard.Ping, NUMBERS),
    st.builds(nboard.Learn),
    st.builds(nboard.Analyze),
    st.builds(nboard.Quit),
)
ENGINE_LINES = st.one_of(
    st.builds(nboard.MyName, TEXTS),
    st.builds(nboard.Status, TEXTS),
    st.builds(nboard.NodeStats, st.integers(0, 10**12), TIMES),
    st.builds(nboard.SearchLine, PVS, st.none() | HUNDREDTHS, st.sampled_from(["12", "100%", "14@73%"]), TEXTS),
    st.builds(nboard.BookLine, PVS, HUNDREDTHS, st.integers(0, 99), st.just("20"), TEXTS),
    st.builds(nboard.Choice, st.sampled_from(["F5", "PA"]), st.none() | HUNDREDTHS, st.none() | TIMES),
    st.builds(nboard.Analysis, st.integers(0, 60), st.none() | HUNDREDTHS),
    st.builds(nboard.Pong, NUMBERS),
    st.builds(nboard.Learned),
)


@given(GUI_LINES)
def test_nboard_gui_lines_are_read_back(message):
    assert nboard.parse_gui_line(nboard.format_gui_line(message)) == message


@given(ENGINE_LINES)
def test_nboard_engine_lines_are_read_back(message):
    assert nboard.parse_engine_line(nboard.format_engine_line(message)) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"=== d6 -1.00 0.0\r\n", nboard.Choice("d6", -1.0, 0.0)),
        ("=== F5", nboard.Choice("F5")),
        ("=== PA/-64/0.01", nboard.Choice("PA", -64.0, 0.01)),
        ("===", nboard.Choice("")),
        ("search PA NaN,NaN 0 12", nboard.SearchLine(("pass",), None, "12")),
        ("search F5-D6-C3 1.5,2.0 0 100%W solved", nboard.SearchLine(("f5", "d6", "c3"), 1.5, "100%W", "solved")),
        ("learn", nboard.Learned()),
        ("status", nboard.Status()),
        ("nodestats many soon", nboard.NodeStats(0, 0.0)),
        ("pong x", None),
        ("hello", None),
    ],
)
def test_nboard_engines_in_the_wild_are_understood(line, message):
    assert nboard.parse_engine_line(line) == message


# --------------------------------------------------------------------------------------------------------- GTP

COMMANDS = st.builds(
    gtp.GtpCommand, st.from_regex(r"[a-z_-]{1,10}", fullmatch=True), st.lists(WORDS, max_size=3).map(tuple),
    st.none() | st.integers(0, 999_999_999),
)  # fmt: skip
REPLIES = st.builds(
    gtp.GtpReply,
    st.booleans(),
    st.lists(st.from_regex(r"[A-Za-z][A-Za-z ]{0,8}[A-Za-z]", fullmatch=True), max_size=3).map("\n".join),
    st.none() | st.integers(0, 999_999_999),
)


@given(COMMANDS)
def test_gtp_commands_are_read_back(command):
    assert gtp.parse_command(gtp.format_command(command)) == command


@given(REPLIES)
def test_gtp_replies_are_read_back_and_end_with_one_empty_line(reply):
    text = gtp.format_reply(reply)
    assert gtp.parse_reply(text) == reply
    assert text.endswith("\n\n")
    assert "\n\n" not in text.removesuffix("\n\n")


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("= 1 f5", gtp.GtpReply(True, "f5", 1)),  # Edax puts a blank before the number
        ("=1 f5\r\n\r\n", gtp.GtpReply(True, "f5", 1)),
        ("= PASS\n\n", gtp.GtpReply(True, "PASS")),
        ("?7 illegal move", gtp.GtpReply(False, "illegal move", 7)),
        ("=", gtp.GtpReply(True)),
        ("info: thinking", None),
    ],
)
def test_gtp_engines_in_the_wild_are_understood(text, reply):
    assert gtp.parse_reply(text) == reply


@given(MOVES)
def test_gtp_vertices_are_read_back_in_any_case(move):
    assert gtp.parse_vertex(gtp.format_vertex(move)) == move
    assert gtp.parse_vertex(gtp.format_vertex(move).lower()) == move


# -------------------------------------------------------------------------------------------------------- TCGA

BANQI_SQUARES = [f"{file}{row}" for file in "abcd" for row in range(1, 9)]
FLIPS = st.tuples(st.sampled_from(BANQI_SQUARES), st.sampled_from("KGMRNCPkgmrncp")).map("=".join)
STEPS = st.tuples(st.sampled_from(BANQI_SQUARES), st.sampled_from(BANQI_SQUARES)).map("".join)


@given(st.integers(0, 18), st.lists(WORDS, max_size=3).map(tuple))
def test_tcga_commands_are_read_back(number, arguments):
    command = tcga.TcgaCommand(number, arguments)
    assert tcga.parse_command(tcga.format_command(command)) == command


@given(st.booleans(), st.integers(0, 99), TEXTS)
def test_tcga_replies_are_read_back(good, number, text):
    reply = tcga.TcgaReply(good, number, text)
    assert tcga.parse_reply(tcga.format_reply(reply)) == reply


@given(FLIPS | STEPS)
def test_tcga_executed_moves_are_read_back(move):
    assert tcga.parse_executed(tcga.parse_command(tcga.format_command(tcga.format_executed(move)))) == move


@given(st.sampled_from(BANQI_SQUARES) | STEPS.filter(lambda move: move[:2] != move[2:]))
def test_tcga_choices_are_read_back(move):
    assert tcga.parse_choice(tcga.format_choice(move)) == move


@pytest.mark.parametrize("text", ["", "b8", "b8 a9", "b8 a8 a7", "pass", "b8xx a8"])
def test_a_tcga_choice_that_is_not_two_squares_is_refused(text):
    with pytest.raises(DialectError):
        tcga.parse_choice(text)


# ---------------------------------------------------------------------------------------------------- flipello


@given(st.sampled_from(SQUARES))
def test_flipello_squares_are_mirrored_and_back(square):
    written = flipello.format_flipello_move(square, 1)
    assert written == f"P@{square[0]}{9 - int(square[1])}"
    assert flipello.parse_flipello_move(written) == square


@given(BITS.filter(bool))
def test_a_flipello_pass_is_the_own_lowest_square_in_mirrored_ranks(own):
    written = flipello.format_flipello_move("pass", own)
    squares = [f"{'abcdefgh'[bit % 8]}{8 - bit // 8}" for bit in range(64) if own >> bit & 1]
    lowest = min(squares, key=lambda square: (square[1], square[0]))
    assert written == lowest * 2
    assert flipello.parse_flipello_move(written) == "pass"


def test_a_flipello_line_has_its_passes_written_out():
    moves = "e6f6g6d6c6g7f4g5c4e3e2c7g4d2g8h8d7g3g2c5b7h6c2h2c3h4b6g1f2f8b8"
    pairs = [moves[at : at + 2] for at in range(0, len(moves), 2)]
    written = flipello.format_flipello_moves(Position(), pairs)
    assert written[-3:] == ["P@f1", "b2b2", "P@b1"]  # as Fairy-Stockfish writes it, see its transcript


@pytest.mark.parametrize("text", ["", "f5", "P@f9", "P@", "a1b1", "p@@f4"])
def test_what_is_no_flipello_move_is_refused(text):
    with pytest.raises(DialectError):
        flipello.parse_flipello_move(text)


# ------------------------------------------------------------------------------------------------------ XBoard


@given(MOVES, st.sampled_from(xboard.Style))
def test_xboard_moves_are_read_back_in_both_styles(move, style):
    assert xboard.parse_xboard_move(xboard.format_xboard_move(move, style), style) == move


@given(positions(), st.sampled_from(xboard.Style))
def test_xboard_positions_are_read_back_in_both_styles(position, style):
    assert xboard.parse_xboard_fen(xboard.format_xboard_fen(position.fen(), style), style) == position.fen()


def test_xboard_start_positions_are_those_of_edax_and_fairy_stockfish():
    start = Position().fen()
    assert xboard.format_xboard_fen(start, xboard.Style.REVERSI) == "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1"
    assert xboard.format_xboard_fen(start, xboard.Style.FLIPELLO).startswith("8/8/8/3pP3/3Pp3/8/8/8[")


@given(st.integers(0, 99), st.integers(0, 9999), st.integers(0, 999))
def test_xboard_levels_are_read_back(moves, base, increment):
    level = xboard.Level(moves, base, increment)
    assert xboard.parse_level(xboard.format_level(level)) == level


@given(st.integers(0, 60), st.integers(-6400, 6400), st.integers(0, 9999), st.integers(0, 10**12), TEXTS)
def test_xboard_thinking_is_read_back(depth, score, time, nodes, pv):
    thinking = xboard.Thinking(depth, score, time, nodes, pv)
    assert xboard.parse_thinking(xboard.format_thinking(thinking)) == thinking


def test_xboard_thinking_of_fairy_stockfish_has_more_columns():
    assert xboard.parse_thinking("3 -69 1 23 3 1916 0\t P@f5 P@e6 P@f3") == xboard.Thinking(
        3, -69, 1, 23, "P@f5 P@e6 P@f3"
    )


@given(st.lists(st.tuples(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.integers(0, 9) | TEXTS), max_size=5))
def test_xboard_features_are_read_back(features):
    line = xboard.format_features(features)
    assert xboard.parse_features(line) == [(name, str(value)) for name, value in features]


@given(st.integers(0, 64), st.integers(0, 64))
def test_xboard_results_are_read_back(black, white):
    winner, comment = xboard.parse_xboard_result(xboard.format_xboard_result(black, white))
    assert winner == (None if black == white else Player.P1 if black > white else Player.P2)
    assert comment.endswith(f"{max(black, white)}-{min(black, white)}")


OPTION_NAMES = st.from_regex(r"[A-Za-z][A-Za-z_ ]{0,12}[A-Za-z]", fullmatch=True)
OPTION_CHOICES = st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), min_size=1, max_size=4, unique=True)
XBOARD_OPTIONS = st.one_of(
    st.builds(
        xboard_options.XBoardOption,
        OPTION_NAMES,
        st.sampled_from(xboard_options.RANGED),
        st.integers(-99, 99).map(str),
        st.integers(-99, 99),
        st.integers(-99, 99),
    ),
    st.builds(xboard_options.XBoardOption, OPTION_NAMES, st.just("check"), st.sampled_from("01")),
    st.builds(xboard_options.XBoardOption, OPTION_NAMES, st.sampled_from(xboard_options.PRESSED)),
    st.builds(xboard_options.XBoardOption, OPTION_NAMES, st.sampled_from(("string", "file", "path")), TEXTS),
    st.builds(
        lambda name, choices: xboard_options.XBoardOption(name, "combo", choices[-1], choices=tuple(choices)),
        OPTION_NAMES,
        OPTION_CHOICES,
    ),
)


@given(XBOARD_OPTIONS)
def test_xboard_options_are_read_back(option):
    assert xboard_options.parse_xboard_option(xboard_options.format_xboard_option(option)) == option


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a name"),
        ("Hash", "expected a name"),
        ("-check 1", "expected a name"),
        ("Hash -spun 1", "expected a name"),
        ("Hash -spin 1 2", "the lowest and the highest"),
        ("Hash -spin one 1 2", "the lowest and the highest"),
    ],
)
def test_xboard_options_that_are_none_are_refused(text, said):
    with pytest.raises(DialectError, match=said):
        xboard_options.parse_xboard_option(text)


@pytest.mark.parametrize(
    ("kind", "value", "line"),
    [
        ("check", "true", "option x=1"),
        ("check", "False", "option x=0"),
        ("check", "1", "option x=1"),
        ("string", "true", "option x=true"),
        ("combo", "a b", "option x=a b"),
        ("button", "", "option x"),
    ],
)
def test_xboard_sets_switches_by_numbers_and_presses_buttons(kind, value, line):
    assert xboard_options.format_xboard_setting(xboard_options.XBoardOption("x", kind), value) == line
    name, read = xboard_options.parse_xboard_setting(line)
    assert (name, read) == ("x", None if kind == "button" else line.partition("=")[2])


# ------------------------------------------------------------------------------------------------------ Cassio

CASSIO_COMMANDS = st.one_of(
    st.sampled_from(sorted(cassio.PLAIN.values(), key=repr)),
    st.builds(
        cassio.MidgameSearch,
        positions().map(Position.fen), HUNDREDTHS, HUNDREDTHS, st.integers(0, 60), st.integers(0, 100),
    ),
    st.builds(
        cassio.EndgameSearch,
        positions().map(Position.fen), st.integers(-64, 64), st.integers(-64, 64), st.integers(0, 100),
    ),
    st.builds(cassio.FeedHash, st.lists(WORDS, max_size=3).map(tuple)),
)  # fmt: skip


@given(CASSIO_COMMANDS)
def test_cassio_commands_are_read_back(command):
    assert cassio.parse_command(cassio.format_command(command)) == command


@given(
    positions(), MOVES, st.integers(0, 60), st.integers(0, 100), HUNDREDTHS, HUNDREDTHS, PVS,
    st.integers(0, 10**12), TIMES,
)  # fmt: skip
def test_cassio_results_are_read_back(position, move, depth, certainty, lower, upper, pv, nodes, seconds):
    result = cassio.CassioResult(position.fen(), move, depth, certainty, lower, upper, pv, nodes, seconds)
    assert cassio.parse_result(cassio.format_result(result)) == result


# ------------------------------------------------------------------------------------------------- any bytes


def read_everywhere(line):
    """A line through all readers, each of which reads or refuses it."""
    readers = [nboard.parse_gui_line, nboard.parse_engine_line, gtp.parse_command, tcga.parse_command,
               tcga.parse_reply, cassio.parse_command, cassio.parse_result, xboard.parse_features,
               xboard.parse_thinking, xboard.parse_xboard_result]  # fmt: skip
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    readers += [lambda _: gtp.parse_reply(text), lambda _: gtp.parse_vertex(text), lambda _: xboard.parse_level(text)]
    readers += [lambda _: xboard_options.parse_xboard_option(text), lambda _: xboard_options.parse_xboard_setting(text)]
    for style in xboard.Style:
        readers += [
            lambda _, style=style: xboard.parse_xboard_move(text, style),
            lambda _, style=style: xboard.parse_xboard_fen(text, style),
        ]
    for reader in readers:
        try:
            reader(line)
        except DialectError as error:
            assert str(error)


@given(LINES)
def test_any_line_is_read_or_refused_but_never_more(line):
    read_everywhere(line)


BEGINNINGS = ["", "feature ", "option ", "=1 ", "ENGINE-PROTOCOL midgame-search ", "set game (;", "search ", "12", "1"]
BEGINNINGS += [f"{'-' * 64}X, move F5, depth 1, @1%, W-2.00 <= v <= W+4.00,", f"{'-' * 64}X, move F5, depth "]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_long_runs_and_numbers_of_thousands_of_digits_are_read_as_fast_as_other_lines(beginning):
    # what is not linear takes minutes, and the time limit of the tests ends it
    for unit in (" ", "\t", "a", "1", "-", "=", '"', "a=", 'a="', ",", "/", "///", ";", "(", "@", "f5", "a -"):
        for end in ("", "z", "!"):
            read_everywhere(beginning + unit * (30_000 // len(unit)) + end)
