"""Large tables in blocks: time, memory and loss of `auto` beside exact MDAV, and what threads gain.

    python benchmarks/blocks.py [methods] [threads] [auto] [million] [--quick] [--json]

Figures are of one run; CPU seconds are those of all threads. The peak of memory is that of the process beyond what it
had after a small table of the same kind was partitioned, and the table itself is in it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
from local_search import mixture
from measuring.datasets import encode
from measuring.output import Output, parser
from measuring.usage import Usage, measured_usage, resident_mb

import shoal
from shoal import kernels
from shoal.microaggregation import blockwise
from shoal.system.threads import use_threads

K, COLUMNS = 5, 8
KINDS = ("clouds", "normal", "skewed")
BLOCKWISE = ("mdav", "ward-mhm", "hac-max")


def table(kind: str, records: int) -> pl.DataFrame:
    """30 normal clouds, independent normal columns, or correlated skewed ones."""
    noise = np.random.default_rng(0)
    if kind == "clouds":
        values = mixture(records, COLUMNS, 30, tail=False, seed=0)
    elif kind == "normal":
        values = noise.standard_normal((records, COLUMNS))
    else:
        common = noise.standard_normal((records, 2)) @ noise.standard_normal((2, COLUMNS))
        values = np.exp(0.7 * common + 0.4 * noise.standard_normal((records, COLUMNS)))
    return pl.DataFrame({f"c{j}": column.copy() for j, column in enumerate(values.T)})


def run(part: str, what: str, frame: pl.DataFrame, base_mb: float, output: Output, **options: Any) -> None:
    with measured_usage(interval=0.02) as usage:
        groups = shoal.partition(frame, k=K, **options)
    facts = {"part": part, "what": what, "records": len(frame), **options, "loss": groups.information_loss}
    shown = " ".join(f"{name} {value}" for name, value in options.items())
    line = f"{what:8s}{len(frame):10,d}  {shown:28s} loss {groups.information_loss:7.4f} %"
    record(facts, line, usage, base_mb, output)


def record(facts: dict[str, Any], line: str, usage: Usage, base_mb: float, output: Output) -> None:
    peak = usage.peak_mb - base_mb
    line += f"  wall {usage.seconds:6.1f} s  cpu {usage.cpu_seconds:6.1f} s  peak {peak:6.0f} MB"
    output.record({**facts, "wall": usage.seconds, "cpu": usage.cpu_seconds, "peak": peak}, line)


def methods(output: Output, smaller: int) -> None:
    """Methods that could not take the table at once, in blocks, with and without search across blocks."""
    frame, base = table("clouds", 50_000 // smaller), resident_mb()
    for options in ({"method": "mdav"}, *({"method": name, "blocks": 1_000} for name in BLOCKWISE)):
        for more in ({}, {"effort": "fast"}):
            run("methods", "clouds", frame, base, output, **options, **more)


def threads(output: Output, smaller: int) -> None:
    """The same work on one thread and on two: the same labels."""
    frame, base = table("clouds", 100_000 // smaller), resident_mb()
    for count in (1, 2):
        run("threads", "clouds", frame, base, output, effort="fast", threads=count)


def auto(output: Output, smaller: int) -> None:
    """100,000 records of each kind."""
    for kind in KINDS:
        frame, base = table(kind, 100_000 // smaller), resident_mb()
        for options in ({"method": "mdav"}, {"effort": "fast"}, {"effort": "balanced"}):
            run("auto", kind, frame, base, output, **options)


def million(output: Output, smaller: int) -> None:
    """A million records; and on a compact tenth of them the squared error per record, beside that of exact MDAV."""
    for kind in KINDS[:2]:
        base = resident_mb()
        frame = table(kind, 1_000_000 // smaller)
        for effort in ("fast", "balanced"):
            with measured_usage(interval=0.02) as usage:
                groups = shoal.partition(frame, k=K, effort=effort)
            records = encode(frame, frame.columns, {})
            cell = kernels.graphs.neighbor_lists.median_cells(records.space, records.count // 10)[5]
            errors = kernels.centroids.squared_errors(records.space, groups.labels, groups.count)[cell]
            exact = blockwise.run(records.take(cell), k=K, method="mdav", max_records=len(cell))
            beside = kernels.centroids.squared_errors(records.space.take(cell), exact.labels, exact.count)
            ratio = float(errors.mean() / beside.mean())
            facts = {"part": "million", "what": kind, "effort": effort, "loss": groups.information_loss, "ratio": ratio}
            line = f"{kind} {effort}: loss {groups.information_loss:.4f} %, error / mdav on a tenth {ratio:.3f}"
            record(facts, line, usage, base, output)


def main() -> None:
    parts = {"methods": methods, "threads": threads, "auto": auto, "million": million}
    arguments = parser(__doc__)
    arguments.add_argument("parts", nargs="*", choices=[*parts, []], help="some of them")
    given = arguments.parse_args()
    warnings.simplefilter("ignore", shoal.ShoalWarning)
    output = Output(as_json=given.json)
    for method in BLOCKWISE:  # compile
        with use_threads(1):
            shoal.partition(table("clouds", 300), k=K, method=method, effort="fast")
    for name in given.parts or parts:
        output.note(f"{name}:")
        parts[name](output, 20 if given.quick else 1)


if __name__ == "__main__":
    main()
