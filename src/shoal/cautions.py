"""Cautions: what about a release deserves a look, in plain sentences without a value of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from shoal.schema import Kind, Policy, Role, Schema, exposed, overlooked
from shoal.schema.profile import ColumnProfile
from shoal.tables import Broken, Doubts
from shoal.values import Evaluation, Search
from shoal.words import counted, explained, listed, short, shown

_FEW_RECORDS = 50
_FEW_CLASSES = 10
_MOST_LOSS = 50.0
"""Percent of a column's variation."""

_MOST_BROKEN = 6
"""Dependencies that are told one by one."""

NO_DOUBTS = Doubts()
_INDEXED = "The index of the frame is released as it is and may name persons; reset it to drop it."

_FATES = {
    Role.QUASI_IDENTIFIER: ("quasi-identifier", "can show the true value of a person after recoding"),
    Role.SENSITIVE: ("sensitive column", "can name persons in the release"),
    Role.INSENSITIVE: ("unassigned column", "can name persons in the release"),
}
"""What columns with a role are called, and what those that look like identifiers can give away."""

_MISSING = {
    "category": "count as a value of their own: a group whose cells are mostly missing shows none, and in other groups"
    " they get the group's value",
    "wildcard": "stay missing and count as compatible with every value",
    "impute": "are filled with the value of their group",
    "suppress": "make their records lose all quasi-identifiers",
}


def cautions(
    policy: Policy,
    *,
    profiles: Sequence[ColumnProfile],
    gaps: Mapping[str, int],
    suppressed: int,
    evaluation: Evaluation,
    search: Search | None = None,
    indexed: bool = False,
    formulas: Mapping[str, int] | None = None,
    in_order: bool = True,
    spelled: Mapping[str, int] | None = None,
    broken: Sequence[Broken] = (),
    doubts: Doubts = NO_DOUBTS,
    typed: bool = False,
) -> tuple[str, ...]:
    """All that deserves a look about the release of a table by this policy.

    The profiles are those of its columns. Where it is ``indexed``, it has an index that says more than the order. Its
    ``formulas`` are the cells of each released column that a spreadsheet would run, its name counted as one. Its rows
    stand ``in_order`` where that of the table is kept unless they are shuffled. So many values of each quasi-identifier
    are ``spelled`` in several ways. These dependencies between columns are ``broken``. ``doubts`` are those about how
    the table was read; its columns may be ``typed``, so that no format can be named.
    """
    return (
        *about_reading(doubts.of(policy.schema.released), typed=typed),
        *_about_gaps(gaps, evaluation.records, policy),
        *_about_suppressed(suppressed, evaluation.records),
        *_about_shared(evaluation),
        *_about_size(evaluation),
        *_about_losses(evaluation),
        *_about_totals(policy),
        *_about_search(search),
        *_about_columns(profiles, evaluation.records, policy),
        *([_INDEXED] if indexed else []),
        *(_about_order(profiles, policy) if in_order and not policy.shuffle else []),
        *_about_formulas(formulas or {}, policy),
        *_about_spelling(spelled or {}),
        *_about_dependencies(broken, evaluation.records, policy.schema),
    )


def _about_dependencies(broken: Sequence[Broken], records: int, schema: Schema) -> list[str]:
    """What held between columns of the table and does not in the release: that most often broken first."""
    worst = sorted(broken, key=lambda one: (one.kind == "shrunk", -one.count / one.of))
    rest = len(worst) - _MOST_BROKEN
    more = [f"Dependencies broken: {rest:,} more."] if rest > 0 else []
    return [*(_about_dependency(one, records, schema) for one in worst[:_MOST_BROKEN]), *more]


def _about_dependency(one: Broken, records: int, schema: Schema) -> str:
    names = [shown(name) for name in one.columns]
    found = f"{one.count:,} of {counted(one.of, 'released record' if one.of == records else 'sampled record')}"
    if one.kind == "shrunk":
        verb = "has" if one.count == 1 else "have"
        fact = f"{one.count:,} of the {one.of:,} frequent categories of column {names[0]} {verb} less than half of"
        way = f"a higher weight (--weight {short(one.columns[0])}=2) keeps more of the column"
        return f"Category shrank: {fact} their former share; {way}."
    if one.kind == "determined":
        fact = f"column {names[0]} determines {names[1]}, but {found} have a pair that no record had"
    elif one.kind == "ordered":
        fact = f"column {names[0]} is at most {names[1]} in the whole table, but not in {found}"
    else:
        until = f" at {names[2]}" if len(names) > 2 else ""
        fact = f"column {names[0]} is the age by {names[1]}{until}, but is off by more than a year in {found}"
    return f"Dependency broken: {fact}; {_remedy(one.columns, schema)}."


