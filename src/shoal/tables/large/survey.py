"""A survey: what only the whole of a table tells, learned from its chunks in one pass."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from shoal.errors import ColumnError, DataError
from shoal.schema.columns import Kind
from shoal.schema.profile import ColumnProfile
from shoal.tables.large.column import MOST_DIFFERENT, ColumnSurvey
from shoal.tables.large.meaning import Meaning
from shoal.tables.large.sample import MOST_SAMPLED, Sample
from shoal.tables.large.source import Source
from shoal.tables.table import Table
from shoal.values import Progress, silent

__all__ = ["MOST_DIFFERENT", "MOST_SAMPLED", "Survey", "survey", "surveyed", "total"]


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """What only the whole of a table tells. The same however the table was cut; sums in it are exact."""

    start: int
    """The place of the first record, 0 unless this is a part of a table."""
    records: int
    sha256: str | None
    columns: tuple[ColumnSurvey, ...]
    sampled: Sample
    head: Table
    """The kind, the path and the settings of the table; its cells are but some."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were surveyed."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _known(self) -> dict[str, ColumnSurvey]:
        return {column.name: column for column in self.columns}

    def meaning(self, name: str) -> Meaning:
        """How the cells of a column are understood."""
        if name not in self._known:
            raise ColumnError.unknown(name, self.names)
        return self._known[name].meaning

    def kinds(self) -> tuple[tuple[str, Kind], ...]:
        """As `tables.kinds` says for the whole table."""
        return tuple((column.name, column.meaning.kind) for column in self.columns)

    def profile(self) -> tuple[ColumnProfile, ...]:
        """As `tables.profile` says for the whole table; a large number of different values is `estimated`."""
        return tuple(column.profile(self.records) for column in self.columns)

    @property
    def estimated(self) -> tuple[str, ...]:
        """The columns whose number of different values is an estimate."""
        return tuple(column.name for column in self.columns if column.different is None)

    def value_counts(self, name: str) -> dict[str, int] | None:
        """As `tables.value_counts` says for the whole table; None where there are too many different values."""
        return self.meaning(name).value_counts()

    def holds(self, name: str, words: Iterable[str]) -> bool:
        """Whether all these words are values of the column; never where it has too many different ones."""
        copies = self.meaning(name).copies
        return all(word in copies for word in words)

    def missing(self) -> dict[str, int]:
        """The missing cells of each column that has some."""
        counts = {column.name: column.meaning.missing.count for column in self.columns}
        return {name: count for name, count in counts.items() if count}

    def range(self, name: str) -> tuple[float, float] | None:
        """The least and the greatest number, or day, of a column; None where it has none."""
        moments = self.meaning(name).sketch.moments
        return (moments.low, moments.high) if moments.count else None

    @cached_property
    def sample(self) -> Table:
        """Every step-th record from the first on, understood as part of the whole table; at most MOST_SAMPLED."""
        from shoal.tables.large.cells import fixed

        return fixed(replace(self.head, cells=self.sampled.cells), self)

    @property
    def step(self) -> int:
        """One of how many records is in the sample: a power of two."""
        return self.sampled.step

    def of(self, names: Collection[str]) -> Survey:
        """What is known of these columns, with no more of the sample than its first record."""
        few = self.sampled.first(names)
        columns = tuple(column for column in self.columns if column.name in names)
        return replace(self, columns=columns, sampled=few, head=replace(self.head, cells=few.cells))

    def to_bytes(self) -> bytes:
        """All of it as one file of arrays and JSON."""
        from shoal.tables.large.stored import stored

        return stored(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Survey:
        """The survey again, or `FileError.damaged`."""
        from shoal.tables.large.stored import restored

        return restored(data)


def survey(source: Source, *, columns: Sequence[str] | None = None, progress: Progress = silent) -> Survey:
    """Read the file once; of other columns than these nothing is learned. Progress has no total."""
    found: Survey | None = None
    for chunk in source.chunks(columns=columns):
        if found is None:
            found = surveyed(chunk)
        else:
            part = surveyed(chunk, start=found.records, many=found.estimated, step=found.step)
            found = total(found, part)
        progress(found.records, found.records)
    if found is None:
        raise DataError.no_records()
    return found


def surveyed(chunk: Table, *, start: int = 0, many: Collection[str] = (), step: int = 1) -> Survey:
    """The survey of one chunk, whose first record is number ``start``, counted from 0.

    What is known of the records before spares work: the columns with ``many`` values, the ``step`` of the sample.
    """
    columns = tuple(ColumnSurvey.of(chunk, name, start=start, many=name in many) for name in chunk.names)
    sample = Sample.of(chunk.cells, start=start, step=step)
    head = replace(chunk, cells=sample.parts[0][0])
    return Survey(start, chunk.height, chunk.sha256, columns, sample, head)


def total(first: Survey, second: Survey) -> Survey:
    """The survey of two parts of a table, the second right below the first."""
    if first.names != second.names or second.start != first.start + first.records:
        raise DataError.not_adjoining()
    columns = tuple(one + two for one, two in zip(first.columns, second.columns, strict=True))
    sample = first.sampled + second.sampled
    head = replace(first.head, cells=sample.parts[0][0])
    return replace(first, records=first.records + second.records, columns=columns, sampled=sample, head=head)
