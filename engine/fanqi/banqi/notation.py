"""Text forms of positions and moves. All functions are pure; parse and format are inverse to each other.

A position is five fields, ``rank8/…/rank1 hidden turn np chase``::

    XXXX/.k.X/..../RXXX/XXXX/XXXX/XXXX/XXXX KGGMM… r 3 r:a5>b7=2

ranks from the top, ``.`` empty, ``X`` covered, capitals red; the covered pieces in any order (``-`` for
none); the colour to move (``?0`` before the first flip); plies since the last capture or flip; chase counters
``colour:chaser>target=count`` (``-`` for none).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.banqi.board import (
    BLACK,
    COVERED,
    FULL_SET,
    LETTERS,
    OPEN,
    PIECE_ORDER,
    RED,
    SQUARE_NAMES,
    code_of_letter,
    square_of,
)
from fanqi.banqi.chase import COUNTERS
from fanqi.game import MoveError, PositionError, quoted

if TYPE_CHECKING:
    from fanqi.banqi.rules import Rules

__all__ = ["START", "Counter", "Move", "Setup", "format_setup", "parse_move", "parse_setup"]

START = f"{'/'.join(['XXXX'] * 8)} {''.join(p * (FULL_SET * 2)[i] for i, p in enumerate(PIECE_ORDER))} ?0 0 -"

_TURNS = {"r": RED, "b": BLACK, "?0": OPEN, "?1": OPEN}
_COUNTER = re.compile(r"([rb]):([a-d][1-8])>([a-d][1-8])=([0-9]{1,3})")
_MOVE = re.compile(
    r"([a-dA-D][1-8])(?:"
    r"(?P<sign>[-x]?)(?P<target>[a-dA-D][1-8])(?:=(?P<same>[A-Za-z]))?"
    r"|=(?P<equals>[A-Za-z])|\((?P<bracket>[A-Za-z])\)|\?)?"
)


@dataclass(frozen=True, slots=True)
class Counter:
    """A chase counter: ``chaser`` of ``colour`` has attacked ``target`` by ``count`` moves in succession."""

    colour: int
    chaser: int
    target: int
    count: int


@dataclass(frozen=True, slots=True)
class Setup:
    """A position as it was written.

    Attributes:
        codes: piece code of each square, 8 for covered.
        hidden: codes of the covered pieces in the order given. Perft alone reads them as the layout, in the
        order
            of the covered squares a1, b1, …, d8; to everybody else they are a bag.
        turn: 0 red, 1 black, 2 before the first flip.
        quiet: plies since the last capture or flip.
        counters: chase counters.
    """

    codes: tuple[int, ...]
    hidden: tuple[int, ...]
    turn: int
    quiet: int
    counters: tuple[Counter, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A move as it was written; a flip has ``origin == target``, and its outcome if that was stated."""

    origin: int
    target: int
    outcome: int | None = None

    @property
    def is_flip(self) -> bool:
        return self.origin == self.target

    def __str__(self) -> str:
        if not self.is_flip:
            return SQUARE_NAMES[self.origin] + SQUARE_NAMES[self.target]
        outcome = "" if self.outcome is None else f"={LETTERS[self.outcome]}"
        return SQUARE_NAMES[self.origin] + outcome


def parse_move(text: str) -> Move:
    """Read a step or capture ``b8a8`` (also ``b8-a8``, ``b8xa8``), or a flip ``b8=P`` (also ``b8b8=P``,
    ``b8(P)``; without its outcome ``b8``, ``b8?``, ``b8b8``).

    Raises:
        MoveError: it is none of these.
    """
    match = _MOVE.fullmatch(text)
    if match is None:
        raise MoveError(text, "not a banqi move: expected one like b8a8 or b8=P")
    origin = square_of(match[1])
    target = square_of(match["target"] or match[1])
    letter = match["same"] or match["equals"] or match["bracket"]
    assert origin is not None and target is not None
    if origin != target and letter:
        raise MoveError(text, "a step or capture has no outcome")
    if origin == target and match["sign"]:
        raise MoveError(text, "a step or capture needs two different squares")
    outcome = None
    if letter:
        outcome = code_of_letter(letter)
        if outcome is None or outcome == COVERED:
            raise MoveError(text, f"{letter!r} is no piece: expected one of {PIECE_ORDER}")
    return Move(origin, target, outcome)


def parse_setup(text: str, rules: Rules) -> Setup:
    """Read a position.

    Raises:
        PositionError: it cannot be read, or there can be no such position; the reason names the field.
    """
    fields = text.split()
    if len(fields) != 5:
        raise PositionError(text, f"expected 5 fields (board hidden turn np chase), not {len(fields)}")
    codes = _parse_board(text, fields[0])
    hidden = _parse_hidden(text, fields[1], codes)
    if fields[2] not in _TURNS:
        raise PositionError(text, f"turn field {quoted(fields[2])}: expected r, b or ?0")
    turn = _TURNS[fields[2]]
    quiet = int(fields[3]) if re.fullmatch(r"[0-9]{1,6}", fields[3]) else -1
    if not 0 <= quiet <= rules.no_progress:
        raise PositionError(text, f"np field {quoted(fields[3])}: expected a number from 0 to {rules.no_progress}")
    setup = Setup(codes, hidden, turn, quiet, _parse_chase(text, fields[4], codes, rules))
    _check_sides(text, fields[2], setup)
    return setup


