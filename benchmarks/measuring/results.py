"""Results of benchmarks: a JSON file for each, with the machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measuring.machine import machine

Facts = Mapping[str, Any]
FOLDER = Path(__file__).resolve().parents[1]
RESULTS = FOLDER / "results"


def write_results(name: str, figures: Sequence[Facts], folder: Path) -> None:
    """Write the figures of a benchmark, one object per line."""
    lines = ",\n".join(f"    {json.dumps(each, ensure_ascii=False)}" for each in figures)
    head = json.dumps(machine(), ensure_ascii=False)
    text = f'{{\n  "machine": {head},\n  "figures": [\n{lines}\n  ]\n}}\n'
    (folder / f"{name}.json").write_text(text, encoding="utf-8")


def read_results(folder: Path = RESULTS) -> dict[str, Facts]:
    """Results by the name of the benchmark."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def recorded_elsewhere() -> list[dict[str, Any]]:
    """Figures of tools from another machine."""
    found: list[dict[str, Any]] = json.loads((FOLDER / "recorded.json").read_text(encoding="utf-8"))
    return found
