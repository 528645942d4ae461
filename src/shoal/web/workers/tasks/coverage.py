"""Find the values of a column that its hierarchy lacks, with the nodes that they may mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.web.errors import PageError
from shoal.web.projects.hierarchy_files import hierarchy_from_dict

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext

_MAX_VALUES = 500


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the coverage with the most frequent missing values.

    Takes ``file``, ``column``, the ``path`` of a hierarchy and its ``fingerprint``.
    """
    from shoal import data
    from shoal.hierarchy.coverage import coverage

    hierarchy = hierarchy_from_dict(json.loads(Path(params["path"]).read_bytes()))
    if hierarchy.fingerprint != params["fingerprint"]:
        raise PageError.superseded()
    counts = data.value_counts(context.table(params["file"]), params["column"])
    report = coverage(hierarchy, counts, close=True).to_dict(values=True)
    return {**report, "missing": dict(list(report["missing"].items())[:_MAX_VALUES])}
