"""What can be wrong with a build."""

from __future__ import annotations

__all__ = ["BuildError"]


class BuildError(ValueError):
    """A build that cannot be begun or gone on with; the message says why."""
