"""Every method on the same made-up records: seconds as ratios to MDAV's, loss, and growth from n to 2n.

A method whose time grows by much more than 4 is not quadratic in practice. One process, one run.
"""

from __future__ import annotations

import time

import numpy as np
from measuring.output import Output, parser

import shoal
from shoal.domain import Kind

N, COLUMNS, K = 10_000, 5, 5
QUICK = ("mdav", "k-means", "mondrian", "tour-mhm")
"""Methods that a quick run is about."""
PATIENCE = 10
"""Seconds after which a method is not run again on twice the records."""


def timed(values: np.ndarray, method: str) -> tuple[float, float]:
    start = time.perf_counter()
    loss = shoal.partition(values, k=K, method=method).information_loss
    return time.perf_counter() - start, loss


def main() -> None:
    given = parser(__doc__).parse_args()
    output, rows = Output(as_json=given.json), N // 20 if given.quick else N
    noise = np.random.default_rng(0)
    large = noise.standard_normal((2 * rows, COLUMNS))
    base = None
    head = f"{'method':18s}{'s':>8s}{'/ mdav':>9s}{'growth':>8s}{'loss, %':>9s}"
    output.note(f"{head}   (n = {rows:,} x {COLUMNS}, k = {K})")
    numeric = [name for name, method in shoal.methods().items() if Kind.NUMERIC in method.kinds]
    names = sorted(numeric, key=lambda name: (name != "mdav", name))
    for name in (name for name in names if name in QUICK or not given.quick):
        width = shoal.methods()[name].max_columns or COLUMNS
        timed(large[:500, :width], name)  # compile
        seconds, loss = timed(large[:rows, :width], name)
        growth = round(timed(large[:, :width], name)[0] / seconds, 1) if seconds < PATIENCE else None
        base = base or seconds
        facts = {"method": name, "rows": rows, "columns": width, "k": K, "seconds": round(seconds, 3)}
        facts |= {"to_mdav": round(seconds / base, 1), "growth": growth, "loss": round(loss, 3)}
        line = f"{name:18s}{seconds:8.2f}{seconds / base:9.1f}{'–' if growth is None else growth:>8}{loss:9.3f}"
        output.record(facts, line)


if __name__ == "__main__":
    main()
