"""The engine side of foreign dialects: each a translator between that dialect and a session of our own protocol."""

from fanqi.translators.base import Surroundings, Translator
from fanqi.translators.registry import DIALECTS, load_translator

__all__ = ["DIALECTS", "Surroundings", "Translator", "load_translator"]
