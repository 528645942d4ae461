"""All default measures on large tables: CPU seconds, and memory beyond both tables as a multiple of one of them.

Each case runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from measuring.answers import Answers, parser

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


def memory() -> int:
    """Bytes in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Peak(threading.Thread):
    """Looks at the memory every few milliseconds."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.on = 0, True

    def run(self) -> None:
        while self.on:
            self.most = max(self.most, memory())
            time.sleep(0.002)


def one(kind: str, rows: int, which: str, answers: Answers) -> None:
    import shoal

    warnings.simplefilter("ignore")
    small = table(kind, 1_000)
    shoal.evaluate(small, release(small, 5), quasi_identifiers=small.columns, k=5, measures=which)
    before = table(kind, rows)
    after = release(before, 5)
    start, peak = memory(), Peak()
    peak.start()
    clock, cpu = time.perf_counter(), time.process_time()
    found = shoal.evaluate(before, after, quasi_identifiers=before.columns, k=5, measures=which)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    peak.on = False
    size = before.to_arrow().nbytes
    figures = len([*found.loss, *found.before, *found.attacks]) + sum(map(len, found.changes.values()))
    facts = {"data": kind, "rows": rows, "columns": COLUMNS, "measures": which, "figures": figures}
    facts |= {"seconds": round(clock, 2), "cpu_seconds": round(cpu, 2)}
    facts |= {"memory_in_tables": round((peak.most - start) / size, 2), "table_mb": round(size / 1e6, 1)}
    answers.tell(
        facts,
        f"  {kind:8} {rows:>9,} x {COLUMNS}  {which:8} {figures:>4} figures  {clock:6.2f} s ({cpu:6.2f} CPU)"
        f"  {(peak.most - start) / size:5.2f} times the table ({size / 1e6:,.0f} MB)",
    )


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument(
        "case", nargs="*", help="numbers or mixed, how many rows, default or all; every case if not said"
    )
    given = asked.parse_args()
    answers = Answers(as_json=given.json)
    if given.case:
        kind, rows, which = given.case
        one(kind, int(rows), which, answers)
        return
    answers.say("measures of a release (k = 5)")
    for kind in KINDS:
        for rows in (10_000,) if given.quick else ROWS:
            for which in ("default", "all"):
                case = [kind, str(rows), which, *(["--json"] if given.json else [])]
                subprocess.run([sys.executable, __file__, *case], check=True)


if __name__ == "__main__":
    main()
