"""Jobs of Spark: run with progress, stopped with the program, and failed in one sentence."""

from __future__ import annotations

import secrets
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.engines.spark.session import log
from shoal.engines.spark.worker import unpacked
from shoal.errors import EngineError
from shoal.values import Progress, silent

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")
_OFTEN = 0.3
"""Seconds between two looks at how far the tasks are."""
_GROUP, _TITLE, _STOPPING = "spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"


def run(
    session: SparkSession, what: str, action: Callable[[], T], *, records: int = 1, progress: Progress = silent
) -> T:
    """What an action of Spark gives; its progress by the tasks that are done, told for so many records."""
    from py4j.protocol import Py4JError

    context: Any = session.sparkContext
    before = {name: context.getLocalProperty(name) for name in (_GROUP, _TITLE, _STOPPING)}
    group = f"shoal-{secrets.token_hex(8)}"
    context.setJobGroup(group, f"shoal: {what}", interruptOnCancel=True)
    try:
        with said_plainly(), _watched(context, group, records, progress):
            return action()
    except (KeyboardInterrupt, SystemExit):
        context.cancelJobGroup(group)
        raise
    finally:
        with suppress(Py4JError):  # where Spark's own process is gone, its error tells
            for name, value in before.items():
                context.setLocalProperty(name, value)


def arrow(frame: DataFrame, chore: Any, schema: Any) -> DataFrame:
    """The frame that the workers make of the record batches of another one."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        return frame.mapInArrow(chore, schema)


@contextmanager
def said_plainly() -> Iterator[None]:
    """A failure of Spark as an error of Shoal: its words, or those of a library, may hold cells of the data."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        told = unpacked(str(error))
        raise (told or EngineError.failed(_kind(error), log())) from None


def _kind(error: Exception) -> str:
    """What kind of failure it was, without its words."""
    condition = getattr(error, "getCondition", lambda: None)()
    java = getattr(error, "java_exception", None)
    if condition is None and java is not None:
        cause = java.getCause() or java
        return str(cause.getClass().getSimpleName())
    return str(condition or type(error).__name__)


@contextmanager
def _watched(context: Any, group: str, records: int, progress: Progress) -> Iterator[None]:
    """Tell from time to time how many of the tasks are done."""
    from py4j.protocol import Py4JError

    done = threading.Event()

    def watch() -> None:
        tracker, most = context.statusTracker(), 0
        while not done.wait(_OFTEN):
            stages: list[Any] = []
            with suppress(Py4JError):  # a session that stops meanwhile has nothing to tell
                jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
                stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
            known = [stage for stage in stages if stage is not None]
            tasks, over = sum(stage.numTasks for stage in known), sum(stage.numCompletedTasks for stage in known)
            most = max(most, records * over // max(tasks, 1))
            progress(most, records)

    thread = threading.Thread(target=watch, name="shoal-progress", daemon=True)
    if progress is not silent:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.is_alive():
            thread.join()
    progress(records, records)
