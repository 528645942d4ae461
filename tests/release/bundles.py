"""Bundles that tests open, change and pack anew."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from naive.surveys import ILLS, JOBS, frame
from shoal.hierarchy.tree import Hierarchy

MEMBERS = [
    *("manifest.json", "README.txt", "release/out.csv", "policy.toml", "report.internal.html", "report.external.html"),
    *("measures.json", "hierarchies/07.json", "hierarchies/08.json"),
]
OPTIONS: dict[str, Any] = {
    "k": 3,
    "quasi_identifiers": ["age", "job"],
    "identifiers": ["name", "home", "weight", "note"],
    "sensitive": ["ill"],
    "models": {"ill": ["distinct-l(2)", "t-hierarchical(0.6)"]},
    "hierarchies": {"job": Hierarchy.from_dict(JOBS), "ill": Hierarchy.from_dict(ILLS)},
    "method": "mdav",
}


def people(gaps: float = 0.0, *, seed: int = 4) -> pl.DataFrame:
    return frame(seed, 60, gaps=gaps, strata=2, members=2)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def listed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a manifest that fits them."""
    facts = json.loads(files["manifest.json"])
    facts["files"] = [
        {"name": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
        if name != "manifest.json"
    ]
    return {**files, "manifest.json": (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode()}


def failed(path: Path) -> list[str]:
    result = shoal.verify_bundle(path)
    assert result.ok == bool(result) == (not result.failed)
    return [check.subject for check in result.failed]
