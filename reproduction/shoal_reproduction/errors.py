"""Errors of the reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors import FileError, OptionError
from shoal.errors.messages import quote_names


class BenchmarkDataError(FileError):
    """The benchmark data is missing, or is not what the papers used."""

    @classmethod
    def missing(cls, folder: object | None, *, empty: bool = False) -> Self:
        if folder is None:
            fact = "No folder of benchmark data is named"
        else:
            fact = f"The folder {str(folder)!r} {'has no benchmark data' if empty else 'does not exist'}"
        return cls(fact, "name one with --data or in SHOAL_DATA; docs/data.md says where the data is published")

    @classmethod
    def different(cls, path: object, fact: str) -> Self:
        return cls(f"{str(path)!r} is not what the papers used: {fact}", "docs/data.md says where it is published")


class SelectionError(OptionError):
    """A selection of printed tables is empty."""

    @classmethod
    def empty(cls, words: Sequence[str]) -> Self:
        fact = f"No printed cell fits all of {quote_names(words)}" if words else "The choice names nothing"
        return cls(fact, "name a paper, a table, a data set or a method, or leave the choice out")
