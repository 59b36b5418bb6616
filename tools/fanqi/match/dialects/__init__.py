"""The languages engines speak, as seen by a host: one module each, found by name."""

from fanqi.match.dialects.base import Dialect, Identity, Timeouts, option_key
from fanqi.match.dialects.registry import DIALECTS, dialect_class

__all__ = ["DIALECTS", "Dialect", "Identity", "Timeouts", "dialect_class", "option_key"]
