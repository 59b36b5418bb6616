"""Self-play and exact labels: games are legal, scores are what they claim, and interrupted runs go on."""

from __future__ import annotations

import dataclasses
import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.othello import Position
from fanqi.othello.patterns import default_weights, format_weights
from fanqi.train.selfplay import (
    Game,
    PlaySettings,
    RecordError,
    decode_game,
    encode_game,
    frames,
    openings,
    play_file,
    play_files,
    read_games,
    selfplay_positions,
)
from fanqi.train.side_file import SideFileError
from fanqi.train.solving import solve_rows
from fanqi.train.wthor import wthor_games

DATA = Path(__file__).parents[2] / "data" / "othello"
SETTINGS = PlaySettings(depth=2, exact=7, first=4, last=50)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    path = tmp_path_factory.mktemp("play") / "play.msgpack"
    play_file(path, 5, 30, SETTINGS, books=wthor_games(DATA))
    return path


def name(square):
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def positions_of(game):
    """The position before each move, and the final one, by the rules' Python face."""
    position = Position()
    for square in game.moves:
        *passed, move = position.expand(name(square))
        for ply in passed:
            position = position.play(ply)
        yield position
        position = position.play(move)
    yield position


@cache
def exact_score(own, opp):
    """Plain negamax to the end."""
    position = Position(own, opp)
    if (outcome := position.outcome()) is not None:
        return outcome.margin
    return max(
        -exact_score(after.own, after.opponent) for after in (position.play(move) for move in position.legal_moves())
    )


def test_every_game_is_legal_and_played_to_its_end(played):
    _, games, _ = read_games(played)
    assert len(games) == 30
    for game in games:
        if len(game.moves):
            *_, last = positions_of(game)
            assert last.legal_moves() == ()


def test_exact_scores_are_the_result_from_the_view_of_the_mover(played):
    _, games, _ = read_games(played)
    for game in games:
        positions = list(positions_of(game))
        if len(game.moves):
            result = positions[-1].count_result().margin
            for ply in range(game.first_exact, len(game.moves)):
                assert positions[ply].empties <= SETTINGS.exact
                assert game.scores[ply - game.opening] == 100 * result * (1 if positions[ply].turn == 1 else -1)


def test_exact_scores_are_right(played):
    _, games, _ = read_games(played)
    checked = 0
    for game in games:
        for ply, position in enumerate(positions_of(game)):
            if ply >= max(game.first_exact, game.opening) and ply < len(game.moves) and position.empties <= 5:
                assert game.scores[ply - game.opening] == 100 * exact_score(position.own, position.opponent)
                checked += 1
    assert checked > 50


def test_rows_are_the_positions_after_the_opening(played):
    _, games, _ = read_games(played)
    rows = selfplay_positions(played)
    expected = [
        (position.own, position.opponent)
        for game in games
        for ply, position in enumerate(positions_of(game))
        if game.opening <= ply < len(game.moves)
    ]
    assert [(int(own), int(opp)) for own, opp in zip(rows.own, rows.opponent, strict=True)] == expected


def test_labels_blend_search_and_result(played):
    search, result, half = (selfplay_positions(played, blend).label for blend in (1.0, 0.0, 0.5))
    assert np.allclose(half, (search + result) / 2)
    assert (result == np.rint(result)).all()
    assert (search != result).any()


