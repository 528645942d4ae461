"""The incrementally updated loss of groups of tuples is their loss after every step, and a search never raises it."""

from __future__ import annotations

import numpy as np
import pytest

from naive import tuple_groups as naive
from shoal.domain import Tuples, no_progress
from shoal.kernels.tuples import tuple_groups, tuple_moves


def drawn(seed: int, m: int) -> Tuples:
    """Different combinations in two columns, with any tables of distances whatever."""
    rng, widths = np.random.default_rng(seed), np.array([9, 12])
    codes = rng.permutation(9 * 12)[:m]
    tables = []
    for width in widths:
        table = rng.integers(1, 2**31, (width, width)) / 2.0**32
        table = np.triu(table, 1) + np.triu(table, 1).T
        tables.append(table.ravel())
    return Tuples(
        codes=np.column_stack([codes // 12, codes % 12]),
        counts=rng.integers(1, 7, m),
        distance=np.concatenate(tables),
        table_offsets=np.array([0, 81]),
        widths=widths,
    )


def check(state: tuple_groups.TupleGroups, k: int) -> float:
    """The loss, after all that is kept about the groups was found to be so."""
    tuples, loss = state.tuples, naive.loss(state.tuples, state.labels)
    sizes = np.bincount(state.labels, weights=tuples.counts, minlength=len(state.sizes))
    assert (state.sizes == sizes).all()
    assert sizes[sizes > 0].min() >= k
    assert state.loss.sum() == pytest.approx(loss, abs=1e-9)
    for group in range(len(state.sizes)):
        members, t = [], state.first[group]
        while t != tuple_groups.NONE:
            members.append(int(t))
            t = state.after[t]
        assert sorted(members) == np.flatnonzero(state.labels == group).tolist()
        costs = np.zeros(state.costs.shape[1])
        for t in members:
            for j, place in enumerate((0, 9)):
                row = tuples.table_offsets[j] + tuples.codes[t, j] * tuples.widths[j]
                costs[place : place + tuples.widths[j]] += tuples.counts[t] * tuples.distance[row:][: tuples.widths[j]]
        assert (state.costs[group] == costs).all()
    return loss


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 5, 12])
def test_what_is_kept_is_true_after_every_step(seed: int, k: int) -> None:
    tuples = drawn(seed, 60)
    state = tuple_groups.init(tuples, tuple_groups.neighbors(tuples, k, progress=no_progress), k, seed=seed)
    tuple_groups.merge_small(state, progress=no_progress)
    last = check(state, k)
    while state.counts[tuple_groups.WAITING] > 0:
        state.counts[tuple_groups.MOVES] = 0
        tuple_moves.descend_until(state, state.counts[tuple_groups.SPENT] + 2000)
        loss = check(state, k)
        assert loss <= last + 1e-12
        last = loss
    for _ in range(60):
        _, fell = tuple_moves.kick_until(state, 1, state.counts[tuple_groups.SPENT] + 1)
        loss = check(state, k)
        assert fell >= 0.0
        assert last - loss == pytest.approx(fell, abs=1e-9)
        last = loss


def test_what_is_undone_leaves_no_trace() -> None:
    tuples = drawn(9, 40)
    state = tuple_groups.init(tuples, tuple_groups.neighbors(tuples, 3, progress=no_progress), 3)
    tuple_groups.merge_small(state, progress=no_progress)
    labels, costs, loss = state.labels.copy(), state.costs.copy(), naive.loss(tuples, state.labels)
    for t in range(30):
        tuple_groups.move_tuple(state, t, state.labels[(7 * t + 3) % 40])
    assert (state.labels != labels).any()
    tuple_groups.undo_moves(state, 0, 0.0)
    assert (state.labels == labels).all()
    assert (state.costs == costs).all()
    assert state.loss.sum() == pytest.approx(loss, abs=1e-12)


def test_neighbors_are_the_nearest_of_each_kind() -> None:
    tuples, k = drawn(2, 70), 4
    near = tuple_groups.neighbors(tuples, k, progress=no_progress)
    for t in range(70):
        away = np.zeros(70)
        for j in range(2):
            table = tuples.distance[tuples.table_offsets[j] :][: tuples.widths[j] ** 2].reshape(tuples.widths[j], -1)
            away += table[tuples.codes[:, j], tuples.codes[t, j]]
        order = [u for u in np.argsort(away, kind="stable").tolist() if u != t]
        for side, half in zip((tuples.counts >= k, tuples.counts < k), np.split(near[t], 2), strict=True):
            nearest = [u for u in order if side[u]][: tuple_groups.NEIGHBORS]
            assert half.tolist() == nearest + [tuple_groups.NONE] * (tuple_groups.NEIGHBORS - len(nearest))


def test_neighbors_of_too_many_are_sought_around_each(monkeypatch: pytest.MonkeyPatch) -> None:
    tuples, k = drawn(2, 100), 4
    whole = tuple_groups.neighbors(tuples, k, progress=no_progress)
    monkeypatch.setattr(tuple_groups, "PAIR_BUDGET", 1)
    near = tuple_groups.neighbors(tuples, k, progress=no_progress)
    assert (near != whole).any()
    for t in range(100):
        for common, half in zip((True, False), np.split(near[t], 2), strict=True):
            found = half[half != tuple_groups.NONE]
            assert len(found) > 0
            assert t not in found
            assert len(set(found.tolist())) == len(found)
            assert ((tuples.counts[found] >= k) == common).all()


def test_fewer_neighbors_where_there_are_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuple_groups, "NEIGHBOR_BUDGET", 1)
    assert tuple_groups.neighbors(drawn(2, 70), 4, progress=no_progress).shape == (70, 2 * tuple_groups.MIN_NEIGHBORS)


@pytest.mark.parametrize("k", [3, 12, 90])
def test_each_step_ends_where_it_is_told_to(monkeypatch: pytest.MonkeyPatch, k: int) -> None:
    tuples, reported = drawn(4, 60), []
    state = tuple_groups.init(tuples, tuple_groups.neighbors(tuples, k, progress=no_progress), k)
    monkeypatch.setattr(tuple_groups, "MERGE_BUDGET", 0)
    monkeypatch.setattr(tuple_moves, "DESCENT_BUDGET", 1)
    monkeypatch.setattr(tuple_moves, "ROUND_BUDGET", 1)
    monkeypatch.setattr(tuple_moves, "CALL_BUDGET", 1)
    tuple_groups.merge_small(state, progress=no_progress)
    merged = check(state, k)
    tuple_moves.descend(state, progress=no_progress)
    assert state.counts[tuple_groups.WAITING] == 0
    down = check(state, k)
    tuple_moves.explore(state, 1000, rounds=1, progress=lambda done, total: reported.append((done, total)))
    assert reported == [(1, 1)]
    assert check(state, k) <= down + 1e-9 <= merged + 2e-9


def test_what_is_given_up_is_taken_back() -> None:
    tuples = drawn(9, 60)
    state = tuple_groups.init(tuples, tuple_groups.neighbors(tuples, 12, progress=no_progress), 12)
    tuple_groups.merge_small(state, progress=no_progress)
    labels, group = state.labels.copy(), state.labels[0]
    assert (labels == group).sum() > 1
    state.counts[tuple_groups.MOVES], state.counts[tuple_groups.LIMIT] = 0, state.counts[tuple_groups.SPENT] + 1
    assert not tuple_moves.dissolve_group(state, group, np.inf)
    assert (state.labels == labels).all()
    state.counts[tuple_groups.LIMIT] = state.counts[tuple_groups.SPENT] + 10**6
    assert tuple_moves.dissolve_group(state, group, np.inf)
