"""Growth: the exponent of a power that times follow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_FEWEST = 3


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of the logarithm of the time over that of the size, by least squares over the upper half of the sizes.

    The small sizes of a ladder tell of what a run costs anyway. At least three sizes count where there are so many.
    """
    used = slice(-max(_FEWEST, -(-len(sizes) // 2)), None)
    across, up = np.log(sizes[used]), np.log(seconds[used])
    across = across - across.mean()
    if not across.any():
        raise ValueError("a growth needs two sizes")
    return float(across @ up / (across @ across))
