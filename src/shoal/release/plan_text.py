"""Policy file to be edited: proposed roles with their reasons, and the options with their defaults in comments."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.domain import Column, Role, Schema, parse_models
from shoal.domain.columns import ALL_OTHER_COLUMNS
from shoal.domain.policy import POLICY_FORMAT, toml_key, toml_value
from shoal.errors import ColumnError, OptionError
from shoal.options.checks import check_scalar
from shoal.options.table import BY_NAME, RELEASE_OPTIONS, Option, check_option

_COLUMNS = """\
# The role of each column:
#   identifier        names a person; dropped
#   quasi-identifier  could be known to others; protected
#   sensitive         must not be linked to a person; released unchanged
#   insensitive       none of these; released unchanged
# The kind of its values: numeric, date, ordinal or nominal. A column with a file needs no kind:
#   hierarchy = "jobs.csv" (the hierarchy of its values), levels = "grades.txt" (ordered values, the lowest first).
# How a class shows a quasi-identifier: recode = "mean", "median" or "interval" for numbers and dates, "centroid",
# "mode" or "lcs" for categories."""
_KEEP = """\
# Columns that look like identifiers and are released unchanged on purpose. Their role is insensitive."""
_SHOWN = (
    *("l", "t", "models", "missing_values", "max_suppression", "method", "effort", "time_limit", "weights"),
    *("shuffle", "sampling_weights", "strata", "households"),
)
"""Options that are shown even if nothing is decided about them."""
_ENDINGS = (".csv", ".tsv", ".parquet", ".xlsx")
"""File formats that the proposed command keeps."""
_EXAMPLES = {"l": 2, "t": 0.2, "method": "auto", "effort": "balanced", "time_limit": 60}
"""Values of options that have no default to show."""


def proposal_comment(column: Column, role: str) -> str:
    """Reason for the role of a column, or for the one that was proposed instead."""
    return column.reason if role == column.role else f"Proposed: {column.role}. {column.reason}"


def plan_text(
    proposed: Schema,
    *,
    roles: Mapping[str, str],
    options: Mapping[str, Any],
    settings: Mapping[str, Any],
    without_kind: Collection[str],
    source: str,
    file: str,
) -> str:
    """Return the content of a policy file with these decisions.

    ``source`` and ``file`` are the names of the table and of the policy in the comments. Columns ``without_kind`` get
    the kind of the table when the release is made.
    """
    kinds = {column.name: str(column.kind) for column in proposed.columns if column.name not in without_kind}
    columns = list(_column_lines(proposed, roles, options, {**kinds, **(options.get("kinds") or {})}))
    k = options.get("k")
    lines = [
        "# A Shoal policy to be edited. Check the role of each column" + (", and decide k." if k is None else "."),
        f"# Then run:  {release_command(source, file)}",
        '# A line such as "#seed = 0" shows an option with its default or an example: remove the "#" to decide it.',
        f"format = {POLICY_FORMAT}",
        "",
        f"# {BY_NAME['k'].help}",
        "#release.k = 5" if k is None else f"release.k = {check_option('k', k)}",
        "",
        _COLUMNS,
        "columns = [",
        *columns,
        "]",
        "",
        _KEEP,
        f"keep = {toml_value(_as_list(options.get('keep')))}",
        *_option_lines(options, _example_columns(roles)),
        *_setting_lines(settings),
    ]
    return "\n".join(lines) + "\n"


def release_command(source: str, policy: str) -> str:
    """Return the command that makes the release."""
    path = Path(source)
    ending = path.suffix.lower() if path.suffix.lower() in _ENDINGS else ".csv"
    released = path.with_name(f"{path.name.partition('.')[0] or path.name}.released{ending}")
    return shlex.join(["shoal", "anonymize", source, "--policy", policy, "-o", str(released)])


def _column_lines(
    proposed: Schema, roles: Mapping[str, str], options: Mapping[str, Any], kinds: Mapping[str, str]
) -> Iterator[str]:
    """One line per column; names and roles are aligned."""
    recode = options.get("recode")
    facts: dict[str, dict[str, str]] = {column.name: {} for column in proposed.columns}
    for key, given in (
        ("kind", kinds),
        ("hierarchy", options.get("hierarchies") or {}),
        ("levels", options.get("levels") or {}),
        ("recode", recode if isinstance(recode, Mapping) else {}),
    ):
        for name, value in given.items():
            if name == ALL_OTHER_COLUMNS:
                continue
            if str(name) not in facts:
                raise ColumnError.unknown(str(name), list(facts))
            facts[str(name)][key] = _file_name(str(name), value) if key in ("hierarchy", "levels") else str(value)
    width = max(len(toml_value(name)) for name in facts) + 1
    longest = max(len(role) for role in Role) + len('"",')
    for column in proposed.columns:
        decided, role = facts[column.name], roles[column.name]
        if "hierarchy" in decided or "levels" in decided:
            del decided["kind"]
        if role != Role.QUASI_IDENTIFIER:
            decided.pop("recode", None)
        name, more = f"{toml_value(column.name)},", [f"{key} = {toml_value(value)}" for key, value in decided.items()]
        entry = f"name = {name:{width}} role = " + f"{toml_value(role) + ',' * bool(more):{longest}} {', '.join(more)}"
        yield f"  {{ {entry.rstrip()} }},  # {_printable(proposal_comment(column, role))}"


