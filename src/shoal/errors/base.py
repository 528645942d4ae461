"""The parent of every error, and the warning."""

from __future__ import annotations

from typing import Self


class ShoalWarning(UserWarning):
    """The release keeps its promise, and yet something in it deserves a look."""


class ShoalError(Exception):
    """A fact and a hint; the parent of every error that Shoal raises on purpose."""

    exit_code = 2

    def __init__(self, fact: str, hint: str) -> None:
        self.fact = fact
        self.hint = hint
        super().__init__(f"{fact}; {hint}.")

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (self.fact, self.hint)
