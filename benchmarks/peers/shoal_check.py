"""Shoal counts k, l and t of a table."""

from __future__ import annotations

from typing import Any

from asked import answer, clock, request

import shoal

asked = request()
columns, secret = asked["columns"], asked["sensitive"]
table = shoal.read(asked["table"])
models = {secret: ["distinct-l(2)", "t-equal(1)"]}
figures: dict[str, Any] = {}
with clock(figures, "k_seconds"):
    found = shoal.verify(table, k=asked["k"], quasi_identifiers=columns)
table = shoal.read(asked["table"])  # nothing that was found out about it is known
with clock(figures):
    checks = shoal.verify(table, k=asked["k"], quasi_identifiers=columns, models=models).models
reached = {check.model: check.reached for check in checks}
figures |= {"k": int(found.min_class), "l": int(reached["distinct-l(2)"]), "t": round(reached["t-equal(1)"], 6)}
answer("shoal", figures)
