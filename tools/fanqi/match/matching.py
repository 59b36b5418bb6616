"""Matchings in graphs: as many disjoint pairs of neighbours as there can be, kept up while nodes are taken away."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Matching"]

NOBODY = -1


class Matching:
    """A matching that no other exceeds, by augmenting paths through contracted odd cycles.

    A search for a path takes time that grows with the cube of the nodes at worst, and hardly any where most nodes are
    neighbours. The first matching takes as many as there are pairs, to take two nodes away at most one.

    Source: J. Edmonds, Paths, trees, and flowers, Canadian Journal of Mathematics 17 (1965).

    Args:
        neighbours: of each node; who is a neighbour of somebody has that one as a neighbour too.

    Attributes:
        partner: of each node, -1 for one that is left over or taken away.
    """

    def __init__(self, neighbours: Sequence[Sequence[int]]) -> None:
        self.partner = [NOBODY] * len(neighbours)
        self._neighbours = neighbours
        self._away = [False] * len(neighbours)
        for node in range(len(neighbours)):
            if self.partner[node] == NOBODY:
                self._augment(node)

    @property
    def is_perfect(self) -> bool:
        """Whether every node that is there has a partner."""
        return all(partner != NOBODY or away for partner, away in zip(self.partner, self._away, strict=True))

    def take(self, first: int, second: int) -> bool:
        """Take two nodes away from a perfect matching, neighbours or not, if the others can all have partners still.

        Returns:
            Whether they can; else everything is as it was.
        """
        before = self.partner.copy()
        widowed = [node for node in (self.partner[first], self.partner[second]) if node not in (first, second)]
        for node in (first, second):
            self._away[node] = True
        for node in (first, second, *widowed):
            self.partner[node] = NOBODY
        if widowed:
            self._augment(widowed[0])  # the other one is the only free node left, so that is where a path leads to
            if self.partner[widowed[0]] == NOBODY:
                self.partner = before
                self._away[first] = self._away[second] = False
                return False
        return True

    def _augment(self, root: int) -> None:
        Forest(self._neighbours, self.partner, self._away, root).augment()


class Forest:
    """The search for an augmenting path from one free node: a tree of alternating paths.

    Attributes:
        before: the outer node from which an inner one was reached, -1 for one that was not reached so.
        base: the node that stands for the odd cycle that a node was contracted into, else itself.
    """

    def __init__(
        self, neighbours: Sequence[Sequence[int]], partner: list[int], away: Sequence[bool], root: int
    ) -> None:
        self._neighbours = neighbours
        self._partner = partner
        self._away = away
        self._root = root
        self._nodes = range(len(partner))
        self._before = [NOBODY] * len(partner)
        self._base = list(self._nodes)
        self._outer = [root]  # in the order in which they were reached, and are looked at
        self._is_outer = [node == root for node in self._nodes]

    def augment(self) -> None:
        """Match one node more, if that is possible."""
        for node in self._outer:  # grows while it is looked at
            if (end := self._free_neighbour(node)) != NOBODY:  # mostly at once, and before any cycle is contracted
                self._before[end] = node
                self._exchange(end)
                return
            for other in self._neighbours[node]:
                if self._away[other] or self._base[node] == self._base[other] or self._partner[node] == other:
                    continue
                if other == self._root or self._is_inner_outer(other):
                    self._contract(node, other)
                elif self._before[other] == NOBODY:
                    self._before[other] = node
                    self._reach(self._partner[other])

    def _free_neighbour(self, node: int) -> int:
        """A neighbour that has no partner, the end of an augmenting path; -1 if there is none."""
        for other in self._neighbours[node]:
            if self._partner[other] == NOBODY and other != self._root and not self._away[other]:
                return other
        return NOBODY

    def _is_inner_outer(self, node: int) -> bool:
        """Whether a node is an outer one that was reached by way of its partner."""
        partner = self._partner[node]
        return partner != NOBODY and self._before[partner] != NOBODY

    def _reach(self, node: int) -> None:
        if not self._is_outer[node]:
            self._is_outer[node] = True
            self._outer.append(node)

    def _exchange(self, end: int) -> None:
        """Exchange matched and unmatched edges on the path to ``end``."""
        while end != NOBODY:
            node = self._before[end]
            following = self._partner[node]
            self._partner[end], self._partner[node] = node, end
            end = following

    def _contract(self, first: int, second: int) -> None:
        """Make one node of the odd cycle that the edge between two outer nodes closes."""
        base = self._common(first, second)
        inside = [False] * len(self._partner)
        self._mark(first, second, base, inside)
        self._mark(second, first, base, inside)
        for node in self._nodes:
            if inside[self._base[node]]:
                self._base[node] = base
                self._reach(node)

    def _common(self, first: int, second: int) -> int:
        """The base at which the paths of two outer nodes to the root meet."""
        seen = set()
        node = first
        while True:
            node = self._base[node]
            seen.add(node)
            if self._partner[node] == NOBODY:
                break
            node = self._before[self._partner[node]]
        node = second
        while self._base[node] not in seen:
            node = self._before[self._partner[self._base[node]]]
        return self._base[node]

    def _mark(self, node: int, child: int, base: int, inside: list[bool]) -> None:
        """Mark what lies between a node and the base of its cycle, and turn the paths there round."""
        while self._base[node] != base:
            partner = self._partner[node]
            inside[self._base[node]] = inside[self._base[partner]] = True
            self._before[node] = child
            child, node = partner, self._before[partner]
