"""Base class of all errors, and the warning category."""

from __future__ import annotations

import re
import sys
import warnings
from types import FrameType
from typing import Any, Self

from shoal.errors.messages import quote_name

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


def with_name(fact: str, hint: str) -> classmethod[Any, [object], Any]:
    """Return a constructor whose message has one parameter, ``{}``: a name, which is quoted and shortened."""
    return classmethod(lambda kind, name: _filled(kind, fact, hint, quote_name(name)))


def with_path(fact: str, hint: str) -> classmethod[Any, [object], Any]:
    """Return a constructor whose message has one parameter, ``{}``: a path."""
    return classmethod(lambda kind, path: _filled(kind, fact, hint, repr(str(path))))


def with_text(fact: str, hint: str) -> classmethod[Any, [object], Any]:
    """Return a constructor whose message has one parameter, ``{}``: words or a number."""
    return classmethod(
        lambda kind, value: _filled(kind, fact, hint, f"{value:,}" if isinstance(value, int) else str(value))
    )


def _filled(kind: Any, fact: str, hint: str, value: str) -> Any:
    return kind(fact.replace("{}", value), hint.replace("{}", value))


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
