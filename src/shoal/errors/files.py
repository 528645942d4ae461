"""Errors about input files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError, with_path
from shoal.errors.messages import pluralize, quote_names

_ONE_LINE_PER_RECORD = "give a file with a header line and one line per record"
_DELIMITER = "name the delimiter with delimiter= (--delimiter)"
_NO_QUOTING = "switch quoting off with quote='' (--quote none)"
_QUOTES = f"double the marks inside quoted fields, or {_NO_QUOTING}"
_SHEET = "name one with sheet= (--sheet)"


class FileError(ShoalError):
    """A file cannot be read."""

    missing = with_path("The file {} does not exist", "check the path")
    is_folder = with_path("{} is a folder", "name one file in it")
    not_a_regular_file = with_path("{} is a pipe or a device and not a file", "write the data to a file first")
    empty = with_path("The file {} is empty", _ONE_LINE_PER_RECORD)
    header_only = with_path("The file {} has a header and no record", _ONE_LINE_PER_RECORD)
    header_looks_numeric = with_path(
        "The first line of {} holds only numbers, so it looks like a record and not like a header",
        "add a header line, or say header=False (--no-header), or header=True (--header) if it is one",
    )
    stray_quote_in_header = with_path(
        "The header of {} has a quotation mark inside a name or one that is never closed",
        f"double the marks inside quoted names, or {_NO_QUOTING}",
    )
    nul_bytes = with_path("The file {} holds NUL bytes, as UTF-16 and binary files do", "save it as UTF-8 text")
    compressed = with_path("The file {} is compressed", "unpack it first")
    changed = with_path("The file {} changed while it was being protected", "run again when nothing writes to it")

    @classmethod
    def unreadable(cls, path: object, why: str) -> Self:
        return cls(f"The file {str(path)!r} cannot be read ({why})", "check its permissions and that it is whole")

    @classmethod
    def damaged(cls, path: object, format: str) -> Self:
        fact = f"The file {str(path)!r} is not a readable {format} file"
        return cls(fact, "check that it is whole and that its ending tells its format")

    @classmethod
    def header_looks_like_record(cls, path: object, position: int) -> Self:
        return cls(
            f"The first line of {str(path)!r} has a number or a date in field {position:,}, as the records below it do,"
            " so it looks like a record and not like a header",
            "say header=False (--no-header) if it is a record, or header=True (--header) if it holds the names",
        )

    @classmethod
    def values_in_unnamed_column(cls, path: object, position: int, row: int) -> Self:
        return cls(
            f"Column {position:,} of {str(path)!r} has no name and nothing in the first records, but record {row:,} has"
            " a value there",
            "give the column a name, or correct this record",
        )

    @classmethod
    def several_files_in_archive(cls, path: object, files: int) -> Self:
        fact = f"The archive {str(path)!r} has {pluralize(files, 'file')} and not one"
        return cls(fact, "unpack it and name the file to read")

    @classmethod
    def ragged(cls, path: object, *, row: int, found: int, expected: int, rows: int) -> Self:
        return cls(
            f"{pluralize(rows, 'record')} of {str(path)!r} {'does' if rows == 1 else 'do'} not have"
            f" {pluralize(expected, 'field')} as the header has (the first is record {row:,} with {found:,})",
            f"correct these lines, or {_DELIMITER}",
        )

    @classmethod
    def ragged_from(cls, path: object, *, row: int, found: int, expected: int) -> Self:
        return cls(
            f"Record {row:,} of {str(path)!r}, and perhaps others below it, has {pluralize(found, 'field')} where the"
            f" header has {expected:,}",
            f"correct these lines, or {_DELIMITER}",
        )

    @classmethod
    def looks_like_footer(cls, path: object, *, lines: int, total: bool) -> Self:
        last = "The last line" if lines == 1 else f"The last {lines:,} lines"
        looks = "like a total" if total and lines == 1 else "like totals and notes" if total else "like a note"
        return cls(
            f"{last} of {str(path)!r} {'looks' if lines == 1 else 'look'} {looks} and not like a record",
            f"leave {'it' if lines == 1 else 'them'} out with skip_footer={lines} (--skip-footer {lines}), or say"
            f" skip_footer=0 (--skip-footer 0) if {'it is a record' if lines == 1 else 'they are records'}",
        )

    @classmethod
    def header_too_short(cls, path: object, *, names: int, fields: int, rows: int, of: int) -> Self:
        return cls(
            f"The first line of {str(path)!r} has {pluralize(names, 'field')}, and {rows:,} of the"
            f" {pluralize(of, 'line')} below it {'has' if rows == 1 else 'have'} {fields:,}",
            f"say how many lines are above the names of the columns with skip= (--skip), or {_DELIMITER}",
        )

    @classmethod
    def record_too_long(cls, path: object, *, row: int, most: int) -> Self:
        return cls(
            f"Record {row:,} of {str(path)!r} does not end within {most >> 20:,} MB, as after a quotation mark that is"
            " never closed",
            _QUOTES,
        )

    @classmethod
    def stray_quote(cls, path: object, *, row: int) -> Self:
        where = f"Record {row:,} of {str(path)!r}"
        return cls(f"{where} has a quotation mark inside a field or one that is never closed", _QUOTES)

    @classmethod
    def suspicious_header(cls, path: object, position: int) -> Self:
        return cls(
            f"The name of column {position:,} of {str(path)!r} is very long or has several lines, as after a quotation"
            " mark that is never closed or in a file without a header",
            f"correct it, {_NO_QUOTING}, or say header=True (--header) if it is right",
        )

    @classmethod
    def not_streamed(cls, path: object, format: str) -> Self:
        return cls(
            f"Files such as {str(path)!r} ({format}) cannot be read in pieces",
            "convert it to Parquet or delimited text, or leave out memory= (--memory)",
        )

    @classmethod
    def bad_encoding(cls, path: object, encoding: str) -> Self:
        return cls(f"The file {str(path)!r} is not {encoding} text", "name its encoding with encoding= (--encoding)")

    @classmethod
    def too_large(cls, path: object, most: int) -> Self:
        return cls(
            f"The file {str(path)!r} is larger than the {most / 1e9:,.1f} GB of memory of this machine when it is"
            " unpacked",
            "check that it is whole, or protect delimited text in pieces with memory= (--memory)",
        )

    @classmethod
    def unknown_format(cls, path: object, known: Sequence[str]) -> Self:
        return cls(f"The ending of {str(path)!r} is no format that Shoal knows", f"use one of {', '.join(known)}")

    @classmethod
    def several_sheets(cls, path: object, sheets: Sequence[str]) -> Self:
        found = f"{pluralize(len(sheets), 'sheet')} ({quote_names(sheets)})"
        return cls(f"The workbook {str(path)!r} has {found} and none is named", _SHEET)

    @classmethod
    def unknown_sheet(cls, path: object, sheet: str, sheets: Sequence[str]) -> Self:
        found = f"{pluralize(len(sheets), 'sheet')} ({quote_names(sheets)})"
        return cls(f"The workbook {str(path)!r} has no sheet {sheet!r} among its {found}", _SHEET)

    @classmethod
    def no_wordnet(cls, folder: object, *, exists: bool) -> Self:
        fact = "is a WordNet folder without nouns" if exists else "does not exist"
        hint = "name one that holds index.noun and data.noun; docs/wordnet.md says where to get it"
        return cls(f"The folder {str(folder)!r} {fact}", hint)

    @classmethod
    def damaged_wordnet(cls, path: object, why: str) -> Self:
        return cls(f"The WordNet file {str(path)!r} is damaged ({why})", "get the folder again and unpack it as bytes")

    @classmethod
    def needs_extra(cls, path: object, extra: str) -> Self:
        fact = f"Files such as {str(path)!r} need packages that are not installed"
        return cls(fact, f"run: pip install 'shoal[{extra}]'")
