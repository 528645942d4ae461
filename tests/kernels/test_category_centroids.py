"""Category centroids of groups: shortcuts find the same node as a comparison of all nodes, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_mixed_space import grown, senseless

from shoal.domain import FloatMatrix, IntMatrix, Space
from shoal.kernels.local_search import category_centroids, mutable_partition
from shoal.kernels.local_search.category_centroids import NONE, CategoryCentroids


def equals(nodes: int, noise: np.random.Generator) -> FloatMatrix:
    """Any two are equally far apart."""
    return (1.0 - np.eye(nodes)) * noise.integers(1, 4) / 4.0


TABLES = (equals, equals, grown, senseless)


def centers(tables: list[FloatMatrix], codes: IntMatrix) -> list[int]:
    """The node of least cost of each column, the first of several; numbered column by column."""
    return [int(np.argmin(table[codes[:, j]].sum(axis=0))) for j, table in enumerate(tables)]


def noted(found: CategoryCentroids, nodes: np.ndarray) -> list[int]:
    return (nodes - found.space.node_offsets).tolist()


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 1, 3]))
def test_the_center_after_a_change_is_that_of_all_nodes(seed: int, members: int) -> None:
    noise = np.random.default_rng(seed)
    tables = [noise.choice(TABLES)(int(noise.integers(2, 7)), noise) for _ in range(4)] + [np.zeros((1, 1))]
    codes = np.column_stack([noise.integers(0, len(table), 30) for table in tables])
    unit_of = np.sort(noise.integers(0, 30 // members, 30)) if members > 1 else np.arange(30)
    unit_of = np.unique(unit_of, return_inverse=True)[1]
    space = Space.of(np.zeros((30, 0)), codes, tables, noise.integers(1, 9, 5) / 8.0)
    labels = noise.integers(0, 3, unit_of.max() + 1)
    labels[:3] = range(3)
    ground = mutable_partition.init(space, labels, 2, unit_of=unit_of, constraints=None)
    found = ground.centroids
    assert found is not None
    for _ in range(4):
        for group in range(3):
            rows = np.flatnonzero(ground.partition.labels[unit_of] == group)
            if not len(rows):
                continue
            assert noted(found, found.best[group]) == centers(tables, codes[rows])
            inside, outside = np.unique(unit_of[rows]), np.setdiff1d(unit_of, unit_of[rows])
            for removed in (NONE, *inside):
                for come in (NONE, *outside[:5]):
                    after = np.concatenate([rows[unit_of[rows] != removed], np.flatnonzero(unit_of == come)])
                    rise = category_centroids.category_increase(found, group, removed, come)
                    if not len(after):
                        continue
                    best = centers(tables, codes[after])
                    assert noted(found, found.centers) == best
                    squares = [
                        space.squared_distances[s : s + w * w].reshape(w, w)
                        for s, w in zip(space.table_offsets, space.widths, strict=True)
                    ]
                    error = sum(square[codes[after, j], best[j]].sum() for j, square in enumerate(squares))
                    assert rise == pytest.approx(error - found.errors[group], abs=1e-9)
        unit = int(noise.integers(0, len(labels)))
        mutable_partition.remove(ground.partition, found, unit)
        mutable_partition.add(ground.partition, found, unit, int(noise.integers(0, 3)))
