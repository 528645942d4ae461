"""Formulas: cells of a text file that a spreadsheet runs when it opens the file, and how they are made harmless.

What starts with one of these marks is run, whatever quotation marks stand around it; an apostrophe before it keeps a
spreadsheet from that. Where a cell is one but for apostrophes before it, it gets one more, so that no two cells become
alike: who takes one apostrophe away from such cells has what stood there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.delimited import DelimitedCells, Source
from shoal.tables.formats import format_of
from shoal.tables.frames import PolarsCells
from shoal.tables.table import ReadOptions, Settings, Table
from shoal.values import Rounded, Whole, Worded

NEUTRALIZE = "neutralize"
_TEXTS = ("csv", "tsv")
_STARTS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""The last four are the wide forms of the first four, which some spreadsheets read as these."""
_FORMULA = rf"^[{_STARTS}]"
_HARMLESS = (
    r"^[+-](?:[0-9][0-9.,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?[ ]?%?$"  # a number with its sign
    r"|^[+-](?i:inf|infinity|nan)$"
    r"|^[+-][0-9]{4,}-[0-9]{2}-[0-9]{2}"  # a year with a sign
    r"|^[-+=@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]$"  # a mark alone, as for nothing
)


def formulas(table: Table) -> dict[str, int]:
    """How many cells of each column would run in a spreadsheet, its name counted as one; those that have some."""
    run = _run(pl.Series(list(table.names), dtype=pl.String)).to_list()
    found = {name: _cells(table, name) + bad for name, bad in zip(table.names, run, strict=True)}
    return {name: count for name, count in found.items() if count}


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run this cell of a text file."""
    return bool(_run(pl.Series([text])).item())


def release_options(
    path: Path, kept: Sequence[str], *, settings: Settings, formulas: str
) -> tuple[ReadOptions, dict[str, str]]:
    """How the file of a release is read, and the names that the kept columns have there.

    ``settings`` are those of the original.
    """
    same = format_of(path) == settings.get("format")
    names = {name: name for name in kept}
    if same and not settings.get("header", True):
        # a file without a header counts its columns anew when some of them are dropped
        names = {name: f"column_{position}" for position, name in enumerate(kept, start=1)}
    elif formulas == NEUTRALIZE and format_of(path) in _TEXTS:
        names = dict(zip(kept, neutral(pl.Series(list(kept), dtype=pl.String)).to_list(), strict=True))
    # text stays as it is written where text is written; types take the place of formats elsewhere
    same_text = settings.get("format") == "excel" or (settings.get("format") in _TEXTS and format_of(path) in _TEXTS)
    return ReadOptions.of_release(settings, names=names, same=same, written=same_text), names


def neutralized(table: Table) -> Table:
    """The table as it is written to a text file so that no spreadsheet runs a part of it."""
    cells = table.cells
    names = dict(zip(table.names, neutral(pl.Series(list(table.names), dtype=pl.String)).to_list(), strict=True))
    if isinstance(cells, DelimitedCells):
        sources = {name: _neutral_source(cells, name) for name in cells.names}
        changed = {name: new for name, new in names.items() if new != name}
        return replace(table, cells=replace(cells, sources=sources, titles={**cells.titles, **changed}, _known={}))
    frame = cells.frame()
    columns = {new: _neutral_series(frame[name]) for name, new in names.items()}
    return replace(table, cells=PolarsCells(pl.DataFrame(columns)))


def neutral(text: pl.Series) -> pl.Series:
    """Texts with an apostrophe before those that a spreadsheet would run, or would but for apostrophes."""
    bare = text.str.strip_chars_start("'")
    return ("'" + text).zip_with(_run(bare).fill_null(False), text)


def _run(text: pl.Series) -> pl.Series:
    return text.str.contains(_FORMULA) & ~text.str.contains(_HARMLESS)


def _cells(table: Table, name: str) -> int:
    """How many cells of a column would run."""
    cells = table.cells
    if isinstance(cells, DelimitedCells):
        source = cells.sources[name]
        if isinstance(source, Worded):
            bad = _run(pl.Series(list(source.words), dtype=pl.String)).to_numpy().astype(bool)
            return int(bad[source.places[source.places >= 0]].sum()) if len(bad) else 0
        if not isinstance(source, int) or cells.content(name).kind is Kind.NUMERIC:
            return 0
        return int(_run(cells.text(name)).sum())
    content = cells.content(name)
    if content.kind in (Kind.NUMERIC, Kind.DATE) or content.values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return 0
    counts = content.values.cast(pl.String).drop_nulls().alias("cell").value_counts(name="cells")
    return int(counts.filter(_run(counts["cell"]))["cells"].sum())


def _neutral_source(cells: DelimitedCells, name: str) -> Source:
    source = cells.sources[name]
    if isinstance(source, Worded):
        return replace(source, words=tuple(neutral(pl.Series(list(source.words), dtype=pl.String)).to_list()))
    if isinstance(source, Rounded | Whole | np.ndarray) or cells.content(name).kind is Kind.NUMERIC:
        return source
    text = cells.text(name)
    new = neutral(text)
    if not (new != text).any():
        return source
    words = new.unique(maintain_order=True)
    return Worded(tuple(words.to_list()), new.cast(pl.Enum(words)).to_physical().to_numpy().astype(np.int64))


def _neutral_series(series: pl.Series) -> pl.Series:
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return series
    return neutral(series.cast(pl.String).alias(""))
