"""Fixtures of the tests of releases."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundles import OPTIONS, people

import shoal
from shoal.release.bundle import write_bundle


@pytest.fixture(scope="module")
def bundle_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, its release and its bundle; never written to."""
    folder = tmp_path_factory.mktemp("made")
    people().write_csv(folder / "in.csv")
    release = shoal.anonymize(folder / "in.csv", **OPTIONS)
    place = folder / "out.zip"
    release.save(folder / "out.csv", extra_files=lambda policy: {place: write_bundle.bundle_writer(release)})
    return folder
