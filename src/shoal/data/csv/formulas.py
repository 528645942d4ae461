"""Count and neutralize formulas: cells of a text file that a spreadsheet runs when it opens the file (CSV injection).

A cell that starts with one of these characters runs, even if quoted; a leading apostrophe prevents it. A cell that is a
formula after leading apostrophes gets one more, so that distinct cells stay distinct and removing one apostrophe
restores the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.csv.delimited_cells import ColumnSource, DelimitedCells
from shoal.data.file_formats import format_of
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.table import ReadOptions, Settings, Table
from shoal.domain import IntegerColumn, RoundedColumn, TextColumn
from shoal.domain.columns import Kind

NEUTRALIZE = "neutralize"
_TEXTS = ("csv", "tsv")
_STARTS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""The last four are full-width forms of the first four, which some spreadsheets treat the same."""
_FORMULA = rf"^[{_STARTS}]"
_HARMLESS = (
    r"^[+-](?:[0-9][0-9.,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?[ ]?%?$"  # a number with its sign
    r"|^[+-](?i:inf|infinity|nan)$"
    r"|^[+-][0-9]{4,}-[0-9]{2}-[0-9]{2}"  # a year with a sign
    r"|^[-+=@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]$"  # a single mark, often for a missing value
)


def count_formulas(table: Table) -> dict[str, int]:
    """Count the formulas of each column, including its name; columns without any are omitted."""
    name_is_formula = _is_formula(pl.Series(list(table.names), dtype=pl.String)).to_list()
    found = {name: _count_in_column(table, name) + own for name, own in zip(table.names, name_is_formula, strict=True)}
    return {name: count for name, count in found.items() if count}


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would run this cell of a text file."""
    return bool(_is_formula(pl.Series([text])).item())


def release_read_options(
    path: Path, released: Sequence[str], *, settings: Settings, formulas: str
) -> tuple[ReadOptions, dict[str, str]]:
    """Return options to read the released file, and the names of the released columns in it.

    ``settings`` are the read settings of the original.
    """
    same = format_of(path) == settings.get("format")
    names = {name: name for name in released}
    if same and not settings.get("header", True):
        # without a header, columns are renumbered when some are dropped
        names = {name: f"column_{position}" for position, name in enumerate(released, start=1)}
    elif formulas == NEUTRALIZE and format_of(path) in _TEXTS:
        names = dict(zip(released, neutralize(pl.Series(list(released), dtype=pl.String)).to_list(), strict=True))
    # text formats keep the cell formats; typed formats do not have any
    same_text = settings.get("format") == "excel" or (settings.get("format") in _TEXTS and format_of(path) in _TEXTS)
    return ReadOptions.of_release(settings, names=names, same_format=same, as_text=same_text), names


def neutralize_table(table: Table) -> Table:
    """Return the table with neutralized formulas, for writing to a text file."""
    cells = table.cells
    names = dict(zip(table.names, neutralize(pl.Series(list(table.names), dtype=pl.String)).to_list(), strict=True))
    if isinstance(cells, DelimitedCells):
        sources = {name: _neutral_source(cells, name) for name in cells.names}
        changed = {name: new for name, new in names.items() if new != name}
        return replace(table, cells=replace(cells, sources=sources, titles={**cells.titles, **changed}, _known={}))
    frame = cells.frame()
    columns = {new: _neutral_series(frame[name]) for name, new in names.items()}
    return replace(table, cells=PolarsCells(pl.DataFrame(columns)))


def neutralize(text: pl.Series) -> pl.Series:
    """Add an apostrophe to texts that are formulas, also after leading apostrophes."""
    stripped = text.str.strip_chars_start("'")
    return ("'" + text).zip_with(_is_formula(stripped).fill_null(False), text)


def _is_formula(text: pl.Series) -> pl.Series:
    return text.str.contains(_FORMULA) & ~text.str.contains(_HARMLESS)


def _count_in_column(table: Table, name: str) -> int:
    cells = table.cells
    if isinstance(cells, DelimitedCells):
        source = cells.sources[name]
        if isinstance(source, TextColumn):
            is_bad = _is_formula(pl.Series(list(source.words), dtype=pl.String)).to_numpy().astype(bool)
            return int(is_bad[source.codes[source.codes >= 0]].sum()) if len(is_bad) else 0
        if not isinstance(source, int) or cells.content(name).kind is Kind.NUMERIC:
            return 0
        return int(_is_formula(cells.text(name)).sum())
    content = cells.content(name)
    if content.kind in (Kind.NUMERIC, Kind.DATE) or content.values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return 0
    counts = content.values.cast(pl.String).drop_nulls().alias("cell").value_counts(name="cells")
    return int(counts.filter(_is_formula(counts["cell"]))["cells"].sum())


def _neutral_source(cells: DelimitedCells, name: str) -> ColumnSource:
    source = cells.sources[name]
    if isinstance(source, TextColumn):
        return replace(source, words=tuple(neutralize(pl.Series(list(source.words), dtype=pl.String)).to_list()))
    if isinstance(source, RoundedColumn | IntegerColumn | np.ndarray) or cells.content(name).kind is Kind.NUMERIC:
        return source
    text = cells.text(name)
    new = neutralize(text)
    if not (new != text).any():
        return source
    words = new.unique(maintain_order=True)
    return TextColumn(tuple(words.to_list()), new.cast(pl.Enum(words)).to_physical().to_numpy().astype(np.int64))


def _neutral_series(series: pl.Series) -> pl.Series:
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return series
    return neutralize(series.cast(pl.String).alias(""))
