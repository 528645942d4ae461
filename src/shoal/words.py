"""Words in messages: names in quotation marks, counted nouns, near words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

_LONGEST = 60
MOST_LISTED = 8
"""The most names that a message lists."""


def counted(number: int, noun: str) -> str:
    """``1 record``, ``2 records``, ``1,234 classes``."""
    several = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"


def number(figure: float) -> str:
    """``3``, ``1,234``, ``2.5``: a figure with no more digits than a reader needs."""
    return f"{figure:,.3f}".rstrip("0").rstrip(".")


def short(name: object) -> str:
    """A name; of one that is long or has several lines, only the beginning.

    Where a file lacks its header or a quotation mark, what stands in place of a name is data.
    """
    line = (str(name).splitlines() or [""])[0][:_LONGEST]
    return line if line == str(name) else line + "…"


def shown(name: object) -> str:
    """A name in quotation marks, shortened."""
    return repr(short(name))


def listed(names: Iterable[str]) -> str:
    """Names in quotation marks, the first eight of them."""
    quoted = [shown(name) for name in names]
    rest = f" and {len(quoted) - MOST_LISTED} more" if len(quoted) > MOST_LISTED else ""
    return ", ".join(quoted[:MOST_LISTED]) + rest


def explained(reasons: Mapping[str, str]) -> str:
    """The first names in quotation marks, each with the gist of its reason: ``'who' (every value is unique)``."""
    found = [f"{shown(name)} ({gist(reason)})" for name, reason in reasons.items()]
    rest = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
    return ", ".join(found[:MOST_LISTED]) + rest


def gist(reason: str) -> str:
    """The first part of a reason, as it stands in parentheses."""
    first = reason.partition(";")[0]
    return first[:1].lower() + first[1:]


def joined(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``: all of them, as they are."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def near_words(name: str, known: Sequence[str]) -> list[str]:
    """The known words that a misspelt one could mean."""
    lowered = {word.lower(): word for word in reversed(known)}
    return [lowered[word] for word in get_close_matches(name.lower(), list(lowered), n=3, cutoff=0.7)]


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A hint that names the nearest known words, or all of them where none is near."""
    near = near_words(name, known)
    return f"did you mean {listed(near)}" if near else f"known are {listed(known)}"
