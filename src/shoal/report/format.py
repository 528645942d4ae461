"""Format measures for people: which ones apply, their labels, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.metrics import Measure, measures

Figures = Mapping[str, Any]
"""Values of measures by name; None if a measure does not apply, and text if the value is hidden."""
_FIRST = (
    *("min_class", "unique_records", "k_violations", "global_risk"),
    *("mixed_loss", "information_loss", "semantic_loss", "optimality_gap"),
)
"""The order of the headlines; all others follow as they are registered."""
_ZERO = 1e-12
"""Smaller values are rounding errors of zero."""
_COUNTS = ("records", "classes")


def format_value(value: Any) -> str:
    """Format a value in full."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.4f}" if 0.001 <= abs(value) < 1e9 or abs(value) < _ZERO else f"{value:.6g}"


def format_brief(value: Any, unit: str = "") -> str:
    """Format a value with its unit in few digits, for summaries."""
    if value is None or isinstance(value, str):
        return format_value(value)
    if abs(value) < _ZERO:
        text = "0"
    elif isinstance(value, int):
        text = f"{value:,}"
    elif unit == "%":
        text = f"{value:,.2f}" if abs(value) >= 1 else f"{value:.2g}"
    else:
        text = f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.3g}"
    return f"{text} %" if unit == "%" else text


def label_with_unit(measure: Measure) -> str:
    """Label of a measure, with its unit if the label does not contain it."""
    return measure.label if not measure.unit or measure.unit in _COUNTS else f"{measure.label} ({measure.unit})"


def applicable_measures(family: str, *values: Figures) -> list[Measure]:
    """Measures of a family with a value in one of these, headlines first."""
    known = [
        measure
        for measure in measures().values()
        if measure.family == family and any(figures.get(measure.name) is not None for figures in values)
    ]
    rank = {name: place for place, name in enumerate(_FIRST)}
    return sorted(known, key=lambda measure: (not measure.headline, rank.get(measure.name, len(_FIRST))))


def headline_measures(family: str, *values: Figures) -> list[Measure]:
    """Measures of `applicable_measures` for short summaries."""
    return [measure for measure in applicable_measures(family, *values) if measure.headline]


def citations(evaluation: Mapping[str, Any]) -> list[str]:
    """Literature to cite for the measures of an evaluation."""
    by_column = [*evaluation["changes"].values(), *evaluation["disclosures"].values()]
    families = [evaluation["loss"], *evaluation["risk"].values(), evaluation["attacks"], *by_column]
    names = {name for figures in families for name, value in figures.items() if value is not None}
    return sorted({measure.reference for measure in measures().values() if measure.name in names and measure.reference})
