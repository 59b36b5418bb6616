"""What one looks at in a position beside its score: mobility and stability, or threats. Pairs are (p1, p2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

import msgspec

from fanqi.game import Player, load_game

if TYPE_CHECKING:
    from fanqi.banqi import Position as BanqiPosition
    from fanqi.game import Position
    from fanqi.othello import Position as OthelloPosition
    from fanqi.search import Engine

__all__ = ["BanqiFacts", "Facts", "OthelloFacts", "facts_of", "open_corner"]

BOARD = (1 << 64) - 1
NOT_A = 0xFEFEFEFEFEFEFEFE
NOT_H = 0x7F7F7F7F7F7F7F7F
BESIDE_CORNERS = {
    square: (kind, corner)
    for corner, x_square, c_squares in (
        ("a1", "b2", "a2 b1"),
        ("h1", "g2", "h2 g1"),
        ("a8", "b7", "a7 b8"),
        ("h8", "g7", "h7 g8"),
    )
    for kind, squares in (("X", x_square), ("C", c_squares))
    for square in squares.split()
}

Pair = tuple[int, int]
Squares = tuple[str, ...]


class OthelloFacts(msgspec.Struct, frozen=True, tag="othello", tag_field="game"):
    """Black's figure first.

    Attributes:
        discs: on the board.
        mobility: squares each could play if it were to move.
        stable: discs that provably can never be turned again.
        frontier: discs beside an empty square.
        empties: empty squares.
        regions: groups of empty squares that touch, diagonally too.
        odd: how many of them have an odd number of squares.
    """

    discs: Pair
    mobility: Pair
    stable: Pair
    frontier: Pair
    empties: int
    regions: int
    odd: int


class BanqiFacts(msgspec.Struct, frozen=True, tag="banqi", tag_field="game"):
    """The first mover's figure first; all zero while nobody has a colour.

    Attributes:
        men: still in the game, covered ones included.
        mobility: steps and captures each could make if it were to move; flips are not counted.
        attacked: squares of its men that the other side could capture if it were to move.
        hanging: those among them that can be captured by a man which cannot be taken back.
        covered: men still covered.
        quiet: plies since the last capture or flip.
    """

    men: Pair
    mobility: Pair
    attacked: tuple[Squares, Squares]
    hanging: tuple[Squares, Squares]
    covered: int
    quiet: int


Facts = OthelloFacts | BanqiFacts


def facts_of(game: str, position: Position, engine: Engine) -> Facts:
    """The facts of a position; ``engine`` is that of the game, not searching."""
    if game == "othello":
        return othello_facts(cast("OthelloPosition", position), engine)
    return banqi_facts(cast("BanqiPosition", position))


def open_corner(game: str, position: Position, move: str) -> str:
    """``X`` or ``C`` if a move of Othello goes to a square of that kind whose corner is empty, else "".

    X squares lie diagonally beside a corner, C squares on the edge beside it. Such moves often give the corner away;
    whether this one did, the search says.
    """
    if game != "othello" or move not in BESIDE_CORNERS:
        return ""
    kind, corner = BESIDE_CORNERS[move]
    cells = position.fen()
    return kind if cells["abcdefgh".index(corner[0]) + 8 * int(corner[1]) - 8] == "-" else ""


def othello_facts(position: OthelloPosition, engine: Engine) -> OthelloFacts:
    terms = {term.name: term for term in engine.evaluate(position)[1]}
    black_to_move = position.turn is Player.P1

    def pair(own: object, opponent: object) -> Pair:
        found = int(str(own)), int(str(opponent))
        return found if black_to_move else found[::-1]

    empty = ~(position.black | position.white) & BOARD
    around = neighbours(empty)
    parity = terms["parity regions"]
    odd, even = (int(str(words).split()[0]) for words in (parity.own, parity.opponent))
    return OthelloFacts(
        discs=(position.black.bit_count(), position.white.bit_count()),
        mobility=pair(terms["mobility"].own, terms["mobility"].opponent),
        stable=pair(terms["stable discs"].own, terms["stable discs"].opponent),
        frontier=((position.black & around).bit_count(), (position.white & around).bit_count()),
        empties=empty.bit_count(),
        regions=odd + even,
        odd=odd,
    )


def neighbours(bits: int) -> int:
    """All squares beside one of ``bits``, diagonally too."""
    sides = bits | (bits << 1 & NOT_A) | (bits >> 1 & NOT_H)
    return (sides | sides << 8 | sides >> 8) & BOARD


def banqi_facts(position: BanqiPosition) -> BanqiFacts:
    fen = position.fen()
    board, hidden, _, quiet, _ = fen.split()
    covered = 0 if hidden == "-" else len(hidden)
    letters = (board + hidden).replace("X", "")
    first = position.colour(Player.P1)
    if first is None:
        return BanqiFacts((16, 16), (0, 0), ((), ()), ((), ()), covered, int(quiet))
    colours = "rb" if first == 0 else "br"
    parse = load_game("banqi").parse
    rules = str(position.rules)
    # as if either side were to move, free of what the last moves forbid
    views = [cast("BanqiPosition", parse(f"{board} {hidden} {colour} 0 -", rules)) for colour in colours]
    moves = [[move for move in view.legal_moves() if len(move) == 4] for view in views]
    captures = [[move for move in mine if view.piece(move[2:]) != "."] for view, mine in zip(views, moves, strict=True)]
    attacked = [{move[2:] for move in captures[1 - seat]} for seat in (0, 1)]
    hanging = [{move[2:] for move in captures[1 - seat] if is_free(views[1 - seat], move)} for seat in (0, 1)]
    men = [
        sum(letter.isupper() == (colour == "r") for letter in re.sub(r"[^A-Za-z]", "", letters)) for colour in colours
    ]
    return BanqiFacts(
        men=(men[0], men[1]),
        mobility=(len(moves[0]), len(moves[1])),
        attacked=(tuple(sorted(attacked[0])), tuple(sorted(attacked[1]))),
        hanging=(tuple(sorted(hanging[0])), tuple(sorted(hanging[1]))),
        covered=covered,
        quiet=int(quiet),
    )


def is_free(position: BanqiPosition, capture: str) -> bool:
    """Whether the man that captures cannot be taken back at once."""
    square = capture[2:]
    return not any(len(reply) == 4 and reply[2:] == square for reply in position.play(capture).legal_moves())
