"""Files of hierarchies: which format they have, reading and writing them.

``.json`` is nested names, ``.nt`` and ``.skos`` are triples of SKOS. A ``.csv``, ``.tsv`` or ``.txt`` tells by its
rows: edges under a header ``child,parent`` or where two columns end in more than one name, triples where the second of
three columns says broader or narrower, else rows of ARX.
"""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import Any

from shoal.aside import aside, reason
from shoal.errors import FileError, HierarchyError, OptionError
from shoal.hierarchy import arx, edges, nested, skos
from shoal.hierarchy.delimited import Rows, checked_delimiter, read_rows, write_rows
from shoal.hierarchy.tree import Hierarchy

FORMATS = ("arx", "edges", "json", "skos")

_ENDINGS = {".json": "json", ".nt": "skos", ".skos": "skos"}
_TABLES = (".csv", ".tsv", ".txt")
_GZIP = b"\x1f\x8b"
"""How every gzip file begins."""


def read(path: str | os.PathLike[str], *, format: str | None = None, delimiter: str | None = None) -> Hierarchy:
    """The hierarchy of a file, in the format that its ending and its first lines tell unless one is named."""
    _check(format)
    delimiter = checked_delimiter(delimiter)
    place = _path(path)
    ending = place.suffix.lower()
    kind = format or _ENDINGS.get(ending)
    text = _text(place)
    if kind is None and ending not in _TABLES:
        raise HierarchyError.unknown_format(place, FORMATS)
    try:
        return parsed(text, kind, delimiter=delimiter)
    except HierarchyError as error:
        raise HierarchyError.within(place, error) from None


def parsed(text: str, kind: str | None, *, delimiter: str | None = None) -> Hierarchy:
    """The hierarchy of a text, in this format or in the one that its rows tell."""
    if not text.strip():
        raise HierarchyError.empty()
    if kind == "json":
        return nested.from_json(text)
    if kind == "skos":
        return skos.from_text(text, delimiter=delimiter)
    rows, places = read_rows(text, delimiter=delimiter)
    if not rows:
        raise HierarchyError.empty()
    kind = kind or _told(rows)
    if kind == "skos":
        return skos.from_text(text, delimiter=delimiter)
    if kind == "edges":
        return edges.from_rows(rows, places=places)
    return arx.from_rows(rows, places=places)


def _told(rows: Rows) -> str:
    """The format that the rows of a delimited file tell."""
    widths = {len(row) for row in rows}
    if edges.is_header(rows[0]) or (widths == {2} and len({row[-1] for row in rows}) > 1):
        return "edges"
    if widths == {3} and any(skos.is_tree_word(row[1]) for row in rows):
        return "skos"
    return "arx"


def _path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise OptionError.bad_option("path", "the path of a file")
    return Path(os.fsdecode(path))


def _text(path: Path) -> str:
    """The text of a file: UTF-8 with or without a mark, else Latin-1."""
    try:
        if path.is_dir():
            raise FileError.is_folder(path)
        if path.exists() and not path.is_file():
            raise FileError.no_file(path)
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None
    if raw.startswith(_GZIP):
        raise FileError.packed(path)
    marked = raw.startswith(codecs.BOM_UTF8)
    body = raw.removeprefix(codecs.BOM_UTF8)
    if b"\0" in body or body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FileError.not_text(path)
    try:
        return body.decode()
    except UnicodeDecodeError:
        if marked:
            raise HierarchyError.damaged(path, "it begins as UTF-8 text and goes on as something else") from None
        return body.decode("latin-1")


def text(hierarchy: Hierarchy, format: str, *, delimiter: str | None = None) -> str:
    """The hierarchy in one of the formats, as text that reads back as the same tree."""
    _check(format)
    delimiter = checked_delimiter(delimiter)
    if format == "json":
        return nested.to_json(hierarchy)
    if format == "skos":
        return skos.to_text(hierarchy)
    if format == "edges":
        return write_rows(edges.to_rows(hierarchy), delimiter=delimiter or ",")
    return write_rows(arx.to_rows(hierarchy), delimiter=delimiter or ";")


def save(hierarchy: Hierarchy, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False) -> None:
    """Write the hierarchy in the format that is named or that the ending tells: ARX for tables."""
    _check(format)
    place = _path(path)
    ending = place.suffix.lower()
    kind = format or _ENDINGS.get(ending) or ("arx" if ending in _TABLES else None)
    if kind is None:
        raise HierarchyError.unknown_format(place, FORMATS)
    body = text(hierarchy, kind, delimiter="\t" if ending == ".tsv" else None)
    try:
        raw = body.encode()
    except UnicodeEncodeError:
        raw = b"\0"
    if b"\0" in raw:
        raise HierarchyError.no_text(sum(1 for name in hierarchy if _is_odd(name)))
    with aside(path, force=force) as hidden:
        hidden.write_bytes(raw)


def _is_odd(name: str) -> bool:
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)


def _check(format: str | None) -> None:
    if format is not None and format not in FORMATS:
        raise OptionError.unknown_choice("format", format, FORMATS)
