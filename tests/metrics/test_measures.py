"""Each measure against its definition written out naively."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domain import Scale, to_builtin
from shoal.metrics import EquivalenceClasses, MetricInputs, evaluate, individual_risk, measures
from shoal.metrics.class_size import class_size_sums

TABLES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=3, max_size=40)


@given(TABLES, TABLES, st.integers(2, 5))
def test_measures_follow_their_definitions(was, now, k) -> None:
    n = min(len(was), len(now))
    original, released = np.array(was[:n], dtype=float), np.array(now[:n], dtype=float)
    figures = shoal.evaluate(original, released, quasi_identifiers=[0, 1], k=k)

    sse = sst = 0.0
    for j in range(2):
        column = original[:, j].tolist()
        mean = math.fsum(column) / n
        sd = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / (n - 1)) or 1.0
        sse += math.fsum(((x - y) / sd) ** 2 for x, y in zip(column, released[:, j].tolist(), strict=True))
        sst += math.fsum(((x - mean) / sd) ** 2 for x in column)
    assert figures.sse == pytest.approx(sse, abs=1e-9)
    assert figures.sst == pytest.approx(sst, abs=1e-9)
    assert figures.information_loss == pytest.approx(100 * sse / sst if sst else math.inf if sse else 0.0, abs=1e-7)

    for table, risks in ((was[:n], figures.before), (now[:n], figures.after)):
        counts = Counter(table)
        f = [counts[row] for row in table]
        assert risks["classes"] == len(counts)
        assert risks["min_class"] == min(f)
        assert risks["unique_records"] == f.count(1)
        assert risks["k_violations"] == sum(size < k for size in f)
        assert risks["k_violations_percent"] == pytest.approx(100 * sum(size < k for size in f) / n)
        assert risks["global_risk"] == pytest.approx(100 * sum(1 / size for size in f) / n)
        assert risks["expected_reidentifications"] == pytest.approx(sum(1 / size for size in f))
    counts = Counter(now[:n])
    assert figures.c_avg == pytest.approx(n / (len(counts) * k))
    assert figures.discernibility == sum(size**2 for size in counts.values())


def test_without_k_the_measures_that_need_it_are_silent() -> None:
    table = np.arange(6.0).reshape(3, 2)
    figures = shoal.evaluate(table, table, quasi_identifiers=[0, 1])
    assert figures.c_avg is None
    assert figures.after["k_violations"] is None
    assert figures.sse == 0


def test_loss_of_a_release_equals_that_of_its_partition() -> None:
    table = np.random.default_rng(1).normal(size=(60, 3))
    release = shoal.anonymize(table, k=4, quasi_identifiers=[0, 1, 2])
    assert release.evaluation.information_loss == pytest.approx(release.partition.information_loss, rel=1e-12)
    assert release.evaluation.sst == pytest.approx(59 * 3)


def test_raw_columns_are_measured_in_their_own_units() -> None:
    table = np.array([[0.0], [2.0], [100.0], [102.0]])
    figures = shoal.anonymize(table, k=2, quasi_identifiers=[0], standardize=False).evaluation
    assert figures.base == "raw"
    assert figures.sse == 4.0
    assert figures.sst == 10004.0


def test_huge_and_tiny_columns_keep_their_loss() -> None:
    table = np.random.default_rng(2).normal(size=(40, 2))
    expected = shoal.anonymize(table, k=3, quasi_identifiers=[0, 1]).evaluation.information_loss
    for exponent in (-1000, 1000):
        scaled = np.ldexp(table, exponent)
        assert shoal.anonymize(scaled, k=3, quasi_identifiers=[0, 1]).evaluation.information_loss == expected


def test_counts_with_wildcards_and_weights_are_measured() -> None:
    f, weights = np.array([2.5, 2.5, 3.5, 1.0, 1.5]), np.array([45.0, 45.0, 90.0, 40.0, 60.0])
    households = np.array([0, 1, 0, 2, 2])
    alike = EquivalenceClasses(f, 3, weighted_sizes=weights, households=households, n_classes=2)
    figures = evaluate(
        MetricInputs(quasi_identifiers=("a",), original_classes=EquivalenceClasses(f, 3), released_classes=alike)
    )
    r = individual_risk(f, weights)
    assert (figures.before["min_class"], figures.after["min_class"]) == (1, 1)
    assert (figures.after["unique_records"], figures.after["k_violations"]) == (2, 4)
    assert (figures.after["classes"], figures.c_avg, figures.discernibility) == (2, None, 11)
    assert figures.before["expected_reidentifications"] == pytest.approx(2 / 2.5 + 1 / 3.5 + 1 + 1 / 1.5)
    assert figures.before["highest_risk"] == 1
    assert figures.before["household_risk"] is None
    assert figures.after["expected_reidentifications"] == pytest.approx(r.sum())
    assert figures.after["global_risk"] == pytest.approx(100 * r.sum() / 5)
    assert figures.after["highest_risk"] == r.max()
    missed = [(1 - r[0]) * (1 - r[2]), 1 - r[1], (1 - r[0]) * (1 - r[2]), *[(1 - r[3]) * (1 - r[4])] * 2]
    assert figures.after["household_risk"] == pytest.approx(100 * (5 - sum(missed)) / 5)


def test_a_count_of_classes_stays_whole() -> None:
    counted = np.repeat([3, 7, 49, 1], [3 * 11, 7 * 13, 49 * 3, 5])
    for counts in (counted, counted.astype(float)):
        alike = class_size_sums(EquivalenceClasses(counts, None))
        assert repr(to_builtin(alike.expected_hits)) == repr(alike.n_classes) == "32"
    assert class_size_sums(EquivalenceClasses(np.array([2.5]), None, n_classes=1)).n_classes == 1


def test_every_measure_tells_what_it_is() -> None:
    for name, measure in measures().items():
        assert name == measure.name
        reported = (measure.label, measure.formula, measure.range, measure.good, measure.reference, measure.summary)
        assert all(reported), name
        assert not any(other in measure.good for other in measures() if "_" in other), "a reader knows no such name"
        assert "{figure}" in measure.sentence or "{one_in}" in measure.sentence, name
        assert measure.interpret(None) is None


def test_the_loss_of_a_column_is_its_own() -> None:
    original = np.array([[0.0, 0.0], [2.0, 1.0], [4.0, 0.0], [6.0, 1.0]])
    released = original.copy()
    released[:, 1] = 0.5
    alone = EquivalenceClasses(np.full(4, 1), 2)
    figures = evaluate(
        MetricInputs(
            quasi_identifiers=("a", "b"),
            original_classes=alone,
            released_classes=alone,
            numeric=("a", "b"),
            original_values=tuple(original.T),
            released_values=tuple(released.T),
            scale=Scale.standardized(original),
        )
    )
    assert figures.columns == {"a": 0.0, "b": pytest.approx(100.0)}
