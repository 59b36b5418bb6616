"""Files that commands keep: what they may be."""

from fanqi.files.regular import require_regular

__all__ = ["require_regular"]
