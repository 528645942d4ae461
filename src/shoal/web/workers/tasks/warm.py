"""Make small releases of generated data, to compile kernels before they are needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext

_MIXED = ("age", "sex", "postcode", "education", "income")
_K = 3
_NICE = 5
"""In addition to that of all workers."""


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Generate ``rows`` records; the result is empty."""
    from shoal import data
    from shoal.release.anonymize import anonymize

    if hasattr(os, "nice"):
        os.nice(_NICE)
    records = data.example_register(params["rows"])
    context.stage("warming up")
    others = [name for name in records.columns if name not in (*_MIXED, "diagnosis")]
    for diversity in (None, 2):  # kernels do not depend on the kinds of columns, but on the models
        anonymize(records, k=_K, quasi_identifiers=_MIXED, identifiers=others, sensitive=["diagnosis"], l=diversity)
    return {}
