"""Read the policy, hierarchies and measures of a bundle."""

from __future__ import annotations

import json
import re
from typing import Any

from shoal.domain import Policy
from shoal.errors import BundleError, HierarchyError, PolicyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.formats import parse
from shoal.release.bundle.archive import MEASURES, POLICY, Archive, Manifest

_FORMATS = {"json": "json", "csv": "edges"}
_SHA256 = re.compile("[0-9a-f]{64}")


def read_policy(archive: Archive) -> Policy:
    """Read the policy. It must have the facts about its release."""
    policy = Policy.from_toml(archive.read(POLICY), path=POLICY)
    if not _SHA256.fullmatch(str(policy.output.get("sha256"))) or not isinstance(policy.output.get("file"), str):
        raise PolicyError.damaged(POLICY, "it has no facts about its release")
    return policy


def read_hierarchies(archive: Archive, manifest: Manifest, policy: Policy) -> dict[str, Hierarchy]:
    """Read the hierarchies and levels by column."""
    columns = dict(enumerate(policy.schema.columns, 1))
    stray = [name for number, name in manifest.hierarchies.items() if number not in columns]
    if stray:
        raise BundleError.changed(archive.path, stray)
    return {columns[number].name: _hierarchy(archive, name) for number, name in manifest.hierarchies.items()}


def _hierarchy(archive: Archive, name: str) -> Hierarchy:
    try:
        return parse(archive.read(name).decode(), _FORMATS[name.rpartition(".")[2]])
    except UnicodeDecodeError:
        raise HierarchyError.damaged(name, "it is not UTF-8 text") from None


def read_measures(archive: Archive) -> dict[str, Any]:
    """Read the measures as plain data."""
    try:
        facts = json.loads(archive.read(MEASURES))
    except (ValueError, RecursionError):
        facts = None
    if isinstance(facts, dict) and all(isinstance(facts.get(name), dict) for name in ("verification", "evaluation")):
        return facts
    raise BundleError.changed(archive.path, [MEASURES])
