"""Memory: a file of more than a hundred megabytes is surveyed, encoded, counted and written in far less."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

RUN = """
import resource, sys
from pathlib import Path
from shoal.schema.columns import Schema
from shoal.tables.large import Tally, Writer, base, encode_chunk, fixed, open_source, survey
path, folder = Path(sys.argv[1]), Path(sys.argv[2])

def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

begun = used()
source = open_source(path, size=2 << 20)
found = survey(source)
common = base(found, Schema.assign(found.kinds(), quasi_identifiers=["age", "income", "city"]))
tally = Tally(folder, common.names, room=4 << 20)
with Writer(folder / f"out{path.suffix}", folder=folder / "scratch") as writer:
    for chunk in source.chunks():
        assert encode_chunk(fixed(chunk, found), common).count == chunk.height
        tally.add(chunk)
        writer.write(chunk)
    writer.close()
assert tally.result(2).records == found.records
print(found.records, used() - begun)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is told in other units")
@pytest.mark.parametrize("ending", [".csv"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, ending: str) -> None:
    rng, n, times = np.random.default_rng(0), 5_000, 12
    block = pl.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.integers(0, 100, n),
            "income": np.round(rng.lognormal(10, 1, n), 2),
            "city": [f"city {number}" for number in rng.integers(0, 300, n)],
            "note": ["a note that is long enough to fill the file and says nothing else, over and over again" * 28] * n,
        }
    )
    path = tmp_path / f"a{ending}"
    text = block.write_csv(include_header=False).encode()
    with path.open("wb") as file:
        file.write((",".join(block.columns) + "\n").encode())
        for _ in range(times):
            file.write(text)
    size = path.stat().st_size >> 20
    done = subprocess.run(
        [sys.executable, "-c", RUN, path, tmp_path], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(done[0]) == n * times
    assert size > 130
    assert float(done[1]) < 80, done
    assert (tmp_path / f"out{ending}").read_bytes() == path.read_bytes()
