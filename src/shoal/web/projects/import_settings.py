"""Import settings: how a file is read. Conversions between the project, the form and the reader.

They are plain data with the names of `shoal.read`; settings that are absent are detected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from shoal.data import ReadOptions
from shoal.errors import OptionError, ShoalError
from shoal.web.http.forms import Form, parse_index

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space", ":": "colon"}
ENCODINGS = (
    *("utf-8", "utf-16", "cp1252", "latin-1", "iso-8859-15", "cp1250", "iso-8859-2", "cp1251", "koi8-r", "cp1253"),
    *("cp1254", "cp1257", "cp437", "cp850", "mac-roman", "shift_jis", "euc-jp", "euc-kr", "big5", "gb18030"),
)
QUOTES = {"'": "single: 'Smith, Ada'", "none": "none"}
"""Besides the double quote, which is detected."""
DECIMALS = {".": "point: 3.14", ",": "comma: 3,14"}
_MARKS = {".": "point", ",": "comma", " ": "space", "'": "apostrophe", "\u00a0": "space", "\u202f": "space"}
THOUSANDS = {
    "none": "none: 1234",
    ",": "comma: 1,234",
    ".": "point: 1.234",
    " ": "space: 1 234",
    "'": "apostrophe: 1'234",
    "\u2019": "curly apostrophe: 1\u2019234",
}
FORMATS = {
    "Dates": (
        "DD.MM.YYYY",
        "DD/MM/YYYY",
        "MM/DD/YYYY",
        "DD-MM-YYYY",
        "YYYY-MM-DD",
        "DD.MM.YYYY HH:MM",
        "DD.MM.YY",
        "MM/DD/YY",
    ),
    "Numbers": ("1234.5", "1234,5", "1,234.5", "1.234,5", "1 234,5", "1.234,5 €", "$1,234.5", "1234,5 %"),
    "Text": ("text",),
}
"""Suggested column formats; others can be typed."""
LABELS = {
    "delimiter": "Column separator",
    "quote": "Quote",
    "encoding": "Text encoding",
    "decimal": "Decimal mark",
    "thousands": "Thousands mark",
    "skip": "Lines above the header",
    "skip_footer": "Lines below the last record",
    "row_numbers": "First column numbers the rows",
    "missing": "Treat these values as missing",
    "missing_in": "Missing values of one column",
    "column_formats": "Format of one column",
    "header": "Header line",
    "sheet": "Sheet",
}
_TEXT, _TABLE = ("csv", "tsv"), ("csv", "tsv", "excel")
SHOWN = {
    **dict.fromkeys(("delimiter", "quote", "encoding"), _TEXT),
    **dict.fromkeys(("decimal", "thousands", "header", "skip", "skip_footer", "row_numbers"), _TABLE),
    **dict.fromkeys(("missing", "missing_in", "column_formats"), _TABLE),
    "sheet": ("excel",),
}
"""File formats that each setting applies to."""
_TEXT_SETTINGS = ("delimiter", "quote", "encoding", "decimal", "thousands", "sheet")
_YES_OR_NO = {"yes": True, "no": False}
_MAX_LENGTH = 10_000
_MAX_COLUMNS = 2_000
_FIELD = re.compile(rf"\b({'|'.join(LABELS)})=")


def to_read_options(reading: Mapping[str, Any]) -> ReadOptions:
    values = dict(reading)
    if isinstance(values.get("missing"), str):
        values["missing"] = tuple(values["missing"].split("\n"))
    if values.get("thousands") == "none":
        values["thousands"] = ""
    if "header" in values:
        values["header_known"] = values["header"]
    try:
        return ReadOptions(**values)
    except TypeError:
        raise OptionError.invalid_value("reading", "settings that Shoal knows") from None


def is_valid(reading: Any) -> bool:
    try:
        to_read_options(reading)
    except (ShoalError, TypeError, ValueError, AttributeError):
        return False
    return all(name in LABELS or name == "format" for name in reading)


def settings_from_form(reading: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """Return the settings after a form, checked. An empty field is detected; an absent one stays unchanged.

    After a ``reset`` only the fields of the form apply.
    """
    for name in (*LABELS, "columns"):
        if len(form.get(name)) > _MAX_LENGTH * (10 if name == "columns" else 1):
            raise OptionError.invalid_value(name, f"at most {_MAX_LENGTH:,} characters")
    settings: dict[str, Any] = {} if form.get("reset") else dict(reading)
    for name in (name for name in _TEXT_SETTINGS if name in form):
        value = form.get(f"{name}_own") if form.get(name) == "own" else form.get(name)
        settings[name] = "" if (name, value) == ("quote", '"') else value
    for name in (name for name in ("header", "row_numbers") if name in form):
        settings[name] = _YES_OR_NO.get(form.get(name))
    for name in (name for name in ("skip", "skip_footer") if name in form):
        settings[name] = _line_count(name, form.get(name).strip())
    if "missing" in form:
        settings["missing"] = "\n".join(_lines(form.get("missing")))
    for column, entry in _columns(form.get("columns")).items():
        for name, words in (("column_formats", entry.get("format")), ("missing_in", _lines(entry.get("missing", "")))):
            by_column = {other: value for other, value in (settings.get(name) or {}).items() if other != column}
            settings[name] = {**by_column, **({column: words} if words else {})} or None
    settings = {name: value for name, value in settings.items() if value not in (None, "")}
    to_read_options(settings)
    return settings


def _line_count(name: str, text: str) -> int | None:
    count = parse_index(text)
    if text and count is None:
        raise OptionError.invalid_value(name, "a number of lines")
    return count


def _lines(text: str) -> list[str]:
    return [word.strip() for word in text.splitlines() if word.strip()]


def _columns(text: str) -> dict[str, dict[str, str]]:
    """Parse the settings of single columns: format and missing values, as JSON by name."""
    if not text:
        return {}
    try:
        settings = json.loads(text)
        valid = len(settings) <= _MAX_COLUMNS and all(
            isinstance(word, str) for entry in settings.values() for word in entry.values()
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        valid = False
    if not valid:
        raise OptionError.invalid_value("columns", "formats and missing values of columns")
    return dict(settings)


def column_settings(reading: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the settings of single columns in the format of the form."""
    formats, words = reading.get("column_formats", {}), reading.get("missing_in", {})
    names = dict.fromkeys([*formats, *words])
    return {name: {"format": formats.get(name, ""), "missing": "\n".join(words.get(name, ()))} for name in names}


