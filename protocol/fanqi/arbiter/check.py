"""What came out of checking a deal."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Check", "Verdict"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: a sentence, whether it holds, and if not, why."""

    claim: str
    holds: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of one deal."""

    checks: tuple[Check, ...] = field(default=())

    @property
    def good(self) -> bool:
        return all(check.holds for check in self.checks)
