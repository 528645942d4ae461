"""Wheel and sources are complete: every file of the package, types, data, and one version everywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from packages import ROOT, Packages, build

import shoal


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    return build(tmp_path_factory.mktemp("dist"))


def inside(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def facts(wheel: Path) -> Message:
    (result,) = (text for name, text in inside(wheel).items() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(result.decode())


def test_the_wheel_has_every_file_of_the_package_and_no_other(packages: Packages) -> None:
    source = ROOT / "src"
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    expected = {str(Path(name).relative_to("src")): (ROOT / name).read_bytes() for name in tracked}
    result = {name: text for name, text in inside(packages.wheel).items() if ".dist-info/" not in name}
    assert result == expected, f"the wheel differs from {source.name}"
    assert "shoal/py.typed" in result


def test_sources_make_the_same_wheel(packages: Packages, tmp_path: Path) -> None:
    with tarfile.open(packages.sources) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    again = build(tmp_path / "again", root=unpacked)
    assert inside(again.wheel) == inside(packages.wheel)
    assert {"CITATION.cff", "CHANGELOG.md", "LICENSE", "SECURITY.md", "Makefile"} <= {
        path.name for path in unpacked.iterdir()
    }


def test_one_version_stands_everywhere(packages: Packages) -> None:
    said = facts(packages.wheel)["Version"]
    assert said == shoal.__version__
    assert f"\nversion: {said}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(
        rf"^## \[{re.escape(said)}\] - \d{{4}}-\d\d-\d\d$",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )


def test_the_wheel_says_for_which_python_it_is(packages: Packages) -> None:
    result = facts(packages.wheel)
    assert result["Requires-Python"] == ">=3.11"
    told = {name for name in result.get_all("Classifier", []) if re.search(r":: 3\.\d+$", name)}
    assert told == {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 16)}
    assert "Typing :: Typed" in result.get_all("Classifier", [])


def test_the_installed_wheel_protects_a_table(packages: Packages, tmp_path: Path) -> None:
    """From its files alone, away from the checkout; only what it depends on comes from this environment."""
    place = tmp_path / "installed"
    installer = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(place)]
    subprocess.run([*installer, str(packages.wheel)], check=True, capture_output=True)
    script = (
        f"import sys; sys.path.insert(0, {str(place)!r})\n"
        "import shoal\n"
        f"assert shoal.__file__.startswith({str(place)!r}), shoal.__file__\n"
        "made = shoal.anonymize(shoal.example_register(rows=60), k=3, quasi_identifiers=['age'],"
        " identifiers=['person_id', 'name'], method='hm')\n"
        "print(made.verification.ok, made.verification.min_class >= 3, len(made.report()) > 10_000)\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["True", "True", "True"], done.stderr
