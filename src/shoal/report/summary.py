"""The summary of a release: plain data first. Text, JSON and HTML only dress it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from shoal.measure import measures
from shoal.partition import registry
from shoal.release import Release
from shoal.schema import Policy
from shoal.values import ModelCheck
from shoal.words import counted, listed, number, shown


def summarize(release: Release, *, policy: Policy | None = None) -> dict[str, Any]:
    """All that a report says, in a stable order of keys and without a cell of the data."""
    made = policy or release.policy
    method = registry.find(made.method)
    sizes = Counter(release.partition.sizes.tolist())
    return {
        "shoal": made.versions["shoal"],
        "policy": made.to_dict(),
        "method": {"name": method.name, "summary": method.summary, "paper": method.paper},
        "verification": release.verification.to_dict(),
        "evaluation": release.evaluation.to_dict(),
        "sentences": sentences(release),
        "group_sizes": {str(size): sizes[size] for size in sorted(sizes)},
        "measures": {
            measure.name: {"formula": measure.formula, "range": measure.range, "good": measure.good}
            for family in measures()
            for measure in family.values()
        },
        "warnings": list(release.warnings),
    }


def sentences(release: Release) -> list[str]:
    """What the figures mean, in plain words."""
    proof, figures = release.verification, release.evaluation
    before, after = figures.before, figures.after
    said = [_hidden(release)]
    said += [_model(check) for check in proof.models]
    said.append(
        f"Before, {before['unique_records']:,} records stood alone with their quasi-identifiers; now none does."
    )
    said.append(
        f"Somebody who knows all quasi-identifiers of a person finds the right record in {after['global_risk']:.4g}"
        f" of 100 tries on average, and never in more than 1 of {number(proof.min_class)};"
        f" before it was {before['global_risk']:.4g} of 100."
    )
    if after["household_risk"] is not None:
        said.append(f"Some member of a person's household is found in {after['household_risk']:.4g} of 100 tries.")
    if release.partition.hidden:
        said.append(
            f"{counted(release.partition.hidden, 'record')} lost all quasi-identifiers and hide among each other."
        )
    if release.policy.survey.sampling_weights:
        weighing = shown(release.policy.survey.sampling_weights)
        said.append(f"Means, centroids and risks are weighed by {weighing}: the persons that each record stands for.")
    numeric, semantic = figures.loss["information_loss"], figures.loss["semantic_loss"]
    if numeric is not None:
        columns = "quasi-identifiers" if semantic is None else "numeric quasi-identifiers"
        said.append(
            f"The release keeps {100 - numeric:.4g} % of the variation of the {columns} ({figures.base} columns)."
        )
    if semantic is not None:
        said.append(
            f"The categories lose {semantic:.3g} % ({figures.distance} distances), where 100 % is what one value for"
            " all, the centroid of the table, would lose."
        )
    if figures.columns:
        worst = max(figures.columns, key=lambda name: figures.columns[name])
        said.append(f"The column that lost most is {shown(worst)}: {figures.columns[worst]:.3g} %.")
    return said


def _hidden(release: Release) -> str:
    """Among how many each record hides."""
    proof = release.verification
    asked = f"(k = {proof.k} was asked)"
    if release.policy.survey.strata:
        asked = f"in its stratum by {listed(release.policy.survey.strata)} {asked}"
    if proof.unit == "households":
        return (
            f"Every household of the {proof.records:,} released records shares its quasi-identifiers with at least"
            f" {number(proof.min_class - 1)} others {asked}."
        )
    like = "may have" if proof.missing == "wildcard" else "has"
    return (
        f"Every one of the {proof.records:,} released records {like} the same quasi-identifiers as at least"
        f" {number(proof.min_class - 1)} others {asked}."
    )


def _model(check: ModelCheck) -> str:
    """What a model means for the persons of a class."""
    column = shown(check.column)
    if check.model.startswith("t-"):
        return (
            f"In no class does the distribution of {column} differ by more than {check.reached:.3g} from that of the"
            f" table ({check.model} was asked)."
        )
    few = f"{check.reached:.3g}"
    kind = "different" if check.model.startswith("distinct") else "well represented"
    return f"Every class has at least {few} {kind} values of {column} ({check.model} was asked)."
