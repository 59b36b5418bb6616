"""What a submitter can be told."""

from __future__ import annotations

__all__ = ["DispatchError", "IntakeError", "LedgerError"]


class DispatchError(Exception):
    """Root of this package's errors; its text is one sentence for the person who submitted."""


class LedgerError(DispatchError):
    """The state file cannot be used: not ours, of another submission, in use, or not writable."""


class IntakeError(DispatchError):
    """Input that is not a job; says which file and line."""
