"""The engine process for hosts of other programs: a translator in front of the session, and its view of the disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from fanqi.files import read_small, require_regular
from fanqi.records import format_ggf
from fanqi.translators import Surroundings, load_translator

if TYPE_CHECKING:
    from fanqi.logs import Logger
    from fanqi.records import GameRecord
    from fanqi.stdio.main import Speak
    from fanqi.uci import Go

__all__ = ["LEARNED", "foreign_protocol"]

LEARNED = "learned.ggf"
"""In the user's data directory: the games that hosts asked us to learn from, one a line."""


def foreign_protocol(dialect: str, think: Go, logger: Logger) -> Speak:
    """How to speak a dialect that has a translator."""

    def log(text: str) -> None:
        logger.info("engine", text=text)

    def warn(text: str) -> None:
        logger.warning("engine", text=text)

    surroundings = Surroundings(think, read_file, learn, log, warn)
    translator = load_translator(dialect)
    return lambda output, services, config: translator(output, services, config, surroundings)


def read_file(path: str) -> bytes:
    """A file that the host names; raises OSError."""
    return read_small(Path(path))


def learn(record: GameRecord) -> None:
    """Keep a game; raises OSError."""
    directory = Path(platformdirs.user_data_dir("fanqi", appauthor=False))
    directory.mkdir(parents=True, exist_ok=True)
    require_regular(directory / LEARNED)
    with (directory / LEARNED).open("a", encoding="utf-8") as file:
        file.write(f"{format_ggf(record)}\n")
