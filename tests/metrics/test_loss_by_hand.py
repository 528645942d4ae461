"""Losses of small tables that can be computed by hand, and of extreme tables."""

from __future__ import annotations

import math
import sys
from collections import Counter

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.domain import Scale
from shoal.errors import ColumnError, OptionError
from shoal.metrics import EquivalenceClasses, MetricInputs, evaluate

TREE = shoal.Hierarchy.from_dict({"*": {"north": ["a", "b"], "south": ["c", "d"]}})


def measured(was: object, now: object, names: object, **more: object) -> shoal.Evaluation:
    return shoal.evaluate(was, now, quasi_identifiers=names, measures="all", **more)


def pair_of(values: list[list[float]], displayed: list[list[float]]) -> MetricInputs:
    was = np.array(values, dtype=float)
    names, alone = tuple("abcdef"[: was.shape[1]]), EquivalenceClasses(np.ones(len(was), dtype=np.int64), None)
    now = np.array(displayed, dtype=float)
    return MetricInputs(
        names,
        alone,
        alone,
        names,
        original_values=tuple(was.T),
        released_values=tuple(now.T),
        scale=Scale.standardized(was),
    )


def test_mixed_loss_weighs_columns() -> None:
    was = pl.DataFrame({"n": [1.0, 2.0, 3.0, 4.0], "s": ["x", "x", "x", "y"]})
    now = pl.DataFrame({"n": [1.5, 1.5, 3.5, 3.5], "s": ["x", "x", "x", "x"]})
    # of n: SSE 1 of SST 5, in variances of 5/3; of s: 1 of 1
    assert measured(was, now, ["n", "s"]).mixed_loss == pytest.approx(100 * (0.6 + 1) / (3 + 1))
    assert measured(was, now, ["n", "s"], weights={"s": 4}).mixed_loss == pytest.approx(100 * (0.6 + 4) / (3 + 4))
    numbers = measured(was, now, "n")
    assert numbers.mixed_loss == numbers.information_loss == pytest.approx(20.0)


@pytest.mark.parametrize(("weights", "error"), [({"z": 1}, ColumnError), ({"n": 0}, OptionError)])
def test_weights_are_above_0_and_of_quasi_identifiers(weights: dict[str, float], error: type[Exception]) -> None:
    was = pl.DataFrame({"n": [1.0, 2.0]})
    with pytest.raises(error):
        shoal.evaluate(was, was, quasi_identifiers="n", weights=weights)


def test_certainty_penalty_by_hand() -> None:
    was = pl.DataFrame({"n": [0, 4, 10, None], "x": ["a", "b", "c", "d"]})
    now = pl.DataFrame({"n": ["[0-4]", "[0-4]", "*", "[0-4]"], "x": ["north", "b", "*", "c"]})
    result = measured(was, now, ["n", "x"], hierarchies={"x": TREE}, kinds={"n": "numeric"})
    assert result.ncp == pytest.approx(0.4 + 0.4 + 1 + 0.5 + 0 + 1 + 0)
    assert result.gcp == pytest.approx(result.ncp / 7)
    assert result.changes["n"]["certainty_penalty"] == pytest.approx(1.8 / 3)
    assert result.changes["x"]["certainty_penalty"] == pytest.approx(1.5 / 4)


def test_missing_is_no_leaf() -> None:
    was = pl.DataFrame({"x": ["a", "b", "c", "d", None]})
    now = pl.DataFrame({"x": ["north", "north", "c", None, "north"]})
    assert measured(was, now, "x", hierarchies={"x": TREE}).ncp == pytest.approx(0.5 + 0.5 + 0 + 1)


def test_a_mean_is_certain() -> None:
    table = pl.DataFrame({"n": np.arange(12.0)})
    assert shoal.anonymize(table, k=3, quasi_identifiers="n").evaluation.gcp == 0
    generalized = shoal.anonymize(table, k=3, quasi_identifiers="n", recode="interval")
    assert generalized.evaluation.gcp == pytest.approx(2 / 11)


