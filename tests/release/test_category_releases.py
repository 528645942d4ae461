"""Releases of categorical columns: tables, formats, recodings, and policies that name hierarchies."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import Hierarchy
from shoal.errors import ColumnError, DataError, HierarchyError, OptionError, PolicyError, ShoalError, on_command_line

JOBS = {
    "person": {"worker": {"baker": {}, "smith": {}, "clerk": {"cashier": {}, "typist": {}}}, "student": {}},
}
ROWS = 120


def columns(rows: int = ROWS, seed: int = 3) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    jobs = ["worker", "baker", "smith", "clerk", "cashier", "typist", "student"]
    return {
        "name": [f"secret-{row}" for row in range(rows)],
        "job": rng.choice(jobs, rows, p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.05, 0.05]).tolist(),
        "sex": rng.choice(["m", "f", "x"], rows, p=[0.5, 0.45, 0.05]).tolist(),
        "size": rng.choice(["small", "medium", "large"], rows).tolist(),
        "pay": rng.normal(size=rows).round(3).tolist(),
    }


ROLES = {"quasi_identifiers": ["job", "sex", "size"], "identifiers": ["name"]}
MEANING = {"hierarchies": {"job": JOBS}, "levels": {"size": ["small", "medium", "large"]}}
MAKERS = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}


def rows_of(table) -> list[tuple]:
    """The quasi-identifiers of a released frame of any kind."""
    frame = (
        table
        if isinstance(table, pl.DataFrame)
        else pl.DataFrame(
            {
                name: list(table[name].to_pylist() if isinstance(table, pa.Table) else table[name])
                for name in ROLES["quasi_identifiers"]
            }
        )
    )
    return frame.select(ROLES["quasi_identifiers"]).rows()


@pytest.mark.parametrize("recode", ["centroid", "mode", "lcs"])
@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_of_frame_is_released_as_it_came(kind: str, recode: str) -> None:
    release = shoal.anonymize(MAKERS[kind](columns()), k=5, recode=recode, **ROLES, **MEANING)
    assert release.verification.ok
    assert min(Counter(rows_of(release.table)).values()) >= 5
    assert release.evaluation.semantic_loss > 0
    assert type(release.table) is type(MAKERS[kind](columns()))
    nodes = {"person", "worker", "baker", "smith", "clerk", "cashier", "typist", "student"}
    assert {row[0] for row in rows_of(release.table)} <= nodes
    assert {row[1] for row in rows_of(release.table)} <= {"m", "f", "x"} | ({"*"} if recode == "lcs" else set())


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet", ".arrow", ".xlsx", ".sav", ".dta"])
def test_a_release_of_categories_can_be_saved_in_every_format(tmp_path: Path, ending: str) -> None:
    release = shoal.anonymize(pl.DataFrame(columns()), k=5, recode="lcs", **ROLES, **MEANING)
    target = tmp_path / f"out{ending}"
    release.save(target)
    assert shoal.verify(target, k=5, quasi_identifiers=ROLES["quasi_identifiers"])
    again = shoal.read(target).cells.frame()
    assert Counter(rows_of(again)) == Counter(rows_of(release.table))


def test_a_file_keeps_all_other_bytes(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    frame = pl.DataFrame(columns())
    source.write_text(
        "name;job;note\n" + "".join(f'{n};{j};"a; b"\n' for n, j in zip(frame["name"], frame["job"], strict=True))
    )
    release = shoal.anonymize(source, k=5, quasi_identifiers="job", identifiers="name", hierarchies={"job": JOBS})
    release.save(tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "job;note"
    assert all(line.endswith(';"a; b"') for line in lines[1:])


def test_words_that_need_quotation_marks_get_them(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("x\n" + "a\n" * 3 + "b\n" * 3)
    tree = Hierarchy.from_edges([("a", 'either "a", or\nb'), ("b", 'either "a", or\nb')])
    release = shoal.anonymize(source, k=6, quasi_identifiers="x", hierarchies={"x": tree}, recode="lcs")
    release.save(tmp_path / "out.csv")
    again = shoal.read(tmp_path / "out.csv")
    assert again.cells.frame()["x"].to_list() == ['either "a", or\nb'] * 6


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("x", ["a", "a", "b", "b", "b", "a"], dtype=pl.Categorical),
        pl.Series("x", ["a", "a", "b", "b", "b", "a"], dtype=pl.Enum(["b", "a"])),
        pl.Series("x", [True, True, False, False, False, True]),
        pl.Series("x", [1, 1, 2, 2, 2, 1]),
    ],
    ids=["categorical", "enum", "boolean", "integer"],
)
def test_values_of_the_column_keep_its_type(series: pl.Series) -> None:
    release = shoal.anonymize(series.to_frame(), k=3, quasi_identifiers="x", kinds={"x": "nominal"})
    assert release.table["x"].dtype == series.dtype
    assert release.table["x"].to_list() == series.to_list()


def test_an_ordered_type_tells_its_levels() -> None:
    words = ["low", "mid", "high", "high", "mid", "mid", "low", "low", "low"]
    for series in (
        pl.Series("x", words, dtype=pl.Enum(["low", "mid", "high"])),
        pd.Series(pd.Categorical(words, categories=["low", "mid", "high"], ordered=True), name="x"),
        pa.table({"x": pa.array(pd.Categorical(words, categories=["low", "mid", "high"], ordered=True))}),
    ):
        frame = series if isinstance(series, pa.Table) else series.to_frame()
        release = shoal.anonymize(frame, k=9, quasi_identifiers="x")
        assert release.policy.schema.columns[0].kind == "ordinal"
        assert set(release.table["x"].to_pylist() if isinstance(frame, pa.Table) else release.table["x"]) == {"mid"}


def test_numbers_can_be_levels() -> None:
    release = shoal.anonymize(pl.DataFrame({"x": [1, 10, 2, 2]}), k=4, quasi_identifiers="x", kinds={"x": "ordinal"})
    assert release.table["x"].to_list() == [2, 2, 2, 2]


def test_numbers_with_a_hierarchy_become_its_nodes() -> None:
    frame = pl.DataFrame({"age": [21, 22, 23, 38, 39, 40]})
    tree = Hierarchy.from_edges(
        [(age, "young" if age < 30 else "old") for age in frame["age"]] + [("young", "*"), ("old", "*")]
    )
    release = shoal.anonymize(frame, k=3, quasi_identifiers="age", hierarchies={"age": tree}, recode="lcs")
    assert release.table["age"].to_list() == ["young"] * 3 + ["old"] * 3


def test_an_array_holds_no_words() -> None:
    table = np.array([[1], [2], [1], [2]])
    release = shoal.anonymize(table, k=2, quasi_identifiers=[0], kinds={"0": "nominal"})
    assert release.table.tolist() == table.tolist()
    with pytest.raises(DataError, match="cannot hold column"):
        shoal.anonymize(table, k=4, quasi_identifiers=[0], kinds={"0": "nominal"}, recode="lcs")


def test_labels_of_statistics_files_stay_with_copied_values(tmp_path: Path) -> None:
    import pyreadstat

    frame = pl.DataFrame({"sex": [1.0, 2.0, 1.0, 2.0, 1.0, 1.0], "pay": [1.0] * 6})
    source = tmp_path / "in.sav"
    pyreadstat.write_sav(frame, str(source), variable_value_labels={"sex": {1.0: "m", 2.0: "f"}})
    shoal.anonymize(source, k=2, quasi_identifiers="sex", kinds={"sex": "nominal"}).save(tmp_path / "out.sav")
    _, meta = pyreadstat.read_sav(str(tmp_path / "out.sav"))
    assert meta.variable_value_labels["sex"] == {1.0: "m", 2.0: "f"}


def files(folder: Path) -> dict[str, str]:
    pl.DataFrame(columns()).write_csv(folder / "in.csv")
    (folder / "jobs.json").write_text(json.dumps(JOBS))
    (folder / "sizes.txt").write_text("small\nmedium\nlarge\n")
    return {"hierarchies": {"job": folder / "jobs.json"}, "levels": {"size": folder / "sizes.txt"}}


def test_a_policy_names_its_hierarchies_and_finds_them_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meaning = files(tmp_path)
    release = shoal.anonymize(tmp_path / "in.csv", k=5, recode={"job": "lcs"}, **ROLES, **meaning)
    policy = release.save(tmp_path / "out.csv")
    text = (tmp_path / "out.csv.policy.toml").read_text()
    assert "jobs.json" in text
    assert not any(word in text for word in ("baker", "cashier", "medium", str(tmp_path)))
    monkeypatch.chdir("/")
    again = shoal.replay(tmp_path / "in.csv", policy=tmp_path / "out.csv.policy.toml")
    assert again.save(tmp_path / "again.csv").output["sha256"] == policy.output["sha256"]
    other = tmp_path / "elsewhere"
    other.mkdir()
    alone = other / "p.toml"
    alone.write_text(text)
    frame = pl.read_csv(tmp_path / "in.csv")
    with pytest.raises(PolicyError, match=r"needs a hierarchy .* from the file 'jobs.json', which cannot be found"):
        shoal.replay(frame, policy=alone)
    given = {"job": Hierarchy.from_dict(JOBS), "size": ["small", "medium", "large"]}
    assert shoal.replay(frame, policy=alone, hierarchies=given).evaluation == release.evaluation
    with pytest.raises(PolicyError, match="of column 'job' differ"):
        shoal.replay(frame, policy=alone, hierarchies={**given, "job": {"person": ["baker"]}})
    with pytest.raises(PolicyError, match="no hierarchy or levels for column 'sex'"):
        shoal.replay(frame, policy=alone, hierarchies={**given, "sex": JOBS})


def test_policies_of_the_first_format_still_replay(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": [1, 2, 3, 10, 11, 12]})
    table.write_csv(tmp_path / "in.csv")
    (tmp_path / "old.toml").write_text(
        'format = 1\n[release]\nk = 3\nmethod = "mdav"\nseed = 0\n[options]\nstandardize = true\nrecode = "median"\n'
        'round_integers = false\n[weights]\n[[columns]]\nname = "a"\nrole = "quasi-identifier"\nkind = "numeric"\n'
    )
    assert (
        shoal.replay(tmp_path / "in.csv", policy=tmp_path / "old.toml").table["a"].to_list() == [2.0] * 3 + [11.0] * 3
    )


BAD = {
    "no such column": ({"hierarchies": {"jop": JOBS}}, ColumnError, "no column 'jop'"),
    "not a quasi-identifier": ({"hierarchies": {"pay": JOBS}}, ColumnError, "'pay' is no quasi-identifier"),
    "hierarchy lacks values": ({"hierarchies": {"job": {"person": ["Baker", "smith"]}}}, HierarchyError,
        r"has 5 values \(of 7, in \d+ records\) that its hierarchy lacks; shoal hierarchy check"),
    "no hierarchy": ({"kinds": {"job": "hierarchical"}}, ColumnError, "has no hierarchy"),
    "two meanings": ({"hierarchies": {"job": JOBS}, "kinds": {"job": "nominal"}}, ColumnError, "and has a hierarchy"),
    "unknown kind": ({"kinds": {"job": "word"}}, OptionError, "no kind 'word'"),
    "text as numbers": ({"kinds": {"job": "numeric"}}, ShoalError, "'job' is nominal where numbers are needed"),
    "no levels": ({"kinds": {"job": "ordinal"}}, ColumnError, "its values have no order"),
    "levels lack values": ({"levels": {"size": ["small", "large"]}}, HierarchyError, "'size' has 1 value"),
    "levels twice": ({"levels": {"size": ["small", "small"]}}, OptionError, "different values"),
    "levels and hierarchy": ({"levels": {"job": ["a", "b"]}, "hierarchies": {"job": JOBS}}, OptionError, "not both"),
    "no file of levels": ({"levels": {"size": "none.txt"}}, ShoalError, "'none.txt' does not exist"),
    "no file": ({"hierarchies": {"job": "none.csv"}}, ShoalError, "'none.csv' does not exist"),
    "a number": ({"hierarchies": {"job": 3}}, OptionError, "the path of a file"),
    "a method for numbers": ({"method": "hm", "hierarchies": {"job": JOBS}}, ColumnError, "is hierarchical"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_told_without_a_value(case: str) -> None:
    options, error, words = BAD[case]
    with pytest.raises(error, match=words) as caught:
        shoal.anonymize(pl.DataFrame(columns()), k=5, **ROLES, **options)
    assert not any(word in str(caught.value) for word in ("baker", "smith", "cashier", "medium", "secret"))


def test_dates_are_taken_by_methods_that_take_them_only() -> None:
    frame = pl.DataFrame({"day": [date(2026, 1, day) for day in (1, 1, 2, 2)]})
    with pytest.raises(ColumnError, match="is date"):
        shoal.anonymize(frame, k=2, quasi_identifiers="day", method="sa-mdav")
    release = shoal.anonymize(frame, k=2, quasi_identifiers="day", kinds={"day": "nominal"})
    assert release.table["day"].to_list() == frame["day"].to_list()


def test_numbers_with_a_few_words_need_a_word_of_the_user() -> None:
    frame = pl.DataFrame({"x": ["1", "2", "none", "1", "2", "none"]})
    csv = frame.write_csv().encode()
    path = Path("unused.csv")
    del path
    import io

    table = pd.read_csv(io.BytesIO(csv), dtype=object)
    table["x"] = [int(cell) if cell.isdigit() else cell for cell in table["x"]]
    with pytest.raises(DataError, match=r"text where numbers are needed in 2 of 6 records .*kinds=\.") as result:
        shoal.anonymize(table, k=2, quasi_identifiers="x")
    assert on_command_line(result.value.sentence).endswith("say that the column is nominal with --kind.")
    assert shoal.anonymize(table, k=2, quasi_identifiers="x", kinds={"x": "nominal"}).verification.ok


def test_a_column_of_many_values_is_refused_before_memory_is() -> None:
    frame = pl.DataFrame({"x": [f"v{row}" for row in range(7000)]})
    with pytest.raises(HierarchyError, match=r"'x' has 7,001 values and nodes above them, and at most 6,000"):
        shoal.anonymize(frame, k=2, quasi_identifiers="x")


def test_weights_change_which_column_is_kept() -> None:
    frame = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]})
    for heavy, kept in (("a", ["x", "x", "y", "y"]), ("b", ["p", "q", "p", "q"])):
        release = shoal.anonymize(frame, k=2, quasi_identifiers=["a", "b"], weights={heavy: 10.0})
        assert release.table[heavy].to_list() == kept


def test_weights_decide_groups_and_not_the_measure() -> None:
    frame = pl.DataFrame(columns()).drop("name", "pay")
    release = shoal.anonymize(frame, k=5, quasi_identifiers=frame.columns, weights={"job": 7.0}, **MEANING)
    result = shoal.evaluate(frame, release.table, quasi_identifiers=frame.columns, k=5, **MEANING)
    assert result.loss.keys() == release.evaluation.loss.keys()
    changed = {name for name, figure in result.loss.items() if figure != release.evaluation.loss[name]}
    assert changed == {"mixed_loss", "optimality_gap"}
    known = shoal.evaluate(frame, release.table, quasi_identifiers=frame.columns, k=5, weights={"job": 7.0}, **MEANING)
    assert known == release.evaluation
    assert release.partition.semantic_loss == release.evaluation.semantic_loss


def test_a_weight_does_not_change_what_stands_for_a_group() -> None:
    frame = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 4, "b": ["p", "p", "p", "q", "s", "s", "s", "r"]})
    for weight in (10.0, 1e10, 1e300):
        release = shoal.anonymize(frame, k=4, quasi_identifiers=["a", "b"], weights={"a": weight}, method="sa-mdav")
        assert release.table.rows() == [("x", "p")] * 4 + [("y", "s")] * 4


def test_an_ordinal_column_may_have_a_hierarchy_and_replays(tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": ["low", "mid", "high", "low", "mid", "high"]})
    frame.write_csv(tmp_path / "t.csv")
    (tmp_path / "h.csv").write_text("low;little;*\nmid;little;*\nhigh;much;*\n")
    meaning = {"hierarchies": {"q": tmp_path / "h.csv"}, "kinds": {"q": "ordinal"}}
    release = shoal.anonymize(tmp_path / "t.csv", k=3, quasi_identifiers="q", **meaning)
    policy = release.save(tmp_path / "o.csv")
    again = shoal.replay(tmp_path / "t.csv", policy=tmp_path / "o.csv.policy.toml")
    assert again.save(tmp_path / "p.csv").output["sha256"] == policy.output["sha256"]


def test_fields_of_a_file_are_copied_as_they_are_written(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("q;n\n1,50;1\n1,50;2\n+3;3\n+3;4\n")
    table = shoal.read(source, decimal=",")
    release = shoal.anonymize(table, k=2, quasi_identifiers="q", keep="n", kinds={"q": "nominal"})
    assert release.table["q"].dtype == pl.Float64
    release.save(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (pl.DataFrame({"a": [1, 1, 2, 2]}), pl.DataFrame({"a": [1.0, 1.0, 2.0, 2.0]})),
        (pl.DataFrame({"a": [1, 1, 2, 2]}), pd.DataFrame({"a": pd.Series([1, 1, 2, 2], dtype=object)})),
    ],
    ids=["float", "objects"],
)
def test_the_same_numbers_are_the_same_words(was, now) -> None:
    tree = Hierarchy.from_edges([("1", "*"), ("2", "*")])
    assert shoal.evaluate(was, now, quasi_identifiers="a", kinds={"a": "nominal"}).semantic_loss == 0
    assert shoal.evaluate(now, was, quasi_identifiers="a", hierarchies={"a": tree}).semantic_loss == 0


def test_arrays_of_numbers_and_categories() -> None:
    table = np.array([[1, 10], [1, 11], [1, 12], [2, 30], [2, 31], [2, 33]])
    release = shoal.anonymize(table, k=3, quasi_identifiers=[0, 1], kinds={"0": "nominal"})
    assert release.table[:, 0].tolist() == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": pd.Categorical(["A"] * 5 + ["Rare"])}),
        pl.DataFrame({"x": pl.Series(["A"] * 5 + ["Rare"], dtype=pl.Enum(["A", "Rare"]))}),
        pa.table({"x": pa.array(["A"] * 5 + ["Rare"]).dictionary_encode()}),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_values_that_are_gone_are_gone_from_the_type(frame, tmp_path: Path) -> None:
    release = shoal.anonymize(frame, k=3, quasi_identifiers="x", kinds={"x": "nominal"})
    left = {
        "DataFrame": lambda table: (
            table["x"].dtype.categories.tolist()
            if isinstance(table, pd.DataFrame)
            else table["x"].dtype.categories.to_list()
        ),
        "Table": lambda table: table["x"].chunk(0).dictionary.to_pylist(),
    }[type(frame).__name__](release.table)
    assert left == ["A"]
    release.save(tmp_path / "out.parquet")
    assert b"Rare" not in (tmp_path / "out.parquet").read_bytes()


def test_labels_of_values_that_are_gone_are_gone(tmp_path: Path) -> None:
    import pyreadstat

    source = tmp_path / "in.sav"
    frame = pl.DataFrame({"sex": [1.0] * 5 + [2.0]})
    pyreadstat.write_sav(frame, str(source), variable_value_labels={"sex": {1.0: "m", 2.0: "Rare"}})
    for labelled, words in ((True, ["m", "Rare"]), (False, ["1", "2"])):
        table = shoal.read(source, value_labels=labelled)
        release = shoal.anonymize(table, k=3, quasi_identifiers="sex", hierarchies={"sex": {"*": words}})
        release.save(tmp_path / "out.sav", force=True)
        assert b"Rare" not in (tmp_path / "out.sav").read_bytes()


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("d", [datetime(2020, 1, 1), datetime(2021, 5, 5)] * 3),
        pl.Series("d", [datetime(2020, 1, 1, 10, 30), datetime(2021, 5, 5, 1, 2, 3, 500_000)] * 3),
        pl.Series("d", [datetime(2020, 1, 1, 10, 30, tzinfo=UTC), datetime(2021, 5, 5, tzinfo=UTC)] * 3),
        pl.Series("d", [date(2020, 1, 1), date(2021, 5, 5)] * 3),
        pd.Series(pd.to_datetime(["2020-01-01", "2021-05-05"] * 3), name="d"),
    ],
    ids=["midnight", "seconds", "zone", "days", "pandas"],
)
def test_dates_fit_the_hierarchy_that_was_built_of_them(column) -> None:
    tree = Hierarchy.from_dates(column)
    release = shoal.anonymize(column.to_frame(), k=2, quasi_identifiers="d", hierarchies={"d": tree})
    assert release.verification.ok


def test_one_way_for_all_and_another_for_one() -> None:
    release = shoal.anonymize(pl.DataFrame(columns()), k=5, recode={"*": "lcs", "sex": "mode"}, **ROLES, **MEANING)
    ways = {column.name: column.recode for column in release.policy.schema.columns}
    assert (ways["job"], ways["sex"], ways["size"]) == ("lcs", "mode", "lcs")


def test_half_a_surrogate_pair_is_spelled_out() -> None:
    tree = Hierarchy.from_edges([("a", "\ud800"), ("b", "\ud800")])
    release = shoal.anonymize(
        pl.DataFrame({"x": ["a", "b"]}), k=2, quasi_identifiers="x", hierarchies={"x": tree}, recode="lcs"
    )
    assert release.table["x"].to_list() == ["\\ud800"] * 2
