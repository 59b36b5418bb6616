"""What part a node plays in the tree, and other arguments of the search kernels that never vary.

All of them are typed: numba would compile a callee once more for just the value of a literal argument.
"""

from __future__ import annotations

import numpy as np

__all__ = ["AFTER_PASS", "AT_ROOT", "BELOW_ROOT", "NO_SQUARE", "ONE_FLIP", "ORDINARY", "PRINCIPAL", "PROBED"]

AFTER_PASS: int = np.int64(0)  # type: ignore[assignment]  # the opponent has passed: no second pass
ORDINARY: int = np.int64(1)  # type: ignore[assignment]
PRINCIPAL: int = np.int64(2)  # type: ignore[assignment]  # its line may be reported: no cut by the table, no pass
PROBED: int = np.int64(3)  # type: ignore[assignment]  # only its best-looking move is searched, for a lower bound

NO_SQUARE: int = np.int64(-1)  # type: ignore[assignment]
ONE_FLIP: int = np.int64(1)  # type: ignore[assignment]
AT_ROOT: int = np.int64(0)  # type: ignore[assignment]
BELOW_ROOT: int = np.int64(1)  # type: ignore[assignment]
