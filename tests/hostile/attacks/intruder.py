"""What an intruder has and does: a release, public facts, what he knows of persons, and plain counting.

Nothing here asks Shoal: classes are told by what rows look like, and chances are counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations, permutations, product
from typing import Any

import polars as pl

import shoal

KNOWN = ["age", "sex", "region", "income"]
"""What outsiders know of persons."""
SECRET = "diagnosis"
SHOWN = ["length_of_stay", "visits", "systolic_bp", "treatment_cost"]
"""What a release shows besides."""

Class = tuple[Any, ...]


def persons(number: int, *, rows: int = 160) -> pl.DataFrame:
    """A made-up register of persons; the number seeds it."""
    return shoal.example_register(rows=rows, seed=100 + number).select(*KNOWN, SECRET, *SHOWN)


def release(table: pl.DataFrame, k: int, *, method: str = "mdav", **options: Any) -> shoal.Release:
    """What the owner of the table publishes."""
    arguments = {"quasi_identifiers": KNOWN, "sensitive": SECRET, "refine": False, **options}
    return shoal.anonymize(table, k=k, method=method, **arguments)


def classes(published: pl.DataFrame, names: Sequence[str] = KNOWN) -> list[Class]:
    """What each row shows of the quasi-identifiers."""
    return published.select(names).rows()


def members(of: Sequence[Hashable]) -> dict[Any, list[int]]:
    """The rows of each class."""
    found: dict[Any, list[int]] = defaultdict(list)
    for row, own in enumerate(of):
        found[own].append(row)
    return dict(found)


def seen(published: pl.DataFrame, name: str = SECRET, names: Sequence[str] = KNOWN) -> list[Counter[Any]]:
    """How often each value of a column stands in each class."""
    values = published[name].to_list()
    return [Counter(values[row] for row in rows) for rows in members(classes(published, names)).values()]


def rulings_out(values: Counter[Any], most: int) -> Iterator[Counter[Any]]:
    """What is left of the values of a class after up to so many are ruled out, in every way."""
    for number in range(min(most, len(values) - 1) + 1):
        for gone in combinations(sorted(values, key=str), number):
            yield Counter({value: times for value, times in values.items() if value not in gone})


def assignments(labels: Sequence[int], values: Sequence[Any]) -> Iterator[list[Any]]:
    """Every way in which the values of each class can belong to its members."""
    rows_of = list(members(labels).values())
    ways = [sorted(set(permutations([values[row] for row in rows]))) for rows in rows_of]
    for chosen in product(*ways):
        whole = [None] * len(labels)
        for rows, given in zip(rows_of, chosen, strict=True):
            for row, value in zip(rows, given, strict=True):
                whole[row] = value
        yield whole
