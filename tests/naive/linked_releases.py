"""Two releases together, record by record in plain Python: who could be whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]


def together(
    rows: Sequence[Row],
    others: Sequence[Row],
    *,
    k: int,
    known: Sequence[str],
    other_known: Sequence[str],
    sensitive: Sequence[str] = (),
    ordered: bool = False,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What each release loses by the other: counts of records, by the names that Shoal has for them."""
    links = _links(rows, others, known, other_known, ordered=ordered)
    back = _links(others, rows, other_known, known, ordered=ordered)
    mine = [tuple(row[name] for name in known) for row in rows]
    theirs = [tuple(row[name] for name in other_known) for row in others]
    return (
        _side(rows, others, mine, theirs, links, back, k, sensitive),
        _side(others, rows, theirs, mine, back, links, k, sensitive),
    )


def _links(
    rows: Sequence[Row], others: Sequence[Row], known: Sequence[str], other_known: Sequence[str], *, ordered: bool
) -> list[set[int]]:
    """For each record, those of the other release that it could be."""
    shared = [name for name in rows[0] if name in others[0] and name not in {*known, *other_known}]
    return [
        {
            j
            for j, other in enumerate(others)
            if (i == j if ordered else all(row[name] == other[name] for name in shared))
        }
        for i, row in enumerate(rows)
    ]


def _side(
    rows: Sequence[Row],
    others: Sequence[Row],
    mine: Sequence[Any],
    theirs: Sequence[Any],
    links: Sequence[set[int]],
    back: Sequence[set[int]],
    k: int,
    sensitive: Sequence[str],
) -> dict[str, Any]:
    found = {"linked": 0, "absent": 0, "violations": 0, "unique_records": 0, "undecided": 0}
    told = {name: [0, 0] for name in sensitive}
    for i in range(len(rows)):
        possible = {theirs[j] for j in links[i]}
        found["linked"] += len(possible) == 1
        found["absent"] += not possible
        crowds, left = [], {name: [] for name in sensitive}
        for b in possible:
            here = [r for r in range(len(rows)) if mine[r] == mine[i] and any(theirs[j] == b for j in links[r])]
            there = [j for j in range(len(others)) if theirs[j] == b and any(mine[r] == mine[i] for r in back[j])]
            crowds.append(min(len(here), len(there)))
            for name in sensitive:
                left[name].append(_one_left(rows, others, mine, theirs, here, there, name))
        found["violations"] += bool(crowds) and max(crowds) < k
        found["unique_records"] += bool(crowds) and max(crowds) == 1
        found["undecided"] += bool(crowds) and min(crowds) < k <= max(crowds)
        for name in sensitive:
            told[name][0] += bool(left[name]) and all(left[name])
            told[name][1] += any(left[name]) and not all(left[name])
    return {**found, "told": {name: tuple(counts) for name, counts in told.items()}}


def _one_left(
    rows: Sequence[Row],
    others: Sequence[Row],
    mine: Sequence[Any],
    theirs: Sequence[Any],
    here: Sequence[int],
    there: Sequence[int],
    name: str,
) -> bool:
    """Whether one value is left where two classes meet, and each by itself has several."""
    sides = [(rows, mine, here), (others, theirs, there)]
    shown = [side for side in sides if name in side[0][0]]
    for table, classes, members in shown:
        whole = {row[name] for row, own in zip(table, classes, strict=True) if own == classes[members[0]]}
        if len(whole) == 1:
            return False
    return any(len({table[r][name] for r in members}) == 1 for table, _, members in shown)
