"""What the README shows is what happens."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from pages import run_python
from shell import run_script

import shoal

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("readme")
    shoal.example_register(rows=1000).write_csv(place / "people.csv")
    return place


def block(kind: str, word: str) -> str:
    found = [text for name, text in BLOCKS if name == kind and word in text]
    assert len(found) == 1, f"one {kind or 'plain'} block with {word!r}"
    return found[0]


def run(script: str, folder: Path) -> str:
    """What the commands of a script print, one after the other; each must succeed."""
    lines = re.findall(r"^((?:.*\\\n)*.*\S.*)$", script, re.MULTILINE)
    return "".join(run_script(re.sub(r"\s+#.*", "", line), folder, check=True) for line in lines)


def test_the_commands_run_and_print_what_is_shown(folder: Path) -> None:
    printed = run(block("", "shoal describe people.csv"), folder)
    assert "VERIFIED" in printed
    assert (folder / "released.csv").read_bytes() == (folder / "again.csv").read_bytes()
    shown = block("text", "$ shoal verify")
    commands = re.findall(r"^\$ (.*)$", shown, re.MULTILINE)
    expected = [part.split("\n", 1)[1] for part in shown.split("$ ")[1:]]
    for command, output in zip(commands, expected, strict=True):
        assert run(command, folder) == output


def test_the_hospital_file_is_released_as_shown(folder: Path) -> None:
    shown = block("text", "-o hospital.csv")
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", shown, re.MULTILINE)
    assert run("\n".join(commands), folder) == re.sub(r"^\$ (?:.*\\\n)*.*\n", "", shown, flags=re.MULTILINE)


def test_the_python_example_runs_and_prints_what_is_shown(folder: Path) -> None:
    with contextlib.chdir(folder):
        assert run_python(block("python", "import shoal"), {"__name__": "readme"}) == block("text", "Release(k=5")
    assert (folder / "released.parquet").exists()


def test_the_demo_ends_as_shown(folder: Path) -> None:
    printed = run("shoal demo --folder demo", folder)
    assert block("text", "what columns lost").strip() in printed
