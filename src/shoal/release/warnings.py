"""Warnings about a release, as sentences that contain no values of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from shoal.data import BrokenDependency, MisreadColumns
from shoal.domain import Evaluation, Kind, Policy, Role, Schema, Search, likely_identifiers, likely_quasi_identifiers
from shoal.domain.profile import ColumnProfile
from shoal.errors.messages import list_first, pluralize, quote_name, quote_names, quote_reasons, shorten

_FEW_RECORDS = 50
_FEW_CLASSES = 10
_HIGH_LOSS = 50.0
"""Percent of a column's variation."""

_MAX_DEPENDENCIES = 6
"""Maximum number of broken dependencies that are listed."""

_INDEX_WARNING = "The index of the frame is released as it is and may name persons; reset it to drop it."

_IDENTIFYING = {
    Role.QUASI_IDENTIFIER: ("quasi-identifier", "can show the true value of a person after recoding"),
    Role.SENSITIVE: ("sensitive column", "can name persons in the release"),
    Role.INSENSITIVE: ("unassigned column", "can name persons in the release"),
}
"""Name of the columns of each role, and the consequence if they look like identifiers."""

_MISSING = {
    "category": "count as a value of their own: a group whose cells are mostly missing shows none, and in other groups"
    " they get the group's value",
    "wildcard": "stay missing and count as compatible with every value",
    "impute": "are filled with the value of their group",
    "suppress": "make their records lose all quasi-identifiers",
}


def collect_warnings(
    policy: Policy,
    *,
    profiles: Sequence[ColumnProfile],
    missing_counts: Mapping[str, int],
    suppressed: int,
    evaluation: Evaluation,
    search: Search | None,
    has_informative_index: bool,
    formulas: Mapping[str, int],
    in_order: bool,
    spelling_variants: Mapping[str, int],
    broken_dependencies: Sequence[BrokenDependency],
    doubts: MisreadColumns,
    is_typed: bool,
) -> tuple[str, ...]:
    """Collect all warnings about the release of a table by this policy.

    ``formulas`` counts the cells of each released column, including its name, that a spreadsheet would run as a
    formula; ``spelling_variants`` the values of each quasi-identifier that have several spellings. ``in_order`` means
    that the rows keep the order of the table unless they are shuffled. Columns of typed tables have no format.
    """
    return (
        *reading_warnings(doubts.select(policy.schema.released), is_typed=is_typed),
        *_about_missing(missing_counts, evaluation.records, policy),
        *_about_suppressed(suppressed, evaluation.records),
        *_about_homogeneity(evaluation),
        *_about_size(evaluation),
        *_about_losses(evaluation),
        *_about_totals(policy),
        *_about_search(search),
        *_about_columns(profiles, evaluation.records, policy),
        *([_INDEX_WARNING] if has_informative_index else []),
        *(_about_order(profiles, policy) if in_order and not policy.shuffle else []),
        *_about_formulas(formulas, policy),
        *_about_spelling(spelling_variants),
        *_about_dependencies(broken_dependencies, evaluation.records, policy.schema),
    )


def _about_dependencies(broken: Sequence[BrokenDependency], records: int, schema: Schema) -> list[str]:
    ranked = sorted(broken, key=lambda dependency: (dependency.kind == "shrunk", -dependency.count / dependency.of))
    rest = len(ranked) - _MAX_DEPENDENCIES
    more = [f"Dependencies broken: {rest:,} more."] if rest > 0 else []
    return [*(_about_dependency(dependency, records, schema) for dependency in ranked[:_MAX_DEPENDENCIES]), *more]


def _about_dependency(broken: BrokenDependency, records: int, schema: Schema) -> str:
    names = [quote_name(name) for name in broken.columns]
    noun = "released record" if broken.of == records else "sampled record"
    affected = f"{broken.count:,} of {pluralize(broken.of, noun)}"
    if broken.kind == "shrunk":
        verb = "has" if broken.count == 1 else "have"
        fact = f"{broken.count:,} of the {broken.of:,} frequent categories of column {names[0]} {verb} less than half"
        remedy = f"a higher weight (--weight {shorten(broken.columns[0])}=2) keeps more of the column"
        return f"Category shrank: {fact} of their former share; {remedy}."
    if broken.kind == "determined":
        fact = f"column {names[0]} determines {names[1]}, but {affected} have a pair that no record had"
    elif broken.kind == "ordered":
        fact = f"column {names[0]} is at most {names[1]} in the whole table, but not in {affected}"
    else:
        as_of = f" at {names[2]}" if len(names) > 2 else ""
        fact = f"column {names[0]} is the age by {names[1]}{as_of}, but is off by more than a year in {affected}"
    return f"Dependency broken: {fact}; {_remedy(broken.columns, schema)}."


