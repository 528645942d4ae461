"""Count the release of a bundle: k, the models, and whether the counts match the bundle."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shoal import tables
from shoal.schema import Policy
from shoal.tables import Table
from shoal.values import ModelCheck, SurveyDesign, Verification
from shoal.verify import verify
from shoal.words import format_number, pluralize, quote_name, quote_names

_TOLERANCE = 1e-9
"""Tolerance for measures that were computed on another machine."""


@dataclass(frozen=True)
class CheckResult:
    """One check of a bundle."""

    subject: str
    ok: bool | None
    """None if the files cannot decide it."""
    detail: str

    def to_dict(self) -> dict[str, Any]:
        return {"about": self.subject, "ok": self.ok, "said": self.detail}


@dataclass(frozen=True)
class ReleaseCounts:
    """Verification of the release of a bundle, with its checks; no proof if it could not be counted."""

    checks: tuple[CheckResult, ...]
    proof: Verification | None = None


def count_release(table: Table, policy: Policy, measures: Mapping[str, Any]) -> ReleaseCounts:
    """Count the classes of a release by its policy, as far as the release contains the columns."""
    schema = policy.schema
    if table.names != schema.released:
        return ReleaseCounts((CheckResult("columns", False, "other columns than the policy releases"),))
    columns_text = f"{pluralize(len(table.names), 'column')}, those that the policy releases"
    design, unknown = _design(table, policy)
    has_design = bool(policy.survey.strata or policy.survey.households)
    wildcards = policy.missing == "wildcard" and not has_design
    suppressed = tables.fully_suppressed(table, schema.quasi_identifiers) if wildcards and policy.suppression else None
    certain = suppressed is None or int(suppressed.sum()) == measures.get("suppressed")
    if suppressed is not None and not certain:
        n_suppressed = pluralize(int(suppressed.sum()), "record")
        unknown.append(f"which of the {n_suppressed} that show nothing are suppressed; counted as if all were")
    proof = verify(
        table,
        k=policy.k,
        quasi_identifiers=schema.quasi_identifiers,
        models=policy.models,
        schema=schema,
        missing="wildcard" if wildcards else "category",
        alpha=policy.alpha,
        design=design,
        suppressed=suppressed,
    )
    return ReleaseCounts(
        (
            CheckResult("columns", True, columns_text),
            _check_k(proof, certain=certain),
            *(_check_model(check) for check in proof.models),
            *_compare_counts(proof, policy, measures, exact=not unknown),
            *(CheckResult("not told", None, what) for what in unknown),
        ),
        proof,
    )


def _design(table: Table, policy: Policy) -> tuple[SurveyDesign, list[str]]:
    """Strata and households in the release, and a note for each that it does not contain.

    A stratum by a quasi-identifier cannot be used: it may be suppressed or imputed.
    """
    survey, keys = policy.survey, policy.schema.quasi_identifiers
    strata = [name for name in survey.strata if name in table.names and name not in keys]
    households = survey.households if survey.households in table.names else ""
    unknown = []
    if len(strata) < len(survey.strata):
        not_released = quote_names(name for name in survey.strata if name not in strata)
        unknown.append(
            f"the strata by {not_released}, which the release does not show as they were; counted over all of them"
        )
    if survey.households and not households:
        unknown.append(
            f"the households by {quote_name(survey.households)}, which the release does not show; records counted"
        )
    return tables.build_survey_design(table, strata=strata, households=households), unknown


def _check_k(proof: Verification, *, certain: bool) -> CheckResult:
    names, smallest = quote_names(proof.quasi_identifiers), f"{format_number(proof.min_class)} {proof.unit}"
    detail = f"the smallest of {proof.classes:,} classes has {smallest}, counted again on {names}"
    if not proof.violations and proof.min_class >= proof.k:
        return CheckResult(f"k = {proof.k:,}", True, detail)
    broken = f"{proof.violations:,} of {pluralize(proof.records, 'record')} are in classes below k; {detail}"
    return CheckResult(f"k = {proof.k:,}", False if certain else None, broken)


def _check_model(check: ModelCheck) -> CheckResult:
    letter = "t" if check.model.startswith("t-") else "l"
    detail = f"{letter} = {check.reached:.6g} in the worst class of {quote_name(check.column)}"
    broken = f"; {pluralize(check.violations, 'record')} in classes that break it"
    return CheckResult(check.model, check.ok, detail if check.ok else detail + broken)


def _compare_counts(
    proof: Verification, policy: Policy, measures: Mapping[str, Any], *, exact: bool
) -> Iterator[CheckResult]:
    """Compare the counts with policy and measures. If not all can be counted: records and classes only."""
    counts = proof.to_dict()
    names = ("records", "classes", *(["min_class"] if exact else []))
    matches = _is_equal({name: policy.output.get(name) for name in names}, {name: counts[name] for name in names})
    yield CheckResult("policy counts", matches, _counts_text(matches, "of the policy"))
    if exact:
        matches = _is_equal(measures["verification"], counts)
    else:
        matches = all(
            _is_equal(measures["verification"].get(name), counts[name]) for name in ("k", "records", "classes")
        )
    matches &= all(_is_equal(measures["evaluation"].get(name), counts[name]) for name in ("k", "records"))
    yield CheckResult("measures", matches, _counts_text(matches, "of the measures"))


def _counts_text(matches: bool, whose: str) -> str:
    return f"the counts are {'those' if matches else 'not those'} {whose}"


def _is_equal(one: Any, other: Any) -> bool:
    """Whether plain data is equal, floats up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return type(one) is type(other) and bool(one == other)
