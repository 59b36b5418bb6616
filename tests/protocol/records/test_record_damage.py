"""Records that other readers stumble over: all that can be read is read, and what cannot is named with its place."""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from fanqi.game import Player
from fanqi.records import (
    FORMATS,
    GameRecord,
    RecordError,
    Result,
    detect,
    final_position,
    format_sgf,
    numbered,
    parse_game_or_position,
    parse_ggf,
    parse_obf,
    parse_pgn,
    parse_records,
    parse_sgf,
    parse_tcga,
    parse_transcript,
)

DATA = Path(__file__).parents[2] / "data"
CASES = DATA / "records"
START = "---------------------------OX------XO--------------------------- X"
AFTER_THREE = "------------------X--------XX------OXX-----O-------------------- O"


def names(record: GameRecord) -> str:
    return " ".join(move.move for move in record.moves)


def only(data: bytes | str) -> GameRecord:
    (record,) = parse_records(data.encode() if isinstance(data, str) else data)
    assert isinstance(record, GameRecord), record
    return record


def said(data: bytes | str) -> list[str]:
    """The moves of what can be read, and the errors."""
    found = parse_records(data.encode() if isinstance(data, str) else data)
    return [names(item) if isinstance(item, GameRecord) else str(item) for item in found]


@pytest.mark.parametrize(
    ("name", "moves", "players", "winner"),
    [
        ("board_then_moves.txt", "f5 d6 c3", ("", ""), None),
        ("sgf_ca_gb18030.sgf", "f5 d6", ("黑白棋", "BB"), None),
        ("sgf_sjis_backslash.sgf", "f5 d6", ("能表", "BB"), None),
        ("ggf_smiley.ggf", "f5 d6", ("AA", "BB"), None),
        ("pgn_comment_range.pgn", "f5 d6 c3 d3", ("AA", "BB"), Player.P1),
        ("pgn_variation.pgn", "f5 d6 c3 d3", ("AA", "BB"), Player.P1),
        ("pgn_xboard_flipello.pgn", "f5 d6 c3", ("AA", "BB"), None),
        ("transcript_utf16.txt", "f5 d6 c3 d3", ("", ""), None),
    ],
)
def test_files_that_once_were_read_wrongly_are_read_rightly(name, moves, players, winner):
    record = only((CASES / name).read_bytes())
    assert (names(record), record.players) == (moves, players)
    assert (record.result and record.result.winner) == winner


# ------------------------------------------------------------------------------------------------ packed, encoded


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_of_every_format_are_read(pack):
    for path in sorted(CASES.glob("*.*")):
        assert list(parse_records(pack(path.read_bytes()))) == list(parse_records(path.read_bytes()))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_texts_of_wide_characters_are_read(encoding):
    text = "(;GM[2]FF[4]CA[GB18030]PB[黑白棋];B[f5];W[d6])\r\n"
    record = only(text.encode(encoding))
    assert (names(record), record.players[0]) == ("f5 d6", "黑白棋")