def _remedy(columns: Sequence[str], schema: Schema) -> str:
    others = [name for name in columns if name not in schema.quasi_identifiers]
    if others:
        advice = "these too as quasi-identifiers" if len(others) > 1 else "that too as a quasi-identifier"
        return f"drop {quote_names(others)}, or name {advice}"
    kinds = {column.name: column.kind for column in schema.columns}
    ways = {name: "interval" if kinds[name] in (Kind.NUMERIC, Kind.DATE) else "lcs" for name in columns}
    recode_options = " ".join(f"--recode {shorten(name)}={way}" for name, way in ways.items())
    return f"drop one of them and derive it from the other, or generalize ({recode_options})"


def _about_spelling(spelled: Mapping[str, int]) -> list[str]:
    return [
        f"Column {quote_name(name)} has {pluralize(values, 'value')} that differ from others only in case, blanks,"
        " form of letters or zeros and count as different values; write them alike before the release, or give a"
        " hierarchy or levels."
        for name, values in spelled.items()
        if values
    ]


def reading_warnings(doubts: MisreadColumns, *, is_typed: bool) -> tuple[str, ...]:
    """Columns that look misread, with the remedy: an import option or, for typed columns, another type."""
    sentences = []
    for names, noun, example in ((doubts.numbers, "numbers", "1.234,5"), (doubts.dates, "dates", "DD.MM.YYYY")):
        if names:
            its, it = ("its", "it") if len(names) == 1 else ("their", "them")
            observation = f"{_were_read(names)} as text although most of {its} values look like {noun}"
            remedy = f"convert {it} before" if is_typed else _format_remedy(names[0], f"such as {example}")
            sentences.append(f"{observation}; {remedy}.")
    if doubts.thousands:
        remedy = _format_remedy(doubts.thousands[0], "1.234,5 if the point parts thousands")
        sentences.append(f"{_were_read(doubts.thousands)} as numbers with three decimals; {remedy}.")
    if doubts.names and not is_typed:
        one = len(doubts.names) == 1
        subject = "The name of a column is a number or a date" if one else "Names of columns are values"
        sentences.append(f"{subject} ({quote_names(doubts.names)}); if it is a record, say header=False (--no-header).")
    return tuple(sentences)


def _were_read(names: Sequence[str]) -> str:
    return f"Column {quote_name(names[0])} was read" if len(names) == 1 else f"Columns {quote_names(names)} were read"


def _format_remedy(name: str, formats: str) -> str:
    return f"name the format ({formats}) with column_formats= (--column-format {quote_name(name)}=FORMAT)"


def _about_order(profiles: Sequence[ColumnProfile], policy: Policy) -> list[str]:
    """Columns that order the rows but are not released unchanged: the row order then discloses their values.

    A running number of the rows counts, too: its value is the position of the row.
    """
    schema = policy.schema
    untouched = [name for name in schema.released if name not in schema.quasi_identifiers]
    ordering = [profile.name for profile in profiles if profile.is_sorted and profile.name not in untouched]
    if not ordering:
        return []
    columns = f"{pluralize(len(ordering), 'column')} ({quote_names(ordering)})"
    fact = f"The rows stand in the order of {columns} that the release does not show as before"
    return [f"{fact}, so that the place of a row tells about its person; shuffle them."]


def _about_formulas(formulas: Mapping[str, int], policy: Policy) -> list[str]:
    if policy.formulas != "keep" or not formulas:
        return []
    columns = list_first([f"{quote_name(name)} {cells:,}" for name, cells in formulas.items()], noun="columns")
    cells = f"{sum(formulas.values()):,} of the cells and names of columns ({columns})"
    remedy = "--formulas neutralize puts an apostrophe before them"
    return [f"A spreadsheet that opens a csv file of the release would run {cells} as formulas; {remedy}."]


def _about_homogeneity(evaluation: Evaluation) -> list[str]:
    """Classes in which all records share one sensitive value (homogeneity)."""
    columns = [
        f"{quote_name(name)} in {pluralize(int(classes), 'class')} with"
        f" {pluralize(round(share * evaluation.records / 100), 'record')}"
        for name, figures in evaluation.disclosures.items()
        if (classes := figures["homogeneous_classes"])
        and (share := figures["homogeneous_records"])
        and figures["guessed_before"] != 100  # a constant column discloses nothing new
    ]
    if not columns:
        return []
    observation = "In some classes all records have the same sensitive value, so that whoever finds the class"
    remedy = "ask for l = 2 (-l 2) to keep values apart"
    return [f"{observation} of a person learns it: {list_first(columns, noun='columns')}; {remedy}."]


