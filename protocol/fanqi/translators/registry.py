"""Dialects by name, each imported when it is spoken."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from fanqi.translators.base import Translator

__all__ = ["DIALECTS", "Dialect", "load_translator"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect as the command line knows it.

    Attributes:
        title: for people.
        translator: the class that speaks it, in the module of the dialect's name; empty where the session of our own
            protocol speaks it itself.
        variant: value of ``UCI_Variant`` at the start.
    """

    title: str
    translator: str = ""
    variant: str = "othello"


DIALECTS = {
    "uci": Dialect("our own protocol"),
    "ugi": Dialect("Universal Game Interface: our own protocol has its words"),
    "flipello": Dialect("UCI as Fairy-Stockfish speaks it for flipello", variant="flipello"),
    "nboard": Dialect("NBoard, version 2", "NBoardTranslator"),
    "gtp": Dialect("Go Text Protocol, version 2, with GoGui's rules commands", "GtpTranslator"),
    "xboard": Dialect("XBoard (CECP), version 2", "XBoardTranslator"),
    "cassio": Dialect("Cassio's engine protocol", "CassioTranslator"),
    "tcga": Dialect("the numbered protocol of the Taiwanese banqi client", "TcgaTranslator", "banqi"),
}


def load_translator(name: str) -> type[Translator]:
    """The class for one of `DIALECTS` that has a translator."""
    module = importlib.import_module(f"fanqi.translators.{name}")
    return cast("type[Translator]", getattr(module, DIALECTS[name].translator))
