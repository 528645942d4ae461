"""Large tables in blocks: time, memory and loss of `auto` beside exact MDAV, and what threads gain.

    python benchmarks/blocks.py [methods] [threads] [auto] [million] [--quick] [--json]

Figures are of one run; CPU seconds are those of all threads. The peak of memory is that of the process beyond what it
had after a small table of the same kind was partitioned, and the table itself is in it.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from refine import mixture

import shoal
from shoal import data, kernels
from shoal.microaggregation import blockwise
from shoal.release.partition import _encode
from shoal.system.threads import use_threads

K, COLUMNS = 5, 8
_asked: dict[str, Any] = {"smaller": 1, "json": False}
KINDS = ("clouds", "normal", "skewed")


def table(kind: str, records: int) -> pl.DataFrame:
    """30 normal clouds, independent normal columns, or correlated skewed ones."""
    records, noise = records // _asked["smaller"], np.random.default_rng(0)
    if kind == "clouds":
        values = mixture(records, COLUMNS, 30, tail=False, seed=0)
    elif kind == "normal":
        values = noise.standard_normal((records, COLUMNS))
    else:
        common = noise.standard_normal((records, 2)) @ noise.standard_normal((2, COLUMNS))
        values = np.exp(0.7 * common + 0.4 * noise.standard_normal((records, COLUMNS)))
    return pl.DataFrame({f"c{j}": column.copy() for j, column in enumerate(values.T)})


def resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Seconds of the clock and of all threads, and the peak of memory in MB."""
    found, over = {"peak": 0.0}, threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            found["peak"] = max(found["peak"], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    wall, cpu = time.perf_counter(), time.process_time()
    yield found
    found |= {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    over.set()
    watcher.join()


def say(line: str) -> None:
    """To those who read; programs get JSON."""
    if not _asked["json"]:
        print(line, flush=True)


def run(what: str, frame: pl.DataFrame, base: float, **asked: Any) -> dict[str, Any]:
    with watched() as found:
        made = shoal.partition(frame, k=K, **asked)
    facts = {"what": what, "records": len(frame), **asked, "loss": made.information_loss, **found}
    facts["peak"] -= base
    told = " ".join(f"{name} {value}" for name, value in asked.items())
    say(
        f"{what:8s}{len(frame):10,d}  {told:28s} loss {made.information_loss:7.4f} %"
        f"  wall {found['wall']:6.1f} s  cpu {found['cpu']:6.1f} s  peak {facts['peak']:6.0f} MB"
    )
    return facts


def methods() -> list[dict[str, Any]]:
    """Methods that could not take the table at once, in blocks, with and without repair."""
    frame, base = table("clouds", 50_000), resident()
    asked = [{"method": "mdav"}] + [{"method": name, "blocks": 1_000} for name in ("mdav", "ward-mhm", "hac-max")]
    return [run("clouds", frame, base, **one, **more) for one in asked for more in ({}, {"effort": "fast"})]


def threads() -> list[dict[str, Any]]:
    """The same work on one thread and on two: the same labels."""
    frame, base = table("clouds", 100_000), resident()
    return [run("clouds", frame, base, effort="fast", threads=count) for count in (1, 2)]


def auto() -> list[dict[str, Any]]:
    """100,000 records of each kind."""
    found = []
    for kind in KINDS:
        frame, base = table(kind, 100_000), resident()
        asked: tuple[dict[str, Any], ...] = ({"method": "mdav"}, {"effort": "fast"}, {"effort": "balanced"})
        found += [run(kind, frame, base, **one) for one in asked]
    return found


def million() -> list[dict[str, Any]]:
    """A million records; and on a compact tenth of them the squared error per record, beside that of exact MDAV."""
    found = []
    for kind in KINDS[:2]:
        base = resident()
        frame = table(kind, 1_000_000)
        for effort in ("fast", "balanced"):
            with watched() as spent:
                made = shoal.partition(frame, k=K, effort=effort)
            opened = data.read_table(frame)
            records, _ = _encode(opened, opened.names, K, None, None, None, True, "wu-palmer", None, "refuse")
            cell = kernels.graphs.neighbor_lists.median_cells(records.space, records.count // 10)[5]
            errors = kernels.centroids.squared_errors(records.space, made.labels, made.count)[cell]
            exact = blockwise.run(records.take(cell), k=K, method="mdav", max_records=len(cell))
            beside = kernels.centroids.squared_errors(records.space.take(cell), exact.labels, exact.count)
            facts = {"what": kind, "effort": effort, "loss": made.information_loss, **spent}
            facts |= {"peak": spent["peak"] - base, "ratio": float(errors.mean() / beside.mean())}
            say(
                f"{kind} {effort}: loss {made.information_loss:.4f} %, wall {spent['wall']:.0f} s, cpu"
                f" {spent['cpu']:.0f} s, peak {facts['peak']:.0f} MB; error / mdav on a tenth {facts['ratio']:.3f}"
            )
            found.append(facts)
    return found


def main() -> None:
    parts: dict[str, Callable[[], list[dict[str, Any]]]]
    parts = {"methods": methods, "threads": threads, "auto": auto, "million": million}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="some of them")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    given = parser.parse_args()
    warnings.simplefilter("ignore", shoal.ShoalWarning)
    _asked.update(smaller=20 if given.quick else 1, json=given.json)
    for method in ("mdav", "ward-mhm", "hac-max"):  # compile
        with use_threads(1):
            shoal.partition(table("clouds", 300 * _asked["smaller"]), k=K, method=method, effort="fast")
    for name in given.parts or parts:
        for facts in parts[name]():
            if given.json:
                print(json.dumps({"part": name, **facts}), flush=True)


if __name__ == "__main__":
    main()
