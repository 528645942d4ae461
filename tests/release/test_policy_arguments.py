"""`verify`, `evaluate`, `compare` and `explain` by a policy instead of arguments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from naive.surveys import ILLS, JOBS, SIZES, frame
from shoal.domain import Policy, read_policy
from shoal.errors import ColumnError, DataError, OptionError, PolicyError
from shoal.hierarchy import Hierarchy

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table and a release of it with options of every kind; never written to."""
    place = tmp_path_factory.mktemp("by-policy")
    frame(4, 90, gaps=0.1, strata=2, members=2).write_csv(place / "in.csv")
    for name, tree in (("jobs", JOBS), ("ills", ILLS)):
        Hierarchy.from_dict(tree).save(place / f"{name}.csv")
    (place / "sizes.txt").write_text("\n".join(SIZES))
    shoal.anonymize(place / "in.csv", **options(place)).save(place / "out.csv")
    return place


def options(place: Path) -> dict[str, Any]:
    return {
        "k": 3, "quasi_identifiers": ["age", "size", "job"], "identifiers": "name", "sensitive": ["ill", "score"],
        "keep": "home", "models": {"ill": "t-hierarchical(0.9)", "score": "t-ordered(0.9)"}, "l": 2,
        "hierarchies": {"job": place / "jobs.csv", "ill": place / "ills.csv"}, "levels": {"size": place / "sizes.txt"},
        "kinds": {"score": "ordinal"}, "weights": {"age": 2}, "standardize": False, "distance": "path",
        "sampling_weights": "weight", "strata": "region", "households": "home", "method": "mdav",
    }  # fmt: skip


