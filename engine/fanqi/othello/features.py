"""Squares and neighbourhoods that evaluation, ordering and the `eval` command speak of."""

from __future__ import annotations

from typing import Any

import numpy as np

from fanqi.kernels import kernel

__all__ = ["CORNERS", "C_SQUARES", "X_SQUARES", "neighbourhood"]

CORNERS = np.uint64(0x8100000000000081)
C_SQUARES = np.uint64(0x4281000000008142)
X_SQUARES = np.uint64(0x0042000000004200)


@kernel
def neighbourhood(bits: Any) -> Any:
    """All squares next to one of ``bits``, in any direction."""
    left = (bits >> np.uint64(1)) & np.uint64(0x7F7F7F7F7F7F7F7F)
    right = (bits << np.uint64(1)) & np.uint64(0xFEFEFEFEFEFEFEFE)
    rows = bits | left | right
    return left | right | (rows << np.uint64(8)) | (rows >> np.uint64(8))
