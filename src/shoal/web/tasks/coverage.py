"""The values of a column that a hierarchy lacks, with the nodes that they may mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import PageError
from shoal.web.trees import from_plain

if TYPE_CHECKING:
    from shoal.web.worker import Room

_MOST = 500


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file``, ``column``, the ``path`` of a hierarchy and its ``fingerprint``; the most frequent values."""
    from shoal import tables
    from shoal.hierarchy.coverage import coverage

    hierarchy = from_plain(json.loads(Path(asked["path"]).read_bytes()))
    if hierarchy.fingerprint != asked["fingerprint"]:
        raise PageError.overtaken()
    counts = tables.value_counts(room.table(asked["file"]), asked["column"])
    found = coverage(hierarchy, counts, close=True).to_dict(values=True)
    return {**found, "missing": dict(list(found["missing"].items())[:_MOST])}
