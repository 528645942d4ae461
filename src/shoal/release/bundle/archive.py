"""Zip archive of a bundle: deterministic to write, and read as untrusted input.

Files are stored uncompressed, so that the bytes do not depend on a compressor and no file can be larger than the
archive.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from shoal.domain import Policy
from shoal.errors import BundleError, HierarchyError, OutputError, PolicyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.formats import parse
from shoal.system.atomic import open_regular, os_error_reason

MANIFEST = "manifest.json"
"""Lists every other file; an archive without it is not a bundle."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date of the zip format, in place of a clock."""
_UNIX = 3
_MODE = 0o600 << 16
_CHUNK = 1 << 20
_MAX_FILES = 100_000
_MAX_TEXT = 1 << 28
"""Maximum number of bytes read into memory at once; only the release may be larger."""
_ENCRYPTED = 1
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_DAMAGED = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, struct.error, EOFError, OSError),
    *(ValueError, RuntimeError, OverflowError, IndexError, KeyError),
)
"""Exceptions that zipfile raises on damaged bytes."""


def write_archive(place: Path, contents: Mapping[str, bytes | Path]) -> None:
    """Write a zip file of these contents, in their order. A path stands for the bytes of its file."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            entry.file_size = len(content) if isinstance(content, bytes) else content.stat().st_size
            with archive.open(entry, "w") as target:
                if isinstance(content, bytes):
                    target.write(content)
                else:
                    with content.open("rb") as source:
                        shutil.copyfileobj(source, target, _CHUNK)


def safe_name(name: str) -> str:
    """Replace the characters of a file name that have a meaning on some system."""
    return _UNSAFE.sub("_", name.replace("/", "_"))


@dataclass(frozen=True)
class Archive:
    """A zip file with checked names and sizes."""

    path: Path
    sizes: Mapping[str, int]
    sha256: str
    """Digest of the whole file."""
    file: zipfile.ZipFile

    def digest(self, name: str) -> str:
        """SHA-256 of a file, read in chunks; empty if it is damaged."""
        digest = hashlib.sha256()
        try:
            with self.file.open(name) as source:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
        except _DAMAGED:
            return ""
        return digest.hexdigest()

    def read(self, name: str) -> bytes:
        """Bytes of a file other than the release."""
        if self.sizes[name] > _MAX_TEXT:
            raise BundleError.too_large(self.path, claimed=self.sizes[name], most=_MAX_TEXT)
        try:
            return self.file.read(name)
        except _DAMAGED:
            raise BundleError.changed(self.path, names=[name]) from None

    def copy(self, name: str, place: Path) -> None:
        try:
            with self.file.open(name) as source, place.open("xb") as target:
                shutil.copyfileobj(source, target, _CHUNK)
        except zipfile.BadZipFile:
            raise BundleError.changed(self.path, names=[name]) from None
        except OSError as error:
            raise OutputError.unwritable(place.parent, os_error_reason(error)) from None


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive. What could be malicious is refused before anything is extracted."""
    with open_regular(path) as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
        try:
            archive = zipfile.ZipFile(file)
        except _DAMAGED:
            raise BundleError.not_a_zip(path) from None
        with archive:
            _check(path, archive, size)
            yield Archive(path, {entry.filename: entry.file_size for entry in archive.infolist()}, sha256, archive)


def _check(path: Path, archive: zipfile.ZipFile, size: int) -> None:
    entries = archive.infolist()
    if len(entries) > _MAX_FILES:
        raise BundleError.too_many(path, files=len(entries), most=_MAX_FILES)
    if MANIFEST not in archive.namelist():
        raise BundleError.not_a_bundle(path, f"it has no {MANIFEST}")
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        parts = name.split("/")
        if _UNSAFE.search(entry.orig_filename) or any(part.strip(" .") == "" for part in parts):
            raise BundleError.unsafe_name(path, entry.orig_filename)
        if name.casefold() in seen:
            raise BundleError.duplicate_name(path, name)
        seen.add(name.casefold())
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _ENCRYPTED:
            raise BundleError.compressed(path, name=name)
    # uncompressed files that do not overlap are together no larger than the archive
    claimed = sum(max(entry.file_size, entry.compress_size) for entry in entries)
    if claimed > size:
        raise BundleError.too_large(path, claimed=claimed, most=size)


FORMAT = 1
README, POLICY, MEASURES = "README.txt", "policy.toml", "measures.json"
INTERNAL, EXTERNAL = "report.internal.html", "report.external.html"
RELEASE, HIERARCHIES = "release/", "hierarchies/"

_REQUIRED = (README, POLICY, INTERNAL, EXTERNAL, MEASURES)
_HIERARCHY = re.compile(r"hierarchies/([0-9]{2,9})\.(json|csv)")
_FORMATS = {"json": "json", "csv": "edges"}
_SHA256 = re.compile("[0-9a-f]{64}")


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
    return (json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_policy(archive: Archive) -> Policy:
    """Read the policy. It must have the facts about its release."""
    policy = Policy.from_toml(archive.read(POLICY), path=POLICY)
    if not _SHA256.fullmatch(str(policy.output.get("sha256"))) or not isinstance(policy.output.get("file"), str):
        raise PolicyError.damaged(POLICY, "it has no facts about its release")
    return policy


def read_hierarchies(archive: Archive, manifest: Manifest, policy: Policy) -> dict[str, Hierarchy]:
    columns = dict(enumerate(policy.schema.columns, 1))
    stray = [name for number, name in manifest.hierarchies.items() if number not in columns]
    if stray:
        raise BundleError.changed(archive.path, names=stray)
    return {columns[number].name: _hierarchy(archive, name) for number, name in manifest.hierarchies.items()}


def _hierarchy(archive: Archive, name: str) -> Hierarchy:
    try:
        return parse(archive.read(name).decode(), _FORMATS[name.rpartition(".")[2]])
    except UnicodeDecodeError:
        raise HierarchyError.damaged(name, "it is not UTF-8 text") from None


def read_measures(archive: Archive) -> dict[str, Any]:
    try:
        facts = json.loads(archive.read(MEASURES))
    except (ValueError, RecursionError):
        facts = None
    if isinstance(facts, dict) and all(isinstance(facts.get(name), dict) for name in ("verification", "evaluation")):
        return facts
    raise BundleError.changed(archive.path, names=[MEASURES])
