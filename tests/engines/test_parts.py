"""Parts from leaf counts, and the positions of records in them, for leaves of any size."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.domain import ModelConstraints
from shoal.domain.constraints import DISTINCT
from shoal.engines.parts import Slice, part_positions, split_into_parts
from shoal.microaggregation.cut_tree import build_cut_tree


def plan_of(leaves: int, *, piece: int, k: int, least: int | None) -> Any:
    """Return the attributes of a plan that determine the parts."""
    cuts = build_cut_tree(np.arange(leaves, dtype=np.float64)[:, None], max_size=1, min_size=1)
    assert cuts.n_blocks == leaves
    sensitive = None
    if least is not None:
        demands = ModelConstraints(
            codes=np.zeros((0, 1), dtype=np.int64),
            value_offsets=np.array([0, 3]),
            column=np.array([0]),
            rule=np.array([DISTINCT]),
            threshold=np.array([float(least)]),
            factor=np.array([1.0]),
            frequencies=np.full(3, 1 / 3),
            node_offsets=np.array([0, 0]),
            parent=np.array([], dtype=np.int64),
            height=np.array([], dtype=np.float64),
        )
        sensitive = SimpleNamespace(constraints=demands)
    return SimpleNamespace(
        cuts=cuts,
        part_size=piece,
        policy=SimpleNamespace(k=k),
        sensitive_encoder=sensitive,
        strata=np.empty(0, dtype=np.int64),
        n_leaves=leaves,
    )


@st.composite
def tables(draw: Any) -> tuple[list[Any], int, int, bool]:
    """Draw the sensitive values of each leaf, the size of a part, k, and whether there is a privacy model."""
    some = st.lists(st.integers(0, 2), max_size=30)
    many = st.integers(100, 900).flatmap(
        lambda n: st.lists(st.integers(0, 2), min_size=4, max_size=9).map(lambda v: (v * n)[:n])
    )
    leaves = draw(st.lists(st.one_of(some, many), min_size=1, max_size=7))
    return leaves, draw(st.integers(20, 150)), draw(st.integers(2, 4)), draw(st.booleans())


@given(tables())
def test_every_record_has_one_piece_that_can_hide_it(table: tuple[list[Any], int, int, bool]) -> None:
    leaves, piece, k, asked = table
    values = [np.array(leaf, dtype=np.int64) for leaf in leaves]
    tallies = np.array([np.bincount(leaf, minlength=3) for leaf in values])
    if not tallies.sum() or (asked and (tallies.sum(axis=0) > 0).sum() < 2):
        return
    plan = plan_of(len(leaves), piece=piece, k=k, least=2 if asked else None)
    found = split_into_parts(
        plan,
        [len(leaf) for leaf in values],
        tallies,
        lambda slices: np.array([np.bincount(values[s.leaf][s.start : s.stop], minlength=3) for s in slices]),
    )
    # every record once
    seen = [[0] * len(leaf) for leaf in leaves]
    for part in (part for one in found for part in one):
        for at in range(part.start, part.stop):
            seen[part.leaf][at] += 1
    assert all(times == 1 for leaf in seen for times in leaf)
    # none is too small, and each has what is asked
    records = sum(len(leaf) for leaf in leaves)
    for one in found:
        size = sum(part.stop - part.start for part in one)
        assert size >= min(20 * k, piece // 2, records)
        if asked:
            held = sum(np.bincount(values[part.leaf][part.start : part.stop], minlength=3) for part in one)
            assert (held > 0).sum() >= 2
    _check_positions(found, values)


@given(tables())
def test_parts_with_households_are_counted_in_households(table: tuple[list[Any], int, int, bool]) -> None:
    leaves, piece, k, _ = table
    households = [-(-len(leaf) // 3) for leaf in leaves]
    if not sum(households):
        return
    plan = plan_of(len(leaves), piece=piece, k=k, least=None)
    counts = np.zeros((len(leaves), 0), dtype=np.int64)
    found = split_into_parts(plan, [*map(len, leaves)], counts, lambda _: counts, households=households)
    whole = sorted((leaf, 0, len(values)) for leaf, values in enumerate(leaves) if values)
    assert sorted(each for part in found for each in part) == whole
    least = min(20 * k, piece, sum(households))
    assert all(sum(households[each.leaf] for each in part) >= least for part in found)


def _check_positions(found: list[list[Slice]], values: list[Any]) -> None:
    """Check that the position of each record leads to the part of its slice, for any order of the table."""
    leaf = np.concatenate([np.full(len(each), number) for number, each in enumerate(values)])
    rows = np.random.default_rng(len(leaf)).permutation(len(leaf))
    where = part_positions(found, len(values))
    starts = {
        number: np.array([np.sort(rows[leaf == number])[rank] for rank in ranks])
        for number, ranks in where.ranks.items()
    }
    where = type(where)(where.first, where.part, where.slices, where.ranks, starts)
    at = where.of(leaf, rows)
    expected = np.empty_like(at)
    number = 0
    for piece, one in enumerate(found):
        for part in one:
            mine = np.flatnonzero(leaf == part.leaf)
            some = mine[np.argsort(rows[mine])][part.start : part.stop]
            expected[some] = number
            assert (where.part[at[some]] == piece).all()
            number += 1
    assert (at == expected).all()