def _remedy(columns: Sequence[str], schema: Schema) -> str:
    """What to do about columns that belong together."""
    known = {column.name: column for column in schema.columns if column.name in columns}
    quasi = [name for name in columns if name in schema.quasi_identifiers]
    others = [name for name in columns if name not in quasi]
    wide = {Kind.NUMERIC: "interval", Kind.DATE: "interval"}
    ways = " ".join(f"--recode {short(name)}={wide.get(known[name].kind, 'lcs')}" for name in quasi)
    if others:
        both = "these too as quasi-identifiers" if len(others) > 1 else "that too as a quasi-identifier"
        return f"drop {listed(others)}, or name {both}"
    return f"drop one of them and derive it from the other, or generalize ({ways})"


def _about_spelling(spelled: Mapping[str, int]) -> list[str]:
    """Values of quasi-identifiers that say the same and count as different ones."""
    return [
        f"Column {shown(name)} has {counted(values, 'value')} that differ from others only in case, blanks, form of"
        " letters or zeros and count as different values; write them alike before the release, or give a hierarchy or"
        " levels."
        for name, values in spelled.items()
        if values
    ]


def about_reading(doubts: Doubts, *, typed: bool) -> tuple[str, ...]:
    """What looks misread, with what mends it: an option, or where columns have types another type."""
    said = []
    for names, what, example in ((doubts.numbers, "numbers", "1.234,5"), (doubts.dates, "dates", "DD.MM.YYYY")):
        if names:
            fact = f"{_read(names)} as text although most of {_its(names)} values look like {what}"
            mended = f"convert {_them(names)} before" if typed else _mended(names[0], f"such as {example}")
            said.append(f"{fact}; {mended}.")
    if doubts.thousands:
        fact = f"{_read(doubts.thousands)} as numbers with three decimals"
        said.append(f"{fact}; {_mended(doubts.thousands[0], '1.234,5 if the point parts thousands')}.")
    if doubts.names and not typed:
        its = "The name of a column is a number or a date" if len(doubts.names) == 1 else "Names of columns are values"
        said.append(f"{its} ({listed(doubts.names)}); if it is a record, say header=False (--no-header).")
    return tuple(said)


def _read(names: Sequence[str]) -> str:
    return f"Column {shown(names[0])} was read" if len(names) == 1 else f"Columns {listed(names)} were read"


def _its(names: Sequence[str]) -> str:
    return "its" if len(names) == 1 else "their"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _mended(name: str, formats: str) -> str:
    return f"name the format ({formats}) with column_formats= (--column-format {shown(name)}=FORMAT)"


def _about_order(profiles: Sequence[ColumnProfile], policy: Policy) -> list[str]:
    """Columns that order the rows and are not released as they were: then the place of a row tells what they held.

    A running number of the rows is one too: who knows the number of a person knows the place.
    """
    schema = policy.schema
    untouched = [name for name in schema.released if name not in schema.quasi_identifiers]
    telling = [profile.name for profile in profiles if profile.ordered and profile.name not in untouched]
    if not telling:
        return []
    said = f"The rows stand in the order of {counted(len(telling), 'column')} ({listed(telling)}) that the release does"
    return [f"{said} not show as before, so that the place of a row tells about its person; shuffle them."]


def _about_formulas(formulas: Mapping[str, int], policy: Policy) -> list[str]:
    """Cells that do more than show themselves where somebody opens the release in a spreadsheet."""
    if policy.formulas != "keep" or not formulas:
        return []
    columns = ", ".join(f"{shown(name)} {cells:,}" for name, cells in list(formulas.items())[:8])
    rest = f" and {len(formulas) - 8} more columns" if len(formulas) > 8 else ""
    cells = f"{sum(formulas.values()):,} of the cells and names of columns ({columns}{rest})"
    way = "--formulas neutralize puts an apostrophe before them"
    return [f"A spreadsheet that opens a csv file of the release would run {cells} as formulas; {way}."]


def _about_shared(evaluation: Evaluation) -> list[str]:
    """Classes in which all have one sensitive value: who knows that a person is in one knows the value."""
    told = [
        f"{shown(name)} in {_classes(int(classes))} with {counted(round(share * evaluation.records / 100), 'record')}"
        for name, found in evaluation.disclosures.items()
        if (classes := found["homogeneous_classes"])
        and (share := found["homogeneous_records"])
        and found["guessed_before"] != 100  # a column of one value tells everybody the same
    ]
    if not told:
        return []
    rest = f" and {len(told) - 8} more columns" if len(told) > 8 else ""
    said = "In some classes all records have the same sensitive value, so that whoever finds the class of a person"
    return [f"{said} learns it: {', '.join(told[:8])}{rest}; ask for l = 2 (-l 2) to keep values apart."]


