"""A whole release by Shoal: the groups, the recoding, the measures and the verification."""

from __future__ import annotations

import warnings
from typing import Any

from protocol import measure, read_request, respond

import shoal

warnings.simplefilter("ignore", shoal.ShoalWarning)
request = read_request()
told = {name: path for name, path in request.get("hierarchies", {}).items() if name not in request["numeric"]}
figures: dict[str, Any] = {}
for name in ("first_seconds", "seconds"):  # the first run compiles
    table = shoal.read(request["table"])
    with measure(figures, name):
        made = shoal.anonymize(
            table,
            k=request["k"],
            quasi_identifiers=request["columns"],
            method=request["method"],
            recode=request.get("recode"),
            hierarchies=told,
            refine=False,
            exact_means=True,  # as those of the other tools
        )
made.save(request["release"])
respond("shoal", figures)
