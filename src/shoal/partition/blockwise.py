"""Blockwise: any method on a table that is too large for it, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal import kernels
from shoal.errors import OptionError
from shoal.partition import registry
from shoal.partition.blocks import Cuts, cut
from shoal.partition.enforce import enforce
from shoal.threads import share
from shoal.values import Demands, IntVector, Partition, Progress, Records, by_first_row, silent
from shoal.words import counted

_SAFE = 4
"""A block has room for so many groups, but where it is asked to be smaller."""


def run(
    records: Records,
    *,
    k: int,
    method: str,
    most: int,
    seed: int = 0,
    progress: Progress = silent,
    options: Mapping[str, Any] | None = None,
) -> Partition:
    """Partition the records by the named method in blocks of at most ``most`` records, on all threads.

    Where something is asked of sensitive values, every block has it, and so have its groups.
    """
    space = records.space
    cuts = cut(space.points, most, min(_SAFE * k, most // 2))
    if records.demands is not None:
        cuts = cuts.joined(_Keeps(records.demands, rows_of(cuts.block_of(space.points))))
    parts = rows_of(cuts.block_of(space.points))
    labels, groups, done = np.empty(records.count, dtype=np.int64), 0, 0

    def grouped(rows: IntVector) -> IntVector:
        part = records.some(rows) if len(parts) > 1 else records
        told = progress if len(parts) == 1 else silent
        made = registry.run(part, k=k, method=method, seed=seed, options=options, progress=told)
        return enforce(part, made.labels, k=k, progress=silent)

    for rows, found in zip(parts, share(grouped, parts), strict=True):
        labels[rows] = groups + found
        groups, done = groups + int(found.max()) + 1, done + len(rows)
        progress(done, records.count)
    return Partition(by_first_row(labels)[1], k, method, account=(_sentence(method, cuts, parts),))


def whole_blocks(blocks: Any, k: int) -> int | None:
    """The records of a block at most, or the reason why there can be no such blocks."""
    number = blocks.item() if isinstance(blocks, np.generic) else blocks
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise OptionError.blocks_not_whole()
    if number < 2 * k:
        raise OptionError.small_blocks(number, k=k)
    return number


def rows_of(block: IntVector) -> list[IntVector]:
    """The rows of each block, in their order."""
    return np.split(np.argsort(block, kind="stable"), np.cumsum(np.bincount(block))[:-1])


class _Keeps:
    """Whether some blocks as one keep all demands."""

    def __init__(self, demands: Demands, parts: list[IntVector]) -> None:
        self.demands, self.parts = demands, parts

    def __call__(self, blocks: Sequence[int]) -> bool:
        sensitive: Any = kernels.demands
        demands, tally = self.demands, sensitive.no_tally(self.demands)
        for block in blocks:
            np.add.at(tally, demands.codes[self.parts[block]] + demands.first[:-1], 1)
        return bool(sensitive.holds(demands, tally))


def _sentence(method: str, cuts: Cuts, parts: list[IntVector]) -> str:
    largest = max(len(rows) for rows in parts)
    return f"{method} ran in {counted(cuts.count, 'block')} of at most {counted(largest, 'record')}."
