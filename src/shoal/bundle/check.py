"""Verify a bundle from its own files: integrity, policy, and all counts on the release."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import tables
from shoal.bundle.archive import Archive, open_archive, private_folder, safe_name
from shoal.bundle.evidence import read_hierarchies, read_measures, read_policy
from shoal.bundle.manifest import RELEASE, Manifest
from shoal.bundle.recount import CheckResult, ReleaseCounts, count_release
from shoal.errors import FileError, ShoalError
from shoal.release import check_path, read_back
from shoal.report import text
from shoal.schema import Policy
from shoal.tables import Table
from shoal.understanding import resolve_policy_schema
from shoal.values import Verification
from shoal.words import pluralize, quote_names


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
        """Whether no check failed."""
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
                policy = replace(
                    policy,
                    schema=resolve_policy_schema(policy.schema, hierarchies=hierarchies, levels=None, folders=[]),
                )
                if hierarchies:
                    checks.append(
                        CheckResult("hierarchies", True, f"{len(hierarchies)}, those that the policy decided by")
                    )
                recounted = _count_release(archive, manifest, policy, measures)
                checks += recounted.checks
                proof = recounted.proof
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


def _count_release(archive: Archive, manifest: Manifest, policy: Policy, measures: Mapping[str, Any]) -> ReleaseCounts:
    with private_folder() as folder:
        # the name in the archive may not be valid on this system
        path = folder / f"release{tables.full_extension(Path(manifest.release))}"
        archive.copy(manifest.release, path)
        table, renamed_policy = _read_release(path, policy, name=manifest.release)
        return count_release(table, renamed_policy, measures)


def _read_release(place: Path, policy: Policy, *, name: str) -> tuple[Table, Policy]:
    try:
        return read_back(place, policy)
    except ShoalError as error:
        raise FileError(error.fact.replace(repr(str(place)), repr(name)), error.hint) from None
