"""Othello on a dictionary of coordinates: slow, and obviously what the rules say."""

from __future__ import annotations

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def board_of(own: int, opp: int) -> dict[tuple[int, int], str]:
    """Bitboards as {(column, row): "own" | "opp"}; empty squares are missing."""
    board = {}
    for square in range(64):
        if own >> square & 1:
            board[square % 8, square // 8] = "own"
        elif opp >> square & 1:
            board[square % 8, square // 8] = "opp"
    return board


def flipped(board: dict[tuple[int, int], str], square: tuple[int, int]) -> set[tuple[int, int]]:
    """What a disc of "own" on an empty square turns."""
    result = set()
    for dx, dy in DIRECTIONS:
        line = []
        x, y = square[0] + dx, square[1] + dy
        while board.get((x, y)) == "opp":
            line.append((x, y))
            x, y = x + dx, y + dy
        if board.get((x, y)) == "own":
            result.update(line)
    return result


def bits_of(squares) -> int:
    return sum(1 << (x + 8 * y) for x, y in squares)


def flips(own: int, opp: int, square: int) -> int:
    return bits_of(flipped(board_of(own, opp), (square % 8, square // 8)))


def legal_moves(own: int, opp: int) -> int:
    board = board_of(own, opp)
    empty = [(x, y) for x in range(8) for y in range(8) if (x, y) not in board]
    return bits_of(square for square in empty if flipped(board, square))


def play(own: int, opp: int, square: int | None) -> tuple[int, int]:
    """Bitboards after a move (None: a pass), seen by the next side to move."""
    if square is None:
        return opp, own
    turned = flips(own, opp, square)
    return opp & ~turned, own | turned | 1 << square


def perft(own: int, opp: int, depth: int) -> int:
    if depth == 0:
        return 1
    moves = legal_moves(own, opp)
    if not moves:
        return perft(opp, own, depth - 1) if legal_moves(opp, own) else 1
    return sum(perft(*play(own, opp, square), depth - 1) for square in range(64) if moves >> square & 1)


def solve(own: int, opp: int) -> int:
    """Best final disc difference of the side to move, empty squares to the winner, by plain negamax."""
    moves = legal_moves(own, opp)
    if moves:
        return max(-solve(*play(own, opp, square)) for square in range(64) if moves >> square & 1)
    if legal_moves(opp, own):
        return -solve(opp, own)
    difference = own.bit_count() - opp.bit_count()
    empties = 64 - (own | opp).bit_count()
    return difference + (empties if difference > 0 else -empties if difference < 0 else 0)


def stable(own: int, opp: int) -> int:
    """Discs of "own" that no sequence of moves can turn, found by trying every continuation: use near the end
    only.
    """
    seen = set()
    still = own

    def visit(mine: int, theirs: int, passed: bool) -> None:
        nonlocal still
        if (mine, theirs) in seen:
            return
        seen.add((mine, theirs))
        for a, b, swap in ((mine, theirs, False), (theirs, mine, True)):
            moves = legal_moves(a, b)
            for square in range(64):
                if moves >> square & 1:
                    turned = flips(a, b, square)
                    after_a, after_b = a | turned | 1 << square, b & ~turned
                    new_own, new_opp = (after_b, after_a) if swap else (after_a, after_b)
                    still &= new_own
                    visit(new_own, new_opp, False)

    visit(own, opp, False)
    return still
