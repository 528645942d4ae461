"""Files and folders of any Hadoop file system: local, HDFS, object stores."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.errors import OutputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ATOMIC_RENAME = ("file", "hdfs", "viewfs")


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

    def keep_only(self, folder: str, name: str) -> None:
        """Remove the content of a folder except one entry."""
        with self._at(folder) as (path, system):
            for entry in system.listStatus(path):
                if str(entry.getPath().getName()) != name:
                    system.delete(entry.getPath(), True)

    def remove_at_exit(self, address: str) -> None:
        """Remove it when the JVM exits, even if this process is killed."""
        with self._at(address) as (path, system):
            system.deleteOnExit(path)

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
        """Give a folder the default permissions."""
        with self._at(address) as (path, system):
            mask = self._hadoop.permission.FsPermission.getUMask(self._settings)
            system.setPermission(path, self._hadoop.permission.FsPermission.getDirDefault().applyUMask(mask))

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
