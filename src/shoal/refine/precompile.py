"""Compile half of the kernels of a default release in a second process.

The first run on a machine spends most of its time on compiling, and one process compiles one kernel at a time. While
the first process reads the table and compiles the kernels of the method, a second one compiles those of its last start
and of local search. Both share the kernel cache, in which a process waits for a kernel that another one compiles.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np

from shoal import kernels
from shoal.threads import threads
from shoal.values import Space, silent


@contextmanager
def precompiling() -> Iterator[None]:
    """Compile in a second process meanwhile, if anything is to be compiled and a second core is there."""
    process = None
    if threads() > 1 and sys.executable and not kernels.jit.is_compiled(kernels.annealing.search):
        with suppress(OSError):  # without a second process, this one compiles everything
            process = subprocess.Popen(  # noqa: S603 - this very Python
                [sys.executable, "-m", __name__],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt from the keyboard is none of its business
            )
    try:
        yield
    finally:
        if process is not None:
            process.terminate()
            process.wait()


def compile_half() -> None:
    """Cut a tour of four records and search among their groups, in the order in which the first process gets there."""
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


if __name__ == "__main__":
    compile_half()
