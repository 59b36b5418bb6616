"""Runs the engine script that it is given, and writes blanks around what it says, doubled, and a byte order mark."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any


class Indenting:
    """A text stream with blanks and tabs wherever a line may have them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._mark = "\ufeff"
        self._rest = ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._stream.write(f"{self._mark} \t{line.replace(' ', '  ')} \r\n")
            self._mark = ""
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


script = sys.argv[1]
del sys.argv[0]
sys.path.insert(0, str(Path(script).parent))
sys.stdout.reconfigure(encoding="utf-8", newline="")
sys.stdout = Indenting(sys.stdout)
runpy.run_path(script, run_name="__main__")
