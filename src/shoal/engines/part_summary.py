"""Summary of a processed part, and the merge of the summaries of all parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from shoal.domain import IntVector
from shoal.engines.engine import PartTotals
from shoal.engines.plan import PartResult
from shoal.errors import PromiseError
from shoal.metrics.partial_sums import KeyedCounts, merge_partials

PartSummary = dict[str, Any]
"""Serializable as JSON."""


def summarize_part(result: PartResult) -> PartSummary:
    """Summarize a part."""
    return {
        "records": result.records,
        "before": _histogram(result.original_class_sizes),
        "groups": _histogram(result.group_sizes),
        "hidden": result.n_suppressed,
        "account": list(result.notes),
        "search": None if result.search is None else [result.search.before, result.search.after],
    }


def merge_summaries(summaries: Sequence[PartSummary]) -> PartTotals:
    """Merge the summaries of all parts, given in order."""
    searches = [facts["search"] for facts in summaries if facts["search"] is not None]
    return PartTotals(
        n_parts=len(summaries),
        largest_part=max(facts["records"] for facts in summaries),
        original_class_sizes=_tally(facts["before"] for facts in summaries),
        group_sizes=_tally(facts["groups"] for facts in summaries),
        n_suppressed=sum(facts["hidden"] for facts in summaries),
        notes=tuple(dict.fromkeys(sentence for facts in summaries for sentence in facts["account"])),
        squared_errors=(sum(before for before, _ in searches), sum(after for _, after in searches))
        if searches
        else None,
    )


def check_count(records: int, expected: int) -> None:
    """Raise if records were lost or duplicated."""
    if records != expected:
        raise PromiseError.unexpected_content(f"{records:,} records instead of {expected:,}")


def _histogram(sizes: IntVector) -> dict[str, list[int]]:
    tally = KeyedCounts.of(sizes)
    return {"sizes": tally.keys.tolist(), "counts": tally.counts.tolist()}


def _tally(found: Iterable[dict[str, list[int]]]) -> KeyedCounts:
    return merge_partials([KeyedCounts(np.array(each["sizes"]), np.array(each["counts"])) for each in found])
