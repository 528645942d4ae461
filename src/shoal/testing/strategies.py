"""Tables that hypothesis draws for the battery: small, with the ties and extremes that break methods."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from shoal.values import FloatMatrix

_FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False)
_GRID = st.integers(0, 3).map(float)
_EXTREMES = st.sampled_from([0.0, 1.0, -1.0, 1e-300, -1e-300, 1e300, -1e300, 1e15, 1e15 + 1])
CELLS = (_FLOATS, _GRID, _EXTREMES)


@st.composite
def tables(draw: st.DrawFn, *, most_columns: int | None = None, most_rows: int = 50) -> tuple[FloatMatrix, int]:
    """A matrix of numbers and a k that it can be protected with."""
    columns = draw(st.integers(1, min(4, most_columns or 4)))
    k = draw(st.integers(2, 6))
    rows = draw(st.integers(k, max(k, most_rows)))
    cells = draw(st.sampled_from(CELLS))
    flat = draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    return np.array(flat, dtype=np.float64).reshape(rows, columns), k
