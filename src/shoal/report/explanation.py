"""Explanation of one record as text. For internal use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.errors.messages import format_number, pluralize, shorten
from shoal.report.text_layout import align_columns, printable

_MAX_LISTED = 8
_MAX_LETTERS = 40
_RIGHT = frozenset({1, 2})


def explanation_text(facts: Mapping[str, Any]) -> str:
    """Render the explanation of a record."""
    k, release = facts["k"], facts["release"]
    lines = [facts["notice"], "", f"Record {facts['row']:,} of {facts['records']:,}"]
    lines.append(f"  before: {_sharing_text(facts['alike'])}; its risk is {_risk_text(facts['risk'])}")
    if release:
        lines.append(f"  after:  {_sharing_text(release['alike'])}; its risk is {_risk_text(release['risk'])}")
    lines += ["", *align_columns(list(_table(facts)), right=_RIGHT)]
    lines += ["", *_combinations("Alone by", facts["unique_by"], "no few columns make it unique")]
    if k is not None and k > 2:
        lines += _combinations(f"Below k = {k} by", facts["below_k_by"], "no few columns put it there")
    if release:
        lines += ["", *_class(release)]
    return "\n".join(lines)


def _sharing_text(records: float) -> str:
    if records == 1:
        return "no other record shares all its quasi-identifiers"
    return f"{format_number(records)} records share all its quasi-identifiers, itself among them"


def _risk_text(risk: float) -> str:
    return "1, it is found at once" if risk == 1 else f"{risk:.4g}, 1 of {format_number(round(1 / risk, 1))} tries"


def _table(facts: Mapping[str, Any]) -> Iterator[list[str]]:
    """By column: records with the same value, records that share all others, and the released value."""
    with_values, release = facts["names_values"], facts["release"]
    yield [
        "Column",
        "sharing its value",
        "alike without it",
        *(["value"] if with_values else []),
        *((["released"] if with_values else ["changed"]) if release else []),
    ]
    for column in facts["columns"]:
        row = [shorten(column["name"]), f"{column['sharing']:,}", f"{column['without']:,}"]
        row += [_value(column["value"])] if with_values else []
        if release and with_values:
            row.append(_value(column["released"]) if column["changed"] else "the same")
        elif release:
            row.append("yes" if column["changed"] else "no")
        yield row


def _value(value: str | None) -> str:
    if value is None:
        return "(missing)"
    plain = printable(value)
    return plain if len(plain) <= _MAX_LETTERS else plain[:_MAX_LETTERS] + "…"


def _combinations(head: str, items: Sequence[Mapping[str, Any]], nothing: str) -> list[str]:
    """Minimal combinations, one per line; further ones are counted."""
    if not items:
        return [f"{head}: {nothing}"]
    listed = [
        f"  {' + '.join(shorten(name) for name in one['columns'])} ({pluralize(one['records'], 'record')})"
        for one in items[:_MAX_LISTED]
    ]
    return [f"{head}:", *listed, *([f"  and {len(items) - _MAX_LISTED:,} more"] if len(items) > _MAX_LISTED else [])]


def _class(release: Mapping[str, Any]) -> Iterator[str]:
    members = ", ".join(f"{row:,}" for row in release["members"])
    yield f"Its class in the release: records {members}{', …' if release['more'] else ''}"
    for column in release["sensitive"]:
        text = (
            "all records of the class share one value: who finds the class learns it"
            if column["homogeneous"]
            else f"{column['distinct']:,} different values in the class"
        )
        yield f"  {shorten(column['name'])}: {text}"
        values = list((column["values"] or {}).items())
        for value, records in values[:_MAX_LISTED]:
            yield f"    {_value(value)}: {pluralize(records, 'record')}"
        if len(values) > _MAX_LISTED:
            yield f"    and {len(values) - _MAX_LISTED:,} more"
