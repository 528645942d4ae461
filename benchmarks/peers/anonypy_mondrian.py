"""anonypy's Mondrian: the partition, then its rows of intervals and lists; the release has these for each record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from anonypy.anonypy import anonymize
from anonypy.mondrian import Mondrian
from protocol import measure, read_request, respond

request = read_request()
columns, secret = request["columns"], request["sensitive"]
frame = pd.read_csv(request["table"], keep_default_na=False)[[*columns, secret]]
for column in frame.columns:
    if column not in request["numeric"]:
        frame[column] = frame[column].astype("category")
figures: dict[str, Any] = {}
with measure(figures):
    classes = Mondrian(frame, columns, secret).partition(k=request["k"])
    anonymize(frame, classes, columns, secret)
labels = np.empty(len(frame), dtype=np.int64)
for label, rows in enumerate(classes):
    labels[rows] = label
release = {}
for column in columns:
    cells = frame[column].groupby(labels)
    if column in request["numeric"]:
        shown = [f"[{low} to {high}]" for low, high in zip(cells.min(), cells.max(), strict=True)]
    else:
        shown = [",".join(sorted(set(values))) for _, values in cells]
    release[column] = np.array(shown)[labels]
pd.DataFrame(release).to_csv(request["release"], index=False)
respond("anonypy", figures)
