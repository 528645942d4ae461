"""Compile half of the kernels of a release in a second process.

The first run of a method on a machine spends most of its time on compiling, and one process compiles one kernel at a
time. While the first process imports what it needs, reads the table and compiles kernels in the order in which it calls
them, a second one compiles them from the last to the first. Both share the kernel cache, in which a process waits for a
kernel that another one compiles, so they meet in the middle, whatever each kernel takes.

The second process learns what there is to compile by running the method on a few records without the compiler.

Whether there is anything to compile must be known before Numba is imported, since the second process could have started
meanwhile. So a second process that is done leaves a mark in the cache, and so does a run that compiled nothing.
The mark is named after what was run, the kernel files and the version of Numba.
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

from shoal.kernels.cache_folder import cache_folder
from shoal.threads import threads

DEFAULT = "auto"
ALONE, SHARED = 17, 10
"""Kernels that the first default release compiles by itself, and with a second process beside it."""


@contextmanager
def precompiling(method: str = DEFAULT, *, searches: bool = True) -> Iterator[int | None]:
    """Compile in a second process meanwhile, unless that was done before or there is but one core.

    ``searches`` says whether local search follows the method. Gives the number of kernels that are left to this
    process, where it is known: in a default release, if any are left.
    """
    process, mark, before = None, _mark(method, searches=searches), _counts()["compiled"]
    compiled = (mark is not None and mark.exists()) or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    if mark is not None and not compiled and threads() > 1 and sys.executable:
        with suppress(OSError):  # without a second process, this one compiles everything
            process = subprocess.Popen(  # noqa: S603 - this very Python
                # and nothing that lies in the folder where it runs
                [sys.executable, "-P", "-m", __name__, method, *(["search"] if searches else [])],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt from the keyboard is none of its business
            )
    try:
        yield None if compiled or method != DEFAULT else SHARED if process else ALONE
        if mark is not None and not compiled and _counts()["compiled"] == before and _has_run(searches=searches):
            _leave(mark)
    finally:
        if process is not None:
            process.terminate()
            process.wait()


def record(method: str, *, searches: bool) -> list[tuple[Any, tuple[Any, ...]]]:
    """The kernels that a release by this method takes, and the types of their arguments, in the order of the calls."""
    import numpy as np

    import shoal
    from shoal.kernels.jit import recording
    from shoal.schema import Kind

    # with fewer records some methods leave out a step; a search takes all of them, and takes long without the compiler
    table, known = shoal.example_register(rows=24 if searches else 60), shoal.methods()[method]
    numbers, categories = ["age", "income"][: known.most_columns], ["sex", "region"]
    columns = [*(numbers if Kind.NUMERIC in known.kinds else categories), *(categories if known.mixes else [])]
    more: dict[str, Any] = {"effort": "fast"} if searches else {"refine": False}
    with recording() as calls, np.errstate(all="ignore"):
        if method == DEFAULT and searches:  # a search that is not fast also starts from these groups
            shoal.partition(table.select(columns), k=3, method="mdav", refine=False)
        shoal.partition(table.select(columns), k=3, method=method, **more)
    return list(calls)


def compile_last_first(method: str, *, searches: bool) -> None:
    """Compile what a release by this method takes, or wait for another process that does, and leave the mark."""
    for kernel, types in reversed(record(method, searches=searches)):
        kernel.compile(types)
    mark = _mark(method, searches=searches)
    if mark is not None:
        _leave(mark)


def _counts() -> Counter[str]:
    """How many kernels this process took and compiled: none as long as nothing needed Numba."""
    jit = sys.modules.get("shoal.kernels.jit")
    return jit.counts if jit else Counter()


def _has_run(*, searches: bool) -> bool:
    """Whether this process took kernels, and the largest one, that of local search, if it was to search."""
    annealing = sys.modules.get("shoal.kernels.annealing")
    return _counts()["taken"] > 0 and (not searches or bool(annealing and annealing.search.overloads))


def _leave(mark: Path) -> None:
    from shoal.kernels.jit_cache import remove_unused

    with suppress(OSError):
        mark.touch()
        remove_unused(mark)


def _mark(method: str, *, searches: bool) -> Path | None:
    """The file that tells that these kernels were compiled; None where no kernels can be kept."""
    folder, numba = cache_folder(), importlib.util.find_spec("numba")
    if folder is None or numba is None or numba.origin is None:
        return None
    kernels = Path(__file__).parents[1] / "kernels"
    files = [Path(numba.origin), *sorted(kernels.glob("*.py"))]
    try:
        states = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    except OSError:
        return None
    facts = repr((method, searches, sys.implementation.cache_tag, states))
    return folder / f"precompiled.mark.{hashlib.sha256(facts.encode()).hexdigest()[:16]}"


if __name__ == "__main__":
    compile_last_first(sys.argv[1], searches="search" in sys.argv[2:])
