"""Spark sessions: reuse the active session or start one; errors explain why there is none."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import EngineError, PackageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKAGES = ("pyspark", "pyarrow", "pandas")
_LOOPBACK = "127.0.0.1"
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Set by `spark-submit`, whose configuration is kept."""
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
_WORKER_THREADS = {"spark.executorEnv.POLARS_MAX_THREADS": "1", "spark.executorEnv.OMP_NUM_THREADS": "1"}
"""One thread per task: Spark schedules the cores."""
_ON_LOOPBACK = {"spark.driver.host": _LOOPBACK, "spark.driver.bindAddress": _LOOPBACK}
_REQUIRED = {
    # timestamps in the common Parquet type, old dates unchanged
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    # batches that fit in a worker
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    # quoted names are literal; aggregates keep their group columns
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.retainGroupColumns": "true",
    # the built-in Parquet reader; partition values from folder names stay text, with leading zeros
    "spark.sql.sources.useV1SourceList": "avro,csv,json,kafka,orc,parquet,text",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
_REMOTE = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
_log: list[str] = []
"""Log files of the sessions started here."""


def check_installed() -> None:
    """Raise if the packages of the extra are missing."""
    if not all(find_spec(name) for name in _PACKAGES):
        raise PackageError.needs_extra("The Spark engine", "spark")


def session_of(frame: Any) -> SparkSession:
    """Return the session of a frame; raise if it has no access to files and jobs."""
    check_installed()
    return _check_running(frame.sparkSession)


def _check_running(session: Any) -> SparkSession:
    if type(session).__module__.startswith("pyspark.sql.connect"):
        raise EngineError.spark_connect()
    context = session.sparkContext
    if context._jsc is None or context._jsc.sc().isStopped():
        raise EngineError.session_stopped()
    found: SparkSession = session
    return found


@contextmanager
def open_session(master: str | None = None) -> Iterator[SparkSession]:
    """Yield the active session, or a new one that is stopped at the end."""
    check_installed()
    active = _active_session()
    if active is not None:
        if master is not None and master != active.sparkContext.master:
            raise EngineError.different_master()
        yield active
        return
    interrupted = signal.getsignal(signal.SIGINT)
    started = _start_session(master)
    keep_log = False
    try:
        yield started
    except EngineError:
        keep_log = True
        raise
    finally:
        if not keep_log:
            _remove_log()
        started.stop()
        if interrupted is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupted)  # Spark has replaced the handler


def _active_session() -> SparkSession | None:
    """Return the active session, of this thread or of another one."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if any(name in os.environ for name in _REMOTE):
        raise EngineError.spark_connect()
    context = SparkContext._active_spark_context
    found: Any = SparkSession.getActiveSession() or SparkSession._instantiatedSession
    if found is None and context is not None:
        found = SparkSession(context)
    if found is None or (context is None and not type(found).__module__.startswith("pyspark.sql.connect")):
        return None
    return _check_running(found)


def own_session(session: Any) -> SparkSession:
    """Clone the session of the user, with settings that a correct release needs."""
    found: SparkSession = type(session)(session.sparkContext, session._jsparkSession.cloneSession())
    for name, value in _REQUIRED.items():
        found.conf.set(name, value)
    return found


def log_path() -> str | None:
    """Return the path of the log of the session started here."""
    return _log[-1] if _log else None


def _remove_log() -> None:
    while _log:
        Path(_log.pop()).unlink(missing_ok=True)


def _start_session(master: str | None) -> SparkSession:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    builder = builder.appName("shoal")
    submitted = _SUBMITTED in os.environ
    if master is not None or not submitted:
        master = master or "local[*]"
        builder = builder.master(master)
    if not submitted:
        _check_java()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        is_local = str(master).startswith("local")
        if is_local:
            os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        for name, value in {**_QUIET, **_WORKER_THREADS, **(_ON_LOOPBACK if is_local else {})}.items():
            builder = builder.config(name, value)
    try:
        with _stderr_to_log():
            found: SparkSession = builder.getOrCreate()
    except (PySparkException, Py4JError, OSError):
        raise EngineError.no_session(log_path()) from None
    return found


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise EngineError.no_java()


@contextmanager
def _stderr_to_log() -> Iterator[None]:
    """Redirect the standard error of the JVM to a log file."""
    sys.stderr.flush()
    handle, path = tempfile.mkstemp(prefix="shoal-spark-", suffix=".log")
    stderr = os.dup(2)
    os.dup2(handle, 2)
    os.close(handle)
    _log.append(path)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
