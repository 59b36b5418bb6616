"""The weights file: its layout, how it is read and written, and where the engine finds it.

Layout (little-endian)::

    offset  size  content
    0       8     magic  FANQIWTS
    8       4     uint32, length n of the header
    12      n     header: one JSON object in UTF-8 (below)
    12+n    …     zlib stream of the sections one after the other

    header  format      2
            unit        of the entries: this many to a disc (100)
            crc32       of the unpacked sections
            sections    [{name, shapes: [[name, "a1 b1 …"], …], phase_of_empties: [61 numbers], phases}, …]
            network     null, or {bands, band_of_empties: [61 numbers], features, facts, units}
            provenance  data, positions, hold-out error: whatever the training tool has to say

A section holds 61 biases, one for each number of empty squares, and then for each phase the folded tables of its shapes
(`PatternSet.fold`); all int16. Tables are stored as differences to the phase before, and the section as first all low
bytes, then all high bytes: neighbouring phases are alike, so this packs well. A network follows (see
`fanqi.othello.patterns.network`): for all bands int16 first[inputs][units], then int16 last[units], then the int8
features of the folded entries of the evaluation.

In memory a section is unfolded into one block that kernels reach by its address::

    word e         (e = 0..63)   int64, byte offset from the block's start of the tables for e empty squares
    word 64 + e                  int64, bias for e empty squares
    word 125                     int64, address of the network's block, 0 if there is none
    then                         the int16 tables of each phase
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import struct
import zlib
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fanqi.bits import address_of
from fanqi.game.errors import DataError
from fanqi.othello.patterns.network import FACTS, FEATURES, INPUTS, UNITS, Network
from fanqi.othello.patterns.shapes import EVALUATION, ORDERING, PatternSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DISC",
    "NETWORK_WORD",
    "Section",
    "Weights",
    "WeightsError",
    "default_weights",
    "evaluation_digest",
    "format_weights",
    "load_weights",
    "parse_weights",
]

MAGIC = b"FANQIWTS"
FORMAT = 2
DISC = 100
"""Evaluation units in one disc: values are hundredths of a disc, as everywhere in the engine."""
COUNTS = 61  # numbers of empty squares, 0 to 60
HEADER_WORDS = 128
NETWORK_WORD = 64 + COUNTS
"""Where the evaluation's block says where the network's is."""
SETS = {"evaluation": EVALUATION, "ordering": ORDERING}


class WeightsError(DataError):
    """A weights file that cannot be used; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Section:
    """The weights of one pattern set, folded, as the file has them.

    Attributes:
        patterns: the set.
        phase_of_empties: (61,) the phase used for each number of empty squares.
        tables: int16 (phases, patterns.folded_size).
        bias: int16 (61,), added for each number of empty squares.
    """

    patterns: PatternSet
    phase_of_empties: NDArray[np.int64]
    tables: NDArray[np.int16]
    bias: NDArray[np.int16]

    def block(self) -> NDArray[np.int64]:
        """The section as kernels read it (see the module's second diagram)."""
        phases, size = len(self.tables), self.patterns.size
        stride = -(-size // 4)  # words a phase
        block = np.zeros(HEADER_WORDS + phases * stride, np.int64)
        for empties, phase in enumerate(self.phase_of_empties):
            block[empties] = 8 * (HEADER_WORDS + phase * stride)
            block[64 + empties] = self.bias[empties]
        block[COUNTS:64] = block[COUNTS - 1]
        tables = block[HEADER_WORDS:].view(np.int16).reshape(phases, 4 * stride)
        for phase in range(phases):
            np.take(self.tables[phase], self.patterns.fold, out=tables[phase, :size])
        return block


@dataclass(frozen=True)
class Weights:
    """Both evaluations, ready to use.

    Attributes:
        evaluation, ordering: as stored.
        provenance: what the training tool said about them.
        network: corrects the evaluation, if there is one.
        evaluation_block, ordering_block: for kernels, which take their addresses; keep this object alive meanwhile.
    """

    evaluation: Section
    ordering: Section
    provenance: dict[str, Any]
    network: Network | None = None
    evaluation_block: NDArray[np.int64] = field(init=False, repr=False)
    ordering_block: NDArray[np.int64] = field(init=False, repr=False)
    network_block: NDArray[np.int64] | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "evaluation_block", self.evaluation.block())
        object.__setattr__(self, "ordering_block", self.ordering.block())
        if self.network is not None:
            object.__setattr__(self, "network_block", self.network.block())
            self.evaluation_block[NETWORK_WORD] = address_of(self.network_block)


def _shapes_text(patterns: PatternSet) -> list[list[str]]:
    return [
        [shape.name, " ".join(f"{'abcdefgh'[s % 8]}{s // 8 + 1}" for s in shape.squares)] for shape in patterns.shapes
    ]


def _pack(section: Section) -> bytes:
    tables = section.tables.astype("<i2")
    tables[1:] -= section.tables[:-1]
    entries = np.concatenate([section.bias.astype("<i2"), tables.ravel()])
    return entries.view(np.uint8).reshape(-1, 2).T.tobytes()


def _unpack(raw: bytes, phases: int, width: int) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """(bias, tables)"""
    planes = np.frombuffer(raw, np.uint8).reshape(2, COUNTS + phases * width)
    entries = np.empty(planes.shape[1], "<i2")
    view = entries.view(np.uint8).reshape(-1, 2)
    view[:, 0], view[:, 1] = planes[0], planes[1]
    native = entries.astype(np.int16, copy=False)
    tables = native[COUNTS:].reshape(phases, width)
    for phase in range(1, phases):
        tables[phase] += tables[phase - 1]
    return native[:COUNTS], tables


