"""Errors about cells and columns of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Self

from shoal.errors.base import ShoalError, fixed, message
from shoal.errors.messages import (
    MAX_LISTED,
    first_clause,
    pluralize,
    quote_name,
    quote_names,
    quote_reasons,
    similar_words,
)

_PLAIN = re.compile(r"[^\W\d][\w.-]{0,40}")
"""Column name that needs no quotes in Python and in a shell."""
_ONE_ROW_PER_PERSON = "give a table with one row per person"
_OWN_NAME = "give every column a name of its own"
_DROP = "drop the column with identifiers= (--identifiers)"


def _with_cells(fact: str, hint: str) -> classmethod[Any, ..., Any]:
    """Return a constructor of an error about some cells of a column."""
    where = "in {rows:,} of {of:record} (the first is record {first:,})"
    return message(f"Column {{column!q}} {fact} {where}", hint)


def _named_format(name: str, formats: str) -> str:
    return f"name their format ({formats}) with column_formats= (--column-format {quote_name(name)}=FORMAT)"


def _missing_in(name: str) -> str:
    return f"name the words that mean missing with missing_in= (--missing-in {quote_name(name)}=WORDS)"


class DataError(ShoalError):
    """The table contains values that cannot be used."""

    no_records = fixed("The table has no records", _ONE_ROW_PER_PERSON)
    no_columns = fixed("The table has no columns", _ONE_ROW_PER_PERSON)
    statistics_not_adjacent = fixed(
        "The statistics are not of two adjacent parts of a table in their order",
        "give the position of the first record of each part",
    )
    spark_frame = fixed(
        "Only anonymize, replay, verify and evaluate take a Spark frame",
        "collect a part of it, such as frame.limit(100_000).toArrow()",
    )
    distance_overflow = fixed(
        "The numeric quasi-identifiers are so large, or their weights so different, that distances between records"
        " are beyond the range of numbers",
        "divide the large columns, or give weights that differ less",
    )
    shuffled = fixed(
        "The rows of the release are shuffled, so that it cannot be compared with its original row by row",
        "use the figures of its report or of release.evaluation, or shoal verify",
    )
    unknown_table_type = message(
        "A {value} is not a table that Shoal can read",
        "give a path, a pandas, polars or pyarrow table, or a two-dimensional numpy array",
    )
    lazy_frame = message("A {value} has not been computed yet", "give the table itself, such as frame.collect()")
    array_type = message("An array of type {value} holds no plain numbers", "give an array of integers or floats")
    array_shape = message(
        "An array of {value} dimensions is not a table", "give a two-dimensional array with one row per person"
    )
    array_cannot_hold = message(
        "The released array has one type of number, which cannot hold column {name!q} exactly",
        "give the table as a pandas or polars frame, or recode the column to one of its own values",
    )
    unknown_objects = message(
        "Column {name!q} holds objects that cannot be read or compared",
        "convert them to numbers, dates or text, or drop the column",
    )
    text_in_numbers = _with_cells(
        "has text where numbers are needed",
        "correct these cells, name the words that mean missing with missing= (--missing), the decimal mark with"
        " decimal= (--decimal), or say that the column is nominal with kinds= (--kind)",
    )
    missing_values = _with_cells(
        "has missing values",
        f"choose their treatment with missing_values= (--missing-values), fill these cells beforehand, or {_DROP}",
    )
    not_dates = _with_cells(
        "has no date where dates are needed",
        "write these cells as YYYY-MM-DD, with or without a time, leave missing ones empty, or say that the column is"
        " nominal with kinds= (--kind)",
    )
    infinite = _with_cells("has infinite values", f"replace them by numbers, or {_DROP}")
    invalid_weights = _with_cells(
        "has sampling weights that are zero, negative, infinite or missing",
        "give every record a number above 0: how many persons it represents",
    )
    missing_household = _with_cells(
        "names no household", "give every record a household, and each person who lives alone their own"
    )
    out_of_bounds = _with_cells(
        "has values outside its bounds", "correct these cells, or widen the bounds with bounds= (--bounds)"
    )
    too_many_strata = message(
        "The table has {strata:,} strata, and at most {most:,} can be worked on in pieces",
        "Use coarser strata, or release the table in memory.",
    )
    too_many_sensitive = message(
        "Column {column!q} has a privacy model and more than {most:,} different values, too many for a table that is"
        " read in pieces",
        "group its values, drop its model, or leave out memory= (--memory)",
    )
    too_many_households = message(
        "The table has more than {most:,} households, too many for the memory limit",
        "give more memory with memory= (--memory)",
    )
    household_across_strata = message(
        "The members of {households:household} are in different strata, and groups cross neither",
        "put all members of a household into one stratum",
    )
    household_too_large = message(
        "The largest household has {largest:,} members, more than the {most:,} that are allowed (too large:"
        " {households:household})",
        "check whether one code means many households, or allow more with largest_household= (--largest-household)",
    )
    stratum_too_small = message(
        "{strata:,} of {of:,} strata have fewer than k = {k:,} {units}, the smallest {smallest:,}, and no group"
        " crosses strata",
        "join small strata to others, or choose a smaller k",
    )
    keys_not_unique = message(
        "Column {column!q} does not identify every record: {records:record} repeat a value or have none",
        "give a column with a value of its own for each record with on=, or leave out on=",
    )
    keys_differ = message(
        "Column {column!q} of the release lacks the value of {records:record} of the original",
        "give a column with the same values in both tables with on=, or leave out on=",
    )
    record_counts_differ = message(
        "The original has {original:record} and the release {released:,}",
        "give the two tables with the same records in the same order",
    )


class ColumnError(ShoalError):
    """A column is named wrongly, or has the wrong role."""

    no_quasi_identifier = fixed(
        "No quasi-identifier is named, so there is nothing to protect",
        "name the columns that an outsider could know with quasi_identifiers= (-q)",
    )
    no_quasi_identifier_in_other = fixed(
        "The other release has none of the quasi-identifiers, and no policy beside it",
        "name its own with against_quasi_identifiers= (--against-quasi-identifiers)",
    )
    empty_name = message("Column {value} has no name", _OWN_NAME)
    kind_without_role = message(
        "Column {name!q} is no quasi-identifier and not sensitive, so that its kind or hierarchy has no effect",
        "name it among the quasi-identifiers (-q), or leave it out",
    )
    not_recoded = message(
        "Column {name!q} is no quasi-identifier, so that it is never recoded",
        "name it among the quasi-identifiers (-q), or leave it out",
    )
    no_hierarchy = message(
        "Column {name!q} is hierarchical and has no hierarchy",
        "give one with hierarchies= (--hierarchy), such as shoal hierarchy build writes",
    )
    no_levels = message(
        "Column {name!q} is ordinal, and its values have no order",
        "name its levels, lowest first, with levels= (--levels)",
    )
    missing_in_release = message(
        "The release has no column {name!q}", "name only quasi-identifiers that both tables have"
    )
    missing_in_population = message(
        "The table of the population has no column {name!q}",
        "give one that has all quasi-identifiers, recoded as in the release",
    )

    @classmethod
    def unknown(cls, name: str, known: Sequence[str]) -> Self:
        near = similar_words(name, known)
        count = f"the table has {pluralize(len(known), 'column')}, which shoal describe lists"
        return cls(f"There is no column {quote_name(name)}", f"did you mean {quote_names(near)}" if near else count)

    duplicate_names = message("The header has {names:column name} more than once ({names!l})", _OWN_NAME)

    @classmethod
    def ambiguous_format(cls, name: str, doubt: str, formats: Sequence[str]) -> Self:
        fact = {
            "day or month": "dates in which the day and the month cannot be distinguished",
            "short year": "years of two digits, which leave the century open",
            "comma": "numbers whose comma may be a decimal mark or part thousands",
            "point": "numbers whose point may be a decimal mark or part thousands",
        }.get(doubt, "values that can be read in several ways")
        other = "; YY is 1969 to 2068" if doubt == "short year" else ""
        return cls(
            f"Column {quote_name(name)} has {fact}", _named_format(name, f"{', '.join(formats)}, or text{other}")
        )

    @classmethod
    def format_mismatch(cls, name: str, form: str) -> Self:
        hint = f"{_named_format(name, 'such as DD.MM.YYYY, 1.234,5 or text')}, or {_missing_in(name)}"
        return cls(f"Column {quote_name(name)} has values that are not written as {form}", hint)

    @classmethod
    def read_as_text(cls, name: str, *, dates: bool) -> Self:
        what, example = ("dates", "such as DD.MM.YYYY") if dates else ("numbers", "such as 1.234,5")
        return cls(
            f"Column {quote_name(name)} was read as text although most of its values look like {what}",
            f"{_named_format(name, f'{example}, or text')}, or {_missing_in(name)}",
        )

    duplicate_in_role = message("Column {name!q} is named twice among the {role} columns", "name it once")
    two_roles = message("Column {name!q} is named as {first} and as {second}", "give it one role")

    @classmethod
    def unassigned_identifiers(cls, reasons: Mapping[str, str], *, is_replay: bool) -> Self:
        one = len(reasons) == 1
        fact = f"{pluralize(len(reasons), 'column')} without a role {'looks' if one else 'look'} like"
        fact += f" {'an identifier' if one else 'identifiers'}: {quote_reasons(reasons)}"
        python, command = "", ""
        if len(reasons) <= MAX_LISTED and all(_PLAIN.fullmatch(name) for name in reasons):
            python, command = repr([*reasons]), f" {','.join(reasons)}"
        drop, keep = f"identifiers={python} (--identifiers{command})", f"keep={python} (--keep{command})"
        them = "it" if one else "them"
        hint = f"drop {them} with {drop}, or release {them} unchanged with {keep}"
        return cls(fact, f"the policy does not decide about {them}: make a new one, and {hint}" if is_replay else hint)

    @classmethod
    def identifying_index(cls, reason: str) -> Self:
        return cls(
            f"The index of the frame looks like an identifier ({first_clause(reason)}), and a release keeps it",
            "drop it with frame.reset_index(drop=True), or make it a column, frame.reset_index(), and give it a role",
        )

    @classmethod
    def kind_not_supported(cls, name: str, kind: str, kinds: Sequence[str], method: str, *, taking: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is {kind}, and {method!r} takes {', '.join(kinds)} quasi-identifiers only",
            f"choose a method that takes all columns, such as {taking!r}, or {_DROP}",
        )

    not_numeric = message(
        "Column {name!q} is {kind} where numbers are needed", "choose another column, or another kind"
    )
    households_not_released = message(
        "Column {name!q} names the households and is not released, so that a release in pieces cannot be verified by"
        " households",
        "keep the column with another role, or hold the whole table in memory (no --memory, no --engine spark)",
    )
    quasi_identifier_in_design = message(
        "Column {name!q} is a quasi-identifier and {what} at once",
        "remove it from the quasi-identifiers: its values are needed unchanged",
    )

    @classmethod
    def not_sensitive(cls, name: str, role: str) -> Self:
        hint = "name it among the sensitive columns with sensitive= (--sensitive), or leave the model out"
        known = role == "quasi-identifier"
        return cls(
            f"Column {quote_name(name)} has a privacy model and is {'a ' if known else ''}{role}",
            "give models to sensitive columns only" if known else hint,
        )

    model_needs_order = message(
        "Column {name!q} is {kind}, and {model} needs numbers, dates or an order",
        "name its levels, lowest first, with levels= (--levels), or choose t-equal",
    )
    model_needs_hierarchy = message(
        "Column {name!q} has no hierarchy, and {model} needs one",
        "give one with hierarchies= (--hierarchy), or choose t-equal",
    )
    kind_conflicts_with_hierarchy = message("Column {name!q} is {kind} and has a hierarchy", "leave one of them out")
    mixed_kinds_not_supported = message(
        "Method {method!r} takes numbers or categories and not both, and there are"
        " {numbers:numeric quasi-identifier} and {others:,} of other kinds",
        "choose a method for mixed tables, such as 'mdav' or 'mondrian-extent'",
    )
