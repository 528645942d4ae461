"""Time MDAV against a plain compiled loop on the same data, in one run.

    python benchmarks/mdav.py [--rows N] [--columns P] [-k 3,10] [--large] [--growth] [--quick] [--json]

The plain loop looks at every record left, four times a pass. Both must give the same partition. The
ratio to sdcMicro is that to its time on another machine, 138 s for k = 3 and 40 s for k = 10. Two kinds of
data are made from a seed: independent normal columns, the hard case for a tree of boxes, and correlated skewed
columns of a few underlying causes, as registers have them. Machines differ and are shared: read the ratios.
"""

from __future__ import annotations

import tracemalloc
from time import perf_counter, process_time

import numba
import numpy as np
from measuring.output import Output, parser

from shoal.domain import Records, Scale
from shoal.microaggregation.registry import run

SDC_MICRO = {3: 138.0, 10: 40.0}
"""Seconds of sdcMicro's C++ for 100,000 records of 13 columns, by k, as recorded on another machine."""


@numba.njit(nogil=True, error_model="numpy")
def plain_loop(matrix, k, labels):
    """MDAV over compacted rows; leftovers keep the label -1."""
    n, p = matrix.shape
    table, rows, left, group, summed = matrix.copy(), np.arange(n), n, 0, 2 * n
    sums, point = np.zeros(p), np.empty(p)
    distance, near = np.empty(k), np.empty(k, dtype=np.int64)
    while left >= 2 * k:
        if 2 * left <= summed:
            summed = left
            sums[:] = 0.0
            for row in range(n):
                if labels[row] < 0:
                    sums += matrix[row]
        for j in range(p):
            point[j] = sums[j] / left
        seed = farthest_row(table, rows, left, point)
        for turn in range(2):
            point[:] = matrix[seed]
            nearest_places(table, rows, left, seed, distance, near)
            for place in near:
                labels[rows[place]] = group
                sums -= table[place]
            left = drop(table, rows, left, near)
            group += 1
            if turn == 0:
                seed = farthest_row(table, rows, left, point)
    return group


@numba.njit(nogil=True, error_model="numpy")
def farthest_row(table, rows, left, point):
    best, who = -1.0, 0
    for i in range(left):
        total = 0.0
        for j in range(len(point)):
            difference = table[i, j] - point[j]
            total += difference * difference
        if total > best or (total == best and rows[i] < who):
            best, who = total, rows[i]
    return who


@numba.njit(nogil=True, error_model="numpy")
def nearest_places(table, rows, left, seed, distance, near):
    """The places of a seed and the records nearest to it, in order of distance, then row."""
    k, count = len(near), 0
    at = 0
    while rows[at] != seed:
        at += 1
    for i in range(left):
        total = 0.0
        for j in range(table.shape[1]):
            difference = table[i, j] - table[at, j]
            total += difference * difference
        if i == at:
            total = -1.0
        if count == k and (total > distance[k - 1] or (total == distance[k - 1] and rows[i] > rows[near[k - 1]])):
            continue
        z = min(count, k - 1)
        while z > 0 and (distance[z - 1] > total or (distance[z - 1] == total and rows[near[z - 1]] > rows[i])):
            distance[z], near[z] = distance[z - 1], near[z - 1]
            z -= 1
        distance[z], near[z] = total, i
        count = min(count + 1, k)


@numba.njit(nogil=True, error_model="numpy")
def drop(table, rows, left, places):
    """Fill the places, last one first, with the records at the end."""
    for place in np.sort(places)[::-1]:
        left -= 1
        table[place] = table[left]
        rows[place] = rows[left]
    return left


def normal(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((rows, columns))


def correlated(rows: int, columns: int) -> np.ndarray:
    noise = np.random.default_rng(2)
    causes = noise.standard_normal((rows, 3)) @ noise.standard_normal((3, columns))
    return np.exp(0.5 * causes + 0.1 * noise.standard_normal((rows, columns)))


def records_of(values: np.ndarray) -> Records:
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    return Records(names=names, values=values, scale=Scale.standardized(values), weights=np.ones(len(names)))


def timed(records: Records, k: int) -> tuple[float, float, np.ndarray]:
    """Seconds of the clock and of the processors, and the labels."""
    start, busy = perf_counter(), process_time()
    labels = run(records, k=k, method="mdav").labels
    return perf_counter() - start, process_time() - busy, labels


def compare(kind: str, values: np.ndarray, k: int) -> dict[str, object]:
    records = records_of(values)
    matrix = records.matrix
    start = perf_counter()
    plain = np.full(len(values), -1)
    plain_loop(matrix, k, plain)
    plain_seconds = perf_counter() - start
    seconds, busy, labels = timed(records, k)
    done = plain >= 0
    pairs = np.unique(np.column_stack([plain[done], labels[done]]), axis=0)
    assert len(pairs) == len(np.unique(plain[done])) == len(np.unique(labels[done])), "the partitions differ"
    tracemalloc.start()
    run(records, k=k, method="mdav")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    figures: dict[str, object] = {
        "data": kind,
        "rows": len(values),
        "columns": values.shape[1],
        "k": k,
        "plain_seconds": round(plain_seconds, 3),
        "seconds": round(seconds, 3),
        "cpu_seconds": round(busy, 3),
        "ratio_to_plain": round(plain_seconds / seconds, 2),
        "matrix_mb": round(matrix.nbytes / 1e6, 1),
        "peak_mb": round(peak / 1e6, 1),
    }
    if values.shape == (100_000, 13) and k in SDC_MICRO:
        figures["ratio_to_sdcmicro"] = round(SDC_MICRO[k] / seconds, 1)
    return figures


def large() -> dict[str, object]:
    """1,000,000 records of 5 normal columns, k = 10."""
    records = records_of(normal(1_000_000, 5))
    return {"data": "normal", "rows": 1_000_000, "columns": 5, "k": 10, "seconds": round(timed(records, 10)[0], 2)}


def growth(columns: int, rows: tuple[int, ...] = (12_500, 25_000, 50_000, 100_000)) -> dict[str, object]:
    """The exponent of n in the time of the processors, k = 5, over sizes that double."""
    busy = [timed(records_of(normal(n, columns)), 5)[1] for n in rows]
    exponent = np.polyfit(np.log(rows), np.log(busy), 1)[0]
    return {"columns": columns, "k": 5, "cpu": [round(b, 3) for b in busy], "exponent": round(float(exponent), 2)}


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rows", type=int, default=100_000)
    arguments.add_argument("--columns", type=int, default=13)
    arguments.add_argument("-k", default="3,10", help="one k or several, with commas between")
    arguments.add_argument("--large", action="store_true", help="1,000,000 records of 5 columns too")
    arguments.add_argument("--growth", action="store_true", help="the exponent of n for 2, 5, 8 and 13 columns too")
    given = arguments.parse_args()
    output, rows = Output(as_json=given.json), 20_000 if given.quick else given.rows
    timed(records_of(normal(12_000, 2)), 5)  # compile first
    compare("", normal(200, given.columns), 3)
    for make in (normal, correlated):
        values = make(rows, given.columns)
        for k in (int(part) for part in given.k.split(",")):
            output.record(compare(make.__name__, values, k))
    if given.large:
        output.record(large())
    for columns in (2, 5, 8, 13) if given.growth else ():
        output.record(growth(columns))


if __name__ == "__main__":
    main()
