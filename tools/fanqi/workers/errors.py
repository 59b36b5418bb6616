"""What a worker's owner can be told."""

from __future__ import annotations

__all__ = ["ConfigurationError", "WorkerError"]


class WorkerError(Exception):
    """Root of this package's errors; its text is one sentence for the owner of the worker."""


class ConfigurationError(WorkerError):
    """A configuration file or an option that cannot be used; the text names it."""
