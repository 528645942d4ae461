"""Mondrian on the categories of Adult, beside what the thesis on categorical microaggregation prints and claims.

Its hierarchies were published as pictures, so losses agree in size and order, not to the digit: A. Veltmann,
Implementation and Evaluation of Microaggregation Algorithms for Categorical Data, 2022, Table 5 and section 4.1.1.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shoal.domain import Partition

KS = range(2, 11)
PRINTED = {
    ("sa-mondrian-strict", 2): 0.082,
    ("sa-mondrian-strict", 6): 0.434,
    ("sa-mondrian-strict", 10): 0.710,
    ("mondrian-strict-improved", 2): 0.101,
    ("mondrian-strict-improved", 6): 0.526,
    ("mondrian-strict-improved", 10): 0.847,
}
Groups = Callable[..., Partition]


def losses(adult_groups: Groups, method: str, **options: bool) -> list[float]:
    return [adult_groups(k, method, **options).semantic_loss for k in KS]


@pytest.mark.parametrize(("method", "k"), PRINTED)
def test_losses_are_of_the_printed_size(adult_groups: Groups, method: str, k: int) -> None:
    loss = adult_groups(k, method).semantic_loss
    assert PRINTED[method, k] * 0.45 < loss < PRINTED[method, k] * 1.3


def test_the_furthest_gap_is_a_better_cut_than_the_centroid(adult_groups: Groups) -> None:
    pairs = zip(
        losses(adult_groups, "sa-mondrian-strict"), losses(adult_groups, "mondrian-strict-improved"), strict=True
    )
    assert all(gap < center for gap, center in pairs)


def test_postorder_lowers_the_loss(adult_groups: Groups) -> None:
    """The thesis says to less than half on its samples of Analytics; on Adult it is 0.40 to 0.65 of the control's."""
    pairs = zip(losses(adult_groups, "mondrian-strict-improved"), losses(adult_groups, "mondrian-strict"), strict=True)
    shares = [ordered / unordered for ordered, unordered in pairs]
    assert max(shares) < 0.66
    assert min(shares) < 0.5


def test_giving_up_costs_several_times_the_loss(adult_groups: Groups) -> None:
    given_up = losses(adult_groups, "sa-mondrian-strict", persistent=False)
    pairs = zip(given_up, losses(adult_groups, "sa-mondrian-strict"), strict=True)
    assert all(printed > 3.5 * persistent for printed, persistent in pairs)


def test_branches_are_better_cuts_than_gaps(adult_groups: Groups) -> None:
    pairs = zip(losses(adult_groups, "mondrian-branch"), losses(adult_groups, "sa-mondrian-strict"), strict=True)
    assert all(branch < 0.85 * gap for branch, gap in pairs)


def test_mondrian_loses_less_than_sa_mdav(adult_groups: Groups) -> None:
    pairs = zip(losses(adult_groups, "sa-mondrian-strict")[3:], losses(adult_groups, "sa-mdav")[3:], strict=True)
    assert all(mondrian < mdav for mondrian, mdav in pairs)
