"""The Universal Game Interface, host side: our own protocol under another greeting.

UGI has no notation of its own; ours is spoken, and passes are ``pass``.
"""

from __future__ import annotations

from typing import ClassVar

from fanqi.match.dialects.fanqi import FanqiDialect

__all__ = ["UgiDialect"]


class UgiDialect(FanqiDialect):
    """``ugi``, ``uginewgame``, and clocks by seat."""

    greeting: ClassVar[str] = "ugi"
    new_game_word: ClassVar[str] = "uginewgame"
