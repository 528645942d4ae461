"""What kernels compute on small tables: run as a program without the compiler, and imported with it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal import data
from shoal.domain import Kind, ModelConstraints, Schema, Space, no_progress
from shoal.domain.privacy_models import parse_models
from shoal.hierarchy import Hierarchy
from shoal.microaggregation.enforce_constraints import enforce_constraints
from shoal.microaggregation.new_records import assign_new_records
from shoal.search import SearchPlan, SearchTask, refine

TREE: dict[str, Any] = {"a": {"b": {"d": {}, "e": {"h": {}}}, "c": {"f": {}, "g": {}}}}
LEVELS = ["low", "middle", "high"]
MODELS = ("distinct-l(3)", "entropy-l(2.5)", "recursive-l(2,3)", "t-equal(0.3)", "t-hierarchical(0.2)")


def method_labels() -> dict[str, list[list[int]]]:
    """The labels of every method, on numbers and on categories where it takes them."""
    draw = np.random.default_rng(7)
    numbers = draw.integers(0, 50, (60, 3)).astype(float)
    words = pl.DataFrame({name: draw.choice(list("bdefgh"), 60).tolist() for name in "xyz"})
    found: dict[str, list[list[int]]] = {}
    for name, method in shoal.methods().items():
        if name == "optimal-cells":  # it takes long without the compiler: `optimal_cells_labels` runs it on less
            continue
        labels = found[name] = []
        if Kind.NUMERIC in method.kinds:
            made = shoal.partition(numbers[:, : method.max_columns], k=4, method=name, refine=False)
            labels.append(made.labels.tolist())
        if Kind.NOMINAL in method.kinds and name != "auto":  # of categories, auto takes optimal-cells
            trees = {"x": TREE, "y": TREE} if Kind.HIERARCHICAL in method.kinds else {}
            made = shoal.partition(words, k=4, method=name, refine=False, hierarchies=trees)
            labels.append(made.labels.tolist())
    return found


def optimal_cells_labels() -> list[int]:
    """The labels of optimal-cells, on a column of each kind, with weights."""
    draw = np.random.default_rng(11)
    frame = pl.DataFrame(
        {
            "x": draw.choice(list("abcdefgh"), 50).tolist(),
            "y": draw.choice(LEVELS, 50).tolist(),
            "z": draw.choice(list("pqr"), 50).tolist(),
        }
    )
    options: dict[str, Any] = {"hierarchies": {"x": TREE}, "levels": {"y": LEVELS}, "weights": {"z": 2.5}}
    made = shoal.partition(frame, k=4, method="optimal-cells", refine=False, rounds=1, **options)
    return made.labels.tolist()


def search_results() -> list[list[Any]]:
    """The results of local search: on numbers and on mixed records, with constraints and without."""
    draw = np.random.default_rng(8)
    few, codes = draw.integers(0, 50, (40, 3)) / 50, draw.integers(0, 3, (40, 2))
    spaces = Space.of_numbers(few), Space.of(few, codes, [1.0 - np.eye(3)] * 2, np.array([1.0, 0.5]))
    varied = ModelConstraints.none(40)._replace(
        codes=draw.integers(0, 3, (40, 1)),
        value_offsets=np.array([0, 3]),
        column=np.zeros(1, dtype=np.int64),
        rule=np.zeros(1, dtype=np.int64),
        threshold=np.full(1, 2.0),
        factor=np.zeros(1),
        frequencies=np.full(3, 1 / 3),
        node_offsets=np.zeros(2, dtype=np.int64),
    )
    found = []
    for space in spaces:
        for labels, constraints in ((np.arange(40) // 4, None), (np.zeros(40, dtype=np.int64), varied)):
            made = refine(SearchTask(space, 4, constraints), labels, SearchPlan(steps=500))
            found.append([made.labels.tolist(), *map(repr, map(float, made[1:3])), *map(str, made[3:])])
    return found


def new_record_labels() -> list[int]:
    """The groups of an earlier table that new records come to."""
    draw = np.random.default_rng(3)
    return assign_new_records(draw.normal(size=(120, 2)), draw.normal(size=(70, 2)), k=4, undersized="merge").tolist()


def constrained_labels() -> list[list[int]]:
    """The groups that are merged until each model holds."""
    draw = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "a": draw.normal(size=80),
            "b": draw.choice(list("xyz"), 80).tolist(),
            "s": draw.choice(list("cdefg"), 80).tolist(),
            "t": draw.integers(0, 9, 80),
        }
    )
    table = data.read_table(frame)
    schema = Schema.assign(data.column_kinds(table), quasi_identifiers=["a", "b"], sensitive=["s", "t"])
    tree = Hierarchy.from_dict({"*": {"u": ["c", "d"], "v": ["e", "f", "g"]}})
    schema = schema.with_column_options(hierarchies={"s": (tree, "")})
    records = data.encode_records(table, schema)
    found = []
    for model in MODELS:
        options = parse_models({"s": model, "t": "t-ordered(0.15)"})
        constraints = data.encode_constraints(table, options, schema)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            labels = enforce_constraints(
                replace(records, constraints=constraints), np.arange(80) // 4, k=4, progress=no_progress
            )
        assert all(check.ok for check in data.check_models(constraints, options, labels))
        found.append(labels.tolist())
    return found


PARTS: dict[str, Callable[[], Any]] = {
    part.__name__: part
    for part in (method_labels, optimal_cells_labels, search_results, new_record_labels, constrained_labels)
}

if __name__ == "__main__":
    from numba import config

    print(json.dumps({"compiled": not config.DISABLE_JIT} | {name: part() for name, part in PARTS.items()}))  # noqa: T201
