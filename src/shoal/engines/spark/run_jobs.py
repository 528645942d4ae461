"""Spark jobs: run with progress, cancelled with the program, errors translated."""

from __future__ import annotations

import secrets
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.domain import Progress, no_progress
from shoal.engines.spark.python_worker import decode_error
from shoal.engines.spark.session import log_path
from shoal.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")
_INTERVAL = 0.3
_GROUP, _TITLE, _STOPPING = "spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"


def run_job(
    session: SparkSession, title: str, action: Callable[[], T], *, records: int = 1, progress: Progress = no_progress
) -> T:
    """Run a Spark action; scale the fraction of finished tasks to ``records`` for the progress."""
    from py4j.protocol import Py4JError

    context: Any = session.sparkContext
    before = {name: context.getLocalProperty(name) for name in (_GROUP, _TITLE, _STOPPING)}
    group = f"shoal-{secrets.token_hex(8)}"
    context.setJobGroup(group, f"shoal: {title}", interruptOnCancel=True)
    try:
        with translate_spark_errors(), _report_progress(context, group, records, progress):
            return action()
    except (KeyboardInterrupt, SystemExit):
        context.cancelJobGroup(group)
        raise
    finally:
        with suppress(Py4JError):  # if the JVM has died, the original error is raised
            for name, value in before.items():
                context.setLocalProperty(name, value)


def map_batches(frame: DataFrame, task: Any, schema: Any) -> DataFrame:
    """Apply a task to the record batches of a frame."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        return frame.mapInArrow(task, schema)


@contextmanager
def translate_spark_errors() -> Iterator[None]:
    """Translate Spark errors: their messages may quote cells of the data."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        own = decode_error(str(error))
        raise (own or EngineError.job_failed(_kind(error), log_path())) from None


def _kind(error: Exception) -> str:
    """Return the error condition or class, without the message."""
    condition = getattr(error, "getCondition", lambda: None)()
    java = getattr(error, "java_exception", None)
    if condition is None and java is not None:
        cause = java.getCause() or java
        return str(cause.getClass().getSimpleName())
    return str(condition or type(error).__name__)


@contextmanager
def _report_progress(context: Any, group: str, records: int, progress: Progress) -> Iterator[None]:
    """Report the number of finished tasks periodically."""
    from py4j.protocol import Py4JError

    done = threading.Event()

    def watch() -> None:
        tracker, reached = context.statusTracker(), 0
        while not done.wait(_INTERVAL):
            stages: list[Any] = []
            with suppress(Py4JError):  # the session may stop in the meantime
                jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
                stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
            known = [stage for stage in stages if stage is not None]
            tasks, completed = sum(stage.numTasks for stage in known), sum(stage.numCompletedTasks for stage in known)
            reached = max(reached, records * completed // max(tasks, 1))
            progress(reached, records)

    thread = threading.Thread(target=watch, name="shoal-progress", daemon=True)
    if progress is not no_progress:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.is_alive():
            thread.join()
    progress(records, records)
