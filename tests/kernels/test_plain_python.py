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
from shoal.schema import Kind

TREE = {"a": {"b": {"d": {}, "e": {"h": {}}}, "c": {"f": {}, "g": {}}}}
draw = np.random.default_rng(7)
numbers = draw.integers(0, 50, (90, 3)).astype(float)
words = pl.DataFrame({name: draw.choice(list("bdefgh"), 90).tolist() for name in "xyz"})
for name in sys.argv[1:]:
    method = shoal.methods()[name]
    if Kind.NUMERIC in method.kinds:
        print(name, *shoal.partition(numbers[:, : method.most_columns], k=4, method=name).labels)
    if Kind.NOMINAL in method.kinds:
        trees = {"x": TREE, "y": TREE} if Kind.HIERARCHICAL in method.kinds else {}
        print(name, *shoal.partition(words, k=4, method=name, hierarchies=trees).labels)
"""
METHODS = sorted(shoal.methods())


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
    assert {line.split()[0] for line in compiled.splitlines()} == set(METHODS)
    assert outcome(NUMBA_DISABLE_JIT="1") == compiled
