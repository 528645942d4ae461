"""Shoal counts k, l and t of a table."""

from __future__ import annotations

from typing import Any

from protocol import measure, read_request, respond

import shoal

request = read_request()
columns, secret = request["columns"], request["sensitive"]
table = shoal.read(request["table"])
models = {secret: ["distinct-l(2)", "t-equal(1)"]}
figures: dict[str, Any] = {}
with measure(figures, "k_seconds"):
    found = shoal.verify(table, k=request["k"], quasi_identifiers=columns)
table = shoal.read(request["table"])  # nothing that was found out about it is known
with measure(figures):
    checks = shoal.verify(table, k=request["k"], quasi_identifiers=columns, models=models).models
reached = {check.model: check.reached for check in checks}
figures |= {"k": int(found.min_class), "l": int(reached["distinct-l(2)"]), "t": round(reached["t-equal(1)"], 6)}
respond("shoal", figures)
