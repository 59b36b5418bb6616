"""The engine as a process: one session on stdin and stdout."""

from fanqi.stdio.main import main

__all__ = ["main"]
