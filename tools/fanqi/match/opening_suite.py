"""Making a balanced opening suite: what lies so many plies from the start, up to symmetry, and is close to even."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanqi.game import load_game
from fanqi.othello import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Judged", "canonical_key", "format_suite", "judge", "positions_after"]

FIRST_MOVE = "f5"
"""The four first moves are one up to symmetry; players write it like this."""
REVERSED = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


@dataclass(frozen=True, slots=True)
class Judged:
    """An opening and what the engine thinks of it.

    Attributes:
        moves: from the start position.
        discs: score from Black's view.
    """

    moves: tuple[str, ...]
    discs: float


def mirror_ranks(board: int) -> int:
    """Row 1 becomes row 8."""
    return int.from_bytes(board.to_bytes(8, "little"), "big")


def mirror_files(board: int) -> int:
    """Column a becomes column h."""
    return int.from_bytes(board.to_bytes(8, "little").translate(REVERSED), "little")


def transpose(board: int) -> int:
    """Rows become columns: three exchanges of blocks of 4x4, 2x2 and 1x1 squares."""
    for mask, shift in ((0x00000000F0F0F0F0, 28), (0x0000CCCC0000CCCC, 14), (0x00AA00AA00AA00AA, 7)):
        moved = (board ^ board >> shift) & mask
        board ^= moved ^ moved << shift
    return board


def canonical_key(own: int, opponent: int) -> tuple[int, int]:
    """The least of the eight images of a position: equal for positions that are one up to symmetry."""
    images = []
    pair = (own, opponent)
    for _ in range(2):
        for turn in (pair, tuple(map(mirror_files, pair))):
            images += [turn, tuple(map(mirror_ranks, turn))]
        pair = (transpose(pair[0]), transpose(pair[1]))
    return min(images)  # type: ignore[return-value]


def positions_after(plies: int) -> dict[tuple[str, ...], Position]:
    """One line of moves to each position ``plies`` from the start, up to symmetry, that is not over there.

    Lines are those first found from ``f5`` on in the order of the squares.
    """
    level: dict[tuple[str, ...], Position] = {(): Position()}
    for ply in range(plies):
        seen: set[tuple[int, int]] = set()
        following: dict[tuple[str, ...], Position] = {}
        for line, position in level.items():
            moves = (FIRST_MOVE,) if ply == 0 else position.legal_moves()
            for move in moves:
                reached = position.play(move)
                key = canonical_key(reached.own, reached.opponent)
                if key not in seen and reached.legal_moves():
                    seen.add(key)
                    following[(*line, move)] = reached
        level = following
    return level


def judge(
    positions: dict[tuple[str, ...], Position], depth: int, on_progress: Callable[[int], None]
) -> Iterator[Judged]:
    """Search each position to a fixed depth with our engine, its table cleared once at the start.

    Args:
        positions: as from `positions_after`.
        depth: plies.
        on_progress: told how many have been judged.
    """
    from fanqi.search import Control, Limits, Settings

    engine = load_game("othello").engine()
    engine.configure(Settings(hash_mib=256))
    engine.new_game()
    for number, (line, position) in enumerate(positions.items(), 1):
        result = engine.search(position, Limits(depth=depth), Control(), lambda info: None)
        cp = result.infos[0].score_cp or 0
        yield Judged(line, (cp if position.turn == 1 else -cp) / 100)
        on_progress(number)


def format_suite(judged: Iterable[Judged], bound: float, heading: Sequence[str]) -> str:
    """The openings within ``bound`` discs, one transcript a line, sorted, under comment lines."""
    lines = sorted("".join(one.moves) for one in judged if abs(one.discs) <= bound)
    return "".join(f"{line}\n" for line in (*(f"# {text}" for text in heading), *lines))
