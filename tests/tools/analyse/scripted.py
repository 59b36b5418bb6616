"""A searcher whose scores are made up but always the same, and the games of the tests."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fanqi.analysis import Searcher, Stopped
from fanqi.records import GameRecord, parse_records
from fanqi.search import Info, SearchResult

if TYPE_CHECKING:
    from fanqi.game import Position
    from fanqi.search import Limits, Settings

DATA = Path(__file__).parents[2] / "data"
WTHOR = DATA / "records" / "WTH_1977.wtb"
TCGA = DATA / "banqi" / "game01.record.txt"


class ScriptedSearcher(Searcher):
    """Gives every move of every position a score from its text, so that nothing depends on an engine.

    Args:
        scores: for some (position, move), in hundredths of a disc or of a pawn.
        stop_after: searches that are finished before `stop` comes.
    """

    def __init__(self, scores: dict[tuple[str, str], int] | None = None, stop_after: int = 1 << 30) -> None:
        super().__init__()
        self._scores = scores or {}
        self._left = stop_after
        self.asked: list[tuple[Position, Limits, Settings]] = []

    def search(self, game: str, position: Position, limits: Limits, settings: Settings, *rest: Any, **more: Any) -> Any:
        self.asked.append((position, limits, settings))
        if self._left == 0:
            raise Stopped
        self._left -= 1
        moves = limits.moves or position.legal_moves()
        ranked = sorted(moves, key=lambda move: (-self.score(position, move), move))
        infos = [self.info(game, position, move, rank) for rank, move in enumerate(ranked[: settings.multipv], 1)]
        return SearchResult(ranked[0], None, tuple(infos))

    def score(self, position: Position, move: str) -> int:
        fen = position.fen()
        return self._scores.get((fen, move), zlib.crc32(f"{fen} {move}".encode()) % 2000 - 1000)

    def info(self, game: str, position: Position, move: str, rank: int) -> Info:
        score = self.score(position, move)
        if game == "othello":
            return Info(depth=5, selectivity=73, multipv=rank, score_cp=score, nodes=100, pv=(move,))
        win = 500 + score // 4
        return Info(depth=5, multipv=rank, score_cp=score, wdl=(win, 100, 900 - win), nodes=100, pv=(move,))


def first_game(path: Path, number: int = 1) -> GameRecord:
    record = list(parse_records(path.read_bytes()))[number - 1]
    assert isinstance(record, GameRecord)
    return record
