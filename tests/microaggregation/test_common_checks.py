"""Every registered method passes the common checks, and these detect methods that do not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from shoal.domain import IntVector, Progress, Records, Scale
from shoal.errors import OptionError, PromiseError
from shoal.microaggregation import registry
from shoal.testing import check_method, checks, common_checks
from shoal.testing.table_families import CATEGORIES, MIXED, N_EXAMPLES, NUMBERS

COMMON = [
    pytest.param(name, check, id=f"{name}-{check.__name__}")
    for name in sorted(registry.methods())
    for check in checks(name)
]


@pytest.mark.parametrize(("name", "check"), COMMON)
def test_common(name: str, check) -> None:
    check(name)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("mdav", NUMBERS),
        ("mondrian", NUMBERS),
        ("sa-mdav-plus", CATEGORIES),
        ("mondrian-extent", CATEGORIES),
        ("mdav", MIXED),
        ("mondrian-extent", MIXED),
    ],
)
def test_every_drawn_table_is_released(name: str, family) -> None:
    """The common checks release a few random tables by each method; here some methods release all of them."""
    common_checks.check_release_is_k_anonymous(family, name, examples=N_EXAMPLES)


@pytest.mark.parametrize("name", ["auto", "mdav", "mondrian", "mondrian-extent", "sa-mdav-plus"])
def test_missing_values_in_every_way(name: str) -> None:
    """The common checks use the recodings that a method can distinguish; here some methods use all of them."""
    common_checks.check_missing_values(name, ways=("category", "wildcard", "impute", "suppress"))


def records(rows: int = 12) -> Records:
    values = np.random.default_rng(0).normal(size=(rows, 2))
    return Records(("a", "b"), values, Scale.standardized(values), np.ones(2))


@pytest.fixture
def registered() -> Iterator[dict[str, registry.Method]]:
    """The registry, put back afterwards."""
    known = dict(registry.methods())
    yield registry.methods()  # type: ignore[misc]
    registry.methods().clear()
    registry.methods().update(known)
    for name in set(registry._registered) - set(known):
        del registry._registered[name]


def faulty(labels) -> registry.Method:
    """A method that returns these labels."""

    def method(records: Records, k: int, *, progress: Progress) -> IntVector:
        """Returns what it should not."""
        return labels(records.count)

    registry.method(name="faulty", paper="none", year=2024, cost="O(1)", largest_group=lambda k: 2 * k - 1)(method)
    return registry._registered["faulty"]


@pytest.mark.parametrize(
    "labels",
    [
        lambda n: np.arange(n),
        lambda n: np.zeros(n, dtype=np.int64),
        lambda n: np.repeat([0, 1], [2, n - 2]),
        lambda n: np.full(n, -1),
        lambda n: np.zeros(n - 1, dtype=np.int64),
        lambda n: np.zeros(n),
        lambda n: [0] * n,
        lambda n: np.zeros((n, 1), dtype=np.int64),
    ],
    ids=["all alone", "one large group", "a small group", "no group", "too short", "floats", "a list", "a matrix"],
)
def test_a_broken_partition_is_never_passed_on(registered, labels) -> None:
    registered["faulty"] = faulty(labels)
    with pytest.raises(PromiseError) as caught:
        registry.run(records(), k=3, method="faulty")
    assert caught.value.exit_code == 3


def test_the_battery_fails_a_faulty_method(registered) -> None:
    registered["faulty"] = faulty(lambda n: np.arange(n))
    with pytest.raises((AssertionError, PromiseError)):
        check_method("faulty")


def test_groups_are_numbered_by_first_appearance(registered) -> None:
    registered["faulty"] = faulty(lambda n: np.repeat([7, 3, 5], 4))
    assert registry.run(records(), k=3, method="faulty").labels.tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_unknown_method_suggests_a_near_one() -> None:
    with pytest.raises(OptionError, match="did you mean 'mdav'"):
        registry.run(records(), k=3, method="mdva")


def test_unknown_option_names_those_there_are() -> None:
    with pytest.raises(OptionError, match="'gamma'"):
        registry.run(records(), k=3, method="v-mdav", options={"gama": 1})


def test_optimal_univariate_takes_one_column() -> None:
    with pytest.raises(OptionError, match="1 quasi-identifier and 2 are named"):
        registry.run(records(), k=3, method="hm")


def test_the_battery_fails_a_method_that_looks_at_no_weights(registered) -> None:
    def by_row(records: Records, k: int, *, progress: Progress) -> IntVector:
        """Groups of neighbors, whatever they are."""
        return np.minimum(np.arange(records.count) // k, records.count // k - 1)

    registry.method(
        name="faulty",
        paper="none",
        year=2024,
        cost="O(1)",
        largest_group=lambda k: 2 * k - 1,
        kinds=registry.ALL_KINDS,
        supports_mixed=True,
    )(by_row)
    registered["faulty"] = registry._registered["faulty"]
    assert common_checks.check_weights_decide in checks("faulty")
    common_checks.check_sizes(MIXED, "faulty")
    with pytest.raises(AssertionError, match="a weight on numbers lowers their loss"):
        common_checks.check_weights_decide("faulty")


def test_only_methods_on_both_are_checked_on_both() -> None:
    assert not {*common_checks.FAMILY_CHECKS[MIXED]} & {*checks("hm"), *checks("k-modes")}