def setting_in_error(sentence: str) -> str:
    """Return the setting that an error message is about; empty if it names none."""
    if "above the names" in sentence:
        return "skip"
    match = _FIELD.search(sentence)
    return match[1] if match else ""


def describe_settings(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Describe how a file was read, as pairs of label and value."""
    pairs = [("Format", str(settings.get("format", "")))]
    if "sheet" in settings:
        pairs.append((LABELS["sheet"], str(settings["sheet"])))
    for name, labels in (("delimiter", SEPARATORS), ("encoding", {}), ("decimal", _MARKS), ("thousands", _MARKS)):
        if name in settings:
            pairs.append((LABELS[name], labels.get(str(settings[name]), str(settings[name]))))
    if settings.get("quote", '"') != '"':
        pairs.append((LABELS["quote"], str(settings["quote"]) or "none"))
    if "header" in settings:
        above = settings.get("skip", 0)
        line = f"line {above + 1:,}" if above else "the first line"
        pairs.append((LABELS["header"], line if settings["header"] else "none"))
    if settings.get("skip_footer"):
        pairs.append(("Lines left out at the end", f"{settings['skip_footer']:,}"))
    if settings.get("row_numbers"):
        pairs.append(("Row numbers", "the first column, left out"))
    if settings.get("missing"):
        pairs.append((LABELS["missing"], ", ".join(str(settings["missing"]).split("\n"))))
    pairs += [
        (f"Format of {name}", str(column_format)) for name, column_format in settings.get("column_formats", {}).items()
    ]
    pairs += [(f"Missing in {name}", ", ".join(labels)) for name, labels in settings.get("missing_in", {}).items()]
    return pairs
