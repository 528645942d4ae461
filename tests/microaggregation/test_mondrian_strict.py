"""Mondrian on categories, and on numbers and categories together: equal to the naive versions, and its properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
from naive import categories_mondrian as oracles
from shoal import kernels
from shoal.data.encode.category_codes import flat_hierarchy, rank_distances
from shoal.domain import CategoricalColumn, Records, Scale
from shoal.domain.columns import Kind
from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.distances import DISTANCES, distances
from shoal.microaggregation.registry import get_method, run

STRICT = {
    "mondrian-strict": oracles.mondrian_strict,
    "mondrian-strict-improved": oracles.mondrian_strict_improved,
    "sa-mondrian-strict": oracles.sa_mondrian_strict,
    "mondrian-branch": oracles.mondrian_branch,
}
GENEROUS = settings(suppress_health_check=list(HealthCheck))


@st.composite
def columns(draw: st.DrawFn, name: str) -> CategoricalColumn:
    """A random tree with a semantic distance, levels with their ranks, or values without an order."""
    nodes = draw(st.integers(2, 9))
    kind = draw(st.sampled_from([Kind.HIERARCHICAL, Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL]))
    if kind is Kind.HIERARCHICAL:
        edges = [(str(node), str(draw(st.integers(0, node - 1)))) for node in range(1, nodes)]
        tree = Hierarchy.from_edges(edges)
        counts = {node: draw(st.integers(1, 5)) for node in tree.nodes}
        table = distances(tree, distance=draw(st.sampled_from(DISTANCES)), counts=counts)
    else:
        tree = flat_hierarchy([str(node) for node in range(nodes)])
        table = rank_distances(tree) if kind is Kind.ORDINAL else 1.0 - np.eye(len(tree))
    return CategoricalColumn(name, kind, tree, table)


@st.composite
def tables(draw: st.DrawFn, *, numeric: bool = False, rows: int = 60) -> tuple[Records, int]:
    """Records of few or many different combinations, any node of a hierarchy among the values, and a k."""
    categories = tuple(draw(columns(f"c{j}")) for j in range(draw(st.integers(0 if numeric else 1, 3))))
    numbers = draw(st.integers(0 if categories else 1, 2)) if numeric else 0
    n = draw(st.integers(2, rows))
    seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skew = draw(st.sampled_from([0.2, 1.0, 3.0]))
    codes = [(seed.random(n) ** skew * len(column.hierarchy)).astype(np.int64) for column in categories]
    values = seed.integers(0, draw(st.sampled_from([2, 5, 1000])), (n, numbers)).astype(float)
    names = tuple(f"n{j}" for j in range(numbers)) + tuple(column.name for column in categories)
    weights = np.array([draw(st.sampled_from([1.0, 1.0, 0.5, 3.0])) for _ in names])
    coded = np.column_stack(codes) if codes else np.empty((n, 0), dtype=np.int64)
    records = Records(names, values, Scale.standardized(values), weights, categories, coded)
    return records, min(draw(st.integers(2, 9)), n)


def assert_equal(records: Records, k: int, method: str, oracle, **options: bool) -> None:
    labels = run(records, k=k, method=method, options=options).labels
    assert labels.tolist() == naive.renumbered(oracle(records, k, **options))


@pytest.mark.parametrize("method", STRICT)
@GENEROUS
@given(drawn=tables())
def test_equals_its_oracle(method: str, drawn: tuple[Records, int]) -> None:
    assert_equal(*drawn, method, STRICT[method])


@GENEROUS
@given(drawn=tables())
def test_as_printed_equals_its_oracle(drawn: tuple[Records, int]) -> None:
    assert_equal(*drawn, "sa-mondrian-strict", oracles.sa_mondrian_strict, persistent=False)


@pytest.mark.parametrize("relaxed", [False, True])
@GENEROUS
@given(drawn=tables(numeric=True))
def test_mosaicrown_equals_its_oracle(drawn: tuple[Records, int], relaxed: bool) -> None:
    assert_equal(*drawn, "mosaicrown", oracles.mosaicrown, relaxed=relaxed)


@pytest.mark.parametrize("method", STRICT)
@GENEROUS
@given(drawn=tables())
def test_equal_records_stay_together(method: str, drawn: tuple[Records, int]) -> None:
    records, k = drawn
    labels = run(records, k=k, method=method).labels
    assert len({(t, label) for t, label in zip(records.tuple_index, labels, strict=True)}) == len(records.tuples.counts)


@pytest.mark.parametrize("method", ["sa-mondrian-strict", "mondrian-branch"])
@GENEROUS
@given(drawn=tables())
def test_cuts_that_do_not_give_up_leave_no_group_to_be_cut(method: str, drawn: tuple[Records, int]) -> None:
    records, k = drawn
    labels = run(records, k=k, method=method).labels
    for group in range(labels.max() + 1):
        for codes in records.codes[labels == group].T:
            below = np.array([(codes <= code).sum() for code in codes])
            assert not ((below >= k) & (len(codes) - below >= k)).any()


def single(column: CategoricalColumn, codes: list[int]) -> Records:
    """Records of one column."""
    nothing = np.empty((len(codes), 0))
    coded = np.array(codes).reshape(-1, 1)
    return Records((column.name,), nothing, Scale.raw(nothing), np.ones(1), (column,), coded)


def animals(*values: str) -> Records:
    """Canines, then felines; the cats and the lions are felines."""
    edges = [("wolf", "canine"), ("dog", "canine"), ("cat", "feline"), ("lion", "feline"), ("hawk", "bird")]
    tree = Hierarchy.from_edges([*edges, *((name, "animal") for name in ("canine", "feline", "bird"))])
    column = CategoricalColumn("animal", Kind.HIERARCHICAL, tree, distances(tree))
    return single(column, [tree.number(value) for value in values])


def test_the_printed_example() -> None:
    """The cut before the dog would leave one wolf; the cut after it leaves two cats."""
    labels = run(animals("wolf", "dog", "dog", "dog", "cat", "cat"), k=2, method="mondrian-strict-improved").labels
    assert labels.tolist() == [0, 0, 0, 0, 1, 1]


def test_a_center_that_is_no_value_gives_way_to_the_closest_value() -> None:
    """The center of three canines is the canine, after all of them; the first of them is as close as any."""
    tree = Hierarchy.from_edges([(name, "canine") for name in ("wolf", "dog", "fox")])
    column = CategoricalColumn("animal", Kind.HIERARCHICAL, tree, distances(tree))
    assert run(single(column, [0, 0, 1, 1, 2, 2]), k=2, method="mondrian-strict-improved").count == 3


def test_order_of_first_appearance_divides_what_belongs_together() -> None:
    """In the order wolf, cat, dog no cut leaves the cats alone at once, in postorder one does."""
    records = animals("wolf", "cat", "dog", "cat", "dog", "cat")
    assert run(records, k=3, method="mondrian-strict").labels.tolist() != [0, 1, 0, 1, 0, 1]
    assert run(records, k=3, method="mondrian-strict-improved").labels.tolist() == [0, 1, 0, 1, 0, 1]


def test_the_widest_gap_is_cut_and_the_next_where_it_leaves_too_few() -> None:
    records = animals("wolf", "wolf", "dog", "dog", "cat")
    assert run(records, k=2, method="sa-mondrian-strict").labels.tolist() == [0, 0, 1, 1, 1]
    assert run(records, k=2, method="sa-mondrian-strict", options={"persistent": False}).count == 1


def levels(count: int) -> Records:
    """One record for each level of an ordinal column."""
    tree = flat_hierarchy([str(level) for level in range(count)])
    return single(CategoricalColumn("level", Kind.ORDINAL, tree, rank_distances(tree)), list(range(count)))


def test_of_equal_gaps_the_most_even_cut_is_taken() -> None:
    assert run(levels(8), k=2, method="sa-mondrian-strict").labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_branch_is_cut_off_from_the_midst_of_the_order() -> None:
    """Between neighbors in postorder no cut would leave the wolf and the hawk together."""
    records = animals("wolf", "cat", "lion", "hawk", "cat", "lion")
    assert run(records, k=2, method="mondrian-branch").labels.tolist() == [0, 1, 2, 0, 1, 2]


def test_values_too_rare_to_be_cut_off_are_cut_in_order() -> None:
    records = animals("wolf", "dog", "lion", "hawk")
    assert run(records, k=2, method="mondrian-branch").labels.tolist() == [0, 0, 1, 1]
    tree = flat_hierarchy(["a", "b", "c", "d"])
    rare = single(CategoricalColumn("letter", Kind.NOMINAL, tree, 1.0 - np.eye(5)), [0, 1, 2, 3])
    assert run(rare, k=2, method="mondrian-branch").labels.tolist() == [0, 0, 1, 1]


def test_no_level_is_cut_off_from_between_others() -> None:
    labels = run(levels(30), k=3, method="mondrian-branch").labels
    assert labels.tolist() == sorted(labels)
    assert run(levels(30), k=3, method="mondrian-branch").sizes.max() < 6


@pytest.mark.parametrize("method", [*STRICT, "mosaicrown"])
def test_slices_change_nothing(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    records = animals(*["wolf", "dog", "cat", "lion", "hawk"] * 9)
    at_once = run(records, k=2, method=method).labels
    monkeypatch.setattr(kernels.splits.recursion, "SLICE", 8)
    reported: list[int] = []
    sliced = run(records, k=2, method=method, progress=lambda done, _: reported.append(done)).labels
    assert sliced.tolist() == at_once.tolist()
    assert len(reported) > 5


@pytest.mark.parametrize("method", [*STRICT, "mosaicrown"])
@pytest.mark.parametrize("values", [["wolf"] * 5, ["wolf", "dog", "cat"], ["canine", "animal"]])
def test_few_or_equal_records_are_one_group(method: str, values: list[str]) -> None:
    assert run(animals(*values), k=2, method=method).count == 1


@pytest.mark.parametrize("method", [*STRICT, "mosaicrown"])
def test_k_of_all_records_makes_one_group(method: str) -> None:
    records = animals(*["wolf", "dog", "cat"] * 4)
    assert run(records, k=12, method=method).count == 1


@pytest.mark.parametrize("method", [*STRICT, "mosaicrown"])
def test_progress_ends_with_all_records(method: str) -> None:
    reported: list[tuple[int, int]] = []
    run(animals(*["wolf", "dog", "cat"] * 9), k=2, method=method, progress=lambda *said: reported.append(said))
    assert reported[-1] == (27, 27)
    assert reported == sorted(reported)


def test_mosaicrown_on_numbers_alone_is_mondrian() -> None:
    values = np.random.default_rng(3).normal(size=(300, 3)).round(1)
    records = Records(("a", "b", "c"), values, Scale.standardized(values), np.array([1.0, 2.0, 0.5]))
    for method, relaxed in (("mondrian", False), ("mondrian-relaxed", True)):
        labels = run(records, k=4, method="mosaicrown", options={"relaxed": relaxed}).labels
        assert labels.tolist() == run(records, k=4, method=method).labels.tolist()


def test_a_weight_decides_which_column_mosaicrown_cuts() -> None:
    tree = flat_hierarchy(["a", "b"])
    column = CategoricalColumn("c", Kind.NOMINAL, tree, 1.0 - np.eye(3))
    values, codes = np.array([[0.0], [0], [1], [1]]), np.array([[0], [1], [0], [1]])
    groups = []
    for weights in ([4.0, 1.0], [1.0, 4.0]):
        records = Records(("n", "c"), values, Scale.standardized(values), np.array(weights), (column,), codes)
        groups.append(run(records, k=2, method="mosaicrown").labels.tolist())
    assert groups == [[0, 0, 1, 1], [0, 1, 0, 1]]


@pytest.mark.parametrize(("method", "option"), [("sa-mondrian-strict", "persistent"), ("mosaicrown", "relaxed")])
def test_a_switch_is_true_or_false(method: str, option: str) -> None:
    with pytest.raises(OptionError, match="true or false"):
        run(animals("wolf", "dog"), k=2, method=method, options={option: "yes"})


@pytest.mark.parametrize("method", [*STRICT, "mosaicrown"])
def test_the_registry_tells_what_it_takes(method: str) -> None:
    known = get_method(method)
    assert known.largest_group_text == "as many as are equal"
    assert {Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL} <= set(known.kinds)
    assert known.supports_mixed == (method == "mosaicrown") == (Kind.NUMERIC in known.kinds)


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("method", STRICT)
def test_equals_its_oracle_on_many_records(method: str, k: int) -> None:
    seed = np.random.default_rng(k)
    edges = [(f"{level}.{node}", f"{level - 1}.{node // 3}") for level in (1, 2, 3) for node in range(3**level)]
    tree = Hierarchy.from_edges(edges)
    categories = tuple(CategoricalColumn(name, Kind.HIERARCHICAL, tree, distances(tree)) for name in "ab")
    codes = (seed.random((400, 2)) ** 2 * len(tree)).astype(np.int64)
    nothing = np.empty((400, 0))
    records = Records(("a", "b"), nothing, Scale.raw(nothing), np.ones(2), categories, codes)
    assert_equal(records, k, method, STRICT[method])
