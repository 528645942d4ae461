"""What Python workers run to look at a table: surveys of it, and what its classes reach of a privacy model.

No method has a part in this: the verification calls it too. The column ``row`` numbers the records of the table; the
others are named by their places in it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal.schema import Model, Schema
from shoal.tables.large import Base, Survey, Tally, batches, beyond, fixed, sensitive_base, surveyed, total
from shoal.tables.spelling import verified_meaning

ROW, START, RECORDS, SURVEY, PART = "row", "start", "records", "survey", "part"
COUNT, MODEL, WORST, BROKEN = "count", "model", "worst", "broken"


class Surveying(NamedTuple):
    """How a table is surveyed."""

    names: Mapping[str, str]
    """The names of the columns by their keys."""
    step: int
    """One of how many records is in the sample at most."""


def survey(state: Surveying, given: Iterator[Any]) -> Iterator[Any]:
    """Surveys of stretches of the table, each of records that follow one another."""
    found: Survey | None = None
    for start, block in batches.stretches(given, ROW):
        if found is not None and found.start + found.records != start:
            yield _told(found)
            found = None
        # what is known spares work, and changes nothing
        many, step = ((), state.step) if found is None else (found.estimated, max(state.step, found.step))
        part = surveyed(batches.chunk_of(block, state.names), start=start, many=many, step=step)
        found = part if found is None else total(found, part)
    if found is not None:
        yield _told(found)


def merge(_: None, given: Iterator[Any]) -> Iterator[Any]:
    """Surveys of longer stretches, from those of each part in the order of the table."""
    for _part, block in batches.runs(given, PART):
        found: Survey | None = None
        for data in (data for batch in block for data in batch.column(SURVEY)):
            one = Survey.from_bytes(data.as_py())
            found = one if found is None else total(found, one)
        if found is not None:
            yield _told(found)


def _told(found: Survey) -> Any:
    return batches.batch_of({START: [found.start], RECORDS: [found.records], SURVEY: [found.to_bytes()]})


class Outside(NamedTuple):
    """A column, and what its numbers may be."""

    names: Mapping[str, str]
    survey: Survey
    base: Base
    bounds: tuple[float, float]


def outside(state: Outside, given: Iterator[Any]) -> Iterator[Any]:
    """How many numbers lie outside of the bounds, and the number of the first such record."""
    (name,) = state.names.values()
    for start, block in batches.stretches(given, ROW):
        chunk = batches.chunk_of(block, state.names)
        found = beyond(chunk, state.survey, state.base, name, bounds=state.bounds, start=start)
        if found.count:
            yield batches.batch_of({RECORDS: [found.count], START: [found.first]})


class Checking(NamedTuple):
    """What is asked of the classes of a release."""

    names: Mapping[str, str]
    quasi_identifiers: Sequence[str]
    sensitive: Survey
    """Of the sensitive columns of the release."""
    models: Sequence[Model]
    schema: Schema


def check(state: Checking, given: Iterator[Any]) -> Iterator[Any]:
    """The figure of the worst class for each model, and the records in classes that break it.

    Each row stands for as many records as it counts; all rows of a class come to one task.
    """
    asked = list(dict.fromkeys(model.column for model in state.models))
    base = sensitive_base(state.sensitive, state.models, state.schema, same=verified_meaning)
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        tally, some = Tally(Path(folder), list(state.quasi_identifiers), sensitive=asked), False
        for block in batches.blocks(given):
            chunk = fixed(batches.chunk_of(block, state.names), state.sensitive)
            tally.add(chunk, batches.numbers_of(block, COUNT))
            some = True
        for number, found in enumerate(tally.check_models(base, state.models) if some else ()):
            yield batches.batch_of(
                {MODEL: [number], WORST: [int(np.float64(found.reached).view(np.int64))], BROKEN: [found.violations]}
            )
