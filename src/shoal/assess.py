"""Looking at tables without changing them: read, describe, evaluate, verify."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal import measure, tables
from shoal.errors import ColumnError, DataError
from shoal.hierarchy.semantics import DISTANCES
from shoal.schema import Column, ColumnProfile, Kind, Names, Role, Schema, chosen
from shoal.schema import describe as propose
from shoal.tables import ReadOptions, Table
from shoal.understanding import Hierarchies, Levels, understood
from shoal.values import Evaluation, FloatMatrix, Scale, Verification, one_of, true_or_false, whole_k
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
) -> Evaluation:
    """Measure what a release lost and what risk is left; both tables hold the same records in the same order.

    Hierarchies, levels and kinds are given as to `shoal.anonymize`. A loss that a column keeps from being measured,
    since it is text where it was numbers, or a date, or has missing values, is None, and a note says so.
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
    numeric, values, scale = _numbers(was, now, columns, true_or_false("standardize", standardize), notes)
    meaning = _meaning(was, now, columns, one_of("distance", distance, DISTANCES), notes)
    return measure.evaluate(
        names=names,
        k=k,
        before=tables.class_sizes(was, names),
        after=tables.class_sizes(now, names),
        numeric=numeric,
        values=values,
        scale=scale,
        meaning=meaning,
        distance=distance,
        notes=tuple(notes),
    )


def _numbers(
    was: Table, now: Table, columns: Sequence[Column], standardize: bool, notes: list[str]
) -> tuple[list[str], tuple[FloatMatrix, FloatMatrix] | None, Scale | None]:
    """The numeric columns of both tables, or a note on why they cannot be compared."""
    numeric = [column.name for column in columns if column.kind is Kind.NUMERIC]
    other = [name for name in numeric if not (tables.all_numbers(was, name) and tables.all_numbers(now, name))]
    if other:
        notes.append(
            f"no loss by squared error: {counted(len(other), 'quasi-identifier')} without a number in every record of"
            " both tables"
        )
    if other or not numeric:
        return [], None, None
    values = tables.numbers(was, numeric), tables.numbers(now, numeric)
    return numeric, values, Scale.standardized(values[0]) if standardize else Scale.raw(values[0])


def _meaning(
    was: Table, now: Table, columns: Sequence[Column], distance: str, notes: list[str]
) -> measure.Meaning | None:
    """The categories of both tables, or a note on why they cannot be compared."""
    other = [column for column in columns if column.kind is not Kind.NUMERIC]
    silent = [column for column in other if column.kind is Kind.DATE or _gaps(was, column) or _gaps(now, column)]
    if silent:
        notes.append(
            f"no semantic loss: {counted(len(silent), 'quasi-identifier')} with missing values, or dates without a"
            " hierarchy"
        )
    if silent or not other:
        return None
    meaning = tables.categories(was, other, distance=distance, also=now)
    return measure.Meaning(meaning, tables.codes(was, meaning), tables.codes(now, meaning))


def _gaps(table: Table, column: Column) -> bool:
    return bool(table.cells.content(column.name).values.null_count())


def verify(table: Any, *, k: int, quasi_identifiers: Names) -> Verification:
    """Count the classes of any table, Shoal's or not; true where every record is alike at least k - 1 others."""
    return verify_table(tables.read(table), k=k, quasi_identifiers=quasi_identifiers)