def test_of_a_packed_file_that_is_cut_the_games_before_the_cut_are_read():
    data = gzip.compress(b"f5d6\n" * 2 + b"".join(b"# %d\n" % (number * 7919 % 1000) for number in range(4000)))
    first, second, error = parse_records(data[: len(data) // 2])
    assert isinstance(first, GameRecord) and isinstance(second, GameRecord)
    assert isinstance(error, RecordError) and not error.lost
    assert str(error).startswith("the gzip data is damaged or cut short")


def test_archives_that_hold_several_files_are_named_as_such():
    with pytest.raises(RecordError, match="a zip archive; unpack it first"):
        list(parse_records(b"PK\x03\x04 and so on"))


def test_lines_of_old_macs_are_lines():
    assert said(b"f5d6\rz9\re6") == [
        "f5 d6",
        "line 2, column 1: 'z9': not a move; expected a square a1 to h8, or a pass",
        "e6",
    ]


# ----------------------------------------------------------------------------------------------------------- PGN


@pytest.mark.parametrize(
    "movetext",
    [
        "1. f5 $1 d6! 2. c3 *",
        "1. f5 d6 (1... f6 (1... f4 {(} 2. e3) 2. e6) (1... f4) 2. c3 *",
        "1. f5 ; a rest of a line 1-0\nd6 2. c3 *",
        "1. f5\n% an escape 1. e6\nd6 2. c3 *",
        "1. f5 <reserved> d6 2.c3!? *",
        "{before} 1.f5 {+0.22/8 1.5} 1...d6 {-M3/20 0.1s} 2.c3 {12-10} {last} *",
        "1. f5 d6\n\n2. c3",
    ],
)
def test_what_pgn_lets_a_reader_skip_is_skipped(movetext):
    assert said(f'[Event "x"]\n{{between}}\n[Black "a"]\n\n{movetext}\n') == ["f5 d6 c3"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1. f5 d6 * 1. e6 f4 *", ["f5 d6", "e6 f4"]),
        ("1. f5 d6\n1. e6 f4\n", ["f5 d6", "e6 f4"]),
        ('[Event "a"]\n[Event "b"]\n1. f5 *\n', ["", "f5"]),
        ('[Event "a"]\n1. f5 {never closed *\n[Event "b"]\n1. e6 *\n', ["line 2, column 7", "e6"]),
        ('[Event "a"]\n1. f5 (1. e6 *\n[Event "b"]\n1. e6 *\n', ["line 2, column 7", "e6"]),
        ("1. f5 d6 1-0 {Black wins} ; and a remark\n", ["f5 d6"]),
        ("1. f5 2. d6 1... c3 *", ["line 1, column 13: '1': move 2 comes before it; is this another game?"]),
        ('[Variant "chess"]\n1. e4 *', ["line 1, column 11: 'chess': a game of something else"]),
        (f"1. f5 {'9' * 5000}. d6 *", ["line 1, column 7"]),
    ],
)
def test_games_of_pgn_are_kept_apart_and_errors_named(text, found):
    assert all(text.startswith(start) for text, start in zip(said(text), found, strict=True))


@pytest.mark.parametrize(
    ("end", "result"),
    [
        ("{a wins 40-24} 1-0", Result(Player.P1, 16.0)),
        ("{b wins 24-40} 0-1", Result(Player.P2, -16.0)),
        ("{b wins 40-24} 0-1", Result(Player.P2, -16.0)),
        ("{Draw 32-32} 1/2-1/2", Result(None, 0.0)),
        ("{book line 2-3} 1-0", Result(Player.P1)),
        ("{see page 99-98} 0-1", Result(Player.P2)),
        ("{40-24} d3 1-0", Result(Player.P1)),
        ("{a wins 32-32} 1-0", Result(Player.P1)),
    ],
)
def test_only_the_last_comment_of_a_pgn_game_states_its_count_and_never_who_won(end, result):
    assert parse_pgn(f"1. f5 d6 2. c3 {end}").result == result


def test_a_pgn_game_with_two_results_is_read_without_and_that_is_said():
    text = '[Result "1-0"]\n\n1. f5 d6 0-1\n'
    error, record = parse_records(text.encode())
    assert str(error) == "line 1, column 10: '1-0': the tag says so, the end of the moves says 0-1"
    assert isinstance(error, RecordError) and not error.lost
    assert isinstance(record, GameRecord) and (names(record), record.result) == ("f5 d6", None)


def test_games_of_hosts_of_fairy_stockfish_are_read_with_white_as_our_black():
    tags = '[White "a"]\n[WhiteElo "1500"]\n[Black "b"]\n[Result "1-0"]\n'
    for variant, moves in (
        ('[Variant "flipello"]\n', "1. P@f4 P@d3 2. P@c6"),
        ("", "1. P@f4 @d3 2. P@c6"),
        ('[Variant "flipello"]\n[FEN "8/8/8/3pP3/3Pp3/8/8/8[Pp] w 0 1"]\n', "1. P@f4 P@d3 2. P@c6"),
        ('[Variant "reversi"]\n', "1. P@f5 P@d6 2. P@c3"),
        ('[Variant "reversi"]\n[FEN "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1"]\n', "1. P@f5 P@d6 2. P@c3"),
    ):
        record = parse_pgn(f"{tags}{variant}\n{moves} 1-0\n")
        assert (names(record), record.start, record.players) == ("f5 d6 c3", None, ("a", "b"))
        assert (record.ratings[0], record.result) == (1500.0, Result(Player.P1))


@pytest.mark.parametrize("passing", ["a1a1", "Pa1", "@@@@", "--"])
def test_a_pass_in_flipello_is_read_in_every_spelling(passing):
    moves = "e6f6g6d6c6g7f4g5c4e3e2c7g4d2g8h8d7g3g2c5b7h6c2h2c3h4b6g1f2f8"
    drops = [f"P@{moves[at]}{9 - int(moves[at + 1])}" for at in range(0, len(moves), 2)]
    text = '[Variant "flipello"]\n\n' + " ".join([*drops, passing, "P@b1", "*"])
    assert names(parse_pgn(text)).endswith("f8 pass b8")


# ----------------------------------------------------------------------------------------------------- GGF, SGF


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2 (;GM[Othello]C[;)]B[f5];)(;GM[Othello]B[e6]C[(;x ;)];)", ["f5", "e6"]),
        ("(;GM[Othello]C[not closed B f5;)(;GM[Othello]B[e6];)", ["line 1, column 1", "e6"]),
        ("look at this: (;GM[Othello]B[e6];)", ["line 1, column 1: 'look at this: '", "e6"]),
        ("(;GM[Othello]B[f5]BO[8 " + "-" * 64 + " *];)", ["line 1, column 22"]),
    ],
)
def test_games_of_ggf_are_kept_apart(text, found):
    read = [
        names(item) if isinstance(item, GameRecord) else str(item)
        for item in parse_records(text.encode(), FORMATS["ggf"])
    ]
    assert all(text.startswith(start) for text, start in zip(read, found, strict=True))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "(;GM[2];B[f5]\n(;FF[4]GM[2];B[e6])\n",
            ["line 2, column 1: '(;GM[2];B[f5]\\n': 1 ')' missing at the end", "e6"],
        ),
        ("(;GM[2]C[not closed;B[f5\n(;FF[4]GM[2];B[e6])\n", ["line 1, column 8", "e6"]),
        ("(;GM[2];B[f5])  junk  (;GM[2];B[e6])", ["f5", "line 1, column 17: 'junk", "e6"]),
        ("(;GM[2];B[f5][e6])", ["line 1, column 15: 'e6': a second value of a move"]),
    ],
)
def test_games_of_sgf_are_kept_apart(text, found):
    assert all(text.startswith(start) for text, start in zip(said(text), found, strict=True))


