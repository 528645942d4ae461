"""Memory of profiling, encoding, counting and writing does not depend on the size of the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

RUN = """
import sys
from pathlib import Path
from shoal.data import Encoder
from shoal.domain.columns import Schema
from shoal.data.chunked import (
    ChunkWriter, ClassCounter, open_chunked, profile_file, with_column_types
)
folder = Path(sys.argv[1])

def process(name):
    path = folder / name
    source = open_chunked(path, size=2 << 20)
    found = profile_file(source)
    common = Encoder.from_statistics(found, Schema.assign(found.kinds(), quasi_identifiers=["age", "income", "city"]))
    counter = ClassCounter(folder, common.names, max_bytes=4 << 20)
    with ChunkWriter(folder / f"out.{name}", folder=folder / "scratch") as writer:
        for chunk in source.chunks():
            assert common.transform(with_column_types(chunk, found)).count == chunk.height
            counter.add(chunk)
            writer.write(chunk)
        writer.close()
    assert sum(counter.counts.records.values()) == found.records
    # the most that this program ever had; getrusage would also tell what the one that started it had
    most = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
    print(found.records, int(most) / 1024)

for name in sys.argv[2:]:
    process(name)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is told in other units")
@pytest.mark.parametrize("ending", [".csv"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, ending: str) -> None:
    rng, n, times = np.random.default_rng(0), 5_000, 5
    block = pl.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.integers(0, 100, n),
            "income": np.round(rng.lognormal(10, 1, n), 2),
            "city": [f"city {number}" for number in rng.integers(0, 300, n)],
            "note": ["a note that is long enough to fill the file and says nothing else, over and over again" * 28] * n,
        }
    )
    head, text = (",".join(block.columns) + "\n").encode(), block.write_csv(include_header=False).encode()
    small, large = tmp_path / f"small{ending}", tmp_path / f"large{ending}"
    small.write_bytes(head + text)
    large.write_bytes(head + text * times)
    names = (small.name, small.name, large.name)  # after the second one, all is loaded that stays
    printed = subprocess.run(
        [sys.executable, "-c", RUN, tmp_path, *names], capture_output=True, text=True, check=True
    ).stdout.split()
    assert [int(records) for records in printed[::2]] == [n, n, n * times]
    _, before, after = map(float, printed[1::2])
    more = (large.stat().st_size - small.stat().st_size) / (1 << 20)
    assert more > 45
    assert after - before < more / 2, printed
    for path in (small, large):
        assert (tmp_path / f"out.{path.name}").read_bytes() == path.read_bytes()
