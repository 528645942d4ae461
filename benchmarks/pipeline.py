"""Where the time of a whole release goes, from file to verified file, beside what polars takes to read and write.

Every walk runs in a process of its own, since the peak of memory is that of a process. The first walk is small and is
not shown: it compiles the kernels.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

MIXED = ["age", "sex", "region", "marital_status", "education", "occupation", "household_size", "income"]
CASES = {"hm": ["income"], "mondrian": MIXED}
ENDINGS = (".csv", ".parquet")


def timed(label: str, work) -> object:
    """Do it and tell what it took: as a line of a table, or as JSON where the environment asks for that."""
    start, busy = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    if about := os.environ.get("SHOAL_WALK"):
        facts = {**json.loads(about), "stage": label, "seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2)}
        print(json.dumps({**facts, "peak_mb": round(peak)}), flush=True)
    else:
        print(f"  {label:32s} {seconds:7.2f} s {cpu:8.2f} s of a core {peak:7.0f} MB at most", flush=True)
    return result


def plain(source: Path, target: Path) -> None:
    """The floor: read a file and write it again."""
    import polars as pl

    if source.suffix == ".csv":
        frame = timed("polars reads", lambda: pl.read_csv(source, infer_schema=False))
        timed("polars writes", lambda: frame.write_csv(target))
    else:
        frame = timed("polars reads", lambda: pl.read_parquet(source))
        timed("polars writes", lambda: frame.write_parquet(target))


def walk(source: Path, target: Path, method: str) -> None:
    import shoal

    warnings.simplefilter("ignore", shoal.errors.ShoalWarning)
    asked = {"k": 5, "method": method, "quasi_identifiers": CASES[method], "identifiers": ["person_id", "name"]}
    shoal.anonymize(shoal.example_register(200), **asked)  # compiled before the clock starts
    table = timed("read", lambda: shoal.read(source))
    release = timed("anonymize", lambda: shoal.anonymize(table, **asked))
    timed("save: write, read back, verify", lambda: release.save(target, force=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        source, target, what = options.one
        if what == "polars":
            plain(Path(source), Path(target))
        else:
            walk(Path(source), Path(target), what)
        return
    from shoal import data

    with tempfile.TemporaryDirectory() as folder:
        for ending in ENDINGS:
            source, target = Path(folder) / f"in{ending}", Path(folder) / f"out{ending}"
            data.write_table(data.read_table(data.example_register(options.rows)), source)
            size = round(source.stat().st_size / 1e6)
            if not options.json:
                print(f"the register of {options.rows:,} persons as {ending}, {size} MB")
            for what in ("polars", *CASES):
                about = {"rows": options.rows, "file": ending, "mb": size, "what": what}
                if not options.json:
                    print(f" {what}: {len(CASES[what])} quasi-identifiers" if what in CASES else f" {what}", flush=True)
                env = {**os.environ, **({"SHOAL_WALK": json.dumps(about)} if options.json else {})}
                one = [sys.executable, __file__, "--one", str(source), str(target), what]
                subprocess.run(one, check=True, env=env)


if __name__ == "__main__":
    main()
