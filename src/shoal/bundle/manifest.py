"""Manifest of a bundle: every other file with its size and SHA-256, and the required files."""

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

_REQUIRED = (README, POLICY, INTERNAL, EXTERNAL, MEASURES)
_HIERARCHY = re.compile(r"hierarchies/([0-9]{2,9})\.(json|csv)")


class ManifestEntry(NamedTuple):
    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    shoal: str
    """Version that wrote the bundle."""
    files: Mapping[str, ManifestEntry]

    @classmethod
    def read(cls, archive: Archive) -> Self:
        """Read the manifest of an archive. It must be byte for byte what Shoal writes."""
        raw = archive.read(MANIFEST)
        try:
            content = json.loads(raw)
            version = content["format"]
            if type(version) is int and version > FORMAT:
                raise BundleError.too_new(archive.path, version, FORMAT)
            files = {entry["name"]: ManifestEntry(entry["size"], entry["sha256"]) for entry in content["files"]}
            manifest = cls(content["shoal"], files)
            as_written = manifest.to_json() == raw
        except (ValueError, TypeError, KeyError, RecursionError):
            as_written = False
        if not as_written:
            raise BundleError.not_a_bundle(archive.path, f"its {MANIFEST} is not as Shoal writes it")
        return manifest

    def to_json(self) -> bytes:
        files = [{"name": name, "size": file.size, "sha256": file.sha256} for name, file in self.files.items()]
        return as_json({"format": FORMAT, "shoal": self.shoal, "files": files})

    @property
    def release(self) -> str:
        """Name of the released file; empty if there is not exactly one."""
        names = [name for name in self.files if name.startswith(RELEASE)]
        return names[0] if len(names) == 1 else ""

    @property
    def hierarchies(self) -> dict[int, str]:
        """Files of hierarchies by the position of their columns in the policy, from 1."""
        return {int(match[1]): name for name in self.files if (match := _HIERARCHY.fullmatch(name))}

    def missing(self, present: Iterable[str]) -> list[str]:
        """Required or listed files that are not present."""
        required = dict.fromkeys((*self.files, *_REQUIRED, *([] if self.release else [RELEASE])))
        present = set(present)
        return [name for name in required if name not in present]

    def unexpected(self, present: Iterable[str]) -> list[str]:
        """Files that are present but not listed or not known."""
        known = {MANIFEST, *_REQUIRED, self.release, *self.hierarchies.values()} & {MANIFEST, *self.files}
        return [name for name in present if name not in known]

    def changed(self, archive: Archive) -> list[str]:
        """Files that differ from the manifest."""
        present = [name for name in self.files if name in archive.sizes]
        return [name for name in present if self.files[name] != (archive.sizes[name], archive.digest(name))]


def as_json(facts: Mapping[str, Any]) -> bytes:
    """Serialize plain data as in the files of a bundle."""
    return (json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
