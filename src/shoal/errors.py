"""Every exception of Shoal.

::

    ShoalError                    exit code 2: something the user can mend
    ├── FileError                 a file cannot be read
    ├── DataError                 the table holds what cannot be protected
    ├── ColumnError               a column is named wrongly, or in the wrong role
    ├── OptionError               k, a method or an option is out of range or unknown
    ├── OutputError               a release cannot be written where it was asked for
    ├── PolicyError               a policy file cannot be used
    └── PromiseError              exit code 3: the promise does not hold, nothing was released

    ShoalWarning                  the release stands, but the user should look

A message is one sentence: the fact with its numbers, then a hint with one action. It names columns,
counts and row numbers, never a cell of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.words import counted, did_you_mean, listed, near_words, shown


class ShoalWarning(UserWarning):
    """The release keeps its promise, and yet something in it deserves a look."""


class ShoalError(Exception):
    """A fact and a hint; the parent of every error that Shoal raises on purpose."""

    exit_code = 2

    def __init__(self, fact: str, hint: str) -> None:
        self.fact = fact
        self.hint = hint
        super().__init__(f"{fact}; {hint}.")

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (self.fact, self.hint)


class FileError(ShoalError):
    """A file cannot be read."""

    @classmethod
    def missing(cls, path: object) -> Self:
        return cls(f"The file {str(path)!r} does not exist", "check the path")

    @classmethod
    def is_folder(cls, path: object) -> Self:
        return cls(f"{str(path)!r} is a folder", "name one file in it")

    @classmethod
    def no_file(cls, path: object) -> Self:
        return cls(f"{str(path)!r} is a pipe or a device and not a file", "write the data to a file first")

    @classmethod
    def unreadable(cls, path: object, why: str) -> Self:
        return cls(f"The file {str(path)!r} cannot be read ({why})", "check its permissions and that it is whole")

    @classmethod
    def damaged(cls, path: object, format: str) -> Self:
        return cls(
            f"The file {str(path)!r} is not a readable {format} file",
            "check that it is whole and that its ending tells its format",
        )

    @classmethod
    def empty(cls, path: object) -> Self:
        return cls(f"The file {str(path)!r} is empty", "give a file with a header line and one line a record")

    @classmethod
    def header_only(cls, path: object) -> Self:
        return cls(f"The file {str(path)!r} has a header and no record", "give a file with one line a record")

    @classmethod
    def no_header(cls, path: object) -> Self:
        return cls(
            f"The first line of {str(path)!r} holds only numbers, so it looks like a record and not like a header",
            "add a header line, or say header=False (--no-header), or header=True (--header) if it is one",
        )

    @classmethod
    def ragged(cls, path: object, *, row: int, found: int, expected: int, rows: int) -> Self:
        return cls(
            f"{counted(rows, 'record')} of {str(path)!r} do not have {counted(expected, 'field')} as the header has"
            f" (the first is record {row:,} with {found:,})",
            "mend these lines, or name the delimiter with delimiter= (--delimiter)",
        )

    @classmethod
    def stray_quote(cls, path: object, *, row: int) -> Self:
        return cls(
            f"Record {row:,} of {str(path)!r} has a quotation mark inside a field or one that is never closed",
            "double the marks inside quoted fields, or switch quoting off with quote='' (--quote none)",
        )

    @classmethod
    def stray_quote_in_header(cls, path: object) -> Self:
        return cls(
            f"The header of {str(path)!r} has a quotation mark inside a name or one that is never closed",
            "double the marks inside quoted names, or switch quoting off with quote='' (--quote none)",
        )

    @classmethod
    def strange_header(cls, path: object, position: int) -> Self:
        return cls(
            f"The name of column {position:,} of {str(path)!r} is very long or goes over several lines, as after a"
            " quotation mark that is never closed or in a file without a header",
            "mend it, switch quoting off with quote='' (--quote none), or say header=True (--header) if it is right",
        )

    @classmethod
    def bad_encoding(cls, path: object, encoding: str) -> Self:
        return cls(f"The file {str(path)!r} is not {encoding} text", "name its encoding with encoding= (--encoding)")

    @classmethod
    def not_text(cls, path: object) -> Self:
        return cls(f"The file {str(path)!r} holds NUL bytes, as UTF-16 and binary files do", "save it as UTF-8 text")

    @classmethod
    def unknown_format(cls, path: object, known: Sequence[str]) -> Self:
        return cls(
            f"The ending of {str(path)!r} names no format that Shoal knows",
            f"use one of {', '.join(known)}",
        )

    @classmethod
    def several_sheets(cls, path: object, sheets: int) -> Self:
        return cls(
            f"The workbook {str(path)!r} has {counted(sheets, 'sheet')} and none is named",
            "name one with sheet= (--sheet)",
        )

    @classmethod
    def no_sheet(cls, path: object, sheet: str, sheets: int) -> Self:
        return cls(
            f"The workbook {str(path)!r} has no sheet {sheet!r} among its {counted(sheets, 'sheet')}",
            "name one with sheet= (--sheet)",
        )

    @classmethod
    def changed(cls, path: object) -> Self:
        return cls(
            f"The file {str(path)!r} changed while it was being protected", "run again when nothing writes to it"
        )

    @classmethod
    def no_benchmark_data(cls, folder: object | None, *, empty: bool = False) -> Self:
        if folder is None:
            fact = "No folder of benchmark data is named"
        else:
            fact = f"The folder {str(folder)!r} {'has no benchmark data' if empty else 'does not exist'}"
        return cls(fact, "name one with --data or in SHOAL_DATA; docs/data.md says where the data is published")

    @classmethod
    def not_benchmark_data(cls, path: object, fact: str) -> Self:
        return cls(f"{str(path)!r} is not what the papers used: {fact}", "docs/data.md says where it is published")

    @classmethod
    def needs_extra(cls, path: object, extra: str) -> Self:
        return cls(
            f"Files such as {str(path)!r} need packages that are not installed",
            f"run: pip install 'shoal[{extra}]'",
        )


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
            " decimal= (--decimal), or choose other quasi-identifiers",
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
        count = f"there are {counted(len(known), 'column')}, and shoal describe lists them"
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
    def kind_not_supported(cls, name: str, kind: str, kinds: Sequence[str], method: str) -> Self:
        return cls(
            f"Column {shown(name)} is {kind}, and {method!r} takes {' and '.join(kinds)} quasi-identifiers only",
            "give it as numbers, or name it among the identifiers so that it is dropped",
        )

    @classmethod
    def missing_in_release(cls, name: str) -> Self:
        return cls(f"The release has no column {shown(name)}", "name only quasi-identifiers that both tables have")


class OptionError(ShoalError):
    """k, a method or an option is out of range or unknown."""

    @classmethod
    def no_k(cls) -> Self:
        return cls(
            "k is not given, and a privacy level is your decision", "give k as a whole number of at least 2 (-k)"
        )

    @classmethod
    def k_not_whole(cls) -> Self:
        return cls("k is not a whole number", "give k as a whole number of at least 2")

    @classmethod
    def k_too_small(cls, k: int) -> Self:
        return cls(f"k = {k} protects nobody", "give k as a whole number of at least 2")

    @classmethod
    def k_too_large(cls, k: int, n: int) -> Self:
        hint = f"choose k between 2 and {n:,}" if n >= 2 else "give a table with more records"
        return cls(f"k = {k:,} is more than the {counted(n, 'record')} of the table", hint)

    @classmethod
    def unknown_method(cls, name: str, known: Sequence[str]) -> Self:
        return cls(f"There is no method {name!r}", did_you_mean(name, known))

    @classmethod
    def unknown_option(cls, name: str, method: str, known: Sequence[str]) -> Self:
        return cls(f"Method {method!r} has no option {name!r}", did_you_mean(name, known))

    @classmethod
    def bad_option(cls, name: str, expected: str) -> Self:
        return cls(f"Option {name!r} has a value that it cannot take", f"give {expected}")

    @classmethod
    def unknown_choice(cls, name: str, found: object, known: Sequence[str]) -> Self:
        return cls(f"There is no {name} {shown(found)}", did_you_mean(str(found), known))

    @classmethod
    def nothing_chosen(cls, words: Sequence[str]) -> Self:
        fact = f"No printed cell fits all of {listed(words)}" if words else "The choice names nothing"
        return cls(fact, "name a paper, a table, a data set or a method, or leave the choice out")

    @classmethod
    def too_many_records(cls, method: str, *, most: int, found: int) -> Self:
        return cls(
            f"The method {method!r} takes at most {most:,} records, since its memory grows with their square,"
            f" and there are {found:,}",
            "choose another method, such as 'mdav'",
        )

    @classmethod
    def too_many_columns(cls, method: str, *, most: int, found: int) -> Self:
        return cls(
            f"Method {method!r} takes {counted(most, 'quasi-identifier')} and {found:,} are named",
            "name fewer, or choose another method",
        )

    @classmethod
    def no_seed(cls) -> Self:
        return cls("seed is not a whole number", "give seed as a whole number of at least 0")


class OutputError(ShoalError):
    """A release cannot be written where it was asked for."""

    @classmethod
    def no_name(cls) -> Self:
        return cls("The output has no name that a file can have", "give the path of a file")

    @classmethod
    def is_input(cls, path: object) -> Self:
        return cls(f"The output {str(path)!r} is the input itself", "give the output another name")

    @classmethod
    def exists(cls, path: object) -> Self:
        return cls(f"The output {str(path)!r} exists", "give another name, or replace it with force=True (--force)")

    @classmethod
    def named_twice(cls, path: object) -> Self:
        return cls(f"Two outputs have the same name {str(path)!r}", "give each output a name of its own")

    @classmethod
    def no_folder(cls, path: object) -> Self:
        return cls(f"The folder {str(path)!r} does not exist", "make it first, or name another")

    @classmethod
    def unwritable(cls, path: object, why: str) -> Self:
        return cls(f"{str(path)!r} cannot be written ({why})", "choose a folder that you may write to, with room left")

    @classmethod
    def cannot_write(cls, path: object, format: str) -> Self:
        return cls(f"Shoal cannot write {format} files such as {str(path)!r}", "choose another ending, such as .csv")

    @classmethod
    def does_not_fit(cls, path: object) -> Self:
        return cls(
            f"The names or the values of the table do not fit the format of {str(path)!r}",
            "choose another ending, such as .csv",
        )

    @classmethod
    def cannot_quote(cls, column: str) -> Self:
        return cls(
            f"The new numbers of column {column!r} hold the delimiter of the file, and quoting is switched off",
            "name a mark of quotation with quote= (--quote), or use a file with another delimiter or decimal mark",
        )

    @classmethod
    def too_long(cls, path: object, most: int) -> Self:
        return cls(f"{str(path)!r} can hold {counted(most, 'record')} only", "choose another ending, such as .csv")


class PolicyError(ShoalError):
    """A policy file cannot be used."""

    @classmethod
    def damaged(cls, path: object, why: str) -> Self:
        return cls(f"{str(path)!r} is not a Shoal policy ({why})", "give a policy file that a release wrote")

    @classmethod
    def not_a_policy(cls, type_name: str) -> Self:
        return cls(f"A {type_name} is not a policy", "give a Policy, or the path of a policy file")

    @classmethod
    def too_new(cls, path: object, found: int, known: int) -> Self:
        return cls(
            f"The policy {str(path)!r} has format {found}, and this Shoal reads up to {known}",
            "install a newer Shoal",
        )

    @classmethod
    def undecided(cls, column: str) -> Self:
        return cls(f"The policy says nothing about column {shown(column)}", "take the column out, or make a new policy")

    @classmethod
    def decides(cls, option: str) -> Self:
        return cls(f"The policy decides {option!r} already", "leave the option out, or the policy")


class PromiseError(ShoalError):
    """The promise does not hold; nothing was released."""

    exit_code = 3

    @classmethod
    def below_k(cls, *, records: int, k: int, smallest: int) -> Self:
        return cls(
            f"{counted(records, 'record')} of the release are in classes below k = {k} (the smallest has {smallest:,})",
            "nothing was written; please report this with the policy and without the data",
        )

    @classmethod
    def broken_partition(cls, method: str, what: str) -> Self:
        return cls(
            f"Method {method!r} returned a partition that breaks the promise ({what})",
            "nothing was written; please report this with the policy and without the data",
        )

    @classmethod
    def changed(cls, what: str) -> Self:
        return cls(
            f"The release differs from what it should hold ({what})",
            "nothing was written; please report this with the policy and without the data",
        )

    @classmethod
    def replay_differs(cls) -> Self:
        return cls(
            "The same input and the same policy gave other bytes than the policy records",
            "nothing was written; compare the versions in the policy with those installed",
        )
