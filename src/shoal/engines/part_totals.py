"""Summaries of the parts of an out-of-core release, and what follows from all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from shoal.domain import Evaluation, IntVector, Policy, Role, Search, Verification
from shoal.engines.engine import ProcessTotals
from shoal.engines.parts_plan import PartResult, PartsPlan
from shoal.errors import PromiseError
from shoal.metrics.disclosure_sums import DisclosureSums, unmeasured_notes
from shoal.metrics.evaluate import ClassSizeCounts, PartialSums, distance_name, evaluate_parts
from shoal.metrics.partial_sums import KeyedCounts, merge_partials

PARTS_STAGES = {"profile": 0.15, "partition": 0.15, "process": 0.4, "write": 0.2, "verify": 0.1}
"""Fraction of the progress per step of an out-of-core release."""
PartSummary = dict[str, Any]
"""Summary of a processed part, serializable as JSON."""
_NO_ATTACKS = "attacks are not measured in pieces"
_NO_HOUSEHOLD_RISK = "household risk is not measured in pieces"


@dataclass(frozen=True, kw_only=True)
class PartTotals(ProcessTotals):
    """Totals over all parts."""

    n_parts: int
    largest_part: int
    original_class_sizes: KeyedCounts
    """Number of classes of the original table of each size."""


def counted_facts(policy: Policy) -> dict[str, Any]:
    """Return what the verification of a written release counts, from the policy in the names of its columns."""
    schema, survey = policy.schema, policy.survey
    return {
        "k": policy.k,
        "quasi_identifiers": schema.quasi_identifiers,
        "models": policy.models,
        "schema": schema,
        "strata": [name for name in survey.strata if name in schema.released],
        "households": survey.households,
        "sensitive": schema.names_with_role(Role.SENSITIVE),
    }


def summarize_part(result: PartResult) -> PartSummary:
    """Summarize a part."""
    return {
        "records": result.records,
        "original_class_sizes": _to_json(result.original_class_sizes),
        "group_sizes": _to_json(result.group_sizes),
        "n_suppressed": result.n_suppressed,
        "notes": list(result.notes),
        "search": None if result.search is None else {**asdict(result.search), "bound": None},
    }


def merge_summaries(summaries: Sequence[PartSummary]) -> PartTotals:
    """Merge the summaries of all parts, given in order."""
    return PartTotals(
        n_parts=len(summaries),
        largest_part=max(part["records"] for part in summaries),
        original_class_sizes=_merge_counts([part["original_class_sizes"] for part in summaries]),
        group_sizes=_merge_counts([part["group_sizes"] for part in summaries]),
        n_suppressed=sum(part["n_suppressed"] for part in summaries),
        notes=tuple(dict.fromkeys(note for part in summaries for note in part["notes"])),
        search=_merge_searches([part["search"] for part in summaries if part["search"] is not None]),
    )


def _merge_searches(searches: Sequence[Mapping[str, Any]]) -> Search | None:
    """Merge the searches of all parts; the steps of a replay are listed part by part."""
    if not searches:
        return None

    def steps(name: str) -> tuple[int, ...]:
        return tuple(number for search in searches for number in search[name])

    return Search(
        effort=searches[0]["effort"],
        before=sum(search["before"] for search in searches),
        after=sum(search["after"] for search in searches),
        steps_planned=steps("steps_planned"),
        steps_done=steps("steps_done"),
        descent_passes=steps("descent_passes"),
        timed=any(search["timed"] for search in searches),
    )


def _to_json(sizes: IntVector) -> dict[str, list[int]]:
    counts = KeyedCounts.of(sizes)
    return {"sizes": counts.keys.tolist(), "counts": counts.counts.tolist()}


def _merge_counts(parts: Sequence[dict[str, list[int]]]) -> KeyedCounts:
    return merge_partials([KeyedCounts(np.array(part["sizes"]), np.array(part["counts"])) for part in parts])


def check_count(records: int, expected: int) -> None:
    """Raise if records were lost or duplicated."""
    if records != expected:
        raise PromiseError.unexpected_content(f"{records:,} records instead of {expected:,}")


@dataclass(frozen=True, kw_only=True)
class ReleaseSums:
    """What engines measure of a release without the whole table, by which it is evaluated."""

    parts: Sequence[PartialSums]
    """Sums of losses over parts or chunks."""
    class_sizes: Mapping[int, int]
    """Number of classes of each size."""
    disclosures: Mapping[str, DisclosureSums]
    """Sums of each sensitive column over the classes."""
    risks: tuple[PartialSums, PartialSums] | None
    """Sums of risks over the classes before and after; None without sampling weights."""

    def evaluate(self, plan: PartsPlan, totals: PartTotals, proof: Verification) -> Evaluation:
        """Evaluate the release."""
        notes = [_NO_ATTACKS, _NO_HOUSEHOLD_RISK] if plan.policy.survey.households else [_NO_ATTACKS]
        notes += unmeasured_notes(plan.policy.schema.names_with_role(Role.SENSITIVE), self.disclosures)
        return evaluate_parts(
            self.parts,
            replace(plan.table_facts, n_classes=proof.classes),
            before=ClassSizeCounts(totals.original_class_sizes),
            after=ClassSizeCounts.of(self.class_sizes, totals.n_suppressed),
            base=plan.encoder.scale.name if plan.encoder.numeric else "none",
            distance=distance_name(plan.encoder.categories, plan.policy.distance),
            risks=self.risks,
            disclosures=self.disclosures,
            models=proof.models,
            notes=tuple(notes),
        )
