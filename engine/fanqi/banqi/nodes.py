"""What every node of the search does: count itself, see whether the game is over, and tell what it is worth at rest."""

from __future__ import annotations

from fanqi.banqi.chase import clear_chases
from fanqi.banqi.context import (
    ABORTED,
    DEEPEST,
    DRAW,
    FADE,
    FRAME_BYTES,
    INFINITE,
    KEYS,
    NODE_LIMIT,
    NODES,
    PLAYED,
    PV,
    PV_LENGTH,
    PV_WORDS,
    REPETITION,
    STOP,
    TABLE_WIN,
    WEIGHTS,
    WIN,
)
from fanqi.banqi.evaluation import evaluate
from fanqi.banqi.material import ENDGAME, ENDGAME_ORDER, material_entry
from fanqi.banqi.moves import count_moves
from fanqi.banqi.stakes import stake, stake_prospect
from fanqi.banqi.state import CHASE_LIMIT, HIDDEN, KEY, MEN, QUIET, QUIET_LIMIT, TURN, copy_state, pass_turn
from fanqi.banqi.tables.probe import look_up
from fanqi.banqi.tables.retrograde import LOSS
from fanqi.banqi.transposition import highest_count
from fanqi.banqi.utility import utility
from fanqi.bits.memory import load, store
from fanqi.kernels import kernel

__all__ = ["NO_VALUE", "end_value", "enter", "extend_line", "lost", "pass_move", "prospect", "weight"]

NO_VALUE = -INFINITE - 1  # of a node that is no end of the game
MOST_TABLE_MEN = 4
MOST_CHASES = 2  # highest chase count at which the tables are believed
LEAST_QUIET_LIMIT = 24  # longest distance with three men: under lower limits a conversion might come too late
LEAST_CHASE_LIMIT = 5  # under stricter bans the values are not known to hold


@kernel
def weight(context: int, name: int) -> int:
    """A search parameter; they lie among the weights, so that they can be tuned like them."""
    return load(load(context, WEIGHTS), name)


@kernel
def enter(context: int, ply: int) -> bool:
    """Count a node; False when the search has to unwind."""
    if load(context, ABORTED) != 0:
        return False
    nodes = load(context, NODES) + 1
    store(context, NODES, nodes)
    if nodes >= load(context, NODE_LIMIT) or (nodes & 255 == 0 and load(load(context, STOP), 0) != 0):
        store(context, ABORTED, 1)
    if ply > load(context, DEEPEST):
        store(context, DEEPEST, ply)
    return load(context, ABORTED) == 0


@kernel
def _draw(context: int, frame: int) -> int:
    """The utility of a draw for the side to move."""
    value = load(context, DRAW)
    return value if load(frame, TURN) == 0 else -value


@kernel
def lost(context: int, frame: int, ply: int) -> int:
    """The utility of having lost, for the side to move."""
    return stake(context, frame, 1 - load(frame, TURN), ply - WIN)


@kernel
def _rule_value(context: int, frame: int, ply: int) -> int:
    """The utility of a game that is over by extinction, quiet plies or repetition, else `NO_VALUE`."""
    if load(frame, MEN + load(frame, TURN)) == 0:
        return lost(context, frame, ply)
    if load(frame, QUIET) >= load(frame, QUIET_LIMIT):
        return lost(context, frame, ply) if count_moves(frame) == 0 else _draw(context, frame)
    if load(context, REPETITION) != 0:
        keys = load(context, KEYS)
        now = load(context, PLAYED) + ply
        store(keys, now, load(frame, KEY))
        seen = 0
        for back in range(1, min(load(frame, QUIET), now) + 1):
            if load(keys, now - back) == load(frame, KEY):
                seen += 1
                if back <= ply or seen == 2:
                    return lost(context, frame, ply) if count_moves(frame) == 0 else _draw(context, frame)
    return NO_VALUE


@kernel
def _table_value(context: int, frame: int, ply: int) -> int:
    """The utility by the endgame tables, or `NO_VALUE`.

    Tables know no chase counts. By all that is known (see the docstring of `fanqi.banqi.tables`) the ban changes no
    value while the counts are small; with higher ones the search goes on until a move has reset them. A draw keeps a
    trace of the static evaluation, so that of two draws the one with better prospects is chosen.
    """
    if load(frame, HIDDEN) != 0 or load(frame, MEN) + load(frame, MEN + 1) > MOST_TABLE_MEN:
        return NO_VALUE
    entry = material_entry(context, frame)
    table = load(entry, ENDGAME)
    if table == 0 or highest_count(frame) > MOST_CHASES or load(frame, QUIET_LIMIT) < LEAST_QUIET_LIMIT:
        return NO_VALUE
    if 0 < load(frame, CHASE_LIMIT) < LEAST_CHASE_LIMIT:
        return NO_VALUE
    value = look_up(frame, table, load(entry, ENDGAME_ORDER))
    left = load(frame, QUIET_LIMIT) - load(frame, QUIET)
    if value >= LOSS and value - LOSS <= left:
        return stake(context, frame, 1 - load(frame, TURN), ply + value - LOSS - TABLE_WIN)
    if 0 < value <= left:
        return stake(context, frame, load(frame, TURN), TABLE_WIN - ply - value)
    return _draw(context, frame) + utility(evaluate(context, frame)) // 2048


@kernel
def end_value(context: int, frame: int, ply: int) -> int:
    """The utility of a game that is over, or whose end the tables know, else `NO_VALUE`.

    Being without a move is not seen here: who lists the moves finds none.
    """
    value = _rule_value(context, frame, ply)
    return value if value != NO_VALUE else _table_value(context, frame, ply)


@kernel
def prospect(context: int, frame: int, static: int) -> int:
    """A static evaluation as a utility, the nearer to the draw the fewer quiet plies are left."""
    score = stake_prospect(context, frame, utility(static))
    fade = load(context, FADE)
    quiet = load(frame, QUIET)
    if quiet <= fade:
        return score
    limit = load(frame, QUIET_LIMIT)
    draw = _draw(context, frame)
    return draw + (score - draw) * (limit - quiet + 8) // (limit - fade + 8)


@kernel
def pass_move(child: int, frame: int) -> None:
    """The state after a flip that changes nothing but the turn."""
    copy_state(child, frame)
    clear_chases(child)
    store(child, QUIET, 0)
    pass_turn(child, 1 - load(frame, TURN))


@kernel
def extend_line(frame: int, move: int) -> None:
    """The line of a node is its move and the line of the child; a flip ends it."""
    child = frame + FRAME_BYTES
    length = 0
    if move % 33 != 0:
        length = min(load(child, PV_LENGTH), PV_WORDS - 1)
    store(frame, PV, move)
    for index in range(length):
        store(frame, PV + 1 + index, load(child, PV + index))
    store(frame, PV_LENGTH, length + 1)
