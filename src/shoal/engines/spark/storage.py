"""Files and folders of any Hadoop file system (local, HDFS, object stores), and how a release appears there."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.errors import EngineError, OutputError, ShoalError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ATOMIC_RENAME = ("file", "hdfs", "viewfs")
_POLICY, _SUCCESS_FILE = ".policy.toml", "_SUCCESS"
RELEASED = "released"
"""Name of a release in a scratch folder."""


class FileStamp(NamedTuple):
    """Size and time of a file, to detect changes."""

    size: int
    time: int


class HadoopStorage:
    """The file systems of a session, by addresses such as ``hdfs:///data/register`` or plain paths."""

    def __init__(self, session: SparkSession) -> None:
        classic: Any = session
        # including session settings such as the credentials of a store
        self._jvm, self._settings = classic._jvm, classic._jsparkSession.sessionState().newHadoopConf()
        self._hadoop = self._jvm.org.apache.hadoop.fs

    def resolve(self, address: str) -> str:
        """Return the address; a local path is resolved in the working directory of this process, not of the JVM."""
        local = str(self._hadoop.FileSystem.getDefaultUri(self._settings).getScheme()) == "file"
        return str(Path(address).absolute()) if local and not _SCHEME.match(address) else address

    def qualified(self, address: str) -> str:
        """Return the address with its file system and all folders."""
        with self._at(address) as (path, system):
            return str(system.makeQualified(path).toString())

    def without_links(self, address: str) -> str:
        """Return the address without symbolic links of the local file system."""
        full = self.qualified(address)
        return f"file:{os.path.realpath(full.removeprefix('file:'))}" if full.startswith("file:") else full

    def exists(self, address: str) -> bool:
        with self._at(address) as (path, system):
            return bool(system.exists(path))

    def parent(self, address: str) -> str:
        """Return the parent folder of a file or folder."""
        parent = self._hadoop.Path(self.qualified(address)).getParent()
        if parent is None:
            raise OutputError.invalid_name()
        return str(parent.toString())

    def name(self, address: str) -> str:
        return str(self._hadoop.Path(self.qualified(address)).getName())

    def count_files(self, address: str) -> int:
        """Count the data files below a folder."""
        with self._at(address) as (path, system):
            files, count = system.listFiles(path, True), 0
            while files.hasNext():
                name = str(files.next().getPath().getName())
                count += not name.startswith(("_", "."))
            return count

    def make_folder(self, address: str) -> None:
        """Create a folder for its owner only."""
        with self._at(address) as (path, system):
            system.mkdirs(path)
            system.setPermission(path, self._jvm.org.apache.hadoop.fs.permission.FsPermission("700"))

    def remove(self, address: str) -> None:
        """Remove a file or a folder with its content, if it exists."""
        with self._at(address) as (path, system):
            system.delete(path, True)

    def is_empty(self, folder: str) -> bool:
        """Return whether a folder is empty or missing."""
        with self._at(folder) as (path, system):
            return not system.exists(path) or len(system.listStatus(path)) == 0

    def move(self, old: str, new: str) -> None:
        """Rename, atomically if the file system can; never replace anything."""
        with self._at(old, written=new) as (path, system):
            target = self._hadoop.Path(new)
            if system.exists(target):
                raise OutputError.exists(new)
            if not system.rename(path, target):
                raise OutputError.unwritable(new, "the file system did not move it")

    def has_atomic_rename(self, address: str) -> bool:
        """Return whether a folder is renamed atomically, and not file by file as in object stores."""
        return str(self._hadoop.Path(self.qualified(address)).toUri().getScheme()) in _ATOMIC_RENAME

    def write(self, address: str, text: str) -> None:
        """Create a file with this text."""
        with self._at(address) as (path, system):
            stream = system.create(path, False)
            try:
                stream.write(bytearray(text.encode()))
            finally:
                stream.close()

    def reset_permissions(self, address: str) -> None:
        """Give a folder the default permissions; a file has them."""
        with self._at(address) as (path, system):
            if system.isDirectory(path):
                mask = self._hadoop.permission.FsPermission.getUMask(self._settings)
                system.setPermission(path, self._hadoop.permission.FsPermission.getDirDefault().applyUMask(mask))

    @contextmanager
    def scratch_folder(self, base: str, *, keep: bool = False) -> Iterator[str]:
        """Yield a new private folder and remove it; with ``keep`` it stays after success until the JVM exits."""
        folder = f"{self.qualified(self.resolve(base)).rstrip('/')}/.shoal-scratch-{secrets.token_hex(8)}"
        self.make_folder(folder)
        with self._at(folder) as (path, system):
            system.deleteOnExit(path)  # even if this process is killed
        try:
            yield folder
        except BaseException:
            with suppress(ShoalError):  # the original error is raised
                self.remove(folder)
            raise
        if not keep:
            self.remove(folder)

    def release_outputs(self, folder: str, place: str, *, force: bool) -> tuple[HadoopOutput, HadoopOutput]:
        """Return a release and its policy as outputs of a transaction that are written to this scratch folder."""
        # not in the scratch folder, so that no failure loses what is replaced
        backup = f"{self.parent(place)}/.shoal-old-{secrets.token_hex(8)}"
        return (
            HadoopOutput(self, f"{folder}/{RELEASED}", place, backup, force),
            HadoopOutput(self, f"{folder}/policy", place + _POLICY, backup, force),
        )

    def check_destination(self, place: str, source: str, *, force: bool) -> None:
        """Raise on a destination that cannot be written, above all the input itself."""
        if self.is_inside(place, source) or self.is_inside(source, place):
            raise OutputError.is_input(place)
        if not self.exists(self.parent(place)):
            raise OutputError.no_folder(self.parent(place))
        for output in (place, place + _POLICY):
            if not force and self.exists(output):
                raise OutputError.exists(output)

    def is_inside(self, address: str, folder: str) -> bool:
        """Return whether an address is a folder or inside of it, links resolved."""
        return f"{self.without_links(address)}/".startswith(f"{self.without_links(folder).rstrip('/')}/")

    def stamp(self, address: str) -> FileStamp:
        with self._at(address, uri=True) as (path, system):
            status = system.getFileStatus(path)
            return FileStamp(int(status.getLen()), int(status.getModificationTime()))

    @contextmanager
    def _at(self, address: str, *, written: str | None = None, uri: bool = False) -> Iterator[tuple[Any, Any]]:
        """Yield a path and its file system; translate errors, which name the address that is written."""
        from py4j.protocol import Py4JError, Py4JJavaError
        from pyspark.errors import PySparkException

        try:
            path = self._hadoop.Path(self._jvm.java.net.URI(address)) if uri else self._hadoop.Path(address)
            system = path.getFileSystem(self._settings)
            # without checksum files
            local = str(system.getScheme()) == "file" and hasattr(system, "getRawFileSystem")
            yield path, system.getRawFileSystem() if local else system
        except Py4JJavaError as error:
            why = str(error.java_exception.getClass().getSimpleName())
            raise OutputError.unwritable(written or address, why) from None
        except (Py4JError, PySparkException) as error:
            raise OutputError.unwritable(written or address, type(error).__name__) from None