def test_an_interrupted_run_ends_as_one_that_was_not(played, tmp_path):
    whole = played.read_bytes()
    cut = tmp_path / "play.msgpack"
    cut.write_bytes(whole[: len(whole) // 2])
    play_file(cut, 5, 30, SETTINGS, books=wthor_games(DATA))
    assert cut.read_bytes() == whole


def test_a_file_of_another_run_is_not_touched(played):
    before = played.read_bytes()
    with pytest.raises(RecordError, match="another run"):
        play_file(played, 6, 60, SETTINGS)
    assert played.read_bytes() == before


def test_a_file_of_other_weights_or_openings_is_not_gone_on_with(played, tmp_path):
    path, weights = tmp_path / "play.msgpack", default_weights()
    play_file(path, 5, 2, SETTINGS)
    other = dataclasses.replace(weights.evaluation, bias=weights.evaluation.bias + np.int16(1))
    (tmp_path / "other.bin").write_bytes(format_weights(dataclasses.replace(weights, evaluation=other)))
    for change in ({"weights_path": tmp_path / "other.bin"}, {"books": wthor_games(DATA)}):
        with pytest.raises(RecordError, match=r"play\.msgpack: made by another run"):
            play_file(path, 5, 4, SETTINGS, **change)
    play_file(path, 5, 4, SETTINGS)
    assert len(read_games(path)[1]) == 4


def test_workers_share_the_games(tmp_path):
    counts = []
    paths = play_files(tmp_path, 3, 9, SETTINGS, workers=2, progress=counts.append)
    assert [len(read_games(path)[1]) for path in paths] == [5, 4]
    assert counts[-1] == 9


def test_openings_from_games_follow_them():
    books = wthor_games(DATA)
    _, given_plies, random_plies, moves = openings(1, 0, 200, SETTINGS, books)
    assert (given_plies[1::2] == 0).all()
    assert (given_plies > 0).any()
    assert ((given_plies + random_plies >= SETTINGS.first) & (given_plies + random_plies <= SETTINGS.last)).all()
    for row in np.flatnonzero(given_plies):
        assert any((moves[row, : given_plies[row]] == book[: given_plies[row]]).all() for book in books)


@given(
    st.integers(0, 60).flatmap(
        lambda plies: st.tuples(
            st.lists(st.integers(0, 63), min_size=plies, max_size=plies),
            st.integers(0, plies),
            st.integers(0, 60),
            st.lists(st.integers(-6400, 6400), min_size=plies, max_size=plies),
        )
    )
)
def test_a_game_reads_back_as_written(parts):
    moves, opening, first_exact, scores = parts
    game = Game(opening, first_exact, np.array(moves, np.uint8), np.array(scores[opening:], np.int16))
    ((size, value),) = frames(io.BytesIO(encode_game(game)))
    again = decode_game(value)
    assert size == len(encode_game(game))
    assert (again.opening, again.first_exact) == (opening, first_exact)
    assert (again.moves == game.moves).all()
    assert (again.scores == game.scores).all()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x07", "byte 0: int instead of a binary object"),
        (b"\xc6\x7f\xff\xff\xff", "byte 0: 0xc6 instead of 0xc5"),
        (b"\x91" * 2000, "byte 0"),
        (b"\xc5\x07\xd0" + b"\x91" * 2000, "byte 0"),
        (b"\xc5\x00\x01\xc1", "byte 0"),
        (b"\xc5\x00\x01\x00", "does not say"),
        (encode_game(Game(0, 0, np.zeros(0, np.uint8), np.zeros(0, np.int16))), "does not say"),
    ],
)
def test_a_file_that_is_no_record_is_refused(tmp_path, content, reason):
    path = tmp_path / "other.msgpack"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=reason):
        read_games(path)


def test_a_value_that_is_no_game_is_refused(played, tmp_path):
    path = tmp_path / "bad.msgpack"
    path.write_bytes(played.read_bytes() + b"\xc5\x00\x02\x91\x05")
    with pytest.raises(RecordError, match=r"bad\.msgpack: \[5\]: not a game"):
        read_games(path)


def test_an_illegal_move_in_a_record_is_found(tmp_path):
    path = tmp_path / "bad.msgpack"
    play_file(path, 1, 1, SETTINGS)
    path.write_bytes(path.read_bytes() + encode_game(Game(0, 1, np.array([0], np.uint8), np.array([5], np.int16))))
    with pytest.raises(RecordError, match="game 1: a move in it is not legal"):
        selfplay_positions(path)


def test_solved_rows_have_the_scores_of_plain_negamax(played, tmp_path):
    rows = selfplay_positions(played)
    rows = rows.take(rows.empties <= 5)
    labels = solve_rows(rows, default_weights(), tmp_path / "rows.labels")
    assert labels.tolist() == [exact_score(int(o), int(p)) for o, p in zip(rows.own, rows.opponent, strict=True)]


def test_solving_goes_on_where_it_was_interrupted_with_whatever_weights(played, tmp_path):
    rows = selfplay_positions(played)
    rows = rows.take(rows.empties <= 6)
    path, weights = tmp_path / "rows.labels", default_weights()
    labels = solve_rows(rows, weights, path)
    path.write_bytes(path.read_bytes()[: 10 - len(rows)])
    steps = []
    other = dataclasses.replace(weights.evaluation, bias=weights.evaluation.bias + np.int16(500))
    again = solve_rows(rows, dataclasses.replace(weights, evaluation=other), path, progress=steps.append)
    assert (again == labels).all()
    assert steps[-1] == len(rows)


def test_labels_of_other_rows_are_refused(played, tmp_path):
    rows = selfplay_positions(played)
    rows = rows.take(rows.empties <= 5)
    path = tmp_path / "rows.labels"
    solve_rows(rows, default_weights(), path)
    with pytest.raises(SideFileError, match=r"rows\.labels: begun with positions"):
        solve_rows(rows.take(rows.empties <= 4), default_weights(), path)
