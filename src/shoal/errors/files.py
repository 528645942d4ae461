"""Errors about input files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError
from shoal.errors.messages import pluralize, quote_names


class FileError(ShoalError):
    """A file cannot be read."""

    @classmethod
    def missing(cls, path: object) -> Self:
        return cls(f"The file {str(path)!r} does not exist", "check the path")

    @classmethod
    def is_folder(cls, path: object) -> Self:
        return cls(f"{str(path)!r} is a folder", "name one file in it")

    @classmethod
    def not_a_regular_file(cls, path: object) -> Self:
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
    def header_looks_numeric(cls, path: object) -> Self:
        return cls(
            f"The first line of {str(path)!r} holds only numbers, so it looks like a record and not like a header",
            "add a header line, or say header=False (--no-header), or header=True (--header) if it is one",
        )

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
            "give the column a name, or mend this record",
        )

    @classmethod
    def several_files_in_archive(cls, path: object, files: int) -> Self:
        return cls(
            f"The archive {str(path)!r} has {pluralize(files, 'file')} and not one",
            "unpack it and name the file to read",
        )

    @classmethod
    def ragged(cls, path: object, *, row: int, found: int, expected: int, rows: int) -> Self:
        return cls(
            f"{pluralize(rows, 'record')} of {str(path)!r} {'does' if rows == 1 else 'do'} not have"
            f" {pluralize(expected, 'field')} as the header has (the first is record {row:,} with {found:,})",
            "mend these lines, or name the delimiter with delimiter= (--delimiter)",
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
            "say how many lines stand above the names of the columns with skip= (--skip), or name the delimiter with"
            " delimiter= (--delimiter)",
        )

    @classmethod
    def ragged_from(cls, path: object, *, row: int, found: int, expected: int) -> Self:
        return cls(
            f"Record {row:,} of {str(path)!r}, and perhaps others below it, has {pluralize(found, 'field')} where the"
            f" header has {expected:,}",
            "mend these lines, or name the delimiter with delimiter= (--delimiter)",
        )

    @classmethod
    def record_too_long(cls, path: object, *, row: int, most: int) -> Self:
        return cls(
            f"Record {row:,} of {str(path)!r} does not end within {most >> 20:,} MB, as after a quotation mark that is"
            " never closed",
            "double the marks inside quoted fields, or switch quoting off with quote='' (--quote none)",
        )

    @classmethod
    def not_streamed(cls, path: object, format: str) -> Self:
        return cls(
            f"Files such as {str(path)!r} ({format}) cannot be read in pieces",
            "turn it into Parquet or delimited text, or leave out memory= (--memory)",
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
    def suspicious_header(cls, path: object, position: int) -> Self:
        return cls(
            f"The name of column {position:,} of {str(path)!r} is very long or goes over several lines, as after a"
            " quotation mark that is never closed or in a file without a header",
            "mend it, switch quoting off with quote='' (--quote none), or say header=True (--header) if it is right",
        )

    @classmethod
    def bad_encoding(cls, path: object, encoding: str) -> Self:
        return cls(f"The file {str(path)!r} is not {encoding} text", "name its encoding with encoding= (--encoding)")

    @classmethod
    def nul_bytes(cls, path: object) -> Self:
        return cls(f"The file {str(path)!r} holds NUL bytes, as UTF-16 and binary files do", "save it as UTF-8 text")

    @classmethod
    def compressed(cls, path: object) -> Self:
        return cls(f"The file {str(path)!r} is compressed", "unpack it first")

    @classmethod
    def too_large(cls, path: object, most: int) -> Self:
        return cls(
            f"The file {str(path)!r} is larger than the {most / 1e9:,.1f} GB of memory of this machine when it is"
            " unpacked",
            "check that it is whole, or protect delimited text in pieces with memory= (--memory)",
        )

    @classmethod
    def unknown_format(cls, path: object, known: Sequence[str]) -> Self:
        return cls(
            f"The ending of {str(path)!r} names no format that Shoal knows",
            f"use one of {', '.join(known)}",
        )

    @classmethod
    def several_sheets(cls, path: object, sheets: Sequence[str]) -> Self:
        return cls(
            f"The workbook {str(path)!r} has {pluralize(len(sheets), 'sheet')} ({quote_names(sheets)}) and none is"
            " named",
            "name one with sheet= (--sheet)",
        )

    @classmethod
    def unknown_sheet(cls, path: object, sheet: str, sheets: Sequence[str]) -> Self:
        return cls(
            f"The workbook {str(path)!r} has no sheet {sheet!r} among its {pluralize(len(sheets), 'sheet')}"
            f" ({quote_names(sheets)})",
            "name one with sheet= (--sheet)",
        )

    @classmethod
    def changed(cls, path: object) -> Self:
        return cls(
            f"The file {str(path)!r} changed while it was being protected", "run again when nothing writes to it"
        )

    @classmethod
    def no_wordnet(cls, folder: object, *, exists: bool) -> Self:
        fact = "is a WordNet folder without nouns" if exists else "does not exist"
        return cls(
            f"The folder {str(folder)!r} {fact}",
            "name one that holds index.noun and data.noun; docs/wordnet.md says where to get it",
        )

    @classmethod
    def damaged_wordnet(cls, path: object, why: str) -> Self:
        return cls(f"The WordNet file {str(path)!r} is damaged ({why})", "get the folder anew and unpack it as bytes")

    @classmethod
    def needs_extra(cls, path: object, extra: str) -> Self:
        return cls(
            f"Files such as {str(path)!r} need packages that are not installed",
            f"run: pip install 'shoal[{extra}]'",
        )
