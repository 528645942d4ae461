"""The suppression budget is never exceeded, and refused if it is too small."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import OptionError

CORNERS = [(0.0, 0.0), (0.0, 1000.0), (1000.0, 0.0), (1000.0, 1000.0)]
OPTIONS = {"k": 3, "quasi_identifiers": ["x", "y"], "keep": "home", "method": "mdav"}


def outliers(middle: int, *, members: int = 1) -> pl.DataFrame:
    """Four households in the corners of the plane, one more than fit into a group of k, and persons in its middle."""
    points = [corner for corner in CORNERS for _ in range(members)]
    homes = [f"h{place}" for place in range(4) for _ in range(members)]
    ills = [("b", "c")[place % 2] for place in range(len(points))]
    points += [(500.0 + place // 3, 500.0) for place in range(middle)]
    homes += [f"alone{place}" for place in range(middle)]
    ills += ["a" if place < middle - 3 else "b" for place in range(middle)]
    side = [place % 2 for place in range(len(points))]
    x, y = zip(*points, strict=True)
    return pl.DataFrame({"x": x, "y": y, "ill": ills, "home": homes, "side": side})


def test_outliers_are_suppressed_where_that_saves_more_than_it_costs() -> None:
    release = shoal.anonymize(outliers(20), max_suppression=0.2, **OPTIONS)
    assert release.partition.n_suppressed == 4
    assert release.table.head(4).select("x", "y").rows() == [(None, None)] * 4
    assert any("of 4 of 24 records (16.7 %) are suppressed" in sentence for sentence in release.warnings)
    assert shoal.anonymize(outliers(20), max_suppression=0.16, **OPTIONS).partition.n_suppressed < 4


def test_the_budget_counts_records_also_where_households_are_suppressed() -> None:
    frame = outliers(40, members=4)
    release = shoal.anonymize(frame, max_suppression=0.2, households="home", **OPTIONS)
    assert release.partition.n_suppressed <= 0.2 * frame.height
    release = shoal.anonymize(frame, max_suppression=0.3, households="home", **OPTIONS)
    assert release.partition.n_suppressed == 16


def test_groups_that_break_a_model_are_not_merged_into_the_suppressed_records() -> None:
    """The suppressed corners have their center in the middle, nearest to all others."""
    frame = outliers(20)
    release = shoal.anonymize(frame, max_suppression=0.2, sensitive="ill", l=2, **OPTIONS)
    assert release.partition.n_suppressed == 4
    assert release.verification.ok
    assert release.table["x"].null_count() == 4


@pytest.mark.parametrize(("options", "words"), [
    ({"max_suppression": 0.1}, "allows 2 of 24 records, and fewer than k = 3 suppressed records"),
    (
        {"max_suppression": 0.1, "households": "home"},
        "allows 2 of 24 records, and fewer than k = 3 suppressed households",
    ),
    ({"max_suppression": 0.15, "strata": "side"}, "allows 1 of the 12 records of a stratum"),
])  # fmt: skip
def test_a_budget_below_k_is_refused_with_one_that_is_enough(options: dict, words: str) -> None:
    with pytest.raises(OptionError, match=words) as caught:
        shoal.anonymize(outliers(20), **OPTIONS, **options)
    share = float(caught.value.hint.split()[6].rstrip(","))
    assert shoal.anonymize(outliers(20), **OPTIONS, **{**options, "max_suppression": share}).verification.ok


def test_the_share_that_an_error_names_is_never_rounded_below_what_is_needed() -> None:
    with pytest.raises(OptionError, match=r"a share of at least 0.2728, or none"):
        shoal.anonymize(outliers(7), max_suppression=0.2, **OPTIONS)
    assert shoal.anonymize(outliers(7), max_suppression=0.2728, **OPTIONS).verification.ok


def test_numbers_as_far_apart_as_numbers_can_be() -> None:
    table = np.array([[-1.7e308], [-1.6e308], [1.0], [2.0], [3.0], [1.7e308]])
    assert shoal.anonymize(table, k=2, quasi_identifiers=[0], max_suppression=0.5).verification.ok
