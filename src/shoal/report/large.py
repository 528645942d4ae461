"""The summary of a release in pieces: the same plain data as that of any release."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from shoal.measure import measures
from shoal.measure.pieces import Sizes
from shoal.measure.sums import Tally
from shoal.partition import registry
from shoal.report.sentences import sentences
from shoal.report.summary import INTERNAL, bands
from shoal.schema import Role

if TYPE_CHECKING:
    from shoal.pieced import LargeRelease


def summarize_large(release: LargeRelease) -> dict[str, Any]:
    """All that a short report says, in a stable order of keys and without a cell of the data."""
    policy, proof, done = release.policy, release.verification, release.done
    method = registry.find(policy.method)
    roles = Counter(str(column.role) for column in policy.schema.columns)
    sizes = zip(done.groups.keys.tolist(), done.groups.counts.tolist(), strict=True)
    facts: dict[str, Any] = {
        "shoal": policy.versions["shoal"],
        "policy": policy.to_dict(),
        "method": {"name": method.name, "summary": method.summary, "paper": method.paper},
        "account": list(release.account),
        "search": _search(release),
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
            "suppressed": done.hidden,
        },
        "class_bands": bands(_records(release.before), _records(release.after), k=proof.k),
    }
    facts["sentences"] = sentences(facts)
    return facts


def detailed_large(release: LargeRelease) -> dict[str, Any]:
    """All that the internal report says; how often values occur is not counted in pieces."""
    return {"version": INTERNAL, **summarize_large(release), "distributions": []}


def _records(sizes: Sizes) -> Tally:
    """The records in classes of each size."""
    return Tally(sizes.tally.keys, sizes.tally.keys * sizes.tally.counts)


def _search(release: LargeRelease) -> dict[str, Any] | None:
    errors, refinement = release.done.errors, release.policy.refinement
    if errors is None or refinement is None:
        return None
    before, after = errors
    gained = 100 * (1 - after / before) if after < before else 0.0
    return {"effort": refinement.effort, "gained": gained, "before": before, "after": after}
