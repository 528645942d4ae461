"""Errors about bundles. Names in a bundle are untrusted, so they are quoted and shortened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError
from shoal.words import pluralize, quote_name, quote_names

_AS_WRITTEN = "give a bundle as Shoal wrote it"


class BundleError(ShoalError):
    """A bundle is damaged, or was not written by Shoal."""

    @classmethod
    def not_a_zip(cls, path: object) -> Self:
        return cls(f"{str(path)!r} is no zip file, or only a part of one", "get the bundle again, whole")

    @classmethod
    def not_a_bundle(cls, path: object, why: str) -> Self:
        return cls(f"The zip file {str(path)!r} is not a Shoal bundle ({why})", _AS_WRITTEN)

    @classmethod
    def too_new(cls, path: object, found: int, known: int) -> Self:
        return cls(
            f"The bundle {str(path)!r} has format {found}, and this Shoal reads up to {known}", "install a newer Shoal"
        )

    @classmethod
    def unsafe_name(cls, path: object, name: str) -> Self:
        return cls(f"The bundle {str(path)!r} has a file with the unsafe name {quote_name(name)}", _AS_WRITTEN)

    @classmethod
    def duplicate_name(cls, path: object, name: str) -> Self:
        return cls(f"The bundle {str(path)!r} has more than one file of the name {quote_name(name)}", _AS_WRITTEN)

    @classmethod
    def compressed(cls, path: object, name: str) -> Self:
        return cls(
            f"The file {quote_name(name)} of the bundle {str(path)!r} is compressed or locked, and Shoal stores files as"
            " they are",
            _AS_WRITTEN,
        )

    @classmethod
    def too_large(cls, path: object, *, claimed: int, most: int) -> Self:
        return cls(
            f"Files of the bundle {str(path)!r} claim {claimed:,} bytes, and at most {most:,} are plausible",
            _AS_WRITTEN,
        )

    @classmethod
    def too_many(cls, path: object, *, files: int, most: int) -> Self:
        return cls(f"The bundle {str(path)!r} has {files:,} files, and at most {most:,} are plausible", _AS_WRITTEN)

    @classmethod
    def changed(cls, path: object, names: Sequence[str]) -> Self:
        return cls(
            f"{pluralize(len(names), 'file')} of the bundle {str(path)!r} {'is' if len(names) == 1 else 'are'} not as"
            f" written ({quote_names(names)})",
            "shoal verify tells more; get the bundle again",
        )

    @classmethod
    def unwritable_hierarchy(cls, column: str) -> Self:
        return cls(
            f"The hierarchy of column {quote_name(column)} has names that no text file holds",
            "give its nodes other names",
        )

    @classmethod
    def wrong_ending(cls, path: object) -> Self:
        return cls(f"A bundle is a zip file, and {str(path)!r} is no name of one", "give it the ending .zip")

    @classmethod
    def option_in_bundle(cls, option: str) -> Self:
        return cls(f"The bundle decides {option!r} already", "leave the option out")
