"""What a file of results says about the program that made it."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["commit"]


def commit() -> str:
    """The commit of the sources, with a mark if the training tool's were changed since; the version outside a
    checkout."""
    from fanqi.about import VERSION

    here = Path(__file__).parents[1]
    try:
        name = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], cwd=here, capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "."], cwd=here, check=False).returncode
    except (OSError, subprocess.CalledProcessError):
        return f"version {VERSION}"
    return f"{name}+changes" if changed else name
