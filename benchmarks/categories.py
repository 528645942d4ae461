"""Methods on categories: seconds and loss, growth with different combinations, and that rows alone cost nothing.

The records are made up: two columns under trees of two hundred leaves, few values frequent and many rare. Compare
ratios inside one run; the machine decides the seconds. One process, one run.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import shoal
from shoal import tables
from shoal.partition import registry
from shoal.schema import Kind, Schema
from shoal.tables import read
from shoal.understanding import understood

K = 5
LEAVES, BRANCHES = 200, 14
TUPLES = (500, 1000, 2000, 4000, 8000)
PATIENCE = 20
"""Seconds after which a method is not run on more combinations."""


def tree() -> shoal.Hierarchy:
    leaves = [(f"v{leaf:03}", f"b{leaf % BRANCHES:02}") for leaf in range(LEAVES)]
    branches = [(f"b{branch:02}", f"c{branch % 4}") for branch in range(BRANCHES)]
    return shoal.Hierarchy.from_edges([*leaves, *branches, *((f"c{top}", "*") for top in range(4))])


def table(tuples: int, rows: int, seed: int = 0) -> pl.DataFrame:
    """So many different combinations, some of them with most of the rows."""
    draw = np.random.default_rng(seed)
    cells = draw.choice(LEAVES * LEAVES, tuples, replace=False)
    share = 1.0 / np.arange(1, tuples + 1)
    more = draw.choice(cells, rows - tuples, p=share / share.sum())
    chosen = np.concatenate([cells, more])
    return pl.DataFrame({"a": [f"v{c // LEAVES:03}" for c in chosen], "b": [f"v{c % LEAVES:03}" for c in chosen]})


def timed(frame: pl.DataFrame, method: str) -> tuple[float, float]:
    """Seconds of the method alone, without reading and measuring, and the loss."""
    kinds = shoal.methods()[method].kinds
    meaning = {"a": HIERARCHY, "b": HIERARCHY} if Kind.HIERARCHICAL in kinds else {}
    table = read(frame)
    schema = understood(table, Schema.assign(tables.kinds(table), quasi_identifiers=table.names), hierarchies=meaning)
    records = tables.encode(table, schema)
    start = time.perf_counter()
    registry.run(records, k=K, method=method)
    seconds = time.perf_counter() - start
    return seconds, shoal.partition(frame, k=K, method=method, refine=False, hierarchies=meaning).semantic_loss or 0.0


HIERARCHY = tree()


def main() -> None:
    methods = [name for name, method in shoal.methods().items() if Kind.NOMINAL in method.kinds]
    frames = [table(tuples, 50_000) for tuples in TUPLES]
    long = table(TUPLES[1], 1_000_000)
    print(f"Seconds by different combinations in {frames[0].height:,} rows, k = {K}; loss at {TUPLES[1]:,}")
    head = "".join(f"{tuples:>9,d}" for tuples in TUPLES)
    print(f"{'method':26s}{head}{'exponent':>10s}{'loss, %':>9s}{'1,000,000 rows / 50,000':>25s}")
    for name in methods:
        timed(frames[0][:2000], name)  # compile
        found: list[tuple[float, float]] = []
        for frame in frames:
            if not found or found[-1][0] < PATIENCE:
                found.append(timed(frame, name))
        seconds = [one[0] for one in found]
        last = len(seconds) - 1
        exponent = np.log(seconds[last] / seconds[1]) / np.log(TUPLES[last] / TUPLES[1])
        figures = "".join(f"{one:9.2f}" for one in seconds).ljust(9 * len(TUPLES))
        rows = timed(long, name)[0] / seconds[1]
        print(f"{name:26s}{figures}{exponent:10.1f}{found[1][1]:9.2f}{rows:25.1f}", flush=True)


if __name__ == "__main__":
    main()
