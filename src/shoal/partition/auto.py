"""Auto: Shoal chooses the starts by the size and the kinds of the table."""

from __future__ import annotations

from functools import partial

import numpy as np

from shoal import kernels
from shoal.partition import blockwise, registry
from shoal.partition.enforce import enforce
from shoal.partition.registry import AUTO, EVERY, Told, method
from shoal.schema.columns import Kind
from shoal.schema.policy import EFFORTS
from shoal.values import Progress, Records, one_of, silent
from shoal.words import counted, joined

_SMALL, _MIDDLE, _BIG = 5_000, 30_000, 40_000
"""Records up to which three starts, two, and one take seconds; larger tables are cut into blocks."""
_BLOCK = 4_000
"""Records of a block: ``ward-mhm`` takes a time that grows with their square, and loses less the more there are."""
_CELLS, _MANY = 3_000, 20_000
"""Different combinations of categories up to which the search among them, and MDAV on all of them, takes seconds."""


@method(
    name=AUTO,
    paper="Shoal's own",
    year=2026,
    cost="that of its starts: O(n²) time up to 30,000 records, then O(n log n), O(n) memory",
    largest_group=None,
    kinds=EVERY,
    mixes=True,
    enforces=True,
)
def auto(records: Records, k: int, *, progress: Progress, seed: int = 0, effort: str = "balanced") -> Told:
    """Several starts by the size and the kinds of the table, of which the one with the least error is kept.

    Our own, and the method that is taken where none is named. In a release its groups are refined by local search; how
    far that goes is said by ``effort`` for both.

    Notes
    -----
    *Steps*

    1. Choose the starts. One column of numbers: ``hm`` alone, which is proven to be best. Numbers, and numbers with
       categories: ``tour-mhm``, ``ward-mhm`` and ``mdav`` up to 5,000 records; the first two up to 30,000;
       ``tour-mhm`` up to 40,000; beyond, ``ward-mhm`` in blocks of at most 4,000, which are made by cutting the table
       again and again in the column in which it spreads most. Categories alone: ``optimal-cells``, or ``sa-mdav-plus``
       where there are more than 3,000 different combinations of them, or where the effort is ``fast``; in such blocks
       where there are more than 20,000. With the effort ``fast`` only the first of them, and with ``best`` up to 40,000
       records as many as for a table of a tenth of its size.
    2. Run each of them, blocks on all threads; where something is asked of sensitive values, merge groups until each
       has it.
    3. Keep the groups with the least sum of squared distances to their centers.

    *Departures from the paper*: it is our own.

    *Cost*: that of the starts, one after another. Of starts with equal error the first is kept.
    """
    effort = one_of("effort", effort, EFFORTS)
    names, reason, blocks = _starts(records, effort)
    run = registry.run if blocks is None else partial(blockwise.run, most=blocks)
    errors: list[float] = []
    best = np.zeros(records.count, dtype=np.int64)
    for name in names:  # steps 2 and 3
        made = run(records, k=k, method=name, seed=seed, progress=_nth(progress, len(errors), len(names)))
        labels = enforce(records, made.labels, k=k, progress=silent)
        error = float(kernels.groups.errors(records.space, labels, int(labels.max()) + 1).sum())
        if not errors or error < min(errors):
            best = labels
        errors.append(error)
    return Told(best, (_sentence(names, errors, reason, blocks),))


def _starts(records: Records, effort: str) -> tuple[list[str], str, int | None]:
    """The starts, why these, and the records of a block where they run in blocks: step 1."""
    n, measured = records.count, {kind in (Kind.NUMERIC, Kind.DATE) for kind in records.kinds.values()}
    what = f"{counted(n, 'record')} with {_columns(records)}"
    if measured == {True} and len(records.names) == 1:
        return ["hm"], f"{what}: the best partition of one column is known", None
    if measured == {False}:
        combinations = len(records.tuples.counts)
        few = combinations <= _CELLS * (10 if effort == "best" else 1) and effort != "fast"
        what += f" in {counted(combinations, 'combination')}"
        return ["optimal-cells" if few else "sa-mdav-plus"], what, _BLOCK if combinations > _MANY and not few else None
    if n > _BIG:
        return ["ward-mhm"], what, _BLOCK
    size = n / 10 if effort == "best" else n
    names = ["tour-mhm", "ward-mhm", "mdav"] if size <= _SMALL else ["tour-mhm", "ward-mhm"]
    return names[: 1 if size > _MIDDLE or effort == "fast" else len(names)], what, None


def _columns(records: Records) -> str:
    numbers, others = len(records.numeric), len(records.categories)
    said = [counted(numbers, "number")] if numbers else []
    return " and ".join([*said, *([f"{others:,} {'category' if others == 1 else 'categories'}"] if others else [])])


def _sentence(names: list[str], errors: list[float], reason: str, blocks: int | None) -> str:
    best = names[errors.index(min(errors))]
    if len(names) == 1:
        where = "" if blocks is None else f" in blocks of at most {counted(blocks, 'record')}"
        return f"auto took {best}{where} for {reason}."
    return f"auto tried {joined(names)} for {reason}, and kept {best}, which had the least error."


def _nth(progress: Progress, number: int, of: int) -> Progress:
    """The progress of one start of several."""
    return lambda done, total: progress((number * total + done) // of, total)
