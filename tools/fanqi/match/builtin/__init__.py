"""Opponents that need no process: a random mover, a greedy one, and our own engine in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.match.contestant import Contestant
    from fanqi.match.specification import EngineSpec

__all__ = ["make_builtin"]


def make_builtin(spec: EngineSpec, game: str) -> Contestant:
    """The builtin contestant that ``spec`` names."""
    if spec.builtin == "fanqi":
        from fanqi.match.builtin.own import OwnContestant

        return OwnContestant(spec, game)
    from fanqi.match.builtin.simple import SimpleContestant

    return SimpleContestant(spec, game)
