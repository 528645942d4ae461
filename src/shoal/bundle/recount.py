"""The release of a bundle counted again: k, the models, and whether that is what the bundle says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shoal import tables
from shoal.schema import Policy
from shoal.tables import Table
from shoal.values import Design, ModelCheck, Verification
from shoal.verify import verify
from shoal.words import counted, listed, number, shown

_CLOSE = 1e-9
"""How far figures may be apart that were computed on different machines."""


@dataclass(frozen=True)
class Check:
    """One thing that must hold in a bundle."""

    about: str
    ok: bool | None
    """None where the files do not tell."""
    said: str

    def to_dict(self) -> dict[str, Any]:
        return {"about": self.about, "ok": self.ok, "said": self.said}


@dataclass(frozen=True)
class Recount:
    """The classes of a release, and what was found about them; no proof where it could not be counted."""

    checks: tuple[Check, ...]
    proof: Verification | None = None


def recount(table: Table, policy: Policy, measures: Mapping[str, Any]) -> Recount:
    """Count the classes of a release by its policy, as far as the release itself tells them."""
    schema = policy.schema
    if table.names != schema.released:
        return Recount((Check("columns", False, "other columns than the policy releases"),))
    right = f"{counted(len(table.names), 'column')}, those that the policy releases"
    design, lost = _design(table, policy)
    surveyed = bool(policy.survey.strata or policy.survey.households)
    wildcards = policy.missing == "wildcard" and not surveyed
    blank = tables.shown_nothing(table, schema.quasi_identifiers) if wildcards and policy.suppression else None
    sure = blank is None or int(blank.sum()) == measures.get("suppressed")
    if blank is not None and not sure:
        hidden = counted(int(blank.sum()), "record")
        lost.append(f"which of the {hidden} that show nothing are suppressed; counted as if all were")
    proof = verify(
        table,
        k=policy.k,
        quasi_identifiers=schema.quasi_identifiers,
        models=policy.models,
        schema=schema,
        missing="wildcard" if wildcards else "category",
        alpha=policy.alpha,
        design=design,
        suppressed=blank,
    )
    return Recount(
        (
            Check("columns", True, right),
            _promise(proof, sure=sure),
            *(_model(check) for check in proof.models),
            *_same(proof, policy, measures, exact=not lost),
            *(Check("not told", None, what) for what in lost),
        ),
        proof,
    )


def _design(table: Table, policy: Policy) -> tuple[Design, list[str]]:
    """The strata and households that the release shows, and what it does not show of them.

    A stratum by a quasi-identifier is not seen where that is suppressed or was filled.
    """
    survey, keys = policy.survey, policy.schema.quasi_identifiers
    strata = [name for name in survey.strata if name in table.names and name not in keys]
    homes = survey.households if survey.households in table.names else ""
    lost = []
    if len(strata) < len(survey.strata):
        hidden = listed(name for name in survey.strata if name not in strata)
        lost.append(f"the strata by {hidden}, which the release does not show as they were; counted over all of them")
    if survey.households and not homes:
        lost.append(f"the households by {shown(survey.households)}, which the release does not show; records counted")
    return tables.design(table, strata=strata, households=homes), lost


def _promise(proof: Verification, *, sure: bool) -> Check:
    names, smallest = listed(proof.quasi_identifiers), f"{number(proof.min_class)} {proof.unit}"
    said = f"the smallest of {proof.classes:,} classes has {smallest}, counted again on {names}"
    if not proof.violations and proof.min_class >= proof.k:
        return Check(f"k = {proof.k:,}", True, said)
    broken = f"{proof.violations:,} of {counted(proof.records, 'record')} are in classes below k; {said}"
    return Check(f"k = {proof.k:,}", False if sure else None, broken)


def _model(check: ModelCheck) -> Check:
    letter = "t" if check.model.startswith("t-") else "l"
    said = f"{letter} = {check.reached:.6g} in the worst class of {shown(check.column)}"
    broken = f"; {counted(check.violations, 'record')} in classes that break it"
    return Check(check.model, check.ok, said if check.ok else said + broken)


def _same(proof: Verification, policy: Policy, measures: Mapping[str, Any], *, exact: bool) -> Iterator[Check]:
    """Whether policy and measures tell what was counted; where not all can be, the records and the classes."""
    found = proof.to_dict()
    shared = ("records", "classes", *(["min_class"] if exact else []))
    told = _alike({name: policy.output.get(name) for name in shared}, {name: found[name] for name in shared})
    yield Check("policy counts", told, _compared(told, "of the policy"))
    if exact:
        told = _alike(measures["verification"], found)
    else:
        told = all(_alike(measures["verification"].get(name), found[name]) for name in ("k", "records", "classes"))
    told &= all(_alike(measures["evaluation"].get(name), found[name]) for name in ("k", "records"))
    yield Check("measures", told, _compared(told, "of the measures"))


def _compared(told: bool, whose: str) -> str:
    return f"the counts are {'those' if told else 'not those'} {whose}"


def _alike(one: Any, other: Any) -> bool:
    """Plain data that says the same; figures may differ in what a machine rounds."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return type(one) is type(other) and bool(one == other)
