"""The MDAV family on categories: equal to the naive versions, with the documented properties."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from category_records import category_records
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
import shoal
from naive import categories_k_modes, categories_s_mdav
from shoal import kernels
from shoal.domain import Records, Tuples, no_progress
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy
from shoal.microaggregation.registry import run

ORACLES = {
    "s-mdav": categories_s_mdav.s_mdav,
    "sa-mdav": categories_s_mdav.sa_mdav,
    "sa-mdav-static": categories_s_mdav.sa_mdav_static,
    "sa-mdav-plus": categories_s_mdav.sa_mdav_plus,
    "mdav-generic": categories_s_mdav.mdav_generic,
    "k-modes": categories_k_modes.k_modes,
}
TOGETHER = ["sa-mdav", "sa-mdav-static", "sa-mdav-plus", "k-modes"]
GENEROUS = settings(suppress_health_check=list(HealthCheck))


def of_kinds(method: str) -> st.SearchStrategy[Records]:
    plain, tree = (Kind.ORDINAL, Kind.NOMINAL), (Kind.HIERARCHICAL,)
    # where mdav-generic meets a hierarchy, it goes by the distances of mixed tables, with oracles of its own
    return category_records(kinds=plain if method == "mdav-generic" else plain + tree)


@pytest.mark.parametrize("method", ORACLES)
@GENEROUS
@given(data=st.data(), k=st.integers(2, 12))
def test_equals_its_oracle(method: str, data: st.DataObject, k: int) -> None:
    given = data.draw(of_kinds(method))
    k = min(k, given.count)
    partition = run(given, k=k, method=method)
    assert partition.labels.tolist() == naive.renumbered(ORACLES[method](given, k))
    assert partition.sizes.min() >= k


@pytest.mark.parametrize("method", TOGETHER)
@GENEROUS
@given(given=category_records(), k=st.integers(2, 6))
def test_equal_records_stay_together(method: str, given: Records, k: int) -> None:
    labels = run(given, k=min(k, given.count), method=method).labels
    for t in range(len(given.tuples.counts)):
        assert len(set(labels[given.tuple_index == t])) == 1


@GENEROUS
@given(given=category_records(kinds=(Kind.ORDINAL, Kind.NOMINAL)), k=st.integers(2, 6))
def test_generic_groups_have_k_records_but_for_the_last(given: Records, k: int) -> None:
    sizes = run(given, k=min(k, given.count), method="mdav-generic").sizes
    assert (sizes > min(k, given.count)).sum() <= 1


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize("words", [["a"] * 17, [f"v{i:02}" for i in range(17)], ["a"] * 14 + ["b", "c", "c"]])
@pytest.mark.parametrize("k", [2, 3, 8, 9, 16, 17])
def test_equal_and_rare_records(method: str, words: list[str], k: int) -> None:
    partition = shoal.partition(pl.DataFrame({"c": words}), k=k, method=method)
    assert partition.sizes.min() >= k
    assert len(set(words)) > 1 or partition.semantic_loss == 0


def test_the_steps_of_sa_mdav() -> None:
    """Distances 1 or 0: d is far from the mode a and most frequent, b and c follow; a stays by itself."""
    frame = pl.DataFrame({"c": list("aaaaabbcddd")})
    assert shoal.partition(frame, k=3, method="sa-mdav").labels.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_centroid_that_moves_meets_others() -> None:
    """The group opens with g, and d joins. From the centroid of both, which is d, b is closest; from g it is e."""
    tree = Hierarchy.from_edges([("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("g", "c")])
    frame = pl.DataFrame({"c": list("bbbdeeg")})
    moving, static = (
        shoal.partition(frame, k=3, method=method, hierarchies={"c": tree}) for method in ("sa-mdav", "sa-mdav-static")
    )
    assert moving.semantic_loss < static.semantic_loss


def test_s_mdav_divides_equal_records_among_groups_in_the_order_of_rows() -> None:
    labels = shoal.partition(pl.DataFrame({"c": ["a"] * 7}), k=2, method="s-mdav").labels
    assert labels.tolist() == [0, 0, 1, 1, 2, 2, 0]


def test_rare_combinations_join_the_near_group_and_not_strangers() -> None:
    edges = [("near", "left"), ("near too", "left"), ("far", "right"), ("left", "all"), ("right", "all")]
    tree = Hierarchy.from_edges(edges)
    frame = pl.DataFrame({"c": ["near"] * 9 + ["far"] * 9 + ["near too", "right"]})
    handed = shoal.partition(frame, k=2, method="sa-mdav-plus", hierarchies={"c": tree})
    pooled = shoal.partition(frame, k=2, method="sa-mdav", hierarchies={"c": tree})
    assert handed.labels.tolist() == [0] * 9 + [1] * 9 + [0, 1]
    assert pooled.labels.tolist() == [0] * 9 + [1] * 9 + [2, 2]
    assert handed.semantic_loss < pooled.semantic_loss


def test_rare_combinations_are_pooled_where_that_is_better() -> None:
    """A pool around the column that both share loses less than the frequent combination that shares nothing."""
    frame = pl.DataFrame({"a": ["x"] * 9 + ["y", "y"], "b": ["x"] * 9 + ["u", "v"]})
    assert shoal.partition(frame, k=2, method="sa-mdav-plus").labels.tolist() == [0] * 9 + [1, 1]


@pytest.mark.parametrize("times", [1, 1000])
@pytest.mark.parametrize("least", [7, 14])
def test_the_work_is_that_of_the_combinations(times: int, least: int) -> None:
    """However many records there are, a combination is taken in at most three portions."""
    rng = np.random.default_rng(times)
    counts = rng.integers(1, 30, 40) * times
    given = tuples_of(counts, rng.integers(0, 9, (40, 2)))
    state = kernels.tuples.mdav_tuples.init(given, np.ones(40, dtype=np.int64))
    kernels.tuples.mdav_tuples.run(state, 7, max_size=7, min_left=least, moving=True, progress=no_progress)
    kernels.tuples.mdav_tuples.group_rest(state)
    assert state.portions[:, 2].sum() == counts.sum()
    assert state.counts[kernels.tuples.mdav_tuples.PORTIONS] <= 3 * 40


def tuples_of(counts: np.ndarray, codes: np.ndarray) -> Tuples:
    width = int(codes.max()) + 1
    equal = np.tile((1.0 - np.eye(width)).ravel() / 2, 2)
    return Tuples(codes, counts, equal, np.array([0, width * width]), np.array([width, width]))


@pytest.mark.parametrize("method", ORACLES)
def test_slices_change_nothing(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"a": rng.integers(0, 9, 300).astype(str), "b": rng.integers(0, 9, 300).astype(str)})
    expected = shoal.partition(frame, k=5, method=method).labels
    for space_left in (kernels.tuples.mdav_tuples, kernels.tuples.pools, kernels.tuples.tuple_modes):
        monkeypatch.setattr(space_left, "SLICE", 1)
    reported: list[int] = []
    partition = shoal.partition(frame, k=5, method=method, progress=lambda done, _: reported.append(done))
    assert partition.labels.tolist() == expected.tolist()
    assert reported == sorted(reported)
