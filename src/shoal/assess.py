"""Looking at tables without changing them: read, describe, evaluate, verify."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from shoal import measure, tables, together
from shoal.cautions import about_reading
from shoal.decisions import column_weights, share
from shoal.errors import ColumnError, DataError, OptionError, PolicyError
from shoal.hierarchy.semantics import DISTANCES
from shoal.release import policy_path
from shoal.schema import MISSING, Column, ColumnProfile, Kind, Names, Policy, Role, Schema, chosen
from shoal.schema import describe as propose
from shoal.schema.models import read_models
from shoal.tables import ReadOptions, Table
from shoal.understanding import Hierarchies, Levels, understood
from shoal.values import (
    BoolVector,
    Evaluation,
    FloatVector,
    ModelCheck,
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
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    skip: int | None = None,
    skip_footer: int | None = None,
    row_numbers: bool | None = None,
    missing: Iterable[str] | None = None,
    missing_in: Mapping[str, Iterable[str] | str] | None = None,
    column_formats: Mapping[str, str] | None = None,
    sheet: str | None = None,
    value_labels: bool = True,
    format: str | None = None,
) -> Table:
    """Read a file, or take a frame or an array as a table.

    What is not given is detected, and what was detected is in the table's ``settings``.

    - ``delimiter``, ``quote``, ``encoding``: for text files.
    - ``decimal``, ``thousands``: the marks of numbers, for all columns. ``column_formats`` is for single columns, such
      as ``{"born": "DD.MM.YYYY", "income": "1.234,5 €", "code": "text"}``. Released values are written in the same
      format.
    - ``header``: whether there is a header. If not given, the first line is one, and it is refused if it looks like
      data. ``skip``: the number of lines above it. ``skip_footer``: the number of lines below the last record, such as
      totals. ``row_numbers``: whether the first column has no name and numbers
      the rows; it is then left out.
    - ``missing``: the words that mean missing, in all columns; ``missing_in``: more of them for single columns, such as
      ``{"age": ["999"]}``.
    - ``sheet``: for workbooks. ``value_labels``: whether columns of SPSS and Stata hold the labels of their values,
      where every value has one, and not the codes. ``format``: in place of the file's ending.
    """
    options = ReadOptions(
        delimiter=delimiter,
        quote=quote,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        header=True if header is None else header,
        header_known=header is True,
        skip=skip,
        skip_footer=skip_footer,
        row_numbers=row_numbers,
        missing=missing,
        missing_in=missing_in or {},
        column_formats=column_formats or {},
        sheet=sheet,
        value_labels=value_labels,
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
    warnings: tuple[str, ...] = ()
    """What looks misread."""

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
            "warnings": list(self.warnings),
        }


def describe(data: Any) -> Description:
    """Propose a role for every column of a table, with reasons; nothing is decided and nothing changed."""
    table = tables.read(data)
    profiles = tables.profile(table)
    likely = propose(profiles, table.height).quasi_identifiers
    schema = propose(profiles, table.height, pairs=tables.redundant(table, profiles, likely))
    names = schema.quasi_identifiers
    alone = int((tables.class_sizes(table, names) == 1).sum()) if names else None
    return Description(
        table, schema, profiles, alone, about_reading(tables.doubts(table), typed=tables.is_typed(table))
    )


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
    sensitive: Names = (),
    models: Mapping[str, str | Iterable[str]] | None = None,
    population: Any = None,
    weights: Mapping[str, float] | None = None,
    measures: str | Iterable[str] = "default",
) -> Evaluation:
    """Measure what a release lost and what risk is left; both tables hold the same records in the same order.

    A release whose rows are shuffled is refused: its own figures were counted before they were.

    Hierarchies, levels, kinds, the way with missing values and the columns of a survey (of the original) are given as
    to `shoal.anonymize`. An interval counts for its middle; what shows nothing counts for the mean, or for the root of
    its hierarchy. A loss that a column keeps from being measured, since it is text where it was numbers, is None, and
    a note says so.

    ``measures`` are ``default`` (those that one look at every record tells), ``all``, or the names of some; see
    `shoal.measures()`. ``sensitive`` columns are those of the original; the figures about them need them.
    ``models`` are asked of them in the classes of the release, as to `shoal.verify`.

    ``population`` is a table of all persons whom the records were drawn from, with the same quasi-identifiers recoded
    as in the release: what an outsider would look them up in. Its records tell the risks of a journalist and a
    marketer; without it these go by the sampling weights, or the table is the population itself.
    """
    was, now = tables.read(original), tables.read(released)
    names = chosen(quasi_identifiers, was.names, Role.QUASI_IDENTIFIER)
    for name in names:
        if name not in now.names:
            raise ColumnError.missing_in_release(name)
    if was.height != now.height:
        raise DataError.different_length(was.height, now.height)
    _check_in_place(was, now, names)
    k = None if k is None else whole_k(k)
    asked = read_models(models)
    secret = chosen(sensitive, was.names, Role.SENSITIVE)
    secret = (*secret, *dict.fromkeys(model.column for model in asked if model.column not in (*secret, *names)))
    schema = Schema.assign(tables.kinds(was), quasi_identifiers=names, sensitive=secret)
    schema = understood(was, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, mixed=True)
    columns = [column for column in schema.columns if column.name in names]
    protected = [column for column in schema.columns if column.role is Role.SENSITIVE]
    notes: list[str] = []
    given = column_weights(weights)
    tables.known_weights(names, given)
    missing = one_of("missing_values", missing_values, MISSING)
    distance = one_of("distance", distance, DISTANCES)
    design = tables.design(was, sampling_weights=sampling_weights or "", households=households or "")
    counted_by = partial(
        measure.count_classes,
        names=names,
        k=k,
        missing=missing,
        alpha=share("alpha", alpha),
        design=design,
    )
    hidden = tables.shown_nothing(now, names)
    after = counted_by(now, population=None if population is None else tables.read(population))
    notes += _population_notes(after)
    emptied = int((hidden & ~tables.shown_nothing(was, names)).sum())
    if missing == "wildcard" and emptied:
        notes.append(
            f"{counted(emptied, 'record')} of which nothing is shown any more: as wildcards they are compatible with"
            " every other; where outsiders know that they were suppressed, they hide nobody and the risk is higher"
        )
    pair = measure.Pair(
        names=names,
        before=counted_by(was),
        after=after,
        weights=given,
        suppressed=hidden,
        sensitive=tables.sensitive_columns(was, protected),
        sampling=design.sampling,
        distance=distance,
        **_numbers(was, now, columns, true_or_false("standardize", standardize), notes),
        **_meaning(was, now, columns, distance, apart=missing == "category"),
    )
    found: tuple[ModelCheck, ...] = ()
    if asked:
        found = tables.check_models(tables.demands(was, asked, schema), asked, tables.class_numbers(now, names))
    return measure.evaluate(pair, which=measures, notes=tuple(notes), models=found)


def _check_in_place(was: Table, now: Table, names: Sequence[str]) -> None:
    """Refuse a release whose rows are shuffled: by the policy beside it, or by the columns that it shows as they were.

    Where none of these stands as it stood, and some hold the same cells in another order, the rows are not the same.
    """
    if _is_shuffled(now):
        raise DataError.shuffled()
    moved = False
    for name in (name for name in now.names if name in was.names and name not in names):
        before, after = (one.cells.content(name).words.fill_null("") for one in (was, now))
        if before.n_unique() > 1:
            if before.equals(after):
                return
            moved = moved or before.sort().equals(after.sort())
    if moved:
        raise DataError.shuffled()


def _is_shuffled(table: Table) -> bool:
    """Whether the policy beside a release says that its rows are shuffled."""
    if table.path is None or not policy_path(table.path).is_file():
        return False
    try:
        policy = Policy.read(policy_path(table.path))
    except PolicyError:
        return False
    return policy.shuffle and policy.output.get("sha256") == table.sha256


def _population_notes(classes: measure.Classes) -> list[str]:
    """What a table of the population does not tell."""
    if classes.population is None:
        return []
    notes = ["the population is recoded as the release is: the risks before are those without it"]
    lacking = int((classes.population < classes.sizes).sum())
    if lacking:
        notes.append(
            f"the table of the population has fewer records like {counted(lacking, 'record')} than the release itself:"
            " those of the release count for them"
        )
    return notes


def _numbers(was: Table, now: Table, columns: Sequence[Column], standardize: bool, notes: list[str]) -> dict[str, Any]:
    """The numeric columns of both tables and what they lack, or a note on why they cannot be compared."""
    measured = [column for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE)]
    both = [
        tuple(tables.shown_bounds(table, column.name, dates=column.kind is Kind.DATE) for table in (was, now))
        for column in measured
    ]
    known = [(before, after) for before, after in both if before is not None and after is not None]
    if len(known) < len(both):
        notes.append(
            f"no loss by squared error: {counted(len(both) - len(known), 'quasi-identifier')} without a number in every"
            " record of both tables"
        )
    if len(known) < len(both) or not measured:
        return {}
    names = [column.name for column in measured]
    originals, gaps = zip(*(_filled(_middles(*before)) for before, _ in known), strict=True)
    shown, blank, bounds = [], [], {}
    for name, original, gone, (_, (low, high)) in zip(names, originals, gaps, known, strict=True):
        empty = np.isnan(low)
        mean = middle(original[~gone]) if empty.any() or gone.any() else 0.0
        column = _middles(low, high)
        shown.append(np.where(gone | empty, mean, column) if empty.any() or gone.any() else column)
        blank.append(empty)
        if low is not high:
            bounds[name] = (low, high)
    return {
        "numeric": tuple(names),
        "values": originals,
        "shown": tuple(shown),
        "scale": tables.scaled_columns(originals, gaps, standardize=standardize),
        "gaps": np.column_stack(gaps) if any(column.any() for column in gaps) else None,
        "blank": np.column_stack(blank) if any(column.any() for column in blank) else None,
        "bounds": bounds,
        "dates": tuple(column.name for column in measured if column.kind is Kind.DATE),
    }


def _filled(column: FloatVector) -> tuple[FloatVector, BoolVector]:
    """A column with its mean where a number is missing, and where that is; the column itself where none is."""
    gone = np.isnan(column)
    return (np.where(gone, middle(column[~gone]), column) if gone.any() else column), gone


def _middles(low: FloatVector, high: FloatVector) -> FloatVector:
    """The middle of each interval; half of the least number there is would be none."""
    return low if low is high else low / 2 + high / 2


def _meaning(was: Table, now: Table, columns: Sequence[Column], distance: str, *, apart: bool) -> dict[str, Any]:
    """The categories of both tables; a missing value is one of them where it is ``apart``.

    Else what was missing has nothing to lose, and what shows nothing counts for the root.
    """
    other = [column for column in columns if column.kind not in (Kind.NUMERIC, Kind.DATE)]
    if not other:
        return {}
    meaning = tables.categories(was, other, distance=distance, also=now, gaps=True, apart=apart)
    before, after = tables.codes(was, meaning), tables.codes(now, meaning)
    absent, untold = (tables.missing_mask(table, [column.name for column in meaning]) for table in (was, now))
    if not apart:
        roots = np.array([len(column.hierarchy) - 1 for column in meaning])
        after = np.where(absent, before, np.where(untold, roots, after))
    return {"categories": meaning, "codes": before, "nodes": after, "absent": absent, "untold": untold}


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
    against: Any = None,
    against_quasi_identifiers: Names = (),
    order: str | None = None,
    sensitive: Names = (),
) -> Verification:
    """Count the classes of any table, Shoal's or not; true where every record is alike at least k - 1 others.

    ``models`` asks more of the sensitive values in every class, such as ``{"diagnosis": "distinct-l(3)"}``, or several
    for a column. ``t-ordered`` may need the levels of its column, and ``t-hierarchical`` its hierarchy; closeness is to
    the values of the table itself. A missing value is a value of its own, or a ``wildcard``. Records are counted
    within ``strata``, and where ``households`` are named, those are counted.

    ``against`` is another release in which the same persons may be: then k must hold for one who has both, and no
    value of a column that has a model, or is named as ``sensitive``, may be left over where their classes meet. The
    quasi-identifiers of the other are named, or those of the policy beside its file, or those of the same names.
    ``order`` tells whether the records of both stand in the same order (``kept`` or ``unknown``); where nothing is
    said, they do if the columns that both show agree row by row, unless the policy of one says that its rows are
    shuffled. `shoal.together` has the reasoning.
    """
    known, asked = tables.read(table), read_models(models)
    schema = protected(known, quasi_identifiers, asked)
    schema = understood(known, schema, hierarchies=hierarchies, levels=levels, mixed=True)
    strata = chosen(strata, known.names, Role.INSENSITIVE)
    found = verify_table(
        known,
        k=k,
        quasi_identifiers=quasi_identifiers,
        models=asked,
        schema=schema,
        missing=one_of("missing_values", missing_values, ("category", "wildcard")),
        alpha=share("alpha", alpha),
        design=tables.design(known, strata=strata, households=households or ""),
    )
    named, secret = _named(against_quasi_identifiers), _named(sensitive)
    if against is None:
        for name, value in {"against_quasi_identifiers": named, "order": order, "sensitive": secret}.items():
            if value:
                raise OptionError.needs_other(name)
        return found
    if households:
        raise OptionError.households_apart()
    other = tables.read(against)
    hidden = chosen(secret, tuple(dict.fromkeys([*known.names, *other.names])), Role.SENSITIVE)
    if order is None and known.sha256 != other.sha256 and (_is_shuffled(known) or _is_shuffled(other)):
        order = "unknown"
    return replace(
        found,
        together=together.compare(
            known,
            other,
            k=k,
            quasi_identifiers=tuple(dict.fromkeys([*found.quasi_identifiers, *strata])),
            other_quasi_identifiers=_known_of(other, named, found, strata),
            sensitive=tuple(dict.fromkeys([*hidden, *(model.column for model in asked)])),
            order=order,
        ),
    )


def _named(names: Names) -> tuple[str | int, ...]:
    """The names one by one, whatever holds them."""
    return (names,) if isinstance(names, str | int) else tuple(() if names is None else names)


def _known_of(other: Table, named: Names, found: Verification, strata: tuple[str, ...]) -> tuple[str, ...]:
    """The quasi-identifiers of another release: those named, those of its policy, or those of the same names.

    Strata are known to outsiders as these are.
    """
    if not named and other.path is not None and policy_path(other.path).exists():
        named = Policy.read(policy_path(other.path)).schema.quasi_identifiers
    if not named:
        named = [name for name in found.quasi_identifiers if name in other.names]
    if not named:
        raise ColumnError.no_quasi_identifier_of_other()
    known = chosen(named, other.names, Role.QUASI_IDENTIFIER)
    return tuple(dict.fromkeys([*known, *(name for name in strata if name in other.names)]))
