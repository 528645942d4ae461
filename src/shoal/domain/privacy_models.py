"""Privacy models: constraints on the sensitive values of every class, beyond k."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from shoal.errors import OptionError
from shoal.options.table import MODEL_FORMS

_PATTERN = re.compile(r"\s*([a-z]+-[a-z]+)\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class PrivacyModel:
    """One privacy model of one sensitive column."""

    column: str
    name: str
    """``distinct-l``, ``entropy-l``, ``recursive-l``, ``t-equal``, ``t-ordered`` or ``t-hierarchical``."""
    threshold: float
    """l, or the maximum t of a closeness model."""
    factor: float = 1.0
    """c of ``recursive-l``."""

    @property
    def is_closeness(self) -> bool:
        """Whether it is a closeness model and not a diversity model."""
        return self.name.startswith("t-")

    @property
    def notation(self) -> str:
        """The notation of the user."""
        numbers = (self.factor, self.threshold) if self.name == "recursive-l" else (self.threshold,)
        return f"{self.name}({','.join(repr(number).removesuffix('.0') for number in numbers)})"

    @classmethod
    def parse(cls, column: str, text: Any) -> Self:
        """Parse a model such as ``distinct-l(3)``, ``recursive-l(2,3)`` or ``t-ordered(0.2)``."""
        match = _PATTERN.fullmatch(text) if isinstance(text, str) else None
        try:
            numbers = [float(number) for number in match[2].split(",")] if match else []
        except ValueError:
            numbers = []
        name, expected = match[1] if match else "", 2 if match and match[1] == "recursive-l" else 1
        known = name in {form.partition("(")[0] for form in MODEL_FORMS}
        if not known or len(numbers) != expected or not all(map(math.isfinite, numbers)):
            raise OptionError.unknown_model(text, MODEL_FORMS)
        model = cls(column, name, numbers[-1], numbers[0] if expected == 2 else 1.0)
        model._check()
        return model

    def _check(self) -> None:
        if self.is_closeness and not 0 <= self.threshold <= 1:
            raise OptionError.model_out_of_range(self.notation, "t from 0 to 1")
        if not self.is_closeness and not self.threshold > 1:
            raise OptionError.model_out_of_range(self.notation, "l above 1")
        if self.name in ("distinct-l", "recursive-l") and self.threshold != int(self.threshold):
            raise OptionError.model_out_of_range(self.notation, "l as a whole number")
        if self.factor <= 0:
            raise OptionError.model_out_of_range(self.notation, "c above 0")


def models_by_column(models: Iterable[PrivacyModel]) -> dict[str, list[str]]:
    """Return the notations of models by sensitive column, as `parse_models` takes them."""
    notations: dict[str, list[str]] = {}
    for model in models:
        notations.setdefault(model.column, []).append(model.notation)
    return notations


def parse_models(models: Any) -> tuple[PrivacyModel, ...]:
    """Parse models as given by the user: one or several per sensitive column."""
    if models is None:
        return ()
    if not isinstance(models, Mapping):
        raise OptionError.invalid_value(
            "models", "one or several for each sensitive column, as {'column': 'distinct-l(2)'}"
        )
    parsed: list[PrivacyModel] = []
    for column, texts in models.items():
        listed = [texts] if isinstance(texts, str) or not isinstance(texts, Iterable) else list(texts)
        parsed += [PrivacyModel.parse(str(column), text) for text in listed]
    return tuple(dict.fromkeys(parsed))