def _about_size(evaluation: Evaluation) -> list[str]:
    """Tables and releases of which no figure says much."""
    records, classes = evaluation.records, evaluation.after["classes"] or 0
    said = []
    if records < _FEW_RECORDS:
        said.append(
            f"The table has {counted(records, 'record')} only: whoever knows that a person is among so few knows more"
            " than the figures tell; release larger tables where you can."
        )
    if classes < _FEW_CLASSES:
        said.append(
            f"The release has {_classes(int(classes))} only and tells little beyond them; a smaller k or fewer"
            " quasi-identifiers keep more."
        )
    return said


def _classes(count: int) -> str:
    return "1 class" if count == 1 else f"{count:,} classes"


def _about_losses(evaluation: Evaluation) -> list[str]:
    """Columns that say little any more."""
    lost = {name: loss for name, loss in evaluation.columns.items() if _MOST_LOSS < loss < math.inf}
    if not lost:
        return []
    most = sorted(lost, key=lambda name: -lost[name])
    columns = ", ".join(f"{shown(name)} {lost[name]:.3g} %" for name in most[:8])
    rest = f" and {len(most) - 8} more" if len(most) > 8 else ""
    whose = "its" if len(most) == 1 else "their"
    said = f"{counted(len(most), 'column')} lost more than half of {whose} information ({columns}{rest})"
    return [f"{said}; a higher weight keeps more of a column."]


def _about_totals(policy: Policy) -> list[str]:
    """Where totals are to be kept, the columns that do not keep theirs."""
    other = [
        column.name
        for column in policy.schema.columns
        if column.name in policy.schema.quasi_identifiers and column.kind is Kind.NUMERIC and column.recode != "mean"
    ]
    if not policy.options.get("keep_totals") or not other:
        return []
    return [f"The totals of {counted(len(other), 'column')} ({listed(other)}) are not kept: only means keep them."]


def _about_search(search: Search | None) -> list[str]:
    """A search that an interrupt, or the clock, ended before its time."""
    if search is None or sum(search.done) == sum(search.planned):
        return []
    steps = f"{sum(search.done):,} of {sum(search.planned):,} steps"
    return [f"The search for better groups was stopped after {steps}; the release is verified as any other."]


def _about_gaps(gaps: Mapping[str, int], records: int, policy: Policy) -> list[str]:
    """The way with missing values is named loudly: what they mean is a decision about privacy."""
    if not gaps:
        return []
    columns = ", ".join(f"{shown(name)} {cells:,}" for name, cells in gaps.items())
    others = ", ".join(way for way in _MISSING if way != policy.missing)
    total = sum(gaps.values())
    cells = f"{counted(total, 'quasi-identifier cell')} of {counted(records, 'record')}"
    way = f"they {_MISSING[policy.missing]} (missing values: {policy.missing!r}; other ways are {others})"
    return [f"{cells} {'is' if total == 1 else 'are'} missing ({columns}); {way}."]


def _about_suppressed(suppressed: int, records: int) -> list[str]:
    if not suppressed:
        return []
    part = f"{suppressed:,} of {counted(records, 'record')} ({100 * suppressed / records:.3g} %)"
    return [f"The quasi-identifiers of {part} are suppressed; their other columns are released."]


def _about_columns(profiles: Sequence[ColumnProfile], records: int, policy: Policy) -> list[str]:
    """Columns that look like identifiers though they have another role, and those that nobody gave one."""
    schema, kept = policy.schema, policy.keep
    reasons = {column.name: column.reason for column in overlooked(profiles, records)}
    said = []
    for role, (noun, fate) in _FATES.items():
        found = [name for name in schema.named(role) if name in reasons]
        if not found or (role is Role.INSENSITIVE and kept is not None):  # what is left then was named to be kept
            continue
        one = len(found) == 1
        what = f"{counted(len(found), noun)} {'looks like an identifier' if one else 'look like identifiers'}"
        why = explained({name: reasons[name] for name in found})
        said.append(f"{what} and {fate}: {why}. Drop {'it' if one else 'them'} with identifiers= (--identifiers).")
    unnamed = [name for name in schema.named(Role.INSENSITIVE) if name not in {*(kept or ()), *policy.survey.columns}]
    if unnamed:
        known = exposed([profile for profile in profiles if profile.name in unnamed and profile.name not in reasons])
        one = len(unnamed) == 1
        it, which = "it" if one else "them", "them" if len(known) == len(unnamed) > 1 else listed(known)
        others = f" Outsiders could know {which}: consider more quasi-identifiers." if known else ""
        said.append(
            f"{counted(len(unnamed), 'column')} {'has' if one else 'have'} no role and {'is' if one else 'are'}"
            f" released unchanged: {listed(unnamed)}. Drop {it} with drop_others=True (--drop-others).{others}"
        )
    return said
