"""Ten fixed banqi positions searched to fixed depths: speed, and a node count that any change of the search changes.

A node is a position visited; every outcome of a flip counts as one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.banqi import GAME
from fanqi.search import Control, Info, Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["POSITIONS", "BenchRow", "bench", "signature"]

# (depth, position): from 28 covered men to four men in the open, all from games of the engine with itself
POSITIONS: tuple[tuple[int, str], ...] = (
    (6, "XXXX/XXXX/XXXX/XXXX/XnXX/XpXX/XXXX/XcRX KGGMMRNNCCPPPPPkggmmrrncpppp b 0 -"),
    (6, "XXXX/XXXX/CXXX/XXXX/mpMX/XrXP/GXrX/XpXX KGMRRNNCPPPPkggmnnccppp r 0 -"),
    (6, "XXNX/.XCX/XXXX/pnXX/kXrX/XPXp/pXmX/XnXc KGGMMRRNCPPPPgmrcpp r 0 -"),
    (7, "PXXN/.C.P/RXXX/XMkM/pgXX/X.XG/.rPX/m.XR KGNCgmrnnccp b 0 -"),
    (7, "MK.X/.XXX/XpmX/pr.X/..Xp/Xp.X/X.Xn/G..X GMRNCPPPkggcp r 1 -"),
    (8, ".pMn/.rXK/..XN/P.X./...X/g..c/.Xpg/.nmX MRRmrp r 0 -"),
    (8, "XRn./.NMg/m.G./k.r./.c../p.XP/X.p./...G KMP b 0 -"),
    (10, "c.P./.g../.kn./rp.G/..../X.../.PPn/.G.. P b 0 -"),
    (12, "..../..../.k.m/.g../.cn./...N/.M.r/ppGP - r 8 -"),
    (14, "..../..../.M../...p/..g./..../.n.G/.... - r 0 -"),
)


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One position searched.

    Attributes:
        position: in the game's notation.
        depth: plies.
        score_cp: from the view of the side to move.
        move: the engine's choice.
        nodes: positions visited.
        seconds: processor time of the searching thread.
    """

    position: str
    depth: int
    score_cp: int
    move: str
    nodes: int
    seconds: float

    @property
    def covered(self) -> int:
        """How many men are covered."""
        return self.position.partition(" ")[0].count("X")

    @property
    def nodes_per_second(self) -> float:
        return self.nodes / max(self.seconds, 1e-9)


def bench(settings: Settings | None = None, *, deeper: int = 0) -> Iterator[BenchRow]:
    """Search the ten positions one after the other, each with an empty table.

    Args:
        settings: of the engine; 32 MiB of table by default.
        deeper: plies added to every depth.
    """
    GAME.prepare()
    ignore: Callable[[Info], None] = lambda info: None  # noqa: E731
    for depth, fen in POSITIONS:
        engine = GAME.engine()
        engine.configure(settings or Settings(hash_mib=32))
        engine.reserve()
        started = time.thread_time()
        result = engine.search(GAME.parse(fen), Limits(depth=depth + deeper), Control(), ignore)
        seconds = time.thread_time() - started
        info = result.infos[0]
        yield BenchRow(fen, depth + deeper, info.score_cp or 0, result.move or "", info.nodes, seconds)


def signature(rows: list[BenchRow]) -> int:
    """The nodes of all rows: equal for equal searches, on every machine."""
    return sum(row.nodes for row in rows)
