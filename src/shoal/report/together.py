"""Two releases together, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from shoal.words import counted, short


def meeting(facts: Mapping[str, Any]) -> str:
    """Does the promise hold for one who has both releases, how were they linked, and what can be done?"""
    lines = [_verdict(facts), *_told(facts), _linked(facts)]
    for said in facts["advice"]:
        lines += textwrap.wrap(f"what to do: {said}", 98, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def _verdict(facts: Mapping[str, Any]) -> str:
    k, sides = facts["k"], (facts["release"], facts["other"])
    if any(side["k_violations"] for side in sides):
        said = [
            f"{side['k_violations']:,} of {side['records']:,} records of {which} ({side['unique_records']:,} alone)"
            for side, which in zip(sides, ("the release", "the other"), strict=True)
            if side["k_violations"]
        ]
        return f"TOGETHER NOT k-ANONYMOUS  {' and '.join(said)} are in joint classes below k = {k}{_smallest(facts)}"
    if any(side["undecided"] for side in sides):
        most = max(sides, key=lambda side: side["undecided"])
        return (
            f"TOGETHER NOT SHOWN  {most['undecided']:,} of {most['records']:,} records may be in joint classes below"
            f" k = {k}: what both show does not tell in which they are"
        )
    stamp = "TOGETHER VERIFIED " if facts["ok"] else "TOGETHER NOT VERIFIED  sensitive values are left alone;"
    return f"{stamp} k = {k} holds{_smallest(facts)}"


def _smallest(facts: Mapping[str, Any]) -> str:
    if facts["min_joint_class"] is None:
        return ": no record is linked for sure"
    return (
        f"; the smallest of {counted(facts['joint_classes'], 'joint class')}"
        f" has {counted(facts['min_joint_class'], 'record')}"
    )


def _told(facts: Mapping[str, Any]) -> Iterator[str]:
    for own, other in zip(facts["release"]["told"], facts["other"]["told"], strict=True):
        most = max((own, other), key=lambda side: (side["records"], side["undecided"]))
        if most["records"] or most["undecided"]:
            may = f", and may be left of {most['undecided']:,}" if most["undecided"] else ""
            yield (
                f"  TOLD    {short(own['column'])}: one value is left of {counted(most['records'], 'record')} that no"
                f" class alone gave away{may}"
            )
        else:
            yield f"  hidden  {short(own['column'])}: no value is left that a class alone did not give away"


def _linked(facts: Mapping[str, Any]) -> str:
    side, other = facts["release"], facts["other"]
    names = ", ".join(short(name) for name in other["quasi_identifiers"])
    how = {
        "order": "by the order of the records",
        "columns": f"by {', '.join(short(name) for name in facts['shared_columns'])}",
        "nothing": "by nothing: no column that is no quasi-identifier is in both",
    }[facts["linked_by"]]
    absent = f", {side['absent']:,} are not in the other" if side["absent"] else ""
    return (
        f"  linked {how}: {side['linked']:,} of {side['records']:,} records to one class of the other{absent};"
        f" that is counted on {names} of {counted(other['records'], 'record')}"
    )
