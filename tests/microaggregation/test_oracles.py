"""Every method gives the same partition as its slow oracle, ties and duplicates included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import naive
from naive import dissolve
from shoal.domain import Records, Scale
from shoal.errors import OptionError
from shoal.microaggregation.registry import run

ORACLES = {
    "mdav": naive.mdav,
    "mdav-1": naive.mdav_1,
    "mdav-generic": naive.mdav_generic,
    "md": naive.md,
    "dbfs": naive.dbfs,
    "cbfs": naive.cbfs,
    "v-mdav": naive.v_mdav,
    "mdav-2": dissolve.mdav_2,
    "tfrp-1": dissolve.tfrp_1,
    "tfrp-2": dissolve.tfrp_2,
    "dba-1": dissolve.dba_1,
    "dba-2": dissolve.dba_2,
}


def records(values: np.ndarray, *, standardized: bool = True) -> Records:
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    scale = Scale.standardized(values) if standardized else Scale.raw(values)
    return Records(names=names, values=values, scale=scale, weights=np.ones(len(names)))


def assert_equal(given: Records, method: str, k: int, **options: float) -> None:
    labels = run(given, k=k, method=method, options=options).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](given.matrix, k, **options))


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """From spread-out numbers to grids of few values, with repeated rows and constant columns."""
    n, p = draw(st.integers(2, 120)), draw(st.integers(1, 5))
    cells = draw(
        st.sampled_from(
            [
                st.integers(0, 1).map(float),
                st.integers(-3, 3).map(float),
                st.floats(-1e3, 1e3, width=32),
                st.floats(1e6, 1e6 + 1e-3),
            ]
        )
    )
    if draw(st.booleans()):
        return draw(arrays.arrays(np.float64, (n, p), elements=cells))
    seed = draw(st.integers(0, 2**32 - 1))
    values = np.random.default_rng(seed).integers(0, draw(st.sampled_from([1, 2, 4, 9, 10**6])), (n, p))
    return values.astype(np.float64)


@pytest.mark.parametrize("method", ORACLES)
@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 12), standardized=st.booleans())
def test_equals_its_oracle(method: str, values: np.ndarray, k: int, standardized: bool) -> None:
    assert_equal(records(values, standardized=standardized), method, min(k, len(values)))


@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 8), gamma=st.sampled_from([0, 0.5, 1, 1.1, 5.0]))
def test_v_mdav_equals_its_oracle_for_every_gamma(values: np.ndarray, k: int, gamma: float) -> None:
    assert_equal(records(values), "v-mdav", min(k, len(values)), gamma=gamma)


@pytest.mark.parametrize("method", ["mdav", "mdav-1", "cbfs"])
@pytest.mark.parametrize(("p", "k"), [(1, 3), (2, 5), (7, 3), (13, 20)])
def test_equals_its_oracle_on_deep_trees(method: str, p: int, k: int) -> None:
    noise = np.random.default_rng(p * k)
    assert_equal(records(np.exp(noise.standard_normal((2000, p)))), method, k)


@pytest.mark.parametrize(("p", "k"), [(2, 3), (5, 10)])
def test_most_distant_pairs_on_deep_trees(p: int, k: int) -> None:
    noise = np.random.default_rng(p * k)
    assert_equal(records(noise.standard_normal((600, p))), "md", k)
    assert_equal(records(noise.integers(0, 4, (600, p)).astype(float)), "dbfs", k)


@pytest.mark.parametrize("method", ORACLES)
def test_a_grid_with_many_ties(method: str) -> None:
    values = np.random.default_rng(3).integers(0, 5, (200, 3)).astype(float)
    assert_equal(records(values, standardized=False), method, 4)


@pytest.mark.parametrize("method", ORACLES)
def test_squares_that_underflow(method: str) -> None:
    values = np.column_stack([np.ones(90), np.random.default_rng(1).standard_normal(90) * 1e-161])
    assert_equal(records(values, standardized=False), method, 3)


@given(
    values=arrays.arrays(
        np.float64, st.integers(2, 12), elements=st.one_of(st.integers(0, 6).map(float), st.floats(1e5, 1e5 + 1))
    ),
    k=st.integers(2, 4),
)
def test_hm_is_as_good_as_every_cut(values: np.ndarray, k: int) -> None:
    given = records(values[:, None], standardized=False)
    k = min(k, len(values))
    labels = run(given, k=k, method="hm").labels
    best = naive.best_cut(np.sort(given.matrix, axis=0), k)
    assert naive.sse(given.matrix, labels) == pytest.approx(best, rel=1e-9, abs=1e-18)


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf"), "much", True])
def test_gamma_must_be_a_number_of_at_least_0(gamma: object) -> None:
    with pytest.raises(OptionError, match="'gamma'"):
        run(records(np.eye(6)), k=2, method="v-mdav", options={"gamma": gamma})


def test_progress_is_heard_and_may_interrupt() -> None:
    reported: list[tuple[int, int]] = []
    run(records(np.eye(20)), k=3, method="mdav", progress=lambda done, total: reported.append((done, total)))
    assert reported
    assert all(0 <= done <= total == 20 for done, total in reported)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(records(np.eye(20)), k=3, method="mdav", progress=stop)
