"""Explaining one record: what makes it stand out, and what the release made of it. For internal use."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from shoal import measure, tables
from shoal.errors import ColumnError, DataError, OptionError, PolicyError
from shoal.measure.minimal_uniques import combined
from shoal.measure.points import numbered
from shoal.report.explanation import explanation
from shoal.schema import Names, Policy, Role, Schema
from shoal.tables import Table
from shoal.values import BoolMatrix, IntVector, by_first_row, plain, whole_k

MEMBERS = 20
"""Record numbers of a class that are told, at most."""


@dataclass(frozen=True)
class ColumnOfRecord:
    """A quasi-identifier of the record."""

    name: str
    sharing: int
    """The records that have the same value."""
    without: int
    """The records that would share all quasi-identifiers if this column were none."""
    value: str | None = None
    """Its value; None where it is missing or not told."""
    released: str | None = None
    """The released value; None where it is missing or not told, or there is no release."""
    changed: bool | None = None
    """Whether the release shows another value; None where there is no release."""


@dataclass(frozen=True)
class Combination:
    """Some quasi-identifiers, and the records that share their values with the record, itself among them."""

    columns: tuple[str, ...]
    records: int


@dataclass(frozen=True)
class SensitiveOfClass:
    """What the released class tells about a sensitive column."""

    name: str
    distinct: int
    """The different values in the class; missing is one."""
    homogeneous: bool
    """Whether all records of the class share one value, so that everybody who finds the class learns it."""
    values: Mapping[str, int] | None = None
    """The records of the class with each value, the most frequent first; missing ones are left out."""


@dataclass(frozen=True)
class ReleasedRecord:
    """The class of the record in the release."""

    alike: float
    risk: float
    members: tuple[int, ...]
    """The numbers of the records in the class, the first of them."""
    more: int
    """The records of the class that are not told."""
    sensitive: tuple[SensitiveOfClass, ...]


@dataclass(frozen=True)
class Explanation:
    """Why one record stands out, and what the release made of it. It names values of a person unless told not to."""

    row: int
    """The number of the record, from 1."""
    records: int
    k: int | None
    alike: float
    """The records that share all quasi-identifiers, the record itself among them."""
    risk: float
    columns: tuple[ColumnOfRecord, ...]
    unique_by: tuple[Combination, ...]
    """The smallest combinations of quasi-identifiers that no other record shares."""
    below_k_by: tuple[Combination, ...]
    """The smallest combinations that fewer than k records share; none where k is not said."""
    release: ReleasedRecord | None
    names_values: bool

    @property
    def notice(self) -> str:
        """What whoever holds this must know first."""
        return f"Internal use only: this {'names values of' if self.names_values else 'is about'} one record."

    def __str__(self) -> str:
        return explanation(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {"notice": self.notice, **asdict(self)}


class _Sharing(NamedTuple):
    """Which columns the records share with one of them: each pattern of columns that occurs, and how often."""

    patterns: BoolMatrix
    records: IntVector

    @classmethod
    def of(cls, table: Table, names: Sequence[str], place: int) -> Self:
        codes = tables.seen_codes(table, names)
        same = codes == codes[place]
        first, row = by_first_row(numbered(list(same.T.astype(np.int64)), len(same)))
        return cls(same[first], np.bincount(row))

    def shared(self, columns: Sequence[int]) -> int:
        """The records that share all of these columns."""
        return int(self.records[self.patterns[:, columns].all(axis=1)].sum())

    def smallest(self, names: Sequence[str], *, below: int) -> Iterator[Combination]:
        """The combinations that fewer records share, while any part of them is shared by more."""
        found: set[tuple[int, ...]] = set()
        for size in range(1, combined(len(names)) + 1):
            for columns in combinations(range(len(names)), size):
                if any(part in found for less in range(1, size) for part in combinations(columns, less)):
                    continue
                records = self.shared(columns)
                if records < below:
                    found.add(columns)
                    yield Combination(tuple(names[j] for j in columns), records)


def explain(
    data: Any,
    *,
    row: int,
    quasi_identifiers: Names = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    released: Any = None,
    k: int | None = None,
    sensitive: Names = None,
    values: bool = True,
) -> Explanation:
    """Tell what makes a record stand out, and with the ``released`` table what became of it.

    ``row`` is the number of the record, from 1, as messages name it. The quasi-identifiers, the sensitive columns and k
    are named, or those of a ``policy``; the release is then the one that the policy made, where its file still lies
    beside it; not where its rows are shuffled, since nobody knows then which of them is that of the record. A missing
    value is a value of its own; where the policy takes it for a wildcard, so do the counts and risks of the whole
    record. ``values=False`` leaves every cell of the data out.

    Combinations have up to 3 columns, and up to 2 where there are more than 12 quasi-identifiers.
    """
    table = tables.read(data)
    place = _place(row, table.height)
    decisions = None
    if policy is not None:
        for name, given in {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive, "k": k}.items():
            if given is not None:
                raise PolicyError.decides(name)
        decisions = policy if isinstance(policy, Policy) else Policy.read(policy)
        quasi_identifiers, k = decisions.schema.quasi_identifiers, decisions.k
        sensitive = decisions.schema.named(Role.SENSITIVE)
        if released is None and not isinstance(policy, Policy) and not decisions.shuffle:
            released = released_beside(policy, decisions)
        if released is not None and decisions.shuffle:
            raise DataError.shuffled()
    schema = Schema.assign(tables.kinds(table), quasi_identifiers=quasi_identifiers, sensitive=sensitive)
    names, secret = schema.quasi_identifiers, schema.named(Role.SENSITIVE)
    k = None if k is None else whole_k(k)
    now = None if released is None else _read_release(released, table, names)
    sharing, before = _Sharing.of(table, names, place), _counted(table, table, names, decisions)
    return Explanation(
        row=place + 1,
        records=table.height,
        k=k,
        alike=plain(before.sizes[place]),
        risk=float(before.risk[place]),
        columns=tuple(_columns(table, now, names, place, sharing, values=values)),
        unique_by=tuple(sharing.smallest(names, below=2)),
        below_k_by=() if k is None else tuple(sharing.smallest(names, below=k)),
        release=None if now is None else _released(table, now, names, place, secret, decisions, values=values),
        names_values=values,
    )


def released_beside(path: str | os.PathLike[str], policy: Policy) -> Table | None:
    """The release that a policy made, where the very same file lies beside the policy."""
    place = Path(path).parent / Path(str(policy.output.get("file", ""))).name
    if not place.is_file() or tables.fingerprint(place) != policy.output.get("sha256"):
        return None
    options, _ = tables.release_options(
        place, policy.schema.released, settings=policy.input.get("settings", {}), formulas=policy.formulas
    )
    return tables.read(place, options=options)


def _place(row: Any, records: int) -> int:
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 1 <= row <= records:
        raise OptionError.no_such_record(records)
    return int(row) - 1


def _read_release(released: Any, table: Table, names: Sequence[str]) -> Table:
    now = tables.read(released)
    for name in names:
        if name not in now.names:
            raise ColumnError.missing_in_release(name)
    if now.height != table.height:
        raise DataError.different_length(table.height, now.height)
    return now


def _counted(shown: Table, table: Table, names: Sequence[str], policy: Policy | None) -> measure.Classes:
    """The classes of the original table or of its release, as the policy counts them.

    Where records may have been suppressed, no wildcard reaches those that show nothing any more.
    """
    weights, apart = "" if policy is None else policy.survey.sampling_weights, None
    if policy is not None and policy.suppression > 0:
        apart = tables.shown_nothing(shown, names) & ~tables.shown_nothing(table, names)
    return measure.count_classes(
        shown,
        names,
        k=None,
        missing="category" if policy is None else policy.missing,
        alpha=1.0 if policy is None else policy.alpha,
        design=tables.design(table, sampling_weights=weights),
        apart=apart,
    )


def _columns(
    table: Table, now: Table | None, names: Sequence[str], place: int, sharing: _Sharing, *, values: bool
) -> Iterator[ColumnOfRecord]:
    for j, name in enumerate(names):
        others = [other for other in range(len(names)) if other != j]
        column = ColumnOfRecord(name, sharing.shared([j]), sharing.shared(others))
        (was,) = tables.texts(table, name, [place])
        (shown,) = (None,) if now is None else tables.texts(now, name, [place])
        if now is not None:
            column = replace(column, changed=shown != was)
        yield replace(column, value=was, released=shown) if values else column


def _released(
    table: Table,
    now: Table,
    names: Sequence[str],
    place: int,
    secret: Sequence[str],
    policy: Policy | None,
    *,
    values: bool,
) -> ReleasedRecord:
    """The class of the record, counted on what the release shows."""
    counted, classes = _counted(now, table, names, policy), tables.class_numbers(now, names)
    rows = np.flatnonzero(classes == classes[place]).tolist()
    return ReleasedRecord(
        alike=plain(counted.sizes[place]),
        risk=float(counted.risk[place]),
        members=tuple(row + 1 for row in rows[:MEMBERS]),
        more=max(len(rows) - MEMBERS, 0),
        sensitive=tuple(_sensitive(now if name in now.names else table, name, rows, values=values) for name in secret),
    )


def _sensitive(table: Table, name: str, rows: list[int], *, values: bool) -> SensitiveOfClass:
    counts = Counter(tables.texts(table, name, rows))
    known = {word: records for word, records in counts.items() if word is not None}
    falling = dict(sorted(known.items(), key=lambda item: (-item[1], item[0])))
    return SensitiveOfClass(name, len(counts), len(counts) == 1, falling if values else None)
