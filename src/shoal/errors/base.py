"""Base class of all errors, and the warning category."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Collection
from string import Formatter
from types import FrameType
from typing import Any, Self

from shoal.errors.messages import pluralize, quote_name, quote_names

_OPTION = r"""--?[a-z](?:'[^']*'|"[^"]*"|[^)'"])*"""
"""Option of the command line, perhaps with a quoted column name, which may contain parentheses."""
_BOTH = re.compile(rf"\b\w+=(?:\[[^\]]*\]|\S*) \(({_OPTION})\)")
_FLAG = re.compile(rf" \({_OPTION}\)")


class ShoalWarning(UserWarning):
    """A verified release has a property that needs attention."""


class ShoalError(Exception):
    """Base class of all errors that Shoal raises on purpose: a fact and a hint.

    A hint names an option for Python and, in parentheses, for the command line: ``force=True (--force)``.
    """

    exit_code = 2

    def __init__(self, fact: str, hint: str) -> None:
        self.fact = fact
        self.hint = hint
        super().__init__(fact, hint)

    @property
    def sentence(self) -> str:
        """The message with options in both notations."""
        return f"{self.fact}; {self.hint}."

    def __str__(self) -> str:
        return in_python(self.sentence)

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (self.fact, self.hint)


def fixed(fact: str, hint: str, *details: Any) -> classmethod[Any, [], Any]:
    """Return a constructor of an error whose message has no parameters."""
    return classmethod(lambda kind: kind(fact, hint, *details))


def message(fact: str, hint: str) -> classmethod[Any, ..., Any]:
    """Return a constructor of an error from a template of its message.

    Its parameters are the fields of the template, by name or in the order of their first appearance. ``{rows:record}``
    is a number of records, ``{rows:is|are}`` a verb that agrees with it, ``{name!q}`` a quoted and shortened name,
    ``{path!r}`` a quoted path. Of a list, ``{names!l}`` quotes the names, and ``{names:file}`` counts them.
    """
    specs: dict[str, str] = {}
    """What each field is: ``l`` for a list, the noun or format of a number, or empty for text."""
    for _, name, spec, conversion in _TEMPLATE.parse(f"{fact}{hint}"):
        if name:
            specs[name] = "l" if conversion == "l" else specs.get(name) or spec or ""

    def make(kind: Any, /, *given: object, **named: object) -> Any:
        others = [name for name in specs if name not in named]
        values = named | dict(zip(others, given, strict=True))
        return kind(_TEMPLATE.vformat(fact, (), values), _TEMPLATE.vformat(hint, (), values))

    make.specs = specs  # type: ignore[attr-defined]
    return classmethod(make)


class _Template(Formatter):
    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion == "q":
            return quote_name(value)
        if conversion == "l":
            return quote_names(value)
        return repr(str(value)) if conversion == "r" else super().convert_field(value, conversion)

    def format_field(self, value: Any, spec: str) -> str:
        if spec and isinstance(value, Collection) and not isinstance(value, str):
            value = len(value)
        if "|" in spec:
            singular, plural = spec.split("|")
            return singular if value == 1 else plural
        if spec[:2].isalpha() and len(spec) > 1:
            return pluralize(value, spec)
        return str(format(value, spec or ("," if isinstance(value, int) else "")))


_TEMPLATE = _Template()


def in_python(sentence: str) -> str:
    """The message with options as Python arguments."""
    return _FLAG.sub("", sentence)


def on_command_line(sentence: str) -> str:
    """The message with options of the command line."""
    return _BOTH.sub(lambda found: found[1], sentence)


def warn_user(sentence: str) -> None:
    """Issue a `ShoalWarning` at the line that called Shoal, however deep inside of the package this happens."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _module(frame).partition(".")[0] in ("shoal", "importlib"):
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    place = (frame.f_code.co_filename, frame.f_lineno, _module(frame))
    warnings.warn_explicit(in_python(sentence), ShoalWarning, *place, registry)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
