"""Figures as people read them: which apply, what they are called, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shoal.measure import Measure, measures

Figures = Mapping[str, Any]
"""Names of measures and their figures; None where one does not apply, and words where it must not be shown."""
_FIRST = (
    *("min_class", "unique_records", "k_violations", "global_risk"),
    *("mixed_loss", "information_loss", "semantic_loss", "optimality_gap"),
)
"""The order of the headlines; all others follow as they are registered."""
_NOTHING = 1e-12
"""What is less is the rounding of a zero."""
_COUNTS = ("records", "classes")


def figure(value: Any) -> str:
    """A figure as people read it."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.4f}" if 0.001 <= abs(value) < 1e9 or abs(value) < _NOTHING else f"{value:.6g}"


def brief(value: Any, unit: str = "") -> str:
    """A figure with its unit, in few digits: for a line of a summary."""
    if value is None or isinstance(value, str):
        return figure(value)
    if abs(value) < _NOTHING:
        said = "0"
    elif isinstance(value, int):
        said = f"{value:,}"
    elif unit == "%":
        said = f"{value:,.2f}" if abs(value) >= 1 else f"{value:.2g}"
    else:
        said = f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.3g}"
    return f"{said} %" if unit == "%" else said


def titled(measure: Measure) -> str:
    """The label of a measure, with its unit where the label does not tell it."""
    return measure.label if not measure.unit or measure.unit in _COUNTS else f"{measure.label} ({measure.unit})"


def applying(family: str, *found: Figures) -> list[Measure]:
    """The measures of a family that have a figure in one of these, headlines first."""
    known = [
        measure
        for measure in measures().values()
        if measure.family == family and any(figures.get(measure.name) is not None for figures in found)
    ]
    return sorted(known, key=lambda measure: (not measure.headline, _place(measure)))


def headlines(family: str, *found: Figures) -> list[Measure]:
    """Those of them that stand in a short summary."""
    return [measure for measure in applying(family, *found) if measure.headline]


def references(evaluation: Mapping[str, Any]) -> list[str]:
    """What to cite for the figures of an evaluation."""
    by_column = [*evaluation["changes"].values(), *evaluation["disclosures"].values()]
    found = [evaluation["loss"], *evaluation["risk"].values(), evaluation["attacks"], *by_column]
    return sorted({measure.reference for measure in _all_applying(found) if measure.reference})


def _all_applying(found: Iterable[Figures]) -> list[Measure]:
    names = {name for figures in found for name, value in figures.items() if value is not None}
    return [measure for measure in measures().values() if measure.name in names]


def _place(measure: Measure) -> int:
    return _FIRST.index(measure.name) if measure.name in _FIRST else len(_FIRST)
