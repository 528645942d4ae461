"""Checking a bundle from its own files: nothing changed, and all that it says counted again on the release."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import tables
from shoal.bundle.archive import Archive, opened, private_folder, safe_name
from shoal.bundle.evidence import read_hierarchies, read_measures, read_policy
from shoal.bundle.manifest import RELEASE, Manifest
from shoal.bundle.recount import Check, Recount, recount
from shoal.errors import FileError, ShoalError
from shoal.release import named_path, read_back
from shoal.report import text
from shoal.schema import Policy
from shoal.tables import Table
from shoal.understanding import found_again
from shoal.values import Verification
from shoal.words import counted, listed


@dataclass(frozen=True)
class BundleCheck:
    """What was checked of a bundle, in its order; true where nothing failed."""

    checks: tuple[Check, ...]
    sha256: str
    """Of the bundle itself, to be noted where nobody can change it."""
    verification: Verification | None = None
    """The classes of the release, counted again; None where it did not come to that."""

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.ok is False)

    @property
    def untold(self) -> tuple[Check, ...]:
        """What cannot be checked from the files alone."""
        return tuple(check for check in self.checks if check.ok is None)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return text.bundle(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "ok": self.ok,
            "sha256": self.sha256,
            "checks": [check.to_dict() for check in self.checks],
            "verification": self.verification.to_dict() if self.verification else None,
        }


def verify_bundle(path: str | os.PathLike[str]) -> BundleCheck:
    """Check a bundle from its files alone: every hash, the policy, and k and the models counted again on the release.

    What cannot be counted, since its column is not in the release, is said and never passes silently. A bundle shows
    that its files belong together, not who packed them: note its SHA-256, or sign it, where that matters.
    """
    with opened(named_path(path)) as archive:
        manifest = Manifest.read(archive)
        checks, proof = [*_whole(archive, manifest)], None
        if all(check.ok for check in checks):
            try:
                policy, measures = read_policy(archive), read_measures(archive)
                checks += _belonging(manifest, policy)
                trees = read_hierarchies(archive, manifest, policy)
                policy = replace(policy, schema=found_again(policy.schema, hierarchies=trees, levels=None, folders=[]))
                if trees:
                    checks.append(Check("hierarchies", True, f"{len(trees)}, those that the policy decided by"))
                found = _counted(archive, manifest, policy, measures)
                checks += found.checks
                proof = found.proof
            except ShoalError as error:
                checks.append(Check("contents", False, error.fact))
        if proof is None:
            checks.append(Check("counts", None, "nothing was counted on the release, since something failed before"))
        return BundleCheck(tuple(checks), archive.sha256, proof)


def _whole(archive: Archive, manifest: Manifest) -> Iterator[Check]:
    """Every file is there, none else, and all are as they were written."""
    missing, extra = manifest.missing(archive.sizes), manifest.surplus(archive.sizes)
    wrong = [f"{counted(len(missing), 'file')} missing ({listed(missing)})"] if missing else []
    wrong += [f"{counted(len(extra), 'file')} too many ({listed(extra)})"] if extra else []
    right = f"{counted(len(manifest.files), 'file')}, all that the manifest names and no other"
    yield Check("files", not wrong, " and ".join(wrong) or right)
    changed = manifest.changed(archive)
    wrong = [f"{counted(len(changed), 'file')} changed or damaged ({listed(changed)})"] if changed else []
    yield Check("hashes", not wrong, "".join(wrong) or "every file has the size and the SHA-256 of the manifest")


def _belonging(manifest: Manifest, policy: Policy) -> Iterator[Check]:
    """The policy is that of this release, by this version."""
    same = policy.versions.get("shoal") == manifest.shoal
    said = f"k = {policy.k:,} by the method {policy.method!r}" if same else "of another version than the manifest tells"
    yield Check("policy", same, said)
    own = manifest.files[manifest.release].sha256 == policy.output["sha256"]
    named = manifest.release == RELEASE + safe_name(policy.output["file"])
    yield Check("release", own and named, f"{'' if own and named else 'not '}the file that the policy tells of")


def _counted(archive: Archive, manifest: Manifest, policy: Policy, measures: Mapping[str, Any]) -> Recount:
    with private_folder() as folder:
        # under a plain name: what stands in the archive may be no name of a file here
        place = folder / f"release{tables.full_ending(Path(manifest.release))}"
        archive.copy(manifest.release, place)
        table, known = _read(place, policy, name=manifest.release)
        return recount(table, known, measures)


def _read(place: Path, policy: Policy, *, name: str) -> tuple[Table, Policy]:
    try:
        return read_back(place, policy)
    except ShoalError as error:
        raise FileError(error.fact.replace(repr(str(place)), repr(name)), error.hint) from None
