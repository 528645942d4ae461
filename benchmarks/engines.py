"""Time and peak memory of one release by each engine, beside those of another version of Shoal.

    python benchmarks/engines.py [--rows N] [--against PYTHON] [--engines memory,local,spark] [--quick] [--json]

Every release runs in a process of its own, after a small one that compiles the kernels. With the interpreter of another
environment, releases of both versions alternate, and the last figures are ratios of the best of each.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring.output import Output, parser

REPEATS = 3
RELEASE = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import shoal
engine, source, small, target = sys.argv[1:]
options = {"k": 10, "method": "mondrian", "drop_others": True, "identifiers": ["person_id", "name"],
    "quasi_identifiers": ["age", "sex", "region", "marital_status", "education", "occupation", "height_cm", "income"]}
def release(path, out):
    if engine == "memory":
        shoal.anonymize(path, **options).save(out)
    else:
        shoal.anonymize_file(path, out, engine=engine, memory="1GB", **options)
release(small, target + ".small.parquet")
wall, busy = time.perf_counter(), time.process_time()
release(source, target + ".parquet")
print(json.dumps({"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - busy,
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))
"""
FIGURES = ("seconds", "cpu_seconds", "peak_mb")


def measured(python: str, engine: str, source: Path, small: Path) -> dict[str, float]:
    """Time and memory of one release in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-c", RELEASE, engine, str(source), str(small), str(Path(folder) / "out")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rows", type=int, default=300_000)
    arguments.add_argument("--against", metavar="PYTHON", help="interpreter of an environment with another version")
    arguments.add_argument("--engines", default="memory,local,spark")
    given = arguments.parse_args()
    from shoal import data

    output, rows = Output(as_json=given.json), 3_000 if given.quick else given.rows
    pythons = {"this": sys.executable, **({"other": given.against} if given.against else {})}
    with tempfile.TemporaryDirectory() as folder:
        source, small = Path(folder) / "in.parquet", Path(folder) / "small.parquet"
        for path, records in ((source, rows), (small, 2_000)):
            data.write_table(data.read_table(data.example_register(records)), path)
        for engine in given.engines.split(","):
            runs: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
            for _ in range(1 if given.quick else REPEATS):
                for name, python in pythons.items():
                    runs[name].append(measured(python, engine, source, small))
            best = {name: {f: min(run[f] for run in each) for f in FIGURES} for name, each in runs.items()}
            for name, figures in best.items():
                rounded = {f: round(value, 2) for f, value in figures.items()}
                output.record({"engine": engine, "rows": rows, "version": name, **rounded})
            if given.against:
                ratios = {f: round(best["this"][f] / best["other"][f], 2) for f in FIGURES}
                output.record({"engine": engine, "rows": rows, "version": "ratio", **ratios})


if __name__ == "__main__":
    main()
