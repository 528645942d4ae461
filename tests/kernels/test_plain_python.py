"""Every kernel also runs as plain Python, with the same result."""

from __future__ import annotations

import os
import subprocess
import sys

import shoal

SCRIPT = """
import sys
import numpy as np
from shoal.partition.registry import run
from shoal.values import Records, Scale

for method in sys.argv[1:]:
    values = np.random.default_rng(7).integers(0, 50, (90, 1 if method == "hm" else 3)).astype(float)
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    records = Records(names=names, values=values, scale=Scale.standardized(values), weights=np.ones(len(names)))
    print(method, *run(records, k=4, method=method).labels)
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
    assert compiled.count("\n") == len(METHODS)
    assert outcome(NUMBA_DISABLE_JIT="1") == compiled
