"""The real sessions of `tests/data/ggs`, as a client heard them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from fanqi.ggs_wire import BlockReader, Join, LineReader, Update, recognise

__all__ = ["boards"]

DATA = Path(__file__).parents[1] / "data" / "ggs"


def boards(name: str, client: str, game: str) -> list[Join | Update]:
    """What a client of a real session was shown of a game."""
    said = (re.fullmatch(rf"\[{client}\] S: (.*)", line) for line in (DATA / f"{name}.log").read_text().splitlines())
    data = "".join(ast.literal_eval(found[1]) for found in said if found).encode("latin-1")
    messages = [message for block in BlockReader().feed(LineReader().feed(data)) for message in recognise(block)]
    return [message for message in messages if isinstance(message, Join | Update) and str(message.game) == game]
