"""Plays the first time that it is started, and not again. The argument is a file that remembers it."""

import sys
from pathlib import Path

from common import Engine

mark = Path(sys.argv[1])
if mark.exists():
    sys.exit(3)
mark.touch()
Engine().run()
