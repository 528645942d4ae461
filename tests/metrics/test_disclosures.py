"""Disclosure of sensitive columns by classes, compared with naive code and the privacy models."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import models as naive
from naive import outsiders
from shoal.errors import ColumnError, OptionError
from shoal.metrics import inputs

ILLS = {"ill": {"lung": {"flu": {}, "asthma": {}}, "heart": {"stroke": {}, "attack": {}}}}
ROWS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from(["flu", "asthma", "stroke", None]), st.sampled_from([0.0, 1.5, 7.0, None])
    ),
    min_size=1,
    max_size=24,
)


def frame_of(rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"key": pl.Int64, "ill": pl.String, "pay": pl.Float64}, orient="row")


@given(ROWS)
def test_disclosures_follow_their_definitions(rows) -> None:
    frame = frame_of(rows)
    figures = shoal.evaluate(frame, frame, quasi_identifiers="key", sensitive=["ill", "pay"]).disclosures
    for name, cells in (("ill", [row[1] for row in rows]), ("pay", [row[2] for row in rows])):
        expected = outsiders.disclosed([row[0] for row in rows], cells)
        assert {key: figures[name][key] for key in expected} == pytest.approx(expected, abs=1e-12)
        assert isinstance(figures[name]["distinct_l"], int)
        assert isinstance(figures[name]["homogeneous_classes"], int)


@given(ROWS, st.sampled_from(["equal", "tree", "levels"]))
def test_closeness_is_by_the_distance_that_fits_the_column(rows, meaning) -> None:
    frame, message = frame_of(rows), {}
    if meaning == "tree":
        message = {"hierarchies": {"ill": ILLS}}
    if meaning == "levels":
        message = {"levels": {"ill": ["stroke", "asthma", "flu"]}}
    model = {"equal": "t-equal(1)", "tree": "t-hierarchical(1)", "levels": "t-ordered(1)"}[meaning]
    evaluation = shoal.evaluate(
        frame,
        frame,
        quasi_identifiers="key",
        sensitive="pay",
        models={"ill": [model, "distinct-l(2)", "entropy-l(2)"], "pay": "t-ordered(1)"},
        **message,
    )
    checks, result = evaluation.models, evaluation.disclosures
    assert [check.model for check in checks] == [model, "distinct-l(2)", "entropy-l(2)", "t-ordered(1)"]
    assert result["ill"]["closeness"] == pytest.approx(checks[0].reached, abs=1e-12)
    assert result["ill"]["distinct_l"] == checks[1].reached
    assert result["ill"]["entropy_l"] == pytest.approx(checks[2].reached, abs=1e-12)
    assert result["pay"]["closeness"] == pytest.approx(checks[3].reached, abs=1e-12)
    cells, groups = [row[2] for row in rows], {}
    for row in rows:
        groups.setdefault(row[0], []).append(row[2])
    values = [*sorted({cell for cell in cells if cell is not None}), *([None] if None in cells else [])]
    worst = max(naive.earth_movers(group, cells, naive.ordered(values), values) for group in groups.values())
    assert result["pay"]["closeness"] == pytest.approx(float(worst), abs=1e-12)


def test_models_of_an_evaluation_are_those_of_the_verification() -> None:
    frame = shoal.example_register(rows=300, seed=2)
    names, models = ["age", "sex", "region"], {"diagnosis": ["distinct-l(2)", "t-equal(0.5)"]}
    release = shoal.anonymize(
        frame,
        k=5,
        quasi_identifiers=names,
        identifiers=["person_id", "name"],
        sensitive="diagnosis",
        models=models,
    )
    assert release.evaluation.models == release.verification.models == release.evaluate("default").models
    again = shoal.evaluate(frame, release.table, quasi_identifiers=names, models=models)
    assert again.models == release.verification.models
    assert again.to_dict()["models"] == [check.to_dict() for check in release.verification.models]
    result = release.evaluation.disclosures["diagnosis"]
    assert result["distinct_l"] == release.verification.models[0].reached
    assert result["closeness"] == release.verification.models[1].reached
    assert again.disclosures == release.evaluation.disclosures


def test_models_of_wrong_columns_are_refused() -> None:
    frame = frame_of([(1, "flu", 2.0)] * 3)
    options = {"original": frame, "released": frame, "quasi_identifiers": "key"}
    with pytest.raises(ColumnError, match="no column 'ilness'"):
        shoal.evaluate(**options, models={"ilness": "distinct-l(2)"})
    with pytest.raises(ColumnError, match="'key' has a privacy model and is a quasi-identifier"):
        shoal.evaluate(**options, models={"key": "distinct-l(2)"})
    with pytest.raises(OptionError, match="no privacy model 'diverse'"):
        shoal.evaluate(**options, models={"ill": "diverse"})


def test_wildcards_make_no_classes_to_disclose_by() -> None:
    frame = frame_of([(1, "flu", 2.0), (None, "flu", 2.0), (2, None, None)])
    figures = shoal.evaluate(frame, frame, quasi_identifiers="key", sensitive="ill", missing_values="wildcard")
    assert figures.disclosures == {}


def test_a_hierarchy_of_numbers_measures_closeness_and_their_order_does_not() -> None:
    frame = pl.DataFrame({"key": [1, 1, 2, 2], "code": [10, 11, 20, 21]})
    tree = {"hierarchies": {"code": {"*": {"1": ["10", "11"], "2": ["20", "21"]}}}}
    options = {"quasi_identifiers": "key", "sensitive": "code", "models": {"code": "t-hierarchical(1)"}}
    figures = shoal.evaluate(frame, frame, **options, **tree)
    assert figures.disclosures["code"]["closeness"] == figures.models[0].reached == 0.5


def test_blocks_make_no_difference_to_disclosures(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"key": rng.integers(0, 9, 80), "ill": rng.choice(list("abc"), 80), "pay": rng.random(80)})
    options = {"quasi_identifiers": "key", "sensitive": ["ill", "pay"]}
    whole = shoal.evaluate(frame, frame, **options).disclosures
    monkeypatch.setattr(inputs, "BLOCK_RECORDS", 7)
    assert shoal.evaluate(frame, frame, **options).disclosures == whole
