"""Compile half of the kernels of a release in a second process.

The first run of a method on a machine spends most of its time compiling, one kernel at a time. While the first process
imports modules, reads the table and compiles kernels in the order of its calls, a second one compiles them in reverse
order. Both share the kernel cache, where a process waits for a kernel that the other one compiles, so they meet in the
middle, whatever the time per kernel.

The second process finds the kernels by running the method on a few records without the compiler.

To start the second process before Numba is imported, this module must know whether there is anything to compile. So a
second process that finishes, or a run that compiled nothing, leaves a marker file in the cache. Its name depends on the
method, the kernel files and the version of Numba.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from shoal.system.cache_folder import cache_folder
from shoal.system.threads import threads

DEFAULT_METHOD = "auto"
KERNELS_ALONE, KERNELS_SHARED = 17, 10
"""Number of kernels that the first default release compiles alone, and with a second process."""


@contextmanager
def precompiling(method: str = DEFAULT_METHOD, *, local_search: bool = True) -> Iterator[int | None]:
    """Compile in a second process, unless all is compiled or there is only one core.

    ``local_search`` is whether local search follows the method. Yields the number of kernels that this process
    compiles, if known: for a default release with kernels to compile.
    """
    process, mark, before = None, _mark(method, local_search=local_search), _counts()["compiled"]
    compiled = (mark is not None and mark.exists()) or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    missing_mark = None if compiled else mark
    if missing_mark is not None and threads() > 1 and sys.executable:
        with suppress(OSError):  # without a second process, this one compiles everything
            process = subprocess.Popen(  # noqa: S603 - this very Python
                # -P: no imports from the current folder
                [sys.executable, "-P", "-m", __name__, method, *(["search"] if local_search else [])],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # not interrupted by Ctrl-C
            )
    try:
        yield None if compiled or method != DEFAULT_METHOD else KERNELS_SHARED if process else KERNELS_ALONE
        if missing_mark and _counts()["compiled"] == before and _has_run(local_search=local_search):
            _write_mark(missing_mark)
    finally:
        if process is not None:
            process.terminate()
            process.wait()


def record_kernels(method: str, *, local_search: bool) -> list[tuple[Any, tuple[Any, ...]]]:
    """Return the kernels of a release by this method, with their argument types, in the order of the calls."""
    import numpy as np

    import shoal
    from shoal.domain import Kind
    from shoal.kernels.jit import recording

    # fewer records would skip steps of some methods; with a search all run, and it is slow without the compiler
    table, details = shoal.example_register(rows=24 if local_search else 60), shoal.methods()[method]
    numbers, categories = ["age", "income"][: details.max_columns], ["sex", "region"]
    columns = [
        *(numbers if Kind.NUMERIC in details.kinds else categories),
        *(categories if details.supports_mixed else []),
    ]
    options: dict[str, Any] = {"effort": "fast"} if local_search else {"refine": False}
    with recording() as calls, np.errstate(all="ignore"):
        if method == DEFAULT_METHOD and local_search:  # a search that is not fast also starts from MDAV
            shoal.partition(table.select(columns), k=3, method="mdav", refine=False)
        shoal.partition(table.select(columns), k=3, method=method, **options)
    return list(calls)


def compile_in_reverse(method: str, *, local_search: bool) -> None:
    """Compile the kernels of a release by this method in reverse order, and leave the marker file."""
    for kernel, types in reversed(record_kernels(method, local_search=local_search)):
        kernel.compile(types)
    mark = _mark(method, local_search=local_search)
    if mark is not None:
        _write_mark(mark)


def _counts() -> Counter[str]:
    """Return how many kernels this process loaded and compiled; none before Numba is imported."""
    jit = sys.modules.get("shoal.kernels.jit")
    return jit.counts if jit else Counter()


def _has_run(*, local_search: bool) -> bool:
    """Whether this process loaded kernels, including the largest one, local search, if requested."""
    annealing = sys.modules.get("shoal.kernels.local_search.annealing")
    return _counts()["taken"] > 0 and (not local_search or bool(annealing and annealing.local_search.overloads))


def _write_mark(mark: Path) -> None:
    from shoal.kernels.jit_cache import remove_unused

    with suppress(OSError):
        mark.touch()
        remove_unused(mark)


def _mark(method: str, *, local_search: bool) -> Path | None:
    """Return the marker file of these compiled kernels; None if there is no kernel cache."""
    folder, numba = cache_folder(), importlib.util.find_spec("numba")
    if folder is None or numba is None or numba.origin is None:
        return None
    kernels = Path(__file__).parents[1] / "kernels"
    files = [Path(numba.origin), *sorted(kernels.rglob("*.py"))]
    try:
        states = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    except OSError:
        return None
    facts = repr((method, local_search, sys.implementation.cache_tag, states))
    return folder / f"precompiled.mark.{hashlib.sha256(facts.encode()).hexdigest()[:16]}"


if __name__ == "__main__":
    compile_in_reverse(sys.argv[1], local_search="search" in sys.argv[2:])
