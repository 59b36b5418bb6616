"""What banqi's pieces are called on Chinese boards, and what the ends of games are called in words."""

from __future__ import annotations

__all__ = ["BANQI_NAMES", "ENDINGS", "banqi_name", "captured_letters", "ending_words"]

BANQI_NAMES = {
    "K": "帥", "G": "仕", "M": "相", "R": "俥", "N": "傌", "C": "炮", "P": "兵",
    "k": "將", "g": "士", "m": "象", "r": "車", "n": "馬", "c": "包", "p": "卒",
}  # fmt: skip

ENDINGS = {
    "discs": "no moves left",
    "extinct": "no pieces left",
    "no_moves": "no legal move",
    "all_banned": "only forbidden chases left",
    "no_progress": "no progress",
    "time": "lost on time",
    "agreed": "draw agreed",
    "crash": "engine crashed",
    "stall": "engine hung",
}
"""Reasons of results whose name alone does not say enough."""

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


def ending_words(reason: str) -> str:
    """How a game ended, in words; ``reason`` as in `fanqi.records.Result`."""
    return ENDINGS.get(reason, reason.replace("_", " "))
