"""The deposit of a release: its files, what each is, who may see it, and the names they are downloaded under."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shoal.web.interface import Project, Source
from shoal.words import shown

_INTERNAL = "Internal use only"
_KNOWN = re.compile(
    r"(?P<policy>released\.[a-z0-9.]+\.policy\.toml)|(?P<bundle>released\.bundle\.zip)|(?P<release>released\.[a-z0-9.]+)"
    r"|(?P<report>report\.internal\.html)|(?P<external>report\.external\.html)"
    r"|hierarchies/(?P<tree>(hierarchy|levels)-(?P<number>[0-9]{1,9}))\.(json|txt)"
)
"""The only names of files that leave the folder of a release."""
_TOLD = {
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
class Deposited:
    """A file of a release."""

    key: str
    """What it is asked for by."""
    place: str
    """Where it is in the folder of the release."""
    name: str
    """What it is saved as."""
    title: str
    what: str
    who: str
    size: int
    sha256: str

    @property
    def internal(self) -> bool:
        """Whether nobody outside may see it."""
        return self.who == _INTERNAL

    @property
    def disposition(self) -> str:
        """The header that makes a browser save it, under a name that every browser takes."""
        plain = unicodedata.normalize("NFKD", self.name).encode("ascii", "ignore").decode()
        plain = re.sub(r"-{2,}", "-", re.sub(r"[^\w.-]", "-", plain, flags=re.ASCII)).lstrip("-.") or self.key
        return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(self.name, safe='')}"


def deposit(project: Project, source: Source | None, facts: Mapping[str, Any]) -> list[Deposited]:
    """The files of a release in the order of their use."""
    order = [*_TOLD]
    found = list(_found(project, source, facts))
    return sorted(found, key=lambda one: (order.index(one.key) if one.key in order else len(order), one.place))


def _found(project: Project, source: Source | None, facts: Mapping[str, Any]) -> Iterator[Deposited]:
    stem = title(project.name)
    files = facts.get("files")
    for file in files if isinstance(files, list) else ():
        known = _KNOWN.fullmatch(file["name"]) if _is_told(file) else None
        if known is None:
            continue
        own, size, sha256 = Path(file["name"]).name, file["size"], file["sha256"]
        if known["tree"]:
            column = _column(source, int(known["number"]))
            what = f"What the values of {column} mean; keep it beside the policy, which needs it. It names values."
            named = "Order of values" if known["tree"].startswith("levels") else "Hierarchy"
            yield Deposited(known["tree"], file["name"], own, f"{named} of {column}", what, _INTERNAL, size, sha256)
        else:
            key = next(name for name in _TOLD if known[name])
            yield Deposited(key, file["name"], f"{stem}-{own}", *_TOLD[key], size, sha256)


def _is_told(file: Any) -> bool:
    """Whether this tells of a file as a release of ours does; damaged facts tell of none."""
    kinds = {"name": str, "size": int, "sha256": str}
    return isinstance(file, Mapping) and all(isinstance(file.get(name), kind) for name, kind in kinds.items())


def title(name: str) -> str:
    """The name of a project as the beginning of a file's name, in any script."""
    plain = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", _FILE_ENDING.sub("", name))).strip("-._")
    return plain[:80] or "project"


def _column(source: Source | None, number: int) -> str:
    known = source is not None and 1 <= number <= len(source.columns)
    return shown(source.columns[number - 1].name) if source is not None and known else f"column {number}"
