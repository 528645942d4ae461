"""The session of Spark: the one that is there, or a new one; or the sentence why there is none."""

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

_NEEDED = ("pyspark", "pyarrow", "pandas")
_HERE = "127.0.0.1"
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""What the environment has where `spark-submit` started this program: its configuration is not touched."""
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
_OF_WORKERS = {"spark.executorEnv.POLARS_MAX_THREADS": "1", "spark.executorEnv.OMP_NUM_THREADS": "1"}
"""Spark shares out the cores; what works in a task has one."""
_ON_LOOPBACK = {"spark.driver.host": _HERE, "spark.driver.bindAddress": _HERE}
_OURS = {
    # points in time as all readers of Parquet know them, old dates as they are
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    # batches that a worker can hold
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    # a name is a name, and a counted group has it
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.retainGroupColumns": "true",
    # Parquet as Spark reads it by itself; what stands in the name of a folder is text, with its zeros
    "spark.sql.sources.useV1SourceList": "avro,csv,json,kafka,orc,parquet,text",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
_REMOTE = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
_log: list[str] = []
"""The log of the session that was started here."""


def check_installed() -> None:
    """Refuse to go on without the packages of the extra."""
    if not all(find_spec(name) for name in _NEEDED):
        raise PackageError.needs_extra("The Spark engine", "spark")


def session_of(frame: Any) -> SparkSession:
    """The session of a frame, if it gives access to files and jobs."""
    check_installed()
    return _alive(frame.sparkSession)


def _alive(session: Any) -> SparkSession:
    if type(session).__module__.startswith("pyspark.sql.connect"):
        raise EngineError.connected()
    context = session.sparkContext
    if context._jsc is None or context._jsc.sc().isStopped():
        raise EngineError.stopped()
    found: SparkSession = session
    return found


@contextmanager
def session(master: str | None = None) -> Iterator[SparkSession]:
    """The session that is there, or a new one, which is stopped at the end."""
    check_installed()
    there = _there()
    if there is not None:
        if master is not None and master != there.sparkContext.master:
            raise EngineError.other_master()
        yield there
        return
    interrupted = signal.getsignal(signal.SIGINT)
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
        if interrupted is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupted)  # Spark had taken it for itself


def _there() -> SparkSession | None:
    """The session of this thread, or of any other."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if any(name in os.environ for name in _REMOTE):
        raise EngineError.connected()
    context = SparkContext._active_spark_context
    found: Any = SparkSession.getActiveSession() or SparkSession._instantiatedSession
    if found is None and context is not None:
        found = SparkSession(context)
    if found is None or (context is None and not type(found).__module__.startswith("pyspark.sql.connect")):
        return None
    return _alive(found)


def own_session(session: Any) -> SparkSession:
    """A session beside that of the user, with all of its settings but those by which a release could go wrong."""
    found: SparkSession = type(session)(session.sparkContext, session._jsparkSession.cloneSession())
    for name, value in _OURS.items():
        found.conf.set(name, value)
    return found


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
    submitted = _SUBMITTED in os.environ
    if master is not None or not submitted:
        master = master or "local[*]"
        builder = builder.master(master)
    if not submitted:
        _check_java()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        here = str(master).startswith("local")
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
