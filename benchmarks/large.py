"""Files larger than the memory limit: time, memory and bytes of their releases.

    python benchmarks/large.py [parquet] [csv] [killed] [threads] [--rows N] [--folder DIR] [--quick] [--json]

* parquet: N (10,000,000) persons of the made-up register, 8 quasi-identifiers of numbers, words and a date, mondrian,
  k = 10, a ceiling of 4 GB.
* csv: as many persons as make a csv of 5 GB, with a ceiling of 1 GB.
* killed: the same at a tenth of the size, killed by SIGKILL half way and started again, against a run in one go.
* threads: a tenth of the Parquet file with one thread and with two; the bytes must be the same.

Each release is made by the command line in a process of its own, whose peak of memory the system tells. The files are
made in a folder, and stay there if it is named.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring.output import Output, parser

QUASI_IDENTIFIERS = "age,sex,birth_date,region,education,occupation,height_cm,weight_kg"
IDENTIFIERS = "person_id,name"
CASES = ("parquet", "csv", "killed", "threads")


def write_register(folder: Path, rows: int, ending: str) -> Path:
    """The register of so many persons as a file, made in parts of a million."""
    import polars as pl

    import shoal

    path = folder / f"register-{rows}.{ending}"
    if path.exists():
        return path
    parts = []
    for seed, start in enumerate(range(0, rows, 1_000_000)):
        part = folder / f"part-{seed}.parquet"
        shoal.example_register(min(1_000_000, rows - start), seed=seed).write_parquet(part)
        parts.append(part)
    frame = pl.scan_parquet(parts)
    if ending == "csv":
        frame.sink_csv(path)
    else:
        frame.sink_parquet(path)
    for part in parts:
        part.unlink()
    return path


def command(source: Path, target: Path, memory: str, *more: str) -> list[str]:
    roles = ["-k", "10", "-q", QUASI_IDENTIFIERS, "--identifiers", IDENTIFIERS, "--method", "mondrian"]
    return [
        *(sys.executable, "-m", "shoal", "anonymize", str(source), *roles, "--memory", memory, "-o", str(target)),
        *("--force", "--json", *more),
    ]


def run(source: Path, target: Path, memory: str, *more: str, threads: int | None = None) -> dict[str, Any]:
    """Seconds, peak of memory and figures of one release."""
    environment = {**os.environ, **({} if threads is None else {"SHOAL_THREADS": str(threads)})}
    start = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command(source, target, memory, *more), stdout=out, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        out.seek(0)
        facts = json.loads(out.read() or b"{}")
    assert status == 0, f"shoal ended with {status}"
    figures, proof = facts["evaluation"], facts["verification"]
    return {
        "records": proof["records"],
        "input_mb": round(source.stat().st_size / 1e6),
        "output_mb": round(target.stat().st_size / 1e6),
        "ceiling": memory,
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": round(usage.ru_maxrss * 1024 / 1e6),
        "verified": proof["ok"],
        "classes": proof["classes"],
        "smallest": proof["min_class"],
        "mixed_loss": figures["loss"].get("mixed_loss"),
        "account": facts["account"],
        "scratch_left": [path.name for path in target.parent.glob(".shoal*")],
        "sha256": sha256(target),
    }


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def killed(source: Path, folder: Path, memory: str) -> dict[str, Any]:
    """A run in one go; one that is killed at several moments and started again each time."""
    whole = run(source, folder / "whole.csv", memory)
    target, seen = folder / "again.csv", []
    target.unlink(missing_ok=True)
    for share in (0.35, 0.6, 0.85):
        process = subprocess.Popen(
            command(source, target, memory), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(share * whole["seconds"])
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.append({"after": share, "visible": target.exists(), "scratch": any(folder.glob(".shoal-scratch*"))})
    last = run(source, target, memory)
    return {
        "whole": whole,
        "killed": seen,
        "last": last,
        "same_bytes": whole["sha256"] == last["sha256"],
        "scratch_left": [path.name for path in folder.glob(".shoal-scratch*")],
    }


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("cases", nargs="*", default=CASES)
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--csv-rows", type=int, default=36_500_000, help="persons in the csv: 5 GB by default")
    arguments.add_argument("--folder", type=Path)
    given = arguments.parse_args()
    output = Output(as_json=given.json)
    if given.quick:
        given.rows, given.csv_rows = 200_000, 300_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        for case in given.cases:
            if case == "parquet":
                facts = run(write_register(folder, given.rows, "parquet"), folder / "released.parquet", "4GB")
            elif case == "csv":
                facts = run(write_register(folder, given.csv_rows, "csv"), folder / "released.csv", "1GB")
            elif case == "killed":
                facts = killed(write_register(folder, given.csv_rows // 10, "csv"), folder, "1GB")
            else:
                source = write_register(folder, given.rows // 10, "parquet")
                one, two = (run(source, folder / f"threads-{n}.parquet", "4GB", threads=n) for n in (1, 2))
                same = one["sha256"] == two["sha256"]
                facts = {"one": one, "two": two, "ratio": one["seconds"] / two["seconds"], "same_bytes": same}
            facts = {"case": case, **facts}
            output.record(facts, json.dumps(facts, indent=2))


if __name__ == "__main__":
    main()
