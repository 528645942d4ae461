"""Bundles on the command line: written with a release, verified, replayed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

ROWS = "name,age,job\n" + "".join(f"Qname{row},{20 + row},{('Qcook', 'Qsmith')[row % 2]}\n" for row in range(12))
JOBS = "child,parent\nQcook,food\nQsmith,metal\nfood,*\nmetal,*\n"
ARGUMENTS = ["-k", 3, "-q", "age,job", "--identifiers", "name", "--hierarchy", "job=jobs.csv", "--method", "mdav"]


@pytest.fixture
def people(shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, its release and its bundle."""
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "jobs.csv").write_text(JOBS)
    monkeypatch.chdir(tmp_path)
    run = shoal("anonymize", "people.csv", *ARGUMENTS, "-o", "out.csv", "--report", "out.html", "--bundle", "out.zip")
    assert run.code == 0, run.err
    assert run.out.splitlines()[-4:] == [
        "Released out.csv",
        "Policy   out.csv.policy.toml",
        "Report   out.html",
        "Bundle   out.zip",
    ]
    (tmp_path / "jobs.csv").unlink()  # a bundle has all that it needs
    return tmp_path


def repacked(path: str, **changes: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, changes.get(name.partition(".")[0], content))


def test_the_release_in_the_bundle_is_the_one_beside_it(people: Path) -> None:
    with zipfile.ZipFile("out.zip") as archive:
        assert archive.read("release/out.csv") == Path("out.csv").read_bytes()
        assert archive.read("policy.toml") == Path("out.csv.policy.toml").read_bytes()


def test_verify_a_bundle(shoal, people: Path) -> None:
    run = shoal("verify", "out.zip")
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines() == [
        "VERIFIED  all 9 checks hold",
        "  ok  files          7 files, all that the manifest names and no other",
        "  ok  hashes         every file has the size and the SHA-256 of the manifest",
        "  ok  policy         k = 3 by the method 'mdav'",
        "  ok  release        the file that the policy tells of",
        "  ok  hierarchies    1, those that the policy decided by",
        "  ok  columns        2 columns, those that the policy releases",
        "  ok  k = 3          the smallest of 4 classes has 3 records, counted again on 'age', 'job'",
        "  ok  policy counts  the counts are those of the policy",
        "  ok  measures       the counts are those of the measures",
    ]
    facts = json.loads(shoal("verify", "out.zip", "--json").out)
    assert facts["ok"]
    assert facts["verification"]["min_class"] == 3
    assert len(facts["sha256"]) == 64
    repacked("out.zip", README=b"?")
    run = shoal("verify", "out.zip")
    assert (run.code, run.err) == (3, "")
    assert run.out.startswith("NOT VERIFIED  1 of 3 checks failed\n")
    assert "  FAILED   hashes  1 file changed or damaged ('README.txt')" in run.out
    assert "  unknown  counts  nothing was counted" in run.out
    assert shoal("verify", "out.zip", "--json").code == 3


def test_what_the_files_do_not_tell_is_said(shoal, people: Path) -> None:
    run = shoal(
        *("anonymize", "people.csv", "-k", 3, "-q", "age", "--identifiers", "name,job", "--strata", "job"),
        *("-o", "strata.csv", "--bundle", "strata.zip"),
    )
    assert run.code == 0, run.err
    run = shoal("verify", "strata.zip")
    assert run.code == 0
    assert run.out.startswith("VERIFIED  as far as the files tell: nothing failed of 9 checks\n")
    assert "  unknown  not told       the strata by 'job', which the release does not show" in run.out


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["-k", 3], "k"),
        (["-q", "age"], "quasi-identifiers"),
        (["--model", "job=distinct-l(2)"], "model"),
        (["--missing-values", "wildcard"], "missing-values"),
        (["--hierarchy", "job=jobs.csv"], "hierarchy"),
        (["--no-header"], "header"),
    ],
)
def test_a_bundle_decides_what_is_verified(shoal, people: Path, options: list[object], name: str) -> None:
    run = shoal("verify", "out.zip", *options)
    assert (run.code, run.out) == (2, "")
    assert run.err == f"shoal: The bundle decides {name!r} already; leave the option out.\n"


