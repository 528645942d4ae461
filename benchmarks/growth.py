"""How the time of every registered method grows: the exponent of n, and for some methods those of columns and k.

    python benchmarks/growth.py [--methods mdav,hm | --missing] [--seconds 5] [--write] [--quick] [--json]

CPU seconds of the method alone, on one thread, after compiling, the least of a few runs; n doubles until a run takes
about the seconds asked for, or the method takes no more. The exponent is fitted to the upper half of the sizes that
take 20 ms and more. Numbers are 5 independent normal columns (1 where the method takes no more); methods that take
categories alone get 3 columns of 200 values under trees, few frequent and many rare. With --write the exponents go
into the file that `shoal methods` reads; --missing measures the methods that it lacks.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from measuring.datasets import LEAVES, code_hierarchy, encode
from measuring.fit import exponent
from measuring.output import Output, parser

import shoal
from shoal.domain import Kind, Records, Scale
from shoal.errors.messages import pluralize
from shoal.microaggregation.registry import GROWTH_FILE, Growth, Method, measured_growth, run
from shoal.system.threads import use_threads

K, COLUMNS = 5, 5
FIRST, MOST = 250, 2_000_000
"""Records at the lower and the upper end of every ladder."""
CLEAR = 0.02
"""Seconds from which on a time is trusted."""
RUNS = 3
WORDS = 3
QUICK = ("auto", "hm", "mdav", "mondrian", "sa-mdav-plus")
"""Methods of a quick run."""
MORE = ("mdav", "mondrian", "tour-mhm", "dba-2", "k-means")
"""Methods that are also measured by columns and by k."""
WIDTHS, LEVELS, FIXED = (2, 4, 8, 16), (3, 6, 12, 24, 48), 20_000


def numbers(rows: int, columns: int) -> Records:
    values = np.random.default_rng(0).standard_normal((rows, columns))
    names = tuple(f"c{j}" for j in range(columns))
    return Records(names=names, values=values, scale=Scale.standardized(values), weights=np.ones(columns))


def categories(rows: int) -> Records:
    draw = np.random.default_rng(0)
    share = 1.0 / np.arange(1, LEAVES + 1)
    words = np.array([f"v{leaf:03}" for leaf in range(LEAVES)])
    frame = pl.DataFrame({f"c{j}": draw.choice(words, rows, p=share / share.sum()) for j in range(WORDS)})
    return encode(frame, frame.columns, dict.fromkeys(frame.columns, code_hierarchy()))


def maker(method: Method) -> tuple[str, Callable[[int], Records]]:
    """The kind of data that a method gets, and how so many records of it are made."""
    if Kind.NUMERIC not in method.kinds:
        return f"{pluralize(WORDS, 'column')} of categories", categories
    width = min(COLUMNS, method.max_columns or COLUMNS)
    return f"{pluralize(width, 'column')} of numbers", lambda rows: numbers(rows, width)


def spent(records: Records, method: str, k: int = K) -> float:
    """CPU seconds of a method: the least of two runs, as the first may compile, or of three where they are short."""
    found: list[float] = []
    while len(found) < 2 or (len(found) < RUNS and sum(found) < 1):
        fresh = replace(records)  # nothing that was computed before is known
        start = time.process_time()
        run(fresh, k=k, method=method)
        found.append(time.process_time() - start)
    return min(found)


def climb(method: Method, make: Callable[[int], Records], seconds: float) -> Iterator[tuple[int, float]]:
    """Sizes, each twice the one before, and the times that count."""
    most, rows, last, total = min(method.max_records or MOST, MOST), FIRST, 0.0, 0.0
    while rows <= most:
        before, last = last, spent(make(rows), method.name)
        total += last
        if last >= CLEAR:
            yield rows, last
        steeper = min(max(last / before, 1.0), 8.0) if before else 1.0
        if last * steeper > 1.5 * seconds or total > 8 * seconds:  # some take the same time for any number of records
            return
        rows = most if rows < most < 2 * rows and method.max_records else 2 * rows


def grown(method: Method, seconds: float) -> tuple[Growth, list[tuple[int, float]]] | None:
    data, make = maker(method)
    ladder = list(climb(method, make, seconds))
    if len(ladder) < 2:
        return None
    sizes, times = zip(*ladder, strict=True)
    found = Growth(round(exponent(sizes, times), 2), sizes[0], sizes[-1], float(f"{times[-1]:.2g}"), data)
    return found, ladder


def beside(method: str, rows: int) -> Iterator[tuple[str, Sequence[int], list[float]]]:
    """Times by columns and by k."""
    yield "columns", WIDTHS, [spent(numbers(rows, width), method) for width in WIDTHS]
    records = numbers(rows, COLUMNS)
    yield "k", LEVELS, [spent(records, method, k) for k in LEVELS]


def write(found: dict[str, Growth]) -> None:
    """The file of the package, with these in place of what it had of them; it keeps no method that is unknown."""
    measured_growth.cache_clear()  # another run may have written meanwhile
    kept = {**measured_growth(), **found}
    facts = {name: kept[name].to_dict() for name in sorted(kept) if name in shoal.methods()}
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(each)}" for name, each in facts.items())
    head = json.dumps({"k": K, "threads": 1, "time": "CPU seconds of the method alone, after compiling"})[1:-1]
    GROWTH_FILE.write_text(f'{{\n  {head},\n  "methods": {{\n{lines}\n  }}\n}}\n', encoding="utf-8")


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--methods", help="some of them, with commas between")
    asked.add_argument("--missing", action="store_true", help="those alone that are in the file of the package not yet")
    asked.add_argument("--seconds", type=float, default=5.0, help="about how long the longest run may take")
    asked.add_argument("--write", action="store_true", help="write the file of the package")
    given = asked.parse_args()
    output = Output(as_json=given.json)
    names = given.methods.split(",") if given.methods else list(QUICK if given.quick else shoal.methods())
    if given.missing:
        names = [name for name in names if name not in measured_growth()]
    found: dict[str, Growth] = {}
    output.note(f"{'method':26s}{'exponent':>9s}{'from n':>9s}{'to n':>11s}{'CPU s':>8s}  data")
    with use_threads(1):
        for name in names:
            made = grown(shoal.methods()[name], 0.2 if given.quick else given.seconds)
            if made is None:
                print(f"{name}: too few sizes within the time", file=sys.stderr)
                continue
            found[name], ladder = made
            one: dict[str, Any] = found[name].to_dict()
            line = f"{name:26s}{one['exponent']:9.2f}{one['from']:9,d}{one['to']:11,d}{one['seconds']:8.2f}"
            times = [[size, float(f"{each:.3g}")] for size, each in ladder]
            output.record({"method": name, "by": "records", **one, "ladder": times}, f"{line}  {one['data']}")
        for name in (name for name in MORE if name in names):
            rows = FIXED // 10 if given.quick else FIXED
            for what, sizes, times in beside(name, rows):
                slope = round(exponent(sizes, times), 2)
                ladder = [[size, float(f"{each:.3g}")] for size, each in zip(sizes, times, strict=True)]
                facts = {"method": name, "by": what, "records": rows, "exponent": slope, "ladder": ladder}
                shown = "  ".join(f"{size}: {each:.3f}" for size, each in ladder)
                output.record(facts, f"{name:26s}{slope:9.2f}  by {what}, n = {rows:,}: {shown}")
    if given.write:
        write(found)


if __name__ == "__main__":
    main()
