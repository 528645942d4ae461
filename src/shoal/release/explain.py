"""Explain one record: which columns make it unique, and what the release changed. For internal use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from shoal import data as tables
from shoal import metrics
from shoal.data import Table
from shoal.domain import (
    BoolMatrix,
    IntVector,
    Names,
    Policy,
    PolicyDraft,
    Role,
    Schema,
    check_k,
    number_by_first_row,
    to_builtin,
)
from shoal.errors import DataError, OptionError, PolicyError
from shoal.metrics.minimal_uniques import max_combined
from shoal.metrics.released_points import number_rows
from shoal.release.column_options import PolicySource, open_policy
from shoal.release.evaluate import read_release
from shoal.release.policy_arguments import policy_arguments, policy_beside, read_by_policy
from shoal.report.explanation import explanation_text

MAX_MEMBERS = 20
"""Maximum number of record numbers of a class that are listed."""


@dataclass(frozen=True)
class RecordColumn:
    name: str
    sharing: int
    """Number of records with the same value."""
    without: int
    """Number of records that share all other quasi-identifiers."""
    value: str | None = None
    """The value; None if it is missing or not disclosed."""
    released: str | None = None
    """The released value; None if it is missing or not disclosed, or there is no release."""
    changed: bool | None = None
    """Whether the released value differs; None without a release."""


@dataclass(frozen=True)
class ColumnCombination:
    """Some quasi-identifiers, and the number of records that share their values with the record, including itself."""

    columns: tuple[str, ...]
    records: int


@dataclass(frozen=True)
class ClassSensitiveColumn:
    """The values of a sensitive column in the released class."""

    name: str
    distinct: int
    """Number of different values in the class; missing is one."""
    homogeneous: bool
    """Whether all records of the class share one value, which membership in the class then discloses."""
    values: Mapping[str, int] | None = None
    """Number of records of the class with each value, by falling frequency, without missing ones."""


@dataclass(frozen=True)
class ReleasedRecord:
    alike: float
    risk: float
    members: tuple[int, ...]
    """Numbers of the first records in the class."""
    more: int
    """Number of records of the class that are not listed."""
    sensitive: tuple[ClassSensitiveColumn, ...]


@dataclass(frozen=True)
class Explanation:
    """Why one record is unique, and what the release changed. Contains values of a person unless ``values=False``."""

    row: int
    """Number of the record, from 1."""
    records: int
    k: int | None
    alike: float
    """Number of records that share all quasi-identifiers, including the record itself."""
    risk: float
    columns: tuple[RecordColumn, ...]
    unique_by: tuple[ColumnCombination, ...]
    """Minimal combinations of quasi-identifiers that no other record shares."""
    below_k_by: tuple[ColumnCombination, ...]
    """Minimal combinations that fewer than k records share; empty without k."""
    release: ReleasedRecord | None
    names_values: bool

    @property
    def notice(self) -> str:
        return f"Internal use only: this {'names values of' if self.names_values else 'is about'} one record."

    def __str__(self) -> str:
        return explanation_text(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        return {"notice": self.notice, **asdict(self)}


class _Sharing(NamedTuple):
    """Which columns each record shares with one record: the distinct patterns of columns with their frequencies."""

    patterns: BoolMatrix
    records: IntVector

    @classmethod
    def of(cls, table: Table, names: Sequence[str], place: int) -> Self:
        codes = tables.visible_codes(table, names)
        same = codes == codes[place]
        first, row = number_by_first_row(number_rows(list(same.T.astype(np.int64)), len(same)))
        return cls(same[first], np.bincount(row))

    def shared(self, columns: Sequence[int]) -> int:
        return int(self.records[self.patterns[:, columns].all(axis=1)].sum())

    def smallest(self, names: Sequence[str], *, below: int) -> Iterator[ColumnCombination]:
        """Minimal combinations that fewer than ``below`` records share."""
        minimal: set[tuple[int, ...]] = set()
        for size in range(1, max_combined(len(names)) + 1):
            for columns in combinations(range(len(names)), size):
                if any(part in minimal for smaller in range(1, size) for part in combinations(columns, smaller)):
                    continue
                records = self.shared(columns)
                if records < below:
                    minimal.add(columns)
                    yield ColumnCombination(tuple(names[j] for j in columns), records)


def explain(
    data: Any,
    *,
    row: int,
    quasi_identifiers: Names = None,
    policy: PolicySource | None = None,
    released: Any = None,
    k: int | None = None,
    sensitive: Names = None,
    values: bool = True,
) -> Explanation:
    """Explain which columns make a record unique, and what the release changed.

    A missing value is a value like any other; if the policy treats it as a wildcard, so do the counts and risks of the
    whole record. Combinations have up to 3 columns, or up to 2 if there are more than 12 quasi-identifiers.

    Parameters
    ----------
    data : path, DataFrame, array or Table
        The original table.
    row : int
        Number of the record, from 1, as in messages.
    quasi_identifiers, sensitive : str or sequence of str
        Roles of the columns. Not with a ``policy``.
    policy : Policy or path, optional
        Policy with the roles and k. Its release is used if the file lies beside the policy and is not shuffled.
        Default: if no quasi-identifier is named, the policy beside ``released``.
    released : path, DataFrame, array or Table, optional
        The release, with the records in the same order.
    k : int, optional
        Report combinations below k, too. Not with a ``policy`` that has one.
    values : bool
        Whether to include values of the data.

    Returns
    -------
    Explanation

    Raises
    ------
    ShoalError
        If the record does not exist, or policy, table and release do not fit together.
    """
    known = None if policy is None else open_policy(policy)
    if known is None and quasi_identifiers is None:
        known = policy_beside(released)
    table, decided = read_by_policy(data, known), {} if known is None else policy_arguments(known, restore=())
    index = _record_index(row, table.height)
    if known is not None:
        for name, given in {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive, "k": k}.items():
            if given is not None and name in decided:
                raise PolicyError.option_in_policy(name)
        quasi_identifiers, sensitive, k = decided["quasi_identifiers"], decided["sensitive"], decided.get("k", k)
        is_shuffled = decided.get("shuffle", False)
        if released is None and not is_shuffled:
            released = _find_release(known)
        if released is not None and is_shuffled:
            raise DataError.shuffled()
        released = None if released is None else read_by_policy(released, known, is_release=True)
    schema = Schema.assign(tables.column_kinds(table), quasi_identifiers=quasi_identifiers, sensitive=sensitive)
    names, sensitive_names = schema.quasi_identifiers, schema.names_with_role(Role.SENSITIVE)
    k = None if k is None else check_k(k)
    release = None if released is None else read_release(released, table, names)
    sharing, original_classes = _Sharing.of(table, names, index), _count_classes(table, table, names, decided)
    return Explanation(
        row=index + 1,
        records=table.height,
        k=k,
        alike=to_builtin(original_classes.sizes[index]),
        risk=float(original_classes.risk[index]),
        columns=tuple(_explain_columns(table, release, names, index, sharing, values=values)),
        unique_by=tuple(sharing.smallest(names, below=2)),
        below_k_by=() if k is None else tuple(sharing.smallest(names, below=k)),
        release=None
        if release is None
        else _released_class(table, release, names, index, sensitive_names, decided, values=values),
        names_values=values,
    )


def _find_release(policy: Policy | PolicyDraft) -> Path | None:
    """Return the file of a release if it lies beside the policy, unchanged."""
    if isinstance(policy, PolicyDraft) or policy.path is None or "file" not in policy.output:
        return None
    place = policy.path.parent / Path(str(policy.output["file"])).name
    return place if place.is_file() and tables.file_sha256(place) == policy.output.get("sha256") else None


def _record_index(row: Any, records: int) -> int:
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 1 <= row <= records:
        raise OptionError.row_out_of_range(records)
    return int(row) - 1


def _count_classes(
    counted_table: Table, table: Table, names: Sequence[str], decided: Mapping[str, Any]
) -> metrics.EquivalenceClasses:
    """Classes of the original table or of its release, as the policy counts them.

    No wildcard is compatible with records that may have been suppressed.
    """
    suppressed = None
    if decided.get("max_suppression"):
        suppressed = tables.fully_suppressed(counted_table, names) & ~tables.fully_suppressed(table, names)
    return metrics.count_classes(
        counted_table,
        names,
        k=None,
        missing=decided.get("missing_values", "category"),
        alpha=decided.get("alpha", 1.0),
        design=tables.build_survey_design(table, sampling_weights=decided.get("sampling_weights") or ""),
        suppressed=suppressed,
    )


def _explain_columns(
    table: Table, release: Table | None, names: Sequence[str], index: int, sharing: _Sharing, *, values: bool
) -> Iterator[RecordColumn]:
    for j, name in enumerate(names):
        others = [other for other in range(len(names)) if other != j]
        column = RecordColumn(name, sharing.shared([j]), sharing.shared(others))
        (original_value,) = tables.text_list(table, name, [index])
        (released_value,) = (None,) if release is None else tables.text_list(release, name, [index])
        if release is not None:
            column = replace(column, changed=released_value != original_value)
        yield replace(column, value=original_value, released=released_value) if values else column


def _released_class(
    table: Table,
    release: Table,
    names: Sequence[str],
    index: int,
    sensitive_names: Sequence[str],
    decided: Mapping[str, Any],
    *,
    values: bool,
) -> ReleasedRecord:
    """Class of the record, counted on released values."""
    released_classes, classes = _count_classes(release, table, names, decided), tables.class_labels(release, names)
    rows = np.flatnonzero(classes == classes[index]).tolist()
    return ReleasedRecord(
        alike=to_builtin(released_classes.sizes[index]),
        risk=float(released_classes.risk[index]),
        members=tuple(row + 1 for row in rows[:MAX_MEMBERS]),
        more=max(len(rows) - MAX_MEMBERS, 0),
        sensitive=tuple(
            _sensitive_values(release if name in release.names else table, name, rows, values=values)
            for name in sensitive_names
        ),
    )


def _sensitive_values(table: Table, name: str, rows: list[int], *, values: bool) -> ClassSensitiveColumn:
    counts = Counter(tables.text_list(table, name, rows))
    present = {word: records for word, records in counts.items() if word is not None}
    by_frequency = dict(sorted(present.items(), key=lambda item: (-item[1], item[0])))
    return ClassSensitiveColumn(name, len(counts), len(counts) == 1, by_frequency if values else None)
