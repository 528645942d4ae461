"""Printed figures of papers, reproduced: how many cells of each table are exact, near, better or worse.

It needs the data of the papers (`docs/data.md`), in the folder that SHOAL_DATA names or in `../shared/data`. A quick
run takes the smallest table only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from measuring.output import Output, parser

import shoal_reproduction


def tables(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The verdicts of each printed table, from what `shoal reproduce` tells."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for cell in facts["cells"]:
        found.setdefault((cell["paper"], cell["table"]), Counter())[cell["verdict"]] += 1
    return [
        {
            "paper": paper,
            "table": table,
            "cells": counts.total(),
            **{verdict: counts[verdict] for verdict in facts["summary"]},
        }
        for (paper, table), counts in found.items()
    ]


def main() -> None:
    given = parser(__doc__).parse_args()
    output = Output(as_json=given.json)
    for each in tables(shoal_reproduction.reproduce(only=["toy19"] if given.quick else ()).to_dict()):
        output.record(each, "  ".join(f"{name} {value}" for name, value in each.items()))


if __name__ == "__main__":
    main()
