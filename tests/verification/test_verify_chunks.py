"""Files that are verified in chunks, compared with the verification of the same table in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import data
from shoal.data.chunked import open_chunked
from shoal.domain import PrivacyModel, Schema, Verification
from shoal.errors import OptionError, ShoalError
from shoal.metrics.disclosure_sums import sum_disclosures
from shoal.metrics.registry import get_measure
from shoal.release.column_options import resolve_schema
from shoal.verification.verify import minimal_schema, verify, verify_chunks

MODELS = [
    PrivacyModel.parse("ill", "distinct-l(2)"),
    PrivacyModel.parse("ill", "entropy-l(1.1)"),
    PrivacyModel.parse("score", "t-equal(0.5)"),
    PrivacyModel.parse("score", "t-ordered(0.3)"),
]
DISCLOSURES = [measure.name for measure in shoal.measures().values() if measure.family == "disclosure"]
TREE = {"hierarchies": {"ill": {"*": {"ill": ["flu", "Flu"], "well": ["none"]}}}}
memory_limits = st.sampled_from([0, 300, 4_000, 1 << 20])
"""Memory limits: 0, at which every chunk is spilled, to enough for all chunks."""


@st.composite
def persons(draw: st.DrawFn) -> pl.DataFrame:
    """Tables in which some households are in one stratum, some in several, and cells may be missing."""
    nested = draw(st.integers(0, 5)) > 0
    rows = []
    for _ in range(draw(st.integers(1, 24))):
        home = draw(st.integers(0, 6))
        rows.append(
            {
                "age": draw(st.sampled_from(["1", "2", "1.0", ""])),
                "town": draw(st.sampled_from(["x", "X", ""])),
                "region": draw(st.sampled_from(["1", "2", "NA"])) if not nested else str(home % 2),
                "home": str(home) if draw(st.integers(0, 200)) else "",
                "ill": draw(st.sampled_from(["flu", "Flu", "none", ""])),
                "score": draw(st.sampled_from(["1", "2", "3.0", "3", ""])),
            }
        )
    return pl.DataFrame([*rows, {"age": "3", "town": "y", "region": "2", "home": "9", "ill": "flu", "score": "7"}])


def both(path: Path, chunk: tuple[int, int], memory_limit: int, **options: Any) -> tuple[Any, Any]:
    """The verification in memory and in chunks; an error instead if it is refused."""
    table = data.read_table(path)
    names, models = ["age", "town"], options.get("models", [])
    schema = minimal_schema(data.column_kinds(table), names, models)
    options |= {"k": 2, "quasi_identifiers": names, "schema": schema}
    strata, households = options.pop("strata", ()), options.pop("households", "")

    def in_memory() -> Verification:
        design = data.build_survey_design(table, strata=strata, households=households)
        return verify(table, design=design, **options)

    def in_chunks() -> Verification:
        source = open_chunked(path, rows=chunk[0], size=chunk[1])
        with tempfile.TemporaryDirectory() as folder:
            proof, counter = verify_chunks(
                source,
                folder=Path(folder),
                max_bytes=memory_limit,
                strata=strata,
                households=households,
                **options,
            )
            counter.close()
            assert not list(Path(folder).rglob("*.arrow"))
        return proof

    return facts(attempt(in_memory)), facts(attempt(in_chunks))


def attempt(of: Callable[[], Any]) -> Any:
    """The result, or the sentence of the error."""
    try:
        return of()
    except ShoalError as error:
        return str(error)


def facts(proof: Any) -> Any:
    if isinstance(proof, str):
        return proof
    plain = proof.to_dict()
    for check in plain["models"]:
        check["reached"] = pytest.approx(check["reached"])
    return plain


@given(
    persons(),
    st.tuples(st.integers(1, 6), st.sampled_from([1, 7, 1000])),
    memory_limits,
    st.sampled_from([{}, {"levels": {"ill": ["none", "Flu", "flu"]}}, {"kinds": {"score": "nominal"}}, TREE]),
    st.sampled_from([".csv", ".parquet"]),
)
def test_disclosures_in_chunks_are_those_in_memory(
    frame: pl.DataFrame, chunk: tuple[int, int], memory_limit: int, meaning: dict[str, Any], ending: str
) -> None:
    names, sensitive = ["age", "town"], ["ill", "score", "day", "home"]
    frame = frame.with_columns(pl.Series("day", ["2020-01-01", "2020-01-02 10:00", ""] * 9)[: frame.height])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        if ending == ".csv":
            frame.write_csv(path)
        else:
            frame.with_columns(pl.col("score").cast(pl.Float64, strict=False)).write_parquet(path)
        table, source = data.read_table(path), open_chunked(path, rows=chunk[0], size=chunk[1])
        schema = Schema.assign(data.column_kinds(table), quasi_identifiers=names, sensitive=sensitive)
        schema = resolve_schema(table, schema, allow_mixed=True, **meaning)

        def in_memory() -> Any:
            options = {"quasi_identifiers": names, "sensitive": sensitive, "measures": DISCLOSURES, **meaning}
            return shoal.evaluate(table, table, **options).disclosures

        def in_chunks() -> Any:
            _, counter = verify_chunks(
                source,
                k=2,
                quasi_identifiers=names,
                schema=schema,
                folder=Path(folder) / "scratch",
                max_bytes=memory_limit,
                sensitive=sensitive,
            )
            sums = sum_disclosures(counter.distributions())
            return {
                column: {name: get_measure(name).finalize(of_column) for name in DISCLOSURES}
                for column, of_column in sums.items()
            }

        assert attempt(in_chunks) == attempt(in_memory)


@given(
    persons(),
    st.tuples(st.integers(1, 6), st.sampled_from([1, 7, 1000])),
    memory_limits,
    st.sampled_from([(), ("region",), ("region", "score")]),
    st.sampled_from(["", "home"]),
    st.booleans(),
    st.sampled_from([".csv", ".parquet"]),
)
def test_the_result_in_chunks_is_that_in_memory(
    frame: pl.DataFrame,
    chunk: tuple[int, int],
    memory_limit: int,
    strata: tuple[str, ...],
    households: str,
    models: bool,
    ending: str,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        if ending == ".csv":
            frame.write_csv(path)
        else:
            typed = frame.with_columns(pl.col("score", "home").cast(pl.Float64, strict=False))
            typed.write_parquet(path, row_group_size=3)
        options = {"strata": strata, "households": households, "models": MODELS if models else []}
        whole, pieces = both(path, chunk, memory_limit, **options)
        if isinstance(whole, str):  # errors of a table of either kind, in the same words
            assert isinstance(pieces, str)
            return
        assert pieces == whole


def test_households_are_checked_as_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,town,region,home\n1,x,1,7\n1,x,2,7\n1,x,2,8\n")
    options = {"strata": ("region",), "households": "home"}
    whole, pieces = both(path, (1, 1000), 0, **options)
    assert pieces == whole
    assert "different strata" in whole
    path.write_text("age,town,region,home\n1,x,1,7\n1,x,2,\n1,x,2,NA\n1,x,2,8\n")
    whole, pieces = both(path, (1, 1000), 0, households="home")
    assert pieces == whole
    assert "2 of 4 records (the first is record 2)" in whole


def test_one_class_may_be_larger_than_the_memory_limit(tmp_path: Path) -> None:
    """Its households are counted in several partitions."""
    path, n = tmp_path / "table.csv", 3_000
    pl.DataFrame({"age": [1] * n, "town": ["x"] * n, "home": [row // 2 for row in range(n)]}).write_csv(path)
    source = open_chunked(path, rows=100)
    schema = Schema(())
    proof, counter = verify_chunks(
        source,
        k=n // 2,
        quasi_identifiers=["age", "town"],
        schema=schema,
        folder=tmp_path / "scratch",
        max_bytes=2_000,
        households="home",
    )
    assert (proof.ok, proof.min_class, proof.records, proof.unit) == (True, n // 2, n, "households")
    sizes = [path.stat().st_size for path in (tmp_path / "scratch").glob("*.arrow")]
    assert len(sizes) > 64
    counter.close()


def test_wildcards_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,town\n1,x\n,x\n")
    with pytest.raises(OptionError, match="many classes, which cannot be counted in pieces"):
        verify_chunks(
            open_chunked(path),
            k=2,
            quasi_identifiers="age",
            schema=Schema(()),
            folder=tmp_path,
            max_bytes=1 << 20,
            missing="wildcard",
        )
