"""An evaluation from the partial sums of parts equals that of the whole table."""

from __future__ import annotations

import math

import numpy as np
import pytest

import shoal
from shoal.metrics.evaluate import ClassSizeCounts, compute_part_sums, evaluate_parts
from shoal.metrics.partial_sums import KeyedCounts


@pytest.mark.parametrize("rows", [37, 250, 1000])
@pytest.mark.parametrize("recode", [None, "generalize"])
def test_sums_of_pieces_tell_what_the_whole_tells(rows: int, recode: str | None) -> None:
    table = shoal.example_register(1000)
    release = shoal.anonymize(
        table,
        k=4,
        quasi_identifiers=["age", "height_cm", "sex", "region", "birth_date"],
        identifiers=["person_id", "name"],
        method="mondrian",
        recode=recode,
        max_suppression=0.02,
    )
    pair, whole = release.metric_inputs, release.evaluation
    sums = [compute_part_sums(pair.take(slice(start, start + rows))) for start in range(0, pair.records, rows)]
    before, after = (
        KeyedCounts.of(np.bincount(classes.labels)) for classes in (pair.original_classes, pair.released_classes)
    )
    result = evaluate_parts(
        sums,
        pair.facts,
        before=ClassSizeCounts(before),
        after=ClassSizeCounts(after, n_suppressed=release.partition.n_suppressed),
        base=whole.base,
        distance=whole.distance,
    )
    for mine, theirs in ((result.loss, whole.loss), (result.before, whole.before), (result.after, whole.after)):
        assert mine
        for name, figure in mine.items():
            assert _same(figure, theirs[name]), name
    assert result.changes
    for column, figures in result.changes.items():
        for name, figure in figures.items():
            assert _same(figure, whole.changes[column][name]), (column, name)
    assert {"information_loss", "c_avg", "discernibility"} <= result.loss.keys()


def _same(one: float | None, other: float | None) -> bool:
    return one is other or (
        one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    )
