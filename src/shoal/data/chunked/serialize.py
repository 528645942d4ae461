"""Serialization of table statistics as arrays and JSON; no code is executed when they are read."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.chunked.column_sketch import CellNotation, ColumnSketch, DistinctCells, Occurrence
from shoal.data.chunked.column_statistics import ColumnStatistics, ConsecutiveRun, DistinctSketch, SortOrder
from shoal.data.chunked.exact_moments import ExactMoments
from shoal.data.chunked.sample import SystematicSample
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.column_profiles import ValueSample
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.detection import FormatAmbiguity
from shoal.data.csv.dialect import Dialect
from shoal.data.csv.scan import Layout
from shoal.data.csv.text_values import FieldParser
from shoal.data.decimals import DecimalPlaces
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table, TableCells
from shoal.errors import FileError

Arrays = dict[str, NDArray[Any]]
_VERSION = 3
"""Format version; other versions are rejected."""


def to_bytes(statistics: TableStatistics) -> bytes:
    arrays: Arrays = {}
    facts = {
        "form": _VERSION,
        "start": statistics.start,
        "records": statistics.records,
        "sha256": statistics.sha256,
        "kind": statistics.head.kind,
        "path": None if statistics.head.path is None else str(statistics.head.path),
        "settings": dict(statistics.head.settings),
        "step": statistics.systematic_sample.step,
        "sample": _put_cells(statistics.systematic_sample.cells, arrays),
        "columns": [_put_column(column, f"column {at}", arrays) for at, column in enumerate(statistics.columns)],
    }
    arrays["numbers"] = statistics.systematic_sample.rows
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **{name.replace(" ", "_"): array for name, array in arrays.items()})
    return file.getvalue()


def from_bytes(data: bytes) -> TableStatistics:
    with translate_errors(lambda: FileError.damaged("survey", "survey")):
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        facts = json.loads(arrays["facts"].tobytes())
        if facts["form"] != _VERSION:
            raise FileError.damaged("survey", "survey")
        cells = _take_cells(facts["sample"], arrays)
        path = None if facts["path"] is None else Path(facts["path"])
        return TableStatistics(
            facts["start"],
            facts["records"],
            facts["sha256"],
            tuple(_take_column(noted, f"column_{at}", arrays) for at, noted in enumerate(facts["columns"])),
            SystematicSample(((cells, arrays["numbers"]),), facts["step"]),
            Table(facts["kind"], cells, path, facts["settings"], facts["sha256"]),
        )


def _put_column(column: ColumnStatistics, key: str, arrays: Arrays) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": column.name,
        "notation": {"text": column.notation.is_text, "reading": list(column.notation.parser)},
        "climb": list(column.consecutive),
        "slope": list(column.order),
        "sketch": None if column.partial_sketch is None else asdict(column.partial_sketch),
    }
    distinct = column.distinct_cells
    # an empty array keeps the type of the column
    arrays[f"{key} cells"] = _to_ipc(pl.Series([], dtype=column.dtype) if distinct is None else distinct.cells)
    if distinct is not None:
        arrays[f"{key} counts"], arrays[f"{key} firsts"] = distinct.counts, distinct.first_rows
    if column.distinct_estimate is not None:
        arrays[f"{key} hashes"], arrays[f"{key} hashed"] = column.distinct_estimate
    if column.sample is not None:
        arrays[f"{key} values"] = _to_ipc(column.sample.texts)
    return facts


def _take_column(facts: dict[str, Any], key: str, arrays: Arrays) -> ColumnStatistics:
    cells = _from_ipc(arrays[f"{key}_cells"])["cells"].alias("")
    counts, hashes, values = (arrays.get(f"{key}_{part}") for part in ("counts", "hashes", "values"))
    notation = CellNotation(facts["notation"]["text"], _reading(facts["notation"]["reading"]))
    return ColumnStatistics(
        facts["name"],
        notation,
        cells.dtype,
        ConsecutiveRun(*facts["climb"]),
        SortOrder(*facts["slope"]),
        None if counts is None else DistinctCells(cells, counts, arrays[f"{key}_firsts"]),
        None if facts["sketch"] is None else _sketch(facts["sketch"]),
        None if hashes is None else DistinctSketch(hashes, arrays[f"{key}_hashed"]),
        None if values is None else ValueSample(_from_ipc(values)["cells"].alias("")),
    )


def _reading(values: list[Any]) -> FieldParser:
    form, missing, blank = values
    return FieldParser(form, tuple(missing), tuple(blank))


def _sketch(facts: dict[str, Any]) -> ColumnSketch:
    known: dict[str, Any] = {
        name: Occurrence(**value) if isinstance(value, dict) and "first" in value else value
        for name, value in facts.items()
    }
    nested = {"moments": ExactMoments(**facts["moments"]), "decimals": DecimalPlaces(*facts["decimals"])}
    return ColumnSketch(**known | nested)


def _put_cells(cells: TableCells, arrays: Arrays) -> dict[str, Any]:
    if not isinstance(cells, DelimitedCells):
        arrays["frame"] = _to_ipc(cells.frame())
        return {}
    layout = cells.layout
    arrays |= {"data": layout.bytes, "lines": layout.record_starts, "ends": layout.field_ends}
    return {
        "layout": [layout.quote, layout.newline],
        "dialect": asdict(cells.dialect),
        "header": cells.header,
        "sources": dict(cells.sources),
        "fields": list(cells.fields),
        "titles": dict(cells.titles),
    }


def _take_cells(facts: dict[str, Any], arrays: Arrays) -> TableCells:
    if not facts:
        return PolarsCells(_from_ipc(arrays["frame"]))
    like = Layout((), arrays["lines"][:1], arrays["ends"][:0], *facts["layout"])
    layout = Layout.build(arrays["data"], arrays["lines"], arrays["ends"], like)
    words: dict[str, Any] = {name: tuple(facts["dialect"][name]) for name in ("missing", "blank")}
    doubts = facts["dialect"]["doubtful"].items()
    words["doubtful"] = {name: FormatAmbiguity(kind, tuple(formats)) for name, (kind, formats) in doubts}
    dialect = Dialect(**facts["dialect"] | words)
    return DelimitedCells(layout, dialect, facts["header"], facts["sources"], tuple(facts["fields"]), facts["titles"])


def _to_ipc(cells: pl.Series | pl.DataFrame) -> NDArray[np.uint8]:
    frame = pl.DataFrame([cells.alias("cells")]) if isinstance(cells, pl.Series) else cells
    file = io.BytesIO()
    frame.write_ipc(file)
    return np.frombuffer(file.getvalue(), dtype=np.uint8)


def _from_ipc(data: NDArray[np.uint8]) -> pl.DataFrame:
    return pl.read_ipc(io.BytesIO(data.tobytes()))
