"""Systematic sample of the records of a table: every 2^j-th record."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.scan import Layout
from shoal.data.csv.text_values import BLANKS
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.row_order import take
from shoal.data.table import Table, TableCells
from shoal.domain import IntVector
from shoal.domain.columns import Kind

MAX_SAMPLE = 200_000
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, eq=False)
class SystematicSample:
    """Every step-th record from the first on; the step is the smallest power of two that keeps the sample small."""

    parts: tuple[tuple[TableCells, IntVector], ...]
    """Cells and row numbers of the sampled records, one part below the other."""
    step: int

    @classmethod
    def of(cls, cells: TableCells, *, start: int, step: int) -> SystematicSample:
        """Sample a chunk whose first record is row ``start``."""
        rows = np.arange(-start % step, cells.height, step)
        return cls(((_select(cells, rows), rows + start),), step).shrunk_to_limits()

    def __add__(self, other: SystematicSample) -> SystematicSample:
        step = max(self.step, other.step)
        return SystematicSample((*self.with_step(step).parts, *other.with_step(step).parts), step).shrunk_to_limits()

    def with_step(self, step: int) -> SystematicSample:
        """Return the sample with a larger step."""
        if step == self.step:
            return self
        kept = [(cells, numbers, np.flatnonzero(numbers % step == 0)) for cells, numbers in self.parts]
        return SystematicSample(tuple((_select(cells, rows), numbers[rows]) for cells, numbers, rows in kept), step)

    def shrunk_to_limits(self) -> SystematicSample:
        """Return the sample with the smallest step that keeps it within the limits."""
        sample = self
        while (
            sum(len(numbers) for _, numbers in sample.parts) > MAX_SAMPLE
            or sum(_size(cells) for cells, _ in sample.parts) > _MOST_BYTES
        ):
            sample = sample.with_step(2 * sample.step)
        return sample

    def first(self, names: Collection[str]) -> SystematicSample:
        """Return only the first record, with these columns."""
        cells, numbers = self.parts[0]
        record = _select(cells, np.arange(min(1, cells.height)))
        kept = [name for name in record.names if name in names]
        return SystematicSample(((record.replace_columns(kept, {}), numbers[:1]),), self.step)

    @cached_property
    def cells(self) -> TableCells:
        """Cells of all sampled records."""
        return _concat_cells([cells for cells, _ in self.parts])

    @property
    def rows(self) -> IntVector:
        """Row numbers of all sampled records."""
        return np.concatenate([numbers for _, numbers in self.parts])


class ReleasedSample:
    """The released records of a sample, collected from the chunks of a release."""

    def __init__(self, sample: Table, step: int) -> None:
        self._sample, self._step = sample, step
        self._records = 0
        self._parts: list[pl.DataFrame] = []

    def add(self, released: Table) -> None:
        """Add the next chunk of the release, in the order of the table."""
        rows = np.arange(-self._records % self._step, released.height, self._step)
        cells = take(released, rows).cells
        self._parts.append(self._texts(cells) if isinstance(cells, DelimitedCells) else cells.frame())
        self._records += released.height

    def _texts(self, cells: DelimitedCells) -> pl.DataFrame:
        """Return the fields as text; missing values are null."""
        texts = {}
        for name in cells.names:
            reading, text = cells.dialect.parser(name), cells.text(name)
            measured = self._sample.cells.content(name).kind in (Kind.NUMERIC, Kind.DATE)
            absent = text.str.strip_chars(BLANKS).is_in(list(reading.missing if measured else reading.blank))
            texts[name] = text.set(absent, None) if absent.any() else text
        return pl.DataFrame(texts)

    @property
    def table(self) -> Table:
        """All sampled records."""
        cells = PolarsCells(pl.concat(self._parts, how="vertical_relaxed"))
        return Table(self._sample.kind, cells, settings=self._sample.settings)


def _select(cells: TableCells, rows: IntVector) -> TableCells:
    if isinstance(cells, DelimitedCells):
        kept = np.concatenate([[0], rows + 1]) if cells.header else rows
        return replace(cells, layout=_rows(cells.layout, kept), _known={})
    return PolarsCells(cells.frame()[rows])


def _concat_cells(parts: Sequence[TableCells]) -> TableCells:
    first, texts = parts[0], [cells for cells in parts if isinstance(cells, DelimitedCells)]
    if isinstance(first, DelimitedCells):
        below = [_rows(each.layout, np.arange(int(each.header), each.layout.records)) for each in texts[1:]]
        return replace(first, layout=_concat_layouts([first.layout, *below]), _known={})
    return PolarsCells(pl.concat([cells.frame() for cells in parts]).rechunk())


def _size(cells: TableCells) -> int:
    """Return the approximate bytes of the records; additive over parts."""
    if isinstance(cells, DelimitedCells):
        return int(cells.layout.record_starts[-1] - cells.layout.record_starts[int(cells.header)])
    frame = cells.frame()
    texts = [series for series in frame.iter_columns() if series.dtype == pl.String]
    return 8 * frame.height * frame.width + sum(int(text.str.len_bytes().sum()) for text in texts)


def _rows(layout: Layout, rows: IntVector) -> Layout:
    """Select records of a layout."""
    chosen = np.zeros(layout.records, dtype=np.bool_)
    chosen[rows] = True
    lengths = np.diff(layout.record_starts)
    kept = np.repeat(chosen, lengths)
    lines = np.concatenate([[0], np.cumsum(lengths[rows])]).astype(layout.record_starts.dtype)
    shift = layout.record_starts[:-1][rows] - lines[:-1]
    return Layout.build(layout.bytes[kept], lines, layout.field_ends[rows] - shift[:, None], layout)


def _concat_layouts(parts: Sequence[Layout]) -> Layout:
    starts = np.cumsum([0, *(int(part.record_starts[-1]) for part in parts)]).tolist()
    placed = list(zip(parts, starts, strict=False))
    quote = next((part.quote for part in parts if part.quote), "")
    return Layout.build(
        np.concatenate([part.bytes for part in parts]),
        np.concatenate([[0], *(part.record_starts[1:] + start for part, start in placed)]),
        np.concatenate([part.field_ends + start for part, start in placed]),
        replace(parts[0], quote=quote),
    )
