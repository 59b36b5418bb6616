"""What the men on both sides are worth, by which enemies are left.

A man's value falls with every living enemy man that can take it, and further when nothing is left for it to
take. It depends on the living men only (covered ones included), so it is computed once for each set of them
and kept in a small cache.
"""

from __future__ import annotations

from fanqi.banqi.board import CANNON, KING, PAWN
from fanqi.banqi.context import MATERIAL, WEIGHTS
from fanqi.banqi.state import LIVE
from fanqi.banqi.tables.probe import find_endgame
from fanqi.banqi.weights import (
    BASE,
    CANNON_DECAY,
    CANNON_ONLY,
    DECAY,
    EQUAL_DECAY,
    KING_DECAY,
    KING_HUNTER,
    NO_PREY,
    PREY_SHARE,
    UNCATCHABLE,
)
from fanqi.bits.memory import keep_apart, load, store
from fanqi.kernels import kernel

__all__ = [
    "BALANCE",
    "CATCH",
    "ENDGAME",
    "ENDGAME_ORDER",
    "MATERIAL_WORDS",
    "VALUES",
    "living",
    "material_entry",
    "takes",
]

# words of an entry
SIGNATURE = 0
BALANCE = 1  # red minus black, in cp
VALUES = 2  # of the 14 pieces
CATCH = 16  # + colour: percent of an advantage of that colour that counts
ENDGAME = 18  # address of the endgame table, 0 without
ENDGAME_ORDER = 19
ENTRY_WORDS = 20
ENTRIES = 8192
SPREAD = 0x1E3779B97F4A7C15  # odd; the high bits of a product depend on every man of the set
MATERIAL_WORDS = ENTRIES * ENTRY_WORDS


@kernel
def living(signature: int, piece: int) -> int:
    """How many of a piece (7 * colour + kind) are in the game."""
    return (signature >> (4 * piece)) & 15


@kernel
def takes(attacker: int, victim: int) -> bool:
    """Whether a man of kind ``attacker`` takes one of kind ``victim`` beside it."""
    if attacker == CANNON:
        return False
    if attacker == PAWN:
        return victim in (PAWN, KING)
    if attacker == KING:
        return victim != PAWN
    return attacker <= victim


@kernel
def _value(weights: int, signature: int, colour: int, kind: int) -> int:
    """The value of one living man in cp."""
    value = load(weights, BASE + kind)
    enemy = 7 - 7 * colour
    prey = 0
    for other in range(7):
        count = living(signature, enemy + other)
        decay = 100
        if other == CANNON:
            decay = load(weights, CANNON_DECAY)
        elif takes(other, kind):
            decay = load(weights, DECAY)
            if other == kind:
                decay = load(weights, EQUAL_DECAY)
            elif kind == KING and other == PAWN:
                decay = load(weights, KING_DECAY)
        if decay != 100:
            for _ in range(count):
                value = value * decay // 100
        if kind == CANNON or takes(kind, other):
            prey += count
    if prey == 0:
        return value * load(weights, NO_PREY) // 100
    share = 100 + load(weights, PREY_SHARE) * (prey - 8)
    if kind == PAWN and living(signature, enemy + KING) != 0:
        share += load(weights, KING_HUNTER)
    return value * share // 100


@kernel
def _catch(weights: int, signature: int, colour: int) -> int:
    """The percent of an advantage of ``colour`` that counts: all enemy men must be caught for a win."""
    own = 7 * colour
    enemy = 7 - own
    percent = 100
    for victim in range(7):
        if living(signature, enemy + victim) == 0:
            continue
        hunters = 0
        for hunter in range(7):
            if takes(hunter, victim):
                hunters += living(signature, own + hunter)
        if hunters == 0:
            share = load(weights, CANNON_ONLY)
            if living(signature, own + CANNON) == 0:
                share = load(weights, UNCATCHABLE)
            percent = min(percent, share)
    return percent


@kernel
def _fill(context: int, entry: int, signature: int) -> None:
    """Compute an entry."""
    keep_apart()
    weights = load(context, WEIGHTS)
    store(entry, SIGNATURE, signature)
    balance = 0
    for piece in range(14):
        count = living(signature, piece)
        value = _value(weights, signature, piece // 7, piece % 7)
        store(entry, VALUES + piece, value)
        if piece < 7:
            balance += count * value
        else:
            balance -= count * value
    store(entry, BALANCE, balance)
    store(entry, CATCH, _catch(weights, signature, 0))
    store(entry, CATCH + 1, _catch(weights, signature, 1))
    row = find_endgame(context, signature)
    store(entry, ENDGAME, load(row, 1) if row != 0 else 0)
    store(entry, ENDGAME_ORDER, load(row, 2) if row != 0 else 0)


@kernel
def material_entry(context: int, state: int) -> int:
    """Address of the entry for the living men of ``state``."""
    signature = load(state, LIVE)
    slot = (signature * SPREAD >> 51) & (ENTRIES - 1)
    entry = load(context, MATERIAL) + 8 * ENTRY_WORDS * slot
    if load(entry, SIGNATURE) != signature:
        _fill(context, entry, signature)
    return entry
