"""Recipes: the command line and the Python code equivalent to the page, to be copied.

Files have the names of the downloads, all in one folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.options.table import BY_NAME
from shoal.web.projects.arguments import release_arguments
from shoal.web.projects.import_settings import LABELS
from shoal.web.projects.model import ReleaseChoices, SourceFile

_MAX_WIDTH = 88
"""Of a line of Python."""


def command(source: SourceFile, choices: ReleaseChoices, *, reading: Mapping[str, Any], output: str) -> str:
    """Return the shell command that makes the same release."""
    arguments = release_arguments(source, choices, Path())
    return _shell(source, [*_command_options(arguments), *_reading_options(reading), ["-o", output]])


def replay_command(source: SourceFile, *, policy: str, output: str) -> str:
    """Return the shell command that repeats it from its policy, also for new data."""
    return _shell(source, [["--policy", policy], ["-o", output]])


def python_code(source: SourceFile, choices: ReleaseChoices, *, reading: Mapping[str, Any], output: str) -> str:
    """Return the Python code that makes the same release."""
    settings = _settings(reading)
    options = "".join(f", {name}={value!r}" for name, value in settings.items())
    table = f"shoal.read({source.name!r}{options})" if settings else repr(source.name)
    arguments = release_arguments(source, choices, Path()).items()
    lines = [f"    {table},", *(_argument(name, value) for name, value in arguments)]
    return "\n".join(["import shoal", "", "release = shoal.anonymize(", *lines, ")", f"release.save({output!r})", ""])


def _command_options(arguments: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, value in arguments.items():
        flag = BY_NAME[name].flags[0]
        if isinstance(value, list):
            yield [flag, _names(value)]
        elif isinstance(value, dict):
            for column, word in value.items():
                # a file name may contain an equals sign, other values do not
                quoted = _quoted(column, '="') if name in ("hierarchies", "levels") else column
                yield [flag, f"{quoted}={word}"]
        else:
            yield [flag] if value is True else [flag, str(value)]


def _reading_options(reading: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, value in _settings(reading).items():
        if isinstance(value, bool):
            yield [_flag(name) if value else _flag(f"no_{name}")]
        elif isinstance(value, dict):  # column_formats, missing_in
            for column, words in value.items():
                text = words if isinstance(words, str) else _names(words)
                yield [_flag(name.removesuffix("s")), f"{_quoted(column, '=')}={text}"]
        elif name == "thousands":
            yield ["--thousands", value or "none"]
        else:
            yield [_flag(name), _names(value) if name == "missing" else str(value)]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _settings(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the import settings as `shoal.read` takes them."""
    settings = {name: reading[name] for name in (*LABELS, "format") if name in reading}
    if isinstance(settings.get("missing"), str):
        settings["missing"] = settings["missing"].split("\n")
    if settings.get("delimiter") == "\t":
        settings["delimiter"] = "tab"
    if settings.get("thousands") == "none":
        settings["thousands"] = ""
    return settings


def _names(names: Iterable[str]) -> str:
    return ",".join(_quoted(name, ',"\r\n') for name in names)


def _quoted(name: str, separators: str) -> str:
    """Quote a name as the command line requires, where it contains a separator."""
    if name == name.strip() and not any(separator in name for separator in separators):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _shell(source: SourceFile, options: Iterable[Iterable[str]]) -> str:
    file = f"./{source.name}" if source.name.startswith("-") else source.name  # no command mistakes it for an option
    return " \\\n    ".join(shlex.join(part) for part in (["shoal", "anonymize", file], *options))


def _argument(name: str, value: Any) -> str:
    """Format an argument on a line; one entry per line if that is too long."""
    line = f"    {name}={value!r},"
    if len(line) <= _MAX_WIDTH or not isinstance(value, list | dict):
        return line
    if isinstance(value, list):
        start, entries, end = "[", [repr(entry) for entry in value], "]"
    else:
        start, entries, end = "{", [f"{key!r}: {entry!r}" for key, entry in value.items()], "}"
    return "\n".join([f"    {name}={start}", *(f"        {entry}," for entry in entries), f"    {end},"])
