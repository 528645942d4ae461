"""Verification of linked releases as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from shoal.words import pluralize, shorten


def linked_releases(facts: Mapping[str, Any]) -> str:
    """Render the verdict, the link between the releases, and the remedies."""
    lines = [_verdict(facts), *_disclosures(facts), _linked(facts)]
    for remedy in facts["advice"]:
        lines += textwrap.wrap(f"what to do: {remedy}", 98, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def _verdict(facts: Mapping[str, Any]) -> str:
    k, sides = facts["k"], (facts["release"], facts["other"])
    if any(side["k_violations"] for side in sides):
        violations = [
            f"{side['k_violations']:,} of {side['records']:,} records of {which} ({side['unique_records']:,} alone)"
            for side, which in zip(sides, ("the release", "the other"), strict=True)
            if side["k_violations"]
        ]
        described = " and ".join(violations)
        return f"TOGETHER NOT k-ANONYMOUS  {described} are in joint classes below k = {k}{_smallest_text(facts)}"
    if any(side["undecided"] for side in sides):
        worst = max(sides, key=lambda side: side["undecided"])
        return (
            f"TOGETHER NOT SHOWN  {worst['undecided']:,} of {worst['records']:,} records may be in joint classes below"
            f" k = {k}: what both show does not tell in which they are"
        )
    stamp = "TOGETHER VERIFIED " if facts["ok"] else "TOGETHER NOT VERIFIED  sensitive values are left alone;"
    return f"{stamp} k = {k} holds{_smallest_text(facts)}"


def _smallest_text(facts: Mapping[str, Any]) -> str:
    if facts["min_joint_class"] is None:
        return ": no record is linked for sure"
    return (
        f"; the smallest of {pluralize(facts['joint_classes'], 'joint class')}"
        f" has {pluralize(facts['min_joint_class'], 'record')}"
    )


def _disclosures(facts: Mapping[str, Any]) -> Iterator[str]:
    for side, other in zip(facts["release"]["told"], facts["other"]["told"], strict=True):
        worst = max((side, other), key=lambda each: (each["records"], each["undecided"]))
        if worst["records"] or worst["undecided"]:
            undecided = f", and may be left of {worst['undecided']:,}" if worst["undecided"] else ""
            yield (
                f"  TOLD    {shorten(side['column'])}: one value is left of {pluralize(worst['records'], 'record')} that no"
                f" class alone gave away{undecided}"
            )
        else:
            yield f"  hidden  {shorten(side['column'])}: no value is left that a class alone did not give away"


def _linked(facts: Mapping[str, Any]) -> str:
    side, other = facts["release"], facts["other"]
    names = ", ".join(shorten(name) for name in other["quasi_identifiers"])
    how = {
        "order": "by the order of the records",
        "columns": f"by {', '.join(shorten(name) for name in facts['shared_columns'])}",
        "nothing": "by nothing: no column that is no quasi-identifier is in both",
    }[facts["linked_by"]]
    absent = f", {side['absent']:,} are not in the other" if side["absent"] else ""
    return (
        f"  linked {how}: {side['linked']:,} of {side['records']:,} records to one class of the other{absent};"
        f" that is counted on {names} of {pluralize(other['records'], 'record')}"
    )