def test_il1s_is_that_of_sdcmicro() -> None:
    result = evaluate(pair_of([[1, 5], [2, 5], [3, 5], [4, 5]], [[1.5, 5], [1.5, 5], [3.5, 5], [3.5, 5]]))
    assert result.il1s == pytest.approx(4 * 0.5 / (math.sqrt(2) * math.sqrt(5 / 3)))
    assert result.il1s_mean == pytest.approx(result.il1s / 8)
    assert result.changes["b"]["absolute_change"] == 0


def test_correlations_and_eigenvalues_by_hand() -> None:
    values = [[0, 0], [1, 1], [2, 2], [3, 3.5]]
    r = np.corrcoef(np.array(values).T)[0, 1]
    result = evaluate(pair_of(values, [[0, 3.5], [1, 2], [2, 1], [3, 0]]))
    assert result.correlation_shift == result.correlation_shift_mean == pytest.approx(2 * r)
    # both matrices have the eigenvalues 1 + r and 1 - r
    assert result.eigenvalue_shift == pytest.approx(0.0, abs=1e-9)
    apart = evaluate(pair_of(values, [[0, 0], [1, 1], [0, 1], [1, 0]]))
    assert apart.correlation_shift == pytest.approx(r)
    assert apart.eigenvalue_shift == pytest.approx(r / (1 - r) + r / (1 + r))
    one_value = evaluate(pair_of(values, [[0, 1], [1, 1], [2, 1], [3, 1]]))
    assert (one_value.correlation_shift, one_value.eigenvalue_shift) == (None, None)


def test_entropy_of_a_recoding_of_the_whole_table_is_that_of_arx() -> None:
    """By the shares of an original value among the records that its node stands for: Σ −log2(f(x) / f(node))."""
    cells = ["a"] * 3 + ["b"] * 1 + ["c"] * 4 + ["d"] * 2
    nodes = {"a": "north", "b": "north", "c": "c", "d": "d"}
    was, now = pl.DataFrame({"x": cells}), pl.DataFrame({"x": [nodes[cell] for cell in cells]})
    before, after = Counter(cells), Counter(nodes[cell] for cell in cells)
    lost = sum(-math.log2(before[cell] / after[nodes[cell]]) for cell in cells)
    most = sum(-math.log2(before[cell] / 10) for cell in cells)
    result = measured(was, now, "x", hierarchies={"x": TREE})
    assert result.entropy == result.changes["x"]["entropy_lost"] == pytest.approx(100 * lost / most)
    nothing = measured(was, pl.DataFrame({"x": ["*"] * 10}), "x", hierarchies={"x": TREE})
    assert nothing.entropy == pytest.approx(100.0)


def test_intervals_of_one_middle_are_different_values() -> None:
    was = pl.DataFrame({"n": [0, 10, 4, 6]})
    now = pl.DataFrame({"n": ["[0-10]", "[0-10]", "[4-6]", "[4-6]"]})
    result = measured(was, now, "n", kinds={"n": "numeric"})
    assert result.entropy == pytest.approx(50.0)
    assert result.changes["n"]["values_kept"] == 50.0


def test_changes_by_hand() -> None:
    was = pl.DataFrame({"n": [1, 2, 3, 4], "o": ["low", "mid", "high", "high"], "s": ["x", "x", "y", "z"]})
    now = pl.DataFrame({"n": [2.0, 2.0, 4.0, 4.0], "o": ["mid", "mid", "high", "*"], "s": ["x", "x", "x", "*"]})
    result = measured(was, now, ["n", "o", "s"], levels={"o": ["low", "mid", "high"]}).changes
    sd = math.sqrt(5 / 3)
    assert result["n"]["mean_shift"] == pytest.approx(0.5 / sd)
    assert result["n"]["spread_kept"] == pytest.approx(100 * math.sqrt(4 / 3) / sd)
    assert (result["n"]["distribution"], result["n"]["values_kept"]) == (0.25, 50.0)
    # ranks 0 1 2 2 become 1 1 2
    assert result["o"]["mean_shift"] == pytest.approx((4 / 3 - 5 / 4) / math.sqrt(2.75 / 3))
    assert result["o"]["distribution"] == pytest.approx(0.25)
    assert (result["s"]["mean_shift"], result["s"]["spread_kept"]) == (None, None)
    assert result["s"]["distribution"] == pytest.approx((0.25 + 0.25 + 0.25 + 0.25) / 2)
    assert result["s"]["values_kept"] == pytest.approx(100 / 3)


