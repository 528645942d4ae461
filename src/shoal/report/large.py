"""Summary of a release that was made out of core: the same plain data as for any release."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from shoal.measure import measures
from shoal.measure.pieces import ClassSizeCounts
from shoal.measure.sums import KeyedCounts
from shoal.partition import registry
from shoal.report.sentences import interpret
from shoal.report.summary import INTERNAL, class_size_bands
from shoal.schema import Role

if TYPE_CHECKING:
    from shoal.pieced import LargeRelease


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
