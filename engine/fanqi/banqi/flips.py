"""Which covered squares are worth turning up: a static estimate from what may appear beside what."""

from __future__ import annotations

from fanqi.banqi.board import CANNON, NEIGHBOURS
from fanqi.banqi.chase import cannon_prey, occupied
from fanqi.banqi.exchange import value_of
from fanqi.banqi.material import VALUES, takes
from fanqi.banqi.state import HIDDEN, KINDS, SIDES, TURN, covered_count, piece_at
from fanqi.bits.memory import keep_apart, load
from fanqi.bits.scalar import popcount, trailing_zeros
from fanqi.kernels import kernel

__all__ = ["flip_estimate"]

THREAT_SHARE = 4  # a threat that the opponent, who moves next, can still parry counts a fourth


@kernel
def _dearest(state: int, entry: int, board: int) -> int:
    """The highest value among the men on ``board``."""
    best = 0
    while board != 0:
        best = max(best, value_of(entry, piece_at(state, trailing_zeros(board))))
        board &= board - 1
    return best


@kernel
def _outcome(state: int, entry: int, square: int, piece: int, board: int, hit: int) -> int:
    """What it does to the side to move, in cp, when ``piece`` appears on ``square``.

    ``hit`` has bit s set where a cannon of colour s strikes the square.
    """
    own = load(state, TURN)
    colour = piece // 7
    kind = piece % 7
    value = load(entry, VALUES + piece)
    others = int(NEIGHBOURS[square]) & load(state, SIDES + 1 - colour)
    in_danger = hit >> (1 - colour) & 1 != 0
    prey = 0
    if kind == CANNON:
        prey = _dearest(state, entry, cannon_prey(square, board, load(state, SIDES + 1 - colour)))
    while others != 0:
        code = piece_at(state, trailing_zeros(others))
        others &= others - 1
        other = (code & 7) - 1
        if takes(other, kind):
            in_danger = True
        if takes(kind, other):
            prey = max(prey, value_of(entry, code))
    if colour == own:
        return -value if in_danger else prey // THREAT_SHARE
    if prey > 0:
        return -prey
    return value // THREAT_SHARE if in_danger else 0


@kernel
def flip_estimate(state: int, entry: int, square: int) -> int:
    """The expected change in cp for the side to move when it turns up ``square`` and the opponent moves
    next."""
    keep_apart()
    board = occupied(state)
    hit = 0
    for colour in range(2):
        if cannon_prey(square, board, load(state, KINDS + 7 * colour + CANNON)) != 0:
            hit |= 1 << colour
    total = 0
    for piece in range(14):
        count = covered_count(state, piece)
        if count != 0:
            total += count * _outcome(state, entry, square, piece, board, hit)
    return total // popcount(load(state, HIDDEN))
