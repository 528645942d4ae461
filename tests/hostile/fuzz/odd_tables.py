"""Odd tables of every kind, and what may be asked of their releases; hypothesis draws both."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import strategies as st
from ledger import FULL

import shoal

QUICK = ("mdav", "mondrian")
"""Methods whose kernels most other tests need too."""
FRAMES = ("polars", "polars", "pandas", "pyarrow", "numpy", "csv", "parquet", "feather", "tsv.gz")

_BIG = 2**53
_TEXTS = st.sampled_from(
    [
        *("", " ", "a", "b", "b ", "A", "é", "e\u0301", "🐟", "=1+1", "+1", "-1", "@x", "a,b", 'say "a"', "two\nlines"),
        *("tab\there", "NA", "null", "*", "[1-2]", "007", "1.0", "\u202eabc", "a;b", "'", "\u2028", "0", "true"),
    ]
)
_FLOATS = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.25, 1e300, -1e300, 5e-324, 1e-300, 3.0, 1e15 + 1, 0.1])
_WILD = st.one_of(_FLOATS, st.sampled_from([float("inf"), float("-inf"), float("nan")]))
_DAYS = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)) | st.dates(dt.date(2020, 1, 1), dt.date(2020, 1, 9))
_TIMES = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))
_LEVELS = ["low", "mid", "high"]

COLUMNS: dict[str, tuple[st.SearchStrategy[Any], Any]] = {
    "small": (st.integers(0, 3), pl.Int64),
    "byte": (st.integers(0, 255), pl.UInt8),
    "integer": (st.integers(-1000, 1000), pl.Int32),
    "big": (st.sampled_from([_BIG, _BIG + 1, -_BIG - 1, 2**63 - 1, -(2**63), 0, 1]), pl.Int64),
    "huge": (st.sampled_from([2**64 - 1, 2**63, 0, 1, 2]), pl.UInt64),
    "number": (_FLOATS, pl.Float64),
    "single": (st.sampled_from([0.5, 1.5, 2.0, 1e30]), pl.Float32),
    "wild": (_WILD, pl.Float64),
    "day": (_DAYS, pl.Date),
    "time": (_TIMES, pl.Datetime("us")),
    "zoned": (_TIMES, pl.Datetime("us", "UTC")),
    "truth": (st.booleans(), pl.Boolean),
    "text": (_TEXTS, pl.String),
    "few": (st.sampled_from(["x", "y", "z"]), pl.String),
    "cents": (
        st.sampled_from([Decimal("1.10"), Decimal("-2.05"), Decimal("0.00"), Decimal("9.99")]),
        pl.Decimal(10, 2),
    ),
    "category": (st.sampled_from(["p", "q", "r"]), pl.Categorical),
    "level": (st.sampled_from(_LEVELS), pl.Enum(_LEVELS)),
    "same": (st.just("s"), pl.String),
    "seven": (st.just(7), pl.Int64),
    "none": (st.none(), pl.String),
    "span": (st.just(dt.timedelta(days=1)), pl.Duration("us")),
}
"""Kinds of columns: their cells, and their type."""
_IN_TEXT = tuple(kind for kind in COLUMNS if kind not in ("span", "none", "zoned"))
_IN_ARRAYS = ("small", "integer", "number", "seven", "wild")
_ODD_NAMES = st.sampled_from(["q", "Q", "a b", "é", "=x", "a,b", 'a"b', "🐟", "a=b", "a.b", "0", "class", "a\tb", "*"])


@dataclass(frozen=True)
class DrawnTable:
    """A table in the form that a user has it, and the same in polars."""

    data: Any
    plain: pl.DataFrame
    """As Shoal reads it; where it is an array or a file, with the names and types that it then has."""
    form: str
    kinds: Mapping[str, str]
    unchanged: Callable[[], bool]


@st.composite
def odd_tables(draw: st.DrawFn, *, folder: Path) -> DrawnTable:
    """A table of any size, in any form."""
    form = draw(st.sampled_from(FRAMES))
    array, text = form == "numpy", form in ("csv", "tsv.gz")
    rows = draw(st.sampled_from([1, 2, 3, 5, 6, 8, 11, 12, 17, 24]))
    known = _IN_ARRAYS if array else _IN_TEXT if text else tuple(COLUMNS)
    chosen = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4))
    frame, kinds = {}, {}
    for number, kind in enumerate(chosen):
        name = str(number) if array else f"{draw(_ODD_NAMES)}{number}"
        frame[name], kinds[name] = _column(draw, kind, rows, gaps=not array), kind
    plain = pl.DataFrame(frame)
    if draw(st.integers(0, 5)) == 0:
        plain = plain.select(pl.all().gather([0] * rows))  # all records are equal
    if not array:
        homes = draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))
        plain = plain.with_columns(
            pl.Series("id of person", [f"person-{row}" for row in range(rows)]),
            pl.Series("ill", draw(st.lists(st.sampled_from(["flu", "gout", "cold"]), min_size=rows, max_size=rows))),
            pl.Series("region", draw(st.lists(st.sampled_from(["n", "s"]), min_size=rows, max_size=rows))),
            pl.Series("home", [f"h{home}" for home in homes]),
            pl.Series("weight", [1.0 + (home % 3) for home in homes]),
        )
    return _formed(plain, form, folder, kinds)


def _column(draw: st.DrawFn, kind: str, rows: int, *, gaps: bool) -> pl.Series:
    cells, dtype = COLUMNS[kind]
    if gaps and draw(st.integers(0, 2)) == 0:
        cells = st.one_of(st.none(), cells, cells)
    return pl.Series(draw(st.lists(cells, min_size=rows, max_size=rows)), dtype=dtype)


def _formed(plain: pl.DataFrame, form: str, folder: Path, kinds: Mapping[str, str]) -> DrawnTable:
    if form == "polars":
        clone = plain.clone()
        return DrawnTable(plain, plain, form, kinds, lambda: plain.equals(clone))
    if form == "pandas":
        frame = plain.to_pandas()
        copy = frame.copy()
        return DrawnTable(frame, plain, form, kinds, lambda: frame.equals(copy))
    if form == "pyarrow":
        table = plain.to_arrow()
        first = repr(table.to_pydict())
        return DrawnTable(table, plain, form, kinds, lambda: repr(table.to_pydict()) == first)
    if form == "numpy":
        array = plain.cast(pl.Float64).to_numpy().copy()
        bits = array.tobytes()
        same = pl.DataFrame({name: array[:, at] for at, name in enumerate(plain.columns)})
        return DrawnTable(array, same, form, kinds, lambda: array.tobytes() == bits)
    path = folder / f"odd.{form}"
    if form == "csv":
        plain.write_csv(path)
    elif form == "tsv.gz":
        import gzip

        path.write_bytes(gzip.compress(plain.write_csv(separator="\t").encode()))
    elif form == "parquet":
        plain.write_parquet(path)
    else:
        plain.write_ipc(path)
    raw = path.read_bytes()
    try:
        read = shoal.read(path).native()
    except shoal.ShoalError:
        read = plain  # whatever is asked of it, it will be refused
    return DrawnTable(path, read, form, kinds, lambda: path.read_bytes() == raw)


@st.composite
def release_options(draw: st.DrawFn, drawn: DrawnTable) -> dict[str, Any]:
    """What is asked of a release: some of all there is, not all of it sensible."""
    keys = [name for name in drawn.kinds if draw(st.integers(0, 3))] or list(drawn.kinds)[:1]
    quick = st.sampled_from(QUICK)
    every = st.sampled_from(sorted(shoal.methods()))
    options: dict[str, Any] = {
        "k": draw(st.sampled_from([2, 2, 3, 4, 1, 7])),
        "quasi_identifiers": keys,
        "method": draw(quick if not FULL else st.one_of(quick, every, st.just("auto"))),
        "seed": draw(st.sampled_from([0, 1, 2**31, 2**63])),
        "threads": draw(st.sampled_from([1, 2])),
    }
    more: dict[str, st.SearchStrategy[Any]] = {
        "recode": st.sampled_from(["generalize", "centroid", "median", "interval", "mode"]),
        "missing_values": st.sampled_from(["category", "wildcard", "impute", "suppress", "refuse"]),
        "alpha": st.sampled_from([0.0, 0.5]),
        "max_suppression": st.sampled_from([0.1, 0.3, 1.0]),
        "exact_means": st.just(True),
        "keep_totals": st.just(True),
        "standardize": st.just(False),
        "blocks": st.sampled_from([1, 4, 10]),
        "bounds": st.just({keys[0]: (-1000, 1000)}),
        "weights": st.just({keys[0]: 2.5}),
        "kinds": st.sampled_from([{keys[0]: kind} for kind in ("nominal", "ordinal", "numeric", "date")]),
    }
    if drawn.form != "numpy":
        options["identifiers"] = ["id of person"]
        more |= {
            "sensitive": st.just("ill"),
            "models": st.sampled_from([{"ill": "distinct-l(2)"}, {"ill": "t-equal(0.5)"}, {"ill": "entropy-l(1.2)"}]),
            "strata": st.just("region"),
            "households": st.just("home"),
            "sampling_weights": st.just("weight"),
        }
    if FULL:
        more["effort"] = st.just("fast")
    for name in draw(st.lists(st.sampled_from(sorted(more)), max_size=3, unique=True)):
        options[name] = draw(more[name])
    if "models" in options:
        options["sensitive"] = "ill"
    nodes = [name for name in keys if drawn.kinds[name] in ("few", "category", "same")]
    if nodes and draw(st.booleans()):
        options["hierarchies"] = {nodes[0]: {"*": {"xy": ["x", "y"], "z": {}, "pqr": ["p", "q", "r"], "s": {}}}}
    return options
