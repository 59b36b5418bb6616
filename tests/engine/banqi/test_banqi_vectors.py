"""The 58 worked positions of the rules, the perft counts, and real games."""

from __future__ import annotations

import re

import pytest

from fanqi.banqi import GAME
from fanqi.game import DepthError, MoveError, Player


def ours(move):
    """The vectors write a1?, a1-a2, a1xa2."""
    return move.replace("?", "").replace("-", "").replace("x", "")


def sorted_hidden(fen):
    fields = fen.split()
    fields[1] = "".join(sorted(fields[1], key="KGMRNCPkgmrncp-".index))
    return " ".join(fields)


def colour_of(position, player):
    return "rb"[position.colour(player)]


def test_there_are_58_worked_positions(vectors):
    assert len(vectors) == 58


def test_worked_positions_have_the_stated_moves(vectors):
    for case in vectors:
        if case["kind"] == "pos":
            position = GAME.parse(case["pos"])
            assert position.legal_moves() == tuple(sorted(map(ours, case["legal"]))), case["id"]
            assert position.banned_moves() == tuple(sorted(map(ours, case["banned"]))), case["id"]
            assert position.fen() == sorted_hidden(case["pos"]), case["id"]


def test_worked_sequences_end_as_stated(vectors):
    for case in vectors:
        if case["kind"] != "seq":
            continue
        position = GAME.parse(case["pos"])
        hidden = case["pos"].split()[1]
        for move in case["moves"]:
            assert ours(move) in position.legal_moves(), case["id"]
            position = position.play(move.replace("?", f"={hidden[0]}"))  # at most one is covered in these
        assert position.fen() == case["final"], case["id"]
        assert position.legal_moves() == tuple(sorted(map(ours, case["legal_end"]))), case["id"]
        if case["over"] is None:
            assert position.outcome() is None, case["id"]
            assert position.banned_moves() == tuple(sorted(map(ours, case["banned_end"]))), case["id"]
            for move in case["legal_after"]:
                assert ours(move) in position.legal_moves(), case["id"]
            for move in case["illegal_after"]:
                assert ours(move) not in position.legal_moves(), case["id"]
            continue
        outcome = position.outcome()
        assert outcome is not None and outcome.reason == case["over"]["reason"], case["id"]
        if case["over"]["winner"] == "draw":
            assert outcome.winner is None and outcome.margin == 0, case["id"]
        else:
            assert colour_of(position, outcome.winner) == case["over"]["winner"], case["id"]
            sign = 1 if outcome.winner is Player.P1 else -1
            assert outcome.margin == sign * case["over"]["multiplier"], case["id"]
            assert position.stake(outcome.winner) == case["over"]["multiplier"], case["id"]


def rows(data):
    for line in (data / "perft.tsv").read_text().splitlines():
        fields = line.split("\t")
        if not line.startswith("#") and fields[0] != "id":
            yield fields[0], int(fields[1]), int(fields[2]), fields[7]


def test_perft_counts_are_the_stated_ones(data):
    cases = list(rows(data))
    assert len(cases) == 73
    for name, depth, nodes, fen in cases:
        assert GAME.perft(fen, depth) == nodes, (name, depth)


def test_perft_deeper_than_can_be_counted_is_refused():
    for count in (GAME.perft, GAME.perft_divide):
        with pytest.raises(DepthError, match="'201': perft of banqi counts to depth 200"):
            count(None, 201)


def test_perft_divide_adds_up(data):
    for name, depth, nodes, fen in rows(data):
        if depth <= 3:
            counts = GAME.perft_divide(fen, depth)
            assert tuple(move for move, _ in counts) == GAME.parse(fen).legal_moves(), name
            assert sum(count for _, count in counts) == nodes, name


def test_perft_divide_counts_the_same_in_small_parts(data, monkeypatch):
    monkeypatch.setattr("fanqi.banqi.game.LEAVES_AT_A_TIME", 10)
    for name, depth, nodes, fen in rows(data):
        if 1 <= depth <= 3 and nodes < 100_000:
            assert sum(count for _, count in GAME.perft_divide(fen, depth)) == nodes, name


def test_perft_divide_stops_within_a_move():
    asked = iter([False] * 20)
    assert GAME.perft_divide(None, 30, stopped=lambda: next(asked, True)) == []


def test_perft_under_repetition_follows_the_positions_played():
    fen = "K.../..../..../..../..../..../..../...p - r 0 -"

    def lines(position, depth):
        if depth == 0:
            return 1
        return sum(lines(position.play(move), depth - 1) for move in position.legal_moves())

    assert GAME.perft(fen, 9, "repetition=3") == lines(GAME.parse(fen, "repetition=3"), 9)
    assert GAME.perft(fen, 9, "repetition=3") < GAME.perft(fen, 9)


def record(path):
    """Moves and result line of a record of the Taiwanese client."""
    moves, result = [], ""
    for line in path.read_text().splitlines():
        if match := re.match(r"\* \d+\. (.*)", line):
            moves += match[1].split()
        elif re.search("wins|Wins|Draw", line):
            result = line
    return moves, result


@pytest.mark.parametrize(
    ("name", "reason", "winner"),
    [
        ("game01", "extinct", "playerB"),
        ("game02", "no_progress", None),
        ("game04", "extinct", "playerA"),
        ("game06", "extinct", "playerA"),
    ],
)
def test_real_games_replay_to_their_result(data, name, reason, winner):
    moves, result = record(data / f"{name}.record.txt")
    position = GAME.start("chase=off")
    for move in moves:
        assert position.outcome() is None
        position = position.play(move)
    outcome = position.outcome()
    assert outcome is not None and outcome.reason == reason
    assert (winner or "Draw") in result


def test_a_real_game_breaks_off_where_the_ban_forbids_its_sixth_chase(data):
    moves, _ = record(data / "game04.record.txt")
    position = GAME.start()
    for move in moves[:67]:
        position = position.play(move)
    with pytest.raises(MoveError, match="one chase too many"):
        position.play(moves[67])
