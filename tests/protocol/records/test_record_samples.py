"""Records as other programs really write them, and records that are wrong in ways people run into."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from fanqi.game import Player
from fanqi.records import (
    FORMATS,
    GameRecord,
    PlayedMove,
    RecordError,
    Result,
    WthorWriter,
    detect,
    final_position,
    format_ggf,
    format_pgn,
    format_sgf,
    format_tcga,
    format_transcript,
    format_wthor,
    parse_ggf,
    parse_names,
    parse_pgn,
    parse_position,
    parse_records,
    parse_sgf,
    parse_tcga,
    parse_transcript,
    parse_wthor,
    read_records,
    wthor_games,
)

DATA = Path(__file__).parents[2] / "data"

NBOARD = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]BO[8 "
    "---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)"
)
GGS = (
    "1 (;GM[Othello]PC[GGS/os]DT[2026.11.30_02:06:04.UTC]PB[alice]PW[bob]RB[2037.8]RW[1402.2]TI[01:00//00:30]TY[8]"
    "RE[+64.000:r]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[f5/1.00/0.50]W[d6/-1.00/0.70];)"
)
WITH_PASS = "e6f6g6d6c6g7f4g5c4e3e2c7g4d2g8h8d7g3g2c5b7h6c2h2c3h4b6g1f2f8"  # Black has to pass after it


def names(record: GameRecord) -> list[str]:
    return [move.move for move in record.moves]


def only(data: str | bytes, name: str | None = None) -> GameRecord:
    found = list(parse_records(data.encode() if isinstance(data, str) else data, FORMATS[name] if name else None))
    (record,) = found
    assert isinstance(record, GameRecord), record
    return record


# ------------------------------------------------------------------------------------------------------- GGF


def test_ggf_of_nboard_is_read():
    record = parse_ggf(NBOARD)
    assert names(record) == ["f5", "f6", "d3", "c5", "e6", "f7", "e7", "f4"]
    assert (record.players, record.start, record.result) == (("./mEdax", "chris"), None, None)
    assert record.tags == (("TI", "15:00"), ("TY", "8"))


def test_a_draw_is_zero_with_whatever_sign_it_was_written():
    drawn = parse_ggf(GGS.replace("+64.000:r", "-0.000")).result
    assert repr(drawn) == repr(Result(None, 0.0))


def test_ggf_of_the_game_server_is_read_with_evaluations_and_result():
    record = parse_ggf(GGS)
    assert record.moves == (PlayedMove("f5", 1.0, 0.5), PlayedMove("d6", -1.0, 0.7))
    assert record.result == Result(Player.P1, 64.0, "resigned")
    assert record.ratings == (2037.8, 1402.2)
    assert format_ggf(record) == GGS.removeprefix("1 ").replace(
        "TI[01:00//00:30]TY[8]RE[+64.000:r]", "TI[01:00//00:30]TY[8]RE[+64.000:r]"
    )


def test_ggf_broken_over_lines_with_bars_is_read():
    joined = (
        GGS.removeprefix("1 ").replace("PB[", "\n|PB[").replace("---O*---", "\n|---O*---").replace("B[f5", "\n|B[f5")
    )
    assert parse_ggf(joined) == parse_ggf(GGS)


def test_both_games_of_a_synchro_pair_are_read():
    pair = list(parse_records(f"2 {NBOARD}{NBOARD}\n".encode()))
    assert pair == [parse_ggf(NBOARD)] * 2


@pytest.mark.parametrize("passing", ["W[PA]", "W[pa//0.01]", "W[pass]", "W[]", "W[PASS/0.00]", ""])
def test_a_ggf_pass_may_be_written_in_any_way_or_left_out(passing):
    moves = "".join(f"{'BW'[ply % 2]}[{WITH_PASS[2 * ply : 2 * ply + 2]}]" for ply in range(len(WITH_PASS) // 2))
    record = parse_ggf(f"(;GM[othello]{moves}{passing.replace('W[', 'B[')}W[b8];)")
    assert names(record)[-2:] == ["pass", "b8"]


def test_a_ggf_move_of_the_wrong_colour_is_refused_where_it_stands():
    with pytest.raises(RecordError, match=r"line 1, column 23: 'f6': a move of Black's, but White is on the move"):
        parse_ggf("(;GM[Othello]B[f5]B[f6];)".replace("B[f6]", "B[ f6]").replace("B[ f6]", "  B[f6]"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[Othello]B[f5]W[f5];)", "column 21: 'f5': f5 is taken"),
        ("(;GM[Othello]B[z5];)", "column 16: 'z5': not a move"),
        ("(;GM[Go]B[f5];)", "'Go': a game of something else"),
        ("(;GM[Othello]BO[10 ---- *];)", "'10': board size"),
        ("(;GM[Othello]B[f5]W f6;)", r"column 19: 'W f6;\)': expected TAG\[value\]"),
        ("(;GM[Othello]B[f5]", "column 19: expected TAG"),
        ("(;X[y];)", "neither GM"),
    ],
)
def test_a_bad_ggf_game_is_refused_with_its_place(text, message):
    with pytest.raises(RecordError, match=message):
        parse_ggf(text)


# ------------------------------------------------------------------------------------------------- SGF and PGN

EDAX_SGF = (
    "(;FF[4]GM[2]AP[edax:4.6]PC[Edax]DT[2026-11-30]PB[black]PW[white]SZ[8]AB[e4][d5]AW[d4][e5]PL[B]RE[B+12];"
    "B[f5];W[d6];B[c3];)"
)


def test_sgf_of_edax_is_read():
    record = only(EDAX_SGF)
    assert (names(record), record.start) == (["f5", "d6", "c3"], None)
    assert (record.result, record.players) == (Result(Player.P1, 12.0), ("black", "white"))
    assert parse_sgf(format_sgf(record)) == record


def test_of_sgf_variations_the_main_line_is_taken():
    tree = "(;GM[2]FF[4]C[a \\] bracket];B[f5](;W[d6];B[c3](;W[d3])(;W[g5]))(;W[f4];B[c3]))"
    assert names(only(tree)) == ["f5", "d6", "c3", "d3"]


def test_sgf_coordinates_of_go_programs_are_read():
    assert names(parse_sgf("(;GM[2];B[fe];W[df])")) == ["f5", "d6"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[1]FF[4];B[aa])", "'1': a game of something else"),
        ("(;GM[2]SZ[10])", "'10': board size"),
        ("(;GM[2]\n;B[f5]\n;W[f1])", "line 3, column 4: 'f1': f1 turns no disc"),
        ("(;GM[2];B[f5]", r"1 '\)' missing"),
        ("(;GM[2]B;)", "'B': a property without"),
        ("(;GM[2];B[f5]AB[a1])", "stones are set up after the first move"),
    ],
)
def test_a_bad_sgf_game_is_refused_with_its_place(text, message):
    with pytest.raises(RecordError, match=message):
        parse_sgf(text)


EDAX_PGN = """[Event "?"]
[Site "edax"]
[Date "2026.11.30"]
[Round "?"]
[Black "a"]
[White "b"]
[Result "1-0"]

