"""The docs with all of their pages, generated once into a folder of the tests."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))

import make  # noqa: E402


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the docs of the tests lie; the checkout stays as it is."""
    return tmp_path_factory.mktemp("generated") / "docs"


@pytest.fixture(scope="session")
def generated(place: Path) -> dict[Path, str]:
    """The pages that `docs/make.py` makes from the code, which takes seconds."""
    return make.from_code(place)


@pytest.fixture(scope="session")
def docs(place: Path, generated: dict[Path, str]) -> Path:
    """A copy of the pages in git, and all that `docs/make.py` generates."""
    for source in (path for path in (ROOT / "docs").rglob("*") if path.is_file()):
        name = source.relative_to(ROOT / "docs").as_posix()
        if not make.is_generated(name) and source.suffix not in (".py", ".pyc"):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place / name)
    make.write(place, {**generated, **make.from_results(place)})
    return place
