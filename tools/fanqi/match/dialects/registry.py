"""Dialects by name, imported when they are used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fanqi.match.dialects.base import Dialect

__all__ = ["DIALECTS", "dialect_class"]

DIALECTS = {
    "fanqi": "FanqiDialect",
    "nboard": "NBoardDialect",
    "gtp": "GtpDialect",
    "tcga": "TcgaDialect",
    "flipello": "FlipelloDialect",
    "xboard": "XBoardDialect",
    "cassio": "CassioDialect",
    "ugi": "UgiDialect",
}


def dialect_class(name: str) -> type[Dialect]:
    """The dialect called ``name``, one of `DIALECTS`."""
    module = importlib.import_module(f"fanqi.match.dialects.{name}")
    found: type[Dialect] = getattr(module, DIALECTS[name])
    return found