def _about_size(evaluation: Evaluation) -> list[str]:
    """Tables and releases that are too small for their measures to mean much."""
    records, classes = evaluation.records, evaluation.after["classes"] or 0
    sentences = []
    if records < _FEW_RECORDS:
        sentences.append(
            f"The table has {pluralize(records, 'record')} only: whoever knows that a person is among so few knows more"
            " than the figures tell; release larger tables where you can."
        )
    if classes < _FEW_CLASSES:
        sentences.append(
            f"The release has {pluralize(int(classes), 'class')} only and tells little beyond them; a smaller k or"
            " fewer quasi-identifiers keep more."
        )
    return sentences


def _about_losses(evaluation: Evaluation) -> list[str]:
    lost = {name: loss for name, loss in evaluation.columns.items() if _HIGH_LOSS < loss < math.inf}
    if not lost:
        return []
    ranked = sorted(lost, key=lambda name: -lost[name])
    columns = list_first([f"{quote_name(name)} {lost[name]:.3g} %" for name in ranked])
    possessive = "its" if len(ranked) == 1 else "their"
    observation = f"{pluralize(len(ranked), 'column')} lost more than half of {possessive} information ({columns})"
    return [f"{observation}; a higher weight keeps more of a column."]


def _about_totals(policy: Policy) -> list[str]:
    """Columns whose totals ``keep_totals`` does not preserve."""
    not_kept = [
        column.name
        for column in policy.schema.columns
        if column.name in policy.schema.quasi_identifiers and column.kind is Kind.NUMERIC and column.recode != "mean"
    ]
    if not policy.keep_totals or not not_kept:
        return []
    columns = f"{pluralize(len(not_kept), 'column')} ({quote_names(not_kept)})"
    return [f"The totals of {columns} are not kept: only means keep them."]


def _about_search(search: Search | None) -> list[str]:
    """A search that stopped before its last step, by the time limit or an interrupt."""
    if search is None or sum(search.steps_done) == sum(search.steps_planned):
        return []
    steps = f"{sum(search.steps_done):,} of {sum(search.steps_planned):,} steps"
    return [f"The search for better groups was stopped after {steps}; the release is verified as any other."]


def _about_missing(gaps: Mapping[str, int], records: int, policy: Policy) -> list[str]:
    """Missing values: their treatment affects privacy, so it is always named."""
    if not gaps:
        return []
    columns = ", ".join(f"{quote_name(name)} {cells:,}" for name, cells in gaps.items())
    others = ", ".join(treatment for treatment in _MISSING if treatment != policy.missing)
    total = sum(gaps.values())
    cells = f"{pluralize(total, 'quasi-identifier cell')} of {pluralize(records, 'record')}"
    treatment = f"they {_MISSING[policy.missing]} (missing values: {policy.missing!r}; other ways are {others})"
    return [f"{cells} {'is' if total == 1 else 'are'} missing ({columns}); {treatment}."]


def _about_suppressed(suppressed: int, records: int) -> list[str]:
    if not suppressed:
        return []
    part = f"{suppressed:,} of {pluralize(records, 'record')} ({100 * suppressed / records:.3g} %)"
    return [f"The quasi-identifiers of {part} are suppressed; their other columns are released."]


def _about_columns(profiles: Sequence[ColumnProfile], records: int, policy: Policy) -> list[str]:
    """Columns that look like identifiers but have another role, and columns without a role."""
    schema, kept = policy.schema, policy.keep
    reasons = {column.name: column.reason for column in likely_identifiers(profiles, records)}
    sentences = []
    for role, (noun, consequence) in _IDENTIFYING.items():
        suspicious = [name for name in schema.names_with_role(role) if name in reasons]
        if not suspicious or (role is Role.INSENSITIVE and kept is not None):  # the policy keeps these by name
            continue
        one = len(suspicious) == 1
        subject = f"{pluralize(len(suspicious), noun)} {'looks like an identifier' if one else 'look like identifiers'}"
        explanation = quote_reasons({name: reasons[name] for name in suspicious})
        sentences.append(
            f"{subject} and {consequence}: {explanation}."
            f" Drop {'it' if one else 'them'} with identifiers= (--identifiers)."
        )
    unnamed = [
        name for name in schema.names_with_role(Role.INSENSITIVE) if name not in {*(kept or ()), *policy.survey.columns}
    ]
    if unnamed:
        known = likely_quasi_identifiers(
            [profile for profile in profiles if profile.name in unnamed and profile.name not in reasons]
        )
        one = len(unnamed) == 1
        it, which = "it" if one else "them", "them" if len(known) == len(unnamed) > 1 else quote_names(known)
        others = f" Outsiders could know {which}: consider more quasi-identifiers." if known else ""
        sentences.append(
            f"{pluralize(len(unnamed), 'column')} {'has' if one else 'have'} no role and {'is' if one else 'are'}"
            f" released unchanged: {quote_names(unnamed)}. Drop {it} with drop_others=True (--drop-others).{others}"
        )
    return sentences
