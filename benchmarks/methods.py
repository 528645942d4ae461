"""Every method on the same made-up records: seconds as ratios to MDAV's, loss, and growth from n to 2n.

A method whose time grows by much more than 4 is not quadratic in practice. One process, one run.
"""

from __future__ import annotations

import time

import numpy as np

import shoal
from shoal.schema import Kind

N, COLUMNS, K = 10_000, 5, 5
PATIENCE = 10
"""Seconds after which a method is not run again on twice the records."""


def timed(values: np.ndarray, method: str) -> tuple[float, float]:
    start = time.perf_counter()
    loss = shoal.partition(values, k=K, method=method).information_loss
    return time.perf_counter() - start, loss


def main() -> None:
    noise = np.random.default_rng(0)
    large = noise.standard_normal((2 * N, COLUMNS))
    base = None
    print(f"{'method':18s}{'s':>8s}{'/ mdav':>9s}{'growth':>8s}{'loss, %':>9s}   (n = {N:,} x {COLUMNS}, k = {K})")
    numeric = [name for name, method in shoal.methods().items() if Kind.NUMERIC in method.kinds]
    names = sorted(numeric, key=lambda name: (name != "mdav", name))
    for name in names:
        width = shoal.methods()[name].most_columns or COLUMNS
        timed(large[:500, :width], name)  # compile
        seconds, loss = timed(large[:N, :width], name)
        growth = f"{timed(large[:, :width], name)[0] / seconds:.1f}" if seconds < PATIENCE else "–"
        base = base or seconds
        print(f"{name:18s}{seconds:8.2f}{seconds / base:9.1f}{growth:>8s}{loss:9.3f}", flush=True)


if __name__ == "__main__":
    main()
