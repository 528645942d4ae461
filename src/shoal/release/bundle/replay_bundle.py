"""Repeat the release of a bundle from the bundle and the table."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from shoal import data as tables
from shoal.data import ReadOptions
from shoal.domain import Policy, Progress
from shoal.errors import BundleError
from shoal.errors.messages import quote_names
from shoal.hierarchy import Hierarchy
from shoal.release.anonymize import replay
from shoal.release.bundle.archive import Manifest, open_archive, read_hierarchies, read_policy
from shoal.release.result import Release
from shoal.release.save import check_path


class ReplayInputs(NamedTuple):
    policy: Policy
    hierarchies: dict[str, Hierarchy]
    """Hierarchies and levels by column."""


def read_bundle(path: str | os.PathLike[str]) -> ReplayInputs:
    """Read the policy and hierarchies of a bundle if no file was changed."""
    with open_archive(check_path(path)) as archive:
        manifest = Manifest.read(archive)
        wrong = [*manifest.missing(archive.sizes), *manifest.unexpected(archive.sizes), *manifest.changed(archive)]
        if wrong:
            raise BundleError.changed(path, wrong)
        policy = read_policy(archive)
        if manifest.files[manifest.release].sha256 != policy.output["sha256"]:
            raise BundleError.changed(path, [manifest.release])
        return ReplayInputs(policy, read_hierarchies(archive, manifest, policy))


def replay_bundle(path: str | os.PathLike[str], data: Any, *, progress: Progress | None = None) -> Release:
    """Repeat the release of a bundle, on the same table or on its next delivery.

    A file is read like the original. The same input in the same format and with the same versions gives the same bytes
    when it is saved; otherwise nothing is written.

    Parameters
    ----------
    path : path
        The bundle.
    data : path, DataFrame, array or Table
    progress : callable, optional
        Called with the number of records done and the total.

    Returns
    -------
    Release

    Raises
    ------
    ShoalError
        If the bundle was changed, or the release cannot be repeated.
    """
    policy, hierarchies = read_bundle(path)
    if isinstance(data, str | os.PathLike):
        settings = ReadOptions.from_settings(policy.input.get("settings", {}))
        # the next delivery may have another format
        data = tables.read_table(
            data, options=replace(settings, format=None) if tables.format_of(Path(data)) else settings
        )
    return replay(data, policy=policy, hierarchies=hierarchies, progress=progress)


class OutputComparison(NamedTuple):
    """How a repeated release compares to the first one: a keyword and a sentence."""

    result: str
    sentence: str


def compare_outputs(old: Policy, new: Policy, *, source: str = "the bundle") -> OutputComparison:
    """Compare the facts of two written releases; ``source`` names where the first one is recorded."""
    digests = [facts.get("sha256") for facts in (old.output, new.output, old.input, new.input)]
    if digests[0] and digests[0] == digests[1]:
        return OutputComparison("identical", f"Identical to the release in {source}, byte for byte.")
    if None in digests:
        return OutputComparison(
            "unknown", f"Whether input and release are those of {source} is not known: not all were files."
        )
    if digests[2] != digests[3]:
        return OutputComparison("next delivery", f"The next delivery: another input than that of {source}.")
    endings = {tables.full_extension(Path(str(facts.get("file")))) for facts in (old.output, new.output)}
    if len(endings) > 1:
        return OutputComparison("other format", f"The same input, in another format than the release in {source}.")
    changed_packages = [
        name for name in {**old.versions, **new.versions} if old.versions.get(name) != new.versions.get(name)
    ]
    return OutputComparison(
        "other versions",
        f"The same input, and other bytes than in {source}: other versions of {quote_names(changed_packages)}.",
    )
