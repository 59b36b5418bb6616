"""Matchings in graphs: as many disjoint pairs of neighbours as there can be."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["maximum_matching"]

NOBODY = -1


def maximum_matching(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """A matching that no other exceeds, by augmenting paths through contracted odd cycles; time grows with the cube of
    the nodes.

    Source: J. Edmonds, Paths, trees, and flowers, Canadian Journal of Mathematics 17 (1965).

    Args:
        neighbours: of each node; who is a neighbour of somebody has that one as a neighbour too.

    Returns:
        The partner of each node, -1 for one that is left over.
    """
    partner = [NOBODY] * len(neighbours)
    for root in range(len(neighbours)):
        if partner[root] == NOBODY:
            Forest(neighbours, partner, root).augment()
    return partner


class Forest:
    """The search for an augmenting path from one free node: a tree of alternating paths.

    Attributes:
        before: the outer node from which an inner one was reached, -1 for one that was not reached so.
        base: the node that stands for the odd cycle that a node was contracted into, else itself.
    """

    def __init__(self, neighbours: Sequence[Sequence[int]], partner: list[int], root: int) -> None:
        self._neighbours = neighbours
        self._partner = partner
        self._root = root
        self._nodes = range(len(partner))
        self._before = [NOBODY] * len(partner)
        self._base = list(self._nodes)
        self._outer = [root]  # in the order in which they were reached, and are looked at
        self._is_outer = [node == root for node in self._nodes]

    def augment(self) -> None:
        """Match one node more, if that is possible."""
        for node in self._outer:  # grows while it is looked at
            for other in self._neighbours[node]:
                if self._base[node] == self._base[other] or self._partner[node] == other:
                    continue
                if other == self._root or self._is_inner_outer(other):
                    self._contract(node, other)
                elif self._before[other] == NOBODY:
                    self._before[other] = node
                    if self._partner[other] == NOBODY:
                        self._exchange(other)
                        return
                    self._reach(self._partner[other])

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