def test_a_character_set_counts_from_its_own_game_on_and_before_it_in_the_first():
    games = "(;GM[2]PB[黑]\nCA[GBK];B[f5])\n".encode("gbk") + "(;GM[2]CA[EUC-JP]PB[黒];B[e6])\n".encode("euc_jp")
    assert [record.players[0] for record in parse_records(games) if isinstance(record, GameRecord)] == ["黑", "黒"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"(;GM[2]CA[klingon]PB[a];B[f5])", "line 1, column 11: 'klingon': a character set that is not known"),
        (b"(;GM[2]CA[GBK]PB[\xff\xff];B[f5])", "line 1, column 18: '\ufffd': bytes that are not 'GBK'"),
    ],
)
def test_an_sgf_game_whose_names_cannot_be_read_is_read_and_that_is_said(data, message):
    error, record = parse_records(data)
    assert str(error).startswith(message)
    assert isinstance(record, GameRecord) and names(record) == "f5"


def test_sgf_with_other_letters_says_how_they_are_written():
    record = GameRecord("othello", players=("黑", "b"))
    assert "CA[UTF-8]" in format_sgf(record)
    assert parse_sgf(format_sgf(record)) == record
    assert "CA[" not in format_sgf(GameRecord("othello", players=("a", "b")))


# ------------------------------------------------------------------------------------------- moves after a board


@pytest.mark.parametrize(
    "text",
    [
        f"{START} F5D6C3",
        f"{START}; f5 d6 c3",
        f"{START} moves f5 d6 c3",
        f"{START}\nf5d6c3\n",
        "startpos moves f5 d6 c3",
        "othello f5d6c3",
        "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *] f5 d6 c3",
        "8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1 f5d6c3",
        "8/8/8/3pP3/3Pp3/8/8/8 b moves f5 d6 c3",
    ],
)
def test_moves_behind_a_position_are_played(text):
    assert str(final_position(parse_game_or_position(text)).fen()) == AFTER_THREE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{START} F5D6C3 zz", "line 1, column 75: 'zz': not a move"),
        (f"{START} f5f5", "line 1, column 70: 'f5': f5 is taken"),
        ("startpos f5 zz", "line 1, column 13: 'zz': not a move"),
        ("8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1 zz", "line 1, column 33: 'zz': not a move"),
        ("8/8/8/3pP3/3Pp3/8/8/8[Pp] w 0 1 f5", "moves behind a FEN of flipello"),
        ("banqi moves b8=P z9", "line 1, column 18: 'z9'"),
        ("f55d6", "line 1, column 3: '5d6': not a move"),
    ],
)
def test_what_stands_behind_a_position_and_is_no_move_is_named_with_its_column(text, message):
    with pytest.raises(RecordError) as caught:
        parse_game_or_position(text)
    assert message in str(caught.value)


def test_columns_behind_a_tab_are_no_moves():
    record = parse_obf(f"{START}\tf5")
    assert (record.moves, record.tag("comment")) == ((), "f5")


def test_moves_behind_a_banqi_position_are_played():
    record = parse_game_or_position("banqi moves b8=P a8=p")
    assert names(record) == "b8=P a8=p"


