"""The board for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.banqi.board import LETTERS, SQUARE_NAMES

if TYPE_CHECKING:
    from fanqi.banqi.notation import Setup
    from fanqi.banqi.rules import Rules

__all__ = ["draw"]


def draw(setup: Setup, captured: str, rules: Rules, players: dict[int | None, str]) -> str:
    """Several lines: the board with coordinates, who is to move, captured and covered men, quiet plies,
    chases.

    Args:
        setup: the position.
        captured: letters of the captured men.
        rules: for the limits of the counts.
        players: name of the player of each colour; of None when nobody has one.
    """
    line = "  +---------+"
    lines = [line]
    for rank in range(7, -1, -1):
        row = " ".join(LETTERS[code] for code in setup.codes[4 * rank : 4 * rank + 4])
        lines.append(f"{rank + 1} | {row} |")
    lines += [line, "    a b c d"]
    if setup.turn == 2:
        lines.append("to move: p1, whose first flip decides the colours")
    else:
        lines.append(f"to move: {('red (capitals)', 'black')[setup.turn]}, {players[setup.turn]}")
    covered = "".join(LETTERS[code] for code in sorted(setup.hidden))
    lines.append(f"covered: {covered or '-'} ({len(covered)})")
    for colour, name in enumerate(("red", "black")):
        lost = "".join(letter for letter in captured if letter.islower() == (colour == 1))
        lines.append(f"captured from {name}: {lost or '-'} ({len(lost)})")
    lines.append(f"quiet plies: {setup.quiet} of {rules.no_progress}")
    chases = [
        f"{SQUARE_NAMES[c.chaser]} after {SQUARE_NAMES[c.target]} {c.count} of {rules.chase}" for c in setup.counters
    ]
    lines.append(f"chases: {', '.join(chases) or '-'}")
    return "\n".join(lines)
