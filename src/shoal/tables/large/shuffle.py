"""Rows of a file put in the order of a shuffled release, in pieces."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from shoal.tables.files import read
from shoal.tables.formats import full_ending
from shoal.tables.large.source import Source
from shoal.tables.large.writer import Writer
from shoal.tables.order import row_keys, taken
from shoal.tables.table import ReadOptions

_MOST = 400
"""Files that are open at the same time."""
_BITS = np.uint64(40)


def shuffle(source: Source, writer: Writer, *, seed: int, folder: Path, options: ReadOptions, chunk: int) -> None:
    """Write the rows of a file as `tables.shuffled_rows` orders them.

    They are dealt out by the first bits of their keys into files of about as many bytes as a ``chunk`` may have, and
    each of these is read and put in order by itself.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    count = min(_MOST, max(1, math.ceil(2 * source.bytes / chunk)))
    paths = [folder / f"rows-{number:04d}{full_ending(source.path)}" for number in range(count)]
    dealt: dict[int, Writer] = {}
    with ExitStack() as stack:
        for part in source.chunks():
            keys = row_keys(part, seed=seed) >> _BITS
            places = (keys * np.uint64(count) >> np.uint64(64 - int(_BITS))).astype(np.int64)
            for number in np.unique(places).tolist():
                if number not in dealt:
                    paths[number].touch(mode=0o600)
                    dealt[number] = stack.enter_context(Writer(paths[number], folder=folder))
                dealt[number].write(taken(part, np.flatnonzero(places == number)))
        for one in dealt.values():
            one.close()
    for number in sorted(dealt):
        some = read(paths[number], options=options)
        order = np.argsort(row_keys(some, seed=seed), kind="stable").astype(np.int64)
        writer.write(taken(some, order))
        paths[number].unlink()
