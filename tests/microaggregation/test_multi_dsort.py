"""P-S and Multi-DSort: each against its slow oracle, and the worked example of the sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
from naive import orders
from shoal.errors import OptionError
from shoal.microaggregation.registry import run

ORACLES = {"p-s": orders.p_s, "multi-dsort": orders.multi_dsort}


@pytest.mark.parametrize("method", ORACLES)
@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 12), standardized=st.booleans())
def test_equals_its_oracle(method: str, values: np.ndarray, k: int, standardized: bool) -> None:
    drawn, k = records(values, standardized=standardized), min(k, len(values))
    assert run(drawn, k=k, method=method).labels.tolist() == naive.renumbered(ORACLES[method](drawn.matrix, k))


@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 12), standardized=st.booleans())
def test_ranks_anew_equal_their_oracle(values: np.ndarray, k: int, standardized: bool) -> None:
    drawn, k = records(values, standardized=standardized), min(k, len(values))
    labels = run(drawn, k=k, method="multi-dsort", options={"ranks": "anew"}).labels
    assert labels.tolist() == naive.renumbered(orders.multi_dsort(drawn.matrix, k, "anew"))


def test_ranks_are_kept_or_anew() -> None:
    with pytest.raises(OptionError, match="known are 'kept', 'anew'"):
        run(records(np.eye(6)), k=2, method="multi-dsort", options={"ranks": "old"})


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize(("p", "k"), [(2, 3), (7, 10)])
def test_equals_its_oracle_on_deep_trees(method: str, p: int, k: int) -> None:
    drawn = records(np.exp(np.random.default_rng(p).standard_normal((900, p))))
    assert run(drawn, k=k, method=method).labels.tolist() == naive.renumbered(ORACLES[method](drawn.matrix, k))


def test_the_sort_of_the_paper_says_who_is_first() -> None:
    """Tables 1 to 3: (2, 1) is first; (1, 3) and (4, 2) are equally near to it, and (1, 3) has the lower row."""
    values = np.array([[5, 6], [3, 10], [1, 3], [2, 1], [4, 2]], dtype=float)
    labels = run(records(values, standardized=False), k=2, method="multi-dsort").labels
    assert labels.tolist() == [0, 0, 1, 1, 0]


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize(("n", "sizes"), [(8, [4, 4]), (11, [4, 7]), (12, [4, 4, 4]), (15, [4, 4, 7])])
def test_the_ends(method: str, n: int, sizes: list[int]) -> None:
    drawn = records(np.random.default_rng(n).standard_normal((n, 2)))
    assert sorted(run(drawn, k=4, method=method).sizes) == sizes
