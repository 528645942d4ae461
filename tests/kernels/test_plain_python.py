"""Every kernel also runs as plain Python, with the same result."""

from __future__ import annotations

import os
import subprocess
import sys

import shoal

SCRIPT = """
import sys
import numpy as np
import polars as pl
import shoal
from shoal.refine import Plan, Task, refine
from shoal.schema import Kind
from shoal.values import Demands, Space

TREE = {"a": {"b": {"d": {}, "e": {"h": {}}}, "c": {"f": {}, "g": {}}}}
draw = np.random.default_rng(7)
numbers = draw.integers(0, 50, (60, 3)).astype(float)
words = pl.DataFrame({name: draw.choice(list("bdefgh"), 60).tolist() for name in "xyz"})
for name in sys.argv[1:]:
    method = shoal.methods()[name]
    if Kind.NUMERIC in method.kinds:
        print(name, *shoal.partition(numbers[:, : method.most_columns], k=4, method=name, refine=False).labels)
    if Kind.NOMINAL in method.kinds and name != "auto":
        trees = {"x": TREE, "y": TREE} if Kind.HIERARCHICAL in method.kinds else {}
        print(name, *shoal.partition(words, k=4, method=name, refine=False, hierarchies=trees).labels)

few, codes = numbers[:40] / 50, draw.integers(0, 3, (40, 2))
spaces = Space.of_numbers(few), Space.of(few, codes, [1.0 - np.eye(3)] * 2, np.array([1.0, 0.5]))
varied = Demands.none(40)._replace(
    codes=draw.integers(0, 3, (40, 1)), first=np.array([0, 3]), column=np.zeros(1, dtype=np.int64),
    rule=np.zeros(1, dtype=np.int64), least=np.full(1, 2.0), factor=np.zeros(1), shares=np.full(3, 1 / 3),
    nodes=np.zeros(2, dtype=np.int64),
)
for space in spaces:
    for labels, demands in ((np.arange(40) // 4, None), (np.zeros(40, dtype=np.int64), varied)):
        found = refine(Task(space, 4, demands), labels, Plan(steps=500))
        print("refine", *found.labels, *map(repr, map(float, found[1:3])), *found[3:])
"""
METHODS = sorted(set(shoal.methods()) - {"optimal-cells"})
"""But for the one that takes long without the compiler, and that auto takes for words: it has a test of its own."""


def outcome(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *METHODS],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_without_the_compiler() -> None:
    compiled = outcome()
    assert {line.split()[0] for line in compiled.splitlines()} == {*METHODS, "refine"}
    assert outcome(NUMBA_DISABLE_JIT="1") == compiled
