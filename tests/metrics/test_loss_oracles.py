"""Every loss equals its definition written out record by record, for any table and any blocks."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from naive import losses
from naive.pairs import draw
from shoal.domain import Evaluation
from shoal.metrics import MetricInputs, evaluate

SEEDS = st.integers(0, 2**32 - 1)
pair_module = sys.modules[MetricInputs.__module__]


def near(figure: float | None, *, slack: float = 1e-9) -> object:
    return figure if figure is None else pytest.approx(figure, rel=slack, abs=slack)


@example(936)
@given(SEEDS)
def test_the_losses_of_a_table(seed: int) -> None:
    pair = draw(seed)
    figures = evaluate(pair).loss
    assert figures["mixed_loss"] == near(losses.mixed_loss(pair), slack=1e-6)
    cells = [cell for column in losses.penalties(pair).values() for cell in column]
    measured = bool(pair.numeric or pair.categories)
    assert figures["ncp"] == (near(sum(cells)) if measured else None)
    assert figures["gcp"] == (near(sum(cells) / max(len(cells), 1)) if measured else None)
    steps = [step for column in losses.il1s(pair).values() for step in column]
    assert figures["il1s"] == (near(sum(steps)) if pair.numeric else None)
    assert figures["il1s_mean"] == (near(sum(steps) / max(len(steps), 1)) if pair.numeric else None)
    moved = losses.correlation_shifts(pair)
    assert figures["correlation_shift"] == near(max(moved, default=None), slack=1e-7)
    assert figures["correlation_shift_mean"] == near(sum(moved) / len(moved) if moved else None, slack=1e-7)
    bits = [losses.bits(column) for column in losses.released(pair).values()]
    unsaid, message = sum(one for one, _ in bits), sum(other for _, other in bits)
    assert figures["entropy"] == (near(100 * unsaid / message if message else 0.0) if measured else None)


@given(SEEDS)
def test_the_changes_of_its_columns(seed: int) -> None:
    pair = draw(seed)
    changes = evaluate(pair).changes
    penalties, steps, cells = losses.penalties(pair), losses.il1s(pair), losses.released(pair)
    ordered = losses.ordered(pair)
    for name, figures in changes.items():
        assert figures["certainty_penalty"] == near(sum(penalties[name]) / max(len(penalties[name]), 1))
        assert figures.get("absolute_change") == (near(np.mean(steps[name] or [0.0])) if name in steps else None)
        unsaid, message = losses.bits(cells[name])
        assert figures["entropy_lost"] == near(100 * unsaid / message if message else 0.0)
        before, after = ordered.get(name, ([], []))
        sd = losses.spread(before)
        shift = (sum(after) / len(after) - sum(before) / len(before)) / sd if sd and after else None
        assert figures["mean_shift"] == near(shift)
        assert figures["spread_kept"] == near(100 * losses.spread(after) / sd if sd and len(after) > 1 else None)
        if name in ordered:
            assert figures["distribution"] == near(losses.largest_difference(before, after))
        else:
            columns = tuple(zip(*cells[name], strict=True)) or ((), ())
            assert figures["distribution"] == near(losses.total_variation(*columns))
        column = next((column for column in pair.categories if column.name == name), None)
        first = {x for x, _ in cells[name]} - ({column.missing_code} if column else set())
        nothing = {None} if column is None else {column.missing_code, len(column.hierarchy) - 1}
        second = {y for _, y in cells[name]} - nothing
        assert figures["values_kept"] == near(100 * len(second) / len(first) if first else None)


@example(919)
@given(SEEDS)
def test_the_answers_to_queries(seed: int) -> None:
    pair = draw(seed)
    figures = evaluate(pair).loss
    assert figures["query_means"] == near(losses.query_means(pair))
    assert figures["query_tables"] == near(losses.query_tables(pair))
    assert figures["query_regression"] == near(losses.query_regression(pair), slack=1e-4)


@given(SEEDS)
def test_blocks_change_nothing(seed: int) -> None:
    pair = draw(seed)
    whole = evaluate(pair, which="all")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_module, "BLOCK_RECORDS", 7)
        parts = evaluate(draw(seed), which="all")
    assert flat(parts) == {name: near(figure, slack=1e-6) for name, figure in flat(whole).items()}


def flat(figures: Evaluation) -> dict[str, float | None]:
    """All figures of an evaluation under one name each."""
    result = {**figures.loss, **{f"after {name}": figure for name, figure in figures.after.items()}}
    for column, changes in figures.changes.items():
        result |= {f"{column} {name}": figure for name, figure in changes.items()}
    return result


@given(SEEDS)
def test_what_did_not_change_lost_nothing(seed: int) -> None:
    pair = draw(seed)
    same = evaluate(
        MetricInputs(
            quasi_identifiers=pair.quasi_identifiers,
            original_classes=pair.original_classes,
            released_classes=pair.released_classes,
            numeric=pair.numeric,
            original_values=pair.original_values,
            released_values=pair.original_values,
            scale=pair.scale,
            original_missing=pair.original_missing,
            categories=pair.categories,
            original_codes=pair.original_codes,
            released_codes=pair.original_codes,
            original_codes_missing=pair.original_codes_missing,
            sensitive=pair.sensitive,
        ),
        which="all",
    )
    losing = set(same.loss) - {"sst", "semantic_sst", "c_avg", "discernibility", "extent"}
    assert {same.loss[name] for name in losing} <= {0.0, None} or all(
        same.loss[name] is None or math.isclose(same.loss[name], 0.0, abs_tol=1e-9) for name in losing
    )
    for figures in same.changes.values():
        assert figures["values_kept"] in (100.0, None)
        assert figures["spread_kept"] in (None, pytest.approx(100.0))
