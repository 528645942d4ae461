"""The Mondrian family on mixed columns: CPU seconds, classes and mean extent on Adult, and on ten times its rows.

    SHOAL_DATA=folder [SHOAL_PEERS=python] python benchmarks/mondrian.py

The folder holds adult.csv (docs/data.md says where it is published). If SHOAL_PEERS is a Python that has the package
``anonypy``, its Mondrian runs on Adult too, and its time is divided by ours. Only the partition is timed, after
compiling, the best of three runs; of the peer one run. Ten times the rows are every row ten times, either as it is or
with ages that are all different, so that no two rows are equal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np
import polars as pl
from measuring.datasets import ADULT, encode, missing
from measuring.datasets import ADULT_COLUMNS as COLUMNS
from measuring.output import Output, parser

from shoal.domain import Records
from shoal.metrics.extent import extent
from shoal.microaggregation.registry import run

K = 5
METHODS = ["mondrian", "mondrian-relaxed", "mondrian-encoded", "xmondrian", "mondrian-extent"]
PEER = """
import json, sys, time
import pandas as pd
from anonypy.mondrian import Mondrian
path, k, *columns = sys.argv[1:]
frame = pd.read_csv(path)[columns]
for column in columns:
    if column != "age":
        frame[column] = frame[column].astype("category")
start = time.process_time()
classes = Mondrian(frame, columns).partition(k=int(k))
print(json.dumps({"seconds": time.process_time() - start, "classes": len(classes)}))
"""


def ours(records: Records, method: str) -> tuple[float, int, float]:
    """Seconds, classes and extent; the first run compiles."""
    seconds = []
    for _ in range(4):
        start = time.process_time()
        made = run(records, k=K, method=method)
        seconds.append(time.process_time() - start)
    covered = extent(records.values.T, records.codes.T, [False] * len(records.categories), made.labels)
    return min(seconds[1:]), made.count, covered


def theirs() -> dict[str, Any] | None:
    """Seconds and classes of the peer, if there is one."""
    python = os.environ.get("SHOAL_PEERS")
    if not python:
        return None
    command = [python, "-c", PEER, str(ADULT), str(K), *COLUMNS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"the peer did not run: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    given = parser(__doc__).parse_args()
    output = Output(as_json=given.json)
    if not ADULT.exists():
        sys.exit(missing(ADULT))
    frame = pl.read_csv(ADULT, n_rows=3_000 if given.quick else None).select(COLUMNS)
    tenfold = pl.concat([frame] * 10)
    years = pl.col("age") + np.random.default_rng(0).permutation(tenfold.height) / tenfold.height
    peer = None if given.quick else theirs()
    if peer:
        facts = {"data": "Adult", "method": "anonypy", "cpu_seconds": round(peer["seconds"], 3)}
        line = f"{'anonypy':20s}{peer['seconds']:8.3f}{peer['classes']:9,d}"
        output.record({**facts, "classes": peer["classes"], "extent": None}, line)
    for name, table in {"Adult": frame, "ten times": tenfold, "all different": tenfold.with_columns(years)}.items():
        records = encode(table, COLUMNS, {})
        output.note(f"{name}: {records.count:,} records, {len(COLUMNS)} columns, k = {K}")
        output.note(f"{'method':20s}{'CPU s':>8s}{'classes':>9s}{'extent':>9s}{'peer / ours' if peer else '':>13s}")
        for method in METHODS:
            seconds, classes, covered = ours(records, method)
            ratio = f"{peer['seconds'] / seconds:13.0f}" if peer and name == "Adult" else ""
            facts = {"data": name, "method": method, "cpu_seconds": round(seconds, 3)}
            line = f"{method:20s}{seconds:8.3f}{classes:9,d}{covered:9.4f}{ratio}"
            output.record({**facts, "classes": classes, "extent": round(covered, 4)}, line)


if __name__ == "__main__":
    main()
