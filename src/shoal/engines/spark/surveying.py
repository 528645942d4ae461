"""The survey of a table on a cluster: workers make it and put it together, and the driver gets it in few parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.engines.spark.jobs import arrow, run
from shoal.engines.spark.looks import PART, RECORDS, START, SURVEY, Outside, Surveying
from shoal.engines.spark.source import Source, read
from shoal.engines.spark.worker import Chore
from shoal.errors import PromiseError
from shoal.tables.large import Base, Spot, Survey
from shoal.tables.large.survey import MOST_SAMPLED
from shoal.values import Progress, silent

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_AT_ONCE = 8
"""Parts that a worker puts together at a time."""
_SCHEMA = f"{START} long, {RECORDS} long, {SURVEY} binary"


def surveyed(source: Source, folder: str, *, names: Sequence[str] | None = None, progress: Progress = silent) -> Survey:
    """What one look at every record tells of these columns; parts of it are kept in the folder meanwhile."""
    session, records = source.session, source.records
    names = source.names if names is None else names
    state = Surveying(source.named(names), _step(records))
    looked = arrow(source.numbered(names), Chore("looks.survey", state), _SCHEMA)
    parts = _kept(source, looked, f"{folder}/0", progress)
    turn = 1
    while (count := run(session, "survey", parts.count)) > 1:
        groups = math.ceil(count / _AT_ONCE)
        width = math.ceil(records / groups)
        by = parts.selectExpr(f"{START} div {width} as {PART}", START, SURVEY)
        sorted_ = by.repartition(groups, PART).sortWithinPartitions(PART, START)
        parts = _kept(source, arrow(sorted_, Chore("looks.merge", None), _SCHEMA), f"{folder}/{turn}", silent)
        turn += 1
    found = [Survey.from_bytes(bytes(row[SURVEY])) for row in run(session, "survey", parts.collect)]
    if not found or found[0].start or found[0].records != records:
        raise PromiseError.changed("records that a survey did not see")
    return found[0]


def _kept(source: Source, frame: DataFrame, folder: str, progress: Progress) -> DataFrame:
    session = source.session
    run(session, "survey", lambda: frame.write.parquet(folder), records=source.records, progress=progress)
    return read(session, folder, _SCHEMA)


def _step(records: int) -> int:
    """One of how many records the sample has at most, as the survey of a whole table would find."""
    step = 1
    while math.ceil(records / step) > MOST_SAMPLED:
        step *= 2
    return step


def outside(source: Source, survey: Survey, base: Base, name: str, *, bounds: tuple[float, float]) -> Spot:
    """How many numbers of a column lie outside of its bounds, and the first of them."""
    state = Outside(source.named([name]), survey.of([name]), base, bounds)
    found = arrow(source.numbered([name]), Chore("looks.outside", state), f"{RECORDS} long, {START} long")
    spots = found.selectExpr(f"sum({RECORDS})", f"min({START})")
    count, first = run(source.session, "look at bounds", spots.collect)[0]
    return Spot(int(count or 0), int(first or 0))
