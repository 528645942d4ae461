"""anjana's k-anonymity: all values of a column go up its hierarchy together, and a few records are suppressed."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas as pd
from anjana.anonymity import k_anonymity
from protocol import measure, read_request, respond


def ladder(path: str) -> dict[int, list[str]]:
    """The values of every level, from a file of ways from a leaf to the root."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return {level: list(values) for level, values in enumerate(zip(*csv.reader(file, delimiter=";"), strict=True))}


request = read_request()
columns = request["columns"]
frame = pd.read_csv(request["table"], keep_default_na=False, dtype=str)[columns].assign(row=lambda found: found.index)
ladders = {name: ladder(path) for name, path in request["hierarchies"].items()}
figures: dict[str, Any] = {}
with measure(figures):
    made = k_anonymity(frame, [], columns, request["k"], 100 * request["suppression"], ladders)
if made.empty:
    raise SystemExit("no release within the suppression allowed")
release = pd.DataFrame("*", index=frame.index, columns=columns)
release.loc[made["row"]] = made[columns].to_numpy()
release.to_csv(request["release"], index=False)
respond("anjana", figures)
