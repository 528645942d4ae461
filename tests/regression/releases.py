"""A set of small releases of every kind, each a name and a function that makes it.

The set is a safety net: work on structure, speed or language must leave every released byte as it is. A change that is
meant to alter releases says so in the changelog under "Results changed" and records the digests again:

    python tests/regression/releases.py --write
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal import data
from shoal.data.example import EDUCATION, OCCUPATIONS
from shoal.domain.recodings import INTEGER_COLUMNS
from shoal.engines import memory_budget

RECORDED = Path(__file__).with_name("digests.json")

NUMBERS = ["age", "height_cm", "income"]
CATEGORIES = ["sex", "region", "occupation"]
MIXED = ["age", "sex", "postcode", "education", "income", "admission_date"]
ROWS = 240
PIECE = 90
"""Records in one piece of an out-of-core run, so that a small table has several."""

Case = Callable[[Path], Path]
"""Makes a release in a folder and returns its path."""


@cache
def register() -> pl.DataFrame:
    """The example register, with households, strata and sampling weights added."""
    frame = shoal.example_register(rows=ROWS, seed=11)
    number = pl.int_range(pl.len())
    return frame.with_columns(
        (number // 2).alias("household"),
        (number % 3).cast(pl.String).alias("stratum"),
        (1.0 + number % 5).alias("weight"),
    )


@cache
def by_prefixes() -> shoal.Hierarchy:
    return shoal.Hierarchy.from_prefixes(register()["postcode"], lengths=(1, 2, 3))


def _options(columns: list[str]) -> dict[str, Any]:
    """The hierarchies and levels of those columns that have any, and every other column dropped."""
    dropped = [name for name in register().columns if name not in (*columns, "diagnosis", "visits")]
    options: dict[str, Any] = {"k": 4, "quasi_identifiers": columns, "identifiers": dropped, "hierarchies": {}}
    options["exact_means"] = True
    if "occupation" in columns:
        options["hierarchies"]["occupation"] = OCCUPATIONS
    if "postcode" in columns:
        options["hierarchies"]["postcode"] = by_prefixes()
    if "education" in columns:
        options["levels"] = {"education": EDUCATION}
    return options


def _in_memory(columns: list[str], file: str = "released.csv", rows: int = ROWS, **more: Any) -> Case:
    def make(folder: Path) -> Path:
        options = _options(columns)
        used = {more.get("sampling_weights"), more.get("households"), *more.get("strata", ())}
        options["identifiers"] = [name for name in options["identifiers"] if name not in used]
        options["keep"] = [name for name in used if name]
        shoal.anonymize(register().head(rows), **{**options, **more}).save(folder / file)
        return folder / file

    return make


def _in_pieces(columns: list[str], file: str = "released.csv", **more: Any) -> Case:
    def make(folder: Path) -> Path:
        register().write_csv(folder / "register.csv")
        piece = memory_budget.MemoryBudget.part_rows
        memory_budget.MemoryBudget.part_rows = lambda *_, **__: PIECE  # type: ignore[method-assign]
        try:
            shoal.anonymize_file(folder / "register.csv", folder / file, **{**_options(columns), **more})
        finally:
            memory_budget.MemoryBudget.part_rows = piece  # type: ignore[method-assign]
        return folder / file

    return make


def _replayed(folder: Path) -> Path:
    first = _in_memory(MIXED, method="mdav")(folder)
    options = _options(MIXED)
    again = shoal.replay(
        register(), policy=f"{first}.policy.toml", hierarchies=options["hierarchies"], levels=options["levels"]
    )
    again.save(folder / "again.csv")
    return folder / "again.csv"


def _by_older_policy(folder: Path) -> Path:
    """A release by an old policy, when only integers were rounded, and only on request."""
    release = shoal.anonymize(
        register(), **{**_options(NUMBERS), "exact_means": False}, method="mdav", keep_totals=True
    )
    older = replace(release.policy, rounding=INTEGER_COLUMNS)
    shoal.replay(register(), policy=older).save(folder / "released.csv")
    return folder / "released.csv"


def _by_method() -> dict[str, Case]:
    """One release for each method and kind of table."""
    cases: dict[str, Case] = {}
    for name, method in shoal.methods().items():
        kinds = {str(kind) for kind in method.kinds}
        effort = {"effort": "fast"} if name == "auto" else {}
        if "numeric" in kinds:
            columns = NUMBERS[: method.max_columns or len(NUMBERS)]
            cases[f"{name}, numbers"] = _in_memory(columns, method=name, **effort)
        if "hierarchical" in kinds:
            cases[f"{name}, categories"] = _in_memory(CATEGORIES, method=name, **effort)
        if method.supports_mixed:
            cases[f"{name}, mixed"] = _in_memory(MIXED, method=name, **effort)
    return cases


def _by_option() -> dict[str, Case]:
    """Releases with every group of options."""
    generalized = {"age": "interval", "postcode": "lcs", "*": "generalize"}
    return {
        "default method and effort": _in_memory(MIXED),
        "balanced search on numbers": _in_memory(NUMBERS, method="mdav", effort="balanced"),
        "best search on numbers": _in_memory(NUMBERS, method="mdav", effort="best", rows=20),
        "search with a privacy model": _in_memory(MIXED, effort="fast", sensitive=["diagnosis"], l=2),
        "search on categories": _in_memory(CATEGORIES, method="mdav", effort="fast"),
        "search on categories with a privacy model": _in_memory(
            CATEGORIES, method="mdav", effort="fast", sensitive=["diagnosis"], l=2
        ),
        "search on numbers with a privacy model": _in_memory(NUMBERS, effort="fast", sensitive=["diagnosis"], l=2),
        "entropy-l": _in_memory(MIXED, method="mdav", models={"diagnosis": "entropy-l(2)"}, sensitive=["diagnosis"]),
        "recursive-l": _in_memory(
            MIXED, method="mondrian", models={"diagnosis": "recursive-l(3,2)"}, sensitive=["diagnosis"]
        ),
        "t-closeness": _in_memory(MIXED, method="mdav", sensitive=["diagnosis"], t=0.6),
        "t-closeness of an ordered column": _in_memory(MIXED, method="mdav", sensitive=["visits"], t=0.2),
        "missing values as wildcards": _in_memory(MIXED, method="mdav", missing_values="wildcard"),
        "missing values imputed": _in_memory(MIXED, method="mdav", missing_values="impute"),
        "missing values suppressed": _in_memory(MIXED, method="mdav", missing_values="suppress"),
        "suppression": _in_memory(MIXED, method="mondrian", max_suppression=0.1),
        "generalized values": _in_memory(MIXED, method="mondrian", recode=generalized),
        "generalized values after a search": _in_memory(MIXED, effort="fast", recode="generalize"),
        "medians and modes": _in_memory(MIXED, method="mdav", recode={"age": "median", "sex": "mode"}),
        "rounded integers with totals kept": _by_older_policy,
        "sampling weights": _in_memory(MIXED, method="mdav", sampling_weights="weight"),
        "strata": _in_memory(MIXED, method="mdav", strata=["stratum"]),
        "households": _in_memory(MIXED, method="mdav", households="household", k=3),
        "households after a search": _in_memory(MIXED, effort="fast", households="household", k=3),
        "column weights and another distance": _in_memory(
            MIXED, method="mdav", weights={"age": 3.0}, distance="path", standardize=False
        ),
        "blocks": _in_memory(MIXED, method="mdav", blocks=60),
        "blocks and repair": _in_memory(MIXED, method="mdav", blocks=60, effort="fast"),
        "shuffled rows": _in_memory(MIXED, method="mdav", shuffle=True, seed=5),
        "another seed": _in_memory(MIXED, method="k-means", seed=3),
        "large k": _in_memory(NUMBERS, effort="fast", k=60),
        "replayed policy": _replayed,
        "out of core": _in_pieces(MIXED, method="mdav"),
        "out of core, default method": _in_pieces(MIXED, effort="fast"),
        "out of core, mondrian": _in_pieces(MIXED, method="mondrian", sensitive=["diagnosis"], l=2),
        "out of core, shuffled, to Parquet": _in_pieces(MIXED, "released.parquet", method="mdav", shuffle=True),
        "to Parquet": _in_memory(MIXED, "released.parquet", method="mdav"),
        "to TSV": _in_memory(MIXED, "released.tsv", method="mdav"),
        "to Excel": _in_memory(MIXED, "released.xlsx", method="mdav"),
        "to SPSS": _in_memory(MIXED, "released.sav", method="mdav"),
        "to Stata": _in_memory(MIXED, "released.dta", method="mdav"),
    }


def _with_decimals() -> dict[str, Case]:
    """Releases whose numbers keep the decimals of their columns, which is the default; all others have exact means."""
    rounded: dict[str, Any] = {"exact_means": False, "method": "mdav"}
    return {
        "decimals": _in_memory(MIXED, **rounded),
        "decimals of numbers": _in_memory(NUMBERS, **rounded),
        "decimals, totals kept": _in_memory(NUMBERS, **rounded, keep_totals=True),
        "decimals, weighted totals kept": _in_memory(NUMBERS, **rounded, keep_totals=True, sampling_weights="weight"),
        "decimals of medians": _in_memory(NUMBERS, **rounded, recode="median"),
        "decimals of imputed values": _in_memory(MIXED, **rounded, missing_values="impute"),
        "decimals, suppression": _in_memory(MIXED, exact_means=False, method="mondrian", max_suppression=0.1),
        "decimals, shuffled rows": _in_memory(MIXED, **rounded, shuffle=True, seed=5),
        "decimals, out of core": _in_pieces([*NUMBERS, "sex"], **rounded),
        "decimals, out of core, totals kept": _in_pieces(NUMBERS, **rounded, keep_totals=True),
        "decimals, out of core, to Parquet": _in_pieces(MIXED, "released.parquet", **rounded),
        "decimals, to Parquet": _in_memory(NUMBERS, "released.parquet", **rounded),
        "decimals, to Excel": _in_memory(NUMBERS, "released.xlsx", **rounded),
        "decimals, to SPSS": _in_memory(NUMBERS, "released.sav", **rounded),
        "decimals, to Stata": _in_memory(NUMBERS, "released.dta", **rounded),
    }


CASES = {**_by_method(), **_by_option(), **_with_decimals()}


def digest(path: Path) -> str:
    """The sha256 of a text file's bytes; of a binary file's values, since libraries write their versions into those."""
    text = path.suffix in {".csv", ".tsv"}
    if not text:
        values = path.with_suffix(".values.csv")
        data.write_table(data.read_table(path), values)
        path = values
    return hashlib.sha256(path.read_bytes()).hexdigest()


def made(name: str, folder: Path) -> str:
    """The digest of one release, made now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return digest(CASES[name](folder))


def record() -> None:
    """Write the digests of all releases as they are made now."""
    digests = {}
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            digests[name] = made(name, Path(folder))
    RECORDED.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/regression/releases.py --write")
    record()
