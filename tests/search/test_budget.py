"""Planned annealing steps: by effort and points, and fewer where a step takes longer."""

from __future__ import annotations

import pytest

from shoal.search.budget import annealing_steps


@pytest.mark.parametrize(("effort", "each", "most"), [
    ("fast", 0, 0), ("balanced", 3_000, 9_000_000), ("best", 40_000, 200_000_000),
])  # fmt: skip
def test_steps_grow_with_the_points_up_to_a_limit(effort: str, each: int, most: int) -> None:
    assert [annealing_steps(effort, points) for points in (1, 50, 10**5)] == [each, 50 * each, most]


def test_where_a_step_looks_at_many_nodes_the_limit_is_lower() -> None:
    assert annealing_steps("balanced", 10**5, 127) == annealing_steps("balanced", 10**5)
    assert annealing_steps("balanced", 2_000, 6_400) == 90_000
    assert annealing_steps("balanced", 10, 6_400) == annealing_steps("balanced", 10)


def test_a_few_steps_for_each_point_are_none() -> None:
    assert [annealing_steps("balanced", points) for points in (300_000, 300_001)] == [9_000_000, 0]
