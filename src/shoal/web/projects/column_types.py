"""Names of column types in plain words; those of data-frame libraries may list values."""

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


def column_type_name(type: str) -> str:
    """Return ``number`` for ``Float64``, ``text`` for ``Enum(categories=[...])``."""
    name = type.partition("(")[0].rstrip("0123456789").lower()
    return _WORDS.get(name, name)
