"""A sample of the records of a table that comes in chunks: every 2^j-th of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.delimited import DelimitedCells
from shoal.tables.frames import PolarsCells
from shoal.tables.layout import Layout
from shoal.tables.order import taken
from shoal.tables.table import Cells, Table
from shoal.tables.text import BLANKS
from shoal.values import IntVector

MOST_SAMPLED = 200_000
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, eq=False)
class Sample:
    """Every step-th record, the first of the table among them; the step is the least power of two that keeps few."""

    parts: tuple[tuple[Cells, IntVector], ...]
    """The cells of some records and their places in the table, one part below the other."""
    step: int

    @classmethod
    def of(cls, cells: Cells, *, start: int, step: int) -> Sample:
        """Of a chunk whose first record is number ``start``, counted from 0."""
        rows = np.arange(-start % step, cells.height, step)
        return cls(((_picked(cells, rows), rows + start),), step).fitting()

    def __add__(self, other: Sample) -> Sample:
        step = max(self.step, other.step)
        return Sample((*self.thinned(step).parts, *other.thinned(step).parts), step).fitting()

    def thinned(self, step: int) -> Sample:
        """Those of the records that every step-th record is one of."""
        if step == self.step:
            return self
        kept = [(cells, numbers, np.flatnonzero(numbers % step == 0)) for cells, numbers in self.parts]
        return Sample(tuple((_picked(cells, rows), numbers[rows]) for cells, numbers, rows in kept), step)

    def fitting(self) -> Sample:
        """The sample with a step that keeps it small."""
        few = self
        while (
            sum(len(numbers) for _, numbers in few.parts) > MOST_SAMPLED
            or sum(_size(cells) for cells, _ in few.parts) > _MOST_BYTES
        ):
            few = few.thinned(2 * few.step)
        return few

    def first(self, names: Collection[str]) -> Sample:
        """The first record alone, and of it these columns."""
        cells, numbers = self.parts[0]
        one = _picked(cells, np.arange(min(1, cells.height)))
        kept = [name for name in one.names if name in names]
        return Sample(((one.replaced(kept, {}), numbers[:1]),), self.step)

    @cached_property
    def cells(self) -> Cells:
        """The cells of all sampled records."""
        return _joined([cells for cells, _ in self.parts])

    @property
    def numbers(self) -> IntVector:
        """The places of all sampled records in the table."""
        return np.concatenate([numbers for _, numbers in self.parts])


class ReleasedSample:
    """The released records of a sample, taken out of a release that is made chunk by chunk."""

    def __init__(self, sample: Table, step: int) -> None:
        self._sample, self._step = sample, step
        self._records = 0
        self._parts: list[pl.DataFrame] = []

    def add(self, released: Table) -> None:
        """The next chunk of the release, in the order of the table."""
        rows = np.arange(-self._records % self._step, released.height, self._step)
        cells = taken(released, rows).cells
        self._parts.append(self._texts(cells) if isinstance(cells, DelimitedCells) else cells.frame())
        self._records += released.height

    def _texts(self, cells: DelimitedCells) -> pl.DataFrame:
        """The fields as text, null where one means missing."""
        texts = {}
        for name in cells.names:
            reading, text = cells.dialect.reading(name), cells.text(name)
            measured = self._sample.cells.content(name).kind in (Kind.NUMERIC, Kind.DATE)
            absent = text.str.strip_chars(BLANKS).is_in(list(reading.missing if measured else reading.blank))
            texts[name] = text.set(absent, None) if absent.any() else text
        return pl.DataFrame(texts)

    @property
    def table(self) -> Table:
        """All of them."""
        cells = PolarsCells(pl.concat(self._parts, how="vertical_relaxed"))
        return Table(self._sample.kind, cells, settings=self._sample.settings)


def _picked(cells: Cells, rows: IntVector) -> Cells:
    if isinstance(cells, DelimitedCells):
        kept = np.concatenate([[0], rows + 1]) if cells.header else rows
        return replace(cells, layout=_rows(cells.layout, kept), _known={})
    return PolarsCells(cells.frame()[rows])


def _joined(parts: Sequence[Cells]) -> Cells:
    first, texts = parts[0], [cells for cells in parts if isinstance(cells, DelimitedCells)]
    if isinstance(first, DelimitedCells):
        below = [_rows(each.layout, np.arange(int(each.header), each.layout.records)) for each in texts[1:]]
        return replace(first, layout=_below([first.layout, *below]), _known={})
    return PolarsCells(pl.concat([cells.frame() for cells in parts]).rechunk())


def _size(cells: Cells) -> int:
    """About the bytes of the records, the same in parts as together."""
    if isinstance(cells, DelimitedCells):
        return int(cells.layout.lines[-1] - cells.layout.lines[int(cells.header)])
    frame = cells.frame()
    texts = [series for series in frame.iter_columns() if series.dtype == pl.String]
    return 8 * frame.height * frame.width + sum(int(text.str.len_bytes().sum()) for text in texts)


def _rows(layout: Layout, rows: IntVector) -> Layout:
    """These records alone."""
    chosen = np.zeros(layout.records, dtype=np.bool_)
    chosen[rows] = True
    lengths = np.diff(layout.lines)
    kept = np.repeat(chosen, lengths)
    lines = np.concatenate([[0], np.cumsum(lengths[rows])]).astype(layout.lines.dtype)
    shift = layout.lines[:-1][rows] - lines[:-1]
    return Layout.of(layout.bytes[kept], lines, layout.ends[rows] - shift[:, None], layout)


def _below(parts: Sequence[Layout]) -> Layout:
    """The records of all, one part below the other."""
    starts = np.cumsum([0, *(int(part.lines[-1]) for part in parts)]).tolist()
    placed = list(zip(parts, starts, strict=False))
    quote = next((part.quote for part in parts if part.quote), "")
    return Layout.of(
        np.concatenate([part.bytes for part in parts]),
        np.concatenate([[0], *(part.lines[1:] + start for part, start in placed)]),
        np.concatenate([part.ends + start for part, start in placed]),
        replace(parts[0], quote=quote),
    )
