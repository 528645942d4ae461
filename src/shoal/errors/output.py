"""Errors about output files, and failed verification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError, fixed, with_name, with_path, with_text
from shoal.errors.messages import pluralize, quote_name, quote_names

_OTHER_ENDING = "choose another ending, such as .csv"


class OutputError(ShoalError):
    """An output file cannot be written."""

    invalid_name = fixed("The output has no name that a file can have", "give the path of a file")
    is_input = with_path("The output {} is the input itself", "give the output another name")
    exists = with_path("The output {} exists", "give another name, or replace it with force=True (--force)")
    not_a_cache = with_path("{} exists and is no cache of a comparison", "name another file with cache= (--cache)")
    duplicate_path = with_path("Two outputs have the same name {}", "give each output a name of its own")
    no_folder = with_path("The folder {} does not exist", "make it first, or name another")
    locked = with_path(
        "Another run writes this output (its scratch folder is {})",
        "wait for it to end, or give the output another name",
    )
    not_representable = with_path("The names or the values of the table do not fit the format of {}", _OTHER_ENDING)
    quoting_disabled = with_name(
        "The new values of column {} contain the delimiter of the file or are empty, and quoting is off",
        "name a quotation mark with quote= (--quote), or use a file with another delimiter or decimal mark",
    )

    @classmethod
    def not_restored(cls, path: object, folder: object) -> Self:
        return cls(
            f"The release could not be moved to {str(path)!r}, and what was there before could not be moved back",
            f"it is in the folder {str(folder)!r}: move it back by hand",
        )

    @classmethod
    def unwritable(cls, path: object, why: str) -> Self:
        return cls(f"{str(path)!r} cannot be written ({why})", "choose a folder that you may write to, with free space")

    @classmethod
    def unsupported_format(cls, path: object, format: str) -> Self:
        return cls(f"Shoal cannot write {format} files such as {str(path)!r}", _OTHER_ENDING)

    @classmethod
    def not_streamed(cls, path: object, format: str) -> Self:
        return cls(
            f"Files such as {str(path)!r} ({format}) cannot be written in pieces",
            "choose another ending, such as .parquet or .csv, or leave out memory= (--memory)",
        )

    @classmethod
    def too_many_records(cls, path: object, most: int) -> Self:
        return cls(f"{str(path)!r} can hold {pluralize(most, 'record')} only", _OTHER_ENDING)


_REPORT = "nothing was written; please report this with the policy and without the data"


class PromiseError(ShoalError):
    """Verification failed; nothing was released."""

    exit_code = 3

    replay_differs = fixed(
        "The same input and the same policy gave other bytes than the policy records",
        "nothing was written; compare the versions in the policy with those installed",
    )
    unexpected_content = with_text("The release differs from what it should hold ({})", _REPORT)
    invalid_bundle = with_text("The bundle does not pass its own verification ({})", _REPORT)

    @classmethod
    def below_k(cls, *, records: int, k: int, smallest: float) -> Self:
        fact = f"{pluralize(records, 'record')} of the release are in classes below k = {k}"
        return cls(f"{fact} (the smallest has {smallest:,})", _REPORT)

    @classmethod
    def model_broken(cls, model: str, *, column: str, records: int, of: int) -> Self:
        fact = f"{records:,} of {pluralize(of, 'record')} of the release are in classes that break {model} on column"
        return cls(f"{fact} {quote_name(column)}", _REPORT)

    @classmethod
    def invalid_partition(cls, method: str, what: str) -> Self:
        return cls(f"Method {method!r} returned a partition that breaks the promise ({what})", _REPORT)

    @classmethod
    def no_release_compared(cls, *, runs: int, why: str) -> Self:
        fact = f"None of {pluralize(runs, 'run')} gave a release (the first: {why.rstrip('.')})"
        return cls(fact, "choose other methods, a lower k, or more time")


_AS_WRITTEN = "give a bundle as Shoal wrote it"


class BundleError(ShoalError):
    """A bundle is damaged, or was not written by Shoal."""

    not_a_zip = with_path("{} is no zip file, or only a part of one", "get the bundle again, whole")
    unwritable_hierarchy = with_name(
        "The hierarchy of column {} has names that no text file can hold", "rename its nodes"
    )
    wrong_ending = with_path("A bundle is a zip file, and {} is no name of one", "give it the ending .zip")
    one_file = fixed(
        "A bundle holds one file of a release, and Spark writes a folder",
        "leave out --bundle, or release on this machine with memory= (--memory)",
    )
    option_in_bundle = with_name("The bundle decides {} already", "leave the option out")

    @classmethod
    def not_a_bundle(cls, path: object, why: str) -> Self:
        return cls(f"The zip file {str(path)!r} is not a Shoal bundle ({why})", _AS_WRITTEN)

    @classmethod
    def too_new(cls, path: object, found: int, known: int) -> Self:
        fact = f"The bundle {str(path)!r} has format {found}, and this Shoal reads up to {known}"
        return cls(fact, "install a newer Shoal")

    @classmethod
    def unsafe_name(cls, path: object, name: str) -> Self:
        return cls(f"The bundle {str(path)!r} has a file with the unsafe name {quote_name(name)}", _AS_WRITTEN)

    @classmethod
    def duplicate_name(cls, path: object, name: str) -> Self:
        return cls(f"The bundle {str(path)!r} has more than one file of the name {quote_name(name)}", _AS_WRITTEN)

    @classmethod
    def compressed(cls, path: object, name: str) -> Self:
        fact = f"The file {quote_name(name)} of the bundle {str(path)!r} is compressed or encrypted"
        return cls(f"{fact}, and Shoal stores files as they are", _AS_WRITTEN)

    @classmethod
    def too_large(cls, path: object, *, claimed: int, most: int) -> Self:
        fact = f"Files of the bundle {str(path)!r} claim {claimed:,} bytes, and at most {most:,} are plausible"
        return cls(fact, _AS_WRITTEN)

    @classmethod
    def too_many(cls, path: object, *, files: int, most: int) -> Self:
        return cls(f"The bundle {str(path)!r} has {files:,} files, and at most {most:,} are plausible", _AS_WRITTEN)

    @classmethod
    def changed(cls, path: object, names: Sequence[str]) -> Self:
        verb = "is" if len(names) == 1 else "are"
        fact = f"{pluralize(len(names), 'file')} of the bundle {str(path)!r} {verb} not as written"
        return cls(f"{fact} ({quote_names(names)})", "shoal verify tells more; get the bundle again")
