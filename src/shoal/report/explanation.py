"""One record explained, as text: for internal use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.report.text import columns
from shoal.words import counted, number, short

_MOST = 8
"""Combinations and values that are listed, at most."""
_LONGEST = 40
_RIGHT = frozenset({1, 2})


def explanation(facts: Mapping[str, Any]) -> str:
    """What makes the record stand out, and what the release made of it."""
    k, release = facts["k"], facts["release"]
    lines = [facts["notice"], "", f"Record {facts['row']:,} of {facts['records']:,}"]
    lines.append(f"  before: {_alike(facts['alike'])}; its risk is {_risk(facts['risk'])}")
    if release:
        lines.append(f"  after:  {_alike(release['alike'])}; its risk is {_risk(release['risk'])}")
    lines += ["", *columns(list(_table(facts)), right=_RIGHT)]
    lines += ["", *_combinations("Alone by", facts["unique_by"], "no few columns make it unique")]
    if k is not None and k > 2:
        lines += _combinations(f"Below k = {k} by", facts["below_k_by"], "no few columns put it there")
    if release:
        lines += ["", *_class(release)]
    return "\n".join(lines)


def _alike(records: float) -> str:
    if records == 1:
        return "no other record shares all its quasi-identifiers"
    return f"{number(records)} records share all its quasi-identifiers, itself among them"


def _risk(risk: float) -> str:
    return "1, it is found at once" if risk == 1 else f"{risk:.4g}, 1 of {number(round(1 / risk, 1))} tries"


def _table(facts: Mapping[str, Any]) -> Iterator[list[str]]:
    """Column by column: how many share its value, how many would be alike without it, and what is released."""
    told, release = facts["names_values"], facts["release"]
    yield [
        "Column",
        "sharing its value",
        "alike without it",
        *(["value"] if told else []),
        *((["released"] if told else ["changed"]) if release else []),
    ]
    for column in facts["columns"]:
        row = [short(column["name"]), f"{column['sharing']:,}", f"{column['without']:,}"]
        row += [_value(column["value"])] if told else []
        if release and told:
            row.append(_value(column["released"]) if column["changed"] else "the same")
        elif release:
            row.append("yes" if column["changed"] else "no")
        yield row


def _value(value: str | None) -> str:
    if value is None:
        return "(missing)"
    plain = "".join(sign if sign.isprintable() else "·" for sign in value)
    return plain if len(plain) <= _LONGEST else plain[:_LONGEST] + "…"


def _combinations(head: str, found: Sequence[Mapping[str, Any]], nothing: str) -> list[str]:
    """The smallest combinations, one a line; those that go beyond a few are counted."""
    if not found:
        return [f"{head}: {nothing}"]
    listed = [
        f"  {' + '.join(short(name) for name in one['columns'])} ({counted(one['records'], 'record')})"
        for one in found[:_MOST]
    ]
    return [f"{head}:", *listed, *([f"  and {len(found) - _MOST:,} more"] if len(found) > _MOST else [])]


def _class(release: Mapping[str, Any]) -> Iterator[str]:
    """The records of the class, and what they tell about sensitive columns."""
    members = ", ".join(f"{row:,}" for row in release["members"])
    yield f"Its class in the release: records {members}{', …' if release['more'] else ''}"
    for column in release["sensitive"]:
        said = (
            "all records of the class share one value: who finds the class learns it"
            if column["homogeneous"]
            else f"{column['distinct']:,} different values in the class"
        )
        yield f"  {short(column['name'])}: {said}"
        values = list((column["values"] or {}).items())
        for value, records in values[:_MOST]:
            yield f"    {_value(value)}: {counted(records, 'record')}"
        if len(values) > _MOST:
            yield f"    and {len(values) - _MOST:,} more"
