"""What banqi's pieces are called, on Chinese boards and in words."""

from __future__ import annotations

__all__ = ["BANQI_NAMES", "banqi_name", "captured_letters"]

BANQI_NAMES = {
    "K": "帥", "G": "仕", "M": "相", "R": "俥", "N": "傌", "C": "炮", "P": "兵",
    "k": "將", "g": "士", "m": "象", "r": "車", "n": "馬", "c": "包", "p": "卒",
}  # fmt: skip

FULL_SET = "KGGMMRRNNCCPPPPP"


def banqi_name(letter: str, *, letters: bool) -> str:
    """The character of a piece, or its letter where characters cannot be shown."""
    return letter if letters else BANQI_NAMES[letter]


def captured_letters(fen: str) -> tuple[str, str]:
    """The men that red and that black have lost, strongest first: the full set less board and covered men."""
    board, hidden, *_ = fen.split()
    left = board + hidden
    lost = []
    for full in (FULL_SET, FULL_SET.lower()):
        gone = [letter * (full.count(letter) - left.count(letter)) for letter in dict.fromkeys(full)]
        lost.append("".join(gone))
    return lost[0], lost[1]
