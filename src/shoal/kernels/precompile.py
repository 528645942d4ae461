"""Compile half of the kernels of a default release in a second process.

The first run on a machine spends most of its time on compiling, and one process compiles one kernel at a time. While
the first process imports what it needs, reads the table and compiles the kernels of the first starts, a second one
compiles those of the last start and of local search. Both share the kernel cache, in which a process waits for a kernel
that another one compiles.

Whether there is anything to compile must be known before Numba is imported, since the second process could have started
meanwhile. So a run that searched leaves a mark in the cache, named after the kernel files and the version of Numba.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.kernels.cache_folder import cache_folder
from shoal.threads import threads

ALONE, SHARED = 17, 10
"""Kernels that the first default release compiles by itself, and with a second process beside it."""


@contextmanager
def precompiling() -> Iterator[int | None]:
    """Compile in a second process meanwhile, unless that was done before or there is but one core.

    Gives the number of kernels that are left to this process in a default release, if any are.
    """
    process, mark = None, _mark()
    compiled = mark is not None and mark.exists()
    if mark is not None and not compiled and threads() > 1 and sys.executable:
        with suppress(OSError):  # without a second process, this one compiles everything
            process = subprocess.Popen(  # noqa: S603 - this very Python
                [sys.executable, "-P", "-m", __name__],  # and nothing that lies in the folder where it runs
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt from the keyboard is none of its business
            )
    try:
        yield None if compiled else SHARED if process else ALONE
        if mark is not None and _has_searched():
            from shoal.kernels.jit_cache import remove_unused

            with suppress(OSError):
                mark.touch()
                remove_unused(mark)
    finally:
        if process is not None:
            process.terminate()
            process.wait()


def compile_half() -> None:
    """Cut a tour of four records and search among their groups, in the order in which the first process gets there."""
    import numpy as np

    from shoal import kernels
    from shoal.values import Space, silent

    space = Space.of(np.arange(4.0)[:, None], np.zeros((4, 1), dtype=np.int64), (np.zeros((1, 1)),), np.ones(1))
    rows = np.arange(4)
    others = np.array([[other for other in rows if other != row] for row in rows])
    kernels.tour.shorten(space, others, rows, progress=silent)
    kernels.strands.lengths(space, np.ascontiguousarray(others[:, :2]))
    kernels.path.shortest_path(space, 2, progress=silent)
    near = kernels.turns.Near(others, rows, np.arange(5), rows)
    ground = kernels.standing.begin(space, np.array([0, 1, 0, 1]), 2, unit_of=rows, demands=None)
    kernels.annealing.descend(ground, near, np.ones(4, dtype=np.bool_), 0.0, 0, 4)
    kernels.standing.shares(ground.standing, ground.meanings)


def _has_searched() -> bool:
    """Whether this process has the largest kernel, that of local search: then the cache has it too."""
    module = sys.modules.get(f"{__package__}.annealing")
    return bool(getattr(getattr(module, "search", None), "overloads", None))


def _mark() -> Path | None:
    """The file that tells that these kernels were compiled; None where no kernels can be kept."""
    folder, numba = cache_folder(), importlib.util.find_spec("numba")
    if folder is None or numba is None or numba.origin is None:
        return None
    files = [Path(numba.origin), *sorted(Path(__file__).parent.glob("*.py"))]
    try:
        states = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    except OSError:
        return None
    facts = repr((sys.implementation.cache_tag, states))
    return folder / f"precompiled.mark.{hashlib.sha256(facts.encode()).hexdigest()[:16]}"


if __name__ == "__main__":
    compile_half()
