"""The meaning of a column: how any of its cells are understood, once the whole column was seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.decimals import float_type
from shoal.tables.frames import series_content
from shoal.tables.large.sketch import Different, Notation, Sketch, Spot
from shoal.tables.table import Content
from shoal.tables.text import NUMBER, floats
from shoal.values import Precision


@dataclass(frozen=True, eq=False, repr=False)
class Meaning:
    """How any cells of a column are understood."""

    notation: Notation
    sketch: Sketch
    different: Different | None
    """The different cells in the order in which they first appear; None where they are too many."""
    dtype: pl.DataType

    def content(self, cells: pl.Series) -> Content:
        """What these cells of the column hold, as `understood` or `series_content` tells it for all of them."""
        if self.notation.text:
            return _content(cells.alias(""), self.notation, self.sketch)
        content = series_content(cells)
        return replace(content, timed=True) if self.sketch.timed else content

    @cached_property
    def nothing(self) -> Content:
        """What no cells of the column hold: its kind, its type and its levels."""
        return self.content(pl.Series([], dtype=self.dtype))

    @property
    def kind(self) -> Kind:
        return self.nothing.kind

    @property
    def precision(self) -> Precision:
        """With how many decimals the numbers of the column are written."""
        sketch = self.sketch
        dtype = "float64" if self.notation.text else float_type(str(self.dtype))
        return sketch.decimals.precision(low=sketch.moments.low, high=sketch.moments.high, dtype=dtype)

    @cached_property
    def told(self) -> Content | None:
        """What the different cells hold."""
        return None if self.different is None else self.content(self.different.cells)

    @property
    def missing(self) -> Spot:
        """The cells that are missing."""
        if not self.notation.text or self.kind in (Kind.NUMERIC, Kind.DATE):
            return self.sketch.absent
        return self.sketch.blank

    @cached_property
    def copies(self) -> dict[str, int]:
        """For each word the first of the different cells that has it."""
        if self.told is None:
            return {}
        words = self.told.words
        first = words.drop_nulls().arg_unique() if not words.null_count() else words.arg_unique()
        both = zip(words.gather(first).to_list(), first.to_list(), strict=True)
        return {word: at for word, at in both if word is not None}

    def value_counts(self) -> dict[str, int] | None:
        """The records of each value, in the order of the values: numbers by size. Missing ones are left out."""
        if self.different is None or self.told is None:
            return None
        frame = pl.DataFrame(
            [
                self.told.values.alias("value"),
                self.told.words.alias("word"),
                pl.Series("records", self.different.counts),
            ]
        ).drop_nulls()
        counts = frame.group_by("word").agg(pl.col("value").min(), pl.col("records").sum()).sort("value", "word")
        return dict(counts.select("word", "records").iter_rows())


def _content(text: pl.Series, notation: Notation, sketch: Sketch) -> Content:
    if not sketch.numbers and (not sketch.words.count or sketch.undated.count):
        return Content(Kind.NOMINAL, "text", notation.reading.present(text))
    plain = notation.plain(text)
    absent = plain.is_in(list(notation.reading.missing))
    if not sketch.numbers:
        return Content(Kind.DATE, "date", notation.reading.standard(text).set(absent, None))
    if sketch.words.count:
        return _mixed(notation.reading.present(text), plain, absent)
    if sketch.zeros:
        return Content(Kind.NOMINAL, "text", notation.reading.present(text))
    numbers = floats(plain, ~absent)
    if sketch.fractions:
        return Content(Kind.NUMERIC, "number", numbers, numbers)
    digits = plain.zip_with(~absent, pl.Series([None], dtype=pl.String))
    return Content(Kind.NUMERIC, "integer", digits if sketch.long else digits.cast(pl.Int64), numbers)


def _mixed(values: pl.Series, plain: pl.Series, absent: pl.Series) -> Content:
    number = plain.str.contains(NUMBER) & ~absent
    return Content(Kind.NOMINAL, "text", values, floats(plain, number), ~(number | absent))
