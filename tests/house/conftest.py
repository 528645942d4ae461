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
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the pages in git, and all that `docs/make.py` generates; the checkout stays as it is."""
    folder = tmp_path_factory.mktemp("generated") / "docs"
    for source in (path for path in (ROOT / "docs").rglob("*") if path.is_file()):
        name = source.relative_to(ROOT / "docs").as_posix()
        if not make.is_generated(name) and source.suffix not in (".py", ".pyc"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / name)
    make.write(folder)
    return folder