# ------------------------------------------------------------------------------------------------------- numbers


def test_numbers_of_thousands_of_digits_are_errors_of_the_record_or_nothing():
    digits = "9" * 5000
    banqi = (DATA / "tcga" / "game03.record.txt").read_text(encoding="utf-8")
    counts = next(line for line in banqi.splitlines() if line.startswith("* 1 2 2"))
    with pytest.raises(RecordError, match="line 4, column 3"):
        parse_tcga(banqi.replace(counts, f"* {digits} {counts[4:]}"))
    record = parse_ggf(f"(;GM[Othello]RB[{digits}]RE[{digits}]B[f5/{digits}/{digits}];)")
    assert (record.ratings[0], record.result, record.moves[0].evaluation) == (None, None, None)
    record = parse_sgf(f"(;GM[2]BR[{digits}]RE[B+{digits}];B[f5])")
    assert (record.ratings[0] or 0) < 1e9
    assert record.result is None
    with pytest.raises(RecordError):
        parse_transcript(f"f5 {digits} d6")
    for text in ("[" * 100_000, f'{{"game":"othello","x":{"[" * 100_000}', f'{{"game":"othello","evals":[{digits}]}}'):
        assert all(isinstance(item, RecordError) for item in parse_records(text.encode(), FORMATS["json"]))


# ------------------------------------------------------------------------------------------- long runs, and chance

SEPARATORS = [" ", "\t", "\n", "|", ",", ";", ";)", "(;", "(", ")", "[", "]", "{", "}", "{}", '"', "\\", "/", ".", ":"]
SEPARATORS += ["-", "+", "*", "1", "1 ", "1.", "a", "f5", "a1:1;", "pa", "AB[a1]", "{+1 ", "/1", "GM", '[a "', "0. a1 "]
BEGINNINGS = {
    "ggf": ["(;GM[Othello]", "(;GM[Othello]C[", "(;GM[Othello]B[f5", "", "1"],
    "sgf": ["(;GM[2]FF[4]", "(;GM[2]C[", "(;GM[2];B[f5]", ""],
    "pgn": ['[Event "', "1. f5 ", "1. f5 {", "1. f5 {+1/1", "1. f5 (", ""],
    "transcript": ["f5", "f5 d6", "", f"{START};"],
    "obf": [f"{START};", f"{START} % ", "-"],
    "tcga": ["INITIAL\n* x\n* a vs b\n* ", "INITIAL\n* x\n* a vs b\n* NoMove a wins ", "INITIAL\n* "],
    "json": ['{"game":"othello"', '{"game":"othello","moves":["'],
    "wthor": ["\x13\x14\x01\x01"],
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_long_runs_of_separators_take_no_longer_than_other_texts(name):
    # what is not linear takes minutes for each of these, and the time limit of the tests ends it
    for beginning in BEGINNINGS[name]:
        for separator in SEPARATORS:
            text = beginning + separator * (30_000 // len(separator)) + "z"
            for item in parse_records(text.encode(), FORMATS[name]):
                assert isinstance(item, GameRecord | RecordError)
            for read in (detect, parse_game_or_position):
                try:
                    read(text.encode() if read is detect else text)
                except RecordError as error:
                    assert str(error)


@pytest.mark.skipif(sys.platform != "linux", reason="memory and processor time are counted in another way")
def test_a_thousand_damaged_records_are_read_without_a_traceback_soon_and_in_little_memory(tmp_path):
    soak = [sys.executable, str(Path(__file__).parent / "soak.py"), "--count", "1000", "--keep", str(tmp_path / "kept")]
    done = subprocess.run(soak, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1000 files: ")


def test_errors_beside_the_games_take_no_number_from_them():
    data = b'[Result "1-0"]\n1. f5 0-1\n[Result "1-0"]\n1. z9 *\n[Event "c"]\n1. e6 *\n'
    assert [(number, isinstance(item, GameRecord)) for number, item in numbered(parse_records(data))] == [
        (1, False),
        (1, True),
        (2, False),
        (3, True),
    ]


@pytest.mark.parametrize(
    "blank", [b"\n" * 70_000, b" \r\n" * 70_000, b" " * 70_000 + b"\n", b"\xef\xbb\xbf" + b"\n" * 70_000]
)
def test_blank_lines_before_the_first_game_do_not_hide_it_however_many_they_are(blank):
    game, error = parse_records(blank + b"f5d6\nf5d6z9\n")
    assert isinstance(game, GameRecord)
    assert isinstance(error, RecordError)
    assert error.line == blank.count(b"\n") + 2
    (tree,) = parse_records(blank + b"(;GM[2];B[f5];W[d6])")
    assert isinstance(tree, GameRecord)
