"""Serialization of table statistics as arrays and JSON; no code is executed when they are read."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
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
from shoal.data.csv.scan import Layout, TextBlock
from shoal.data.csv.text_values import FieldParser
from shoal.data.decimals import DecimalPlaces
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.errors import FileError

_VERSION = 4
"""Format version; other versions are rejected."""
_CLASSES: Mapping[str, Any] = {
    cls.__name__: cls
    for cls in (
        *(CellNotation, ColumnSketch, ColumnStatistics, ConsecutiveRun, DecimalPlaces, DelimitedCells, Dialect),
        *(DistinctCells, DistinctSketch, ExactMoments, FieldParser, FormatAmbiguity, Layout, Occurrence, PolarsCells),
        *(SortOrder, SystematicSample, Table, TableStatistics, TextBlock, ValueSample),
    )
}
Arrays = list[NDArray[Any]]


def to_bytes(statistics: TableStatistics) -> bytes:
    sample = statistics.systematic_sample
    one_part = replace(sample, parts=((sample.cells, sample.rows),))
    head = replace(statistics.head, cells=PolarsCells(pl.DataFrame()))  # the cells of the sample are written once
    arrays: Arrays = []
    facts = {"form": _VERSION, "table": _pack(replace(statistics, systematic_sample=one_part, head=head), arrays)}
    file = io.BytesIO()
    np.savez(file, *arrays, facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8), allow_pickle=False)
    return file.getvalue()


def from_bytes(data: bytes) -> TableStatistics:
    with translate_errors(lambda: FileError.damaged("survey", "survey")):
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            facts = json.loads(file["facts"].tobytes())
            if facts["form"] != _VERSION:
                raise FileError.damaged("survey", "survey")
            statistics: TableStatistics = _unpack(
                facts["table"], [file[f"arr_{at}"] for at in range(len(file.files) - 1)]
            )
        head = replace(statistics.head, cells=statistics.systematic_sample.cells)
        return replace(statistics, head=head)


def _pack(value: Any, arrays: Arrays) -> Any:
    """Return a value as JSON, in which an object is its kind and its content; the content of arrays is a number."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, pl.Series):
        return {"series": _pack(pl.DataFrame([value.alias("cells")]), arrays)}
    if isinstance(value, pl.DataType):
        return {"dtype": _pack(pl.Series([], dtype=value), arrays)}
    if isinstance(value, pl.DataFrame):
        file = io.BytesIO()
        value.write_ipc(file)
        return {"frame": _pack(np.frombuffer(file.getvalue(), dtype=np.uint8), arrays)}
    name = type(value).__name__
    if name in _CLASSES:
        names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
        return {name: {field: _pack(getattr(value, field), arrays) for field in names if not field.startswith("_")}}
    if isinstance(value, Path):
        return {"path": str(value)}
    if isinstance(value, Mapping):
        return {"mapping": {key: _pack(item, arrays) for key, item in value.items()}}
    if isinstance(value, tuple | list):
        items = [_pack(item, arrays) for item in value]
        return {"tuple": items} if isinstance(value, tuple) else items
    return value


def _unpack(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, list):
        return [_unpack(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "mapping" or kind in _CLASSES:
        items = {key: _unpack(item, arrays) for key, item in content.items()}
        return items if kind == "mapping" else _CLASSES[kind](**items)
    if kind == "array":
        return arrays[content]
    if kind == "path":
        return Path(content)
    inner = _unpack(content, arrays)
    if kind == "tuple":
        return tuple(inner)
    if kind == "frame":
        return pl.read_ipc(io.BytesIO(inner.tobytes()))
    return inner["cells"].alias("") if kind == "series" else inner.dtype
