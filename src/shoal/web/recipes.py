"""Recipes: the command line and the Python that do what the page does, to be copied.

Files are named as their owner and the downloads name them: all lie beside each other in one folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.web.asked import asked
from shoal.web.interface import Choices, Source

AGAIN = "again.csv"
"""What is written: the release itself lies beside it already."""
_READING = (
    *("delimiter", "quote", "encoding", "decimal", "thousands", "skip", "skip_footer", "row_numbers", "missing"),
    *("missing_in", "column_formats", "header", "sheet", "format"),
)
_YES_OR_NO = ("header", "row_numbers")
_LISTS = {
    "quasi_identifiers": "-q",
    "identifiers": "--identifiers",
    "sensitive": "--sensitive",
    "keep": "--keep",
    "strata": "--strata",
}
_PAIRS = {
    "hierarchies": "--hierarchy",
    "levels": "--levels",
    "kinds": "--kind",
    "weights": "--weight",
    "recode": "--recode",
}
_WORDS = {
    "k": "-k",
    "l": "-l",
    "t": "-t",
    "method": "--method",
    "effort": "--effort",
    "suppression": "--suppress",
    "missing_values": "--missing-values",
    "seed": "--seed",
    "sampling_weights": "--sampling-weights",
    "households": "--households",
    "formulas": "--formulas",
}
_LONGEST = 88
"""Of a line of Python."""


def command(source: Source, choices: Choices, *, reading: Mapping[str, Any] | None = None, output: str = AGAIN) -> str:
    """The command that makes the same release, for a shell."""
    options = [*_decided(asked(source, choices, Path())), *_read(reading or {}), ["-o", output]]
    return _shell(["shoal", "anonymize", _file(source.name)], options)


def replay(source: Source, *, policy: str, output: str = AGAIN) -> str:
    """The command that makes it again from its policy, also of the next delivery."""
    return _shell(["shoal", "anonymize", _file(source.name)], [["--policy", policy], ["-o", output]])


def python(source: Source, choices: Choices, *, reading: Mapping[str, Any] | None = None, output: str = AGAIN) -> str:
    """The Python that makes the same release."""
    given = _settings(reading or {})
    options = "".join(f", {name}={value!r}" for name, value in given.items())
    table = f"shoal.read({source.name!r}{options})" if given else repr(source.name)
    decided = asked(source, choices, Path()).items()
    lines = [f"    {table},", *(_argument(name, value) for name, value in decided)]
    return "\n".join(["import shoal", "", "release = shoal.anonymize(", *lines, ")", f"release.save({output!r})", ""])


def _decided(given: Mapping[str, Any]) -> Iterator[list[str]]:
    """The options of the command, in the order of the arguments."""
    for name, value in given.items():
        if name in _LISTS:
            yield [_LISTS[name], _names(value)]
        elif name in _PAIRS:
            for column, word in value.items():
                # a file may hold an equals sign, all other words do not
                named = _quoted(column, '="') if name in ("hierarchies", "levels") else column
                yield [_PAIRS[name], f"{named}={word}"]
        elif name in ("exact_means", "shuffle"):
            yield [f"--{name.replace('_', '-')}"]
        else:
            yield [_WORDS[name], str(value)]


def _read(reading: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, value in _settings(reading).items():
        if name in _YES_OR_NO:
            word = name.replace("_", "-")
            yield [f"--{word}" if value else f"--no-{word}"]
        elif name == "column_formats":
            for column, form in value.items():
                yield ["--column-format", f"{_quoted(column, '=')}={form}"]
        elif name == "missing_in":
            for column, words in value.items():
                yield ["--missing-in", f"{_quoted(column, '=')}={_names(words)}"]
        elif name == "thousands":
            yield ["--thousands", value or "none"]
        else:
            yield [f"--{name.replace('_', '-')}", _names(value) if name == "missing" else str(value)]


def _settings(reading: Mapping[str, Any]) -> dict[str, Any]:
    """What was said about how the file is to be read, as `shoal.read` takes it."""
    given = {name: reading[name] for name in _READING if name in reading}
    if isinstance(given.get("missing"), str):
        given["missing"] = given["missing"].split("\n")
    if given.get("delimiter") == "\t":
        given["delimiter"] = "tab"
    if given.get("thousands") == "none":
        given["thousands"] = ""
    return given


def _names(names: Iterable[str]) -> str:
    return ",".join(_quoted(name, ',"\r\n') for name in names)


def _quoted(name: str, parting: str) -> str:
    """A name as the command takes it: in quotation marks where it holds what would part it from the next word."""
    if name == name.strip() and not any(mark in name for mark in parting):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _file(name: str) -> str:
    """A name that no command takes for an option."""
    return f"./{name}" if name.startswith("-") else name


def _shell(words: Iterable[str], options: Iterable[Iterable[str]]) -> str:
    """A command with an option a line."""
    return " \\\n    ".join(shlex.join(part) for part in (words, *options))


def _argument(name: str, value: Any) -> str:
    """An argument on a line of its own; an entry a line where that would be long."""
    line = f"    {name}={value!r},"
    if len(line) <= _LONGEST or not isinstance(value, list | dict):
        return line
    entries = (
        [repr(entry) for entry in value] if isinstance(value, list) else [f"{n!r}: {v!r}" for n, v in value.items()]
    )
    ends = "[]" if isinstance(value, list) else "{}"
    return "\n".join([f"    {name}={ends[0]}", *(f"        {entry}," for entry in entries), f"    {ends[1]},"])
