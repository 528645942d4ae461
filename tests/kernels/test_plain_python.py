"""Every kernel also runs as plain Python, with the same result."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import plain_python
import pytest

import shoal


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """All parts, by one process without the compiler."""
    program = Path(plain_python.__file__)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("part", plain_python.PARTS)
def test_without_the_compiler(plain: dict[str, Any], part: str) -> None:
    assert plain["compiled"] is False
    assert plain[part] == plain_python.PARTS[part]()


def test_every_method_runs_without_the_compiler(plain: dict[str, Any]) -> None:
    assert {*plain["method_labels"], "optimal-cells"} == set(shoal.methods())
    assert all(labels for labels in plain["method_labels"].values())
    assert all(len(one) == 60 for labels in plain["method_labels"].values() for one in labels)
    assert len(plain["optimal_cells_labels"]) == 50
    assert len(plain["new_record_labels"]) == 120
    assert len({tuple(labels) for labels in plain["constrained_labels"]}) > 1, "models ask for different groups"
