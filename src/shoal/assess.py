"""Looking at tables without changing them: read, describe, evaluate, verify."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from shoal import measure, tables
from shoal.decisions import share
from shoal.errors import ColumnError, DataError
from shoal.hierarchy.semantics import DISTANCES
from shoal.schema import MISSING, Column, ColumnProfile, Kind, Names, Role, Schema, chosen
from shoal.schema import describe as propose
from shoal.schema.models import read_models
from shoal.tables import ReadOptions, Table
from shoal.understanding import Hierarchies, Levels, understood
from shoal.values import (
    BoolMatrix,
    Evaluation,
    FloatMatrix,
    Scale,
    Verification,
    middle,
    one_of,
    true_or_false,
    whole_k,
)
from shoal.verify import protected
from shoal.verify import verify as verify_table
from shoal.words import counted


def read(
    source: Any,
    *,
    delimiter: str | None = None,
    quote: str = '"',
    encoding: str | None = None,
    decimal: str = ".",
    header: bool | None = None,
    missing: Iterable[str] | None = None,
    sheet: str | None = None,
    format: str | None = None,
) -> Table:
    """Read a file, or take a frame or an array as a table.

    What is not said is found out, and what was found stands in the table's ``settings``. The options are for
    text files (delimiter, quote, encoding, decimal, header, missing: the words that mean a missing number) and
    workbooks (sheet); ``format`` overrides the file's ending. Where ``header`` is not said, the first line is one,
    and it is refused where it looks like data.
    """
    options = ReadOptions(
        delimiter=delimiter,
        quote=quote,
        encoding=encoding,
        decimal=decimal,
        header=True if header is None else header,
        header_known=header is True,
        missing=missing,
        sheet=sheet,
        format=format,
    )
    return tables.read(source, options=options)


@dataclass(frozen=True)
class Description:
    """A proposal for the roles of a table's columns, with what speaks for it."""

    table: Table
    schema: Schema
    profiles: tuple[ColumnProfile, ...]
    unique_records: int | None
    """The records that are alone with their values of the proposed quasi-identifiers; None where there is none."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys; no cell of the data."""
        return {
            "kind": self.table.kind,
            "settings": dict(self.table.settings),
            "records": self.table.height,
            "columns": [
                {
                    "name": column.name,
                    "role": str(column.role),
                    "kind": str(column.kind),
                    "reason": column.reason,
                    "type": profile.type,
                    "distinct": profile.distinct,
                    "missing": profile.missing,
                }
                for column, profile in zip(self.schema.columns, self.profiles, strict=True)
            ],
            "quasi_identifiers": list(self.schema.quasi_identifiers),
            "unique_records": self.unique_records,
        }


def describe(data: Any) -> Description:
    """Propose a role for every column of a table, with reasons; nothing is decided and nothing changed."""
    table = tables.read(data)
    profiles = tables.profile(table)
    schema = propose(profiles, table.height)
    names = schema.quasi_identifiers
    alone = int((tables.class_sizes(table, names) == 1).sum()) if names else None
    return Description(table, schema, profiles, alone)


def evaluate(
    original: Any,
    released: Any,
    *,
    quasi_identifiers: Names,
    k: int | None = None,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    standardize: bool = True,
    distance: str = "wu-palmer",
    missing_values: str = "category",
    alpha: float = 1.0,
    sampling_weights: str | None = None,
    households: str | None = None,
) -> Evaluation:
    """Measure what a release lost and what risk is left; both tables hold the same records in the same order.

    Hierarchies, levels, kinds, the way with missing values and the columns of a survey (of the original) are given as
    to `shoal.anonymize`. An interval counts for its middle; what shows nothing counts for the mean, or for the root of
    its hierarchy. A loss that a column keeps from being measured, since it is text where it was numbers, is None, and
    a note says so.
    """
    was, now = tables.read(original), tables.read(released)
    names = chosen(quasi_identifiers, was.names, Role.QUASI_IDENTIFIER)
    for name in names:
        if name not in now.names:
            raise ColumnError.missing_in_release(name)
    if was.height != now.height:
        raise DataError.different_length(was.height, now.height)
    k = None if k is None else whole_k(k)
    schema = Schema.assign(tables.kinds(was), quasi_identifiers=names)
    schema = understood(was, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, mixed=True)
    columns = [column for column in schema.columns if column.name in names]
    notes: list[str] = []
    numeric, values, scale, gaps = _numbers(was, now, columns, true_or_false("standardize", standardize), notes)
    missing = one_of("missing_values", missing_values, MISSING)
    distance = one_of("distance", distance, DISTANCES)
    meaning = _meaning(was, now, columns, distance, apart=missing == "category")
    design = tables.design(was, sampling_weights=sampling_weights or "", households=households or "")
    counted_by = partial(
        measure.count_classes,
        names=names,
        k=k,
        missing=missing,
        alpha=share("alpha", alpha),
        design=design,
    )
    return measure.evaluate(
        names=names,
        before=counted_by(was),
        after=counted_by(now),
        numeric=numeric,
        values=values,
        scale=scale,
        meaning=meaning,
        gaps=gaps,
        distance=distance,
        notes=tuple(notes),
    )


