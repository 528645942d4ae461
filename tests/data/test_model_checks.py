"""Privacy models checked on the classes of a table, compared with naive code."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given

import shoal
from naive.sensitive_tables import Case, cases
from shoal import data
from shoal.data import model_checks
from shoal.domain import Policy, PrivacyModel, Schema, SurveyDesign, Verification
from shoal.domain.privacy_models import parse_models
from shoal.errors import ColumnError, OptionError, PromiseError
from shoal.hierarchy import Hierarchy
from shoal.verification.verify import verify_release

FRAME = pl.DataFrame(
    {
        "age": [30.0, 30.0, 30.0, 40.0, 40.0, 40.0],
        "illness": ["flu", "flu", "gout", "flu", "flu", "flu"],
        "pay": [1, 2, 3, 4, 5, 6],
        "job": ["baker", "cook", None, "smith", "smith", "cook"],
    }
)
JOBS = {"*": {"food": ["baker", "cook"], "metal": ["smith"]}}


@given(cases())
def test_the_worst_class_and_the_records_in_broken_classes(case: Case) -> None:
    (result,) = model_checks.check_models(case.demands, [case.model], case.classes)
    broken = [group for group in case.groups() if not case.holds(group)]
    assert result.violations == sum(map(len, broken))
    assert result.ok == (not broken)
    assert (result.column, result.model) == ("s", case.model.notation)
    figures = model_checks.class_values(case.demands, 0, case.classes)
    assert result.reached == (max(figures) if case.model.is_closeness else min(figures))


def test_class_numbers_count_classes_as_they_first_appear() -> None:
    cells = {"a": [1.0, float("nan"), -0.0, 0.0, 1.0, None], "row": ["x", "y", "x", "x", "x", "y"]}
    table = data.read_table(pl.DataFrame(cells))
    # NaN and null, and the signs of zero, are to be seen in a frame
    assert data.class_labels(table, ["a", "row"]).tolist() == [0, 1, 2, 3, 0, 4]
    assert data.class_sizes(table, ["a", "row"]).tolist() == [2, 1, 1, 1, 2, 1]
    assert data.class_labels(table, []).tolist() == [0] * 6
    with pytest.raises(ColumnError, match="no column 'b'"):
        data.class_labels(table, ["b"])


def test_verify_checks_models_beside_k() -> None:
    models = {"illness": ["distinct-l(2)", "t-equal(0.2)"], "pay": "t-ordered(0.3)"}
    proof = shoal.verify(FRAME, k=3, quasi_identifiers="age", models=models)
    assert not proof
    assert (proof.violations, proof.min_class, proof.classes) == (0, 3, 2)
    assert [check.ok for check in proof.models] == [False, True, True]
    assert [check.violations for check in proof.models] == [3, 0, 0]
    assert [check.reached for check in proof.models] == pytest.approx([1, 1 / 6, 0.3])
    assert proof.to_dict()["models"][0] == {
        "ok": False, "column": "illness", "model": "distinct-l(2)", "reached": 1.0, "violations": 3,
    }  # fmt: skip
    assert shoal.verify(FRAME, k=3, quasi_identifiers="age", models={"pay": "distinct-l(3)"})
    assert not shoal.verify(FRAME, k=4, quasi_identifiers="age", models={"pay": "distinct-l(3)"})
    assert not shoal.verify(FRAME, k=3, quasi_identifiers="age", models={"pay": "distinct-l(7)"}), "no error: a verdict"


def test_verify_understands_hierarchies_and_levels_of_sensitive_columns() -> None:
    arguments = {"k": 3, "quasi_identifiers": "age"}
    (check,) = shoal.verify(FRAME, **arguments, models={"job": "t-hierarchical(0.5)"}, hierarchies={"job": JOBS}).models
    # 1/6 baker, 1/3 each cook and smith, 1/6 missing: in the first class 1/3 of smith has to become baker and missing
    assert check.reached == pytest.approx(1 / 3)
    (check,) = shoal.verify(
        FRAME, **arguments, models={"job": "t-ordered(1)"}, levels={"job": ["smith", "baker", "cook"]}
    ).models
    # smith 1/3, baker 1/6, cook 1/3, missing 1/6, and in the first class a third of each but smith
    assert check.reached == pytest.approx((1 / 3 + 1 / 6 + 1 / 6) / 3)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"models": {"age": "distinct-l(2)"}}, ColumnError, "'age' has a privacy model and is a quasi-identifier"),
        ({"models": {"agee": "distinct-l(2)"}}, ColumnError, "did you mean 'age'"),
        ({"models": {"illness": "t-ordered(0.1)"}}, ColumnError, "is nominal, and t-ordered needs"),
        ({"models": {"illness": "t-hierarchical(0.1)"}}, ColumnError, "has no hierarchy"),
        ({"models": {"illness": "k-anonymity"}}, OptionError, "no privacy model"),
        ({"hierarchies": {"illness": JOBS}}, ColumnError, "no quasi-identifier and not sensitive"),
    ],
)
def test_verify_refuses_what_it_cannot_check(options, error, words: str) -> None:
    with pytest.raises(error, match=words) as reported:
        shoal.verify(FRAME, k=3, quasi_identifiers="age", **options)
    assert "flu" not in str(reported.value)


def test_a_release_that_breaks_a_model_is_refused() -> None:
    table = data.read_table(FRAME)
    schema = Schema.assign(data.column_kinds(table), quasi_identifiers="age", sensitive=["illness", "pay"])
    models = parse_models({"pay": "distinct-l(3)", "illness": "distinct-l(2)"})

    def verified(k: int, arguments: tuple[PrivacyModel, ...]) -> Verification:
        policy = Policy(k=k, method="mdav", seed=0, schema=schema, models=arguments)
        return verify_release(table, policy=policy, records=6, design=SurveyDesign())

    assert verified(3, models[:1])
    broken = "3 of 6 records of the release are in classes that break distinct-l.2. on column 'illness'"
    with pytest.raises(PromiseError, match=broken):
        verified(3, models)
    with pytest.raises(PromiseError, match="below k = 4"):
        verified(4, models)


def test_a_policy_keeps_the_hierarchy_of_a_sensitive_column(tmp_path) -> None:
    tree, levels = tmp_path / "jobs.csv", tmp_path / "pay.txt"
    Hierarchy.from_dict(JOBS).save(tree)
    levels.write_text("".join(f"{number}\n" for number in range(1, 7)))
    release = shoal.anonymize(
        FRAME, k=3, quasi_identifiers="age", sensitive=["job", "pay"], identifiers="illness",
        hierarchies={"job": tree}, levels={"pay": levels},
    )  # fmt: skip
    release.save(tmp_path / "out.csv")
    again = shoal.replay(FRAME, policy=tmp_path / "out.csv.policy.toml")
    intended = [
        [(column.kind, column.hierarchy) for column in released.policy.schema.columns] for released in (release, again)
    ]
    assert intended[0] == intended[1]
    assert [str(kind) for kind, _ in intended[0]] == ["numeric", "nominal", "ordinal", "hierarchical"]


def test_many_values_and_classes_take_no_table_of_both() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"q": rng.integers(0, 40_000, 100_000), "s": rng.normal(size=100_000)})
    proof = shoal.verify(frame, k=2, quasi_identifiers="q", models={"s": ["t-ordered(0.5)", "entropy-l(2)"]})
    assert proof.models[0].reached <= 0.5 + 1e-4
    assert proof.models[1].reached == pytest.approx(1)


def test_class_numbers_are_those_of_equal_rows_even_where_hashes_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "number": draw.choice([0.0, -0.0, np.nan, 1.5, np.inf], 400),
            "word": draw.choice(["a", "b", ""], 400),
            "day": pl.Series(draw.integers(0, 3, 400)).cast(pl.Int32).cast(pl.Date),
            "flag": draw.choice([True, False], 400),
            "label": pl.Series(draw.choice(["x", "y"], 400), dtype=pl.Categorical),
        }
    ).with_columns(pl.when(pl.int_range(pl.len()) % 7 > 0).then(pl.col("number", "word", "day", "label")))
    rows = [tuple(repr(cell) for cell in row) for row in frame.iter_rows()]
    number = {row: place for place, row in enumerate(dict.fromkeys(rows))}
    expected = [number[row] for row in rows]
    assert data.class_labels(data.read_table(frame), frame.columns).tolist() == expected
    monkeypatch.setattr(pl.DataFrame, "hash_rows", lambda self, seed: pl.Series([1] * self.height, dtype=pl.UInt64))
    assert data.class_labels(data.read_table(frame), frame.columns).tolist() == expected
