"""What can go wrong in a match, as exceptions with an exact reason."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ConfigurationError", "EngineError", "Fault", "MatchError", "PairError", "StoreError"]


class MatchError(Exception):
    """Root of everything this package raises on purpose."""


class ConfigurationError(MatchError):
    """A match that was described wrongly: the message names the word and what was expected."""


class StoreError(MatchError):
    """A match folder that cannot be used as it is."""


class Fault(StrEnum):
    """What an engine did wrong. The value is the termination that its lost game is recorded with."""

    START = "start_failure"
    """It could not be started, or did not introduce itself in time."""
    STALL = "stall"
    """It runs but does not answer what it has to answer in time (other than a move on its clock)."""
    CRASH = "crash"
    """It is gone: exited, closed its output, or cut the connection."""
    TIME = "time"
    """It overstepped its time."""
    ILLEGAL = "illegal_move"
    """It answered with something that is not a legal move."""
    PROTOCOL = "protocol"
    """It answered with an error where none is allowed."""


class EngineError(MatchError):
    """An engine lost its game by its own fault.

    Attributes:
        fault: the kind.
        detail: what happened, for people: with what was waited for, exit codes, offending text.
    """

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(f"{fault.value}: {detail}")
        self.fault = fault
        self.detail = detail


class PairError(MatchError):
    """A pair that was to be played elsewhere and that no worker could play, with the reasons."""
