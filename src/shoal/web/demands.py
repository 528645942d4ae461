"""Demands: what a form asks of a release beyond its columns, checked as `shoal.anonymize` checks it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.decisions import share, whole_seed
from shoal.errors import ColumnError, OptionError
from shoal.partition import registry
from shoal.partition.registry import AUTO
from shoal.schema import EFFORTS, FORMULAS, MISSING
from shoal.schema.columns import Kind, Role
from shoal.schema.models import Model
from shoal.values import one_of, whole_k
from shoal.web.guard import Form
from shoal.web.interface import Choices, Source

OWN = "own"
"""What a form says where a number stands in a field of its own, named ``k_own`` and so on."""
_LONGEST = 30


def demanded(form: Form, source: Source, choices: Choices, kinds: Sequence[Kind]) -> Choices:
    """The choices with what the form says; kinds are those of the quasi-identifiers.

    What the form does not mention stays. An own number that is not typed yet is no decision.
    """
    found = replace(
        choices,
        k=_k(form, choices, source),
        l=_l(form, choices, source),
        t=_t(form, choices, source),
        suppression=_suppression(form, choices),
        missing_values=one_of("missing_values", form.get("missing_values", choices.missing_values), MISSING),
        **_method(form, choices, source, kinds),
        **_boxes(form),
        **_survey(form, source, choices),
    )
    _check_budget(found, source)
    return found


def _typed(form: Form, name: str) -> str | None:
    """What a choice with an own number says; None where the form does not have it."""
    if name not in form:
        return None
    text = form.get(name)
    return (form.get(f"{name}_own") if text == OWN else text).strip()


def _k(form: Form, choices: Choices, source: Source) -> int | None:
    text = _typed(form, "k")
    if text is None:
        return choices.k
    return whole_k(whole(text, OptionError.k_not_whole()), source.records) if text else None


def _l(form: Form, choices: Choices, source: Source) -> int | None:
    text, sensitive = _typed(form, "l"), choices.named(Role.SENSITIVE, source)
    if not sensitive:
        return None
    if text is None:
        return choices.l
    if not text:
        return None
    least = whole(text, OptionError.bad_option("l", "a whole number above 1"))
    Model.read(sensitive[0], f"distinct-l({least})")
    for column in source.columns:
        if column.name in sensitive and least > column.distinct + (column.missing > 0):  # missing counts as one more
            raise OptionError.infeasible(
                f"l = {least}",
                column=column.name,
                where="the table",
                reached=f"{column.distinct} different values",
                hint="choose a smaller l",
            )
    return least


def _t(form: Form, choices: Choices, source: Source) -> float | None:
    text, sensitive = _typed(form, "t"), choices.named(Role.SENSITIVE, source)
    if not sensitive:
        return None
    if text is None:
        return choices.t
    return share("t", _point(text)) if text else None


def _suppression(form: Form, choices: Choices) -> float:
    """A share of the records; an own number is in percent."""
    text = _typed(form, "suppression")
    if text is None:
        return choices.suppression
    if form.get("suppression") != OWN:
        return share("suppression", text)
    return share("suppression (%)", _point(text), most=100) / 100 if text else 0.0


def _method(form: Form, choices: Choices, source: Source, kinds: Sequence[Kind]) -> dict[str, Any]:
    """The method, and how far local search goes; another method than ``auto`` may go without it."""
    name = _typed(form, "method") or choices.method
    if name != AUTO and not registry.find(name).takes(kinds, records=source.records):
        raise OptionError.method_does_not_fit(name)
    effort = form.get("effort", choices.effort)
    if effort or name == AUTO:
        effort = one_of("effort", effort or "balanced", EFFORTS)
    seed = form.get("seed").strip() or str(choices.seed)
    return {"method": name, "effort": effort, "seed": whole_seed(whole(seed, OptionError.no_seed()))}


def _boxes(form: Form) -> dict[str, Any]:
    """What is said by boxes: one that is not ticked is not in the form, so that this says whether they are shown."""
    if "boxes_shown" not in form:
        return {}
    exact, mixed, harmless = (form.get(name) == "yes" for name in ("exact_means", "shuffle", "neutralize"))
    return {"exact_means": exact, "shuffle": mixed, "formulas": FORMULAS[harmless]}


def _survey(form: Form, source: Source, choices: Choices) -> dict[str, Any]:
    """The columns with weights, strata and households, which the form has by their numbers."""
    if "survey" not in form:
        return {}
    quasi = choices.named(Role.QUASI_IDENTIFIER, source)
    weights, households = (_column(form.get(name), source) for name in ("sampling_weights", "households"))
    for name, what in ((weights, "the sampling weight"), (households, "the household")):
        if name in quasi:
            raise ColumnError.no_key(name, what)
    strata = [name for name in (_column(text, source) for text in form.all("strata")) if name]
    return {"sampling_weights": weights, "households": households, "strata": tuple(dict.fromkeys(strata))}


def _column(text: str, source: Source) -> str:
    """The name of the column with this number; empty where none is chosen."""
    if not text:
        return ""
    number = whole(text, OptionError.bad_option("column", "one of the list"))
    if not 0 <= number < len(source.columns):
        raise OptionError.bad_option("column", "one of the list")
    return source.columns[number].name


def _check_budget(choices: Choices, source: Source) -> None:
    """Refuse a suppression budget that k records do not fit in, where that is plain before the data is seen."""
    budget = math.floor(choices.suppression * source.records * (1 + 1e-12))
    plain = not choices.strata and not choices.households
    if plain and choices.k is not None and choices.suppression and budget < choices.k:
        raise OptionError.small_budget(
            budget=budget, of=source.records, k=choices.k, units="records", least=choices.k, stratum=False
        )


def whole(text: str, error: OptionError) -> int:
    """A whole number as people type it."""
    plain = text.strip()
    digits = plain.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST):
        raise error
    return int(plain)


def _point(text: str) -> str:
    """A number with a decimal point, where people type a comma."""
    return text.strip()[:_LONGEST].replace(",", ".")
