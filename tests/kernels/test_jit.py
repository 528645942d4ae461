"""The cache of compiled kernels: kept, and never a stale one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from shoal.kernels import jit
from shoal.kernels.kept import KernelFile

SCRIPT = """
import numpy as np
import shoal
from shoal import kernels
compiled = []
with kernels.jit.compiling(lambda: compiled.append(1)):
    shoal.partition(np.arange(8.0), k=2, method="hm")
print(len(compiled))
"""


def compilations(cache: Path) -> int:
    """How many kernels a fresh process compiles with this cache."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_only_the_first_run_compiles_and_says_so(tmp_path: Path) -> None:
    assert compilations(tmp_path) > 0
    assert compilations(tmp_path) == 0
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    assert all(jit.ROOM in path.name for path in kept), "the cache of a kernel is named after the whole room"


def test_two_processes_that_compile_at_the_same_time_keep_their_own_kernels(tmp_path: Path) -> None:
    """Both have looked before either has written, as two runs that begin together do."""
    one, two = (KernelFile(str(tmp_path), "doubled", ("stamp",)) for _ in range(2))
    assert one.load("whole numbers") is None
    assert two.load("floats") is None
    one.save("whole numbers", ["a kernel for whole numbers"])
    two.save("floats", ["a kernel for floats"])
    for fresh in (one, two, KernelFile(str(tmp_path), "doubled", ("stamp",))):
        assert fresh.load("whole numbers") == ["a kernel for whole numbers"]
        assert fresh.load("floats") == ["a kernel for floats"]
    assert KernelFile(str(tmp_path), "doubled", ("another stamp",)).load("floats") is None


def test_a_fingerprint_changes_with_any_file_of_the_room(tmp_path: Path) -> None:
    for name, text in (("a.py", "x = 1"), ("b.py", "y = 2")):
        (tmp_path / name).write_text(text)
    before = jit.fingerprint(tmp_path)
    (tmp_path / "b.py").write_text("y = 3")
    assert jit.fingerprint(tmp_path) != before


def test_a_kernel_keeps_its_name() -> None:
    def thrice(x: float) -> float:
        return 3 * x

    name = thrice.__qualname__
    assert jit.kernel(thrice)(2.0) == 6.0
    assert thrice.__qualname__ == name
