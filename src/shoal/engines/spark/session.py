"""The session of Spark: the one that is there, or a new one; or the sentence why there is none."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import EngineError, PackageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NEEDED = ("pyspark", "pyarrow", "pandas")
_HERE = "127.0.0.1"
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""What the environment has where `spark-submit` started this program: its configuration is not touched."""
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
_OF_WORKERS = {"spark.executorEnv.POLARS_MAX_THREADS": "1", "spark.executorEnv.OMP_NUM_THREADS": "1"}
"""Spark shares out the cores; what works in a task has one."""
_ON_LOOPBACK = {"spark.driver.host": _HERE, "spark.driver.bindAddress": _HERE}
_OF_FILES = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.sources.partitionOverwriteMode": "STATIC",
}
"""Points in time as all readers of Parquet know them, old dates as they are."""
_log: list[str] = []
"""The log of the session that was started here."""


def session_of(frame: Any) -> SparkSession:
    """The session of a frame, if it gives access to files and jobs."""
    found = frame.sparkSession
    if type(found).__module__.startswith("pyspark.sql.connect"):
        raise EngineError.connected()
    return alive(found)


def alive(session: SparkSession) -> SparkSession:
    if session.sparkContext._jsc is None or session.sparkContext._jsc.sc().isStopped():
        raise EngineError.stopped()
    return session


def check_installed() -> None:
    """Refuse to go on without the packages of the extra."""
    if not all(find_spec(name) for name in _NEEDED):
        raise PackageError.needs_extra("The Spark engine", "spark")


@contextmanager
def session(master: str | None = None) -> Iterator[SparkSession]:
    """The session that is there, or a new one, which is stopped at the end."""
    check_installed()
    from pyspark.sql import SparkSession

    there = SparkSession.getActiveSession()
    if there is not None and there.sparkContext._jsc is not None:
        if master is not None and master != there.sparkContext.master:
            raise EngineError.other_master()
        yield alive(there)
        return
    started = _started(master)
    try:
        yield started
    except EngineError:
        raise  # the log tells more
    except BaseException:
        _forget_log()
        raise
    else:
        _forget_log()
    finally:
        started.stop()


@contextmanager
def settled(session: SparkSession) -> Iterator[None]:
    """The session with the settings that a release needs, whatever its owner has set; afterwards as it was."""
    before = {name: session.conf.get(name, None) for name in _OF_FILES}
    for name, value in _OF_FILES.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name, kept in before.items():
            if kept is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, kept)


def log() -> str | None:
    """Where the log of the session is that was started here."""
    return _log[-1] if _log else None


def _forget_log() -> None:
    while _log:
        Path(_log.pop()).unlink(missing_ok=True)


def _started(master: str | None) -> SparkSession:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    builder = builder.appName("shoal")
    if master is not None:
        builder = builder.master(master)
    if _SUBMITTED not in os.environ:
        _check_java()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        here = master is None or master.startswith("local")
        if here:
            os.environ.setdefault("SPARK_LOCAL_IP", _HERE)
        for name, value in {**_QUIET, **_OF_WORKERS, **(_ON_LOOPBACK if here else {})}.items():
            builder = builder.config(name, value)
    try:
        with _noise_into_a_log():
            found: SparkSession = builder.getOrCreate()
    except (PySparkException, Py4JError, OSError):
        raise EngineError.no_session(log()) from None
    return found


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise EngineError.no_java()


@contextmanager
def _noise_into_a_log() -> Iterator[None]:
    """What Spark's own process has to say goes into a file: it inherits this instead of the terminal."""
    sys.stderr.flush()
    handle, path = tempfile.mkstemp(prefix="shoal-spark-", suffix=".log")
    kept = os.dup(2)
    os.dup2(handle, 2)
    os.close(handle)
    _log.append(path)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
