"""Auto: the methods to try are chosen by the size of the table and the kinds of its columns."""

from __future__ import annotations

from functools import partial

import numpy as np

from shoal import kernels
from shoal.domain import Progress, Records, check_choice, no_progress
from shoal.domain.columns import Kind
from shoal.errors.messages import join_names, pluralize
from shoal.microaggregation import blockwise, registry
from shoal.microaggregation.enforce_constraints import enforce_constraints
from shoal.microaggregation.registry import AUTO, MethodResult, mixed_method
from shoal.microaggregation.stages import stage_progress
from shoal.options.table import EFFORTS

_SMALL, _MIDDLE, _BIG = 5_000, 30_000, 40_000
"""Maximum records for three methods, two, and one, each within seconds; larger tables are cut into blocks."""
_BLOCK = 4_000
"""Maximum records per block: the time of ``ward-mhm`` is quadratic, but larger blocks lose less."""
_CELLS, _MANY = 3_000, 20_000
"""Maximum tuples (distinct combinations of categories) for ``optimal-cells``, and for MDAV on the whole table."""


@mixed_method(
    name=AUTO,
    paper="Shoal's own",
    year=2026,
    cost="that of its starts: O(n²) time up to 30,000 records, then O(n log n), O(n) memory",
    largest_group=None,
    supports_constraints=True,
)
def auto(records: Records, k: int, *, progress: Progress, seed: int = 0, effort: str = "balanced") -> MethodResult:
    """Try several methods, chosen by the size and the kinds of the table, and keep the partition with the lowest error.

    Shoal's own, and the default method. In a release, local search refines its groups; ``effort`` controls both.

    Notes
    -----
    *Steps*

    1. Choose the methods. One column of numbers: ``hm`` alone, which is optimal. Numbers, or numbers with categories:
       ``tour-mhm``, ``ward-mhm`` and ``mdav`` up to 5,000 records; the first two up to 30,000; ``tour-mhm`` up to
       40,000; beyond that, ``ward-mhm`` in blocks of at most 4,000 records, which are made by repeated cuts in the
       column with the largest spread. Categories only: ``optimal-cells``, or ``sa-mdav-plus`` with more than 3,000
       distinct combinations or with effort ``fast``, and in blocks with more than 20,000. Effort ``fast`` runs the
       first method only. Effort ``best`` runs, up to 40,000 records, the methods for a table of a tenth of the size.
    2. Run each method, blocks on all threads. With privacy models on sensitive values, merge groups until each group
       satisfies them.
    3. Keep the partition with the lowest sum of squared distances to the centers.

    *Departures from the paper*: there is no paper.

    *Cost*: the sum over the methods that are run. Ties go to the method that ran first.
    """
    effort = check_choice("effort", effort, EFFORTS)
    names, reason, blocks = _choose(records, effort)
    run = registry.run if blocks is None else partial(blockwise.run, max_records=blocks)
    errors: list[float] = []
    best = np.zeros(records.count, dtype=np.int64)
    for name in names:  # steps 2 and 3
        method_progress = stage_progress(progress, records, len(errors), len(names))
        result = run(records, k=k, method=name, seed=seed, progress=method_progress)
        labels = enforce_constraints(records, result.labels, k=k, progress=no_progress)
        error = kernels.centroids.squared_error(records.space, labels)
        if not errors or error < min(errors):
            best = labels
        errors.append(error)
    return MethodResult(best, (_describe(names, errors, reason, blocks),))


def _choose(records: Records, effort: str) -> tuple[list[str], str, int | None]:
    """Step 1: return the methods, the reason, and the block size if they run in blocks."""
    n, measured = records.count, {kind in (Kind.NUMERIC, Kind.DATE) for kind in records.kinds.values()}
    what = f"{pluralize(n, 'record')} with {_columns(records)}"
    if measured == {True} and len(records.names) == 1:
        return ["hm"], f"{what}: the best partition of one column is known", None
    if measured == {False}:
        combinations = len(records.tuples.counts)
        few = combinations <= _CELLS * (10 if effort == "best" else 1) and effort != "fast"
        what += f" in {pluralize(combinations, 'combination')}"
        return ["optimal-cells" if few else "sa-mdav-plus"], what, _BLOCK if combinations > _MANY and not few else None
    if n > _BIG:
        return ["ward-mhm"], what, _BLOCK
    size = n / 10 if effort == "best" else n
    names = ["tour-mhm", "ward-mhm", "mdav"] if size <= _SMALL else ["tour-mhm", "ward-mhm"]
    return names[: 1 if size > _MIDDLE or effort == "fast" else len(names)], what, None


def _columns(records: Records) -> str:
    numbers, others = len(records.numeric), len(records.categories)
    parts = [pluralize(numbers, "number")] if numbers else []
    return " and ".join([*parts, *([f"{others:,} {'category' if others == 1 else 'categories'}"] if others else [])])


def _describe(names: list[str], errors: list[float], reason: str, blocks: int | None) -> str:
    best = names[errors.index(min(errors))]
    if len(names) == 1:
        where = "" if blocks is None else f" in blocks of at most {pluralize(blocks, 'record')}"
        return f"auto took {best}{where} for {reason}."
    return f"auto tried {join_names(names)} for {reason}, and kept {best}, which had the least error."
