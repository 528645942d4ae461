"""All printed cells and all comparisons, run once for all workers."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import pytest

import shoal
from shoal.reproduce import Reproduction


@pytest.fixture(scope="session")
def found(data_folder: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Reproduction:
    if worker_id == "master":
        return shoal.reproduce(data_folder)
    shared = tmp_path_factory.getbasetemp().parent
    kept, begun = shared / "reproduction.pickle", shared / "reproduction.begun"
    while not kept.exists():
        try:
            begun.touch(exist_ok=False)
        except FileExistsError:
            time.sleep(1)  # another worker is at it
            continue
        try:
            part = shared / "reproduction.part"
            part.write_bytes(pickle.dumps(shoal.reproduce(data_folder)))
            part.rename(kept)
        finally:
            begun.unlink()  # if it failed, the next worker tries, and tells what went wrong
    return pickle.loads(kept.read_bytes())  # noqa: S301 - a worker of this run wrote it
