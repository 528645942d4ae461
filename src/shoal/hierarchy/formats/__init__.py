"""Hierarchy files: detect the format, read, parse and write.

``.json`` is nested names; ``.nt`` and ``.skos`` are SKOS triples. The format of a ``.csv``, ``.tsv`` or ``.txt``
follows from its rows: edges if there is a header ``child,parent``, or two columns of which the last has more than one
name; triples if the second of three columns is broader or narrower; else ARX.
"""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import Any

from shoal.errors import FileError, HierarchyError, OptionError
from shoal.hierarchy.formats import arx, delimited, nested_json, skos
from shoal.hierarchy.formats.delimited import Rows, check_delimiter, read_rows, write_rows
from shoal.hierarchy.tree import Hierarchy
from shoal.system.atomic import open_regular, os_error_reason
from shoal.system.transaction import write_file

FORMATS = ("arx", "edges", "json", "skos")

_EXTENSIONS = {".json": "json", ".nt": "skos", ".skos": "skos"}
_DELIMITED = (".csv", ".tsv", ".txt")
_GZIP = b"\x1f\x8b"
"""Magic number of gzip files."""


def read(path: str | os.PathLike[str], *, format: str | None = None, delimiter: str | None = None) -> Hierarchy:
    """Read a hierarchy file. Without ``format``, its extension and its rows decide."""
    _check_format(format)
    delimiter = check_delimiter(delimiter)
    place = _to_path(path)
    ending = place.suffix.lower()
    kind = format or _EXTENSIONS.get(ending)
    text = _read_text(place)
    if kind is None and ending not in _DELIMITED:
        raise HierarchyError.unknown_format(place, FORMATS)
    try:
        return parse(text, kind, delimiter=delimiter)
    except HierarchyError as error:
        raise HierarchyError.in_file(place, error) from None


def parse(text: str, kind: str | None, *, delimiter: str | None = None) -> Hierarchy:
    """Parse a text in this format, or in the one detected from its rows."""
    if not text.strip():
        raise HierarchyError.empty()
    if kind == "json":
        return nested_json.from_json(text)
    if kind == "skos":
        return skos.from_text(text, delimiter=delimiter)
    rows, places = read_rows(text, delimiter=delimiter)
    if not rows:
        raise HierarchyError.empty()
    kind = kind or _detect_format(rows)
    if kind == "skos":
        return skos.from_text(text, delimiter=delimiter)
    if kind == "edges":
        return delimited.from_edge_rows(rows, places=places)
    return arx.from_rows(rows, places=places)


def _detect_format(rows: Rows) -> str:
    """Detect the format of a delimited file from its rows."""
    widths = {len(row) for row in rows}
    if delimited.is_edge_header(rows[0]) or (widths == {2} and len({row[-1] for row in rows}) > 1):
        return "edges"
    if widths == {3} and any(skos.is_tree_predicate(row[1]) for row in rows):
        return "skos"
    return "arx"


def _to_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise OptionError.invalid_value("path", "the path of a file")
    return Path(os.fsdecode(path))


def _read_text(path: Path) -> str:
    """Read the text of a file: UTF-8 with or without a byte order mark, else Latin-1."""
    try:
        with open_regular(path) as file:
            raw = file.read()
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None
    if raw.startswith(_GZIP):
        raise FileError.compressed(path)
    has_bom = raw.startswith(codecs.BOM_UTF8)
    body = raw.removeprefix(codecs.BOM_UTF8)
    if b"\0" in body or body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FileError.nul_bytes(path)
    try:
        return body.decode()
    except UnicodeDecodeError:
        if has_bom:
            raise HierarchyError.damaged(path, "it begins as UTF-8 text and goes on as something else") from None
        return body.decode("latin-1")


def to_text(hierarchy: Hierarchy, format: str, *, delimiter: str | None = None) -> str:
    """Format the hierarchy as text that reads back as the same tree."""
    _check_format(format)
    delimiter = check_delimiter(delimiter)
    if format == "json":
        return nested_json.to_json(hierarchy)
    if format == "skos":
        return skos.to_text(hierarchy)
    if format == "edges":
        return write_rows(delimited.to_edge_rows(hierarchy), delimiter=delimiter or ",")
    return write_rows(arx.to_rows(hierarchy), delimiter=delimiter or ";")


def save(hierarchy: Hierarchy, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False) -> None:
    """Write the hierarchy in ``format``, else in that of the extension: ARX for delimited files."""
    _check_format(format)
    place = _to_path(path)
    ending = place.suffix.lower()
    kind = format or _EXTENSIONS.get(ending) or ("arx" if ending in _DELIMITED else None)
    if kind is None:
        raise HierarchyError.unknown_format(place, FORMATS)
    body = to_text(hierarchy, kind, delimiter="\t" if ending == ".tsv" else None)
    try:
        raw = body.encode()
    except UnicodeEncodeError:
        raw = b"\0"
    if b"\0" in raw:
        raise HierarchyError.not_encodable(sum(1 for name in hierarchy if _is_unwritable(name)))
    write_file(path, raw, force=force)


def _is_unwritable(name: str) -> bool:
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)


def _check_format(format: str | None) -> None:
    if format is not None and format not in FORMATS:
        raise OptionError.unknown_choice("format", format, FORMATS)
