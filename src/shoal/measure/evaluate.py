"""An evaluation: every registered measure on one release."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.measure.registry import Classes, Comparison, Meaning, measures
from shoal.measure.semantic import semantic_loss
from shoal.measure.squared_error import information_loss
from shoal.schema.columns import Kind
from shoal.values import BoolMatrix, Evaluation, FloatMatrix, Scale


def evaluate(
    *,
    names: tuple[str, ...],
    before: Classes,
    after: Classes,
    numeric: Sequence[str] = (),
    values: tuple[FloatMatrix, FloatMatrix] | None = None,
    scale: Scale | None = None,
    meaning: Meaning | None = None,
    gaps: BoolMatrix | None = None,
    distance: str | None = None,
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Every measure, on the classes before and after and on the original and the released values.

    ``values`` are those of the ``numeric`` columns on their ``scale``, with stand-ins where they had ``gaps``;
    ``meaning`` are the other columns, whose hierarchies were read by ``distance``.
    """
    losses, risks = measures()
    columns: dict[str, float] = {}
    original = released = None
    unit = 1.0
    if values is not None and scale is not None and numeric:
        original, released, unit = scale.apply(values[0]), scale.apply(values[1]), scale.unit
        for j, name in enumerate(numeric):
            columns[name] = information_loss(original[:, j], released[:, j])
    for j, column in enumerate(meaning.categories if meaning else ()):
        columns[column.name] = semantic_loss(meaning.column(j)) if meaning else 0.0
    comparison = Comparison(original, released, unit, after, meaning, gaps)
    return Evaluation(
        records=after.records,
        k=after.k,
        quasi_identifiers=names,
        base=scale.name if scale and original is not None else "none",
        distance=_named(meaning, distance),
        loss={name: measure.figure(comparison) for name, measure in losses.items()},
        before={name: measure.figure(before) for name, measure in risks.items()},
        after={name: measure.figure(after) for name, measure in risks.items()},
        columns={name: columns[name] for name in names if name in columns},
        notes=notes,
    )


def _named(meaning: Meaning | None, distance: str | None) -> str | None:
    """How distances between categories were measured; without a hierarchy there are equality and ranks only."""
    if meaning is None:
        return None
    hierarchical = any(column.kind is Kind.HIERARCHICAL for column in meaning.categories)
    return distance if hierarchical else "rank or equality"
