"""Summary of a release as plain data, the input of text, JSON and HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.domain import Evaluation, Policy, Role
from shoal.metrics import measures
from shoal.metrics.distributions import distributions
from shoal.metrics.partial_sums import KeyedCounts
from shoal.microaggregation import registry
from shoal.report.interpretation import interpret

if TYPE_CHECKING:
    from shoal.release.base_release import BaseRelease


INTERNAL = "internal"
_MAX_BANDS = 8


def summarize(
    release: BaseRelease, *, policy: Policy | None = None, evaluation: Evaluation | None = None
) -> dict[str, Any]:
    """Facts of a short report, in a stable order of keys and without values of the data."""
    policy = policy or release.policy
    method, proof, sizes = registry.get_method(policy.method), release.verification, release.group_sizes
    roles = Counter(str(column.role) for column in policy.schema.columns)
    before, after = release.records_by_class_size
    facts: dict[str, Any] = {
        "shoal": policy.versions["shoal"],
        "policy": policy.to_dict(),
        "method": {"name": method.name, "summary": method.summary, "paper": method.paper},
        "account": list(release.notes),
        "search": None if release.search is None else release.search.to_dict(),
        "verification": proof.to_dict(),
        "evaluation": (evaluation or release.evaluation).to_dict(),
        "sentences": [],
        "group_sizes": {str(s): n for s, n in zip(sizes.keys.tolist(), sizes.counts.tolist(), strict=True)},
        "measures": {measure.name: measure.to_dict() for measure in measures().values()},
        "warnings": list(release.warnings),
        "data": {
            "records": proof.records,
            "columns": {str(role): roles[str(role)] for role in Role if roles[str(role)]},
            "missing": dict(release.missing_counts),
            "suppressed": release.n_suppressed,
        },
        "class_bands": class_size_bands(before, after, k=proof.k),
    }
    facts["sentences"] = interpret(facts)
    return facts


def report_facts(
    release: BaseRelease,
    *,
    policy: Policy | None = None,
    evaluation: Evaluation | None = None,
    comparison: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Facts of the internal report: the summary, and the distributions of values where the records are in memory."""
    facts = {
        "version": INTERNAL,
        **summarize(release, policy=policy, evaluation=evaluation or release.full_evaluation()),
    }
    inputs = release.metric_inputs
    facts["distributions"] = [] if inputs is None else [asdict(each) for each in distributions(inputs)]
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