def _parse_board(text: str, field: str) -> tuple[int, ...]:
    ranks = field.split("/")
    if len(ranks) != 8:
        raise PositionError(text, f"board field: expected 8 ranks, not {len(ranks)}")
    codes: list[int] = []
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        if len(rank) != 4:
            raise PositionError(text, f"board field: rank {number} is {quoted(rank)}, expected 4 squares")
        row = []
        for letter in rank:
            code = code_of_letter(letter)
            if code is None:
                raise PositionError(text, f"board field: {letter!r} on rank {number} is no piece, X or .")
            row.append(code)
        codes[:0] = row
    return tuple(codes)


def _parse_hidden(text: str, field: str, codes: tuple[int, ...]) -> tuple[int, ...]:
    hidden: list[int] = []
    for letter in "" if field == "-" else field:
        code = code_of_letter(letter)
        if not code or code == COVERED:
            raise PositionError(text, f"hidden field: {letter!r} is no piece")
        hidden.append(code)
    covered = codes.count(COVERED)
    if len(hidden) != covered:
        raise PositionError(text, f"hidden field: {len(hidden)} pieces for {covered} covered squares")
    for piece, letter in enumerate(PIECE_ORDER):
        code = LETTERS.index(letter)
        count, most = codes.count(code) + hidden.count(code), FULL_SET[piece % 7]
        if count > most:
            raise PositionError(text, f"board and hidden fields: {count} {letter}, but a set has {most}")
    return tuple(hidden)


def _parse_chase(text: str, field: str, codes: tuple[int, ...], rules: Rules) -> tuple[Counter, ...]:
    counters: dict[tuple[int, int], Counter] = {}
    for item in [] if field == "-" else field.split(","):
        match = _COUNTER.fullmatch(item)
        if match is None:
            raise PositionError(text, f"chase field: {quoted(item)} is not like r:b5>b7=3")
        colour = _TURNS[match[1]]
        chaser, target = SQUARE_NAMES.index(match[2]), SQUARE_NAMES.index(match[3])
        for square, side, role in ((chaser, colour, "chaser"), (target, 1 - colour, "target")):
            if codes[square] in (0, COVERED) or codes[square] >> 3 != side:
                missing = f"no {('red', 'black')[side]} {role} on {SQUARE_NAMES[square]}"
                raise PositionError(text, f"chase field: {quoted(item)}: there is {missing}")
        count = int(match[4])
        if not 1 <= count <= rules.chase:
            expected = f"from 1 to {rules.chase}" if rules.chase else "none, since chasing is free (chase=off)"
            raise PositionError(text, f"chase field: {quoted(item)}: expected a count {expected}")
        if (chaser, target) in counters:
            raise PositionError(text, f"chase field: {quoted(item)} is the second count of one pair")
        counters[chaser, target] = Counter(colour, chaser, target, count)
    for colour in (RED, BLACK):
        if sum(counter.colour == colour for counter in counters.values()) > COUNTERS:
            raise PositionError(text, f"chase field: more than {COUNTERS} counts of one colour")
    return tuple(sorted(counters.values(), key=lambda c: (c.colour, c.chaser, c.target)))


def _check_sides(text: str, field: str, setup: Setup) -> None:
    colours = {code >> 3 for code in (*setup.codes, *setup.hidden) if code not in (0, COVERED)}
    if not colours:
        raise PositionError(text, "board and hidden fields: there is no piece at all")
    if setup.turn == OPEN:
        if any(code not in (0, COVERED) for code in setup.codes):
            raise PositionError(
                text, f"turn field {quoted(field)}: a piece is face up, so both sides have a colour (r or b)"
            )
        if len(colours) < 2:
            raise PositionError(
                text, f"turn field {quoted(field)}: nobody has a colour yet, so both must have pieces left"
            )


def format_setup(setup: Setup) -> str:
    """The text `parse_setup` reads as ``setup``, with the covered pieces sorted as in KGMRNCPkgmrncp."""
    ranks = ("".join(LETTERS[code] for code in setup.codes[first : first + 4]) for first in range(28, -1, -4))
    hidden = "".join(LETTERS[code] for code in sorted(setup.hidden)) or "-"
    chase = ",".join(
        f"{'rb'[c.colour]}:{SQUARE_NAMES[c.chaser]}>{SQUARE_NAMES[c.target]}={c.count}" for c in setup.counters
    )
    turn = ("r", "b", "?0")[setup.turn]
    return f"{'/'.join(ranks)} {hidden} {turn} {setup.quiet} {chase or '-'}"
