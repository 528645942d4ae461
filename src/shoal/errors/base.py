"""The parent of every error, and the warning."""

from __future__ import annotations

import re
from typing import Self

_OPTION = r"""--?[a-z](?:'[^']*'|"[^"]*"|[^)'"])*"""
"""An option of the command line, perhaps with the name of a column in quotation marks, which may hold parentheses."""
_BOTH = re.compile(rf"\b\w+=(?:\[[^\]]*\]|\S*) \(({_OPTION})\)")
_FLAG = re.compile(rf" \({_OPTION}\)")


class ShoalWarning(UserWarning):
    """The release keeps its promise, and yet something in it deserves a look."""


class ShoalError(Exception):
    """A fact and a hint; the parent of every error that Shoal raises on purpose.

    A hint names an option as Python and, in parentheses, as the command line has it: ``force=True (--force)``.
    """

    exit_code = 2

    def __init__(self, fact: str, hint: str) -> None:
        self.fact = fact
        self.hint = hint
        super().__init__(fact, hint)

    @property
    def sentence(self) -> str:
        """The whole sentence, with the options in both ways."""
        return f"{self.fact}; {self.hint}."

    def __str__(self) -> str:
        return in_python(self.sentence)

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (self.fact, self.hint)


def in_python(sentence: str) -> str:
    """A sentence with its options as arguments of Python."""
    return _FLAG.sub("", sentence)


def on_command_line(sentence: str) -> str:
    """A sentence with its options as the command line has them."""
    return _BOTH.sub(lambda found: found[1], sentence)
