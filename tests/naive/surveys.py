"""Tables of every kind of column that hypothesis draws, with gaps, strata, households and weights, and what to ask."""

from __future__ import annotations

import itertools
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from hypothesis import strategies as st

from shoal import Hierarchy

JOBS = {"Qperson": {"Qworker": {"Qbaker": {}, "Qsmith": {}, "Qclerk": {"Qcashier": {}}}, "Qstudent": {}}}
ILLS = {"Zill": {"Zlung": {"Zflu": {}, "Zasthma": {}}, "Zheart": {"Zstroke": {}, "Zattack": {}}}}
SIZES = ["Qsmall", "Qmedium", "Qlarge", "Qhuge"]
NUMBERS, DATES, WORDS = ("age", "pay"), ("day",), ("size", "sex", "job")
METHODS = ("mdav", "auto", "cbfs", "k-means", "hac")
MODELS = {
    "ill": [
        "distinct-l(2)", "distinct-l(3)", "entropy-l(1.5)", "recursive-l(2,2)", "t-equal(0.4)", "t-hierarchical(0.4)",
    ],
    "score": ["distinct-l(2)", "t-ordered(0.3)", "t-ordered(0.15)"],
}  # fmt: skip


class Survey(NamedTuple):
    """A table and the options of its release."""

    frame: pl.DataFrame
    asked: dict[str, Any]

    @property
    def keys(self) -> list[str]:
        named = self.asked["quasi_identifiers"]
        return [name for name in self.frame.columns if name in named]

    @property
    def gaps(self) -> bool:
        return any(self.frame[name].null_count() for name in self.keys)


def frame(seed: int, rows: int, *, gaps: float, strata: int, members: int) -> pl.DataFrame:
    """Made-up persons: two numbers, a date, levels, words and nodes of a tree, two sensitive columns, and a survey."""
    rng = np.random.default_rng(seed)
    homes = list(itertools.chain.from_iterable([home] * rng.integers(1, members + 1) for home in range(rows)))[:rows]
    order = rng.permutation(rows)
    columns: dict[str, list[Any]] = {
        "name": [f"Qname{row}" for row in range(rows)],
        "age": rng.integers(16, 91, rows).tolist(),
        "pay": rng.gamma(2.0, 1234.5678, rows).round(3).tolist(),
        "day": [date(1999, 12, 1) + timedelta(days=int(days)) for days in rng.integers(0, 900, rows)],
        "size": rng.choice(SIZES, rows).tolist(),
        "sex": rng.choice(["Qf", "Qm"], rows).tolist(),
        "job": rng.choice(["Qworker", "Qbaker", "Qsmith", "Qcashier", "Qstudent"], rows).tolist(),
        "ill": rng.choice(["Zflu", "Zasthma", "Zstroke", "Zattack"], rows).tolist(),
        "score": rng.integers(0, 6, rows).tolist(),
        "region": [f"region{homes[place] % strata}" for place in order],
        "home": [f"home{homes[place]}" for place in order],
        "weight": rng.gamma(3.0, 10.0, rows).round(2).clip(0.5).tolist(),
        "note": [f"note{row % 7}" for row in range(rows)],
    }
    if rng.random() < 0.3:  # one outlier more than fits into a group of three: it pays to suppress them
        for place, corner in zip(order[:4], itertools.product((0, 1), repeat=2), strict=True):
            columns["age"][place], columns["pay"][place] = corner[0] * 999, corner[1] * 99_999.5
    for name in (*NUMBERS, *DATES, *WORDS):
        if gaps and rng.random() < 0.6:
            gone = rng.random(rows) < gaps
            columns[name] = [None if lost else cell for cell, lost in zip(columns[name], gone, strict=True)]
    return pl.DataFrame(columns, schema_overrides={"age": pl.Int64, "pay": pl.Float64, "day": pl.Date})


def _recode(draw: st.DrawFn, keys: list[str]) -> Any:
    kinds = {True: ("mean", "median", "interval"), False: ("centroid", "mode", "lcs")}
    way = draw(st.sampled_from(["generalize", "centroid", "median", "interval", "each", None]))
    if way == "each":
        return {name: draw(st.sampled_from(kinds[name not in WORDS])) for name in keys}
    fits = way in (None, "generalize", "centroid") or any(name not in WORDS for name in keys)
    return way if fits else None


@st.composite
def surveys(draw: st.DrawFn) -> Survey:
    """A table with one to four quasi-identifiers, and options of which about a third is used each time."""
    rows = draw(st.sampled_from(range(10, 61)))
    gaps = draw(st.sampled_from([0.0, 0.1, 0.4]))
    seed, members = draw(st.integers(0, 2**20)), draw(st.integers(1, 4))
    table = frame(seed, rows, gaps=gaps, strata=draw(st.integers(1, 3)), members=members)
    keys = draw(st.lists(st.sampled_from([*NUMBERS, *DATES, *WORDS]), min_size=1, max_size=4, unique=True))
    third = st.sampled_from([True, False, False])
    asked: dict[str, Any] = {
        "k": draw(st.integers(2, 4)),
        "quasi_identifiers": keys,
        "identifiers": "name",
        "keep": ["home", "note"],  # in a small table each may have another text in every record
        "sensitive": ["ill", "score"],
        "method": draw(st.sampled_from(METHODS)),
        "missing_values": draw(st.sampled_from(["category", "wildcard", "wildcard", "impute", "suppress", "refuse"])),
        "alpha": draw(st.sampled_from([1.0, 1.0, 0.5, 0.0])),
        "max_suppression": draw(st.sampled_from([0.0, 0.0, 0.1, 0.2, 0.3])),
        "recode": _recode(draw, keys),
        "exact_means": draw(st.booleans()),
        "keep_totals": draw(st.booleans()),
        "hierarchies": {"ill": Hierarchy.from_dict(ILLS)},
        "levels": {"size": SIZES} if "size" in keys else {},
    }
    if "job" in keys:
        asked["hierarchies"]["job"] = Hierarchy.from_dict(JOBS)
    if draw(third):
        asked["models"] = {
            name: draw(st.lists(st.sampled_from(MODELS[name]), min_size=1, max_size=3, unique=True))
            for name in draw(st.sampled_from([["ill"], ["score"], ["ill", "score"]]))
        }
    if draw(third):
        asked |= draw(st.sampled_from([{"l": 2}, {"t": 0.5}, {"l": 2, "t": 0.4}]))
    if draw(third):
        asked["effort"] = "fast"  # whatever the method, local search comes after it
    if draw(third):
        asked["strata"] = "region"
    if draw(third):
        asked["households"] = "home"
    if draw(third):
        asked["sampling_weights"] = "weight"
    if draw(third):
        known = {name: table[name].drop_nulls() for name in NUMBERS if name in keys}
        asked["bounds"] = {name: (cells.min(), cells.max()) for name, cells in known.items() if len(cells)}
    given = asked["recode"]
    ways = given if isinstance(given, dict) else dict.fromkeys(keys, given or "mean")
    means = [name for name in keys if name in NUMBERS and ways[name] in ("mean", "centroid")]
    asked["keep_totals"] = asked["keep_totals"] and bool(means) and not asked["exact_means"]  # else it is refused
    return Survey(table, asked)