1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5 {a wins 64-0} 1-0
"""
PLAYOK = f"""[Site "PlayOK"]
[Date "2024.05.01"]
[Time "12:00:00"]
[Black "x"]
[BlackElo "1500"]
[White "y"]
[WhiteElo "1432"]
[Result "0-1"]

{
    " ".join(
        f"{ply // 2 + 1}. {WITH_PASS[2 * ply : 2 * ply + 2]}" if ply % 2 == 0 else WITH_PASS[2 * ply : 2 * ply + 2]
        for ply in range(30)
    )
} 16. -- b8 0-1
"""


def test_pgn_of_edax_is_read_with_its_disc_count():
    record = only(EDAX_PGN)
    assert (len(record.moves), record.result, record.players) == (9, Result(Player.P1, 64.0), ("a", "b"))
    assert format_pgn(record) == EDAX_PGN


def test_pgn_of_playok_is_read_with_its_passes():
    record = only(PLAYOK)
    assert names(record)[-2:] == ["pass", "b8"]
    assert (record.ratings, record.result) == ((1500.0, 1432.0), Result(Player.P2))


def test_pgn_games_follow_each_other_without_blank_lines():
    assert len(list(parse_records((EDAX_PGN + PLAYOK + EDAX_PGN).encode()))) == 3


def test_a_pgn_start_position_is_written_as_edax_does():
    record = parse_transcript("---------------------------OX------XO---------------------------O;c5")
    text = format_pgn(record)
    assert '[FEN "8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1"]' in text
    assert parse_pgn(text).start == record.start


def test_a_bad_move_in_pgn_is_named_with_its_line():
    with pytest.raises(RecordError, match="line 9, column 22: 'f6': f6 is taken"):
        parse_pgn(EDAX_PGN.replace("3. g5", "3. f6"))


# ----------------------------------------------------------------------------------- transcripts and positions


@pytest.mark.parametrize("text", ["f5d6c3", "F5D6C3", "f5 d6 c3", "1. f5 d6 2. c3", "1.f5d6 2.c3", " f5, d6, c3 "])
def test_transcripts_are_read_in_every_dress(text):
    assert names(parse_transcript(text)) == ["f5", "d6", "c3"]


@pytest.mark.parametrize("passing", ["", "pa", "ps", "PASS", "--"])
def test_a_pass_in_a_transcript_may_be_written_or_not(passing):
    record = parse_transcript(f"{WITH_PASS}{passing}b8")
    assert names(record)[-2:] == ["pass", "b8"]
    assert format_transcript(record) == f"{WITH_PASS}b8"


def test_a_bad_line_among_transcripts_is_named_and_skipped():
    found = list(
        read_records(io.BytesIO(b"f5d6\r\n# comment\r\n\r\nf5d6c3z9\r\nf5f5\r\ne6f4\r\n"), FORMATS["transcript"])
    )
    assert [isinstance(item, GameRecord) for item in found] == [True, False, False, True]
    assert str(found[1]) == "line 4, column 7: 'z9': not a move; expected a square a1 to h8, or a pass"
    assert str(found[2]).startswith("line 5, column 3: 'f5': f5 is taken")


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3",
        NBOARD.replace("B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4]", "B[f5]W[d6]B[c3]"),
        "------------------X--------XX------OXX-----O-------------------- O",
        "------------------X--------XX------OXX-----O--------------------O % d3:+1;",
        "BO[8 -------- -------- --*----- ---**--- ---O**-- ---O---- -------- -------- O]",
        "8/8/3P4/3Ppp2/3pp3/2p5/8/8 w - - 0 1",
        "8/8/2P5/3PP3/3pPP2/3p4/8/8[PP] b 1 2",
        "---------------------------OX------XO---------------------------X;f5d6c3",
    ],
)
def test_a_position_is_understood_however_it_is_written(text):
    game, position = parse_position(text)
    assert (game, position.fen()) == ("othello", "------------------X--------XX------OXX-----O-------------------- O")


def test_a_banqi_position_is_understood():
    text = "X.../.n../..../.R../..../..../.k../P..K g b 11 r:b5>b7=5"
    assert parse_position(text)[1].fen() == text
    with pytest.raises(RecordError, match="hidden field"):
        parse_position(text.replace(" g ", " gg "))


# ------------------------------------------------------------------------------------------------------- WTHOR


def test_a_wthor_file_survives_the_way_through_records_bit_by_bit():
    data = (DATA / "records" / "WTH_1977.wtb").read_bytes()
    writer = WthorWriter((2026, 11, 30))
    games = list(parse_records(data))
    assert len(games) == 12
    for game in games:
        assert isinstance(game, GameRecord)
        writer.add(game)
    assert writer.finish() == data
    assert format_wthor(parse_wthor(data)) == data


def test_wthor_names_come_from_their_files_and_go_back_to_them():
    file = parse_wthor((DATA / "records" / "WTH_1977.wtb").read_bytes())
    players = [f"player {number}" for number in range(int(file.games["black_player"].max()) + 3000)]
    (first, *_) = games = list(wthor_games(file, players, ["cup"] * 3000))
    assert isinstance(first, GameRecord)
    assert first.players[0] == f"player {int(file.games['black_player'][0])}"
    writer = WthorWriter((2026, 11, 30))
    for game in games:
        assert isinstance(game, GameRecord)
        writer.add(game)
    written = parse_names(writer.name_files()[".jou"], 20)
    assert written[int(file.games["black_player"][0])] == first.players[0]


def test_a_damaged_wthor_game_is_named_and_the_others_are_read():
    data = bytearray((DATA / "records" / "WTH_1977.wtb").read_bytes())
    data[16 + 68 + 8 + 3] = 11
    found = list(parse_records(bytes(data)))
    assert isinstance(found[1], RecordError)
    assert str(found[1]) == "byte 95: '11': game 2: move 4 is not legal"
    assert sum(isinstance(item, GameRecord) for item in found) == 11


@pytest.mark.parametrize(
    ("change", "games", "message"),
    [
        (lambda data: data[:-1], 11, "byte 4: 12 games announced need 832 bytes, the file has 831"),
        (lambda data: data + b"\0", 12, "byte 4: 12 games announced need 832 bytes, the file has 833"),
        (lambda data: data + bytes(68), 12, "byte 4: 12 games announced need 832 bytes, the file has 900"),
        (lambda data: data[:4] + b"\x03" + data[5:], 12, "byte 4: 3 games announced need 220 bytes, the file has 832"),
        (lambda data: data[:7] + b"\xff" + data[8:], 12, "byte 4: -16777204 games announced"),
    ],
)
def test_a_wthor_file_with_another_number_of_games_than_it_says_is_read_as_far_as_it_goes(change, games, message):
    data = change((DATA / "records" / "WTH_1977.wtb").read_bytes())
    assert detect(data, len(data)).name == "wthor"
    *found, error = parse_records(data)
    assert all(isinstance(item, GameRecord) for item in found)
    assert len(found) == games
    assert str(error).startswith(message)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (16 + 6, 200, "byte 22: '200': game 1: more discs than squares"),
        (16 + 8 + 30, 0, "byte 54: game 1: moves behind its end"),
    ],
)
def test_a_wthor_game_that_contradicts_itself_is_named(place, value, message):
    data = bytearray((DATA / "records" / "WTH_1977.wtb").read_bytes())
    data[place] = value
    error, first, *_ = parse_records(bytes(data))
    assert str(error) == message
    assert not isinstance(first, GameRecord) or first.result is None or len(first.moves) > 40


@pytest.mark.parametrize("tag", [("wthor_header", "zz"), ("wthor_header", "ff" * 16), ("wthor_numbers", "1 70000 -3")])
def test_tags_that_only_look_like_wthors_do_no_harm_when_it_is_written(tag):
    writer = WthorWriter((2026, 11, 30))
    writer.add(GameRecord("othello", (PlayedMove("f5"),), result=Result.of_margin(2), tags=(tag,)))
    assert isinstance(only(writer.finish()), GameRecord)


# -------------------------------------------------------------------------------------------------------- TCGA

REAL = sorted([*(DATA / "banqi").glob("game*.record.txt"), *(DATA / "tcga").glob("*.record.txt")])


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_tcga_records_replay_and_come_back_byte_for_byte(path):
    text = path.read_text(encoding="utf-8")
    record = only(text)
    assert format_tcga(record) == text
    assert record.result is not None
    if record.result.reason == "no_moves":
        assert final_position(record).outcome().winner == record.result.winner


def test_tcga_records_in_one_file_are_told_apart_and_engine_chatter_is_skipped():
    texts = [path.read_text(encoding="utf-8") + "0. 1642087720982\n1. 164\nengine says hello\n" for path in REAL]
    found = list(parse_records("".join(texts).encode()))
    assert len(found) == len(REAL)
    assert all(isinstance(item, GameRecord) for item in found)


def test_a_tcga_record_may_begin_with_pieces_on_the_board():
    record = GameRecord(
        "banqi",
        (PlayedMove("a1a2"), PlayedMove("d8=R"), PlayedMove("a2a1")),
        "...X/..../..../..../..../..../..../k... R r 0 -",
        ("x", "y"),
        rules="chase=off,noprogress=999",
    )
    # whose turn it is stands nowhere: the first step tells it
    assert parse_tcga(format_tcga(record)).start == "...X/..../..../..../..../..../..../k... R b 0 -"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("* 2. d1(k)", "* 2. d1(x)", "line 16, column 6: 'd1\\(x\\)': 'x' is no piece"),
        ("* 1. c1(p)", "* 1. c9(p)", "line 15, column 6: 'c9\\(p\\)': not a banqi move"),
        ("* first 1", "* first 2", "line 13, column 3: 'first 2': expected first 0 or first 1"),
        ("* time 900", "time 900", "line 14, column 1: 'time 900': a line of a record starts"),
        ("* time 900", "* whatever", "line 14, column 3: 'whatever': not a line of a record"),
        (" vs ", " against ", "line 3, column 3: .*: expected"),
    ],
)
def test_a_bad_tcga_record_is_refused_with_its_place(old, new, message):
    text = REAL[0].read_text(encoding="utf-8").replace(old, new)
    with pytest.raises(RecordError, match=message):
        parse_tcga(text)


# ------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (NBOARD, "ggf"),
        (f"2 {NBOARD}{NBOARD}", "ggf"),
        (EDAX_SGF, "sgf"),
        (EDAX_PGN, "pgn"),
        ("1. f5 d6 2. c3", "pgn"),
        ("f5d6c3\nf5f6", "transcript"),
        ("\ufeffF5D6", "transcript"),
        ("board\tside\n-OOOOOO---OOOO-XXXOOXXXX-OOXXOOX-OXOOOXX-XXXXXXX--OOXX-X-OOOO-X-\tX\t14\n", "obf"),
        ('{"game": "othello"}', "json"),
    ],
)
def test_the_format_is_told_by_the_content(text, name):
    assert detect(text.encode()).name == name


@pytest.mark.parametrize("data", [b"", b"\n \n", b"hello", b"\x00\x01\x02\x03" * 30, b"<html>"])
def test_what_is_no_record_is_refused(data):
    with pytest.raises(RecordError):
        detect(data)


def test_a_file_without_an_end_is_cut_and_reading_goes_on():
    endless = b"(;GM[Othello]" + b"C[x]" * 600_000 + b"\n" + NBOARD.encode() + b"\n"
    found = list(parse_records(endless, FORMATS["ggf"]))
    assert any(isinstance(item, RecordError) for item in found)
    assert found[-1] == parse_ggf(NBOARD)


def test_json_lines_of_a_match_may_have_keys_of_their_own():
    record = only('{"game":"othello","round":7,"moves":["F5","d6"],"players":["a","b"],"evals":[1.5,null]}\n')
    assert record.moves == (PlayedMove("f5", 1.5), PlayedMove("d6"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"game":"chess"}', "'chess': no such game"),
        ('{"game":"othello","moves":["f5","f5"]}', "move 2: f5 is taken"),
        ('{"game":"othello","moves":["f5"],"times":[1,2]}', "2 times for 1 moves"),
        ('{"game":"othello","moves":5}', "Expected `array`"),
        ('{"game":"othello"', "Input data was truncated"),
        ('{"game":"othello","result":{"winner":"black"}}', "expected p1, p2 or null"),
        ('{"game":"banqi","rules":"chase=maybe"}', "chase=maybe"),
    ],
)
def test_a_bad_json_line_is_refused_with_the_reason(line, message):
    (error,) = parse_records(line.encode())
    assert isinstance(error, RecordError)
    assert message in str(error)
