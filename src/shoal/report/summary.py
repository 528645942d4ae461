"""The summary of a release: plain data first. Text, JSON and HTML only dress it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import tables
from shoal.measure import measures
from shoal.measure.distributions import distributions
from shoal.measure.sums import Tally
from shoal.partition import registry
from shoal.report.sentences import sentences
from shoal.schema import Policy, Role
from shoal.values import Evaluation

if TYPE_CHECKING:
    from shoal.release import Release

INTERNAL = "internal"
_MOST_BANDS = 8


def summarize(
    release: Release, *, policy: Policy | None = None, evaluation: Evaluation | None = None
) -> dict[str, Any]:
    """All that a short report says, in a stable order of keys and without a cell of the data."""
    made = policy or release.policy
    method, search = registry.find(made.method), release.partition.search
    sizes = Counter(release.partition.sizes.tolist())
    facts: dict[str, Any] = {
        "shoal": made.versions["shoal"],
        "policy": made.to_dict(),
        "method": {"name": method.name, "summary": method.summary, "paper": method.paper},
        "account": list(release.partition.account),
        "search": None if search is None else search.to_dict(),
        "verification": release.verification.to_dict(),
        "evaluation": (evaluation or release.evaluation).to_dict(),
        "sentences": [],
        "group_sizes": {str(size): sizes[size] for size in sorted(sizes)},
        "measures": {measure.name: measure.to_dict() for measure in measures().values()},
        "warnings": list(release.warnings),
        "data": _data(release),
        "class_bands": _bands(release),
    }
    facts["sentences"] = sentences(facts)
    return facts


def detailed(
    release: Release,
    *,
    policy: Policy | None = None,
    evaluation: Evaluation | None = None,
    comparison: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """All that the internal report says: the summary, and how often values occur. For internal use."""
    facts = {"version": INTERNAL, **summarize(release, policy=policy, evaluation=evaluation)}
    facts["distributions"] = [asdict(found) for found in distributions(release.pair)]
    return facts if comparison is None else {**facts, "comparison": dict(comparison)}


def _data(release: Release) -> dict[str, Any]:
    """The table in short: its records, its columns by role, and the missing cells of its quasi-identifiers."""
    roles = Counter(str(column.role) for column in release.policy.schema.columns)
    names = release.policy.schema.quasi_identifiers
    missing = tables.missing_mask(release.original, list(names)).sum(axis=0).tolist()
    return {
        "records": release.original.height,
        "columns": {str(role): roles[str(role)] for role in Role if roles[str(role)]},
        "missing": dict(zip(names, missing, strict=True)),
        "suppressed": release.partition.hidden,
    }


def _bands(release: Release) -> list[dict[str, Any]]:
    """How many records are in classes of which size."""
    before, after = (Tally.of(classes.sizes) for classes in (release.pair.before, release.pair.after))
    return bands(before, after, k=release.verification.k)


def bands(before: Tally, after: Tally, *, k: int) -> list[dict[str, Any]]:
    """How many records are in classes of which size: alone, below k, from k to 2k - 1, then twice that, and so on.

    The tallies count records by the sizes of their classes.
    """
    starts = sorted({1, 2, k})
    while len(starts) < _MOST_BANDS and max(before.keys.max(), after.keys.max()) >= 2 * starts[-1]:
        starts.append(2 * starts[-1])

    def counts(tally: Tally) -> list[int]:
        places = np.searchsorted(starts, tally.keys, side="right") - 1
        return [int(n) for n in np.bincount(np.maximum(places, 0), tally.counts, minlength=len(starts))]

    ends = [*(start - 1 for start in starts[1:]), None]
    found = zip(starts, ends, counts(before), counts(after), strict=True)
    return [{"from": low, "to": high, "before": was, "after": now} for low, high, was, now in found]
