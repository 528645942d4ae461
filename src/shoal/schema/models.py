"""Privacy models: what is asked of the sensitive values of every group, beyond k."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from shoal.errors import OptionError

FORMS = ("distinct-l(L)", "entropy-l(L)", "recursive-l(C,L)", "t-equal(T)", "t-ordered(T)", "t-hierarchical(T)")
"""How a model is written; L is a number above 1, C one above 0, T one from 0 to 1."""
_WRITTEN = re.compile(r"\s*([a-z]+-[a-z]+)\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class Model:
    """One demand on one sensitive column."""

    column: str
    name: str
    """``distinct-l``, ``entropy-l``, ``recursive-l``, ``t-equal``, ``t-ordered`` or ``t-hierarchical``."""
    least: float
    """l, or for closeness t, which is the most."""
    factor: float = 1.0
    """c of ``recursive-l``."""

    @property
    def close(self) -> bool:
        """Whether it asks that the groups are like the table, and not that they are diverse."""
        return self.name.startswith("t-")

    @property
    def written(self) -> str:
        """As a user writes it."""
        numbers = (self.factor, self.least) if self.name == "recursive-l" else (self.least,)
        return f"{self.name}({','.join(repr(number).removesuffix('.0') for number in numbers)})"

    @classmethod
    def read(cls, column: str, text: Any) -> Self:
        """The model that is written like ``distinct-l(3)``, ``recursive-l(2,3)`` or ``t-ordered(0.2)``."""
        found = _WRITTEN.fullmatch(text) if isinstance(text, str) else None
        try:
            numbers = [float(number) for number in found[2].split(",")] if found else []
        except ValueError:
            numbers = []
        name, wanted = found[1] if found else "", 2 if found and found[1] == "recursive-l" else 1
        known = name in {form.partition("(")[0] for form in FORMS}
        if not known or len(numbers) != wanted or not all(map(math.isfinite, numbers)):
            raise OptionError.unknown_model(text, FORMS)
        model = cls(column, name, numbers[-1], numbers[0] if wanted == 2 else 1.0)
        model._check()
        return model

    def _check(self) -> None:
        if self.close and not 0 <= self.least <= 1:
            raise OptionError.model_out_of_range(self.written, "t from 0 to 1")
        if not self.close and not self.least > 1:
            raise OptionError.model_out_of_range(self.written, "l above 1")
        if self.name in ("distinct-l", "recursive-l") and self.least != int(self.least):
            raise OptionError.model_out_of_range(self.written, "l as a whole number")
        if self.factor <= 0:
            raise OptionError.model_out_of_range(self.written, "c above 0")


def read_models(given: Any) -> tuple[Model, ...]:
    """Models as a user gives them: for each sensitive column one text, or several."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise OptionError.bad_option(
            "models", "one or several for each sensitive column, as {'column': 'distinct-l(2)'}"
        )
    found: list[Model] = []
    for column, texts in given.items():
        several = [texts] if isinstance(texts, str) or not isinstance(texts, Iterable) else list(texts)
        found += [Model.read(str(column), text) for text in several]
    return tuple(dict.fromkeys(found))
