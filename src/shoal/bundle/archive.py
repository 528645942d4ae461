"""The zip file of a bundle: the same bytes for the same contents, and read as what a stranger may have packed.

Files are stored as they are. So the bytes depend on no compressor, and no file can claim more than the archive holds.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from tempfile import gettempdir

from shoal.aside import reason
from shoal.errors import BundleError, FileError, OutputError
from shoal.held import hold, is_same, left_behind

MANIFEST = "manifest.json"
"""Names every other file; what has none is no bundle."""

_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip file knows: a bundle tells no clock."""
_UNIX = 3
_MODE = 0o600 << 16
_PIECE = 1 << 20
_MOST_FILES = 100_000
_LONGEST_TEXT = 1 << 28
"""The bytes that are read into memory at once: more than any file of a bundle needs but the release."""
_LOCKED = 1
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_PRIVATE = re.compile(r"shoal-[0-9a-f]{16}")
_BROKEN = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, struct.error, EOFError, OSError),
    *(ValueError, RuntimeError, OverflowError, IndexError, KeyError),
)
"""What zipfile raises on bytes that make no sense to it."""


def pack(place: Path, contents: Mapping[str, bytes | Path]) -> None:
    """Write a zip file of these contents, in their order; those of a path are the bytes of that file."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _OLDEST)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            entry.file_size = len(content) if isinstance(content, bytes) else content.stat().st_size
            with archive.open(entry, "w") as target:
                if isinstance(content, bytes):
                    target.write(content)
                else:
                    with content.open("rb") as source:
                        shutil.copyfileobj(source, target, _PIECE)


def safe_name(name: str) -> str:
    """A file name without the characters that some system gives a meaning."""
    return _UNSAFE.sub("_", name.replace("/", "_"))


@dataclass(frozen=True)
class Archive:
    """A zip file whose names are safe and whose sizes are plausible."""

    path: Path
    sizes: Mapping[str, int]
    sha256: str
    """Of the whole file."""
    file: zipfile.ZipFile

    def digest(self, name: str) -> str:
        """The SHA-256 of a file, read in pieces; empty where it cannot be read as it was stored."""
        found = hashlib.sha256()
        try:
            with self.file.open(name) as source:
                while piece := source.read(_PIECE):
                    found.update(piece)
        except _BROKEN:
            return ""
        return found.hexdigest()

    def read(self, name: str) -> bytes:
        """The bytes of a file that is not the release."""
        if self.sizes[name] > _LONGEST_TEXT:
            raise BundleError.too_large(self.path, claimed=self.sizes[name], most=_LONGEST_TEXT)
        try:
            return self.file.read(name)
        except _BROKEN:
            raise BundleError.changed(self.path, [name]) from None

    def copy(self, name: str, place: Path) -> None:
        """Write a file of the archive to a new place in a folder of one's own."""
        try:
            with self.file.open(name) as source, place.open("xb") as target:
                shutil.copyfileobj(source, target, _PIECE)
        except zipfile.BadZipFile:
            raise BundleError.changed(self.path, [name]) from None
        except OSError as error:
            raise OutputError.unwritable(place.parent, reason(error)) from None


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder that nobody else may look into, and that is gone afterwards whatever happens."""
    try:
        parent = Path(gettempdir())
        for entry in parent.iterdir():
            if _PRIVATE.fullmatch(entry.name):
                with left_behind(entry) as free:
                    if free:  # whoever made it was killed
                        shutil.rmtree(entry, ignore_errors=True)
        folder, handle = _new_folder(parent)
    except OSError as error:
        raise OutputError.unwritable("the folder for temporary files", reason(error)) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def _new_folder(parent: Path) -> tuple[Path, int]:
    """A new private folder, held as long as it is open."""
    while True:
        folder = parent / f"shoal-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue  # another start took it for one that was left, in the moment before it was held
        except OSError:
            with suppress(OSError):
                folder.rmdir()
            raise
        hold(handle, wait=True)
        if is_same(handle, folder):
            return folder, handle
        os.close(handle)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The archive at this path; what could be a trap is refused before anything is read."""
    with _file(path) as file:
        mark = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
        try:
            found = zipfile.ZipFile(file)
        except _BROKEN:
            raise BundleError.no_zip(path) from None
        with found:
            _check(path, found, size)
            yield Archive(path, {entry.filename: entry.file_size for entry in found.infolist()}, mark, found)


def _file(path: Path) -> BufferedReader:
    try:
        if path.is_dir():
            raise FileError.is_folder(path)
        if path.exists() and not path.is_file():
            raise FileError.no_file(path)
        return path.open("rb")
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None


def _check(path: Path, found: zipfile.ZipFile, size: int) -> None:
    entries = found.infolist()
    if len(entries) > _MOST_FILES:
        raise BundleError.too_many(path, files=len(entries), most=_MOST_FILES)
    if MANIFEST not in found.namelist():
        raise BundleError.other_zip(path, f"it has no {MANIFEST}")
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        parts = name.split("/")
        if _UNSAFE.search(entry.orig_filename) or any(part.strip(" .") == "" for part in parts):
            raise BundleError.unsafe_name(path, entry.orig_filename)
        if name.casefold() in seen:
            raise BundleError.named_twice(path, name)
        seen.add(name.casefold())
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _LOCKED:
            raise BundleError.packed(path, name)
    # files that are stored as they are, none inside another, are together no larger than what holds them
    claimed = sum(max(entry.file_size, entry.compress_size) for entry in entries)
    if claimed > size:
        raise BundleError.too_large(path, claimed=claimed, most=size)
