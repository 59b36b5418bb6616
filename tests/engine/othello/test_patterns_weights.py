"""The weights file: what is written is read back, what is damaged is refused, what is shipped is sound."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np
import pytest

from fanqi.bits import address_of
from fanqi.othello.patterns import (
    DISC,
    EVALUATION,
    LIMIT,
    ORDERING,
    Section,
    Weights,
    WeightsError,
    default_weights,
    evaluate_board,
    evaluate_order_board,
    evaluate_position,
    format_weights,
    load_weights,
    parse_weights,
)
from fanqi.othello.patterns.shapes import symmetric_squares


def section(patterns, phases, seed):
    chooser = np.random.default_rng(seed)
    tables = chooser.integers(-400, 400, (phases, patterns.folded_size)).astype(np.int16)
    tables[0, 0], tables[-1, -1] = -(2**15), 2**15 - 1
    bias = chooser.integers(-(2**15), 2**15, 61).astype(np.int16)
    return Section(patterns, np.arange(61) * phases // 61, tables, bias)


@pytest.fixture(scope="module")
def weights():
    return Weights(section(EVALUATION, 3, 1), section(ORDERING, 2, 2), {"data": "random numbers, 翻棋"})


@pytest.fixture(scope="module")
def written(weights):
    return format_weights(weights)


def header_of(data):
    (length,) = struct.unpack_from("<I", data, 8)
    return json.loads(data[12 : 12 + length]), data[12 + length :]


def rebuilt(header, rest):
    text = json.dumps(header).encode()
    return b"FANQIWTS" + struct.pack("<I", len(text)) + text + rest


def test_weights_read_back_as_written(weights, written):
    again = parse_weights(written)
    assert again.provenance == weights.provenance
    for mine, theirs in ((weights.evaluation, again.evaluation), (weights.ordering, again.ordering)):
        assert (mine.tables == theirs.tables).all()
        assert (mine.bias == theirs.bias).all()
        assert (mine.phase_of_empties == theirs.phase_of_empties).all()
    assert format_weights(again) == written


def test_evaluation_reads_the_tables_of_the_phase(weights, boards):
    for own, opp in boards[:50]:
        empties = 64 - (own | opp).bit_count()
        if empties > 60:
            continue
        part = weights.evaluation
        phase = part.phase_of_empties[empties]
        squares = [[s for s in range(64) if bits >> s & 1] for bits in (own, opp)]
        index = EVALUATION.rows[squares[0]].sum(axis=0) - EVALUATION.rows[squares[1]].sum(axis=0)
        entry = (EVALUATION.centres + index)[: EVALUATION.count]
        value = int(part.tables[phase][EVALUATION.fold[entry]].sum(dtype=int)) + int(part.bias[empties])
        assert evaluate_position(own, opp, weights) == max(-LIMIT, min(LIMIT, value)) / DISC


@pytest.mark.parametrize("size", [0, 5, 11, 200, -1])
def test_a_file_cut_short_is_refused(written, size):
    with pytest.raises(WeightsError):
        parse_weights(written[:size])


def test_a_flipped_bit_is_noticed(written):
    position = len(written) - 5000
    damaged = written[:position] + bytes([written[position] ^ 16]) + written[position + 1 :]
    with pytest.raises(WeightsError):
        parse_weights(damaged)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 1}, "format 1"),
        ({"unit": 128}, "unit 128"),
        ({"crc32": 1}, "checksum"),
        ({"sections": []}, "bytes too many"),
        ({"provenance": None}, "damaged"),
        ({"format": None}, "format None"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(written, change, reason):
    header, rest = header_of(written)
    with pytest.raises(WeightsError, match=reason):
        parse_weights(rebuilt(header | change, rest))


def test_weights_for_other_patterns_are_refused(written):
    header, rest = header_of(written)
    header["sections"][0]["shapes"][0][1] = "a1 b1 c1 a2 b2 c2 a3 b3 d4"
    with pytest.raises(WeightsError, match="other patterns"):
        parse_weights(rebuilt(header, rest))


def test_a_phase_that_is_not_there_is_refused(written):
    header, rest = header_of(written)
    header["sections"][1]["phase_of_empties"][60] = 2
    with pytest.raises(WeightsError, match="phases outside 0 to 1"):
        parse_weights(rebuilt(header, rest))


def test_something_else_in_place_of_the_payload_is_refused(written):
    header, _ = header_of(written)
    payload = b"no tables"
    with pytest.raises(WeightsError):
        parse_weights(rebuilt(header | {"crc32": zlib.crc32(payload)}, zlib.compress(payload)))


def test_the_variable_chooses_another_file(written, tmp_path, monkeypatch):
    path = tmp_path / "mine.bin"
    path.write_bytes(written)
    monkeypatch.setenv("FANQI_WEIGHTS", str(path))
    assert load_weights().provenance["data"] == "random numbers, 翻棋"


def test_a_bad_file_is_named_in_the_error(tmp_path, monkeypatch):
    path = tmp_path / "mine.bin"
    monkeypatch.setenv("FANQI_WEIGHTS", str(path))
    with pytest.raises(WeightsError, match=r"mine\.bin: No such file"):
        load_weights()
    path.write_bytes(b"GIF89a  ")
    with pytest.raises(WeightsError, match=r"mine\.bin: it starts with b'GIF89a"):
        load_weights()


def test_the_shipped_weights_say_where_they_come_from(monkeypatch):
    monkeypatch.delenv("FANQI_WEIGHTS", raising=False)
    provenance = load_weights().provenance
    assert {"data", "commit", "settings", "hold_out"} <= set(provenance)


@pytest.mark.nojit
def test_the_shipped_weights_prefer_a_corner():
    weights = default_weights()
    own, opp = 0x0000001C1C000000, 0x00001C2020000000
    assert evaluate_position(own | 1, opp, weights) > evaluate_position(own, opp | 1, weights)


def test_the_shipped_evaluation_is_the_same_in_every_symmetry(games):
    weights = default_weights()
    scratch = np.zeros(EVALUATION.lanes, np.int16)
    blocks = (
        (evaluate_board, address_of(weights.evaluation_block)),
        (evaluate_order_board, address_of(weights.ordering_block)),
    )
    for game in games[:10]:
        for position in game[::7]:
            for kernel, block in blocks:
                values = set()
                for symmetry in symmetric_squares():
                    own, opp = (
                        sum(1 << int(symmetry[s]) for s in range(64) if bits >> s & 1)
                        for bits in (position.own, position.opponent)
                    )
                    values.add(int(kernel(np.uint64(own), np.uint64(opp), address_of(scratch), block)))
                assert len(values) == 1
