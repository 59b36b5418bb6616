"""Sources of training data: every row is a position of its game, with the label its source promises."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from fanqi.othello import Position
from fanqi.records import RecordError, WthorError, parse_wthor
from fanqi.train.positions import PositionError, concatenate, load_positions, merge, save_positions
from fanqi.train.recorded import recorded_positions
from fanqi.train.wthor import wthor_games, wthor_positions

DATA = Path(__file__).parents[2] / "data" / "othello"


@pytest.fixture(scope="module")
def rows():
    return wthor_positions(DATA)


@pytest.fixture(scope="module")
def games():
    return parse_wthor((DATA / "WTH_1977.wtb").read_bytes()).games


def replayed(game):
    """(position before each move, move) by the rules' Python face, passes left out."""
    position = Position()
    for code in game["moves"]:
        if code:
            text = f"{'abcdefgh'[code % 10 - 1]}{code // 10}"
            *passed, move = position.expand(text)
            for ply in passed:
                position = position.play(ply)
            yield position, move
            position = position.play(move)


def test_wthor_rows_are_the_positions_of_the_games(rows, games):
    expected = [(p.own, p.opponent) for game in games for p, _ in replayed(game)]
    assert [(int(own), int(opp)) for own, opp in zip(rows.own, rows.opponent, strict=True)] == expected


def test_wthor_labels_are_the_theoretical_score_until_24_empties_and_the_result_after(rows, games):
    row = 0
    for game in games:
        for position, _ in replayed(game):
            discs = game["black_theoretical"] if position.empties >= 24 else game["black_discs"]
            black = 2 * int(discs) - 64
            assert rows.label[row] == (black if position.turn == 1 else -black)
            row += 1


def test_wthor_games_are_squares_in_order(games):
    squares = wthor_games(DATA)
    for game, line in zip(games, squares, strict=True):
        moves = [f"{'abcdefgh'[s % 8]}{s // 8 + 1}" for s in line if s != 255]
        assert moves == [move for _, move in replayed(game)]


def test_a_directory_without_games_is_named(tmp_path):
    with pytest.raises(WthorError, match=str(tmp_path)):
        wthor_positions(tmp_path)


def test_a_damaged_game_file_is_named(tmp_path):
    (tmp_path / "WTH_1900.wtb").write_bytes(b"\0" * 10)
    with pytest.raises(WthorError, match=r"WTH_1900\.wtb"):
        wthor_positions(tmp_path)


def test_a_split_keeps_games_whole_and_loses_no_row(rows):
    fitted, held = rows.split(0.3)
    assert len(fitted) + len(held) == len(rows)
    assert set(fitted.game).isdisjoint(held.game)
    assert 0 < len(held) < len(fitted)


def test_a_split_is_the_same_every_time_and_another_for_another_seed(rows):
    assert (rows.split(0.3)[1].game == rows.split(0.3)[1].game).all()
    assert set(rows.split(0.3)[1].game) != set(rows.split(0.3, seed=1)[1].game)


def test_positions_read_back_as_saved(rows, tmp_path):
    path = tmp_path / "rows.npz"
    save_positions(path, rows)
    again = load_positions(path)
    for field in ("own", "opponent", "label", "weight", "game"):
        assert (getattr(again, field) == getattr(rows, field)).all()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"own"])
def test_a_file_that_holds_no_positions_is_refused(tmp_path, content):
    path = tmp_path / "rows.npz"
    path.write_bytes(content)
    with pytest.raises(PositionError, match=r"rows\.npz"):
        load_positions(path)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"format": 2}, "format '2'"),
        ({"format": [1, 2]}, "format"),
        ({"opponent": np.zeros(1, np.uint64)}, "different lengths, 1 to 2"),
        ({"own": np.array([1.0, 2.0])}, "own: expected one row of uint64, not float64"),
        ({"game": np.zeros((2, 1), np.int64)}, r"game: expected one row of int64, not int64 \(2, 1\)"),
        ({"opponent": np.array([4, 6], np.uint64)}, "both sides"),
        ({"label": np.array([1.0, np.nan])}, "no number"),
        ({"weight": np.array([1.0, -1.0])}, "negative"),
    ],
)
def test_arrays_that_are_no_rows_of_positions_are_refused(tmp_path, changed, reason):
    arrays = {"own": np.array([1, 2], np.uint64), "opponent": np.array([4, 8], np.uint64)}
    arrays |= {"label": np.zeros(2), "weight": np.ones(2), "game": np.zeros(2, np.int64)}
    np.savez(tmp_path / "good.npz", format=1, **arrays)
    assert len(load_positions(tmp_path / "good.npz")) == 2
    np.savez(tmp_path / "bad.npz", **{"format": 1} | arrays | changed)
    with pytest.raises(PositionError, match=rf"bad\.npz: not a position file \(.*{reason}"):
        load_positions(tmp_path / "bad.npz")


