"""Where the time of a whole release goes, from file to verified file: `hm` on one column, n = 10⁶ and below."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

import shoal
from shoal import tables


def timed(label: str, work) -> object:
    start = time.perf_counter()
    result = work()
    print(f"  {label:34s} {time.perf_counter() - start:7.2f} s")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    values = np.random.default_rng(0).normal(size=rows)
    shoal.partition(values[:100], k=5, method="hm")  # compiled before the clock starts
    print(f"hm on {rows:,} values, k = 5")
    timed("sort and shortest path", lambda: shoal.partition(values, k=5, method="hm"))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        print(f"the register of {rows:,} persons, csv to verified csv, k = 5, hm on income")
        timed("make it up and write it", lambda: tables.write(tables.read(tables.example_register(rows)), source))
        table = timed("read", lambda: shoal.read(source))
        roles = {"quasi_identifiers": ["income"], "identifiers": ["person_id", "name"]}
        release = timed("anonymize", lambda: shoal.anonymize(table, k=5, method="hm", **roles))
        timed("save: write, read back, verify", lambda: release.save(target))
        print(f"  file {source.stat().st_size / 1e6:.0f} MB, peak memory", end=" ")
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
