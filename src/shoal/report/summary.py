"""Summary of a release as plain data, the input of text, JSON and HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import tables
from shoal.measure import measures
from shoal.measure.distributions import distributions
from shoal.measure.sums import KeyedCounts
from shoal.partition import registry
from shoal.report.sentences import interpret
from shoal.schema import Policy, Role
from shoal.values import Evaluation

if TYPE_CHECKING:
    from shoal.release import Release

INTERNAL = "internal"
_MAX_BANDS = 8


def summarize(
    release: Release, *, policy: Policy | None = None, evaluation: Evaluation | None = None
) -> dict[str, Any]:
    """Facts of a short report, in a stable order of keys and without values of the data."""
    used_policy = policy or release.policy
    method, search = registry.get_method(used_policy.method), release.partition.search
    sizes = Counter(release.partition.sizes.tolist())
    facts: dict[str, Any] = {
        "shoal": used_policy.versions["shoal"],
        "policy": used_policy.to_dict(),
        "method": {"name": method.name, "summary": method.summary, "paper": method.paper},
        "account": list(release.partition.account),
        "search": None if search is None else search.to_dict(),
        "verification": release.verification.to_dict(),
        "evaluation": (evaluation or release.evaluation).to_dict(),
        "sentences": [],
        "group_sizes": {str(size): sizes[size] for size in sorted(sizes)},
        "measures": {measure.name: measure.to_dict() for measure in measures().values()},
        "warnings": list(release.warnings),
        "data": _table_facts(release),
        "class_bands": _class_bands(release),
    }
    facts["sentences"] = interpret(facts)
    return facts


def report_facts(
    release: Release,
    *,
    policy: Policy | None = None,
    evaluation: Evaluation | None = None,
    comparison: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Facts of the internal report: the summary and the distributions of values. For internal use."""
    facts = {"version": INTERNAL, **summarize(release, policy=policy, evaluation=evaluation)}
    facts["distributions"] = [asdict(distribution) for distribution in distributions(release.metric_inputs)]
    return facts if comparison is None else {**facts, "comparison": dict(comparison)}


def _table_facts(release: Release) -> dict[str, Any]:
    """Facts about the table: records, columns by role, and missing quasi-identifiers."""
    roles = Counter(str(column.role) for column in release.policy.schema.columns)
    names = release.policy.schema.quasi_identifiers
    missing = tables.missing_mask(release.original, list(names)).sum(axis=0).tolist()
    return {
        "records": release.original.height,
        "columns": {str(role): roles[str(role)] for role in Role if roles[str(role)]},
        "missing": dict(zip(names, missing, strict=True)),
        "suppressed": release.partition.hidden,
    }


def _class_bands(release: Release) -> list[dict[str, Any]]:
    """Number of records by class size."""
    before, after = (
        KeyedCounts.of(classes.sizes)
        for classes in (release.metric_inputs.original_classes, release.metric_inputs.released_classes)
    )
    return class_size_bands(before, after, k=release.verification.k)


def class_size_bands(before: KeyedCounts, after: KeyedCounts, *, k: int) -> list[dict[str, Any]]:
    """Number of records by class size: unique, below k, from k to 2k - 1, then twice that, and so on.

    The arguments count records by class size.
    """
    starts = sorted({1, 2, k})
    while len(starts) < _MAX_BANDS and max(before.keys.max(), after.keys.max()) >= 2 * starts[-1]:
        starts.append(2 * starts[-1])

    def counts(tally: KeyedCounts) -> list[int]:
        places = np.searchsorted(starts, tally.keys, side="right") - 1
        return [int(n) for n in np.bincount(np.maximum(places, 0), tally.counts, minlength=len(starts))]

    ends = [*(start - 1 for start in starts[1:]), None]
    rows = zip(starts, ends, counts(before), counts(after), strict=True)
    return [
        {"from": low, "to": high, "before": before_count, "after": after_count}
        for low, high, before_count, after_count in rows
    ]
