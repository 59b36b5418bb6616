"""Memory of a search: one block of words, one block of frames, and where what lies in them.

The *context* is the address of `CONTEXT_WORDS` int64 words that every search kernel gets first: addresses of
the tables, limits, counters, and what the root wants. A *frame* holds what one ply needs; the frame of the
next ply lies `FRAME_BYTES` behind it and starts with a state, so a frame is a state.

Scores in kernels are *utilities* from the view of the side to move: `WIN` is a certain win, 0 an even chance,
so that their mean over the outcomes of a flip means something. A win found n plies below the root is ``WIN -
n``, and static evaluations in cp become utilities below `EVALUATION_MOST` through `fanqi.banqi.utility`.
"""

from __future__ import annotations

from fanqi.banqi.moves import MAX_MOVES
from fanqi.banqi.state import STATE_WORDS

WIN = 30000
TABLE_WIN = 28000  # minus the plies to the next capture
EVALUATION_MOST = 24000
INFINITE = 32000

MAX_PLY = 96
PV_WORDS = 48

# context words
STOP = 0  # address of the stop flag
NODES = 1
NODE_LIMIT = 2
ABORTED = 3  # 1 once the search has to unwind
DEEPEST = 4  # deepest ply reached
TABLE = 5  # address of the transposition table
TABLE_MASK = 6  # buckets - 1
AGE = 7
SALT = 8  # mixed into every table key: rule parameters, objective
FRAMES = 9
WEIGHTS = 10
MATERIAL = 11  # address of the material cache
HISTORY = 12  # address of the history counters, [code * 32 + target]
SWAPS = 13  # scratch of the exchange evaluation
TERMS = 25  # scratch of the static evaluation
KEYS = 14  # address of the keys of the positions played, then those on the path
PLAYED = 15  # how many were played before the root
REPETITION = 16  # 3 or 0
DRAW = 17  # utility of a draw for red
FADE = 18  # quiet plies from which on static evaluations fade towards the draw
STAKES = 19  # 1: maximise expected stake points
ROOT_MOVES = 20  # address of the root list: MAX_MOVES words each of moves, scores and nodes
ROOT_COUNT = 21
BEST_SCORE = 22
ENDGAMES = 23  # address of the index of the endgame tables
ENDGAMES_COUNT = 24  # its rows, 0 without tables
CONTEXT_WORDS = 32

# frame words behind the state
KILLER = STATE_WORDS
SECOND_KILLER = STATE_WORDS + 1
PV_LENGTH = STATE_WORDS + 2
PV = STATE_WORDS + 3
MOVES = PV + PV_WORDS
OUTCOMES = MOVES + MAX_MOVES  # of the flip being searched: pieces, 7 * colour + kind
UPPER_BOUNDS = OUTCOMES + 14  # what each of them is worth at most
FRAME_WORDS = UPPER_BOUNDS + 14
FRAME_BYTES = 8 * FRAME_WORDS

HISTORY_WORDS = 16 * 32
SWAP_WORDS = 32
TERM_WORDS = 16