def close(one: Any, other: Any) -> bool:
    """Equal plain data, floats up to rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(close, one, other))
    return one == (pytest.approx(other, rel=1e-9, abs=1e-9) if isinstance(one, float) else other)


def test_a_release_is_verified_by_the_policy_beside_it(folder: Path) -> None:
    proof = shoal.verify(folder / "out.csv")
    policy = Policy.read(folder / "out.csv.policy.toml")
    assert proof.ok
    assert (proof.k, proof.unit) == (3, "households")
    assert proof.quasi_identifiers == ("age", "size", "job")
    assert sorted(check.model for check in proof.models) == sorted(model.notation for model in policy.models)
    assert (proof.records, proof.classes, proof.min_class) == tuple(
        policy.output[name] for name in ("records", "classes", "min_class")
    )
    assert shoal.verify(folder / "out.csv", policy=policy) == proof
    assert shoal.verify(folder / "out.csv", policy=folder / "out.csv.policy.toml") == proof


def test_a_file_in_pieces_is_verified_by_the_policy_beside_it(folder: Path, tmp_path: Path) -> None:
    assert shoal.verify(folder / "out.csv", memory="1GB") == shoal.verify(folder / "out.csv")
    plan = shoal.plan(folder / "in.csv", policy=folder / "out.csv.policy.toml")
    del plan.options["models"]
    plan.options["t"] = 0.95
    plan.save(tmp_path / "p.toml")
    proof = shoal.verify(folder / "out.csv", policy=tmp_path / "p.toml", memory="1GB")
    assert proof == shoal.verify(folder / "out.csv", policy=tmp_path / "p.toml")
    assert len(proof.models) == 2


def test_a_spark_frame_is_verified_by_a_policy(spark: Any, folder: Path) -> None:
    columns = {"age": [1, 1, 2, 2], "size": ["Qhuge"] * 4, "job": ["Qbaker"] * 4, "region": ["a"] * 4}
    frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))
    policy = replace(Policy.read(folder / "out.csv.policy.toml"), models=())
    proof = shoal.verify(frame, policy=policy, k=2)
    assert (proof.ok, proof.unit, proof.quasi_identifiers) == (True, "records", ("age", "size", "job"))
    with pytest.raises(DataError, match="Spark frame"):
        shoal.plan(frame)


def test_arguments_win_over_the_policy(folder: Path) -> None:
    assert not shoal.verify(folder / "out.csv", k=80)
    proof = shoal.verify(folder / "out.csv", quasi_identifiers="age", models={"ill": "distinct-l(2)"})
    assert (proof.k, proof.quasi_identifiers) == (3, ("age",))
    assert [check.model for check in proof.models] == ["distinct-l(2)"]
    assert shoal.verify(folder / "out.csv", k=3, quasi_identifiers="age").unit == "records", "all is given"


def test_what_the_release_does_not_have_is_not_counted(folder: Path, tmp_path: Path) -> None:
    released = pl.read_csv(folder / "out.csv", infer_schema=False).drop("home", "region")
    released.write_csv(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv", policy=folder / "out.csv.policy.toml")
    assert (proof.ok, proof.unit) == (True, "records")


def test_only_models_need_the_files_of_hierarchies(folder: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    policy = Policy.read(folder / "out.csv.policy.toml")
    (tmp_path / "elsewhere.toml").write_text(policy.to_toml())
    (tmp_path / "ills.csv").write_bytes((folder / "ills.csv").read_bytes())
    assert shoal.verify(folder / "out.csv", policy=tmp_path / "elsewhere.toml").ok
    (tmp_path / "ills.csv").unlink()
    with pytest.raises(PolicyError, match="a hierarchy for column 'ill'"):
        shoal.verify(folder / "out.csv", policy=tmp_path / "elsewhere.toml")
    given = shoal.verify(
        folder / "out.csv", policy=tmp_path / "elsewhere.toml", hierarchies={"ill": folder / "ills.csv"}
    )
    assert given.ok


def test_a_release_is_evaluated_by_the_policy_beside_it(folder: Path) -> None:
    release = shoal.anonymize(folder / "in.csv", **options(folder))
    evaluated = shoal.evaluate(folder / "in.csv", folder / "out.csv")
    by_policy, by_release = evaluated.to_dict(), release.evaluation.to_dict()
    for facts in (by_policy, by_release):
        facts["models"].sort(key=lambda check: (check["column"], check["model"]))
    assert close(by_policy, by_release)
    arguments = options(folder)
    names = ("quasi_identifiers", "k", "hierarchies", "levels", "kinds", "standardize", "distance", "weights")
    given = {name: arguments[name] for name in (*names, "sampling_weights", "households", "sensitive")}
    models = {"ill": ["t-hierarchical(0.9)", "distinct-l(2)"], "score": ["t-ordered(0.9)", "distinct-l(2)"]}
    called = shoal.evaluate(folder / "in.csv", folder / "out.csv", **given, models=models)
    for family in ("loss", "risk", "columns", "disclosures"):
        assert called.to_dict()[family] == evaluated.to_dict()[family]
    other = shoal.evaluate(folder / "in.csv", folder / "out.csv", policy=folder / "out.csv.policy.toml", k=7)
    assert other.to_dict()["k"] == 7


def test_methods_are_compared_by_a_policy(folder: Path) -> None:
    arguments = {name: value for name, value in options(folder).items() if name not in ("k", "method")}
    by_policy = shoal.compare(folder / "in.csv", policy=folder / "out.csv.policy.toml", methods=["mdav", "hac"])
    called = shoal.compare(folder / "in.csv", k=3, **arguments, methods=["mdav", "hac"])
    assert [(point.method, point.k, point.loss, point.risk) for point in by_policy.points] == [
        (point.method, point.k, point.loss, point.risk) for point in called.points
    ]
    levels = shoal.compare(folder / "in.csv", policy=folder / "out.csv.policy.toml", methods="mdav", k=[3, 4])
    assert [point.k for point in levels.points] == [3, 4]
    with pytest.raises(OptionError, match="k is not given"):
        shoal.compare(folder / "in.csv", quasi_identifiers="age")


def test_a_record_is_explained_by_the_policy_beside_its_release(folder: Path) -> None:
    by_policy = shoal.explain(folder / "in.csv", row=5, policy=folder / "out.csv.policy.toml")
    assert by_policy.release is not None
    assert shoal.explain(folder / "in.csv", row=5, released=folder / "out.csv") == by_policy


def test_a_policy_by_hand_decides_the_same(folder: Path, tmp_path: Path) -> None:
    plan = shoal.plan(folder / "in.csv", policy=folder / "out.csv.policy.toml")
    del plan.options["models"]
    plan.options.update(l=2, t=0.95)
    plan.save(tmp_path / "p.toml")
    draft = read_policy(tmp_path / "p.toml")
    proof = shoal.verify(folder / "out.csv", policy=draft)
    assert (proof.k, proof.unit) == (3, "households")
    assert [check.model for check in proof.models] == [
        "distinct-l(2)", "t-hierarchical(0.95)", "distinct-l(2)", "t-ordered(0.95)",
    ]  # fmt: skip
    evaluated = shoal.evaluate(folder / "in.csv", folder / "out.csv", policy=tmp_path / "p.toml").to_dict()
    assert evaluated["loss"] == shoal.evaluate(folder / "in.csv", folder / "out.csv").to_dict()["loss"]
    assert len(evaluated["models"]) == 4
    del plan.options["k"]
    plan.save(tmp_path / "open.toml")
    assert shoal.verify(folder / "out.csv", policy=tmp_path / "open.toml", k=3).ok
    assert shoal.explain(folder / "in.csv", row=1, policy=tmp_path / "open.toml", k=3).k == 3
    for call in (
        lambda: shoal.verify(folder / "out.csv", policy=tmp_path / "open.toml"),
        lambda: shoal.compare(folder / "in.csv", policy=tmp_path / "open.toml"),
    ):
        with pytest.raises(OptionError, match="k is not given"):
            call()


@pytest.mark.parametrize("header", [True, False])
def test_a_release_is_read_as_it_was_written(tmp_path: Path, header: bool) -> None:
    rows = "".join(f"p{i};{20 + i % 4},5;0{1 + i % 2}.12.1980;{'=1+1' if i % 2 else 'x'}\n" for i in range(24))
    (tmp_path / "in.csv").write_text(("name;age;=day;ill\n" if header else "") + rows)
    names = ["name", "age", "=day", "ill"] if header else [f"column_{i}" for i in range(1, 5)]
    table = shoal.read(tmp_path / "in.csv", header=header, column_formats={names[2]: "DD.MM.YYYY"})
    release = shoal.anonymize(
        table, k=3, quasi_identifiers=names[1:3], identifiers=names[0], sensitive=names[3], formulas="neutralize", l=2,
        method="mdav",
    )  # fmt: skip
    release.save(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv")
    assert proof.ok
    assert proof.classes == release.verification.classes
    assert proof.quasi_identifiers == (("age", "'=day") if header else ("column_1", "column_2"))


def test_wildcards_and_a_release_of_another_format(tmp_path: Path) -> None:
    table = frame(4, 60, gaps=0.3, strata=1, members=1).select("age", "sex", "ill")
    table.write_csv(tmp_path / "in.csv")
    release = shoal.anonymize(
        tmp_path / "in.csv", k=3, quasi_identifiers=["age", "sex"], missing_values="wildcard", alpha=0.5, method="mdav"
    )
    release.save(tmp_path / "out.parquet")
    proof = shoal.verify(tmp_path / "out.parquet")
    assert (proof.ok, proof.missing, proof.min_class) == (True, "wildcard", release.verification.min_class)
    assert shoal.verify(tmp_path / "out.parquet", missing_values="category").missing == "category"


def test_old_policies_know_how_numbers_were_rounded(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1, 2, 10, 11]}).write_csv(tmp_path / "in.csv")
    head = '[release]\nk = 2\nmethod = "mdav"\nseed = 0\n[options]\nstandardize = true\nround_integers = false\n'
    column = '[[columns]]\nname = "x"\nrole = "quasi-identifier"\nkind = "numeric"\n'
    (tmp_path / "old.toml").write_text(f"format = 1\n{head}{column}")
    compared = shoal.compare(tmp_path / "in.csv", policy=tmp_path / "old.toml", methods="mdav")
    assert compared.points[0].verified
    plan = shoal.plan(tmp_path / "in.csv", policy=tmp_path / "old.toml")
    assert plan.options["exact_means"]
    assert plan.run().table["x"].to_list() == [1.5, 1.5, 10.5, 10.5]


def test_what_no_policy_decides_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"no policy 'in\.csv\.policy\.toml' is beside"):
        shoal.verify(folder / "in.csv")
    with pytest.raises(PolicyError, match=r"no policy 'in\.csv\.policy\.toml' is beside"):
        shoal.evaluate(folder / "in.csv", folder / "in.csv")
    with pytest.raises(OptionError, match="k is not given"):
        shoal.verify(folder / "in.csv", quasi_identifiers="age")
    with pytest.raises(OptionError, match="k is not given"):
        shoal.verify(pl.read_csv(folder / "in.csv"))
    with pytest.raises(ColumnError, match="No quasi-identifier is named"):
        shoal.verify(pl.read_csv(folder / "in.csv"), k=3)
    with pytest.raises(PolicyError, match="no such file"):
        shoal.verify(folder / "out.csv", policy=tmp_path / "none.toml")
    (tmp_path / "out.csv").write_bytes((folder / "out.csv").read_bytes())
    (tmp_path / "out.csv.policy.toml").write_text("format = x")
    with pytest.raises(PolicyError, match="not TOML: line 1"):
        shoal.verify(tmp_path / "out.csv")
    other = Policy.read(folder / "out.csv.policy.toml").rename({"age": "height"})
    with pytest.raises(ColumnError, match="There is no column 'height'"):
        shoal.verify(folder / "out.csv", policy=replace(other, models=()))