@pytest.mark.parametrize("data", [b"", b"hi\n", b"\x80\x04N."])
def test_nobody_is_advised_to_load_what_is_no_position_file_unsafely(tmp_path, data):
    (tmp_path / "rows.npz").write_bytes(data)
    with pytest.raises(
        PositionError, match=r"rows\.npz: not a position file \(neither a \.npz file nor a \.npy file\)$"
    ):
        load_positions(tmp_path / "rows.npz")


def test_a_single_array_is_no_position_file(tmp_path):
    with (tmp_path / "rows.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(PositionError, match=r"rows\.npz: not a position file \(a single array\)"):
        load_positions(tmp_path / "rows.npz")


def test_sources_add_up(rows):
    both = concatenate([rows, rows.take(rows.empties < 10)])
    assert len(both) == len(rows) + int((rows.empties < 10).sum())
    assert both.own.dtype == np.uint64


def test_where_two_sources_have_a_position_of_the_same_game_the_later_label_counts(rows):
    again = dataclasses.replace(rows.take(rows.empties < 10), label=np.float32(1.5) + 0 * rows.label[rows.empties < 10])
    elsewhere = dataclasses.replace(again, game=again.game + 10_000)
    merged = merge([rows, elsewhere, again])
    assert len(merged) == len(rows) + len(elsewhere)
    early = merged.take(merged.game < 10_000)
    assert (early.label[early.empties < 10] == 1.5).all()
    assert sorted(early.label[early.empties >= 10]) == sorted(rows.label[rows.empties >= 10])


def test_a_theoretical_score_counts_the_less_the_more_was_played_after_the_position(rows):
    weights = [float(rows.weight[rows.empties == empties].max()) for empties in (24, 26, 30, 40, 60)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 1
    assert (rows.weight[rows.empties <= 24] == 1).all()


def test_records_of_another_format_give_the_same_positions(rows, games, tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("".join("".join(move for _, move in replayed(game)) + "\n" for game in games))
    recorded = recorded_positions(path)
    complete = [number for number, game in enumerate(games) if (game["moves"] != 0).all()]
    assert complete
    for number in complete:
        mine, theirs = recorded.take(recorded.game == number), rows.take(rows.game == number)
        assert (mine.own == theirs.own).all()
        assert (mine.opponent == theirs.opponent).all()
        late = theirs.empties < 24
        assert (mine.label[late] == theirs.label[late]).all()


@pytest.mark.parametrize(
    ("result", "counts"), [("+12.000", True), ("+12.000:r", False), ("-3.000:t", False), ("?", False)]
)
def test_a_game_that_was_not_played_out_counts_if_its_discs_are_known(tmp_path, result, counts):
    path = tmp_path / "game.ggf"
    board = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    path.write_text(f"(;GM[Othello]PB[a]PW[b]TY[8]RE[{result}]{board}B[f5]W[d6];)\n")
    recorded = recorded_positions(path)
    assert recorded.label.tolist() == ([12.0, -12.0] if counts else [])


def test_a_damaged_record_is_named(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("f5d6c3\nf5d6z9\n")
    with pytest.raises(RecordError, match=r"games\.txt: line 2"):
        recorded_positions(path)


def test_rows_between_two_numbers_of_empty_squares_have_those(rows):
    assert set(rows.between(7, 9).empties) == {7, 8, 9}


def test_a_file_that_is_not_there_is_named_with_the_reason(tmp_path):
    with pytest.raises(PositionError, match=r"/rows\.npz: No such file or directory$"):
        load_positions(tmp_path / "rows.npz")
