"""Logging to stderr through structlog, which is imported when the first event is logged and not before."""

from fanqi.logs.logger import LEVELS, Logger

__all__ = ["LEVELS", "Logger"]