def _numbers(
    was: Table, now: Table, columns: Sequence[Column], standardize: bool, notes: list[str]
) -> tuple[list[str], tuple[FloatMatrix, FloatMatrix] | None, Scale | None, BoolMatrix | None]:
    """The numeric columns of both tables and what the first lacks, or a note on why they cannot be compared."""
    measured = [column for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE)]
    both = [
        [tables.shown_numbers(table, column.name, dates=column.kind is Kind.DATE) for table in (was, now)]
        for column in measured
    ]
    other = sum(before is None or after is None for before, after in both)
    if other:
        notes.append(
            f"no loss by squared error: {counted(other, 'quasi-identifier')} without a number in every record of"
            " both tables"
        )
    if other or not measured:
        return [], None, None, None
    values, shown = [], []
    for before, after in both:
        if before is not None and after is not None:
            gone = np.isnan(before)
            mean = middle(before[~gone])
            values.append(np.where(gone, mean, before))
            shown.append(np.where(gone | np.isnan(after), mean, after))
    original = np.column_stack([before for before, _ in both if before is not None])
    scale, names = tables.scaled(original, standardize=standardize), [column.name for column in measured]
    return names, (np.column_stack(values), np.column_stack(shown)), scale, np.isnan(original)


def _meaning(
    was: Table, now: Table, columns: Sequence[Column], distance: str, *, apart: bool
) -> measure.Meaning | None:
    """The categories of both tables; a missing value is one of them where it is ``apart``.

    Else what was missing has nothing to lose, and what shows nothing counts for the root.
    """
    other = [column for column in columns if column.kind not in (Kind.NUMERIC, Kind.DATE)]
    if not other:
        return None
    meaning = tables.categories(was, other, distance=distance, also=now, gaps=True, apart=apart)
    before, after = tables.codes(was, meaning), tables.codes(now, meaning)
    if not apart:
        names = [column.name for column in meaning]
        roots = np.array([len(column.hierarchy) - 1 for column in meaning])
        shown = np.where(tables.missing_mask(now, names), roots, after)
        after = np.where(tables.missing_mask(was, names), before, shown)
    return measure.Meaning(meaning, before, after)


def verify(
    table: Any,
    *,
    k: int,
    quasi_identifiers: Names,
    models: Mapping[str, str | Iterable[str]] | None = None,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    missing_values: str = "category",
    alpha: float = 1.0,
    strata: Names = (),
    households: str | None = None,
) -> Verification:
    """Count the classes of any table, Shoal's or not; true where every record is alike at least k - 1 others.

    ``models`` asks more of the sensitive values in every class, such as ``{"diagnosis": "distinct-l(3)"}``, or several
    for a column. ``t-ordered`` may need the levels of its column, and ``t-hierarchical`` its hierarchy; closeness is to
    the values of the table itself. A missing value is a value of its own, or a ``wildcard``. Records are counted
    within ``strata``, and where ``households`` are named, those are counted.
    """
    known, asked = tables.read(table), read_models(models)
    schema = protected(known, quasi_identifiers, asked)
    schema = understood(known, schema, hierarchies=hierarchies, levels=levels, mixed=True)
    return verify_table(
        known,
        k=k,
        quasi_identifiers=quasi_identifiers,
        models=asked,
        schema=schema,
        missing=one_of("missing_values", missing_values, ("category", "wildcard")),
        alpha=share("alpha", alpha),
        design=tables.design(known, strata=chosen(strata, known.names, Role.INSENSITIVE), households=households or ""),
    )
