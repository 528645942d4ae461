"""Helpers for messages: quoted names, counted nouns, suggestions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

_LONGEST = 60
MAX_LISTED = 8
"""Maximum number of names in a message."""


def pluralize(number: int, noun: str) -> str:
    """``1 record``, ``2 records``, ``1,234 classes``."""
    several = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"


def format_number(figure: float) -> str:
    """``3``, ``1,234``, ``2.5``: a number with at most three decimals."""
    return f"{figure:,.3f}".rstrip("0").rstrip(".")


def shorten(name: object) -> str:
    """Shorten a long name, or one with several lines, to its beginning.

    If a file lacks its header or a quotation mark, the name of a column may be data.
    """
    line = (str(name).splitlines() or [""])[0][:_LONGEST]
    return line if line == str(name) else line + "…"


def quote_name(name: object) -> str:
    """Quote and shorten a name."""
    return repr(shorten(name))


def quote_names(names: Iterable[str]) -> str:
    """Quote names; at most the first eight."""
    return list_first([quote_name(name) for name in names])


def quote_reasons(reasons: Mapping[str, str]) -> str:
    """Quote the first names, each with the gist of its reason: ``'who' (every value is unique)``."""
    return list_first([f"{quote_name(name)} ({first_clause(reason)})" for name, reason in reasons.items()])


def list_first(parts: Sequence[str], *, noun: str = "") -> str:
    """List at most the first eight parts, and the number of the others."""
    rest = f" and {len(parts) - MAX_LISTED} more {noun}".rstrip() if len(parts) > MAX_LISTED else ""
    return ", ".join(parts[:MAX_LISTED]) + rest


def first_clause(reason: str) -> str:
    """First clause of a reason, for parentheses."""
    first = reason.partition(";")[0]
    return first[:1].lower() + first[1:]


def join_names(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``: all names, unquoted."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def similar_words(name: str, known: Sequence[str]) -> list[str]:
    """Known words that are similar to a misspelled one."""
    lowered = {word.lower(): word for word in reversed(known)}
    return [lowered[word] for word in get_close_matches(name.lower(), list(lowered), n=3, cutoff=0.7)]


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Suggest the most similar known words, or list all of them if none is similar."""
    near = similar_words(name, known)
    return f"did you mean {quote_names(near)}" if near else f"known are {quote_names(known)}"
