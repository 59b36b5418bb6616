"""A book while it grows: a graph of canonical positions, linked wherever a legal move leads from one to another.

Every position has at most one *drop-out* move: the best of those that are not linked, with its score by a search. The
value of a position is the best of its links' values and its drop-out score (Buro, "Toward opening book learning",
1999). Scores are hundredths of a disc from the view of the side to move. A position in which the side to move must pass
is one like any other: its only move is the pass.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fanqi.book.rules import Children, children, legal
from fanqi.othello_book import NO_SCORE, Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Graph", "Mark", "Verdict"]

CHUNK = 1 << 14
FAR = 1 << 30


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search says of the moves it was allowed.

    Attributes:
        move: the best of them; `NO_MOVE` if there was none.
        score: of that move; the result of a game that is over; else `NO_SCORE`.
        depth, selectivity: of the search.
    """

    move: int
    score: int
    depth: int
    selectivity: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A size to which a graph can be cut back."""

    positions: int
    links: int
    moves: int


class Table:
    """Columns that grow together."""

    def __init__(self, **kinds: Any) -> None:
        self._arrays: dict[str, NDArray[Any]] = {name: np.zeros(1024, kind) for name, kind in kinds.items()}
        self.size = 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The column as it is now; it may be written to until the next `extend`."""
        return self._arrays[name][: self.size]

    def extend(self, **columns: NDArray[Any]) -> None:
        """Put rows at the end."""
        end = self.size + len(next(iter(columns.values())))
        for name, array in self._arrays.items():
            if end > len(array):
                larger = np.zeros(max(end, 2 * len(array)), array.dtype)
                larger[: self.size] = array[: self.size]
                self._arrays[name] = larger
            self._arrays[name][self.size : end] = columns[name]
        self.size = end


