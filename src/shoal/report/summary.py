"""Summary of a release as plain data, the input of text, JSON and HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import data
from shoal.domain import Evaluation, Policy, Role
from shoal.metrics import measures
from shoal.metrics.distributions import distributions
from shoal.metrics.evaluate import ClassSizeCounts
from shoal.metrics.partial_sums import KeyedCounts
from shoal.microaggregation import registry
from shoal.report.interpretation import interpret

if TYPE_CHECKING:
    from shoal.release.out_of_core import FileRelease
    from shoal.release.result import Release


INTERNAL = "internal"
_MAX_BANDS = 8


def summarize(
    release: Release, *, policy: Policy | None = None, evaluation: Evaluation | None = None
) -> dict[str, Any]:
    """Facts of a short report, in a stable order of keys and without values of the data."""
    names, search = release.policy.schema.quasi_identifiers, release.partition.search
    sizes = Counter(release.partition.sizes.tolist())
    missing = data.missing_mask(release.original, list(names)).sum(axis=0).tolist()
    return _facts(
        release,
        policy or release.policy,
        evaluation or release.evaluation,
        notes=release.partition.account,
        search=None if search is None else search.to_dict(),
        group_sizes={str(size): sizes[size] for size in sorted(sizes)},
        missing=dict(zip(names, missing, strict=True)),
        suppressed=release.partition.n_suppressed,
        before=KeyedCounts.of(release.metric_inputs.original_classes.sizes),
        after=KeyedCounts.of(release.metric_inputs.released_classes.sizes),
    )


def _facts(
    release: Release | FileRelease,
    policy: Policy,
    evaluation: Evaluation,
    *,
    notes: Iterable[str],
    search: dict[str, Any] | None,
    group_sizes: dict[str, int],
    missing: dict[str, int],
    suppressed: int,
    before: KeyedCounts,
    after: KeyedCounts,
) -> dict[str, Any]:
    """Facts of a release in memory or of a file; ``before`` and ``after`` count records by class size."""
    method, proof = registry.get_method(policy.method), release.verification
    roles = Counter(str(column.role) for column in release.policy.schema.columns)
    facts: dict[str, Any] = {
        "shoal": policy.versions["shoal"],
        "policy": policy.to_dict(),
        "method": {"name": method.name, "summary": method.summary, "paper": method.paper},
        "account": list(notes),
        "search": search,
        "verification": proof.to_dict(),
        "evaluation": evaluation.to_dict(),
        "sentences": [],
        "group_sizes": group_sizes,
        "measures": {measure.name: measure.to_dict() for measure in measures().values()},
        "warnings": list(release.warnings),
        "data": {
            "records": proof.records,
            "columns": {str(role): roles[str(role)] for role in Role if roles[str(role)]},
            "missing": missing,
            "suppressed": suppressed,
        },
        "class_bands": class_size_bands(before, after, k=proof.k),
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


def summarize_file_release(release: FileRelease) -> dict[str, Any]:
    """Facts of a short report, in a stable order of keys and without values of the data."""
    parts = release.parts
    sizes = zip(parts.group_sizes.keys.tolist(), parts.group_sizes.counts.tolist(), strict=True)
    return _facts(
        release,
        release.policy,
        release.evaluation,
        notes=release.account,
        search=_search_facts(release),
        group_sizes={str(size): count for size, count in sizes},
        missing=dict(release.missing),
        suppressed=parts.n_suppressed,
        before=_records_by_size(release.before),
        after=_records_by_size(release.after),
    )


def file_report_facts(release: FileRelease) -> dict[str, Any]:
    """Facts of the internal report. Distributions of values are not counted out of core."""
    return {"version": INTERNAL, **summarize_file_release(release), "distributions": []}


def _records_by_size(sizes: ClassSizeCounts) -> KeyedCounts:
    return KeyedCounts(sizes.counts.keys, sizes.counts.keys * sizes.counts.counts)


def _search_facts(release: FileRelease) -> dict[str, Any] | None:
    errors, refinement = release.parts.squared_errors, release.policy.refinement
    if errors is None or refinement is None:
        return None
    before, after = errors
    gained = 100 * (1 - after / before) if after < before else 0.0
    return {"effort": refinement.effort, "gained": gained, "before": before, "after": after}
