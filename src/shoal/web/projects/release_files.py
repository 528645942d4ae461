"""Files of a release: what each contains, who may see it, and its name when downloaded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shoal.errors.messages import quote_name
from shoal.web.projects.model import Project, SourceFile

_INTERNAL = "Internal use only"
_FILE_NAME = re.compile(
    r"(?P<policy>released\.[a-z0-9.]+\.policy\.toml)|(?P<bundle>released\.bundle\.zip)|(?P<release>released\.[a-z0-9.]+)"
    r"|(?P<report>report\.internal\.html)|(?P<external>report\.external\.html)"
    r"|hierarchies/(?P<tree>(hierarchy|levels)-(?P<number>[0-9]{1,9}))\.(json|txt)"
)
"""The only file names that can be downloaded from the folder of a release."""
_DESCRIPTIONS = {
    "release": ("The release", "The protected table.", "For the recipients"),
    "policy": (
        "Policy",
        "All decisions, as a text file that makes the same release again. It names columns and no value.",
        "For your own records",
    ),
    "external": (
        "External report",
        "What may be known about the release: rare values, small counts and extremes are left out.",
        "May go with the release",
    ),
    "report": (
        "Internal report",
        "Every figure, with values of the original data.",
        _INTERNAL,
    ),
    "bundle": (
        "Bundle",
        "All evidence in one file: release, policy, hierarchies, figures and fingerprints.",
        _INTERNAL,
    ),
}
_FILE_ENDING = re.compile(r"(\.[a-z0-9]{2,8})?(\.gz)?$", re.IGNORECASE)


@dataclass(frozen=True)
class ReleaseFile:
    """A file of a release."""

    key: str
    """Name in the URL."""
    path: str
    """Path in the folder of the release."""
    name: str
    """Name of the downloaded file."""
    title: str
    what: str
    who: str
    size: int
    sha256: str

    @property
    def internal(self) -> bool:
        """Whether it is for internal use only."""
        return self.who == _INTERNAL

    @property
    def disposition(self) -> str:
        """Content-Disposition header, with a fallback name in ASCII."""
        ascii_name = unicodedata.normalize("NFKD", self.name).encode("ascii", "ignore").decode()
        ascii_name = re.sub(r"-{2,}", "-", re.sub(r"[^\w.-]", "-", ascii_name, flags=re.ASCII)).lstrip("-.") or self.key
        return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(self.name, safe='')}"


def release_files(project: Project, source: SourceFile | None, facts: Mapping[str, Any]) -> list[ReleaseFile]:
    """Return the files of a release in the order of their use."""
    order = [*_DESCRIPTIONS]
    files = list(_files(project, source, facts))
    return sorted(files, key=lambda file: (order.index(file.key) if file.key in order else len(order), file.path))


def _files(project: Project, source: SourceFile | None, facts: Mapping[str, Any]) -> Iterator[ReleaseFile]:
    stem = file_stem(project.name)
    entries = facts.get("files")
    for entry in entries if isinstance(entries, list) else ():
        match = _FILE_NAME.fullmatch(entry["name"]) if _is_file_entry(entry) else None
        if match is None:
            continue
        name, size, sha256 = Path(entry["name"]).name, entry["size"], entry["sha256"]
        if match["tree"]:
            column = _column(source, int(match["number"]))
            what = f"What the values of {column} mean; keep it beside the policy, which needs it. It names values."
            kind = "Order of values" if match["tree"].startswith("levels") else "Hierarchy"
            yield ReleaseFile(match["tree"], entry["name"], name, f"{kind} of {column}", what, _INTERNAL, size, sha256)
        else:
            key = next(name for name in _DESCRIPTIONS if match[name])
            yield ReleaseFile(key, entry["name"], f"{stem}-{name}", *_DESCRIPTIONS[key], size, sha256)


def _is_file_entry(file: Any) -> bool:
    """Whether this is a valid entry of the facts of a release, which may be damaged."""
    types = {"name": str, "size": int, "sha256": str}
    return isinstance(file, Mapping) and all(isinstance(file.get(name), kind) for name, kind in types.items())


def file_stem(name: str) -> str:
    """Return the name of a project as a file name, in any script."""
    stem = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", _FILE_ENDING.sub("", name))).strip("-._")
    return stem[:80] or "project"


def _column(source: SourceFile | None, number: int) -> str:
    exists = source is not None and 1 <= number <= len(source.columns)
    return quote_name(source.columns[number - 1].name) if source is not None and exists else f"column {number}"