def test_queries_by_hand() -> None:
    was = pl.DataFrame({"s": ["x", "x", "y", "y"], "t": ["u", "v", "u", "v"], "pay": [0.0, 2.0, 4.0, 6.0]})
    now = was.with_columns(s=pl.Series(["x", "x", "x", "y"]))
    result = measured(was, now, ["s", "t"], sensitive="pay")
    sd = was["pay"].std()
    # means by s: 1 and 5 become 2 and 6; by t nothing changes
    assert result.query_means == pytest.approx((1 / sd + 0) / 2)
    assert result.query_tables == pytest.approx(0.25)
    assert result.query_regression is None
    missing = measured(was, now.with_columns(s=pl.lit("x")), ["s", "t"], sensitive="pay")
    assert missing.query_means == pytest.approx((2 / sd + 2 / sd) / 2 / 2)  # y answers with the mean of all, 3


def test_rare_values_are_asked_about_together_and_the_13th_column_not_at_all() -> None:
    words = [f"w{number:02}" for number in range(14)]
    was = pl.DataFrame({"s": words, "n": [float(number % 2) for number in range(14)]})
    swapped = [*words[:12], words[13], words[12]]
    assert measured(was, was.with_columns(s=pl.Series(swapped)), ["s", "n"]).query_tables == 0
    swapped = [*words[1:2], words[0], *words[2:]]
    assert measured(was, was.with_columns(s=pl.Series(swapped)), ["s", "n"]).query_tables == pytest.approx(2 / 14)
    many = pl.DataFrame({f"c{number:02}": list("xxyy") for number in range(13)})
    last = measured(many, many.with_columns(c12=pl.lit("x")), many.columns)
    assert last.query_tables == 0
    assert measured(many, many.with_columns(c11=pl.lit("x")), many.columns).query_tables > 0


@pytest.mark.parametrize("measures", [5, ["gcp", None], "no such", [["gcp"]]])
def test_measures_that_are_not_there_are_refused(measures: object) -> None:
    table = np.arange(6.0)
    with pytest.raises(OptionError):
        shoal.evaluate(table, table, quasi_identifiers=[0], measures=measures)  # type: ignore[arg-type]


def test_a_regression_by_hand() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    was = pl.DataFrame({"x": x, "y": 2 * x})
    result = measured(was, was.with_columns(y=-2 * was["y"]), ["x", "y"])
    assert result.query_regression == pytest.approx(3.0, rel=1e-6)
    assert measured(was, was, "x", sensitive="y").query_regression == 0


def test_propensity_tells_tables_apart_or_not() -> None:
    rng = np.random.default_rng(4)
    table = rng.normal(size=(300, 3))
    same, other = evaluate(pair_of(table, table), which="all"), evaluate(pair_of(table, table + 9), which="all")
    assert (same.pmse, same.pmse_ratio) == (0.0, 0.0)
    assert 0.24 < other.pmse <= 0.25
    drawn = evaluate(pair_of(table, rng.normal(size=(300, 3))), which="all")
    assert 0 < drawn.pmse_ratio < 4
    assert drawn.pmse_ratio == pytest.approx(drawn.pmse / (6 * 0.125 / 600))


def test_propensity_is_that_of_a_logistic_regression() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(5)
    table = rng.normal(size=(200, 2))
    displayed = 0.7 * table + rng.normal(size=(200, 2)) * 0.3
    z = (np.concatenate([table, displayed]) - table.mean(axis=0)) / table.std(axis=0, ddof=1)
    design, labels = np.column_stack([z, z**2]), np.repeat([0, 1], 200)
    fitted = linear.LogisticRegression(C=1e6, max_iter=10_000, tol=1e-10).fit(design, labels)
    expected = ((fitted.predict_proba(design)[:, 1] - 0.5) ** 2).mean()
    assert evaluate(pair_of(table, displayed), which=["pmse"]).pmse == pytest.approx(expected, rel=1e-3)


