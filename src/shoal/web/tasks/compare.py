"""Several methods and levels of k, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.web.worker import Room


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file``, what a look at it told (``looked``), levels of ``k``, ``methods`` (or None for the usual ones),
    ``seconds`` (or None) and ``arguments``.

    A Comparison as plain data; progress is told in runs.
    """
    from shoal.compare.comparison import compare

    table = room.looked_at(asked)
    with room.work("comparing") as progress:
        found = compare(
            table,
            k=asked["k"],
            methods=asked.get("methods"),
            seconds=asked.get("seconds"),
            progress=progress,
            **asked["arguments"],
        )
    return found.to_dict()
