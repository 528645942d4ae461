"""The types of columns in plain words: a library's name for one tells a reader little, and may list values."""

from __future__ import annotations

_WORDS = {
    "int": "integer",
    "uint": "integer",
    "float": "number",
    "decimal": "number",
    "str": "text",
    "string": "text",
    "utf": "text",
    "categorical": "text",
    "enum": "text",
    "datetime": "date and time",
    "boolean": "yes or no",
    "time": "time of day",
    "list": "list",
}


def plain(type: str) -> str:
    """``Float64`` is a number, ``Enum(categories=[...])`` text."""
    name = type.partition("(")[0].rstrip("0123456789").lower()
    return _WORDS.get(name, name)
