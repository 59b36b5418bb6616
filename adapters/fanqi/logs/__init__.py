"""Logging to stderr through structlog, which is imported when the first event is logged and not before."""

from fanqi.logs.logger import LEVELS, Logger
from fanqi.logs.patient import PatientStream

__all__ = ["LEVELS", "Logger", "PatientStream"]
