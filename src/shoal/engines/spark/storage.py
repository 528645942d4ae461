"""Files and folders wherever Spark keeps them: on this machine, in HDFS, in an object store."""

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
_AT_ONCE = ("file", "hdfs", "viewfs")
"""The file systems that move a folder in one step."""


class Stamp(NamedTuple):
    """By what it is known whether a file is still the same."""

    size: int
    time: int


class Storage:
    """The file systems that a session reaches, by addresses such as ``hdfs:///data/register`` or plain paths."""

    def __init__(self, session: SparkSession) -> None:
        classic: Any = session
        # with what the session says beyond the cluster, such as the keys of a store
        self._jvm, self._settings = classic._jvm, classic._jsparkSession.sessionState().newHadoopConf()
        self._hadoop = self._jvm.org.apache.hadoop.fs

    def located(self, address: str) -> str:
        """The same address; a path of this machine from where this program is, and not Spark's own process."""
        here = str(self._hadoop.FileSystem.getDefaultUri(self._settings).getScheme()) == "file"
        return str(Path(address).absolute()) if here and not _SCHEME.match(address) else address

    def full(self, address: str) -> str:
        """The same address with its file system and all folders."""
        with _writing(address):
            path, system = self._at(address)
            return str(system.makeQualified(path).toString())

    def real(self, address: str) -> str:
        """The same without links, where the file system of this machine has some."""
        full = self.full(address)
        return f"file:{os.path.realpath(full.removeprefix('file:'))}" if full.startswith("file:") else full

    def is_there(self, address: str) -> bool:
        with _writing(address):
            path, system = self._at(address)
            return bool(system.exists(path))

    def parent(self, address: str) -> str:
        """The folder of a file or folder that has a name."""
        found = self._hadoop.Path(self.full(address)).getParent()
        if found is None:
            raise OutputError.no_name()
        return str(found.toString())

    def name(self, address: str) -> str:
        return str(self._hadoop.Path(self.full(address)).getName())

    def count_files(self, address: str) -> int:
        """The files with data in a folder and all below it."""
        with _writing(address):
            path, system = self._at(address)
            found, count = system.listFiles(path, True), 0
            while found.hasNext():
                name = str(found.next().getPath().getName())
                count += not name.startswith(("_", "."))
            return count

    def make_folder(self, address: str) -> None:
        """A folder for its owner only."""
        with _writing(address):
            path, system = self._at(address)
            system.mkdirs(path)
            system.setPermission(path, self._jvm.org.apache.hadoop.fs.permission.FsPermission("700"))

    def remove(self, address: str) -> None:
        """A file, or a folder with all that is in it; nothing where none is."""
        with _writing(address):
            path, system = self._at(address)
            system.delete(path, True)

    def is_empty(self, folder: str) -> bool:
        """Whether nothing is in a folder, or none is there."""
        with _writing(folder):
            path, system = self._at(folder)
            return not system.exists(path) or len(system.listStatus(path)) == 0

    def keep_only(self, folder: str, name: str) -> None:
        """Remove all that is in a folder but for one of its own."""
        with _writing(folder):
            path, system = self._at(folder)
            for found in system.listStatus(path):
                if str(found.getPath().getName()) != name:
                    system.delete(found.getPath(), True)

    def remove_at_exit(self, address: str) -> None:
        """Remove it when Spark's own process ends, be it because this one was killed."""
        with _writing(address):
            path, system = self._at(address)
            system.deleteOnExit(path)

    def move(self, old: str, new: str) -> None:
        """In one step, where the file system has one; nothing that is there is replaced."""
        with _writing(new):
            path, system = self._at(old)
            target = self._hadoop.Path(new)
            if system.exists(target):
                raise OutputError.exists(new)
            if not system.rename(path, target):
                raise OutputError.unwritable(new, "the file system did not move it")

    def moves_at_once(self, address: str) -> bool:
        """Whether a folder is moved in one step, and not file by file as object stores do."""
        return str(self._hadoop.Path(self.full(address)).toUri().getScheme()) in _AT_ONCE

    def write(self, address: str, text: str) -> None:
        """A new file with this text."""
        with _writing(address):
            path, system = self._at(address)
            stream = system.create(path, False)
            try:
                stream.write(bytearray(text.encode()))
            finally:
                stream.close()

    def open_up(self, address: str) -> None:
        """Give a folder the permissions of any new one."""
        with _writing(address):
            path, system = self._at(address)
            mask = self._hadoop.permission.FsPermission.getUMask(self._settings)
            system.setPermission(path, self._hadoop.permission.FsPermission.getDirDefault().applyUMask(mask))

    def stamp(self, address: str) -> Stamp:
        with _writing(address):
            path, system = self._at(address, uri=True)
            found = system.getFileStatus(path)
            return Stamp(int(found.getLen()), int(found.getModificationTime()))

    def _at(self, address: str, *, uri: bool = False) -> tuple[Any, Any]:
        path = self._hadoop.Path(self._jvm.java.net.URI(address)) if uri else self._hadoop.Path(address)
        system = path.getFileSystem(self._settings)
        # files of checksums are Spark's own affair
        local = str(system.getScheme()) == "file" and hasattr(system, "getRawFileSystem")
        return path, system.getRawFileSystem() if local else system


@contextmanager
def _writing(address: str) -> Iterator[None]:
    """What a file system refuses, in a sentence."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except Py4JJavaError as error:
        why = str(error.java_exception.getClass().getSimpleName())
        raise OutputError.unwritable(address, why) from None
    except (Py4JError, PySparkException) as error:
        raise OutputError.unwritable(address, type(error).__name__) from None
