"""Errors about output files, and failed verification."""

from __future__ import annotations

from typing import Self

from shoal.errors.base import ShoalError, fixed, message
from shoal.errors.messages import pluralize

_OTHER_ENDING = "choose another ending, such as .csv"


class OutputError(ShoalError):
    """An output file cannot be written."""

    invalid_name = fixed("The output has no name that a file can have", "give the path of a file")
    is_input = message("The output {path!r} is the input itself", "give the output another name")
    exists = message("The output {path!r} exists", "give another name, or replace it with force=True (--force)")
    not_a_cache = message("{path!r} exists and is no cache of a comparison", "name another file with cache= (--cache)")
    duplicate_path = message("Two outputs have the same name {path!r}", "give each output a name of its own")
    no_folder = message("The folder {path!r} does not exist", "make it first, or name another")
    locked = message(
        "Another run writes this output (its scratch folder is {path!r})",
        "wait for it to end, or give the output another name",
    )
    not_representable = message("The names or the values of the table do not fit the format of {path!r}", _OTHER_ENDING)
    quoting_disabled = message(
        "The new values of column {name!q} contain the delimiter of the file or are empty, and quoting is off",
        "name a quotation mark with quote= (--quote), or use a file with another delimiter or decimal mark",
    )
    not_restored = message(
        "The release could not be moved to {path!r}, and what was there before could not be moved back",
        "it is in the folder {folder!r}: move it back by hand",
    )
    unwritable = message("{path!r} cannot be written ({why})", "choose a folder that you may write to, with free space")
    unsupported_format = message("Shoal cannot write {format} files such as {path!r}", _OTHER_ENDING)
    not_streamed = message(
        "Files such as {path!r} ({format}) cannot be written in pieces",
        "choose another ending, such as .parquet or .csv, or leave out memory= (--memory)",
    )
    too_many_records = message("{path!r} can hold {most:record} only", _OTHER_ENDING)


_REPORT = "nothing was written; please report this with the policy and without the data"


class PromiseError(ShoalError):
    """Verification failed; nothing was released."""

    exit_code = 3

    replay_differs = fixed(
        "The same input and the same policy gave other bytes than the policy records",
        "nothing was written; compare the versions in the policy with those installed",
    )
    unexpected_content = message("The release differs from what it should hold ({value})", _REPORT)
    invalid_bundle = message("The bundle does not pass its own verification ({value})", _REPORT)
    below_k = message(
        "{records:record} of the release are in classes below k = {k!s} (the smallest has {smallest:,})", _REPORT
    )
    model_broken = message(
        "{records:,} of {of:record} of the release are in classes that break {model} on column {column!q}", _REPORT
    )
    invalid_partition = message("Method {method!r} returned a partition that breaks the promise ({what})", _REPORT)

    @classmethod
    def no_release_compared(cls, *, runs: int, why: str) -> Self:
        fact = f"None of {pluralize(runs, 'run')} gave a release (the first: {why.rstrip('.')})"
        return cls(fact, "choose other methods, a lower k, or more time")


_AS_WRITTEN = "give a bundle as Shoal wrote it"


class BundleError(ShoalError):
    """A bundle is damaged, or was not written by Shoal."""

    not_a_zip = message("{path!r} is no zip file, or only a part of one", "get the bundle again, whole")
    unwritable_hierarchy = message(
        "The hierarchy of column {name!q} has names that no text file can hold", "rename its nodes"
    )
    wrong_ending = message("A bundle is a zip file, and {path!r} is no name of one", "give it the ending .zip")
    one_file = fixed(
        "A bundle holds one file of a release, and Spark writes a folder",
        "leave out --bundle, or release on this machine with memory= (--memory)",
    )
    option_in_bundle = message("The bundle decides {name!q} already", "leave the option out")
    not_a_bundle = message("The zip file {path!r} is not a Shoal bundle ({why})", _AS_WRITTEN)
    too_new = message(
        "The bundle {path!r} has format {found!s}, and this Shoal reads up to {known!s}", "install a newer Shoal"
    )
    unsafe_name = message("The bundle {path!r} has a file with the unsafe name {name!q}", _AS_WRITTEN)
    duplicate_name = message("The bundle {path!r} has more than one file of the name {name!q}", _AS_WRITTEN)
    compressed = message(
        "The file {name!q} of the bundle {path!r} is compressed or encrypted, and Shoal stores files as they are",
        _AS_WRITTEN,
    )
    too_large = message(
        "Files of the bundle {path!r} claim {claimed:,} bytes, and at most {most:,} are plausible", _AS_WRITTEN
    )
    too_many = message("The bundle {path!r} has {files:,} files, and at most {most:,} are plausible", _AS_WRITTEN)

    changed = message(
        "{names:file} of the bundle {path!r} {names:is|are} not as written ({names!l})",
        "shoal verify tells more; get the bundle again",
    )
