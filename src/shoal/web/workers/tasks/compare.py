"""Compare several methods and levels of k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return a Comparison as plain data; progress is counted in runs.

    Takes ``file``, the facts of its inspection (``looked``), levels of ``k``, ``methods`` (None for the usual ones),
    ``seconds`` (or None) and ``arguments``.
    """
    from shoal.release.compare.comparison import compare

    table = context.inspected_table(params)
    with context.progress_stage("comparing") as progress:
        comparison = compare(
            table,
            k=params["k"],
            methods=params.get("methods"),
            seconds=params.get("seconds"),
            progress=progress,
            **params["arguments"],
        )
    return comparison.to_dict()
