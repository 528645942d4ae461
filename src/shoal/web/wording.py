"""Wording: what was decided, and what the figures of a run mean, in sentences for the persons who answer for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.measure import measures
from shoal.schema.columns import Role
from shoal.web.interface import Choices, ColumnChoice, ColumnFacts, Source
from shoal.words import counted, joined, number, short

_MOST = 12
"""Columns that are named."""
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


@dataclass(frozen=True)
class Decision:
    """One decision in words, and the step that it is made in."""

    title: str
    words: str
    step: str


def decisions(source: Source, choices: Choices) -> list[Decision]:
    """All that was decided about a release."""
    return [
        Decision("Protection", protection(choices), "protection"),
        *(Decision(title, words, "columns") for title, words in _columns(source, choices)),
        *(Decision(title, words, "protection") for title, words in _rules(source, choices)),
    ]


def changed(before: Sequence[Decision], now: Sequence[Decision]) -> list[tuple[str, str, str]]:
    """The decisions that differ: their title, what they were, and what they are."""
    was, are = ({one.title: one.words for one in each} for each in (before, now))
    titles = dict.fromkeys([*was, *are])
    pairs = ((title, was.get(title, "–"), are.get(title, "–")) for title in titles)
    return [pair for pair in pairs if pair[1] != pair[2]]


def protection(choices: Choices) -> str:
    """What k means for a person."""
    if choices.k is None:
        return "k is not decided yet."
    unit = "household" if choices.households else "record"
    return (
        f"k = {choices.k:,}: every {unit} will share its quasi-identifiers with at least"
        f" {counted(choices.k - 1, 'other')}. {tries(choices.k)}"
    )


def tries(size: float) -> str:
    """What somebody who knows a person can find out."""
    return (
        "Whoever knows all quasi-identifiers of a person finds the right record in at most 1 of"
        f" {number(size)} tries ({100 / size:.3g} %)."
    )


def _columns(source: Source, choices: Choices) -> Iterator[tuple[str, str]]:
    pairs = list(zip(source.columns, choices.columns, strict=True))

    def named(role: Role) -> list[str]:
        return [facts.name for facts, choice in pairs if choice.role == role]

    quasi, sensitive = named(Role.QUASI_IDENTIFIER), named(Role.SENSITIVE)
    yield "Quasi-identifiers", f"{counted(len(quasi), 'column')} made alike in groups: {_listed(quasi)}."
    dropped = named(Role.IDENTIFIER)
    yield "Identifiers", f"{counted(len(dropped), 'column')} removed: {_listed(dropped)}." if dropped else "None."
    if sensitive:
        yield "Sensitive", f"{counted(len(sensitive), 'column')} released unchanged: {_listed(sensitive)}."
    kept = named(Role.INSENSITIVE)
    if kept:
        yield "Without a role", f"{counted(len(kept), 'column')} released unchanged: {_listed(kept)}."
    yield from _details(pairs)


def unchanged(source: Source, choices: Choices) -> str:
    """The columns that are released unchanged, in one line."""
    kinds = {
        "sensitive column": choices.named(Role.SENSITIVE, source),
        "column": choices.named(Role.INSENSITIVE, source),
    }
    said = [
        f"{counted(len(names), noun)}{'' if noun != 'column' else ' without a role'} ({_listed(names)})"
        for noun, names in kinds.items()
        if names
    ]
    return joined(said) if said else "no column"


def quoted(names: Sequence[str]) -> str:
    """Names in quotation marks, the first of them; empty where there are none."""
    return _listed([f"“{short(name)}”" for name in names])


_REMEDIES = (
    (r"(?:column_formats|missing_in|header|skip)=", "data", "Change import settings"),
    (
        r"(?:identifiers|drop_others|keep|hierarchies|levels)=|hierarchy|higher weight|quasi-identifier|generalize",
        "columns",
        "Change the columns",
    ),
    (r"shuffle|-l 2|suppress|missing values:|smaller k|formulas|strata", "protection", "Change the protection"),
)
"""What the remedies of warnings name, the step that has it, and the words of its link."""


def remedy(sentence: str) -> tuple[str, str]:
    """The step in which the cause of a warning can be changed, and the words of the link; empty where there is none."""
    _, _, hint = sentence.rpartition(";")
    for text in (hint, sentence):
        for pattern, step, label in _REMEDIES:
            if re.search(pattern, text):
                return step, label
    return "", ""


def _details(pairs: Sequence[tuple[ColumnFacts, ColumnChoice]]) -> Iterator[tuple[str, str]]:
    """What was said about single columns."""
    meant = [pair for pair in pairs if pair[1].role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)]
    quasi = [pair for pair in meant if pair[1].role == Role.QUASI_IDENTIFIER]
    found = {
        "Hierarchies": [short(facts.name) for facts, choice in meant if choice.hierarchy],
        "Orders of values": [short(facts.name) for facts, choice in meant if choice.levels],
        "Kinds": [
            f"{short(facts.name)} is {choice.kind}"
            for facts, choice in meant
            if choice.kind and choice.kind != facts.kind and not choice.hierarchy and not choice.levels
        ],
        "Weights": [f"{short(facts.name)} counts {choice.weight:g}" for facts, choice in quasi if choice.weight != 1],
        "Recoding": [f"{short(facts.name)} to {choice.recode}" for facts, choice in quasi if choice.recode],
    }
    for title, words in found.items():
        if words:
            yield title, f"{_listed(words)}."


def _rules(source: Source, choices: Choices) -> Iterator[tuple[str, str]]:
    """What else is asked for, and how it is reached."""
    asked = []
    if choices.l is not None:
        asked.append(f"Every class has at least {choices.l} different values of each sensitive column.")
    if choices.t is not None:
        asked.append(f"In every class they are distributed as in the table, up to a distance of {choices.t:g}.")
    if asked:
        yield "Sensitive values", " ".join(asked)
    yield "Missing values", MISSING.get(choices.missing_values, choices.missing_values)
    most = int(choices.suppression * source.records)
    yield (
        "Suppression",
        f"Up to {100 * choices.suppression:.3g} % of the records ({most:,}) may lose all their quasi-identifiers."
        if choices.suppression
        else "No record is suppressed for being far from all others.",
    )
    method = (
        "auto: several methods are tried, by the size and the kinds of the table."
        if choices.method == "auto"
        else f"{choices.method}."
    )
    rounded = " Means keep all digits." if choices.exact_means else " Numbers keep their decimals."
    yield "Method", f"{method} {EFFORTS.get(choices.effort, choices.effort)}{rounded}"
    if choices.shuffle or choices.formulas != "keep":
        order = ["The rows are shuffled, so that their order tells nothing."] if choices.shuffle else []
        marks = ["No cell of a csv file runs as a formula."] if choices.formulas != "keep" else []
        yield "File", " ".join(order + marks)
    survey = [
        f"{words} {short(name)}"
        for words, name in (("weights in", choices.sampling_weights), ("households in", choices.households))
        if name
    ]
    survey += [f"groups do not cross {_listed(choices.strata)}"] if choices.strata else []
    if survey:
        yield "Survey", f"{joined(survey)}."


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - _MOST} more"] if len(names) > _MOST else []
    return joined([*(short(name) for name in names[:_MOST]), *more])


def point(facts: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What a point of a comparison means."""
    known = measures()
    said = [
        tries(found["min_class"]),
        known["global_risk"].said(found["risk"]),
        known[facts["loss"]["name"]].said(found["loss"]),
        f"{counted(found['suppressed'], 'record')} lost all quasi-identifiers." if found["suppressed"] else None,
    ]
    return [sentence for sentence in said if sentence]
