"""Repeat the release of a bundle from the bundle and the table."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import data as tables
from shoal.data import ReadOptions
from shoal.domain import Policy, Progress
from shoal.errors import BundleError
from shoal.hierarchy import Hierarchy
from shoal.release.anonymize import replay
from shoal.release.bundle.archive import Manifest, open_archive, read_hierarchies, read_policy
from shoal.release.result import Release
from shoal.release.save import check_path


def read_bundle(path: str | os.PathLike[str]) -> tuple[Policy, dict[str, Hierarchy]]:
    """Read the policy of a bundle, and hierarchies and levels by column, if no file was changed."""
    with open_archive(check_path(path)) as archive:
        manifest = Manifest.read(archive)
        wrong = [*manifest.missing(archive.sizes), *manifest.unexpected(archive.sizes), *manifest.changed(archive)]
        if wrong:
            raise BundleError.changed(path, names=wrong)
        policy = read_policy(archive)
        if manifest.files[manifest.release].sha256 != policy.output["sha256"]:
            raise BundleError.changed(path, names=[manifest.release])
        return policy, read_hierarchies(archive, manifest, policy)


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
