"""Methods on categories: seconds and loss, growth with different combinations, and that rows alone cost nothing.

The records are made up: two columns under trees of two hundred leaves, few values frequent and many rare. Compare
ratios inside one run; the machine decides the seconds. One process, one run.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl
from measuring.datasets import LEAVES, code_hierarchy, encode
from measuring.output import Output, parser

import shoal
from shoal.domain import Kind
from shoal.microaggregation import registry

K = 5
TUPLES = (500, 1000, 2000, 4000, 8000)
QUICK = ("mosaicrown", "sa-mdav-plus")
"""Methods of a quick run."""
MAX_SECONDS = 20
"""Seconds after which a method is not run on more combinations."""


def table(tuples: int, rows: int, seed: int = 0) -> pl.DataFrame:
    """Distinct combinations of categories, some of them with most of the rows."""
    draw = np.random.default_rng(seed)
    cells = draw.choice(LEAVES * LEAVES, tuples, replace=False)
    share = 1.0 / np.arange(1, tuples + 1)
    more = draw.choice(cells, rows - tuples, p=share / share.sum())
    chosen = np.concatenate([cells, more])
    return pl.DataFrame({"a": [f"v{c // LEAVES:03}" for c in chosen], "b": [f"v{c % LEAVES:03}" for c in chosen]})


def timed(frame: pl.DataFrame, method: str) -> tuple[float, float]:
    """Seconds of the method alone, without reading and measuring, and the loss."""
    kinds = shoal.methods()[method].kinds
    hierarchies = {"a": HIERARCHY, "b": HIERARCHY} if Kind.HIERARCHICAL in kinds else {}
    records = encode(frame, frame.columns, hierarchies)
    start = time.perf_counter()
    registry.run(records, k=K, method=method)
    seconds = time.perf_counter() - start
    groups = shoal.partition(frame, k=K, method=method, refine=False, hierarchies=hierarchies)
    return seconds, groups.semantic_loss or 0.0


HIERARCHY = code_hierarchy()


def main() -> None:
    given = parser(__doc__).parse_args()
    output, rows = Output(as_json=given.json), 5_000 if given.quick else 50_000
    sizes = TUPLES[:3] if given.quick else TUPLES
    methods = [name for name, method in shoal.methods().items() if Kind.NOMINAL in method.kinds]
    frames = [table(tuples, rows) for tuples in sizes]
    long = table(sizes[1], 20 * rows)
    output.note(f"Seconds by different combinations in {rows:,} rows, k = {K}; loss at {sizes[1]:,}")
    head = "".join(f"{tuples:>9,d}" for tuples in sizes)
    output.note(f"{'method':26s}{head}{'exponent':>10s}{'loss, %':>9s}{'20 times the rows':>19s}")
    for name in (name for name in methods if name in QUICK or not given.quick):
        timed(frames[0][:2000], name)  # compile
        found: list[tuple[float, float]] = []
        for frame in frames:
            if not found or found[-1][0] < MAX_SECONDS:
                found.append(timed(frame, name))
        seconds = [one[0] for one in found]
        last = len(seconds) - 1
        exponent = np.log(seconds[last] / seconds[1]) / np.log(sizes[last] / sizes[1])
        figures = "".join(f"{one:9.2f}" for one in seconds).ljust(9 * len(sizes))
        longer = timed(long, name)[0] / seconds[1]
        facts = {"method": name, "rows": rows, "k": K}
        facts |= {f"seconds_{tuples}": round(one, 3) for tuples, one in zip(sizes, seconds, strict=False)}
        facts |= {
            "exponent": round(float(exponent), 1),
            "loss": round(found[1][1], 2),
            "for_20_times_the_rows": round(longer, 1),
        }
        output.record(facts, f"{name:26s}{figures}{exponent:10.1f}{found[1][1]:9.2f}{longer:19.1f}")


if __name__ == "__main__":
    main()
