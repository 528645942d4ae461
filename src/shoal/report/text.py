"""Reports as text, for a terminal or a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from shoal.words import counted, number, short

_RISKS = {
    "classes": "classes of alike records",
    "min_class": "smallest class",
    "unique_records": "unique records",
    "k_violations": "records in classes below k",
    "global_risk": "global risk (%)",
}
_HOUSEHOLDS = {"household_risk": "household risk (%)"}
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
    "extent": "mean extent of a class",
    "discernibility": "discernibility",
}


MISSING = {
    "category": "a missing value counts as a value",
    "wildcard": "a missing value is compatible with every value",
}


def risks(facts: Mapping[str, Any]) -> dict[str, str]:
    """The risks that apply to an evaluation, and their labels."""
    households = facts["risk"]["after"]["household_risk"] is not None
    return {**_RISKS, **(_HOUSEHOLDS if households else {})}


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
    left = [["Risk", "before", "after"]]
    left += [[label, figure(before[name]), figure(after[name])] for name, label in risks(facts).items()]
    lost_in_all = [[f"Loss ({measured_on(facts)})", ""]]
    lost_in_all += [[label, figure(facts["loss"][name])] for name, label in losses(facts).items()]
    lines = [*columns(left, right=frozenset({1, 2})), "", *columns(lost_in_all, right=frozenset({1}))]
    lost = sorted(facts["columns"].items(), key=lambda item: -item[1])
    if lost:
        table = [["Loss by column (%)", ""], *([short(name), figure(value)] for name, value in lost)]
        lines += ["", *columns(table, right=frozenset({1}))]
    lines += [f"  note: {note}" for note in facts["notes"]]
    return "\n".join(lines)


def verification(facts: Mapping[str, Any]) -> str:
    """Does the promise hold, and on what was it counted?"""
    k, all_records = facts["k"], facts["records"]
    unit = facts["unit"].removesuffix("s") if facts["min_class"] == 1 else facts["unit"]
    smallest = f"{number(facts['min_class'])} {unit}"
    broken = sum(not check["ok"] for check in facts["models"])
    if facts["k_violations"]:
        verdict = (
            f"NOT k-ANONYMOUS  {facts['k_violations']:,} of {all_records:,} records are in classes below k = {k}"
            f" ({facts['unique_records']:,} of them alone); the smallest class has {smallest}"
        )
    else:
        stamp = f"NOT VERIFIED  {counted(broken, 'privacy model')} broken;" if broken else "VERIFIED "
        verdict = f"{stamp} k = {k} holds: the smallest of {facts['classes']:,} classes has {smallest}"
    names = ", ".join(short(name) for name in facts["quasi_identifiers"])
    basis = f"  counted on {names} of {all_records:,} records; {MISSING[facts['missing']]}"
    return "\n".join([verdict, *(_model(check, all_records) for check in facts["models"]), basis])


def _model(check: Mapping[str, Any], records: int) -> str:
    """One privacy model: what was asked, and what the worst class has."""
    letter = "t" if check["model"].startswith("t-") else "l"
    said = f"{check['model']} on {short(check['column'])}: {letter} = {check['reached']:.6g} in the worst class"
    broken = f"; {check['violations']:,} of {records:,} records are in classes that break it"
    return f"  holds   {said}" if check["ok"] else f"  BROKEN  {said}{broken}"


def release(facts: Mapping[str, Any]) -> str:
    """The whole summary of a release."""
    lines = [verification(facts["verification"]), *_wrapped("; ".join(_decisions(facts["policy"]))), ""]
    for sentence in facts["sentences"]:
        lines += _wrapped(sentence)
    lines += ["", evaluation(facts["evaluation"])]
    return "\n".join(lines)


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, 96, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _decisions(policy: Mapping[str, Any]) -> Iterator[str]:
    """What was decided beyond k and models, where it is not what happens anyway."""
    if policy["missing"]["policy"] != "category":
        yield f"missing values: {missing_values(policy)}"
    if policy["release"]["suppression"]:
        yield f"suppressed records: at most {suppression(policy)}"
    for name, value in policy["survey"].items():
        yield f"{name.replace('_', ' ')}: {listed(value)}"


def missing_values(policy: Mapping[str, Any]) -> str:
    """The way with missing values, and how much wildcards count."""
    return ", ".join(
        f"{name} {number(value)}" if name == "alpha" else value for name, value in policy["missing"].items()
    )


def suppression(policy: Mapping[str, Any]) -> str:
    """The share of the records that may be suppressed."""
    return f"{100 * policy['release']['suppression']:.4g} %"


def listed(value: Any) -> str:
    """A value of a policy; of a list all that is in it."""
    return ", ".join(short(item) for item in value) if isinstance(value, list) else short(value)


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
    said += ["keeps privacy models while it groups; others merge groups for them"] if method["enforces"] else []
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
