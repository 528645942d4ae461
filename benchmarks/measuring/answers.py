"""How a benchmark is asked, and how it answers: lines for people, or with --json one object of figures a line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any


def parser(about: str | None) -> argparse.ArgumentParser:
    """The arguments that every benchmark takes."""
    asked = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--json", action="store_true", help="one JSON object a line")
    asked.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    return asked


class Answers:
    """Where the figures of a benchmark go."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def say(self, line: str) -> None:
        """A line for people: a head, a remark."""
        if not self.as_json:
            print(line, flush=True)

    def tell(self, facts: Mapping[str, Any], line: str) -> None:
        """Figures, and the same as a line for people."""
        print(json.dumps(facts, ensure_ascii=False) if self.as_json else line, flush=True)
