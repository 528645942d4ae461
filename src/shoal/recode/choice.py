"""Choice: the way in which each column is recoded, and the words for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.errors import OptionError
from shoal.recode.category import nodes
from shoal.recode.number import centers
from shoal.schema.columns import Column, Kind, Schema

INTERVAL = "interval"

_OF_NUMBERS: Mapping[str, str] = {
    **{way: way for way in (*centers, INTERVAL)},
    "centroid": "mean",
    "generalize": INTERVAL,
}
_OF_CATEGORIES: Mapping[str, str] = {**{way: way for way in nodes}, "ancestor": "lcs", "generalize": "lcs"}
"""The words for numbers and dates, and for all else, with the way that each means there."""

WAYS = tuple(dict.fromkeys((*_OF_NUMBERS, *_OF_CATEGORIES)))


def ways(kind: Kind) -> tuple[str, ...]:
    """The ways in which a column of this kind can be recoded; the first is taken where nothing is said."""
    return tuple(dict.fromkeys(_words(kind).values()))


def way(word: str, *, column: str, kind: Kind) -> str:
    """The way that the word means for a column of this kind."""
    if word not in _words(kind):
        raise OptionError.recode_does_not_fit(word, column=column, kind=kind, known=ways(kind))
    return _words(kind)[word]


def decided(schema: Schema, word: Any) -> Schema:
    """The schema with a way for every quasi-identifier: its own, else the word where it fits, else its kind's first."""
    if word is not None and (not isinstance(word, str) or word not in WAYS):
        raise OptionError.unknown_choice("recode", word, WAYS)
    protected = schema.quasi_identifiers
    columns = [_decided(column, word) if column.name in protected else column for column in schema.columns]
    if word is not None and all(column.recode != _words(column.kind).get(word) for column in columns):
        raise OptionError.recode_fits_nothing(word)
    return Schema(tuple(columns))


def _decided(column: Column, word: str | None) -> Column:
    if column.recode:
        return replace(column, recode=way(column.recode, column=column.name, kind=column.kind))
    return replace(column, recode=_words(column.kind).get(word or "", ways(column.kind)[0]))


def _words(kind: Kind) -> Mapping[str, str]:
    return _OF_NUMBERS if kind in (Kind.NUMERIC, Kind.DATE) else _OF_CATEGORIES
