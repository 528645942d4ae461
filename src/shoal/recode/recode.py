"""From groups to released values: one value a group for every quasi-identifier, each recoded in its way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.recode.category import nodes
from shoal.recode.choice import INTERVAL, way
from shoal.recode.gaps import Sources, sources
from shoal.recode.interval import bounds, intervals
from shoal.recode.number import centers
from shoal.recode.rounding import WHOLE
from shoal.recode.totals import rounded_to_total
from shoal.schema import MISSING
from shoal.schema.columns import Kind
from shoal.values import (
    BoolVector,
    Categories,
    Days,
    FloatMatrix,
    FloatVector,
    IntVector,
    Partition,
    Precision,
    Records,
    Rounded,
    Whole,
    Worded,
    one_of,
)

Released = NDArray[Any] | Rounded | Whole | Worded | Days
"""A column of float64, with NaN where a cell is missing, or of int64, or one of these."""

SUPPRESSED = "*"
_SECONDS = 86_400


def recode(
    records: Records,
    partition: Partition,
    *,
    ways: Mapping[str, str],
    precisions: Mapping[str, Precision] | None = None,
    keep_totals: bool = False,
    sampling: FloatVector | None = None,
    missing: str = "category",
    suppressed: BoolVector | None = None,
) -> dict[str, Released]:
    """The released values of every quasi-identifier: one value a group.

    Numbers are rounded to the ``precisions`` of their columns; the others keep all digits. Halves go to the even
    neighbor, or with ``keep_totals`` means go up or down so that the column keeps its total; a cell that gets the value
    of its group without having one counts with the mean of the group. ``sampling`` are the weights of the records.
    ``missing`` says what becomes of missing cells (see `gaps.sources`). ``suppressed`` records lose their values:
    categories and intervals are ``*``, all else is missing.

    A category's place is its node; after the nodes comes the ``*`` of suppressed records, where no node has this name.
    """
    one_of("missing", missing, MISSING)
    hidden = suppressed if suppressed is not None and suppressed.any() else None
    with_gaps = partial(sources, partition, suppressed=hidden, missing=missing, weights=sampling)
    released: dict[str, Released] = {}
    for j, name in enumerate(records.numeric):
        column, kind = records.values[:, j], records.kinds[name]
        source, chosen = with_gaps(gone=records.gone(name)), way(ways[name], column=name, kind=kind)
        if chosen == INTERVAL:
            zone = "+00:00" if name in records.zoned else ""
            released[name] = _intervals(column, source, hidden, dates=kind is Kind.DATE, zone=zone)
            continue
        if kind is Kind.DATE:
            days = _timely(_centers(chosen, column, source), column[source.rows])
            released[name] = Days(source.spread(days, np.nan))
        elif precisions is None or name not in precisions:
            released[name] = source.spread(_centers(chosen, column, source), np.nan)
        else:
            precision, kept = precisions[name], keep_totals and chosen == "mean"
            numbers = source.spread(
                _rounded(chosen, column, source, precision, keep_total=kept, sampling=sampling), np.nan
            )
            released[name] = _whole(numbers) if precision == WHOLE else Rounded(numbers, precision)
    for j, meaning in enumerate(records.categories):
        codes, name = records.codes[:, j], meaning.name
        source = with_gaps(gone=_no_category(records, meaning, codes, missing))
        node = nodes[way(ways[name], column=name, kind=meaning.kind)](
            codes[source.rows], source.labels, source.count, meaning.rounded(), meaning.hierarchy, source.weights
        )
        released[name] = _words(meaning, source.spread(node, -1), hidden)
    return {name: released[name] for name in records.names}


def _no_category(records: Records, meaning: Categories, codes: IntVector, missing: str) -> BoolVector | None:
    """The missing cells of a column of categories; none of them where missing is a category of its own."""
    if meaning.gap is None:
        return records.gone(meaning.name)
    return None if missing == "category" else codes == meaning.gap


def _intervals(column: FloatVector, source: Sources, hidden: BoolVector | None, *, dates: bool, zone: str) -> Worded:
    low, high = bounds(column[source.rows], source.labels, source.count)
    used = np.unique(source.of[source.of >= 0])  # the others decide nothing, not even the form of the texts
    texts = intervals(low[used], high[used], dates=dates, zone=zone)
    number = {word: place for place, word in enumerate(dict.fromkeys(texts))}
    places = np.full(source.count, -1, dtype=np.int64)
    places[used] = [number[text] for text in texts]
    return _starred(Worded(tuple(number), source.spread(places, -1), numeric=not dates), hidden)


def _words(meaning: Categories, places: IntVector, hidden: BoolVector | None) -> Worded:
    if meaning.gap is not None:
        places = np.where(places == meaning.gap, -1, places)
    return _starred(Worded(tuple(map(_written, meaning.hierarchy.nodes)), places), hidden)


def _written(node: str) -> str:
    """A node as text that a file can hold: half a surrogate pair is spelled out."""
    return node.encode(errors="backslashreplace").decode()


def _starred(column: Worded, hidden: BoolVector | None) -> Worded:
    """The column with a star for the suppressed records, whatever the root of its hierarchy is called."""
    if hidden is None:
        return column
    words = column.words if SUPPRESSED in column.words else (*column.words, SUPPRESSED)
    return replace(column, words=words, places=np.where(hidden, words.index(SUPPRESSED), column.places))


def _timely(center: FloatVector, known: FloatVector) -> FloatVector:
    """Whole days where the column has nothing else, else whole seconds; within the bounds of the column."""
    if bool(np.all(known == np.rint(known))):
        return np.rint(center)
    seconds: FloatVector = np.rint(center * _SECONDS) / _SECONDS
    return np.clip(seconds, known.min(), known.max())


def rounded_centers(
    values: FloatMatrix, partition: Partition, way: str, precisions: Sequence[Precision]
) -> FloatMatrix:
    """What stands for each group, a row a group, where nothing is missing."""
    source = sources(partition)
    columns = [
        _rounded(way, column, source, precision, keep_total=False, sampling=None)
        for column, precision in zip(values.T, precisions, strict=True)
    ]
    return np.column_stack(columns)


def _centers(chosen: str, column: FloatVector, source: Sources) -> FloatVector:
    """The mean or the median of every source, never -0.0."""
    known = column[source.rows, None]
    found: FloatVector = centers[chosen](known, source.labels, source.count, source.weights)[:, 0] + 0.0
    return found


def _rounded(
    chosen: str,
    column: FloatVector,
    source: Sources,
    precision: Precision,
    *,
    keep_total: bool,
    sampling: FloatVector | None,
) -> FloatVector:
    """The centers on the grid of the column.

    They are computed in steps of its last decimal, which are whole numbers: so a center is rounded once, and a half is
    one exactly. A whole number of steps divided by a power of ten is the nearest float to that decimal number.
    """
    steps = np.rint(column * precision.unit) if precision.most else column
    values = _centers(chosen, steps, source)
    if precision.most is not None:
        whole = _kept(values, steps, source, sampling) if keep_total else np.rint(values)
        values = whole / precision.unit
    # a narrow type holds another float than the decimal number that it shows
    held, known = values.astype(precision.dtype).astype(np.float64), column[source.rows]
    return np.clip(held, known.min(initial=np.inf), known.max(initial=-np.inf)) + 0.0


def _kept(center: FloatVector, column: FloatVector, source: Sources, sampling: FloatVector | None) -> IntVector:
    """The centers as whole numbers with the total of the column: of its known cells, and the centers of all others."""
    filled = source.spread(center, 0.0)
    filled[source.rows] = column[source.rows]
    weights = np.ones(len(column)) if sampling is None else sampling
    gets = source.of >= 0
    sizes = np.bincount(source.of[gets], weights[gets], minlength=source.count)
    return rounded_to_total(center, sizes, math.fsum((filled * weights)[gets]))[0]


def _whole(numbers: FloatVector) -> NDArray[np.int64] | Whole:
    return Whole(numbers) if np.isnan(numbers).any() else numbers.astype(np.int64)
