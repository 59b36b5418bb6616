"""Where games begin: the start position, random plies, or lines and positions from files."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fanqi.game import GameError, load_game
from fanqi.match.errors import ConfigurationError
from fanqi.match.seeds import derived

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["START", "FixedOpening", "ListedOpenings", "Opening", "Openings", "RandomOpenings", "mirror_fen"]


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game begins.

    Attributes:
        start: ``startpos`` or a position.
        moves: played before the engines are asked.
        name: for records.
    """

    start: str = "startpos"
    moves: tuple[str, ...] = ()
    name: str = ""

    def mirrored(self) -> Opening:
        """The mirror image of a banqi position, files a and d, b and c exchanged; openings there have no moves."""
        return self if self.start == "startpos" else Opening(mirror_fen(self.start), self.moves, self.name)


START = Opening()


class Openings(Protocol):
    """A source of openings, the same for every pairing."""

    def opening(self, number: int) -> Opening:
        """The opening of round ``number``, from 1. There is always one."""


class FixedOpening:
    """Every game from the start position."""

    def opening(self, number: int) -> Opening:
        return START


class RandomOpenings:
    """A number of random legal plies, different ones in every round. Games that would be over are not begun."""

    def __init__(self, game: str, rules: str, plies: int, seed: int) -> None:
        self._start = load_game(game).start(rules)
        self._plies = plies
        self._seed = seed

    def opening(self, number: int) -> Opening:
        dice = random.Random(derived(self._seed, "opening", number))
        while True:
            position = self._start
            moves: list[str] = []
            while len(moves) < self._plies and (legal := position.legal_moves()):
                moves.append(dice.choice(legal))
                position = position.play(moves[-1])
            if len(moves) == self._plies and position.outcome() is None:
                return Opening("startpos", tuple(moves), "".join(moves))


class ListedOpenings:
    """Openings from a list, over and over again.

    Args:
        openings: at least one.
        seed: for a random order, new in each pass through the list; None for the order of the list.
        first: where in the list to begin, from 0.
    """

    def __init__(self, openings: Sequence[Opening], seed: int | None, first: int = 0) -> None:
        if not openings:
            raise ConfigurationError("no openings to choose from")
        self._openings = openings
        self._seed = seed
        self._first = first
        self._pass = -1
        self._order: list[int] = []

    def opening(self, number: int) -> Opening:
        through, place = divmod(self._first + number - 1, len(self._openings))
        if self._seed is None:
            return self._openings[place]
        if through != self._pass:
            self._order = list(range(len(self._openings)))
            random.Random(derived(self._seed, "order", through)).shuffle(self._order)
            self._pass = through
        return self._openings[self._order[place]]


def mirror_fen(fen: str) -> str:
    """A banqi position with files a and d, b and c exchanged, chase counters included."""
    board, covered, turn, quiet, chase = fen.split()
    ranks = "/".join(rank[::-1] for rank in board.split("/"))
    swapped = chase if chase == "-" else ",".join(mirror_counter(counter) for counter in chase.split(","))
    return f"{ranks} {covered} {turn} {quiet} {swapped}"


def mirror_counter(counter: str) -> str:
    """``r:b5>b7=5`` as ``r:c5>c7=5``."""
    side, _, rest = counter.partition(":")
    return f"{side}:{rest.translate(str.maketrans('abcd', 'dcba'))}"


def checked_opening(game: str, rules: str, opening: Opening) -> Opening:
    """The opening with canonical moves.

    Raises:
        GameError: a move or the position is not legal, or nothing is left to play.
    """
    rules_of = load_game(game)
    position = rules_of.start(rules) if opening.start == "startpos" else rules_of.parse(opening.start, rules)
    moves: list[str] = []
    for move in opening.moves:
        if position.legal_moves() == ("pass",) and move != "pass":
            position = position.play("pass")
            moves.append("pass")
        moves.append(position.canonical(move))
        position = position.play(moves[-1])
    if position.outcome() is not None:
        raise GameError(opening.name or opening.start, "the game is over there")
    return Opening(opening.start, tuple(moves), opening.name)
