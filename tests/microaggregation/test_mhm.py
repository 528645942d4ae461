"""The MHM family: each method against its slow oracle, and never worse than the groups that it starts from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
from naive import orders
from shoal.microaggregation.registry import run

ORACLES = {
    "npn-mhm": orders.npn_mhm,
    "md-mhm": orders.md_mhm,
    "mdav-mhm": orders.mdav_mhm,
    "cbfs-mhm": orders.cbfs_mhm,
}


@pytest.mark.parametrize("method", ORACLES)
@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 12), standardized=st.booleans())
def test_equals_its_oracle(method: str, values: np.ndarray, k: int, standardized: bool) -> None:
    drawn, k = records(values, standardized=standardized), min(k, len(values))
    assert run(drawn, k=k, method=method).labels.tolist() == naive.renumbered(ORACLES[method](drawn.matrix, k))


@pytest.mark.parametrize("method", ORACLES)
def test_equals_its_oracle_on_deep_trees(method: str) -> None:
    drawn = records(np.exp(np.random.default_rng(4).standard_normal((500, 4))))
    assert run(drawn, k=5, method=method).labels.tolist() == naive.renumbered(ORACLES[method](drawn.matrix, 5))


@pytest.mark.parametrize("start", ["mdav", "cbfs"])
@pytest.mark.parametrize("k", [3, 10])
def test_a_cut_is_never_worse_than_the_groups_it_starts_from(start: str, k: int) -> None:
    drawn = records(np.random.default_rng(k).standard_normal((403, 3)))
    before = naive.sse(drawn.matrix, run(drawn, k=k, method=start).labels)
    after = naive.sse(drawn.matrix, run(drawn, k=k, method=f"{start}-mhm").labels)
    assert after <= before * (1 + 1e-12)


def test_progress_goes_on_from_stage_to_stage() -> None:
    reported: list[tuple[int, int]] = []
    drawn = records(np.random.default_rng(2).standard_normal((300, 2)))
    run(drawn, k=3, method="mdav-mhm", progress=lambda *step: reported.append(step))
    assert reported == sorted(reported)
    assert {total for _, total in reported} == {300}
    assert reported[-1] == (300, 300)
