"""Registry of metrics.

A metric is a function under one of five decorators:

* ``@loss`` compares the released quasi-identifiers with the original ones;
* ``@risk`` uses the equivalence classes, before and after the release;
* ``@attack`` simulates an attack on the release;
* ``@change`` gives a value per quasi-identifier;
* ``@disclosure`` gives a value per sensitive column.

``partial`` is a function from a block of records to a NamedTuple of partial sums (see `partial_sums`); metrics that
share it share its result. The metric itself finalizes: it turns the merged sums and the `TableFacts` into its value.
Partial functions receive a `MetricInputs`, those of risks an `EquivalenceClasses`. Those of disclosures receive the
`ClassDistribution` of one column in whole classes, and the metric only the merged sums of that column. A metric without
``partial`` receives the whole inputs. ``searching`` marks slow metrics, which only run on request. A value that does
not apply is None.
"""

from __future__ import annotations

import functools
import inspect
import math
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from shoal.errors import OptionError
from shoal.errors.messages import format_number

F = TypeVar("F", bound=Callable[..., Any])
_MAX_DECIMAL_ATTEMPTS = 10
"""Numbers of attempts below this are printed with one decimal."""
_ZERO_TOLERANCE = 1e-12
FAMILIES = ("loss", "risk", "attack", "change", "disclosure")


@dataclass(frozen=True, kw_only=True)
class Measure:
    name: str
    """Key in an evaluation."""
    family: str
    label: str
    unit: str = ""
    """``%``, ``records`` or ``classes``; empty for a bare number."""
    formula: str
    range: str
    good: str
    reference: str
    sentence: str
    """Plain-language template: ``{figure}`` is the value, ``{one_in}`` the number of attempts."""
    headline: bool = False
    """Whether a short summary shows it."""
    searching: bool = False
    """Whether it is slow and only runs on request."""
    partial: Callable[[Any], Any] | None = None
    finalize: Callable[..., Any]

    @property
    def summary(self) -> str:
        """One-line description."""
        return (inspect.getdoc(self.finalize) or "").partition("\n")[0]

    @property
    def notes(self) -> str:
        """Further description; usually empty."""
        return (inspect.getdoc(self.finalize) or "").partition("\n")[2].strip()

    def interpret(self, figure: float | None, **facts: Any) -> str | None:
        """Interpret a value in plain language; None if it does not apply."""
        if figure is None:
            return None
        fraction = figure / 100 if self.unit == "%" else figure
        attempts = 1 / fraction if fraction > 0 else math.inf
        one_in = "infinitely many"
        if attempts < math.inf:
            one_in = format_number(round(attempts, 1 if attempts < _MAX_DECIMAL_ATTEMPTS else 0))
        return self.sentence.format(figure=format_value(figure), one_in=one_in, **facts)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        keys = ("name", "family", "label", "unit", "summary", "formula", "range", "good", "reference", "searching")
        return {name: getattr(self, name) for name in keys}


def format_value(figure: float) -> str:
    """Format a value for a sentence: counts in full, all else with three digits, rounding noise as 0."""
    if isinstance(figure, int):
        return f"{figure:,}"
    if abs(figure) < _ZERO_TOLERANCE:
        return "0"
    return f"{figure:,.0f}" if 1e3 <= abs(figure) < 1e6 else f"{figure:.3g}"


_registry: dict[str, Measure] = {}


def _register(family: str, **facts: Any) -> Callable[[F], F]:
    """Register the decorated function as a metric, from the fields of `Measure`."""

    def register(finalize: F) -> F:
        measure = Measure(family=family, finalize=finalize, **facts)
        if measure.name in _registry:
            raise ValueError(f"there are two measures of the name {measure.name!r}")
        _registry[measure.name] = measure
        return finalize

    return register


loss = functools.partial(_register, "loss")
risk = functools.partial(_register, "risk")
attack = functools.partial(_register, "attack")
change = functools.partial(_register, "change")
disclosure = functools.partial(_register, "disclosure")


@functools.cache
def measures() -> Mapping[str, Measure]:
    """Return all metrics by name, family by family."""
    package = import_module("shoal.metrics")
    for module in pkgutil.iter_modules(package.__path__, "shoal.metrics."):
        import_module(module.name)
    order = {family: place for place, family in enumerate(FAMILIES)}
    return dict(sorted(_registry.items(), key=lambda item: (order[item[1].family], item[0])))


def get_measure(name: str) -> Measure:
    """Return the metric with this name."""
    if name not in measures():
        raise OptionError.unknown_choice("measure", name, list(measures()))
    return measures()[name]
