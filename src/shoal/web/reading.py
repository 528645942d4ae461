"""Import settings: how a file is to be read, as a project keeps it, as a form sends it, and as the reader takes it.

They are plain data under the names of `shoal.read`; what they do not name is detected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import OptionError, ShoalError
from shoal.tables import ReadOptions

if TYPE_CHECKING:
    from shoal.web.guard import Form

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space", ":": "colon"}
ENCODINGS = (
    *("utf-8", "utf-16", "cp1252", "latin-1", "iso-8859-15", "cp1250", "iso-8859-2", "cp1251", "koi8-r", "cp1253"),
    *("cp1254", "cp1257", "cp437", "cp850", "mac-roman", "shift_jis", "euc-jp", "euc-kr", "big5", "gb18030"),
)
QUOTES = {"'": "single: 'Smith, Ada'", "none": "none"}
"""Besides the double one, which is detected."""
DECIMALS = {".": "point: 3.14", ",": "comma: 3,14"}
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
"""Formats of columns that are offered; others can be written."""
LABELS = {
    "delimiter": "Column separator",
    "quote": "Quote",
    "encoding": "Text encoding",
    "decimal": "Decimal mark",
    "thousands": "Thousands mark",
    "header": "Header line",
    "skip": "Lines above the header",
    "skip_footer": "Lines below the last record",
    "row_numbers": "First column numbers the rows",
    "missing": "Treat these values as missing",
    "missing_in": "Missing values of one column",
    "column_formats": "Format of one column",
    "sheet": "Sheet",
}
_TEXT, _TABLE = ("csv", "tsv"), ("csv", "tsv", "excel")
SHOWN = {
    **dict.fromkeys(("delimiter", "quote", "encoding"), _TEXT),
    **dict.fromkeys(("decimal", "thousands", "header", "skip", "skip_footer", "row_numbers"), _TABLE),
    **dict.fromkeys(("missing", "missing_in", "column_formats"), _TABLE),
    "sheet": ("excel",),
}
"""The formats of files that each setting is for."""
_WORDS = ("delimiter", "quote", "encoding", "decimal", "thousands", "sheet")
_YES_OR_NO = {"yes": True, "no": False}
_LONGEST = 10_000
"""Characters of a field."""
_MOST_COLUMNS = 2_000
_FIELD = re.compile(rf"\b({'|'.join(LABELS)})=")


def options(reading: Mapping[str, Any]) -> ReadOptions:
    """What the reader takes."""
    given = dict(reading)
    if isinstance(given.get("missing"), str):
        given["missing"] = tuple(given["missing"].split("\n"))
    if given.get("thousands") == "none":
        given["thousands"] = ""
    if "header" in given:
        given["header_known"] = given["header"]
    try:
        return ReadOptions(**given)
    except TypeError:
        raise OptionError.bad_option("reading", "settings that Shoal knows") from None


def is_sound(reading: Any) -> bool:
    """Whether this is what a project of ours may keep."""
    try:
        options(reading)
    except (ShoalError, TypeError, ValueError, AttributeError):
        return False
    return all(name in LABELS or name == "format" for name in reading)


def changed(reading: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """The settings after a form, checked. A field that is empty is detected; one that is not there stays as it is.

    After a ``reset`` nothing stays but what the form says.
    """
    for name in (*LABELS, "columns"):
        if len(form.get(name)) > _LONGEST * (10 if name == "columns" else 1):
            raise OptionError.bad_option(name, f"at most {_LONGEST:,} characters")
    found = {} if form.get("reset") else dict(reading)
    for name in _WORDS:
        if name in form:
            value = form.get(f"{name}_own") if form.get(name) == "own" else form.get(name)
            _put(found, name, "" if (name, value) == ("quote", '"') else value)
    for name in ("header", "row_numbers"):
        if name in form:
            _put(found, name, _YES_OR_NO.get(form.get(name)))
    for name in ("skip", "skip_footer"):
        if name in form:
            _put(found, name, _whole(name, form.get(name)))
    if "missing" in form:
        _put(found, "missing", "\n".join(_lines(form.get("missing"))))
    for column, said in _columns(form.get("columns")).items():
        _put_in(found, "column_formats", column, said.get("format", ""))
        _put_in(found, "missing_in", column, _lines(said.get("missing", "")))
    options(found)
    return found


def _put(found: dict[str, Any], name: str, value: Any) -> None:
    found.pop(name, None)
    if value not in (None, ""):
        found[name] = value


def _put_in(found: dict[str, Any], name: str, column: str, value: str | list[str]) -> None:
    """The same of one column; the other columns stay as they are."""
    columns = {known: said for known, said in found.get(name, {}).items() if known != column}
    _put(found, name, {**columns, **({column: value} if value else {})} or None)


def _whole(name: str, text: str) -> int | None:
    words = text.strip()
    if not words:
        return None
    if not (words.isascii() and words.isdecimal() and len(words) < 10):
        raise OptionError.bad_option(name, "a number of lines")
    return int(words)


def _lines(text: str) -> list[str]:
    return [word.strip() for word in text.splitlines() if word.strip()]


def _columns(text: str) -> dict[str, dict[str, str]]:
    """What is said about single columns: their format and their missing values, as JSON by their names."""
    if not text:
        return {}
    try:
        found = json.loads(text)
        sound = len(found) <= _MOST_COLUMNS and all(
            isinstance(word, str) for said in found.values() for word in said.values()
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise OptionError.bad_option("columns", "formats and missing values of columns")
    return dict(found)


def of_columns(reading: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What is said about single columns, as a form sends it."""
    formats, words = reading.get("column_formats", {}), reading.get("missing_in", {})
    names = dict.fromkeys([*formats, *words])
    return {name: {"format": formats.get(name, ""), "missing": "\n".join(words.get(name, ()))} for name in names}


def field_of(sentence: str) -> str:
    """The setting that the sentence of an error is about; empty where it names none."""
    if "above the names" in sentence:
        return "skip"
    found = _FIELD.search(sentence)
    return found[1] if found else ""


def facts(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How a file was read, as pairs of words."""
    found = [("Format", str(settings.get("format", "")))]
    if "sheet" in settings:
        found.append((LABELS["sheet"], str(settings["sheet"])))
    for name, words in (("delimiter", SEPARATORS), ("encoding", {}), ("decimal", _MARKS), ("thousands", _MARKS)):
        if name in settings:
            found.append((LABELS[name], words.get(str(settings[name]), str(settings[name]))))
    if settings.get("quote", '"') != '"':
        found.append((LABELS["quote"], str(settings["quote"]) or "none"))
    if "header" in settings:
        above = settings.get("skip", 0)
        line = f"line {above + 1:,}" if above else "the first line"
        found.append((LABELS["header"], line if settings["header"] else "none"))
    if settings.get("skip_footer"):
        found.append(("Lines left out at the end", f"{settings['skip_footer']:,}"))
    if settings.get("row_numbers"):
        found.append(("Row numbers", "the first column, left out"))
    if settings.get("missing"):
        found.append((LABELS["missing"], ", ".join(str(settings["missing"]).split("\n"))))
    found += [(f"Format of {name}", str(form)) for name, form in settings.get("column_formats", {}).items()]
    found += [(f"Missing in {name}", ", ".join(words)) for name, words in settings.get("missing_in", {}).items()]
    return found


_MARKS = {".": "point", ",": "comma", " ": "space", "'": "apostrophe", "\u00a0": "space", "\u202f": "space"}
