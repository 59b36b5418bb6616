"""`fanqi convert` and `fanqi show` as they are typed."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fanqi.cli.app import run
from fanqi.records import format_names, parse_records, read_records
from fanqi.records.wthor import parse_header, parse_names

DATA = Path(__file__).parents[2] / "data"
WTB = DATA / "records" / "WTH_1977.wtb"
TCGA = DATA / "tcga" / "game03.record.txt"


def games(path):
    return list(parse_records(path.read_bytes()))


# ----------------------------------------------------------------------------------------------------- convert


@pytest.mark.parametrize("suffix", [".ggf", ".sgf", ".pgn", ".txt", ".jsonl"])
def test_wthor_goes_into_every_format_and_comes_back(tmp_path, suffix, capsys):
    assert run(["convert", str(WTB), str(tmp_path / f"all{suffix}")]) == 0
    assert "12 games written" in capsys.readouterr().err
    assert [game.moves for game in games(tmp_path / f"all{suffix}")] == [game.moves for game in games(WTB)]
    assert run(["convert", str(tmp_path / f"all{suffix}"), str(tmp_path / "back.wtb")]) == 0
    assert [(game.moves, game.result) for game in games(tmp_path / "back.wtb")] == [
        (game.moves, game.result) for game in games(WTB)
    ]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="descriptors have no paths here")
def test_a_device_or_pipe_is_written_to_and_not_replaced():
    reading, writing = os.pipe()
    try:
        assert run(["convert", str(TCGA), f"/dev/fd/{writing}", "--to", "json"]) == 0
        assert json.loads(os.read(reading, 1 << 16))["moves"]
    finally:
        os.close(reading)
        os.close(writing)


def test_a_link_as_the_target_stays_a_link(tmp_path):
    path, link = tmp_path / "all.jsonl", tmp_path / "latest.jsonl"
    path.touch()
    link.symlink_to(path.name)
    assert run(["convert", str(TCGA), str(link)]) == 0
    assert link.is_symlink()
    assert len(games(path)) == 1


@pytest.mark.parametrize("between", ["", "all.jsonl"])
def test_wthor_to_wthor_is_the_same_file(tmp_path, between):
    source = WTB
    if between:
        assert run(["convert", str(source), str(tmp_path / between)]) == 0
        source = tmp_path / between
    assert run(["convert", str(source), str(tmp_path / "copy.wtb")]) == 0
    assert (tmp_path / "copy.wtb").read_bytes() == WTB.read_bytes()


def test_wthor_names_are_found_beside_the_file_and_written_beside_the_copy(tmp_path):
    shutil.copy(WTB, tmp_path / "WTH_1977.wtb")
    header, _ = parse_header(WTB.read_bytes())
    names = [f"player {number}" for number in range(3000)]
    (tmp_path / "WTHOR.JOU").write_bytes(format_names(names, 20, header))
    assert run(["convert", str(tmp_path / "WTH_1977.wtb"), str(tmp_path / "copy.wtb")]) == 0
    written = parse_names((tmp_path / "copy.jou").read_bytes(), 20)
    assert all(name in ("", names[number]) for number, name in enumerate(written))
    assert run(["convert", str(tmp_path / "WTH_1977.wtb"), str(tmp_path / "games.pgn")]) == 0
    assert '[Black "player ' in (tmp_path / "games.pgn").read_text(encoding="utf-8")


def test_a_damaged_name_file_is_named_and_the_games_are_read_without_it(tmp_path, capsys):
    names = DATA / "records" / "short_names" / "WTHOR.JOU"
    complaint = f"{names}: byte 8: 2 names announced need 56 bytes, the file has 25\n"
    assert run(["convert", str(names.parent / "G.wtb"), str(tmp_path / "out.jsonl")]) == 1
    assert capsys.readouterr().err.startswith(f"fanqi convert: error: {complaint}")
    (game,) = games(tmp_path / "out.jsonl")
    assert ([move.move for move in game.moves], game.players) == (["f5", "d6", "c3", "d3"], ("", ""))
    assert run(["show", str(names.parent / "G.wtb"), "--letters"]) == 0
    shown = capsys.readouterr()
    assert "White to move" in shown.out or "Black to move" in shown.out
    assert shown.err == f"fanqi show: error: {complaint}"


def test_the_whole_names_of_a_file_that_is_cut_are_used(tmp_path, capsys):
    shutil.copy(WTB, tmp_path / "WTH_1977.wtb")
    header, _ = parse_header(WTB.read_bytes())
    names = format_names([f"player {number}" for number in range(3000)], 20, header)
    (tmp_path / "WTHOR.JOU").write_bytes(names[:-7])
    assert run(["convert", str(tmp_path / "WTH_1977.wtb"), str(tmp_path / "games.jsonl")]) == 1
    assert f"{tmp_path / 'WTHOR.JOU'}: byte 8: 3000 names announced" in capsys.readouterr().err
    assert all(game.players[0].startswith("player ") for game in games(tmp_path / "games.jsonl"))


@pytest.mark.parametrize("suffix", [".ggf", ".wtb", ".jsonl"])
def test_where_nothing_was_read_no_file_appears_and_none_is_replaced(tmp_path, capsys, suffix):
    (tmp_path / "bad.txt").write_text("f5f5\n", encoding="utf-8")
    (tmp_path / f"old{suffix}").write_text("what was there", encoding="utf-8")
    for target in (tmp_path / f"new{suffix}", tmp_path / f"old{suffix}"):
        assert run(["convert", str(tmp_path / "bad.txt"), str(target)]) == 1
        assert f"no game written to {target}, 1 could not be read\n" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"bad.txt", f"old{suffix}"}
    assert (tmp_path / f"old{suffix}").read_text(encoding="utf-8") == "what was there"


def test_a_file_that_comes_through_a_pipe_in_parts_is_told_by_all_of_its_beginning(tmp_path):
    reading, writing = os.pipe()

    def write() -> None:
        for part in (b"[Eve", b'nt "x"]\n', b"\n1. f5 ", b"d6 *\n"):
            os.write(writing, part)
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(reading, "rb", 0) as stream:
        found = list(read_records(stream))
    writer.join()
    assert [[move.move for move in game.moves] for game in found] == [["f5", "d6"]]


def test_several_files_become_one_and_may_include_the_target(tmp_path):
    (tmp_path / "a.txt").write_text("f5d6\n", encoding="utf-8")
    (tmp_path / "b.ggf").write_text("(;GM[Othello]B[e6];)\n", encoding="utf-8")
    assert run(["convert", str(tmp_path / "a.txt"), str(tmp_path / "b.ggf"), str(tmp_path / "a.txt")]) == 0
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "f5d6\ne6\n"


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path, capsys):
    source = tmp_path / "a.txt"
    source.write_text("f5d6\nf5f5\ne6f4\n", encoding="utf-8")
    assert run(["convert", str(source), str(tmp_path / "b.ggf")]) == 1
    said = capsys.readouterr().err
    assert f"{source}: line 2, column 3: 'f5': f5 is taken" in said
    assert "2 games written" in said
    assert "1 could not be read" in said
    assert len(games(tmp_path / "b.ggf")) == 2


def test_what_a_format_cannot_hold_is_named(tmp_path, capsys):
    assert run(["convert", str(TCGA), str(tmp_path / "b.wtb")]) == 1
    assert "game 1: 'banqi': WTHOR holds Othello games only" in capsys.readouterr().err


def test_banqi_records_survive_the_way_through_json(tmp_path):
    assert run(["convert", str(TCGA), str(tmp_path / "b.jsonl")]) == 0
    assert run(["convert", str(tmp_path / "b.jsonl"), "--to", "tcga", str(tmp_path / "back.txt")]) == 0
    assert (tmp_path / "back.txt").read_bytes() == TCGA.read_bytes()


def test_standard_streams_can_be_read_and_written(capfdbinary, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"f5d6\n"))))
    assert run(["convert", "-", "-", "--to", "ggf"]) == 0
    assert b"B[f5]W[d6];)" in capfdbinary.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{0}/none.txt", "{0}/b.ggf"], 1, "No such file or directory"),
        (["{0}/a.txt", "{0}/b.xyz"], 2, "does not say which format"),
        (["{0}/a.txt", "{0}/b.ggf", "--from", "cbv"], 2, "is no format"),
        (["{0}/a.txt", "{0}/nowhere/b.ggf"], 1, "there is no folder"),
        (["{0}/c.txt", "{0}/b.ggf"], 1, "no format that Fanqi reads"),
    ],
)
def test_mistakes_of_the_command_line_are_explained(tmp_path, capsys, arguments, code, message):
    (tmp_path / "a.txt").write_text("f5\n", encoding="utf-8")
    (tmp_path / "c.txt").write_text("nothing of that kind\n", encoding="utf-8")
    assert run(["convert", *(argument.format(tmp_path) for argument in arguments)]) == code
    assert message in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.glob(".*"))


# -------------------------------------------------------------------------------------------------------- show


def test_a_position_is_shown_with_its_moves_and_counts(capsys):
    assert run(["show", "f5d6c3", "--letters"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert " 3 - - X + - + - - " in lines
    assert "   X Black 5   O White 2   White to move" in lines


def test_names_in_a_file_are_no_markup_and_no_orders_to_the_terminal(tmp_path, capsys):
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps({"game": "othello", "players": ["[/red]", "\x1b[2Jb"], "moves": ["f5"]}))
    assert run(["show", str(path)]) == 0
    assert "[/red] – \\x1b[2Jb" in capsys.readouterr().out.splitlines()


def test_a_banqi_position_is_shown_with_captured_and_covered_men(capsys):
    assert run(["show", "X.../.n../..../.R../..../..../.k../P..K", "g", "b", "11", "r:b5>b7=5", "--letters"]) == 0
    shown = capsys.readouterr().out
    assert "captured from red: GGMMRNNCCPPPP" in shown
    assert "covered: g1" in shown
    assert "chases: r:b5>b7=5" in shown
    assert "black to move   quiet plies 11" in shown


def test_a_game_of_a_file_is_shown_at_any_ply(capsys):
    assert run(["show", str(TCGA), "--ply", "2", "--letters"]) == 0
    assert "playerA – playerB, 7:57am Jan 12, 2022, ply 2 of 57" in capsys.readouterr().out
    assert run(["show", str(WTB), "--game", "12", "--letters"]) == 0
    assert "game over" in capsys.readouterr().out


def test_a_folder_called_like_a_game_does_not_hide_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("othello").mkdir()
    assert run(["show", "othello", "--letters"]) == 0
    assert "Black 2" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_game_may_come_through_a_named_pipe(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=("f5d6c3\n",))
    writer.start()
    assert run(["show", str(tmp_path / "pipe"), "--letters"]) == 0
    writer.join()
    assert "Black 5" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("nowhere.ggf", "out.sgf", "nowhere.ggf: No such file or directory"),
        ("folder", "out.sgf", "folder cannot be read: Is a directory"),
        ("game.ggf", "nowhere/out.sgf", "nowhere/out.sgf cannot be written: there is no folder nowhere"),
        ("game.ggf", "folder.sgf", "folder.sgf cannot be written: Is a directory"),
    ],
)
def test_files_that_cannot_be_had_are_named_in_a_sentence(tmp_path, monkeypatch, capsys, source, target, message):
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "folder.sgf"):
        Path(folder).mkdir()
    assert run(["convert", str(WTB), "game.ggf"]) == 0
    capsys.readouterr()
    before = sorted(tmp_path.iterdir())
    assert run(["convert", source, target]) == 1
    assert capsys.readouterr().err == f"fanqi convert: error: {message}\n"
    assert [path for path in sorted(tmp_path.iterdir()) if path not in before and path.name != target] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zz"], "fanqi show: error: zz: No such file or directory"),
        (["f5zz"], "'zz': not a move"),
        ([str(WTB), "--game", "13"], f"fanqi show: error: {WTB}: game 13 of a file of 12\n"),
        ([__file__], f"fanqi show: error: {__file__}: line 1, column 1: "),
        (["f5f5"], "f5 is taken"),
        (
            ["f5", "--svg", "/nowhere/at/all.svg"],
            "/nowhere/at/all.svg cannot be written: there is no folder /nowhere/at",
        ),
        ([str(WTB.parent)], f"fanqi show: error: {WTB.parent} cannot be read: Is a directory\n"),
        (["f5d6", "--ply", "3"], "fanqi show: error: there is no ply 3: the game has 2\n"),
        (["othello", "--ply", "1"], "there is no ply 1: the game has 0"),
        (["nowhere.ggf"], "fanqi show: error: nowhere.ggf: No such file or directory\n"),
    ],
)
def test_what_cannot_be_shown_is_refused(capsys, arguments, message):
    assert run(["show", *arguments]) == 1
    assert message in capsys.readouterr().err


SVG = "{http://www.w3.org/2000/svg}"


def drawn(path):
    return ElementTree.parse(path).getroot()


def test_an_othello_picture_has_every_disc_and_the_number_of_its_move(tmp_path):
    path = tmp_path / "board.svg"
    assert run(["show", str(WTB), "--svg", str(path), "--numbers"]) == 0
    root = drawn(path)
    discs = [circle for circle in root.iter(f"{SVG}circle") if circle.get("r") == "21"]
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert len(discs) == 64
    assert {str(number) for number in range(1, 61)} <= texts


def test_a_banqi_picture_has_every_man_and_every_covered_square(tmp_path):
    path = tmp_path / "board.svg"
    assert run(["show", "X.../.n../..../.R../..../..../.k../P..K g b 11 r:b5>b7=5", "--svg", str(path)]) == 0
    texts = [text.text for text in drawn(path).iter(f"{SVG}text")]
    for character in "馬俥將兵帥":
        assert character in texts
    assert "Black to move" in texts
    assert "Chases: r:b5>b7=5" in texts
    fills = [circle.get("fill") for circle in drawn(path).iter(f"{SVG}circle")]
    assert fills.count("url(#c)") == 1


def test_names_in_pictures_cannot_break_them(tmp_path):
    source = tmp_path / "a.ggf"
    source.write_text('(;GM[Othello]PB[<b>&"]PW[w]B[f5];)\n', encoding="utf-8")
    assert run(["show", str(source), "--svg", str(tmp_path / "a.svg")]) == 0
    assert any("<b>&" in (text.text or "") for text in drawn(tmp_path / "a.svg").iter(f"{SVG}text"))
