"""On numbers and categories together every method gives the same partition as its slow oracle, ties included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mixed_records import mixed_records
from test_oracles import ORACLES as ALONE

import naive
from naive import clusters, orders, trees
from naive import hac as agglomerations
from naive.mixed import Mixed
from shoal import kernels
from shoal.data.encode.category_codes import flat_hierarchy, rank_distances
from shoal.domain import CategoricalColumn, Records, Scale, no_progress
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.distances import distances
from shoal.microaggregation import hac
from shoal.microaggregation.registry import run

ORACLES = {
    **ALONE,
    "p-s": orders.p_s,
    "multi-dsort": orders.multi_dsort,
    "npn-mhm": orders.npn_mhm,
    "md-mhm": orders.md_mhm,
    "mdav-mhm": orders.mdav_mhm,
    "cbfs-mhm": orders.cbfs_mhm,
    "mst": trees.mst,
    "mu-approx": trees.mu_approx,
    "k-means": clusters.k_means,
    "k-ward": agglomerations.k_ward,
    "hac": agglomerations.hac,
    "hac-max": agglomerations.hac_max,
    "hac-priority": agglomerations.hac_priority,
}
BY_TUPLES = ("mdav-generic",)
"""Where no column is a number or a tree, it works on combinations of categories, not on records."""
BY_RISES = ("k-ward", "k-means")
"""The squares of categories are added up cluster by cluster, which is another rounding than record by record."""
FEW = settings(suppress_health_check=list(HealthCheck))


def assert_equal(records: Records, method: str, k: int, **options: object) -> None:
    k = min(k, records.count)
    labels = run(records, k=k, method=method, options=options).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](Mixed.of(records), k, **options))


def plain_categories(records: Records) -> bool:
    return not records.numeric and all(column.kind is not Kind.HIERARCHICAL for column in records.categories)


@pytest.mark.parametrize("method", ORACLES)
@FEW
@given(records=mixed_records(), k=st.integers(2, 6))
def test_equals_its_oracle(method: str, records: Records, k: int) -> None:
    if not (method in BY_TUPLES and plain_categories(records)):
        assert_equal(records, method, k)


@pytest.mark.parametrize("method", [name for name in ORACLES if name not in BY_RISES])
@FEW
@given(records=mixed_records(exact=False), k=st.integers(2, 6))
def test_equals_its_oracle_on_distances_that_are_rounded(method: str, records: Records, k: int) -> None:
    if not (method in BY_TUPLES and plain_categories(records)):
        assert_equal(records, method, k)


@FEW
@given(records=mixed_records(), k=st.integers(2, 6), gamma=st.sampled_from([0, 0.5, 1, 1.1, 5.0]))
def test_v_mdav_for_every_gamma(records: Records, k: int, gamma: float) -> None:
    assert_equal(records, "v-mdav", k, gamma=gamma)


@FEW
@given(records=mixed_records(exact=False), k=st.integers(2, 6))
def test_ranks_anew_and_a_split_by_centroids(records: Records, k: int) -> None:
    assert_equal(records, "multi-dsort", k, ranks="anew")
    labels = run(records, k=min(k, records.count), method="mst", options={"split": "centroid"}).labels
    assert labels.tolist() == naive.renumbered(trees.mst(Mixed.of(records), min(k, records.count), "centroid"))


@pytest.mark.parametrize("linkage", hac.LINKAGES)
@pytest.mark.parametrize("method", ["hac", "hac-max", "hac-priority"])
@settings(FEW, max_examples=settings.default.max_examples // 2)
@given(
    records=mixed_records(most=30),
    k=st.integers(2, 6),
    metric=st.sampled_from(hac.METRICS[:4]),
    leftovers=st.sampled_from(hac.LEFTOVERS),
)
def test_hac_by_every_linkage(method: str, linkage: str, records, k, metric, leftovers) -> None:
    metric = "euclidean" if linkage == "ward" else metric
    assert_equal(records, method, k, linkage=linkage, metric=metric, leftovers=leftovers)


@pytest.mark.parametrize("linkage", hac.LINKAGES)
def test_mahalanobis_whitens_the_numbers_and_leaves_the_categories(linkage: str) -> None:
    records = example(40, seed=4)
    mixed, alone = Mixed.of(records), {row: [row] for row in range(40)}
    white = records.matrix @ np.linalg.cholesky(np.linalg.inv(np.cov(records.matrix.T)))
    points = mixed.at(np.column_stack([white, records.codes]))
    clusters, _ = agglomerations.agglomerate(points, alone, 3, 5, linkage, "euclidean", by_size=False)
    expected = agglomerations.split(mixed, agglomerations.to_the_nearest(mixed, clusters, 3), 3)
    labels = run(records, k=3, method="hac", options={"linkage": linkage, "metric": "mahalanobis"}).labels
    assert labels.tolist() == naive.renumbered(expected)


def example(n: int, *, seed: int) -> Records:
    """Numbers that are all different, a large tree in which distances break the triangle, ranks and plain values."""
    noise = np.random.default_rng(seed)
    above = [int(noise.integers(0, number)) for number in range(1, 80)]
    tree = Hierarchy.from_edges((f"n{number}", f"n{parent}") for number, parent in enumerate(above, start=1))
    levels, plain = (
        flat_hierarchy([f"v{number}" for number in range(5)]),
        flat_hierarchy([f"v{number}" for number in range(4)]),
    )
    values = noise.standard_normal((n, 2)) @ np.array([[1.0, 0.5], [0.0, 2.0]])
    return Records(
        names=("x", "tree", "y", "ranks", "plain"),
        values=values,
        scale=Scale.standardized(values),
        weights=np.array([1.0, 3.0, 0.5, 1.0, 0.2]),
        categories=(
            CategoricalColumn("tree", Kind.HIERARCHICAL, tree, distances(tree)),
            CategoricalColumn("ranks", Kind.ORDINAL, levels, rank_distances(levels), n_steps=8),
            CategoricalColumn("plain", Kind.NOMINAL, plain, 1.0 - np.eye(5), n_steps=1),
        ),
        codes=np.column_stack([noise.integers(0, high, n) for high in (80, 6, 5)]),
    )


DEEP = ["mdav", "md", "cbfs", "v-mdav", "tfrp-1", "mdav-2", "dba-1", "p-s", "npn-mhm", "mst"]


@pytest.mark.parametrize("method", DEEP)
def test_equals_its_oracle_on_deep_trees(method: str) -> None:
    assert_equal(example(150 if method in ("mst", "dba-1") else 400, seed=5), method, 4)


@FEW
@given(records=mixed_records(most=12), k=st.integers(2, 4))
def test_a_shortest_path_is_as_good_as_every_cut(records: Records, k: int) -> None:
    """Into runs of at most 2k - 1: the node at a center lowers distances, not their squares, so more may lose less."""
    k = min(k, records.count)
    labels = kernels.orders.shortest_path.shortest_path(records.space, k, progress=no_progress)
    best = naive.best_cut(Mixed.of(records), k, most=2 * k - 1)
    assert naive.sse(Mixed.of(records), labels) == pytest.approx(best, rel=1e-12, abs=1e-15)


@FEW
@given(records=mixed_records(exact=False))
def test_centers_and_losses_are_those_of_the_definition(records: Records) -> None:
    groups = 1 + records.count // 3
    labels, mixed = np.arange(records.count) % groups, Mixed.of(records)
    centers = kernels.centroids.centroids(records.space, labels, groups)
    members = [list(range(group, records.count, groups)) for group in range(groups)]
    assert centers.tolist() == [naive.mean(mixed, rows).tolist() for rows in members]
    errors = kernels.centroids.squared_errors(records.space, labels, groups)
    assert errors.tolist() == [mixed[[row]].distances(centers[labels[row]])[0] for row in range(records.count)]


def test_a_column_of_no_use_changes_nothing() -> None:
    """Of equal codes and of equal numbers, whatever they are."""
    given = example(60, seed=6)
    more = replace(
        given,
        names=(*given.names, "equal", "number"),
        values=np.column_stack([given.values, np.full(60, 7.0)]),
        scale=Scale.standardized(np.column_stack([given.values, np.full(60, 7.0)])),
        weights=np.append(given.weights, [1.0, 1.0]),
        categories=(*given.categories, replace(given.categories[0], name="equal")),
        codes=np.column_stack([given.codes, np.full(60, 11)]),
    )
    for method in sorted(set(ORACLES) - {"p-s", "multi-dsort", "tfrp-1", "tfrp-2"}):  # those also compare values
        one, other = (run(records, k=3, method=method).labels for records in (given, more))
        assert one.tolist() == other.tolist(), method
