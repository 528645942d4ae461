"""What the figures of a release mean, in plain words. Works on plain data, so that what is hidden there stays so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.measure import Measure
from shoal.measure.registry import digits
from shoal.report.figures import headlines
from shoal.words import counted, listed, number, shown

Facts = Mapping[str, Any]
_TOLD = ("min_class", "k_violations")
"""Headlines that the first sentence tells."""


def sentences(facts: Facts) -> list[str]:
    """The verdict first, then risk, attacks, sensitive columns and loss."""
    proof, figures, survey = facts["verification"], facts["evaluation"], facts["policy"]["survey"]
    said = [_hidden(proof, survey), *(_model(check) for check in proof["models"])]
    said += _risks(figures["risk"]["before"], figures["risk"]["after"])
    suppressed = facts["data"]["suppressed"]
    if suppressed:
        who = suppressed if isinstance(suppressed, str) else f"{suppressed:,}"
        said.append(
            f"{who} record{'' if suppressed == 1 else 's'} lost all quasi-identifiers and hide among each other."
        )
    if survey.get("sampling_weights"):
        weighing = shown(survey["sampling_weights"])
        said.append(f"Means, centroids and risks are weighed by {weighing}: the persons that each record stands for.")
    said += [_said(measure, figures["attacks"]) for measure in headlines("attack", figures["attacks"])]
    for column, found in figures["disclosures"].items():
        said += [
            _said(measure, found, column=shown(column))
            for measure in headlines("disclosure", found)
            if found[measure.name]
        ]
    said += [_said(measure, figures["loss"]) for measure in headlines("loss", figures["loss"])]
    lost = {name: loss for name, loss in figures["columns"].items() if loss}
    if lost:
        worst = max(lost, key=lambda name: lost[name])
        said.append(f"The column that lost most is {shown(worst)}: {digits(lost[worst])} %.")
    return [sentence for sentence in [*said, *_file(facts["policy"]["options"])] if sentence]


def _file(options: Facts) -> Iterator[str]:
    """What was done to the file as a whole."""
    if options.get("shuffle"):
        yield "The rows are shuffled: their order depends on what they show, and tells nothing else."
    if options.get("formulas") == "neutralize":
        yield "Cells that a spreadsheet would run as formulas have an apostrophe before them in csv and tsv files."


def _risks(before: Facts, after: Facts) -> Iterator[str]:
    for measure in headlines("risk", after):
        said, was = _said(measure, after), before.get(measure.name)
        if said and measure.name not in _TOLD:
            yield said if was is None else f"{said.removesuffix('.')} (before: {_past(was, measure.unit)})."


def _past(value: Any, unit: str) -> str:
    return value if isinstance(value, str) else digits(value) + (" %" if unit == "%" else "")


def _said(measure: Measure, figures: Facts, **facts: Any) -> str:
    """A figure in a sentence; nothing where it is hidden or has none."""
    value = figures.get(measure.name)
    return "" if isinstance(value, str) else measure.said(value, **facts) or ""


def _hidden(proof: Facts, survey: Facts) -> str:
    """Among how many each record hides."""
    asked = f"(k = {proof['k']} was asked)"
    if survey.get("strata"):
        asked = f"in its stratum by {listed(survey['strata'])} {asked}"
    others = "1 other" if proof["min_class"] == 2 else f"{number(proof['min_class'] - 1)} others"
    if proof["unit"] == "households":
        return (
            f"Every household of the {counted(proof['records'], 'released record')} shares its quasi-identifiers with"
            f" at least {others} {asked}."
        )
    like = "may have" if proof["missing"] == "wildcard" else "has"
    return (
        f"Every one of the {counted(proof['records'], 'released record')} {like} the same quasi-identifiers as at"
        f" least {others} {asked}."
    )


def _model(check: Facts) -> str:
    """What a model means for the persons of a class."""
    column, model, reached = shown(check["column"]), check["model"], f"{check['reached']:.3g}"
    if model.startswith("t-"):
        return (
            f"In no class does the distribution of {column} differ by more than {reached} from that of the table"
            f" ({model} was asked)."
        )
    kind = "different" if model.startswith("distinct") else "well represented"
    return f"Every class has at least {reached} {kind} values of {column} ({model} was asked)."
