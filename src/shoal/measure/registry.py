"""The registry of measures: the door of this room.

A measure is a function under one of five decorators:

* ``@loss`` compares the released quasi-identifiers with the original ones;
* ``@risk`` looks at the classes, once before and once after the release;
* ``@attack`` tries on the release what an outsider could;
* ``@change`` tells for each quasi-identifier what happened to it;
* ``@disclosure`` tells for each sensitive column what the classes give away about it.

A measure names its ``part``: a function from a block of records to a NamedTuple of sums (see `sums`). It is called
once a block, whatever the number of measures that share it; the measure itself turns the sums of all blocks and the
facts of the table into its figure. Parts see a `Pair`, those of risks a `Classes`. A measure that no sums tell has no
part and looks at the whole pair; one that takes long for that is ``searching`` and only run where it is asked for. A
figure that does not apply is None.
"""

from __future__ import annotations

import inspect
import math
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeVar

from shoal.errors import OptionError
from shoal.words import number

F = TypeVar("F", bound=Callable[..., Any])
_FEW = 10
"""Tries that are told with a digit behind the point."""
_NOTHING = 1e-12
FAMILIES = ("loss", "risk", "attack", "change", "disclosure")


@dataclass(frozen=True)
class Measure:
    name: str
    family: str
    label: str
    """As a table names it."""
    unit: str
    """``%``, ``records``, ``classes``; empty for a bare number."""
    formula: str
    range: str
    good: str
    reference: str
    sentence: str
    """What a figure means, in plain words; ``{figure}`` is the figure, ``{one_in}`` the number of tries it takes."""
    headline: bool
    """Whether it stands in a short summary."""
    searching: bool
    """Whether it takes long, and is only run where it is asked for."""
    part: Callable[[Any], Any] | None
    finish: Callable[..., Any]

    @property
    def summary(self) -> str:
        """What it is, in one line."""
        return (inspect.getdoc(self.finish) or "").partition("\n")[0]

    @property
    def notes(self) -> str:
        """What else there is to know about it; mostly nothing."""
        return (inspect.getdoc(self.finish) or "").partition("\n")[2].strip()

    def said(self, figure: float | None, **facts: Any) -> str | None:
        """The figure in plain words; None where it does not apply."""
        if figure is None:
            return None
        share = figure / 100 if self.unit == "%" else figure
        tries = 1 / share if share > 0 else math.inf
        one_in = number(round(tries, 1 if tries < _FEW else 0)) if tries < math.inf else "infinitely many"
        return self.sentence.format(figure=digits(figure), one_in=one_in, **facts)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        plain = ("name", "family", "label", "unit", "summary", "formula", "range", "good", "reference", "searching")
        return {name: getattr(self, name) for name in plain}


def digits(figure: float) -> str:
    """A figure in a sentence: counts as they are, all else with three digits; a zero without its rounding."""
    if isinstance(figure, int):
        return f"{figure:,}"
    if abs(figure) < _NOTHING:
        return "0"
    return f"{figure:,.0f}" if 1e3 <= abs(figure) < 1e6 else f"{figure:.3g}"


_known: dict[str, Measure] = {}


def _measure(
    family: str,
    *,
    name: str,
    label: str,
    formula: str,
    range: str,
    good: str,
    reference: str,
    sentence: str,
    unit: str = "",
    headline: bool = False,
    searching: bool = False,
    part: Callable[[Any], Any] | None = None,
) -> Callable[[F], F]:
    """Register the function below; names are those of an evaluation, and each stands for one figure."""

    def register(finish: F) -> F:
        if name in _known:
            raise ValueError(f"there are two measures of the name {name!r}")
        facts = (name, family, label, unit, formula, range, good, reference, sentence)
        _known[name] = Measure(*facts, headline, searching, part, finish)
        return finish

    return register


loss = partial(_measure, "loss")
risk = partial(_measure, "risk")
attack = partial(_measure, "attack")
change = partial(_measure, "change")
disclosure = partial(_measure, "disclosure")


@cache
def measures() -> Mapping[str, Measure]:
    """Every measure by name, family after family."""
    package = import_module("shoal.measure")
    for module in pkgutil.iter_modules(package.__path__, "shoal.measure."):
        import_module(module.name)
    order = {family: place for place, family in enumerate(FAMILIES)}
    return dict(sorted(_known.items(), key=lambda item: (order[item[1].family], item[0])))


def find(name: str) -> Measure:
    """The measure of this name."""
    if name not in measures():
        raise OptionError.unknown_choice("measure", name, list(measures()))
    return measures()[name]
