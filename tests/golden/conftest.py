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
    try:
        begun.touch(exist_ok=False)
    except FileExistsError:
        while not kept.exists():
            time.sleep(1)
        return pickle.loads(kept.read_bytes())  # noqa: S301 - another worker of this run wrote it
    try:
        made = shoal.reproduce(data_folder)
    except BaseException:
        begun.unlink()  # the next worker tells what went wrong
        raise
    part = shared / "reproduction.part"
    part.write_bytes(pickle.dumps(made))
    part.rename(kept)
    return made
