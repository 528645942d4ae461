"""Interpretation of the measures of a release, in plain words.

It uses the plain data of a summary, so that values hidden there stay hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.errors.messages import format_number, pluralize, quote_name, quote_names
from shoal.metrics import Measure
from shoal.metrics.registry import format_value
from shoal.report.format import headline_measures

Facts = Mapping[str, Any]
_IN_FIRST_SENTENCE = ("min_class", "k_violations")
"""Headlines that the first sentence contains."""


def interpret(facts: Facts) -> list[str]:
    """Sentences on k, then risk, attacks, sensitive columns and loss."""
    proof, figures, survey = facts["verification"], facts["evaluation"], facts["policy"]["survey"]
    collected = [_class_size_sentence(proof, survey), *(_model_sentence(check) for check in proof["models"])]
    collected += _risk_sentences(figures["risk"]["before"], figures["risk"]["after"])
    suppressed = facts["data"]["suppressed"]
    if suppressed:
        count = suppressed if isinstance(suppressed, str) else f"{suppressed:,}"
        collected.append(
            f"{count} record{'' if suppressed == 1 else 's'} lost all quasi-identifiers and hide among each other."
        )
    if survey.get("sampling_weights"):
        weight_column = quote_name(survey["sampling_weights"])
        collected.append(
            f"Means, centroids and risks are weighed by {weight_column}: the persons that each record stands for."
        )
    collected += [
        _measure_sentence(measure, figures["attacks"]) for measure in headline_measures("attack", figures["attacks"])
    ]
    for column, values in figures["disclosures"].items():
        collected += [
            _measure_sentence(measure, values, column=quote_name(column))
            for measure in headline_measures("disclosure", values)
            if values[measure.name]
        ]
    collected += [_measure_sentence(measure, figures["loss"]) for measure in headline_measures("loss", figures["loss"])]
    lost = {name: loss for name, loss in figures["columns"].items() if loss}
    if lost:
        worst = max(lost, key=lambda name: lost[name])
        collected.append(f"The column that lost most is {quote_name(worst)}: {format_value(lost[worst])} %.")
    return [sentence for sentence in [*collected, *_file_sentences(facts["policy"]["options"])] if sentence]


def _file_sentences(options: Facts) -> Iterator[str]:
    if options.get("shuffle"):
        yield "The rows are shuffled: their order depends on what they show, and tells nothing else."
    if options.get("formulas") == "neutralize":
        yield "Cells that a spreadsheet would run as formulas have an apostrophe before them in csv and tsv files."


def _risk_sentences(before: Facts, after: Facts) -> Iterator[str]:
    for measure in headline_measures("risk", after):
        sentence, before_value = _measure_sentence(measure, after), before.get(measure.name)
        if sentence and measure.name not in _IN_FIRST_SENTENCE:
            if before_value is not None:
                unit = " %" if measure.unit == "%" else ""
                text = before_value if isinstance(before_value, str) else f"{format_value(before_value)}{unit}"
                sentence = f"{sentence.removesuffix('.')} (before: {text})."
            yield sentence


def _measure_sentence(measure: Measure, figures: Facts, **facts: Any) -> str:
    """A measure as a sentence; empty if it is hidden or has no value."""
    value = figures.get(measure.name)
    return "" if isinstance(value, str) else measure.interpret(value, **facts) or ""


def _class_size_sentence(proof: Facts, survey: Facts) -> str:
    requirement = f"(k = {proof['k']} was asked)"
    if survey.get("strata"):
        requirement = f"in its stratum by {quote_names(survey['strata'])} {requirement}"
    others = "1 other" if proof["min_class"] == 2 else f"{format_number(proof['min_class'] - 1)} others"
    if proof["unit"] == "households":
        return (
            f"Every household of the {pluralize(proof['records'], 'released record')} shares its quasi-identifiers with"
            f" at least {others} {requirement}."
        )
    verb = "may have" if proof["missing"] == "wildcard" else "has"
    return (
        f"Every one of the {pluralize(proof['records'], 'released record')} {verb} the same quasi-identifiers as at"
        f" least {others} {requirement}."
    )


def _model_sentence(check: Facts) -> str:
    column, model, reached = quote_name(check["column"]), check["model"], f"{check['reached']:.3g}"
    if model.startswith("t-"):
        return (
            f"In no class does the distribution of {column} differ by more than {reached} from that of the table"
            f" ({model} was asked)."
        )
    kind = "different" if model.startswith("distinct") else "well represented"
    return f"Every class has at least {reached} {kind} values of {column} ({model} was asked)."
