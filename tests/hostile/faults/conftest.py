"""The library that lets calls of the system fail, and a ground for runs that meet such faults."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_harness import HERE, ForkServer, Ground


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Faults of the system, compiled."""
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    compile_it = ["gcc", "-O1", "-shared", "-fPIC", "-w", "-o", str(library), str(HERE / "shim.c"), "-ldl", "-lpthread"]
    subprocess.run(compile_it, check=True)
    return library


@pytest.fixture(scope="session")
def ground(shim: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    folder = tmp_path_factory.mktemp("ground")
    fork_server = ForkServer(folder, LD_PRELOAD=str(shim))
    yield Ground(folder, fork_server)
    fork_server.close()
