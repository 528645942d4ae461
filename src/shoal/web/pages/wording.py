"""Sentences about options and results, for those who are responsible for the release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.domain.columns import Role
from shoal.errors.messages import format_number, join_names, pluralize, shorten
from shoal.metrics import measures
from shoal.microaggregation.registry import AUTO
from shoal.options.table import default
from shoal.web.projects.model import PROTECTED, ColumnChoice, ColumnFacts, ReleaseChoices, SourceFile

MISSING = {
    "category": "A missing value counts as a value of its own.",
    "wildcard": "A missing value may stand for any value.",
    "impute": "A missing value is filled in by its group.",
    "suppress": "A record with a missing value loses all its quasi-identifiers.",
    "refuse": "A table with missing values is refused.",
}
EFFORTS = {
    "fast": "Its groups are improved by a short local search.",
    "balanced": "Its groups are improved by local search, for some seconds.",
    "best": "Its groups are improved by a long local search, for up to some minutes.",
    "": "Its groups are left as it makes them.",
}


def describe_options(source: SourceFile, choices: ReleaseChoices) -> dict[str, str]:
    """Return the options in words, by title."""
    return {"Protection": describe_k(choices), **dict(_columns(source, choices)), **dict(_rules(source, choices))}


def changed_options(before: Mapping[str, str], now: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return the options that differ: title, before and now."""
    rows = ((title, before.get(title, "–"), now.get(title, "–")) for title in {**before, **now})
    return [row for row in rows if row[1] != row[2]]


def describe_k(choices: ReleaseChoices) -> str:
    if choices.k is None:
        return "k is not decided yet."
    unit = "household" if choices.households else "record"
    return (
        f"k = {choices.k:,}: every {unit} will share its quasi-identifiers with at least"
        f" {pluralize(choices.k - 1, 'other')}. {describe_risk(choices.k)}"
    )


def describe_risk(size: float) -> str:
    """Describe the re-identification risk for classes of this size."""
    return (
        "Whoever knows all quasi-identifiers of a person finds the right record in at most 1 of"
        f" {format_number(size)} tries ({100 / size:.3g} %)."
    )


def _columns(source: SourceFile, choices: ReleaseChoices) -> Iterator[tuple[str, str]]:
    quasi, dropped, sensitive, insensitive = (
        choices.columns_with_role(role, source)
        for role in (Role.QUASI_IDENTIFIER, Role.IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE)
    )
    yield "Quasi-identifiers", f"{pluralize(len(quasi), 'column')} made alike in groups: {list_names(quasi)}."
    yield "Identifiers", f"{pluralize(len(dropped), 'column')} removed: {list_names(dropped)}." if dropped else "None."
    if sensitive:
        yield "Sensitive", f"{pluralize(len(sensitive), 'column')} released unchanged: {list_names(sensitive)}."
    if insensitive:
        count = pluralize(len(insensitive), "column")
        yield "Without a role", f"{count} released unchanged: {list_names(insensitive)}."
    yield from _details(choices.pairs(source))


def list_unchanged(source: SourceFile, choices: ReleaseChoices) -> str:
    """List the columns that are released unchanged, in one line."""
    by_noun = {
        "sensitive column": choices.columns_with_role(Role.SENSITIVE, source),
        "column": choices.columns_with_role(Role.INSENSITIVE, source),
    }
    parts = [
        f"{pluralize(len(names), noun)}{'' if noun != 'column' else ' without a role'} ({list_names(names)})"
        for noun, names in by_noun.items()
        if names
    ]
    return join_names(parts) if parts else "no column"


def list_names(names: Sequence[str], *, most: int = 12, quoted: bool = False) -> str:
    """List the first names of columns; names are shortened and may be put in quotation marks."""
    listed = [f"“{shorten(name)}”" if quoted else shorten(name) for name in names[:most]]
    return join_names([*listed, f"{len(names) - most:,} more"] if len(names) > most else listed)


