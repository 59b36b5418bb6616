"""The network's correction: the same compiled or not, the same in every symmetry, kept whole by the weights file."""

from __future__ import annotations

import dataclasses
import json
import struct
import zlib

import numpy as np
import pytest
from numba import njit

from fanqi.bits import address_of
from fanqi.othello.patterns import (
    DISC,
    EVALUATION,
    LIMIT,
    ORDERING,
    Network,
    Section,
    Weights,
    WeightsError,
    default_weights,
    evaluate_position,
    format_weights,
    parse_weights,
)
from fanqi.othello.patterns.network import FEATURES, INPUTS, UNITS, propagate
from fanqi.othello.patterns.shapes import symmetric_squares


def zeros(patterns):
    tables = np.zeros((1, patterns.folded_size), np.int16)
    return Section(patterns, np.zeros(61, np.int64), tables, np.zeros(61, np.int16))


def random_network(seed, size=127, bands=2):
    chooser = np.random.default_rng(seed)
    return Network(
        EVALUATION,
        np.arange(61) * bands // 61,
        chooser.integers(-size, size + 1, (bands, EVALUATION.folded_size, FEATURES)).astype(np.int8),
        chooser.integers(-500, 500, (bands, INPUTS, UNITS)).astype(np.int16),
        chooser.integers(-1500, 1500, (bands, UNITS)).astype(np.int16),
    )


@pytest.fixture(scope="module")
def weights():
    return Weights(zeros(EVALUATION), zeros(ORDERING), {"data": "random numbers"}, random_network(1, 20))


def indices(own, opp):
    squares = [[s for s in range(64) if bits >> s & 1] for bits in (own, opp)]
    return (EVALUATION.rows[squares[0]].sum(axis=0) - EVALUATION.rows[squares[1]].sum(axis=0)).astype(np.int16)


@pytest.mark.parametrize("size", [3, 127])
def test_compiled_and_plain_networks_agree(boards, size):
    compiled = njit(lambda a, b, c, d, e, f, g, h: propagate(a, b, c, d, e, f, g, h))
    network = random_network(2, size)
    block = network.block()
    chooser = np.random.default_rng(3)
    for own, opp in boards[:100]:
        state = indices(own, opp)
        band = address_of(block) + int(block[min(60, 64 - (own | opp).bit_count())])
        facts = [int(fact) for fact in chooser.integers(-250, 250, 6)]
        arguments = (address_of(state), band, *facts)
        assert compiled(*arguments) == propagate(*arguments)


def test_the_correction_is_what_the_layers_say(weights, boards):
    network = weights.network
    for own, opp in boards[:30]:
        empties = 64 - (own | opp).bit_count()
        if empties > 60:
            continue
        band = network.band_of_empties[empties]
        entries = EVALUATION.fold[(EVALUATION.centres + indices(own, opp))[: EVALUATION.count]]
        features = network.tables[band][entries].sum(axis=0, dtype=int)
        empty = {s for s in range(64) if not (own | opp) >> s & 1}
        near = [
            sum(any(bits >> t & 1 for t in range(64) if t != s and touch(s, t)) for s in empty) for bits in (opp, own)
        ]
        moves = [len(legal(own, opp)), len(legal(opp, own))]
        facts = [*(12 * n - 108 for n in moves), *(8 * n - 112 for n in near), 6 * (empties - 30), 0]
        hidden = np.array([*features, *facts, 64]) @ network.first[band].astype(int)
        leaky = np.minimum(np.where(hidden > 0, hidden, hidden >> 4) >> 8, 2**14 - 1)
        value = int((leaky * network.last[band]).sum()) >> 6
        assert evaluate_position(own, opp, weights) == max(-LIMIT, min(LIMIT, value)) / DISC


def touch(s, t):
    return max(abs(s % 8 - t % 8), abs(s // 8 - t // 8)) == 1


def legal(own, opp):
    from fanqi.othello.moves import legal_moves  # the plain form

    return [s for s in range(64) if int(legal_moves(np.uint64(own), np.uint64(opp))) >> s & 1]


def test_a_corrected_evaluation_is_the_same_in_every_symmetry(weights, boards):
    for own, opp in boards[:20]:
        if (own | opp).bit_count() < 4:
            continue
        values = set()
        for symmetry in symmetric_squares():
            turned = [sum(1 << int(symmetry[s]) for s in range(64) if bits >> s & 1) for bits in (own, opp)]
            values.add(evaluate_position(*turned, weights))
        assert len(values) == 1


def test_a_network_is_read_back_as_written(weights):
    written = format_weights(weights)
    again = parse_weights(written).network
    for name in ("band_of_empties", "tables", "first", "last"):
        assert (getattr(again, name) == getattr(weights.network, name)).all()
    assert format_weights(parse_weights(written)) == written


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"units": 32}, "another shape"), ({"bands": 1}, "bands outside 0 to 0"), ({"bands": 3}, "damaged")],
)
def test_a_network_that_does_not_fit_is_refused(weights, change, reason):
    written = format_weights(weights)
    (length,) = struct.unpack_from("<I", written, 8)
    header = json.loads(written[12 : 12 + length])
    header["network"] |= change
    text = json.dumps(header).encode()
    with pytest.raises(WeightsError, match=reason):
        parse_weights(b"FANQIWTS" + struct.pack("<I", len(text)) + text + written[12 + length :])


def test_bytes_after_a_network_are_refused(weights):
    written = format_weights(weights)
    (length,) = struct.unpack_from("<I", written, 8)
    header = json.loads(written[12 : 12 + length])
    payload = zlib.decompress(written[12 + length :]) + b"\0"
    text = json.dumps(header | {"crc32": zlib.crc32(payload)}).encode()
    with pytest.raises(WeightsError, match="damaged"):
        parse_weights(b"FANQIWTS" + struct.pack("<I", len(text)) + text + zlib.compress(payload))


def test_the_shipped_network_corrects_the_shipped_sum():
    shipped = default_weights()
    assert shipped.network is not None
    bare = dataclasses.replace(shipped, network=None)
    own, opp = 0x0000001C1C000000, 0x00001C2020000000
    assert evaluate_position(own, opp, shipped) != evaluate_position(own, opp, bare)
