"""The estimator for scikit-learn: its own checks, the same release as `shoal.anonymize`, and the next delivery."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import shoal
from naive import new_records
from shoal.domain import Progress, Records
from shoal.errors import EstimatorError, PackageError, PromiseError, ShoalError
from shoal.microaggregation import registry
from shoal.sklearn import Microaggregator

ONE_BY_ONE = "records are transformed one by one, and a record by itself hides among nobody"
FEW = "a few new records are transformed that would be in groups of fewer than k, and they are refused"
LARGE = "few large clusters are expected, and groups of little more than k = 2 records are many"


def forbidden(estimator: Microaggregator) -> Mapping[str, str]:
    """The checks that k-anonymity forbids, each with the reason."""
    result = {"check_methods_subset_invariance": ONE_BY_ONE}
    if estimator.undersized == "raise":
        result["check_fit_idempotent"] = FEW
    if estimator.k == 2:
        result["check_clustering"] = LARGE
    return result


# k has no default, so that an instance with a k is checked; 10 records are all that some of the checks have
@parametrize_with_checks(
    [
        Microaggregator(2),
        Microaggregator(10),
        Microaggregator(10, undersized="merge", method="mondrian", recode="median", weights=None, standardize=False),
    ],
    expected_failed_checks=forbidden,
)
def test_the_checks_of_scikit_learn(estimator: Microaggregator, check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # else one check is left out
    check(estimator)


RNG = np.random.default_rng(8)
X = RNG.normal(size=(60, 3)).round(2) * [1, 10, 100]
NAMES = ["age", "height", "income"]
KINDS = {
    "array": np.asarray,
    "list": lambda matrix: matrix.tolist(),
    "pandas": lambda matrix: pd.DataFrame(matrix, columns=NAMES),
    "polars": lambda matrix: pl.DataFrame(matrix, schema=NAMES),
    "pyarrow": lambda matrix: pa.table(dict(zip(NAMES, matrix.T, strict=True))),
}


def sizes(released: np.ndarray) -> list[int]:
    """The number of records of each class."""
    return list(Counter(map(tuple, released.tolist())).values())


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"method": "mondrian"},
        {"method": "v-mdav", "options": {"gamma": np.float64(0.8)}},
        {"method": "k-means", "standardize": False},
        {"recode": "median", "weights": {"0": 4, 2: 0.5}},
        {"method": "mdav", "exact_means": True},
    ],
    ids=str,
)
def test_the_release_is_that_of_anonymize(said: dict) -> None:
    plain = {name: value for name, value in said.items() if name != "options"} | said.get("options", {})
    release = shoal.anonymize(X, k=4, quasi_identifiers=range(3), **plain)
    model = Microaggregator(4, **said)
    assert np.array_equal(model.fit_transform(X), release.table)
    assert np.array_equal(model.labels_, release.partition.labels)
    assert np.array_equal(model.counts_, release.partition.sizes)
    assert model.information_loss_ == pytest.approx(release.evaluation.information_loss)
    plain = {name: value for name, value in plain.items() if name not in ("recode", "exact_means")}
    assert np.array_equal(model.fit_predict(X), shoal.partition(X, k=4, **plain).labels)


def test_centers_keep_the_decimals_of_their_columns() -> None:
    table = np.array([[20, 1.5], [21, 1.2], [60, 3.3], [61, 3.3]])
    model = Microaggregator(2, method="mdav").fit(table)
    assert model.centers_.tolist() == [[20, 1.4], [60, 3.3]]
    exact = clone(model).set_params(exact_means=True).fit(table)
    assert exact.centers_[:, 0].tolist() == [20.5, 60.5]
    assert exact.centers_[:, 1] == pytest.approx([1.35, 3.3])


def test_the_seed_reaches_a_method_that_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(records: Records, k: int, *, seed: int, progress: Progress) -> np.ndarray:
        return np.random.default_rng(seed).permutation(records.count) // k

    known = registry.methods()
    drawing = replace(known["mdav"], function=drawn)
    monkeypatch.setattr(registry, "methods", lambda: {**known, "drawn": drawing})
    first, again, other = (Microaggregator(4, method="drawn", random_state=seed).fit_predict(X) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gives_the_same(kind: str) -> None:
    table = KINDS[kind](X)
    named = kind not in ("array", "list")
    model = Microaggregator(4, weights=dict(zip(NAMES if named else range(3), (3, 2, 1), strict=True))).fit(table)
    expected = Microaggregator(4, weights=[3, 2, 1]).fit(X)
    assert np.array_equal(model.labels_, expected.labels_)
    assert np.array_equal(model.transform(table), expected.transform(X))
    assert model.n_features_in_ == 3
    if kind in ("pandas", "polars"):
        assert model.feature_names_in_.tolist() == NAMES
        assert model.get_feature_names_out().tolist() == NAMES


def test_frames_go_out_where_they_are_asked_for() -> None:
    frame = pd.DataFrame(X, columns=NAMES, index=range(100, 160))
    released = Microaggregator(4).set_output(transform="pandas").fit_transform(frame)
    assert released.columns.tolist() == NAMES
    assert released.index.equals(frame.index)
    assert min(sizes(released.to_numpy())) >= 4


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_the_records_of_the_fit_are_known_in_any_order(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, rng.choice([2, 1000]), (int(rng.integers(k, 40)), 2)) - 1.0
    model = Microaggregator(k).fit(table)
    assert np.array_equal(model.predict(np.where(table == 0, -0.0, table)), model.labels_)
    order = rng.permutation(len(table))
    again = model.predict(table[order])
    assert sorted(zip(map(tuple, table[order].tolist()), again.tolist(), strict=True)) == sorted(
        zip(map(tuple, table.tolist()), model.labels_.tolist(), strict=True)
    )


def test_groups_of_the_fit_are_not_those_of_the_nearest_centers() -> None:
    """Else nothing need be remembered: one record more, and the others are no longer known."""
    model = Microaggregator(4, undersized="merge").fit(X)
    assert not np.array_equal(model.predict(np.vstack([X, X[:1]]))[:-1], model.labels_)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("weights", [None, [1, 5, 20]])
def test_new_records_go_to_the_nearest_center_on_the_scale_of_the_fit(standardize: bool, weights) -> None:
    new = RNG.normal(size=(40, 3)) * [1, 10, 100]
    model = Microaggregator(4, undersized="merge", standardize=standardize, weights=weights).fit(X)
    spread = X.std(axis=0, ddof=1) if standardize else np.ones(3)
    factors = np.sqrt(weights or [1, 1, 1]) / spread
    labels = model.predict(new)
    assert labels.tolist() == new_records.merged(new * factors, model.centers_ * factors, 4)
    released = model.transform(new)
    assert np.array_equal(released, model.centers_[labels])
    assert min(sizes(released)) >= 4
    with pytest.raises(EstimatorError, match=r"of 40 records would be in \d+ groups of fewer than k = 4; let small"):
        clone(model).set_params(undersized="raise").fit(X).transform(new)


def test_new_records_that_fill_their_groups_are_taken() -> None:
    model = Microaggregator(4).fit(X)
    new = np.repeat(model.centers_[[2, 5]], 4, axis=0)
    assert np.array_equal(model.transform(new), new)
    with pytest.raises(EstimatorError, match="n_samples = 3 is less than k = 4"):
        model.predict(new[:3])
    with pytest.raises(EstimatorError, match="n_samples = 3 is less than k = 4"):
        model.set_params(undersized="merge").predict(new[:3])


def test_a_larger_k_after_the_fit_holds() -> None:
    model = Microaggregator(3, undersized="merge").fit(X).set_params(k=9)
    assert min(sizes(model.transform(X))) >= 9
    with pytest.raises(EstimatorError, match="fewer than k = 9"):
        model.set_params(undersized="raise").transform(X)


def test_what_breaks_the_promise_does_not_get_out(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Microaggregator(4).fit(X)
    monkeypatch.setattr(
        "shoal.sklearn.assign_new_records", lambda points, centers, **_: np.arange(len(points)) % len(centers)
    )
    with pytest.raises(PromiseError, match="below k = 4"):
        model.transform(X[:30])


SECRET = "Zaphod"
NUMBER = 4711.125


def spoilt(cell: object) -> list[list[object]]:
    return [[1.0, 2.0], [3.0, cell], *([[NUMBER, NUMBER]] * 6)]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (spoilt(SECRET), "no numbers"),
        (spoilt({SECRET: 1}), "no numbers"),
        (spoilt(date(2020, 1, 1)), "no numbers"),
        (spoilt(10**400), "no numbers"),
        (spoilt([1, 2]), "no numbers"),
        (np.full((8, 2), np.datetime64("2020-01-01")), "no numbers"),
        (SECRET, "no numbers"),
        (None, "0 dimensions"),
        (np.full(8, NUMBER), "1 dimension .* Reshape your data"),
        (np.full((4, 4, 4), NUMBER), "3 dimensions"),
        (np.empty((8, 0)), "0 feature"),
        (np.empty((0, 2)), "no record"),
        (pd.DataFrame({"a": []}), "no record"),
        (np.full((8, 2), NUMBER + 1j), "Complex data not supported"),
        (csr_array(np.eye(8)), "sparse"),
        (spoilt(np.nan), r"Column '1' has missing values in 1 of 8 records \(the first is record 2\); replace NaN"),
        (spoilt(-np.inf), r"Column '1' has infinite values in 1 of 8 records \(the first is record 2\); replace NaN"),
        (np.ma.masked_equal(np.array(spoilt(7.0), dtype=float), 7.0), "missing values in 1 of 8 records"),
        (np.full((8, 2), np.finfo(np.longdouble).max), "infinite values in 8 of 8"),
        (pd.DataFrame({"a": [1.0] * 8, "b": [SECRET] * 8}), "Column 'b' is nominal, and the estimator takes numbers"),
        (pl.DataFrame({"a": [1.0] * 8, "b": [True] * 8}), "Column 'b' is nominal"),
        (pl.DataFrame({"a": [date(2020, 1, 1)] * 8}), "Column 'a' is date"),
        (pl.DataFrame({"a": [1.0, None] * 4}), "missing values in 4 of 8"),
        (pd.DataFrame([[1.0, 2.0]] * 8, columns=["a", "a"]), "column name"),
        (pd.DataFrame([[1.0, 2.0]] * 8, columns=["a", 1]), "give the columns of the fit"),
        (pl.LazyFrame({"a": [1.0] * 8}), "not been computed"),
        (np.full((1, 2), NUMBER), "n_samples = 1 is less than k = 2"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_taken_is_told_without_a_cell(table: Any, said: str) -> None:
    with pytest.raises(EstimatorError, match=said) as caught:
        Microaggregator(2).fit(table)
    assert isinstance(caught.value, ValueError)
    assert SECRET not in str(caught.value)
    assert "4711" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "options",
    [
        {"k": 1}, {"k": None}, {"k": 2.0}, {"k": 61}, {"method": "none"}, {"method": "s-mdav"}, {"standardize": 1},
        {"weights": [1, 2]}, {"weights": 3}, {"weights": {"age": 1}}, {"weights": [1, 1, 0]}, {"weights": ["a"] * 3},
        {"random_state": -1}, {"recode": "interval"}, {"recode": ["mean"]}, {"undersized": "ignore"}, {"options": [1]},
        {"options": {"gamma": 1}}, {"options": {1: 1}}, {"method": "v-mdav", "options": {"gamma": [1]}},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_told_in_the_fit(options: dict) -> None:
    model = Microaggregator(**({"k": 3} | options))
    with pytest.raises(ShoalError, match=r"; .*\.$"):
        model.fit(X)


def test_there_is_no_default_k() -> None:
    with pytest.raises(TypeError):
        Microaggregator()


def test_other_columns_than_those_of_the_fit() -> None:
    model = Microaggregator(4).fit(KINDS["pandas"](X))
    with pytest.raises(EstimatorError, match="must be in the same order"):
        model.transform(KINDS["pandas"](X)[NAMES[::-1]])
    with pytest.raises(EstimatorError, match="2 features, but Microaggregator is expecting 3 features"):
        Microaggregator(4).fit(X).predict(X[:, :2])
    for method in ("predict", "transform"):
        with pytest.raises(NotFittedError):
            getattr(Microaggregator(4), method)(X)


@pytest.mark.parametrize("scale", [1e308, 1e-300, 0.0])
def test_huge_tiny_and_constant_columns(scale: float) -> None:
    table = np.column_stack([RNG.uniform(-1, 1, 40) * scale, np.full(40, scale), RNG.normal(size=40)])
    model = Microaggregator(5, undersized="merge").fit(table)
    assert 0 <= model.information_loss_ <= 100
    assert min(sizes(model.transform(table))) >= 5
    assert min(sizes(model.transform(table[:31]))) >= 5


def test_new_records_beyond_all_distances_are_refused() -> None:
    model = Microaggregator(4, undersized="merge").fit(X * 1e-300)
    new = X * 1e-300
    new[[3, 5], 1] = 1e308, -1e20
    with pytest.raises(EstimatorError, match=r"2 of 60 records are so far .*the first is record 4\)"):
        model.transform(new)


def test_a_fitted_estimator_holds_no_record_and_goes_through_a_pickle() -> None:
    table = X + np.pi  # records that are no means of others, by their bytes
    model = Microaggregator(4).fit(table)
    packed = pickle.dumps(model)
    assert not any(row.tobytes() in packed for row in table)
    assert np.array_equal(pickle.loads(packed).transform(table), model.transform(table))  # noqa: S301 - our own


def test_in_a_pipeline() -> None:
    chain = make_pipeline(StandardScaler(), Microaggregator(4, method="mdav", standardize=False))
    released = chain.fit_transform(X)
    assert min(sizes(released)) >= 4
    assert np.array_equal(chain[-1].labels_, shoal.partition(X, k=4, method="mdav").labels)


def test_without_scikit_learn_one_sentence_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "shoal.sklearn")
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with pytest.raises(PackageError, match=r"shoal.sklearn needs packages .*pip install 'shoal\[sklearn\]'") as caught:
        importlib.import_module("shoal.sklearn")
    assert isinstance(caught.value, ImportError)
