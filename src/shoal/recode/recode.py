"""From groups to released values: one value a group for every quasi-identifier, each recoded in its way."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
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
from shoal.recode.totals import rounded_to_total
from shoal.schema import MISSING
from shoal.schema.columns import Kind
from shoal.values import (
    BoolVector,
    Categories,
    Days,
    FloatVector,
    IntVector,
    Partition,
    Records,
    Whole,
    Worded,
    one_of,
)

Released = NDArray[Any] | Whole | Worded | Days
"""A column of float64, with NaN where a cell is missing, or of int64, or one of these."""

SUPPRESSED = "*"
_EXACT_WHOLE = 2.0**53
_SECONDS = 86_400


def recode(
    records: Records,
    partition: Partition,
    *,
    ways: Mapping[str, str],
    round_integers: bool = False,
    whole: Collection[str] | None = None,
    keep_totals: bool = False,
    sampling: FloatVector | None = None,
    missing: str = "category",
    suppressed: BoolVector | None = None,
) -> dict[str, Released]:
    """The released values of every quasi-identifier: one value a group.

    With ``round_integers`` a column of whole numbers stays one, and those named as ``whole`` where these records do not
    tell it: halves go to the even neighbor, or with ``keep_totals`` means go up or down so that the column keeps its
    total; a cell that gets the value of its group without having one counts with the mean of the group. ``sampling``
    are the weights of the records. ``missing`` says what becomes of missing cells (see `gaps.sources`). ``suppressed``
    records lose their values: categories and intervals are ``*``, all else is missing.

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
        known = column[source.rows]
        center = centers[chosen](known[:, None], source.labels, source.count, source.weights)[:, 0] + 0.0  # no -0.0
        if kind is Kind.DATE:
            released[name] = Days(source.spread(_timely(center, known), np.nan))
        elif round_integers and (_is_whole(known) if whole is None else name in whole):
            kept = keep_totals and chosen == "mean"
            rounded = _kept(center, column, source, sampling) if kept else np.rint(center)
            released[name] = _whole(source.spread(rounded, np.nan))
        else:
            released[name] = source.spread(center, np.nan)
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


def _is_whole(known: FloatVector) -> bool:
    return bool(np.all(known == np.rint(known)) and np.abs(known).max(initial=0.0) <= _EXACT_WHOLE)


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