def _pack_network(network: Network) -> bytes:
    return network.first.astype("<i2").tobytes() + network.last.astype("<i2").tobytes() + network.tables.tobytes()


def _unpack_network(raw: bytes, said: dict[str, Any]) -> Network:
    """The network at the start of ``raw``, which is as long as it."""
    bands = int(said["bands"])
    if (said["features"], said["facts"], said["units"]) != (FEATURES, FACTS, UNITS):
        raise WeightsError("its network has another shape than this version's")
    of_empties = np.array(said["band_of_empties"], np.int64)
    if of_empties.shape != (COUNTS,) or not ((of_empties >= 0) & (of_empties < bands)).all():
        raise WeightsError(f"the network names bands outside 0 to {bands - 1}")
    dense = np.frombuffer(raw[: 2 * bands * (INPUTS + 1) * UNITS], "<i2").astype(np.int16)
    first = dense[: bands * INPUTS * UNITS].reshape(bands, INPUTS, UNITS)
    tables = np.frombuffer(raw[2 * len(dense) :], np.int8).reshape(bands, EVALUATION.folded_size, FEATURES)
    return Network(EVALUATION, of_empties, tables, first, dense[bands * INPUTS * UNITS :].reshape(bands, UNITS))


def format_weights(weights: Weights) -> bytes:
    """The bytes of a weights file; `parse_weights` reads them back."""
    sections = {"evaluation": weights.evaluation, "ordering": weights.ordering}
    payload = b"".join(_pack(section) for section in sections.values())
    network = weights.network
    if network is not None:
        payload += _pack_network(network)
    header = {
        "format": FORMAT,
        "unit": DISC,
        "crc32": zlib.crc32(payload),
        "sections": [
            {
                "name": name,
                "shapes": _shapes_text(section.patterns),
                "phases": len(section.tables),
                "phase_of_empties": [int(p) for p in section.phase_of_empties],
            }
            for name, section in sections.items()
        ],
        "network": None
        if network is None
        else {
            "bands": len(network.tables),
            "band_of_empties": [int(band) for band in network.band_of_empties],
            "features": FEATURES,
            "facts": FACTS,
            "units": UNITS,
        },
        "provenance": weights.provenance,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return MAGIC + struct.pack("<I", len(text)) + text + zlib.compress(payload, 9)


def parse_weights(data: bytes) -> Weights:
    """Read a weights file.

    Raises:
        WeightsError: not such a file, damaged, of another format, or for other patterns than this version's.
    """
    if data[: len(MAGIC)] != MAGIC:
        raise WeightsError(f"it starts with {data[: len(MAGIC)]!r}, not with {MAGIC!r}")
    start = len(MAGIC) + 4
    try:
        (length,) = struct.unpack_from("<I", data, len(MAGIC))
        header = json.loads(data[start : start + length])
        if header["format"] != FORMAT or header["unit"] != DISC:
            raise WeightsError(
                f"format {header['format']} with unit {header['unit']}; this version reads format {FORMAT}, unit {DISC}"
            )
        payload = zlib.decompress(data[start + length :])
        if zlib.crc32(payload) != header["crc32"]:
            raise WeightsError("its checksum does not fit its contents")
        sections, offset = {}, 0
        for said in header["sections"]:
            name, phases = str(said["name"]), int(said["phases"])
            if name not in SETS or said["shapes"] != _shapes_text(SETS[name]):
                raise WeightsError(f"section {name!r} is for other patterns than this version's")
            of_empties = np.array(said["phase_of_empties"], np.int64)
            if of_empties.shape != (COUNTS,) or not ((of_empties >= 0) & (of_empties < phases)).all():
                raise WeightsError(f"section {name!r} names phases outside 0 to {phases - 1}")
            width = SETS[name].folded_size
            length = 2 * (COUNTS + phases * width)
            bias, tables = _unpack(payload[offset : offset + length], phases, width)
            offset += length
            sections[name] = Section(SETS[name], of_empties, tables, bias)
        network = None
        if header["network"] is not None:
            network = _unpack_network(payload[offset:], header["network"])
            offset = len(payload)
        if offset != len(payload):
            raise WeightsError(f"{len(payload) - offset} bytes too many")
        return Weights(sections["evaluation"], sections["ordering"], dict(header["provenance"]), network)
    except (KeyError, TypeError, ValueError, struct.error, zlib.error) as error:
        if isinstance(error, WeightsError):
            raise
        raise WeightsError(f"damaged: {error!r}") from error


def load_weights(path: Path | None = None) -> Weights:
    """The weights at ``path``; if None, at ``FANQI_WEIGHTS``; if that is not set either, those of the package.

    Raises:
        WeightsError: the file is missing or cannot be used.
    """
    chosen = path or (Path(os.environ["FANQI_WEIGHTS"]) if os.environ.get("FANQI_WEIGHTS") else None)
    source = chosen or resources.files("fanqi.othello").joinpath("data", "weights.bin")
    try:
        return parse_weights(source.read_bytes())
    except (OSError, WeightsError) as error:
        raise WeightsError(f"Othello weights {source}: {getattr(error, 'strerror', None) or error}") from error


@functools.cache
def default_weights() -> Weights:
    """`load_weights` without a path, once a process."""
    return load_weights()


def evaluation_digest() -> str:
    """Sixteen hex digits that name `default_weights`, so that what was made with them can tell."""
    weights = default_weights()
    digest = hashlib.sha256()
    for section in (weights.evaluation, weights.ordering):
        digest.update(section.tables.astype("<i2").tobytes() + section.bias.astype("<i2").tobytes())
    if (network := weights.network) is not None:
        digest.update(network.tables.tobytes() + network.first.astype("<i2").tobytes())
        digest.update(network.last.astype("<i2").tobytes())
    return digest.hexdigest()[:16]
