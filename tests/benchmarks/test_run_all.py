"""Arguments that each benchmark gets, by its help."""

from __future__ import annotations

from pathlib import Path

import pytest
import run_all

SCRIPT = """
import argparse, json
parser = argparse.ArgumentParser()
for name in {flags}:
    parser.add_argument(name, nargs="?", const=True)
given = parser.parse_args()
print("a line for people")
print(json.dumps(vars(given)))
"""


def script(folder: Path, *flags: str) -> Path:
    path = folder / "one.py"
    path.write_text(SCRIPT.format(flags=flags), encoding="utf-8")
    return path


def test_a_quick_run_asks_for_small_sizes(tmp_path: Path) -> None:
    assert run_all.run_benchmark(script(tmp_path, "--json", "--quick"), quick=True) == [{"json": True, "quick": True}]
    assert run_all.run_benchmark(script(tmp_path, "--json", "--rows"), quick=True) == [{"json": True, "rows": "20000"}]


def test_a_whole_run_asks_for_figures_alone(tmp_path: Path) -> None:
    assert run_all.arguments(script(tmp_path, "--json", "--quick"), quick=False) == ["--json"]


def test_a_benchmark_without_figures_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no --json"):
        run_all.arguments(script(tmp_path, "--rows"), quick=True)


def test_every_benchmark_has_a_title() -> None:
    from measuring.results_page import title

    names = [path.stem for path in run_all.FOLDER.glob("*.py")]
    assert len({title(name) for name in names}) == len(names)
