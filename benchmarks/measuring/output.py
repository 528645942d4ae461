"""Arguments and output of a benchmark: lines for people, or with --json one object of figures per line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any


def parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments of every benchmark."""
    arguments = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--json", action="store_true", help="one JSON object per line")
    arguments.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    return arguments


class Output:
    """Prints figures as text or as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def note(self, line: str) -> None:
        """Print a heading or a remark, for people only."""
        if not self.as_json:
            print(line, flush=True)

    def record(self, facts: Mapping[str, Any], line: str | None = None) -> None:
        """Print figures: the line for people, or else names and values."""
        text = "  ".join(f"{name} {value}" for name, value in facts.items()) if line is None else line
        print(json.dumps(facts, ensure_ascii=False) if self.as_json else text, flush=True)
