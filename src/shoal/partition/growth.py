"""Growth: how the time of a method was measured to grow with the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("growth.json")
"""What `benchmarks/growth.py --write` measured."""


@dataclass(frozen=True)
class Growth:
    """The time of a method goes about with a power of the number of records, as far as it was measured."""

    exponent: float
    least: int
    most: int
    """The fewest and the most records that were measured."""
    seconds: float
    """The CPU seconds for the most of them."""
    data: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "exponent": self.exponent,
            "from": self.least,
            "to": self.most,
            "seconds": self.seconds,
            "data": self.data,
        }


@cache
def growths() -> Mapping[str, Growth]:
    """The growth of every method that was measured, by name."""
    if not FILE.exists():
        return {}
    found = json.loads(FILE.read_text(encoding="utf-8"))["methods"]
    return {
        name: Growth(each["exponent"], each["from"], each["to"], each["seconds"], each["data"])
        for name, each in found.items()
    }
