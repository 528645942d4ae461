"""An evaluation: every registered measure on one release."""

from __future__ import annotations

from shoal.measure.registry import Classes, Comparison, measures
from shoal.measure.squared_error import information_loss
from shoal.values import Evaluation, FloatMatrix, IntVector, Scale


def evaluate(
    *,
    names: tuple[str, ...],
    k: int | None,
    before: IntVector,
    after: IntVector,
    values: tuple[FloatMatrix, FloatMatrix] | None,
    scale: Scale | None,
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Every measure, on the class sizes before and after and on the original and the released numbers."""
    losses, risks = measures()
    was, now = Classes(before, k), Classes(after, k)
    columns: dict[str, float] = {}
    comparison = Comparison(None, None, 1.0, now)
    if values is not None and scale is not None:
        original, released = scale.apply(values[0]), scale.apply(values[1])
        comparison = Comparison(original, released, scale.unit, now)
        for j, name in enumerate(names):
            columns[name] = information_loss(original[:, j], released[:, j])
    return Evaluation(
        records=len(after),
        k=k,
        quasi_identifiers=names,
        base=scale.name if scale else "none",
        loss={name: measure.figure(comparison) for name, measure in losses.items()},
        before={name: measure.figure(was) for name, measure in risks.items()},
        after={name: measure.figure(now) for name, measure in risks.items()},
        columns=columns,
        notes=notes,
    )
