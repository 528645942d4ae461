"""Release the same table on Spark and on this machine alone, and look at time, memory and loss.

    python benchmarks/spark.py [local] [spark] [one-core] [growth] [auto] [--rows N] [--memory SIZE] [--folder DIR]
        [--quick] [--json]

* local, spark, one-core: N (10,000,000) persons of the made-up register, 8 quasi-identifiers of numbers, words and a
  date, mondrian, k = 10; by the local engine, by Spark on two cores (`local[2]`) and on one (`local[1]`).
* growth: Spark on two cores with a tenth and a third of the persons, and with all of them.
* auto: a tenth of the persons by `auto` with little effort, on both engines.

Both engines get the same ceiling, and so make the same pieces. `times_local` and the like are ratios to the local
engine in this run; `same` tells whether all cells and types of both releases are equal, in the same order.

Each release is made once, by the command line in a process of its own. Before the first of an engine it releases the
tenth unmeasured, so that kernels are compiled. Seconds are those until the command ends, the start of Java included;
CPU seconds are those of all processes. On one machine the driver of Spark and its executor share a process of Java;
`worker_mb` is the peak of the largest Python worker, `workers_mb` the most that all of them held at once, `all_mb` the
same of all processes; shared pages count for each. A quick run compiles nothing before, and leaves out `auto` unless it
is named, and the third. Needs Linux.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from large import IDENTIFIERS, QUASI_IDENTIFIERS, write_register
from measuring.output import Output, parser
from measuring.processes import COMMAND, JAVA, WORKERS, ProcessUsage, run_measured

MONDRIAN = ("--method", "mondrian")
AUTO = ("--method", "auto", "--effort", "fast")
LOCAL = "local"
MASTERS = {LOCAL: None, "spark": "local[2]", "one-core": "local[1]"}
"""On what each engine works: that of Shoal itself has no master."""
CASES = (*MASTERS, "growth", "auto")
HEAD = (
    f"{'case':10s}{'engine':>10s}{'rows':>12s}{'s':>9s}{'CPU s':>9s}{'driver':>8s}{'Java':>7s}{'worker':>8s}"
    f"{'workers':>9s}{'all MB':>8s}{'pieces':>8s}{'smallest':>9s}{'loss %':>9s}{'x local':>9s}  same"
)


class Bench:
    """Releases of tables of several sizes, each made once."""

    def __init__(self, folder: Path, *, rows: int, memory: str, warm: bool) -> None:
        self.folder, self.rows, self.memory, self.warm = folder, rows, memory, warm
        self._made: dict[tuple[str, int, Sequence[str]], dict[str, Any]] = {}
        self._warm: set[tuple[bool, Sequence[str]]] = set()

    def facts(self, engine: str, rows: int, method: Sequence[str] = MONDRIAN) -> dict[str, Any]:
        """What a release took and what it is."""
        asked = (engine, rows, method)
        if asked not in self._made:
            kind = (engine == LOCAL, method)
            if self.warm and kind not in self._warm:
                self._released(engine, self.rows // 10, method)
                self._warm.add(kind)
            self._made[asked] = self._figures(engine, rows, self._released(engine, rows, method), method)
        return self._made[asked]

    def compared(self, case: str, engine: str, rows: int, method: Sequence[str] = MONDRIAN) -> dict[str, Any]:
        """The same, with the ratios to the local engine where that made its release before."""
        found, other = self.facts(engine, rows, method), self._made.get((LOCAL, rows, method))
        ratios: dict[str, Any] = dict.fromkeys(("times_local", "cpu_times_local", "loss_over_local", "same"))
        if other is not None and engine != LOCAL:
            ratios = {
                "times_local": round(found["seconds"] / other["seconds"], 2),
                "cpu_times_local": round(found["cpu_seconds"] / other["cpu_seconds"], 2),
                "loss_over_local": found["mixed_loss"] / other["mixed_loss"],
                "same": same(self._target(LOCAL, rows, method), self._target(engine, rows, method)),
            }
        return {"case": case, **found, **ratios}

    def _target(self, engine: str, rows: int, method: Sequence[str]) -> Path:
        return self.folder / f"{engine}-{method[1]}-{rows}{'.parquet' if engine == LOCAL else ''}"

    def _released(self, engine: str, rows: int, method: Sequence[str]) -> ProcessUsage:
        source, master = write_register(self.folder, rows, "parquet"), MASTERS[engine]
        asked = ["-k", "10", "-q", QUASI_IDENTIFIERS, "--identifiers", IDENTIFIERS, *method, "--memory", self.memory]
        where = ["--engine", "local"] if master is None else ["--engine", "spark", "--master", master]
        target = str(self._target(engine, rows, method))
        shoal = [sys.executable, "-m", "shoal", "anonymize", str(source)]
        found = run_measured([*shoal, *asked, *where, "-o", target, "--json", "--force", "--quiet"])
        if found.status:
            raise SystemExit(f"{found.errors}shoal ended with {found.status}")
        return found

    def _figures(self, engine: str, rows: int, took: ProcessUsage, method: Sequence[str]) -> dict[str, Any]:
        facts, target = json.loads(took.output), self._target(engine, rows, method)
        files = [target] if target.is_file() else [*target.glob("*.parquet")]
        pieces = re.search(r"in ([\d,]+) piece", facts["account"][0])
        proof = facts["verification"]
        return {
            "engine": MASTERS[engine] or "no Spark",
            "method": method[1],
            "rows": rows,
            "ceiling": self.memory,
            "seconds": round(took.seconds, 1),
            "cpu_seconds": round(took.cpu_seconds, 1),
            "java_cpu_seconds": _rounded(took.cpu.get(JAVA)),
            "workers_cpu_seconds": _rounded(took.cpu.get(WORKERS)),
            "driver_mb": _mb(took.peak_bytes[COMMAND]),
            "java_mb": _mb(took.peak_bytes.get(JAVA)),
            "worker_mb": _mb(took.peak_bytes.get(WORKERS)),
            "workers_mb": _mb(took.total_bytes.get(WORKERS)),
            "all_mb": _mb(took.all_bytes),
            "output_mb": _mb(sum(file.stat().st_size for file in files)),
            "files": len(files),
            "pieces": int(pieces[1].replace(",", "")) if pieces else None,
            "classes": proof["classes"],
            "min_class": proof["min_class"],
            "verified": proof["ok"],
            "mixed_loss": facts["evaluation"]["loss"]["mixed_loss"],
        }


def _mb(size: int | None) -> int | None:
    return None if size is None else round(size / 1e6)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def same(whole: Path, folder: Path) -> bool:
    """Whether a file and a folder of files hold the same table; they are read a file of the folder at a time."""
    import polars as pl

    table, start = pl.scan_parquet(whole), 0
    for path in sorted(folder.glob("*.parquet")):
        part = pl.read_parquet(path)
        beside = table.slice(start, part.height).collect()
        if part.schema != beside.schema or not part.equals(beside):
            return False
        start += part.height
    return start == table.select(pl.len()).collect().item()


def shown(facts: dict[str, Any]) -> str:
    """The figures as a line for people."""
    names = ("driver_mb", "java_mb", "worker_mb", "workers_mb", "all_mb")
    widths = (8, 7, 8, 9, 8)
    memory = "".join(
        f"{'-' if facts[name] is None else facts[name]:>{width}}" for name, width in zip(names, widths, strict=True)
    )
    ratio = "-" if facts["times_local"] is None else f"{facts['times_local']:.2f}"
    told = {None: "-", True: "yes", False: "NO"}[facts["same"]]
    broken = "" if facts["verified"] else "  NOT VERIFIED"
    return (
        f"{facts['case']:10s}{facts['engine']:>10s}{facts['rows']:>12,}{facts['seconds']:>9.1f}"
        f"{facts['cpu_seconds']:>9.1f}{memory}{facts['pieces']:>8}{facts['min_class']:>9}"
        f"{facts['mixed_loss']:>9.4f}{ratio:>9s}  {told}{broken}"
    )


def growth(bench: Bench, output: Output) -> None:
    """How many times the persons take how many times the seconds, from the smallest table on."""
    sizes = [bench.rows // 10, *([bench.rows // 3] if bench.warm else []), bench.rows]
    first = bench.facts("spark", sizes[0])
    for rows in sizes:
        facts = bench.facts("spark", rows)
        times = rows / first["rows"]
        more = {
            name: facts[name] / first[name] for name in ("seconds", "cpu_seconds", "driver_mb", "java_mb", "worker_mb")
        }
        kept = ("engine", "method", "rows", "seconds", "cpu_seconds", "driver_mb", "java_mb", "worker_mb", "pieces")
        told = {
            "case": "growth",
            **{name: facts[name] for name in kept},
            "times_rows": round(times, 3),
            **{f"times_{name}": round(ratio, 3) for name, ratio in more.items()},
            "seconds_over_rows": round(more["seconds"] / times, 3),
            "cpu_seconds_over_rows": round(more["cpu_seconds"] / times, 3),
        }
        output.record(
            told,
            f"growth: {rows:,} rows, x {times:.2f}: {facts['seconds']:.1f} s, x {more['seconds']:.2f}"
            f" ({told['seconds_over_rows']:.2f} of linear); {facts['cpu_seconds']:.1f} CPU s, x"
            f" {more['cpu_seconds']:.2f} ({told['cpu_seconds_over_rows']:.2f}); memory of the driver x"
            f" {more['driver_mb']:.2f}, of Java x {more['java_mb']:.2f}, of a worker x {more['worker_mb']:.2f}",
        )


def asked() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("cases", nargs="*", metavar="case", help=", ".join(CASES))
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--memory", default="2GB", help="the ceiling that both engines get")
    arguments.add_argument("--folder", type=Path, help="where tables and releases stay; else they are removed")
    given = arguments.parse_args()
    if unknown := [case for case in given.cases if case not in CASES]:
        arguments.error(f"no such case: {', '.join(unknown)}")
    given.cases = given.cases or [case for case in CASES if case != "auto" or not given.quick]
    if given.quick:
        given.rows = 20_000
    return given


def main() -> None:
    given = asked()
    output = Output(as_json=given.json)
    folder = given.folder or Path(tempfile.mkdtemp(prefix="shoal-benchmark-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, rows=given.rows, memory=given.memory, warm=not given.quick)
        output.note(HEAD)
        for case in (case for case in CASES if case in given.cases):
            if case == "growth":
                growth(bench, output)
                continue
            engines = (LOCAL, "spark") if case == "auto" else (case,)
            rows, method = (given.rows // 10, AUTO) if case == "auto" else (given.rows, MONDRIAN)
            for engine in engines:
                facts = bench.compared(case, engine, rows, method)
                output.record(facts, shown(facts))
    finally:
        if given.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
