"""Errors about output files, and failed verification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError, fixed
from shoal.errors.messages import pluralize, quote_name, quote_names


class OutputError(ShoalError):
    """An output file cannot be written."""

    invalid_name = fixed("The output has no name that a file can have", "give the path of a file")

    @classmethod
    def is_input(cls, path: object) -> Self:
        return cls(f"The output {str(path)!r} is the input itself", "give the output another name")

    @classmethod
    def exists(cls, path: object) -> Self:
        return cls(f"The output {str(path)!r} exists", "give another name, or replace it with force=True (--force)")

    @classmethod
    def not_restored(cls, path: object, folder: object) -> Self:
        return cls(
            f"The release could not be moved to {str(path)!r}, and what was there before could not be moved back",
            f"it is in the folder {str(folder)!r}: move it back by hand",
        )

    @classmethod
    def not_a_cache(cls, path: object) -> Self:
        return cls(
            f"{str(path)!r} exists and holds something else than results of a comparison",
            "name another file with cache= (--cache)",
        )

    @classmethod
    def duplicate_path(cls, path: object) -> Self:
        return cls(f"Two outputs have the same name {str(path)!r}", "give each output a name of its own")

    @classmethod
    def no_folder(cls, path: object) -> Self:
        return cls(f"The folder {str(path)!r} does not exist", "make it first, or name another")

    @classmethod
    def unwritable(cls, path: object, why: str) -> Self:
        return cls(f"{str(path)!r} cannot be written ({why})", "choose a folder that you may write to, with room left")

    @classmethod
    def locked(cls, path: object) -> Self:
        return cls(
            f"Another run is at work on this output (its scratch folder is {str(path)!r})",
            "wait for it to end, or give the output another name",
        )

    @classmethod
    def unsupported_format(cls, path: object, format: str) -> Self:
        return cls(f"Shoal cannot write {format} files such as {str(path)!r}", "choose another ending, such as .csv")

    @classmethod
    def not_streamed(cls, path: object, format: str) -> Self:
        return cls(
            f"Files such as {str(path)!r} ({format}) cannot be written in pieces",
            "choose another ending, such as .parquet or .csv, or leave out memory= (--memory)",
        )

    @classmethod
    def not_representable(cls, path: object) -> Self:
        return cls(
            f"The names or the values of the table do not fit the format of {str(path)!r}",
            "choose another ending, such as .csv",
        )

    @classmethod
    def quoting_disabled(cls, column: str) -> Self:
        return cls(
            f"The new values of column {column!r} hold the delimiter of the file or nothing, and quoting is off",
            "name a mark of quotation with quote= (--quote), or use a file with another delimiter or decimal mark",
        )

    @classmethod
    def too_many_records(cls, path: object, most: int) -> Self:
        return cls(f"{str(path)!r} can hold {pluralize(most, 'record')} only", "choose another ending, such as .csv")


_REPORT = "nothing was written; please report this with the policy and without the data"


class PromiseError(ShoalError):
    """Verification failed; nothing was released."""

    exit_code = 3

    replay_differs = fixed(
        "The same input and the same policy gave other bytes than the policy records",
        "nothing was written; compare the versions in the policy with those installed",
    )

    @classmethod
    def below_k(cls, *, records: int, k: int, smallest: float) -> Self:
        fact = f"{pluralize(records, 'record')} of the release are in classes below k = {k}"
        return cls(f"{fact} (the smallest has {smallest:,})", _REPORT)

    @classmethod
    def model_broken(cls, model: str, *, column: str, records: int, of: int) -> Self:
        return cls(
            f"{records:,} of {pluralize(of, 'record')} of the release are in classes that break {model} on column"
            f" {quote_name(column)}",
            _REPORT,
        )

    @classmethod
    def invalid_partition(cls, method: str, what: str) -> Self:
        return cls(f"Method {method!r} returned a partition that breaks the promise ({what})", _REPORT)

    @classmethod
    def unexpected_content(cls, what: str) -> Self:
        return cls(f"The release differs from what it should hold ({what})", _REPORT)

    @classmethod
    def invalid_bundle(cls, checks: str) -> Self:
        return cls(f"The bundle does not pass its own verification ({checks})", _REPORT)

    @classmethod
    def no_release_compared(cls, *, runs: int, why: str) -> Self:
        return cls(
            f"None of {pluralize(runs, 'run')} gave a release (the first: {why.rstrip('.')})",
            "choose other methods, a lower k, or more time",
        )


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
            f"The file {quote_name(name)} of the bundle {str(path)!r} is compressed or locked, and Shoal stores files"
            " as they are",
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
