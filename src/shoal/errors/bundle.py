"""Errors about bundles. Names in a bundle come from whoever packed it, so they are quoted and shortened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError
from shoal.words import counted, listed, shown

_AS_WRITTEN = "give a bundle as Shoal wrote it"


class BundleError(ShoalError):
    """A bundle is damaged, or not one that Shoal wrote."""

    @classmethod
    def no_zip(cls, path: object) -> Self:
        return cls(f"{str(path)!r} is no zip file, or only a part of one", "get the bundle again, whole")

    @classmethod
    def other_zip(cls, path: object, why: str) -> Self:
        return cls(f"The zip file {str(path)!r} is not a Shoal bundle ({why})", _AS_WRITTEN)

    @classmethod
    def too_new(cls, path: object, found: int, known: int) -> Self:
        return cls(
            f"The bundle {str(path)!r} has format {found}, and this Shoal reads up to {known}", "install a newer Shoal"
        )

    @classmethod
    def unsafe_name(cls, path: object, name: str) -> Self:
        return cls(f"The bundle {str(path)!r} has a file with the unsafe name {shown(name)}", _AS_WRITTEN)

    @classmethod
    def named_twice(cls, path: object, name: str) -> Self:
        return cls(f"The bundle {str(path)!r} has more than one file of the name {shown(name)}", _AS_WRITTEN)

    @classmethod
    def packed(cls, path: object, name: str) -> Self:
        return cls(
            f"The file {shown(name)} of the bundle {str(path)!r} is compressed or locked, and Shoal stores files as"
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
            f"{counted(len(names), 'file')} of the bundle {str(path)!r} {'is' if len(names) == 1 else 'are'} not as"
            f" written ({listed(names)})",
            "shoal verify tells more; get the bundle again",
        )

    @classmethod
    def no_text(cls, column: str) -> Self:
        return cls(
            f"The hierarchy of column {shown(column)} has names that no text file holds", "give its nodes other names"
        )

    @classmethod
    def no_ending(cls, path: object) -> Self:
        return cls(f"A bundle is a zip file, and {str(path)!r} is no name of one", "give it the ending .zip")

    @classmethod
    def decides(cls, option: str) -> Self:
        return cls(f"The bundle decides {option!r} already", "leave the option out")