class Graph:
    """See the module. Positions are named by their index, in the order in which they came."""

    def __init__(self) -> None:
        self._index: dict[tuple[int, int], int] = {}
        self._positions = Table(
            own=np.uint64, opponent=np.uint64, move=np.uint8, score=np.int16, depth=np.uint8, selectivity=np.uint8
        )
        self._links = Table(parent=np.int64, child=np.int64, move=np.uint8)
        # every legal move of every position, one of those that are symmetric to each other
        self._moves = Table(parent=np.int64, move=np.uint8, own=np.uint64, opponent=np.uint64)

    def __len__(self) -> int:
        return self._positions.size

    def __contains__(self, key: tuple[int, int]) -> bool:
        return key in self._index

    def index_of(self, key: tuple[int, int]) -> int:
        """The index of a canonical position; raises KeyError."""
        return self._index[key]

    def key(self, position: int) -> tuple[int, int]:
        """The canonical position of that index."""
        return int(self._positions["own"][position]), int(self._positions["opponent"][position])

    def column(self, name: str) -> NDArray[Any]:
        """``own``, ``opponent``, ``move``, ``score``, ``depth`` or ``selectivity`` of all positions."""
        return self._positions[name]

    @property
    def plies(self) -> NDArray[np.int64]:
        """Discs put on the board since the start, of each position."""
        return discs(self.column("own"), self.column("opponent")) - 4

    # --- growing --------------------------------------------------------------------------------------------

    @property
    def mark(self) -> Mark:
        """The present size."""
        return Mark(len(self), self._links.size, self._moves.size)

    def cut_back(self, mark: Mark) -> None:
        """Take out every position and link that came after ``mark``. Drop-out moves stay as they are."""
        for own, opponent in zip(
            self.column("own")[mark.positions :].tolist(),
            self.column("opponent")[mark.positions :].tolist(),
            strict=True,
        ):
            del self._index[own, opponent]
        self._positions.size, self._links.size, self._moves.size = mark.positions, mark.links, mark.moves

    def add(self, keys: Sequence[tuple[int, int]], verdicts: Sequence[Verdict]) -> list[int]:
        """Take in positions and link them with all the others.

        Args:
            keys: canonical, not in the graph, no two alike.
            verdicts: about their moves.

        Returns:
            the positions, old and new, whose drop-out move is linked now: they need another.
        """
        first = len(self)
        own = np.array([key[0] for key in keys], np.uint64)
        opponent = np.array([key[1] for key in keys], np.uint64)
        self._index.update((key, first + number) for number, key in enumerate(keys))
        self._positions.extend(
            own=own,
            opponent=opponent,
            move=np.array([verdict.move for verdict in verdicts], np.uint8),
            score=np.array([verdict.score for verdict in verdicts], np.int16),
            depth=np.array([verdict.depth for verdict in verdicts], np.uint8),
            selectivity=np.array([verdict.selectivity for verdict in verdicts], np.uint8),
        )
        self._list_moves(own, opponent, first)
        return self._link(first)

    def _list_moves(self, own: NDArray[np.uint64], opponent: NDArray[np.uint64], first: int) -> None:
        for start in range(0, len(own), CHUNK):
            found = distinct(children(own[start : start + CHUNK], opponent[start : start + CHUNK]))
            self._moves.extend(
                parent=found.parent + first + start, move=found.move, own=found.own, opponent=found.opponent
            )

    def _link(self, first: int) -> list[int]:
        """Link every move to a position from ``first`` on, and those from there to older ones; returns as `add`."""
        moves = self._moves
        names = hashed(self.column("own"), self.column("opponent"))
        fresh = np.sort(names[first:])
        targets = hashed(moves["own"], moves["opponent"])
        places = np.minimum(np.searchsorted(fresh, targets), len(fresh) - 1)
        to_new = fresh[places] == targets
        to_old = moves["parent"] >= first
        pairs = []
        for row in np.nonzero(to_new | to_old)[0].tolist():
            child = self._index.get((int(moves["own"][row]), int(moves["opponent"][row])))
            if child is not None:
                pairs.append((int(moves["parent"][row]), child, int(moves["move"][row])))
        if not pairs:
            return []
        parent, child_of, move = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
        self._links.extend(parent=parent, child=child_of, move=move)
        return sorted(set(parent[self.column("move")[parent] == move].tolist()))

    def set_verdict(self, position: int, verdict: Verdict) -> None:
        """Give a position another drop-out move."""
        for name in ("move", "score", "depth", "selectivity"):
            self.column(name)[position] = getattr(verdict, name)

    # --- moves ----------------------------------------------------------------------------------------------

    def successors(self, keys: Sequence[tuple[int, int]]) -> Children:
        """The moves of canonical positions, one of those that are symmetric to each other."""
        pairs = np.array(keys, np.uint64).reshape(-1, 2)
        return distinct(children(pairs[:, 0], pairs[:, 1]))

    def open_moves(self, keys: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
        """For each canonical position the moves that do not lead to one of the graph, one of each symmetry."""
        found = self.successors(keys)
        moves: list[list[int]] = [[] for _ in keys]
        after = (found.parent, found.own, found.opponent, found.move)
        for parent, own, opponent, move in zip(*(column.tolist() for column in after), strict=True):
            if (own, opponent) not in self._index:
                moves[parent].append(move)
        return [tuple(row) for row in moves]

    # --- values ---------------------------------------------------------------------------------------------

    def values(self) -> NDArray[np.int64]:
        """The value of every position, by negamax over the whole graph."""
        value = np.where(self.column("score") == NO_SCORE, -FAR, self.column("score").astype(np.int64))
        parent, child, levels = self._by_level()
        for first, last in reversed(levels):
            np.maximum.at(value, parent[first:last], -value[child[first:last]])
        return value

    def losses(self, value: NDArray[np.int64]) -> NDArray[np.int64]:
        """The least that both sides together give away on the way to each position, by these values.

        Ways begin at the positions no link leads to.
        """
        parent, child, levels = self._by_level()
        loss = np.zeros(len(self), np.int64)
        loss[child] = FAR
        for first, last in levels:
            up, down = parent[first:last], child[first:last]
            np.minimum.at(loss, down, loss[up] + value[up] + value[down])
        return loss

    def _by_level(self) -> tuple[NDArray[np.int64], NDArray[np.int64], list[tuple[int, int]]]:
        """The links in an order in which every one that leads to a position comes before those that leave it; and where
        each level of that order begins and ends."""
        own, opponent = self.column("own"), self.column("opponent")
        # a pass puts no disc on the board: who must pass comes before who may move
        level = 2 * discs(own, opponent) + (legal(own, opponent) != 0)
        order = np.argsort(level[self._links["parent"]], kind="stable")
        parent, child = self._links["parent"][order], self._links["child"][order]
        ends = np.nonzero(np.diff(level[parent]))[0] + 1
        bounds = [0, *ends.tolist(), len(parent)]
        return parent, child, [(a, b) for a, b in itertools.pairwise(bounds) if b > a]

    # --- as a file has it -----------------------------------------------------------------------------------

    def columns(self) -> Columns:
        """The graph as a book file holds it."""
        own, opponent = self.column("own"), self.column("opponent")
        order = np.lexsort((opponent, own))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        parent = place[self._links["parent"]]
        by_parent = np.lexsort((self._links["move"], parent))
        return Columns(
            own[order],
            opponent[order],
            self.values()[order].astype(np.int16),
            self.column("move")[order],
            self.column("score")[order],
            self.column("depth")[order],
            self.column("selectivity")[order],
            np.bincount(parent, minlength=len(order)).astype(np.uint8),
            self._links["move"][by_parent],
        )

    @classmethod
    def of(cls, columns: Columns) -> Self:
        """The graph of a book; links are found anew."""
        graph = cls()
        graph._positions.extend(
            **{name: getattr(columns, name) for name in ("own", "opponent", "move", "score", "depth", "selectivity")}
        )
        graph._index = {
            key: number for number, key in enumerate(zip(columns.own.tolist(), columns.opponent.tolist(), strict=True))
        }
        graph._list_moves(columns.own, columns.opponent, 0)
        if len(graph):
            graph._link(0)
        return graph


def discs(own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The number of discs on each board."""
    count: NDArray[np.int64] = np.bitwise_count(own | opponent).astype(np.int64)
    return count


def hashed(own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A number for each position that different ones hardly ever share."""
    mixed = own * np.uint64(0x9E3779B97F4A7C15) ^ (opponent * np.uint64(0xC2B2AE3D27D4EB4F))
    number: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(29))
    return number


def distinct(moves: Children) -> Children:
    """Of moves of one position that lead to the same position, the first."""
    order = np.lexsort((np.arange(len(moves.parent)), moves.opponent, moves.own, moves.parent))
    parent, own, opponent = moves.parent[order], moves.own[order], moves.opponent[order]
    again = (np.diff(parent) == 0) & (own[1:] == own[:-1]) & (opponent[1:] == opponent[:-1])
    kept = np.sort(order[np.concatenate([np.ones(min(len(order), 1), np.bool_), ~again])])
    return Children(moves.parent[kept], moves.move[kept], moves.own[kept], moves.opponent[kept])
