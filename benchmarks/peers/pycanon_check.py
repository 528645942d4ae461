"""pycanon counts k, l and t of a table; it makes no release."""

from __future__ import annotations

from typing import Any

import pandas as pd
from protocol import measure, read_request, respond
from pycanon import anonymity

request = read_request()
columns, secret = request["columns"], request["sensitive"]
frame = pd.read_csv(request["table"], keep_default_na=False)[[*columns, secret]]
figures: dict[str, Any] = {}
with measure(figures, "k_seconds"):
    figures["k"] = int(anonymity.k_anonymity(frame, columns))
with measure(figures):
    figures["l"] = int(anonymity.l_diversity(frame, columns, [secret]))
    figures["t"] = round(float(anonymity.t_closeness(frame, columns, [secret])), 6)
for name in ("seconds", "cpu_seconds"):
    figures[name] += figures[name.replace("seconds", "k_seconds")]
respond("pycanon", figures)
