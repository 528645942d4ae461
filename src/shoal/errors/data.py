"""Errors about cells and columns of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Self

from shoal.errors.base import ShoalError, fixed
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


def _named_format(name: str, formats: str) -> str:
    return f"say how it is written ({formats}) with column_formats= (--column-format {quote_name(name)}=FORMAT)"


def _affected(rows: int, of: int, first: int) -> str:
    return f"in {rows:,} of {pluralize(of, 'record')} (the first is record {first:,})"


class DataError(ShoalError):
    """The table contains values that cannot be used."""

    no_records = fixed("The table has no record", "give a table with one row a person")
    no_columns = fixed("The table has no column", "give a table with one row a person")
    statistics_not_adjacent = fixed(
        "The two surveys are not of two parts of a table, the second right below the first",
        "say where each part begins when it is surveyed",
    )
    spark_frame = fixed(
        "A frame of Spark is taken by anonymize and replay alone",
        "bring a part of it here, such as frame.limit(100_000).toArrow()",
    )
    distance_overflow = fixed(
        "The numeric quasi-identifiers are so large, or their weights so different, that distances between records"
        " are beyond the range of numbers",
        "divide the large columns, or give weights that differ less",
    )
    shuffled = fixed(
        "The rows of the release are shuffled, so that it cannot be compared with its original row by row",
        "take the figures of the release itself (its report, or release.evaluation), or shoal verify",
    )

    @classmethod
    def unknown_table_type(cls, type_name: str) -> Self:
        return cls(
            f"A {type_name} is not a table that Shoal knows",
            "give a path, a pandas, polars or pyarrow table, or a two-dimensional numpy array",
        )

    @classmethod
    def too_many_strata(cls, strata: int, *, most: int) -> Self:
        return cls(
            f"The table has {strata:,} strata, and at most {most:,} can be worked on in pieces",
            "Use coarser strata, or release the table in memory.",
        )

    @classmethod
    def too_many_sensitive(cls, column: str, most: int) -> Self:
        return cls(
            f"Column {quote_name(column)} has a privacy model and more than {most:,} different values, which are too"
            " many for a table that is read in pieces",
            "group its values before, ask for no model on it, or leave out memory= (--memory)",
        )

    @classmethod
    def lazy_frame(cls, type_name: str) -> Self:
        return cls(f"A {type_name} has not been computed yet", "give the table itself, such as frame.collect()")

    @classmethod
    def array_type(cls, type_name: str) -> Self:
        return cls(f"An array of type {type_name} holds no plain numbers", "give an array of whole numbers or floats")

    @classmethod
    def array_inexact(cls, column: str) -> Self:
        return cls(
            f"Column {column!r} holds whole numbers that the one type of number of the released array cannot hold"
            " exactly",
            "give the table as a pandas or polars frame, where each column has a type of its own",
        )

    @classmethod
    def array_shape(cls, dimensions: int) -> Self:
        return cls(
            f"An array of {pluralize(dimensions, 'dimension')} is not a table",
            "give a two-dimensional array with one row a person",
        )

    @classmethod
    def text_in_numbers(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {quote_name(column)} has text where numbers are needed {_affected(rows, of, first)}",
            "mend these cells, name the words that mean missing with missing= (--missing), the decimal mark with"
            " decimal= (--decimal), or say that the column is nominal with kinds= (--kind)",
        )

    @classmethod
    def missing_values(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {quote_name(column)} has missing values {_affected(rows, of, first)}",
            "say what they mean with missing_values= (--missing-values), fill these cells before the release, or name"
            " the column among the identifiers so that it is dropped",
        )

    @classmethod
    def not_dates(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {quote_name(column)} has no date where dates are needed {_affected(rows, of, first)}",
            "write these cells as YYYY-MM-DD, with or without a time, leave missing ones empty, or say that the column"
            " is nominal with kinds= (--kind)",
        )

    @classmethod
    def array_text(cls, column: str) -> Self:
        return cls(
            f"The new values of column {column!r} are text or dates, and an array of numbers holds none",
            "give the table as a pandas or polars frame, or recode the column to one of its own values",
        )

    @classmethod
    def infinite(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {quote_name(column)} has infinite values {_affected(rows, of, first)}",
            "replace them by numbers, or name the column among the identifiers so that it is dropped",
        )

    @classmethod
    def invalid_weights(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"The sampling weights in column {quote_name(column)} are zero, negative, infinite or missing"
            f" {_affected(rows, of, first)}",
            "give every record a number above 0: how many persons it stands for",
        )

    @classmethod
    def missing_household(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {quote_name(column)} names no household for {rows:,} of {pluralize(of, 'record')} (the first is"
            f" record {first:,})",
            "give every record a household, a person who lives alone one of its own",
        )

    @classmethod
    def household_across_strata(cls, households: int) -> Self:
        return cls(
            f"The members of {pluralize(households, 'household')} are in different strata, and groups cross neither",
            "put all members of a household into one stratum",
        )

    @classmethod
    def household_too_large(cls, *, largest: int, most: int, households: int) -> Self:
        return cls(
            f"The largest household has {largest:,} members where at most {most:,} are allowed"
            f" (larger than that: {pluralize(households, 'household')})",
            "look whether one code stands for many households, or allow more with largest_household="
            " (--largest-household)",
        )

    @classmethod
    def stratum_too_small(cls, *, smallest: int, strata: int, of: int, k: int, units: str) -> Self:
        return cls(
            f"{strata:,} of {of:,} strata have fewer than k = {k:,} {units}, the smallest"
            f" {smallest:,}, and groups never cross strata",
            "join small strata to others, or take a smaller k",
        )

    @classmethod
    def keys_not_unique(cls, column: str, records: int) -> Self:
        return cls(
            f"Column {quote_name(column)} does not identify every record: {pluralize(records, 'record')} repeat a value"
            " or have none",
            "give a column with a value of its own for each record with on=, or leave out on=",
        )

    @classmethod
    def keys_differ(cls, column: str, records: int) -> Self:
        return cls(
            f"Column {quote_name(column)} of the release lacks the value of {pluralize(records, 'record')} of the"
            " original",
            "give a column with the same values in both tables with on=, or leave out on=",
        )

    @classmethod
    def out_of_bounds(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {quote_name(column)} has values outside its bounds {_affected(rows, of, first)}",
            "mend these cells, or widen the bounds with bounds= (--bounds)",
        )

    @classmethod
    def unknown_objects(cls, column: str) -> Self:
        return cls(
            f"Column {quote_name(column)} holds objects that cannot be understood or compared",
            "turn them into numbers, dates or text, or take the column out",
        )

    @classmethod
    def not_sortable(cls, column: str) -> Self:
        return cls(
            f"The rows cannot be shuffled by what they show, since column {quote_name(column)} holds objects without"
            " a text",
            "turn them into numbers, dates or text, or take the column out",
        )

    @classmethod
    def record_counts_differ(cls, original: int, released: int) -> Self:
        return cls(
            f"The original has {pluralize(original, 'record')} and the release {released:,}",
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

    @classmethod
    def unknown(cls, name: str, known: Sequence[str]) -> Self:
        near = similar_words(name, known)
        count = f"the table has {pluralize(len(known), 'column')}, which shoal describe lists"
        return cls(f"There is no column {quote_name(name)}", f"did you mean {quote_names(near)}" if near else count)

    @classmethod
    def duplicate_names(cls, names: Sequence[str]) -> Self:
        return cls(
            f"{pluralize(len(names), 'column name')} {'stands' if len(names) == 1 else 'stand'} more than once in the"
            f" header ({quote_names(names)})",
            "give every column a name of its own",
        )

    @classmethod
    def ambiguous_format(cls, name: str, doubt: str, formats: Sequence[str]) -> Self:
        fact = {
            "day or month": "dates of which the day and the month cannot be told apart",
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
        return cls(
            f"Column {quote_name(name)} has values that are not written as {form}",
            f"{_named_format(name, 'such as DD.MM.YYYY, 1.234,5 or text')}, or name the words that mean missing with"
            f" missing_in= (--missing-in {quote_name(name)}=WORDS)",
        )

    @classmethod
    def read_as_text(cls, name: str, *, dates: bool) -> Self:
        what, example = ("dates", "such as DD.MM.YYYY") if dates else ("numbers", "such as 1.234,5")
        return cls(
            f"Column {quote_name(name)} was read as text although most of its values look like {what}",
            f"{_named_format(name, f'{example}, or text')}, or name the words that mean missing with"
            f" missing_in= (--missing-in {quote_name(name)}=WORDS)",
        )

    @classmethod
    def empty_name(cls, position: int) -> Self:
        return cls(f"Column {position:,} has no name", "give every column a name of its own")

    @classmethod
    def duplicate_in_role(cls, name: str, role: str) -> Self:
        return cls(f"Column {quote_name(name)} is named twice among the {role} columns", "name it once")

    @classmethod
    def two_roles(cls, name: str, first: str, second: str) -> Self:
        return cls(f"Column {quote_name(name)} is named as {first} and as {second}", "give it one role")

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
            "drop it with frame.reset_index(drop=True), or make it a column with frame.reset_index() and decide there",
        )

    @classmethod
    def kind_not_supported(cls, name: str, kind: str, kinds: Sequence[str], method: str, *, taking: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is {kind}, and {method!r} takes {', '.join(kinds)} quasi-identifiers only",
            f"choose a method that takes all columns, such as {taking!r}, or name it among the identifiers so that it"
            " is dropped",
        )

    @classmethod
    def not_numeric(cls, name: str, kind: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is {kind} where numbers are needed", "choose another column, or another kind"
        )

    @classmethod
    def kind_without_role(cls, name: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is no quasi-identifier and not sensitive, so that its kind or hierarchy decides"
            " nothing",
            "name it among the quasi-identifiers (-q), or leave it out",
        )

    @classmethod
    def quasi_identifier_in_design(cls, name: str, what: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is a quasi-identifier and {what} at once",
            "take it out of the quasi-identifiers: it is needed as it is",
        )

    @classmethod
    def not_recoded(cls, name: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is no quasi-identifier, so that it is never recoded",
            "name it among the quasi-identifiers (-q), or leave it out",
        )

    @classmethod
    def not_sensitive(cls, name: str, role: str) -> Self:
        hint = "name it among the sensitive columns with sensitive= (--sensitive), or leave the model out"
        known = role == "quasi-identifier"
        return cls(
            f"Column {quote_name(name)} has a privacy model and is {'a ' if known else ''}{role}",
            "give a model to a column that nobody may learn" if known else hint,
        )

    @classmethod
    def model_needs_order(cls, name: str, kind: str, model: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is {kind}, and {model} needs numbers, dates or an order",
            "name its levels, the lowest first, with levels= (--levels), or ask for t-equal",
        )

    @classmethod
    def model_needs_hierarchy(cls, name: str, model: str) -> Self:
        return cls(
            f"Column {quote_name(name)} has no hierarchy, and {model} needs one",
            "give one with hierarchies= (--hierarchy), or ask for t-equal",
        )

    @classmethod
    def no_hierarchy(cls, name: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is said to be hierarchical and has no hierarchy",
            "give one with hierarchies= (--hierarchy), such as shoal hierarchy build writes",
        )

    @classmethod
    def kind_conflicts_with_hierarchy(cls, name: str, kind: str) -> Self:
        return cls(f"Column {quote_name(name)} is said to be {kind} and has a hierarchy", "leave one of them out")

    @classmethod
    def no_levels(cls, name: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is ordinal, and nothing says how its values are ordered",
            "name its levels, the lowest first, with levels= (--levels)",
        )

    @classmethod
    def mixed_kinds_not_supported(cls, method: str, *, numbers: int, others: int) -> Self:
        return cls(
            f"Method {method!r} takes numbers or categories and not both, and there are"
            f" {pluralize(numbers, 'numeric quasi-identifier')} and {others:,} of other kinds",
            "choose a method for mixed tables, such as 'mdav' or 'mondrian-extent'",
        )

    @classmethod
    def missing_in_release(cls, name: str) -> Self:
        return cls(f"The release has no column {quote_name(name)}", "name only quasi-identifiers that both tables have")

    @classmethod
    def missing_in_population(cls, name: str) -> Self:
        return cls(
            f"The table of the population has no column {quote_name(name)}",
            "give one that has all quasi-identifiers, recoded as in the release",
        )
