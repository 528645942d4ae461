"""External shuffle of the records of a file."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from shoal.data.chunked.source import ChunkedFile
from shoal.data.chunked.writer import ChunkWriter
from shoal.data.file_formats import full_extension
from shoal.data.read import read_table
from shoal.data.row_order import row_hashes, take
from shoal.data.table import ReadOptions

_MAX_FILES = 400
"""Limit of open files."""
_BITS = np.uint64(40)


def external_shuffle(
    source: ChunkedFile, writer: ChunkWriter, *, seed: int, folder: Path, options: ReadOptions, chunk: int
) -> None:
    """Write the records of a file in the order of `tables.shuffled_rows`.

    The records are partitioned by the first bits of their keys into files of about ``chunk`` bytes. Each file is then
    sorted in memory.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    count = min(_MAX_FILES, max(1, math.ceil(2 * source.bytes / chunk)))
    paths = [folder / f"rows-{number:04d}{full_extension(source.path)}" for number in range(count)]
    writers: dict[int, ChunkWriter] = {}
    with ExitStack() as stack:
        for chunk_table in source.chunks():
            keys = row_hashes(chunk_table, seed=seed) >> _BITS
            partitions = (keys * np.uint64(count) >> np.uint64(64 - int(_BITS))).astype(np.int64)
            for number in np.unique(partitions).tolist():
                if number not in writers:
                    paths[number].touch(mode=0o600)
                    writers[number] = stack.enter_context(ChunkWriter(paths[number], folder=folder))
                writers[number].write(take(chunk_table, np.flatnonzero(partitions == number)))
        for each in writers.values():
            each.close()
    for number in sorted(writers):
        rows = read_table(paths[number], options=options)
        order = np.argsort(row_hashes(rows, seed=seed), kind="stable").astype(np.int64)
        writer.write(take(rows, order))
        paths[number].unlink()