def _file_name(column: str, source: Any) -> str:
    if not isinstance(source, str | os.PathLike):
        raise OptionError.hierarchy_without_file(column)
    return os.fsdecode(source)


def _option_lines(options: Mapping[str, Any], examples: Mapping[str, str]) -> Iterator[str]:
    """Decided options as entries, and the usual other ones as comments."""
    checked = {name: check_option(name, value) for name, value in options.items() if name in BY_NAME}
    if checked.get("refine") and not (checked.get("effort") or checked.get("time_limit")):
        checked["effort"] = "balanced"
    for option in RELEASE_OPTIONS:
        if option.name in ("k", "keep", "refine") or option.key.startswith("columns[]"):
            continue
        value = checked.get(option.name, option.default)
        value = int(value) if option.type is int and value is not None else value
        is_decided = value != option.default and value not in (None, (), [], {})
        if is_decided or (option.name in _SHOWN and not (option.key.startswith("refine.") and _is_final(checked))):
            yield ""
            yield f"# {_sentence(option)}"
            yield from _entries(option, value) if is_decided else (f"#{line}" for line in _example(option, examples))
    if _is_final(checked):
        yield "\nrefine = false"
    own = {name: check_scalar(name, value) for name, value in options.items() if name not in BY_NAME}
    default_recode = options.get("recode")
    if isinstance(default_recode, Mapping):
        default_recode = default_recode.get(ALL_OTHER_COLUMNS)
    if default_recode:
        own["recode"] = check_option("recode", default_recode)
    if own:
        yield ""
        yield from (f"options.{toml_key(name)} = {toml_value(value)}" for name, value in own.items())


def _is_final(options: Mapping[str, Any]) -> bool:
    """Whether the groups of the method are not improved."""
    return options.get("refine") is False


def _sentence(option: Option) -> str:
    """Help of an option, its choices and its default."""
    text = option.help.replace("; repeatable.", ".").replace(", as a,b.", ".")
    text += f" One of {', '.join(option.choices)}." if option.choices else ""
    default = option.default_text or ("" if option.default in (None, ()) else toml_value(option.default))
    return f"{text} Default: {default.strip(chr(34))}." if default else text


def _entries(option: Option, value: Any) -> Iterator[str]:
    """Entries of a policy that decide an option."""
    if option.name == "models":
        models = ", ".join(
            f"{{ column = {toml_value(model.column)}, model = {toml_value(model.notation)} }}"
            for model in parse_models(value)
        )
        yield f"models = [{models}]"
    elif option.type is dict:
        yield from (f"{option.key}.{toml_key(name)} = {toml_value(entry)}" for name, entry in value.items())
    else:
        yield f"{option.key} = {toml_value(_as_list(value) if option.type is list else value)}"


def _example(option: Option, columns: Mapping[str, str]) -> Iterator[str]:
    value = _EXAMPLES.get(option.name, option.default)
    if option.name == "models":
        value = {columns["sensitive"]: "distinct-l(2)"}
    elif option.name == "weights":
        value = {columns["quasi_identifier"]: 2.0}
    elif option.group == "Survey":
        value = ["COLUMN"] if option.type is list else "COLUMN"
    return _entries(option, value)


def _example_columns(roles: Mapping[str, str]) -> dict[str, str]:
    """Columns in the examples of options."""
    return {
        key: next((name for name, role in roles.items() if role == wanted), "COLUMN")
        for key, wanted in (("sensitive", Role.SENSITIVE), ("quasi_identifier", Role.QUASI_IDENTIFIER))
    }


def _setting_lines(settings: Mapping[str, Any]) -> Iterator[str]:
    """How to read the file."""
    if settings:
        yield "\n# How the file is read."
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from (
                f"input.settings.{name}.{toml_key(column)} = {toml_value(entry)}" for column, entry in value.items()
            )
        else:
            yield f"input.settings.{name} = {toml_value(value)}"


def _as_list(value: Any) -> list[str]:
    return [str(value)] if isinstance(value, str | int) else [str(name) for name in value or ()]


def _printable(text: str) -> str:
    """Text for a comment, which has no control characters."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)
