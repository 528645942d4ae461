"""Errors about input files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError, message

_ONE_LINE_PER_RECORD = "give a file with a header line and one line per record"
_DELIMITER = "name the delimiter with delimiter= (--delimiter)"
_NO_QUOTING = "switch quoting off with quote='' (--quote none)"
_QUOTES = f"double the marks inside quoted fields, or {_NO_QUOTING}"
_SHEET = "name one with sheet= (--sheet)"


class FileError(ShoalError):
    """A file cannot be read."""

    missing = message("The file {path!r} does not exist", "check the path")
    is_folder = message("{path!r} is a folder", "name one file in it")
    not_a_regular_file = message("{path!r} is a pipe or a device and not a file", "write the data to a file first")
    empty = message("The file {path!r} is empty", _ONE_LINE_PER_RECORD)
    header_only = message("The file {path!r} has a header and no record", _ONE_LINE_PER_RECORD)
    header_looks_numeric = message(
        "The first line of {path!r} holds only numbers, so it looks like a record and not like a header",
        "add a header line, or say header=False (--no-header), or header=True (--header) if it is one",
    )
    stray_quote_in_header = message(
        "The header of {path!r} has a quotation mark inside a name or one that is never closed",
        f"double the marks inside quoted names, or {_NO_QUOTING}",
    )
    nul_bytes = message("The file {path!r} holds NUL bytes, as UTF-16 and binary files do", "save it as UTF-8 text")
    compressed = message("The file {path!r} is compressed", "unpack it first")
    changed = message("The file {path!r} changed while it was being protected", "run again when nothing writes to it")
    unreadable = message("The file {path!r} cannot be read ({why})", "check its permissions and that it is whole")
    damaged = message(
        "The file {path!r} is not a readable {format} file",
        "check that it is whole and that its ending tells its format",
    )
    header_looks_like_record = message(
        "The first line of {path!r} has a number or a date in field {position:,}, as the records below it do, so it"
        " looks like a record and not like a header",
        "say header=False (--no-header) if it is a record, or header=True (--header) if it holds the names",
    )
    values_in_unnamed_column = message(
        "Column {position:,} of {path!r} has no name and nothing in the first records, but record {row:,} has a"
        " value there",
        "give the column a name, or correct this record",
    )
    several_files_in_archive = message(
        "The archive {path!r} has {files:file} and not one", "unpack it and name the file to read"
    )
    ragged = message(
        "{rows:record} of {path!r} {rows:does|do} not have {expected:field} as the header has (the first is record"
        " {row:,} with {found:,})",
        f"correct these lines, or {_DELIMITER}",
    )
    ragged_from = message(
        "Record {row:,} of {path!r}, and perhaps others below it, has {found:field} where the header has {expected:,}",
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

    header_too_short = message(
        "The first line of {path!r} has {names:field}, and {rows:,} of the {of:line} below it {rows:has|have}"
        " {fields:,}",
        f"say how many lines are above the names of the columns with skip= (--skip), or {_DELIMITER}",
    )

    record_too_long = message(
        "Record {row:,} of {path!r} does not end within {most:,} MB, as after a quotation mark that is never closed",
        _QUOTES,
    )
    stray_quote = message(
        "Record {row:,} of {path!r} has a quotation mark inside a field or one that is never closed", _QUOTES
    )
    suspicious_header = message(
        "The name of column {position:,} of {path!r} is very long or has several lines, as after a quotation mark"
        " that is never closed or in a file without a header",
        f"correct it, {_NO_QUOTING}, or say header=True (--header) if it is right",
    )
    not_streamed = message(
        "Files such as {path!r} ({format}) cannot be read in pieces",
        "convert it to Parquet or delimited text, or leave out memory= (--memory)",
    )
    bad_encoding = message("The file {path!r} is not {encoding} text", "name its encoding with encoding= (--encoding)")
    too_large = message(
        "The file {path!r} is larger than the {most:,.1f} GB of memory of this machine when it is unpacked",
        "check that it is whole, or protect delimited text in pieces with memory= (--memory)",
    )

    @classmethod
    def unknown_format(cls, path: object, known: Sequence[str]) -> Self:
        return cls(f"The ending of {str(path)!r} is no format that Shoal knows", f"use one of {', '.join(known)}")

    several_sheets = message("The workbook {path!r} has {sheets:sheet} ({sheets!l}) and none is named", _SHEET)
    unknown_sheet = message(
        "The workbook {path!r} has no sheet {sheet!r} among its {sheets:sheet} ({sheets!l})", _SHEET
    )

    @classmethod
    def no_wordnet(cls, folder: object, *, exists: bool) -> Self:
        fact = "is a WordNet folder without nouns" if exists else "does not exist"
        hint = "name one that holds index.noun and data.noun; docs/wordnet.md says where to get it"
        return cls(f"The folder {str(folder)!r} {fact}", hint)

    damaged_wordnet = message(
        "The WordNet file {path!r} is damaged ({why})", "get the folder again and unpack it as bytes"
    )
    needs_extra = message(
        "Files such as {path!r} need packages that are not installed", "run: pip install 'shoal[{extra}]'"
    )
