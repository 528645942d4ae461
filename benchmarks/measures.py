"""All default measures on large tables: CPU seconds, and memory beyond both tables as a multiple of one of them.

Each case runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import polars as pl
from measuring.output import Output, parser
from measuring.usage import measured_usage, resident_mb

KINDS = ("numbers", "mixed")
ROWS = (100_000, 1_000_000)
COLUMNS = 8


def table(kind: str, rows: int) -> pl.DataFrame:
    """Numbers of few and many different values; half of the columns words where it is mixed."""
    draw = np.random.default_rng(0)
    columns: dict[str, object] = {}
    for j in range(COLUMNS):
        if kind == "mixed" and j % 2:
            columns[f"c{j}"] = pl.Series(draw.integers(0, 5 + 5 * j, rows)).cast(pl.String)
        else:
            columns[f"c{j}"] = np.round(draw.normal(50, 12, rows), j % 3)
    return pl.DataFrame(columns)


def release(frame: pl.DataFrame, k: int) -> pl.DataFrame:
    """Groups of k neighbors in the order of all columns, coarsely; means, and the first word of each."""
    coarse = [np.round(frame[name].cast(pl.Float64).to_numpy() / 20) for name in frame.columns]
    group = np.empty(frame.height, dtype=np.int64)
    group[np.lexsort(coarse)] = np.minimum(np.arange(frame.height) // k, frame.height // k - 1)
    one = [pl.col(c).mean() if t.is_numeric() else pl.col(c).first() for c, t in frame.schema.items()]
    return frame.with_columns(group=group).select(each.over("group") for each in one)


def one(kind: str, rows: int, which: str, output: Output) -> None:
    import shoal

    warnings.simplefilter("ignore")
    small = table(kind, 1_000)
    shoal.evaluate(small, release(small, 5), quasi_identifiers=small.columns, k=5, measures=which)
    before = table(kind, rows)
    after = release(before, 5)
    start = resident_mb()
    with measured_usage(interval=0.002) as usage:
        found = shoal.evaluate(before, after, quasi_identifiers=before.columns, k=5, measures=which)
    size = before.to_arrow().nbytes / 1e6
    memory = (usage.peak_mb - start) / size
    figures = len([*found.loss, *found.before, *found.attacks]) + sum(map(len, found.changes.values()))
    facts = {"data": kind, "rows": rows, "columns": COLUMNS, "measures": which, "figures": figures}
    facts |= {"seconds": round(usage.seconds, 2), "cpu_seconds": round(usage.cpu_seconds, 2)}
    facts |= {"memory_in_tables": round(memory, 2), "table_mb": round(size, 1)}
    output.record(
        facts,
        f"  {kind:8} {rows:>9,} x {COLUMNS}  {which:8} {figures:>4} figures  {usage.seconds:6.2f} s"
        f" ({usage.cpu_seconds:6.2f} CPU)  {memory:5.2f} times the table ({size:,.0f} MB)",
    )


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("case", nargs="*", help="numbers or mixed, rows, default or all; every case by default")
    given = arguments.parse_args()
    output = Output(as_json=given.json)
    if given.case:
        kind, rows, which = given.case
        one(kind, int(rows), which, output)
        return
    output.note("measures of a release (k = 5)")
    for kind in KINDS:
        for rows in (10_000,) if given.quick else ROWS:
            for which in ("default", "all"):
                case = [kind, str(rows), which, *(["--json"] if given.json else [])]
                subprocess.run([sys.executable, __file__, *case], check=True)


if __name__ == "__main__":
    main()