_REMEDIES = (
    (r"(?:column_formats|missing_in|header|skip)=", "data", "Change import settings"),
    (
        r"(?:identifiers|drop_others|keep|hierarchies|levels)=|hierarchy|higher weight|quasi-identifier|generalize",
        "columns",
        "Change the columns",
    ),
    (r"shuffle|-l 2|suppress|missing values:|smaller k|formulas|strata", "protection", "Change the protection"),
)
"""Patterns of the remedies of warnings, with the page that has them, and the text of its link."""


def remedy(sentence: str) -> tuple[str, str]:
    """Return the page that can change the cause of a warning, and the text of the link; empty if there is none."""
    _, _, hint = sentence.rpartition(";")
    for text in (hint, sentence):
        for pattern, step, label in _REMEDIES:
            if re.search(pattern, text):
                return step, label
    return "", ""


def _details(pairs: Sequence[tuple[ColumnFacts, ColumnChoice]]) -> Iterator[tuple[str, str]]:
    protected = [pair for pair in pairs if pair[1].role in PROTECTED]
    quasi = [pair for pair in protected if pair[1].role == Role.QUASI_IDENTIFIER]
    by_title = {
        "Hierarchies": [shorten(facts.name) for facts, choice in protected if choice.hierarchy],
        "Orders of values": [shorten(facts.name) for facts, choice in protected if choice.levels],
        "Kinds": [
            f"{shorten(facts.name)} is {choice.kind}"
            for facts, choice in protected
            if choice.kind and choice.kind != facts.kind and not choice.hierarchy and not choice.levels
        ],
        "Weights": [f"{shorten(facts.name)} counts {choice.weight:g}" for facts, choice in quasi if choice.weight != 1],
        "Recoding": [f"{shorten(facts.name)} to {choice.recode}" for facts, choice in quasi if choice.recode],
    }
    for title, words in by_title.items():
        if words:
            yield title, f"{list_names(words)}."


def _rules(source: SourceFile, choices: ReleaseChoices) -> Iterator[tuple[str, str]]:
    constraints = []
    if choices.l is not None:
        constraints.append(f"Every class has at least {choices.l} different values of each sensitive column.")
    if choices.t is not None:
        constraints.append(f"In every class they are distributed as in the table, up to a distance of {choices.t:g}.")
    if constraints:
        yield "Sensitive values", " ".join(constraints)
    yield "Missing values", MISSING.get(choices.missing_values, choices.missing_values)
    budget = int(choices.suppression * source.records)
    yield (
        "Suppression",
        f"Up to {100 * choices.suppression:.3g} % of the records ({budget:,}) may lose all their quasi-identifiers."
        if choices.suppression
        else "No record is suppressed for being far from all others.",
    )
    method = (
        "auto: several methods are tried, by the size and the kinds of the table."
        if choices.method == AUTO
        else f"{choices.method}."
    )
    rounded = " Means keep all digits." if choices.exact_means else " Numbers keep their decimals."
    yield "Method", f"{method} {EFFORTS.get(choices.effort, choices.effort)}{rounded}"
    if choices.shuffle or choices.formulas != default("formulas"):
        order = ["The rows are shuffled, so that their order tells nothing."] if choices.shuffle else []
        marks = ["No cell of a csv file runs as a formula."] if choices.formulas != default("formulas") else []
        yield "File", " ".join(order + marks)
    survey = [
        f"{words} {shorten(name)}"
        for words, name in (("weights in", choices.sampling_weights), ("households in", choices.households))
        if name
    ]
    survey += [f"groups do not cross {list_names(choices.strata)}"] if choices.strata else []
    if survey:
        yield "Survey", f"{join_names(survey)}."


def describe_point(facts: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    registry = measures()
    sentences = [
        describe_risk(result["min_class"]),
        registry["global_risk"].interpret(result["risk"]),
        registry[facts["loss"]["name"]].interpret(result["loss"]),
        f"{pluralize(result['suppressed'], 'record')} lost all quasi-identifiers." if result["suppressed"] else None,
    ]
    return [sentence for sentence in sentences if sentence]