def test_propensity_looks_at_some_of_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(6).normal(size=(90, 2))
    displayed = table + 1
    displayed[::3] = table[::3]
    monkeypatch.setattr(sys.modules["shoal.metrics.pmse"], "MAX_SAMPLE_RECORDS", 30)
    assert evaluate(pair_of(table, displayed), which="pmse").pmse == 0


def test_only_what_is_asked_for_is_searched() -> None:
    table = np.arange(6.0)
    assert "pmse" not in shoal.evaluate(table, table, quasi_identifiers=[0]).loss
    assert list(shoal.evaluate(table, table, quasi_identifiers=[0], measures=["pmse"]).loss) == ["pmse"]


EXTREMES = {
    "huge": [-0.8e308, 0.8e308, 0.0, 1.0],
    "tiny": [5e-324, 1e-300, 0.0, 2e-310],
    "constant": [0.1, 0.1, 0.1, 0.1],
    "missing": [None, None, None, None],
    "one known": [None, 3.0, None, None],
}


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
def test_tables_at_the_ends_have_figures_or_none(name: str) -> None:
    """No warning of numpy escapes: the tests turn them into errors."""
    table = pl.DataFrame(
        {"n": pl.Series(EXTREMES[name], dtype=pl.Float64), "m": [1.0, 2.0, 3.0, 5.0], "s": list("aabb")}
    )
    release = shoal.anonymize(table, k=2, quasi_identifiers=["n", "m", "s"], sensitive=[])
    figures = release.evaluate("all")
    assert all(figure is None or not math.isnan(figure) for figure in figures.loss.values())
    for column in figures.changes.values():
        assert all(figure is None or not math.isnan(figure) for figure in column.values())
    again = shoal.evaluate(table, release.table, quasi_identifiers=["n", "m", "s"], k=2, measures="all")
    assert again.loss == pytest.approx(figures.loss, nan_ok=True)


def test_one_record_and_foreign_releases_have_figures() -> None:
    one = pl.DataFrame({"n": [1.5], "s": ["a"]})
    assert measured(one, one, ["n", "s"]).gcp == 0
    was, now = pl.DataFrame({"n": [1.0, 2.0, 4.0]}), pl.DataFrame({"n": [1e308, -1e308, 1e308]})
    assert measured(was, now, "n").information_loss == math.inf
    stars = pl.DataFrame({"n": ["*", "*", "*"]})
    nothing = measured(was, stars, "n", kinds={"n": "numeric"})
    assert (nothing.gcp, nothing.entropy) == (1.0, pytest.approx(100.0))
    assert nothing.changes["n"]["distribution"] is None
    assert nothing.changes["n"]["values_kept"] == 0


def test_a_released_number_at_a_quartile_is_below_it_up_to_rounding() -> None:
    """51.5 is the median of the originals, and the mean of a class: computed another way, it is a hair above."""
    was = pl.DataFrame({"x": [51.0, 51.5, 52.0, 20.0, 33.0, 48.0, 70.0, 77.0, 80.0], "y": ["a"] * 9})
    moved = {
        measured(was, was.with_columns(x=pl.Series([mean] * 3 + was["x"].to_list()[3:])), ["x", "y"]).query_tables
        for mean in (51.5, 51.5 + 1e-13, 51.5 - 1e-13)
    }
    assert moved == {1 / 9}


def test_nothing_lost_is_nothing_however_large_the_numbers() -> None:
    frame = pl.DataFrame({"x": [-1e300] * 4, "y": [5.0] * 4})
    released = shoal.anonymize(frame, k=2, quasi_identifiers=["x", "y"], method="mdav", standardize=False)
    assert (released.evaluation.loss["sse"], released.evaluation.loss["sst"]) == (0, 0)
