"""Reports as text, for a terminal or a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from shoal.words import short

RISKS = {
    "classes": "classes of alike records",
    "min_class": "smallest class",
    "unique_records": "unique records",
    "k_violations": "records in classes below k",
    "global_risk": "global risk (%)",
}
_NUMERIC = {
    "information_loss": "information loss (%)",
    "sse": "squared error (SSE)",
    "sst": "of (SST)",
}
_SEMANTIC = {
    "semantic_loss": "semantic loss (%)",
    "semantic_sse": "squared semantic distance (SSE)",
    "semantic_sst": "of (SST)",
}
_CLASSES = {
    "c_avg": "mean class size / k",
    "discernibility": "discernibility",
}


def losses(facts: Mapping[str, Any]) -> dict[str, str]:
    """The losses that apply to an evaluation, and their labels."""
    numeric = _NUMERIC if facts["base"] != "none" or not facts["distance"] else {}
    return {**numeric, **(_SEMANTIC if facts["distance"] else {}), **_CLASSES}


def measured_on(facts: Mapping[str, Any]) -> str:
    """What the losses of an evaluation are measured on."""
    numeric = [f"on {facts['base']} columns"] if facts["base"] != "none" or not facts["distance"] else []
    return " and ".join([*numeric, *([f"by {facts['distance']} distances"] if facts["distance"] else [])])


def figure(value: float | None) -> str:
    """A figure as people read it."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.4f}" if 0.001 <= abs(value) < 1e9 or value == 0 else f"{value:.6g}"


def columns(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset(), indent: str = "  ") -> Iterator[str]:
    """Rows of text under each other; the columns in ``right`` end flush."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell.rjust(width) if j in right else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield (indent + "  ".join(cells)).rstrip()


def evaluation(facts: Mapping[str, Any]) -> str:
    """Loss, and risk before and after."""
    before, after = facts["risk"]["before"], facts["risk"]["after"]
    risks = [["Risk", "before", "after"]]
    risks += [[label, figure(before[name]), figure(after[name])] for name, label in RISKS.items()]
    lost_in_all = [[f"Loss ({measured_on(facts)})", ""]]
    lost_in_all += [[label, figure(facts["loss"][name])] for name, label in losses(facts).items()]
    lines = [*columns(risks, right=frozenset({1, 2})), "", *columns(lost_in_all, right=frozenset({1}))]
    lost = sorted(facts["columns"].items(), key=lambda item: -item[1])
    if lost:
        table = [["Loss by column (%)", ""], *([short(name), figure(value)] for name, value in lost)]
        lines += ["", *columns(table, right=frozenset({1}))]
    lines += [f"  note: {note}" for note in facts["notes"]]
    return "\n".join(lines)


def verification(facts: Mapping[str, Any]) -> str:
    """Does the promise hold, and on what was it counted?"""
    k, smallest, all_records = facts["k"], facts["min_class"], facts["records"]
    if facts["ok"]:
        verdict = f"VERIFIED  k = {k} holds: the smallest of {facts['classes']:,} classes has {smallest:,} records"
    else:
        verdict = (
            f"NOT k-ANONYMOUS  {facts['k_violations']:,} of {all_records:,} records are in classes below k = {k}"
            f" ({facts['unique_records']:,} of them alone); the smallest class has {smallest:,}"
        )
    names = ", ".join(short(name) for name in facts["quasi_identifiers"])
    return f"{verdict}\n  counted on {names} of {all_records:,} records; a missing value counts as a value"


def release(facts: Mapping[str, Any]) -> str:
    """The whole summary of a release."""
    lines = [verification(facts["verification"]), ""]
    for sentence in facts["sentences"]:
        lines += textwrap.wrap(sentence, 96, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    lines += ["", evaluation(facts["evaluation"])]
    return "\n".join(lines)


def description(facts: Mapping[str, Any]) -> str:
    """The proposed roles, each with its reason."""
    rows = [["Column", "Kind", "Proposed role", "Distinct", "Missing", "Why"]]
    rows += [
        [short(c["name"]), c["kind"], c["role"], figure(c["distinct"]), figure(c["missing"]), c["reason"]]
        for c in facts["columns"]
    ]
    read = ", ".join(f"{name} {value!r}" for name, value in facts["settings"].items() if name != "format")
    lines = [f"{facts['records']:,} records, {len(facts['columns'])} columns, {facts['kind']}"]
    lines += [f"  read with {read}", ""] if read else [""]
    lines += columns(rows, right=frozenset({3, 4}))
    alone, names = facts["unique_records"], facts["quasi_identifiers"]
    lines.append("")
    if alone is None:
        lines.append("No quasi-identifier is proposed.")
    else:
        share = 100 * alone / facts["records"]
        lines.append(
            f"{alone:,} of {facts['records']:,} records ({share:.1f} %) are unique on the"
            f" {len(names)} proposed quasi-identifiers."
        )
    lines.append("This is a proposal: you decide, by naming columns with -q, --identifiers and --sensitive.")
    return "\n".join(lines)


def methods(facts: Sequence[Mapping[str, Any]]) -> str:
    """The methods by family, each in a few lines."""
    parts: list[str] = []
    width = max((len(method["name"]) for method in facts), default=0)
    for family, members in groupby(facts, key=lambda method: method["family"]):
        found = list(members)
        parts += [f"Family {family}: {found[0]['about_family']}", ""]
        parts += [f"{method_facts(method, width=width)}\n" for method in found]
    return "\n".join(parts).rstrip()


def method_facts(method: Mapping[str, Any], *, width: int = 0) -> str:
    """A method in a few lines, beside its name, which gets this width at least."""
    options = ", ".join(f"{name}={value}" for name, value in method["options"].items())
    said = [f"takes {takes(method)}; groups of k to {method['largest_group']}; {method['cost']}"]
    said += [f"options: {options}"] if options else []
    name = f"  {method['name'].ljust(max(width, 16))}  "
    indent = " " * len(name)
    lines = textwrap.wrap(plain(method["summary"]), 120, initial_indent=name, subsequent_indent=indent)
    for sentence in [*said, method["paper"]]:
        lines += textwrap.wrap(sentence, 120, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines)


def takes(method: Mapping[str, Any]) -> str:
    """The kinds of columns that a method takes, and how many of them and of records."""
    most_columns, most_records = method["most_columns"], method["most_records"]
    limits = [f"{most_columns} column{'s' if most_columns > 1 else ''}"] if most_columns else []
    limits += [f"at most {most_records:,} records"] if most_records else []
    return ", ".join(method["kinds"]) + (f" ({', '.join(limits)})" if limits else "")


def plain(docstring: str) -> str:
    """A docstring for people who do not read source: without its marks."""
    return docstring.replace("Notes\n-----\n", "").replace("``", "").replace("*", "")