@pytest.mark.parametrize(
    "command", [["verify", "out.zip"], ["replay", "out.zip", "--input", "people.csv", "-o", "x.csv"]]
)
def test_what_is_no_bundle(shoal, people: Path, command: list[str]) -> None:
    Path("out.zip").write_bytes(Path("out.zip").read_bytes()[:-5])
    run = shoal(*command)
    assert (run.code, run.out) == (2, "")
    assert run.err == "shoal: 'out.zip' is no zip file, or only a part of one; get the bundle again, whole.\n"
    Path("out.zip").unlink()
    run = shoal(*command)
    assert run.code == 2
    assert run.err == "shoal: The file 'out.zip' does not exist; check the path.\n"


@pytest.mark.parametrize("source", ["out.zip", "out.csv.policy.toml"])
def test_replay_the_same_input(shoal, people: Path, source: str) -> None:
    trees = ["--hierarchy", "job=jobs.csv"] if source.endswith(".toml") else []
    if trees:
        Path("jobs.csv").write_text(JOBS)
    run = shoal("replay", source, "--input", "people.csv", "-o", "again.csv", *trees)
    assert run.code == 0, run.err
    whose = "bundle" if source == "out.zip" else "policy"
    assert run.out.splitlines()[-3:] == [
        f"Identical to the release in the {whose}, byte for byte.",
        "Released again.csv",
        "Policy   again.csv.policy.toml",
    ]
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()
    run = shoal("replay", source, "--input", "people.csv", "-o", "again.parquet", *trees, "--json")
    assert json.loads(run.out)["replay"] == "other format"
    assert shoal("replay", source, "--input", "people.csv", "-o", "again.csv", *trees).code == 2
    run = shoal("replay", source, "--input", "people.csv", "-o", "again.csv", *trees, "--force", "--quiet")
    assert (run.code, run.out) == (0, "")


def test_replay_the_next_delivery(shoal, people: Path) -> None:
    Path("next.csv").write_text(ROWS.replace(",20,", ",44,"))
    run = shoal("replay", "out.zip", "--input", "next.csv", "-o", "next.out.csv")
    assert run.code == 0
    assert "The next delivery: another input than that of the bundle.\n" in run.out


def test_a_replay_can_be_bundled_too(shoal, people: Path) -> None:
    Path("jobs.csv").write_text(JOBS)
    arguments = ["--policy", "out.csv.policy.toml", "-o", "again.csv", "--bundle", "again.zip", "--json"]
    run = shoal("anonymize", "people.csv", *arguments)
    assert run.code == 0, run.err
    assert json.loads(run.out)["verification"]["ok"]
    assert shoal("verify", "again.zip").code == 0
    assert shoal("anonymize", "people.csv", *arguments, "--force").code == 0


def test_a_replay_never_writes_over_what_it_reads(shoal, people: Path) -> None:
    for place in ("people.csv", "out.zip"):
        run = shoal("replay", "out.zip", "--input", "people.csv", "-o", place, "--force")
        assert (run.code, run.out) == (2, "")
    run = shoal("replay", "out.zip", "--input", "people.csv", "-o", "x.csv", "--levels", "job=jobs.csv")
    assert run.err == "shoal: The bundle decides 'levels' already; leave the option out.\n"
    run = shoal("replay", "out.csv.policy.toml", "--input", "people.csv", "-o", "x.csv")
    assert (run.code, run.out) == (2, "")
    assert "give the file with --hierarchy" in run.err


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (["-o", "new.csv", "--bundle", "new.bundle"], "give it the ending .zip"),
        (["-o", "new.csv", "--bundle", "out.zip"], "'out.zip' exists"),
        (["-o", "new.csv", "--bundle", "no/new.zip"], "The folder 'no' does not exist"),
        (["-o", "new.csv", "--bundle", ""], "no name that a file can have"),
    ],
)
def test_bundles_that_cannot_be_written(shoal, people: Path, places: list[str], words: str) -> None:
    Path("jobs.csv").write_text(JOBS)
    run = shoal("anonymize", "people.csv", *ARGUMENTS, *places)
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert not list(people.glob("new*"))
