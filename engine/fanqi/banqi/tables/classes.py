"""Which endgames are the same: men matter only by who takes whom and who is a cannon.

An *endgame* is what men both sides have, all face up. King and rook against rook is the same game as guard and rook
against rook, so endgames fall into few *classes*: 5 of two men, 20 of three, 75 of four. Within a class the men of
the side that has more (with equal numbers: of the side that sorts first) come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, permutations

from fanqi.banqi.board import CANNON, FULL_SET, STEP_PREY

__all__ = ["Endgame", "EndgameClass", "classes", "endgames", "find_class"]

Kinds = tuple[int, ...]


@dataclass(frozen=True, order=True, slots=True)
class EndgameClass:
    """A class of endgames.

    Attributes:
        first: men of the first side.
        second: men of the second side.
        cannons: bit i is set when man i is a cannon; men of the first side are numbered first.
        takes: bit ``8 * i + j`` is set when man i takes man j beside him.
    """

    first: int
    second: int
    cannons: int
    takes: int

    @property
    def men(self) -> int:
        return self.first + self.second

    def without(self, man: int) -> EndgameClass:
        """The men that are left when ``man`` is taken, in their order; not canonical."""
        rest = [other for other in range(self.men) if other != man]
        first = self.first - (man < self.first)
        cannons = sum((self.cannons >> other & 1) << place for place, other in enumerate(rest))
        takes = sum(
            (self.takes >> (8 * one + two) & 1) << (8 * i + j)
            for i, one in enumerate(rest)
            for j, two in enumerate(rest)
        )
        return EndgameClass(first, self.men - 1 - first, cannons, takes)

    def reordered(self, order: tuple[int, ...]) -> EndgameClass:
        """The same with the men in another order, ``order[0]`` first. The sides stay together."""
        first = self.first if order[0] < self.first else self.second
        cannons = sum((self.cannons >> man & 1) << place for place, man in enumerate(order))
        takes = sum(
            (self.takes >> (8 * one + two) & 1) << (8 * i + j)
            for i, one in enumerate(order)
            for j, two in enumerate(order)
        )
        return EndgameClass(first, self.men - first, cannons, takes)


@dataclass(frozen=True, slots=True)
class Endgame:
    """The men of an actual game and the class they belong to.

    Attributes:
        kind: the class.
        order: pieces (7 * colour + kind) in the order of the class.
    """

    kind: EndgameClass
    order: tuple[int, ...]


def find_class(raw: EndgameClass) -> tuple[EndgameClass, tuple[int, ...]]:
    """The canonical class of ``raw``, and the order its men take there."""
    return _canonical(raw)


@cache
def _canonical(raw: EndgameClass) -> tuple[EndgameClass, tuple[int, ...]]:
    sides = [tuple(range(raw.first)), tuple(range(raw.first, raw.men))]
    arrangements = [sides] if raw.first > raw.second else [sides[::-1]]
    if raw.first == raw.second:
        arrangements = [sides, sides[::-1]]
    orders = [
        (*one, *two) for first, second in arrangements for one in permutations(first) for two in permutations(second)
    ]
    order = min(orders, key=raw.reordered)
    return raw.reordered(order), order


def raw_class(first: Kinds, second: Kinds) -> EndgameClass:
    """The class of men of these kinds, in this order; not canonical."""
    kinds = (*first, *second)
    takes = 0
    for i, attacker in enumerate(kinds):
        for j, victim in enumerate(kinds):
            if (i < len(first)) != (j < len(first)) and STEP_PREY[attacker] >> victim & 1:
                takes |= 1 << (8 * i + j)
    cannons = sum((kind == CANNON) << man for man, kind in enumerate(kinds))
    return EndgameClass(len(first), len(second), cannons, takes)


def _armies(count: int) -> Iterator[Kinds]:
    for kinds in combinations_with_replacement(range(7), count):
        if all(kinds.count(kind) <= FULL_SET[kind] for kind in kinds):
            yield kinds


@cache
def endgames(men: int) -> tuple[Endgame, ...]:
    """All endgames with that many men, each with the men of either colour as the first side where they differ."""
    found = []
    for red_count in range(1, men):
        for red in _armies(red_count):
            for black in _armies(men - red_count):
                kind, order = find_class(raw_class(red, black))
                pieces = (*red, *(7 + k for k in black))
                found.append(Endgame(kind, tuple(pieces[man] for man in order)))
    return tuple(found)


@cache
def classes(men: int) -> tuple[EndgameClass, ...]:
    """All classes with that many men, sorted."""
    return tuple(sorted({endgame.kind for endgame in endgames(men)}))
