"""Measured growth of the time of methods with the number of records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

GROWTH_FILE = Path(__file__).with_name("growth.json")
"""Measurements of ``benchmarks/growth.py --write``."""


@dataclass(frozen=True)
class Growth:
    """Power law fitted to the measured times: proportional to records ** exponent."""

    exponent: float
    min_records: int
    max_records: int
    """Minimum and maximum number of records measured."""
    seconds: float
    """CPU seconds for the maximum number of records."""
    data: str

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types with a stable key order."""
        return {
            "exponent": self.exponent,
            "from": self.min_records,
            "to": self.max_records,
            "seconds": self.seconds,
            "data": self.data,
        }


@cache
def measured_growth() -> Mapping[str, Growth]:
    """Return the growth of all measured methods by name."""
    if not GROWTH_FILE.exists():
        return {}
    measured = json.loads(GROWTH_FILE.read_text(encoding="utf-8"))["methods"]
    return {
        name: Growth(entry["exponent"], entry["from"], entry["to"], entry["seconds"], entry["data"])
        for name, entry in measured.items()
    }
