"""The verification on a cluster: the files that were written are read, and Spark itself counts their classes.

It shares nothing with the methods. What classes reach of a privacy model is counted by Spark too, and judged by the
code that judges it on one machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.spark.jobs import arrow, run
from shoal.engines.spark.looks import BROKEN, COUNT, MODEL, WORST, Checking
from shoal.engines.spark.source import Source, exact
from shoal.engines.spark.surveying import surveyed
from shoal.engines.spark.worker import Chore
from shoal.errors import DataError
from shoal.schema import Model, Policy
from shoal.values import ModelCheck, Progress, Verification, silent, whole_k

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

_AT_ONCE = 1_000_000
"""Records of a release whose sensitive values are looked at in one task, more or less."""


def recount(
    written: Source, policy: Policy, folder: str, *, records: int, progress: Progress = silent
) -> tuple[Verification, Mapping[int, int]]:
    """Count the classes of a release by the values that stand in its files, and how many there are of each size.

    Progress is told for so many ``records``.
    """
    from pyspark.sql import functions as F  # noqa: N812

    k, names = whole_k(policy.k), policy.schema.quasi_identifiers
    shown = written.frame.select(
        *[_seen(written.frame, name, text=name in names).alias(written.keys[name]) for name in written.names]
    )
    keys = [written.keys[name] for name in names]
    classes = shown.groupBy(*keys).agg(F.count("*").alias(COUNT))
    tally = classes.groupBy(COUNT).agg(F.count("*").alias("classes"))
    found = run(written.session, "verify", tally.collect, records=records, progress=progress)
    sizes = {int(size): int(count) for size, count in sorted(found)}
    if not sizes:
        raise DataError.no_records()
    proof = Verification(
        k=k,
        records=sum(size * count for size, count in sizes.items()),
        classes=sum(sizes.values()),
        min_class=min(sizes),
        violations=sum(size * count for size, count in sizes.items() if size < k),
        unique_records=sizes.get(1, 0),
        quasi_identifiers=tuple(names),
        models=_models(written, shown, policy, folder) if policy.models else (),
    )
    return proof, sizes


def _seen(frame: DataFrame, name: str, *, text: bool) -> Column:
    """A column as a reader sees it; its floats as ``text``, since Spark takes -0.0 for 0.0 where it makes groups."""
    found = exact(frame, name)
    return found.cast("string") if text and frame.schema[name].dataType.typeName() in ("double", "float") else found


def _models(written: Source, shown: DataFrame, policy: Policy, folder: str) -> tuple[ModelCheck, ...]:
    """Each model with the figure of the worst class and the number of records in classes that break it."""
    from pyspark.sql import functions as F  # noqa: N812

    asked = list(dict.fromkeys(model.column for model in policy.models))
    names = policy.schema.quasi_identifiers
    classes = [written.keys[name] for name in names]
    counted = shown.groupBy(*classes, *(written.keys[name] for name in asked)).agg(F.count("*").alias(COUNT))
    known = surveyed(written, folder, names=asked).of(asked)
    state = Checking(written.named([*names, *asked]), names, known, policy.models, policy.schema)
    together = counted.repartition(math.ceil(written.records / _AT_ONCE), *classes)
    checks = arrow(together, Chore("looks.check", state), f"{MODEL} long, {WORST} long, {BROKEN} long")
    found = run(written.session, "verify", checks.collect)
    return tuple(
        _check(model, [row for row in found if row[MODEL] == number]) for number, model in enumerate(policy.models)
    )


def _check(model: Model, found: Sequence[Row]) -> ModelCheck:
    figures = [float(np.int64(row[WORST]).view(np.float64)) for row in found]
    worst = max(figures) if model.close else min(figures)
    return ModelCheck(model.column, model.written, worst, sum(int(row[BROKEN]) for row in found))
