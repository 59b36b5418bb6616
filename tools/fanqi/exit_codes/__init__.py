"""What the exit code of a command says."""

__all__ = ["FAILED", "INTERRUPTED", "MISUSED"]

FAILED = 1
"""Something could not be done; it has been said what, and why."""
MISUSED = 2
"""The command line asks for nothing that there is."""
INTERRUPTED = 130
"""By Ctrl-C or SIGTERM, before all was done; as the shell says it of a process that SIGINT ended."""
