"""Makes the helpers of these tests importable."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in (Path(__file__).parent, Path(__file__).parents[2] / "support"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
