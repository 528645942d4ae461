"""A survey as bytes: arrays and JSON, nothing that could run."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import FileError
from shoal.tables.decimals import Decimals
from shoal.tables.delimited import DelimitedCells
from shoal.tables.detection import Doubt
from shoal.tables.dialect import Dialect
from shoal.tables.foreign import replaced_by
from shoal.tables.frames import PolarsCells
from shoal.tables.large.column import Climb, ColumnSurvey, Slope
from shoal.tables.large.distinct import Distinct
from shoal.tables.large.moments import Moments
from shoal.tables.large.sample import Sample
from shoal.tables.large.sketch import Different, Notation, Sketch, Spot
from shoal.tables.large.survey import Survey
from shoal.tables.layout import Layout
from shoal.tables.table import Cells, Table
from shoal.tables.text import Reading
from shoal.tables.value_sample import ValueSample

Arrays = dict[str, NDArray[Any]]
_FORM = 3
"""Of another form nothing is understood."""


def stored(survey: Survey) -> bytes:
    arrays: Arrays = {}
    facts = {
        "form": _FORM,
        "start": survey.start,
        "records": survey.records,
        "sha256": survey.sha256,
        "kind": survey.head.kind,
        "path": None if survey.head.path is None else str(survey.head.path),
        "settings": dict(survey.head.settings),
        "step": survey.sampled.step,
        "sample": _put_cells(survey.sampled.cells, arrays),
        "columns": [_put_column(column, f"column {at}", arrays) for at, column in enumerate(survey.columns)],
    }
    arrays["numbers"] = survey.sampled.numbers
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **{name.replace(" ", "_"): array for name, array in arrays.items()})
    return file.getvalue()


def restored(data: bytes) -> Survey:
    with replaced_by(lambda: FileError.damaged("survey", "survey")):
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        facts = json.loads(arrays["facts"].tobytes())
        if facts["form"] != _FORM:
            raise FileError.damaged("survey", "survey")
        cells = _take_cells(facts["sample"], arrays)
        path = None if facts["path"] is None else Path(facts["path"])
        return Survey(
            facts["start"],
            facts["records"],
            facts["sha256"],
            tuple(_take_column(noted, f"column_{at}", arrays) for at, noted in enumerate(facts["columns"])),
            Sample(((cells, arrays["numbers"]),), facts["step"]),
            Table(facts["kind"], cells, path, facts["settings"], facts["sha256"]),
        )


def _put_column(column: ColumnSurvey, key: str, arrays: Arrays) -> dict[str, Any]:
    noted: dict[str, Any] = {
        "name": column.name,
        "notation": {"text": column.notation.text, "reading": list(column.notation.reading)},
        "climb": list(column.climb),
        "slope": list(column.slope),
        "sketch": None if column.counted is None else asdict(column.counted),
    }
    seen = column.different
    # the type of the column is that of the cells, be there none
    arrays[f"{key} cells"] = _packed(pl.Series([], dtype=column.dtype) if seen is None else seen.cells)
    if seen is not None:
        arrays[f"{key} counts"], arrays[f"{key} firsts"] = seen.counts, seen.firsts
    if column.distinct is not None:
        arrays[f"{key} hashes"], arrays[f"{key} hashed"] = column.distinct
    if column.sample is not None:
        arrays[f"{key} values"] = _packed(column.sample.texts)
    return noted


def _take_column(noted: dict[str, Any], key: str, arrays: Arrays) -> ColumnSurvey:
    cells = _unpacked(arrays[f"{key}_cells"])["cells"].alias("")
    counts, hashes, values = (arrays.get(f"{key}_{part}") for part in ("counts", "hashes", "values"))
    notation = Notation(noted["notation"]["text"], _reading(noted["notation"]["reading"]))
    return ColumnSurvey(
        noted["name"],
        notation,
        cells.dtype,
        Climb(*noted["climb"]),
        Slope(*noted["slope"]),
        None if counts is None else Different(cells, counts, arrays[f"{key}_firsts"]),
        None if noted["sketch"] is None else _sketch(noted["sketch"]),
        None if hashes is None else Distinct(hashes, arrays[f"{key}_hashed"]),
        None if values is None else ValueSample(_unpacked(values)["cells"].alias("")),
    )


def _reading(noted: list[Any]) -> Reading:
    form, missing, blank = noted
    return Reading(form, tuple(missing), tuple(blank))


def _sketch(noted: dict[str, Any]) -> Sketch:
    known: dict[str, Any] = {
        name: Spot(**found) if isinstance(found, dict) and "first" in found else found for name, found in noted.items()
    }
    figures = {"moments": Moments(**noted["moments"]), "decimals": Decimals(*noted["decimals"])}
    return Sketch(**known | figures)


def _put_cells(cells: Cells, arrays: Arrays) -> dict[str, Any]:
    if not isinstance(cells, DelimitedCells):
        arrays["frame"] = _packed(cells.frame())
        return {}
    layout = cells.layout
    arrays |= {"data": layout.bytes, "lines": layout.lines, "ends": layout.ends}
    return {
        "layout": [layout.quote, layout.newline],
        "dialect": asdict(cells.dialect),
        "header": cells.header,
        "sources": dict(cells.sources),
        "fields": list(cells.fields),
        "titles": dict(cells.titles),
    }


def _take_cells(noted: dict[str, Any], arrays: Arrays) -> Cells:
    if not noted:
        return PolarsCells(_unpacked(arrays["frame"]))
    like = Layout((), arrays["lines"][:1], arrays["ends"][:0], *noted["layout"])
    layout = Layout.of(arrays["data"], arrays["lines"], arrays["ends"], like)
    words: dict[str, Any] = {name: tuple(noted["dialect"][name]) for name in ("missing", "blank")}
    doubts = noted["dialect"]["doubtful"].items()
    words["doubtful"] = {name: Doubt(kind, tuple(formats)) for name, (kind, formats) in doubts}
    dialect = Dialect(**noted["dialect"] | words)
    return DelimitedCells(layout, dialect, noted["header"], noted["sources"], tuple(noted["fields"]), noted["titles"])


def _packed(cells: pl.Series | pl.DataFrame) -> NDArray[np.uint8]:
    frame = pl.DataFrame([cells.alias("cells")]) if isinstance(cells, pl.Series) else cells
    file = io.BytesIO()
    frame.write_ipc(file)
    return np.frombuffer(file.getvalue(), dtype=np.uint8)


def _unpacked(data: NDArray[np.uint8]) -> pl.DataFrame:
    return pl.read_ipc(io.BytesIO(data.tobytes()))
