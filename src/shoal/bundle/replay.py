"""Making the release of a bundle again, from nothing but the bundle and the table."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from shoal import tables
from shoal.anonymize import replay
from shoal.bundle.archive import opened
from shoal.bundle.evidence import read_hierarchies, read_policy
from shoal.bundle.manifest import Manifest
from shoal.errors import BundleError
from shoal.hierarchy import Hierarchy
from shoal.release import Release, named_path
from shoal.schema import Policy
from shoal.tables import ReadOptions
from shoal.values import Progress
from shoal.words import listed


class Decisions(NamedTuple):
    """What a release is made again by."""

    policy: Policy
    hierarchies: dict[str, Hierarchy]
    """And levels, by column."""


def read_bundle(path: str | os.PathLike[str]) -> Decisions:
    """The decisions of a bundle, if all of its files are as they were written."""
    with opened(named_path(path)) as archive:
        manifest = Manifest.read(archive)
        there = archive.sizes
        wrong = [*manifest.missing(there), *manifest.surplus(there), *manifest.changed(archive)]
        if wrong:
            raise BundleError.changed(path, wrong)
        policy = read_policy(archive)
        if manifest.files[manifest.release].sha256 != policy.output["sha256"]:
            raise BundleError.changed(path, [manifest.release])
        return Decisions(policy, read_hierarchies(archive, manifest, policy))


def replay_bundle(path: str | os.PathLike[str], data: Any, *, progress: Progress | None = None) -> Release:
    """Make the release of a bundle again, or that of the next delivery of its table.

    A file is read as the original was. Saved in the same format, the same input gives the same bytes with the same
    versions; if it does not, nothing is written.
    """
    policy, hierarchies = read_bundle(path)
    if isinstance(data, str | os.PathLike):
        known = ReadOptions.from_settings(policy.input.get("settings", {}))
        # the next delivery may come in another format
        data = tables.read(data, options=replace(known, format=None) if tables.format_of(Path(data)) else known)
    return replay(data, policy=policy, hierarchies=hierarchies, progress=progress)


class Likeness(NamedTuple):
    """How a release that was made again is like the first one, in a word and in a sentence."""

    word: str
    said: str


def likeness(old: Policy, new: Policy, *, source: str = "the bundle") -> Likeness:
    """Compare the facts of two written releases; ``source`` is where the first one was told of."""
    marks = [facts.get("sha256") for facts in (old.output, new.output, old.input, new.input)]
    if marks[0] and marks[0] == marks[1]:
        return Likeness("identical", f"Identical to the release in {source}, byte for byte.")
    if None in marks:
        return Likeness("unknown", f"Whether input and release are those of {source} is not known: not all were files.")
    if marks[2] != marks[3]:
        return Likeness("next delivery", f"The next delivery: another input than that of {source}.")
    endings = {tables.full_ending(Path(str(facts.get("file")))) for facts in (old.output, new.output)}
    if len(endings) > 1:
        return Likeness("other format", f"The same input, in another format than the release in {source}.")
    others = [name for name in {**old.versions, **new.versions} if old.versions.get(name) != new.versions.get(name)]
    return Likeness(
        "other versions", f"The same input, and other bytes than in {source}: other versions of {listed(others)}."
    )
