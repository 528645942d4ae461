"""Verify a bundle from its own files: integrity, policy, and all counts on the release."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from shoal import data
from shoal.data import Table
from shoal.data.chunked import ChunkedFile
from shoal.domain import ModelCheck, Policy, Verification
from shoal.engines.memory_budget import MemoryBudget
from shoal.errors import FileError, ShoalError
from shoal.errors.messages import format_number, pluralize, quote_name, quote_names
from shoal.release.bundle.archive import (
    RELEASE,
    Archive,
    Manifest,
    open_archive,
    read_hierarchies,
    read_measures,
    read_policy,
    safe_name,
)
from shoal.release.column_options import resolve_policy_schema
from shoal.release.file_release import DEFAULT_MEMORY
from shoal.release.large_tables import COUNT_FRACTION, open_in_pieces
from shoal.release.save import check_path
from shoal.report import text
from shoal.system.scratch import temporary_folder
from shoal.verification.verify import verify, verify_chunks

_TOLERANCE = 1e-9
"""Tolerance for measures that were computed on another machine."""


@dataclass(frozen=True)
class CheckResult:
    subject: str
    ok: bool | None
    """None if the files cannot decide it."""
    detail: str

    def to_dict(self) -> dict[str, Any]:
        return {"about": self.subject, "ok": self.ok, "said": self.detail}


@dataclass(frozen=True)
class BundleCheck:
    """Result of `shoal.verify_bundle`: the checks in order. It is true if none failed."""

    checks: tuple[CheckResult, ...]
    sha256: str
    """Digest of the bundle; record it where nobody can change it."""
    verification: Verification | None = None
    """Counts on the release; None if an earlier check failed."""

    @property
    def ok(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.checks if check.ok is False)

    @property
    def undecided(self) -> tuple[CheckResult, ...]:
        """Checks that the files alone cannot decide."""
        return tuple(check for check in self.checks if check.ok is None)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return text.bundle(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        return {
            "ok": self.ok,
            "sha256": self.sha256,
            "checks": [check.to_dict() for check in self.checks],
            "verification": self.verification.to_dict() if self.verification else None,
        }


def verify_bundle(path: str | os.PathLike[str]) -> BundleCheck:
    """Verify a bundle from its files alone: every digest, the policy, and k and the models counted on the release.

    Counts that need a column that is not in the release are reported as undecided. A bundle proves that its files
    belong together, not who wrote it: record its SHA-256, or sign it, if that matters.

    Parameters
    ----------
    path : path

    Returns
    -------
    BundleCheck

    Raises
    ------
    ShoalError
        If the file is not a bundle.
    """
    with open_archive(check_path(path)) as archive:
        manifest = Manifest.read(archive)
        checks, proof = [*_check_files(archive, manifest)], None
        if all(check.ok for check in checks):
            try:
                policy, measures = read_policy(archive), read_measures(archive)
                checks += _check_policy(manifest, policy)
                hierarchies = read_hierarchies(archive, manifest, policy)
                schema = resolve_policy_schema(policy.schema, hierarchies=hierarchies, levels=None, folders=[])
                if hierarchies:
                    checks.append(
                        CheckResult("hierarchies", True, f"{len(hierarchies)}, those that the policy decided by")
                    )
                recounted, proof = _count_release(archive, manifest, replace(policy, schema=schema), measures)
                checks += recounted
            except ShoalError as error:
                checks.append(CheckResult("contents", False, error.fact))
        if proof is None:
            checks.append(
                CheckResult("counts", None, "nothing was counted on the release, since something failed before")
            )
        return BundleCheck(tuple(checks), archive.sha256, proof)


def _check_files(archive: Archive, manifest: Manifest) -> Iterator[CheckResult]:
    """Check that all files are present, none is added, and none is changed."""
    missing, extra = manifest.missing(archive.sizes), manifest.unexpected(archive.sizes)
    problems = [f"{pluralize(len(missing), 'file')} missing ({quote_names(missing)})"] if missing else []
    problems += [f"{pluralize(len(extra), 'file')} too many ({quote_names(extra)})"] if extra else []
    confirmation = f"{pluralize(len(manifest.files), 'file')}, all that the manifest names and no other"
    yield CheckResult("files", not problems, " and ".join(problems) or confirmation)
    changed = manifest.changed(archive)
    problems = [f"{pluralize(len(changed), 'file')} changed or damaged ({quote_names(changed)})"] if changed else []
    yield CheckResult(
        "hashes", not problems, "".join(problems) or "every file has the size and the SHA-256 of the manifest"
    )


def _check_policy(manifest: Manifest, policy: Policy) -> Iterator[CheckResult]:
    """Check that the policy belongs to this release and to this version."""
    same_version = policy.versions.get("shoal") == manifest.shoal
    description = (
        f"k = {policy.k:,} by the method {policy.method!r}"
        if same_version
        else "of another version than the manifest tells"
    )
    yield CheckResult("policy", same_version, description)
    same_bytes = manifest.files[manifest.release].sha256 == policy.output["sha256"]
    same_name = manifest.release == RELEASE + safe_name(policy.output["file"])
    yield CheckResult(
        "release",
        same_bytes and same_name,
        f"{'' if same_bytes and same_name else 'not '}the file that the policy tells of",
    )


class _Recount(NamedTuple):
    proof: Verification
    unknown: list[str]
    """What the release does not tell, so that it could not be counted."""
    certain: bool = True
    """Whether a class below k is a violation for sure."""


def _count_release(
    archive: Archive, manifest: Manifest, policy: Policy, measures: Mapping[str, Any]
) -> tuple[list[CheckResult], Verification | None]:
    """Extract the release and count its classes; no verification if it could not be counted."""
    with temporary_folder() as folder:
        # the name in the archive may not be valid on this system
        path = folder / f"release{data.full_extension(Path(manifest.release))}"
        archive.copy(manifest.release, path)
        options, names = data.release_read_options(
            path, policy.schema.released, settings=policy.input.get("settings", {}), formulas=policy.formulas
        )
        policy, recount = policy.rename(names), None
        try:
            if policy.pieces is None:
                table = data.read_table(path, options=options)
                released, recount = table.names, partial(_count_table, table, policy, measures)
            else:
                source, budget = open_in_pieces(path, memory=DEFAULT_MEMORY, options=options)
                released, recount = source.names, partial(_count_chunks, source, policy, folder, budget)
        except ShoalError as error:
            raise FileError(error.fact.replace(repr(str(path)), repr(manifest.release)), error.hint) from None
        if released != policy.schema.released:
            return [CheckResult("columns", False, "other columns than the policy releases")], None
        proof, unknown, certain = recount()
    columns_text = f"{pluralize(len(released), 'column')}, those that the policy releases"
    checks = [
        CheckResult("columns", True, columns_text),
        _check_k(proof, certain=certain),
        *(_check_model(check) for check in proof.models),
        *_compare_counts(proof, policy, measures, exact=not unknown),
        *(CheckResult("not told", None, what) for what in unknown),
    ]
    return checks, proof


def _count_table(table: Table, policy: Policy, measures: Mapping[str, Any]) -> _Recount:
    """Count the classes of a release in memory, as far as it contains the columns."""
    schema = policy.schema
    strata, households, unknown = _design_columns(policy)
    wildcards = policy.missing == "wildcard" and not (policy.survey.strata or policy.survey.households)
    suppressed = data.fully_suppressed(table, schema.quasi_identifiers) if wildcards and policy.suppression else None
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
        design=data.build_survey_design(table, strata=strata, households=households),
        suppressed=suppressed,
    )
    return _Recount(proof, unknown, certain)


def _count_chunks(source: ChunkedFile, policy: Policy, folder: Path, budget: MemoryBudget) -> _Recount:
    """Count the classes of a release that was made out of core, in bounded memory."""
    strata, households, unknown = _design_columns(policy)
    proof, _ = verify_chunks(
        source,
        k=policy.k,
        quasi_identifiers=policy.schema.quasi_identifiers,
        models=policy.models,
        schema=policy.schema,
        folder=folder / "classes",
        max_bytes=COUNT_FRACTION * budget.class_count_bytes,
        strata=strata,
        households=households,
    )
    return _Recount(proof, unknown)


def _design_columns(policy: Policy) -> tuple[list[str], str, list[str]]:
    """Strata and households in the release, and a note for each that it does not contain.

    A stratum by a quasi-identifier cannot be used: it may be suppressed or imputed.
    """
    survey, keys, released = policy.survey, policy.schema.quasi_identifiers, policy.schema.released
    strata = [name for name in survey.strata if name in released and name not in keys]
    households = survey.households if survey.households in released else ""
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
    return strata, households, unknown


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
