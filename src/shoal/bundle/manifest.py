"""The manifest of a bundle: every other file with its size and its SHA-256, and which of them a bundle must have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from shoal.bundle.archive import MANIFEST, Archive
from shoal.errors import BundleError

FORMAT = 1
README, POLICY, MEASURES = "README.txt", "policy.toml", "measures.json"
INTERNAL, EXTERNAL = "report.internal.html", "report.external.html"
RELEASE, HIERARCHIES = "release/", "hierarchies/"

_NEEDED = (README, POLICY, INTERNAL, EXTERNAL, MEASURES)
_HIERARCHY = re.compile(r"hierarchies/([0-9]{2,9})\.(json|csv)")


class Listed(NamedTuple):
    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    shoal: str
    """The version that wrote the bundle."""
    files: Mapping[str, Listed]

    @classmethod
    def read(cls, archive: Archive) -> Self:
        """The manifest of an archive, if it is one as Shoal writes it, to the last byte."""
        raw = archive.read(MANIFEST)
        try:
            facts = json.loads(raw)
            found = facts["format"]
            if type(found) is int and found > FORMAT:
                raise BundleError.too_new(archive.path, found, FORMAT)
            files = {entry["name"]: Listed(entry["size"], entry["sha256"]) for entry in facts["files"]}
            manifest = cls(facts["shoal"], files)
            as_written = manifest.to_json() == raw
        except (ValueError, TypeError, KeyError, RecursionError):
            as_written = False
        if not as_written:
            raise BundleError.other_zip(archive.path, f"its {MANIFEST} is not as Shoal writes it")
        return manifest

    def to_json(self) -> bytes:
        files = [{"name": name, "size": file.size, "sha256": file.sha256} for name, file in self.files.items()]
        return as_json({"format": FORMAT, "shoal": self.shoal, "files": files})

    @property
    def release(self) -> str:
        """The file of the release; empty where there is not exactly one."""
        found = [name for name in self.files if name.startswith(RELEASE)]
        return found[0] if len(found) == 1 else ""

    @property
    def hierarchies(self) -> dict[int, str]:
        """The files of the hierarchies by the places of their columns in the policy, counted from 1."""
        return {int(found[1]): name for name in self.files if (found := _HIERARCHY.fullmatch(name))}

    def missing(self, there: Iterable[str]) -> list[str]:
        """The files that should be there and are not."""
        needed = dict.fromkeys((*self.files, *_NEEDED, *([] if self.release else [RELEASE])))
        there = set(there)
        return [name for name in needed if name not in there]

    def surplus(self, there: Iterable[str]) -> list[str]:
        """The files that are there and should not be."""
        known = {MANIFEST, *_NEEDED, self.release, *self.hierarchies.values()} & {MANIFEST, *self.files}
        return [name for name in there if name not in known]

    def changed(self, archive: Archive) -> list[str]:
        """The files that are not as the manifest tells."""
        there = [name for name in self.files if name in archive.sizes]
        return [name for name in there if self.files[name] != (archive.sizes[name], archive.digest(name))]


def as_json(facts: Mapping[str, Any]) -> bytes:
    """Plain data as the files of a bundle have it."""
    return (json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
