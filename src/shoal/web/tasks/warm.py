"""Small releases of made-up persons, so that kernels are compiled before they are needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.web.worker import Room

_MIXED = ("age", "sex", "postcode", "education", "income")
_K = 3
_NICE = 5
"""On top of that of all workers."""


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``rows`` persons are made up; the answer is empty."""
    from shoal import tables
    from shoal.anonymize import anonymize

    if hasattr(os, "nice"):
        os.nice(_NICE)
    persons = tables.example_register(asked["rows"])
    room.stage("warming up")
    others = [name for name in persons.columns if name not in (*_MIXED, "diagnosis")]
    for diversity in (None, 2):  # kernels are the same for all kinds of columns; models need further ones
        anonymize(persons, k=_K, quasi_identifiers=_MIXED, identifiers=others, sensitive=["diagnosis"], l=diversity)
    return {}
