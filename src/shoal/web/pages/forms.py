"""Read the form of protection options, with the checks of `shoal.anonymize`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.domain import EFFORTS, FORMULA_POLICIES, MISSING_POLICIES, check_choice, check_k
from shoal.domain.columns import Kind, Role
from shoal.domain.privacy_models import PrivacyModel
from shoal.errors import ColumnError, OptionError
from shoal.microaggregation import registry
from shoal.microaggregation.registry import AUTO
from shoal.release.options import check_fraction, check_seed
from shoal.web.http.security import Form
from shoal.web.projects.model import ReleaseChoices, SourceFile

CUSTOM = "own"
"""Form value that refers to a field with a custom number, named ``k_own`` and so on."""
_MAX_DIGITS = 30


def choices_from_form(form: Form, source: SourceFile, choices: ReleaseChoices, kinds: Sequence[Kind]) -> ReleaseChoices:
    """Return the options changed by a form; kinds are those of the quasi-identifiers.

    Fields that the form lacks stay unchanged. An empty custom number leaves the option undecided.
    """
    updated = replace(
        choices,
        k=_k(form, choices, source),
        l=_l(form, choices, source),
        t=_t(form, choices, source),
        suppression=_suppression(form, choices),
        missing_values=check_choice(
            "missing_values", form.get("missing_values", choices.missing_values), MISSING_POLICIES
        ),
        **_method(form, choices, source, kinds),
        **_checkboxes(form),
        **_survey(form, source, choices),
    )
    _check_budget(updated, source)
    return updated


def _option_text(form: Form, name: str) -> str | None:
    """Return the text of an option with a custom number; None if the form does not have it."""
    if name not in form:
        return None
    text = form.get(name)
    return (form.get(f"{name}_own") if text == CUSTOM else text).strip()


def _k(form: Form, choices: ReleaseChoices, source: SourceFile) -> int | None:
    text = _option_text(form, "k")
    if text is None:
        return choices.k
    return check_k(parse_integer(text, OptionError.k_not_integer()), source.records) if text else None


def _l(form: Form, choices: ReleaseChoices, source: SourceFile) -> int | None:
    text, sensitive = _option_text(form, "l"), choices.columns_with_role(Role.SENSITIVE, source)
    if not sensitive:
        return None
    if text is None:
        return choices.l
    if not text:
        return None
    minimum = parse_integer(text, OptionError.invalid_value("l", "a whole number above 1"))
    PrivacyModel.parse(sensitive[0], f"distinct-l({minimum})")
    for column in source.columns:
        if column.name in sensitive and minimum > column.distinct + (column.missing > 0):  # missing is a value
            raise OptionError.infeasible(
                f"l = {minimum}",
                column=column.name,
                where="the table",
                reached=f"{column.distinct} different values",
                hint="choose a smaller l",
            )
    return minimum


def _t(form: Form, choices: ReleaseChoices, source: SourceFile) -> float | None:
    text, sensitive = _option_text(form, "t"), choices.columns_with_role(Role.SENSITIVE, source)
    if not sensitive:
        return None
    if text is None:
        return choices.t
    return check_fraction("t", _with_decimal_point(text)) if text else None


def _suppression(form: Form, choices: ReleaseChoices) -> float:
    """Return a fraction of the records; a custom number is a percentage."""
    text = _option_text(form, "suppression")
    if text is None:
        return choices.suppression
    if form.get("suppression") != CUSTOM:
        return check_fraction("suppression", text)
    return check_fraction("suppression (%)", _with_decimal_point(text), max_value=100) / 100 if text else 0.0


def _method(form: Form, choices: ReleaseChoices, source: SourceFile, kinds: Sequence[Kind]) -> dict[str, Any]:
    """Return the method and the effort of local search; only ``auto`` requires an effort."""
    name = _option_text(form, "method") or choices.method
    if name != AUTO and not registry.get_method(name).supports(kinds, records=source.records):
        raise OptionError.method_not_applicable(name)
    effort = form.get("effort", choices.effort)
    if effort or name == AUTO:
        effort = check_choice("effort", effort or "balanced", EFFORTS)
    seed = form.get("seed").strip() or str(choices.seed)
    return {"method": name, "effort": effort, "seed": check_seed(parse_integer(seed, OptionError.seed_not_integer()))}


def _checkboxes(form: Form) -> dict[str, Any]:
    """Return the options of checkboxes. Browsers omit an unticked box, so a hidden field marks the form."""
    if "boxes_shown" not in form:
        return {}
    exact_means, shuffle, neutralize = (form.get(name) == "yes" for name in ("exact_means", "shuffle", "neutralize"))
    return {"exact_means": exact_means, "shuffle": shuffle, "formulas": FORMULA_POLICIES[neutralize]}


def _survey(form: Form, source: SourceFile, choices: ReleaseChoices) -> dict[str, Any]:
    """Return the columns with weights, strata and households, which the form gives by number."""
    if "survey" not in form:
        return {}
    quasi_identifiers = choices.columns_with_role(Role.QUASI_IDENTIFIER, source)
    weights, households = (_column(form.get(name), source) for name in ("sampling_weights", "households"))
    for name, what in ((weights, "the sampling weight"), (households, "the household")):
        if name in quasi_identifiers:
            raise ColumnError.quasi_identifier_in_design(name, what)
    strata = [name for name in (_column(text, source) for text in form.all("strata")) if name]
    return {"sampling_weights": weights, "households": households, "strata": tuple(dict.fromkeys(strata))}


def _column(text: str, source: SourceFile) -> str:
    """Return the name of the column with this number; empty if none is selected."""
    if not text:
        return ""
    number = parse_integer(text, OptionError.invalid_value("column", "one of the list"))
    if not 0 <= number < len(source.columns):
        raise OptionError.invalid_value("column", "one of the list")
    return source.columns[number].name


def _check_budget(choices: ReleaseChoices, source: SourceFile) -> None:
    """Refuse a suppression budget below k, where that is certain before the data is read."""
    budget = math.floor(choices.suppression * source.records * (1 + 1e-12))
    ungrouped = not choices.strata and not choices.households
    if ungrouped and choices.k is not None and choices.suppression and budget < choices.k:
        raise OptionError.suppression_budget_too_small(
            budget=budget, of=source.records, k=choices.k, units="records", min_budget=choices.k, stratum=False
        )


def parse_integer(text: str, error: OptionError) -> int:
    """Parse an integer."""
    stripped = text.strip()
    digits = stripped.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS):
        raise error
    return int(stripped)


def _with_decimal_point(text: str) -> str:
    """Return a number with a decimal point, also if typed with a comma."""
    return text.strip()[:_MAX_DIGITS].replace(",", ".")