@dataclass
class HadoopOutput:
    """A folder or file that a transaction moves to its place."""

    storage: HadoopStorage
    hidden: str
    place: str
    backup: str
    """Folder for what is replaced, until the commit."""
    force: bool
    _backed_up: bool = False
    _moved: bool = False

    @property
    def _before(self) -> str:
        return f"{self.backup}/{self.storage.name(self.place)}"

    def write_text(self, text: str) -> None:
        self.storage.write(self.hidden, text)

    def flush(self) -> None:
        self.storage.reset_permissions(self.hidden)

    def back_up(self) -> None:
        if self.force and self.storage.exists(self.place):
            self.storage.make_folder(self.backup)
            self.storage.move(self.place, self._before)
            self._backed_up = True

    def move(self) -> None:
        success = f"{self.hidden}/{_SUCCESS_FILE}"
        # if files are moved one by one, readers must wait for the _SUCCESS file
        is_last = not self.storage.has_atomic_rename(self.place) and self.storage.exists(success)
        if is_last:
            self.storage.remove(success)
        self.storage.move(self.hidden, self.place)
        self._moved = True
        if is_last:
            self.storage.write(f"{self.place}/{_SUCCESS_FILE}", "")

    def roll_back(self) -> None:
        """Roll back; if that fails, raise an error that names the folder of what was replaced."""
        try:
            if self._moved:
                self.storage.remove(self.place)
            if self._backed_up:
                self.storage.move(self._before, self.place)
            complete = not self.storage.exists(self._before)  # a move that failed halfway may have left files there
        except ShoalError:
            complete = False
        if not complete:
            raise OutputError.not_restored(self.place, self.backup) from None
        if self.storage.is_empty(self.backup):
            self.storage.remove(self.backup)

    def clean_up(self) -> None:
        self.storage.remove(self.backup)


def default_scratch(session: SparkSession, scratch: str | None) -> str:
    """Return a folder that all machines can access: the given one, or the checkpoint folder of the session."""
    context = session.sparkContext
    if scratch is not None:
        return scratch
    if found := context.getCheckpointDir():
        return found
    if not str(context.master).startswith("local"):
        raise EngineError.no_scratch_folder()
    return tempfile.gettempdir()
