"""Errors about the cells and the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError
from shoal.words import counted, listed, near_words, shown


class DataError(ShoalError):
    """The table holds what cannot be protected."""

    @classmethod
    def no_records(cls) -> Self:
        return cls("The table has no record", "give a table with one row a person")

    @classmethod
    def no_columns(cls) -> Self:
        return cls("The table has no column", "give a table with one row a person")

    @classmethod
    def unknown_kind(cls, type_name: str) -> Self:
        return cls(
            f"A {type_name} is not a table that Shoal knows",
            "give a path, a pandas, polars or pyarrow table, or a two-dimensional numpy array",
        )

    @classmethod
    def lazy(cls, type_name: str) -> Self:
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
            f"An array of {counted(dimensions, 'dimension')} is not a table",
            "give a two-dimensional array with one row a person",
        )

    @classmethod
    def text(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {shown(column)} has text where numbers are needed in {rows:,} of {counted(of, 'record')}"
            f" (the first is record {first:,})",
            "mend these cells, name the words that mean missing with missing= (--missing), the decimal mark with"
            " decimal= (--decimal), or say that the column is nominal with kinds= (--kind)",
        )

    @classmethod
    def missing_values(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {shown(column)} has missing values in {rows:,} of {counted(of, 'record')}"
            f" (the first is record {first:,})",
            "fill these cells or take these records out before the release, or name the column among the"
            " identifiers so that it is dropped",
        )

    @classmethod
    def array_text(cls, column: str) -> Self:
        return cls(
            f"The new values of column {column!r} are text, and an array of numbers holds none",
            "give the table as a pandas or polars frame, or recode the column to one of its own values",
        )

    @classmethod
    def infinite(cls, column: str, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"Column {shown(column)} has infinite values in {rows:,} of {counted(of, 'record')}"
            f" (the first is record {first:,})",
            "replace them by numbers, or name the column among the identifiers so that it is dropped",
        )

    @classmethod
    def strange_cells(cls, column: str) -> Self:
        return cls(
            f"Column {column!r} holds objects that cannot be understood or compared",
            "turn them into numbers, dates or text, or take the column out",
        )

    @classmethod
    def different_length(cls, original: int, released: int) -> Self:
        return cls(
            f"The original has {counted(original, 'record')} and the release {released:,}",
            "give the two tables with the same records in the same order",
        )


class ColumnError(ShoalError):
    """A column is named wrongly, or in the wrong role."""

    @classmethod
    def unknown(cls, name: str, known: Sequence[str]) -> Self:
        near = near_words(name, known)
        count = f"the table has {counted(len(known), 'column')}, which shoal describe lists"
        return cls(f"There is no column {shown(name)}", f"did you mean {listed(near)}" if near else count)

    @classmethod
    def duplicate_names(cls, names: Sequence[str]) -> Self:
        return cls(
            f"{counted(len(names), 'column name')} stand more than once in the header ({listed(names)})",
            "give every column a name of its own",
        )

    @classmethod
    def empty_name(cls, position: int) -> Self:
        return cls(f"Column {position:,} has no name", "give every column a name of its own")

    @classmethod
    def named_twice(cls, name: str, role: str) -> Self:
        return cls(f"Column {shown(name)} is named twice among the {role} columns", "name it once")

    @classmethod
    def two_roles(cls, name: str, first: str, second: str) -> Self:
        return cls(f"Column {shown(name)} is named as {first} and as {second}", "give it one role")

    @classmethod
    def no_quasi_identifier(cls) -> Self:
        return cls(
            "No quasi-identifier is named, so there is nothing to protect",
            "name the columns that an outsider could know with quasi_identifiers= (-q)",
        )

    @classmethod
    def kind_not_supported(cls, name: str, kind: str, kinds: Sequence[str], method: str, *, taking: str) -> Self:
        return cls(
            f"Column {shown(name)} is {kind}, and {method!r} takes {', '.join(kinds)} quasi-identifiers only",
            f"choose a method that takes all columns, such as {taking!r}, or name it among the identifiers so that it"
            " is dropped",
        )

    @classmethod
    def not_numeric(cls, name: str, kind: str) -> Self:
        return cls(f"Column {shown(name)} is {kind} where numbers are needed", "choose another column, or another kind")

    @classmethod
    def not_protected(cls, name: str) -> Self:
        return cls(
            f"Column {shown(name)} is no quasi-identifier, so that its kind, hierarchy or recoding decides nothing",
            "name it among the quasi-identifiers (-q), or leave it out",
        )

    @classmethod
    def no_hierarchy(cls, name: str) -> Self:
        return cls(
            f"Column {shown(name)} is said to be hierarchical and has no hierarchy",
            "give one with hierarchies= (--hierarchy), such as shoal hierarchy build writes",
        )

    @classmethod
    def two_meanings(cls, name: str, kind: str) -> Self:
        return cls(f"Column {shown(name)} is said to be {kind} and has a hierarchy", "leave one of them out")

    @classmethod
    def no_levels(cls, name: str) -> Self:
        return cls(
            f"Column {shown(name)} is ordinal, and nothing says how its values are ordered",
            "name its levels, the lowest first, with levels= (--levels)",
        )

    @classmethod
    def dates(cls, name: str) -> Self:
        return cls(
            f"Column {shown(name)} holds dates, and nothing says how they are grouped",
            "build a hierarchy of days, months and years (shoal hierarchy build dates) and give it with hierarchies="
            " (--hierarchy), or say that it is nominal with kinds= (--kind)",
        )

    @classmethod
    def kinds_do_not_mix(cls, method: str, *, numbers: int, others: int) -> Self:
        return cls(
            f"Method {method!r} takes numbers or categories and not both, and there are"
            f" {counted(numbers, 'numeric quasi-identifier')} and {others:,} of other kinds",
            "choose a method for mixed tables, such as 'mosaicrown'",
        )

    @classmethod
    def missing_in_release(cls, name: str) -> Self:
        return cls(f"The release has no column {shown(name)}", "name only quasi-identifiers that both tables have")
