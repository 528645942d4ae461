"""Pricing problem of column generation: groups of negative reduced cost, by branch and bound.

A group S of s records costs its SSE, P(S) / s, with P(S) the sum of the squared distances of its pairs. Its reduced
cost is

    P(S) / s - sum of the duals of its records + cut duals of the triples of which S has two or more records.

A column is a group whose reduced cost is below -slack. Branch and bound enumerates partial sets T of m records with
candidates R that may join; the candidates of a partial set come after its last record in the list of its parent::

    depth 1   T = {i}           candidates  a b c d e        all records not yet finished
    depth 2   T = {i, b}        candidates      c d e        after b, less the pruned ones
    depth 3   T = {i, b, d}     candidates          e
              |- members[1..3]                  |- candidates[3, :n_candidates[3]], tried up to next_candidate[3]

Bound. To reach size s, r = s - m of the candidates join, a subset R' with

    P(T + R') = P(T) + sum over j in R' of D_j + P(R'),    D_j the sum of the squared distances from j to T.

P(R') is at least the sum over j in R' of known terms B_r(j), such as half of the sum of the r - 1 smallest squared
distances of j to other candidates. So the reduced cost is at least

    P(T) / s - duals of T  +  sum over j in R' of (D_j + B_r(j)) / s - dual of j

and hence at least the value with the r smallest terms. If that is not below -slack, no column of size s contains T. If
it is not with j in place of the last of the r smallest, none contains T and j. Cut duals count once T has two records
of a triple; omitting them until then only lowers the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector
from shoal.kernels.distance import copy
from shoal.kernels.jit import SLICE, inline, kernel

MAX_CANDIDATES = 3_000
"""Candidates of one record: the distances between more of them would fill the memory."""


class PricingProblem(NamedTuple):
    """Duals, and the columns to find: groups of ``min_size`` to ``max_size`` records.

    ``neighbor_bounds[r, j]`` and ``pair_bounds[r, j]`` are terms B_r(j) of the bound; the latter may be empty.
    ``cut_duals`` are by triple; record j is in ``triples[starts[j] : starts[j + 1]]``.
    """

    points: FloatMatrix
    duals: FloatVector
    neighbor_bounds: FloatMatrix
    pair_bounds: FloatMatrix
    cut_duals: FloatVector
    triples: IntVector
    starts: IntVector
    min_size: int
    max_size: int
    slack: float


class PricedColumns(NamedTuple):
    """By record, the column with the largest negative reduced cost per record, and that as ``savings``.

    ``columns`` has the first columns found, as many as it has rows; ``n_found`` counts all.
    """

    savings: FloatVector
    groups: IntMatrix
    sizes: IntVector
    columns: IntMatrix
    n_found: IntVector


class Candidates(NamedTuple):
    """The candidates of one record, numbered 0, 1, 2, …: duals, bounds and the squared ``distances`` between them."""

    rows: IntVector
    duals: FloatVector
    neighbor_bounds: FloatMatrix
    pair_bounds: FloatMatrix
    distances: FloatMatrix
    slack: float


class BranchState(NamedTuple):
    """The partial sets from depth 1 to the current depth m, which has m records; drawn in the module docstring.

    By depth and position: ``candidates`` and their ``sums`` D_j. By depth: ``n_candidates``, the ``next_candidate`` to
    try, ``pair_sums`` P(T), ``dual_sums`` (less cut duals) and the last of the ``members``. ``triple_counts`` counts
    records by triple. ``terms``, ``smallest``, ``fits`` and ``keep`` are work arrays.
    """

    candidates: IntMatrix
    sums: FloatMatrix
    n_candidates: IntVector
    next_candidate: IntVector
    pair_sums: FloatVector
    dual_sums: FloatVector
    members: IntVector
    triple_counts: IntVector
    terms: FloatVector
    smallest: FloatVector
    fits: BoolVector
    keep: BoolVector


def solve_pricing(problem: PricingProblem, budget: int, *, max_columns: int = 0) -> tuple[PricedColumns | None, int]:
    """Find all columns, and list some of them; None if that exceeds the budget of steps. Also the remaining budget.

    Records with the largest duals go first: they have most columns, while all others may still join them.
    """
    n, result, state = len(problem.duals), _no_columns(problem, max_columns), _init_state(problem)
    unfinished, order = np.ones(n, dtype=np.bool_), np.argsort(-problem.duals, kind="stable")
    step = max(1, SLICE // (n * max(problem.points.shape[1], 1)))
    for start in range(0, n, step):
        budget = int(branch_and_bound(problem, state, result, unfinished, order[start : start + step], budget))
        if budget < 0:
            return None, 0
    return result, budget


def price_heuristically(problem: PricingProblem, neighbors: IntMatrix, starts: int) -> PricedColumns:
    """Find columns of ``min_size`` records among the neighbors of each record: quickly, but not all."""
    result = _no_columns(problem, 0)
    greedy_columns(problem, _init_state(problem), result, neighbors, min(starts, neighbors.shape[1]))
    return result


def _no_columns(problem: PricingProblem, max_columns: int) -> PricedColumns:
    n, max_size = len(problem.duals), problem.max_size
    return PricedColumns(
        savings=np.zeros(n),
        groups=np.full((n, max_size), -1, dtype=np.int64),
        sizes=np.zeros(n, dtype=np.int64),
        columns=np.full((max_columns, max_size), -1, dtype=np.int64),
        n_found=np.zeros(1, dtype=np.int64),
    )


def _init_state(problem: PricingProblem) -> BranchState:
    n, depths = len(problem.duals), problem.max_size + 1
    return BranchState(
        candidates=np.empty((depths, n), dtype=np.int64),
        sums=np.empty((depths, n)),
        n_candidates=np.zeros(depths, dtype=np.int64),
        next_candidate=np.zeros(depths, dtype=np.int64),
        pair_sums=np.zeros(depths),
        dual_sums=np.zeros(depths),
        members=np.zeros(depths, dtype=np.int64),
        triple_counts=np.zeros(len(problem.cut_duals), dtype=np.int64),
        terms=np.empty(n),
        smallest=np.empty(depths),
        fits=np.empty(n, dtype=np.bool_),
        keep=np.empty(n, dtype=np.bool_),
    )


@inline
def squared_distance(points, i, j):
    """The squared distance of two records."""
    total = 0.0
    for a in range(points.shape[1]):
        difference = points[i, a] - points[j, a]
        total += difference * difference
    return total


@inline
def set_term(pair_sum, dual_sum, size):
    """The part of the reduced cost that a partial set contributes to a group of this size."""
    return pair_sum / size - dual_sum


@inline
def candidate_term(distance_sum, pair_bound, dual, size):
    """A lower bound of the part of the reduced cost that a candidate contributes to a group of this size."""
    return (distance_sum + pair_bound) / size - dual


@inline
def bound(set_part, smallest, count):
    """A lower bound of the reduced cost: the partial set with the smallest terms of candidates."""
    total = set_part
    for b in range(count):
        total += smallest[b]
    return total


@kernel
def branch_and_bound(problem, state, result, unfinished, order, budget):
    """Find the columns of the records in this order, each with ``unfinished`` ones; the remaining budget.

    A record is finished once all its columns are found. A budget below zero means that the search was aborted.
    """
    for i in order:
        unfinished[i] = False
        budget -= init_root(problem, state, unfinished, i)
        count = prune(all_records(problem), state, 1, problem.min_size, problem.max_size)
        if count < problem.min_size - 1:
            continue
        if count > MAX_CANDIDATES:
            return -1
        while True:
            local = local_candidates(problem, state)
            budget -= count * count
            before, count = count, prune(local, state, 1, problem.min_size, problem.max_size)
            if count < problem.min_size - 1 or 5 * count > 4 * before:
                break
            for a in range(count):
                state.candidates[1, a] = local.rows[state.candidates[1, a]]
        if count >= problem.min_size - 1:
            count_triples(problem, state, i, 1)
            budget = enumerate_sets(problem, state, local, result, budget)
            count_triples(problem, state, i, -1)
        if budget < 0:
            return budget
    return budget


@kernel
def init_root(problem, state, unfinished, i):
    """Start from a record, with all unfinished records as candidates; the number of steps."""
    count = 0
    for j in range(len(unfinished)):
        if unfinished[j]:
            state.candidates[1, count], state.sums[1, count] = j, squared_distance(problem.points, i, j)
            count += 1
    state.n_candidates[1], state.next_candidate[1], state.members[1] = count, 0, i
    state.pair_sums[1], state.dual_sums[1] = 0.0, problem.duals[i]
    return len(unfinished)


@kernel
def all_records(problem):
    """All records as candidates, without their distances."""
    none = np.empty((0, 0))
    return Candidates(
        np.empty(0, np.int64), problem.duals, problem.neighbor_bounds, problem.pair_bounds, none, problem.slack
    )


@kernel
def local_candidates(problem, state):
    """The candidates at depth 1, which are renumbered 0, 1, 2, …"""
    count = state.n_candidates[1]
    rows = state.candidates[1, :count].copy()
    distances, pair_bounds = np.zeros((count, count)), np.empty((len(problem.pair_bounds), count))
    for a in range(count):
        state.candidates[1, a] = a
        for b in range(a):
            distances[a, b] = distances[b, a] = squared_distance(problem.points, rows[a], rows[b])
        for r in range(len(pair_bounds)):
            pair_bounds[r, a] = problem.pair_bounds[r, rows[a]]
    neighbor_bounds = half_sums(distances, problem.max_size)
    return Candidates(rows, problem.duals[rows], neighbor_bounds, pair_bounds, distances, problem.slack)


@kernel
def half_sums(distances, max_size):
    """For r = 0 .. max_size - 1 and each candidate, half of the sum of its r - 1 smallest distances to others."""
    count, smallest = len(distances), np.empty(max_size)
    sums = np.zeros((max_size, count))
    for a in range(count):
        smallest[:] = np.inf
        for b in range(count):
            if b != a:
                insert_sorted(smallest, max_size - 1, distances[a, b])
        for r in range(2, max_size):
            sums[r, a] = sums[r - 1, a] + 0.5 * smallest[r - 2]
    return sums


@inline
def insert_sorted(smallest, size, value):
    """Insert a value into the ascending list of the smallest."""
    if size > 0 and value < smallest[size - 1]:
        b = size - 1
        while b > 0 and smallest[b - 1] > value:
            smallest[b] = smallest[b - 1]
            b -= 1
        smallest[b] = value


@kernel
def prune(local, state, m, min_size, max_size):
    """Keep the candidates at depth m that a column may contain; their number."""
    count, left = state.n_candidates[m], 0
    state.keep[:count] = False
    for size in range(max(min_size, m + 1), min(max_size, m + count) + 1):
        state.fits[:count] = True
        if not check_size(local, state, m, size, local.neighbor_bounds):
            continue
        if len(local.pair_bounds) > 0 and not check_size(local, state, m, size, local.pair_bounds):
            continue
        for a in range(count):
            state.keep[a] |= state.fits[a]
    for a in range(count):
        if state.keep[a]:
            state.candidates[m, left], state.sums[m, left] = state.candidates[m, a], state.sums[m, a]
            left += 1
    state.n_candidates[m] = left
    return left


@kernel
def check_size(local, state, m, size, pair_bounds):
    """Whether a column of this size may exist; unmark the candidates that it cannot contain."""
    missing, terms, smallest = size - m, state.terms, state.smallest
    smallest[:missing] = np.inf
    for a in range(state.n_candidates[m]):
        j = state.candidates[m, a]
        terms[a] = candidate_term(state.sums[m, a], pair_bounds[missing, j], local.duals[j], size)
        insert_sorted(smallest, missing, terms[a])
    lower = bound(set_term(state.pair_sums[m], state.dual_sums[m], size), smallest, missing)
    if lower >= -local.slack:
        return False
    limit = smallest[missing - 1] - lower - local.slack
    for a in range(state.n_candidates[m]):
        if terms[a] >= limit:
            state.fits[a] = False
    return True


@kernel
def enumerate_sets(problem, state, local, result, budget):
    """Enumerate the sets of the record at depth 1 depth first; the remaining budget."""
    m = 1
    while m > 0 and budget >= 0:
        if state.next_candidate[m] >= state.n_candidates[m]:
            if m > 1:
                count_triples(problem, state, state.members[m], -1)
            m -= 1
            continue
        a = state.next_candidate[m]
        state.next_candidate[m] += 1
        budget -= branch(problem, state, local, m, a)
        m += 1
        if m >= problem.min_size:
            add_column(problem, state, result, m)
        if m == problem.max_size or prune(local, state, m, problem.min_size, problem.max_size) == 0:
            count_triples(problem, state, state.members[m], -1)
            m -= 1
    for depth in range(2, m + 1):  # the search was aborted
        count_triples(problem, state, state.members[depth], -1)
    return budget


@kernel
def branch(problem, state, local, m, a):
    """Add a candidate to the set at depth m, and list the candidates of the new set; the number of steps."""
    chosen, count = state.candidates[m, a], 0
    row = local.rows[chosen]
    state.members[m + 1], state.next_candidate[m + 1] = row, 0
    state.pair_sums[m + 1] = state.pair_sums[m] + state.sums[m, a]
    state.dual_sums[m + 1] = state.dual_sums[m] + local.duals[chosen] - count_triples(problem, state, row, 1)
    for b in range(a + 1, state.n_candidates[m]):
        j = state.candidates[m, b]
        state.candidates[m + 1, count], state.sums[m + 1, count] = j, state.sums[m, b] + local.distances[chosen, j]
        count += 1
    state.n_candidates[m + 1] = count
    return count + 1


@kernel
def count_triples(problem, state, i, step):
    """Count the triples of a record that joins the set (step 1) or leaves it (-1); the new cut duals of the set."""
    cut_duals = 0.0
    for position in range(problem.starts[i], problem.starts[i + 1]):
        triple = problem.triples[position]
        state.triple_counts[triple] += step
        if step > 0 and state.triple_counts[triple] == 2:
            cut_duals += problem.cut_duals[triple]
    return cut_duals


@kernel
def add_column(problem, state, result, m):
    """Store the set at depth m if it is a column, also for each record for which it is the best one so far."""
    saving = -set_term(state.pair_sums[m], state.dual_sums[m], m)
    if saving <= problem.slack:
        return
    if result.n_found[0] < len(result.columns):
        copy(state.members[1 : m + 1], result.columns[result.n_found[0]])
    result.n_found[0] += 1
    for a in range(1, m + 1):
        i = state.members[a]
        if saving / m > result.savings[i]:
            result.savings[i], result.sizes[i] = saving / m, m
            copy(state.members[1 : m + 1], result.groups[i])
            result.groups[i, m:] = -1


@kernel
def greedy_columns(problem, state, result, neighbors, starts):
    """From each record and each of its first neighbors, add the record of the smallest term, repeatedly."""
    for i in range(len(neighbors)):
        count = neighbors.shape[1]
        copy(neighbors[i], state.candidates[1])
        state.n_candidates[1] = count
        local = local_candidates(problem, state)
        for first in range(starts):
            state.members[1], state.pair_sums[1], state.dual_sums[1] = i, 0.0, problem.duals[i]
            for a in range(count):
                state.terms[a], state.keep[a] = squared_distance(problem.points, i, local.rows[a]), True
            grow_greedily(state, local, problem.min_size, first)
            add_column(problem, state, result, problem.min_size)


@kernel
def grow_greedily(state, local, size, chosen):
    """Add records to the set at depth 1, the chosen one first, until it has this size; ``terms`` has the sums D_j."""
    sums = state.terms
    for m in range(1, size):
        state.members[m + 1], state.keep[chosen] = local.rows[chosen], False
        state.pair_sums[m + 1] = state.pair_sums[m] + sums[chosen]
        state.dual_sums[m + 1] = state.dual_sums[m] + local.duals[chosen]
        last, best = chosen, np.inf
        for a in range(len(local.rows)):
            sums[a] += local.distances[last, a]
            term = candidate_term(sums[a], 0.0, local.duals[a], m + 2)
            if state.keep[a] and term < best:
                chosen, best = a, term
