"""Summary of a release as plain data, the input of text, JSON and HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import data
from shoal.domain import Evaluation, Policy, Role
from shoal.metrics import measures
from shoal.metrics.combine_parts import ClassSizeCounts
from shoal.metrics.distributions import distributions
from shoal.metrics.partial_sums import KeyedCounts
from shoal.microaggregation import registry
from shoal.report.interpretation import interpret

if TYPE_CHECKING:
    from shoal.release.out_of_core import LargeRelease
    from shoal.release.result import Release


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
    missing = data.missing_mask(release.original, list(names)).sum(axis=0).tolist()
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


def summarize_file_release(release: LargeRelease) -> dict[str, Any]:
    """Facts of a short report, in a stable order of keys and without values of the data."""
    policy, proof, done = release.policy, release.verification, release.parts
    method = registry.get_method(policy.method)
    roles = Counter(str(column.role) for column in policy.schema.columns)
    sizes = zip(done.group_sizes.keys.tolist(), done.group_sizes.counts.tolist(), strict=True)
    facts: dict[str, Any] = {
        "shoal": policy.versions["shoal"],
        "policy": policy.to_dict(),
        "method": {"name": method.name, "summary": method.summary, "paper": method.paper},
        "account": list(release.account),
        "search": _search_facts(release),
        "verification": proof.to_dict(),
        "evaluation": release.evaluation.to_dict(),
        "sentences": [],
        "group_sizes": {str(size): count for size, count in sizes},
        "measures": {measure.name: measure.to_dict() for measure in measures().values()},
        "warnings": list(release.warnings),
        "data": {
            "records": proof.records,
            "columns": {str(role): roles[str(role)] for role in Role if roles[str(role)]},
            "missing": dict(release.missing),
            "suppressed": done.n_suppressed,
        },
        "class_bands": class_size_bands(_records_by_size(release.before), _records_by_size(release.after), k=proof.k),
    }
    facts["sentences"] = interpret(facts)
    return facts


def file_report_facts(release: LargeRelease) -> dict[str, Any]:
    """Facts of the internal report. Distributions of values are not counted out of core."""
    return {"version": INTERNAL, **summarize_file_release(release), "distributions": []}


def _records_by_size(sizes: ClassSizeCounts) -> KeyedCounts:
    """Number of records in classes of each size."""
    return KeyedCounts(sizes.counts.keys, sizes.counts.keys * sizes.counts.counts)


def _search_facts(release: LargeRelease) -> dict[str, Any] | None:
    errors, refinement = release.parts.squared_errors, release.policy.refinement
    if errors is None or refinement is None:
        return None
    before, after = errors
    gained = 100 * (1 - after / before) if after < before else 0.0
    return {"effort": refinement.effort, "gained": gained, "before": before, "after": after}
