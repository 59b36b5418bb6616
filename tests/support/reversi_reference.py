"""Old Reversi once more, slowly, from the rule texts alone: lists of letters, no bitboards, nothing of Fanqi's."""

from __future__ import annotations

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
OTHER = {"X": "O", "O": "X"}
CENTRE = [(3, 3), (4, 3), (3, 4), (4, 4)]


class Reversi:
    """A game of 1890 in progress; or of 1886 where ``hands`` is None.

    Attributes:
        cells: letters by (column, row).
        turn: ``X`` or ``O``.
        hands: discs left to each colour.
    """

    def __init__(self, cells=None, turn="X", hands=None):
        self.cells = dict(cells or {})
        self.turn = turn
        self.hands = hands

    @classmethod
    def of_1890(cls):
        return cls(hands={"X": 32, "O": 32})

    @classmethod
    def of_1886(cls, *, parallel):
        first = "OOXX" if parallel else "OXXO"
        return cls(dict(zip([(3, 3), (4, 3), (3, 4), (4, 4)], first, strict=True)))

    def turned(self, x, y, colour):
        """The discs that a disc there would turn."""
        found = []
        for dx, dy in DIRECTIONS:
            line, at = [], (x + dx, y + dy)
            while self.cells.get(at) == OTHER[colour]:
                line.append(at)
                at = (at[0] + dx, at[1] + dy)
            if line and self.cells.get(at) == colour:
                found += line
        return found

    def squares(self, colour):
        """Where that colour may place a disc."""
        if self.hands is not None and self.hands[colour] == 0:
            return []
        if self.hands is not None and any(square not in self.cells for square in CENTRE) and len(self.cells) < 4:
            return [square for square in CENTRE if square not in self.cells]
        empty = [(x, y) for x in range(8) for y in range(8) if (x, y) not in self.cells]
        return [(x, y) for x, y in empty if self.turned(x, y, colour)]

    def moves(self):
        """Names of the legal moves, sorted."""
        if found := self.squares(self.turn):
            return sorted("abcdefgh"[x] + str(y + 1) for x, y in found)
        return ["pass"] if self.squares(OTHER[self.turn]) else []

    def after(self, move):
        """The game after a legal move."""
        if move == "pass":
            return Reversi(self.cells, OTHER[self.turn], self.hands)
        x, y = "abcdefgh".index(move[0]), int(move[1]) - 1
        placing = len(self.cells) < 4
        cells = self.cells | dict.fromkeys([] if placing else self.turned(x, y, self.turn), self.turn)
        cells[x, y] = self.turn
        hands = None if self.hands is None else self.hands | {self.turn: self.hands[self.turn] - 1}
        return Reversi(cells, OTHER[self.turn], hands)

    def text(self):
        """In Fanqi's notation."""
        board = "".join(self.cells.get((x, y), "-") for y in range(8) for x in range(8))
        return f"{board} {self.turn}" + ("" if self.hands is None else f" {self.hands['X']}")

    def margin(self):
        """Black's discs less White's at the end, empty squares to the winner; a draw where 1886 says so."""
        black, white = (list(self.cells.values()).count(colour) for colour in "XO")
        empties = 64 - black - white
        if black == white or (self.hands is None and empties):
            return 0
        return black - white + (empties if black > white else -empties)

    def perft(self, depth):
        """Leaves below; a pass is a ply, an end is a leaf."""
        moves = self.moves()
        if depth == 0 or not moves:
            return 1
        return sum(self.after(move).perft(depth - 1) for move in moves)

    def value(self, lower=-99, upper=99):
        """The result for the side to move with best play, by plain alpha-beta."""
        moves = self.moves()
        if not moves:
            return self.margin() if self.turn == "X" else -self.margin()
        best = -99
        for move in moves:
            best = max(best, -self.after(move).value(-upper, -max(lower, best)))
            if best >= upper:
                break
        return best
