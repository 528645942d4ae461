"""What tests of the walk share: a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundles import ASKED, people

import shoal
from shoal.release.bundle import write_bundle


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, its release and its bundle; never written to."""
    folder = tmp_path_factory.mktemp("made")
    people().write_csv(folder / "in.csv")
    release = shoal.anonymize(folder / "in.csv", **ASKED)
    place = folder / "out.zip"
    release.save(folder / "out.csv", more=lambda policy: {place: write_bundle.bundle_writer(release)})
    return folder
