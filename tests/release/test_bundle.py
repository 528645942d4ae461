"""Bundles: the same bytes for the same release, verified from their own files, and replayed from nothing else."""

from __future__ import annotations

import hashlib
import json
import stat
import tempfile
import zipfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bundles import MEMBERS, OPTIONS, failed, listed, members, people

import shoal
from naive.surveys import ILLS, JOBS, SIZES
from shoal.domain import Policy
from shoal.errors import BundleError, OptionError, OutputError, PromiseError
from shoal.hierarchy.tree import Hierarchy
from shoal.release.bundle import verify_bundle as checking
from shoal.release.bundle import write_bundle
from shoal.release.bundle.archive import write_archive
from shoal.release.save import compare_outputs

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


def test_a_bundle_holds_the_release_and_all_evidence(bundle_folder: Path) -> None:
    files = members(bundle_folder / "out.zip")
    assert list(files) == MEMBERS
    assert files["release/out.csv"] == (bundle_folder / "out.csv").read_bytes()
    assert files["policy.toml"] == (bundle_folder / "out.csv.policy.toml").read_bytes()
    facts = json.loads(files["measures.json"])
    assert (facts["verification"]["ok"], facts["verification"]["k"], facts["suppressed"]) == (True, 3, 0)
    measured = shoal.anonymize(bundle_folder / "in.csv", **OPTIONS).evaluate("all").to_dict()
    assert facts["evaluation"] == json.loads(json.dumps(measured))
    assert json.loads(files["hierarchies/07.json"]) == JOBS
    assert files == listed(files)
    with zipfile.ZipFile(bundle_folder / "out.zip") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    for text in (b"internal use", b"shoal verify", b"shoal replay"):
        assert text in files["README.txt"]


def test_the_same_release_gives_the_same_bytes(bundle_folder: Path, tmp_path: Path) -> None:
    policy = shoal.bundle(shoal.anonymize(bundle_folder / "in.csv", **OPTIONS), tmp_path / "other.zip", name="out.csv")
    assert (tmp_path / "other.zip").read_bytes() == (bundle_folder / "out.zip").read_bytes()
    assert policy.to_toml() == (bundle_folder / "out.csv.policy.toml").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["other.zip"]


def test_a_bundle_is_verified_from_its_files(bundle_folder: Path) -> None:
    result = shoal.verify_bundle(bundle_folder / "out.zip")
    assert result.ok
    assert not result.undecided
    assert [check.subject for check in result.checks] == [
        *("files", "hashes", "policy", "release", "hierarchies", "columns", "k = 3"),
        *("distinct-l(2)", "t-hierarchical(0.6)", "policy counts", "measures"),
    ]
    assert result.verification == shoal.anonymize(bundle_folder / "in.csv", **OPTIONS).verification
    assert result.sha256 == hashlib.sha256((bundle_folder / "out.zip").read_bytes()).hexdigest()
    facts = result.to_dict()
    assert list(facts) == ["ok", "sha256", "checks", "verification"]
    assert str(result).startswith("VERIFIED  all 11 checks hold\n  ok  files ")
    json.dumps(facts, allow_nan=False)


HIDDEN = ["name", "home", "weight", "note"]
CASES: dict[str, tuple[float, dict[str, Any], list[str]]] = {
    "numbers alone": (0.0, {"quasi_identifiers": ["age", "pay"], "models": None, "hierarchies": None}, []),
    "levels": (0.0, {"quasi_identifiers": ["age", "size", "job"], "levels": {"size": SIZES}}, []),
    "wildcards": (0.3, {"missing_values": "wildcard", "alpha": 0.5}, []),
    "wildcards and suppression": (0.3, {"missing_values": "wildcard", "max_suppression": 0.3}, []),
    "gaps suppressed": (0.3, {"missing_values": "suppress"}, []),
    "intervals": (0.1, {"quasi_identifiers": ["age", "day", "job"], "recode": "generalize"}, []),
    "strata": (0.0, {"strata": "region"}, []),
    "wildcards in strata": (0.3, {"strata": "region", "missing_values": "wildcard"}, []),
    "strata dropped": (0.3, {"strata": "region", "identifiers": [*HIDDEN, "region"]}, ["strata by 'region'"]),
    "strata by a key": (0.0, {"quasi_identifiers": ["age", "sex", "job"], "strata": "sex"}, ["strata by 'sex'"]),
    "households": (0.0, {"households": "home", "identifiers": "name"}, []),
    "households dropped": (0.3, {"households": "home", "missing_values": "wildcard"}, ["households by 'home'"]),
    "both dropped": (
        0.0,
        {"households": "home", "strata": "region", "identifiers": [*HIDDEN, "region"]},
        ["strata by 'region'", "households by 'home'"],
    ),
    "weights": (0.0, {"sampling_weights": "weight"}, []),
}


@pytest.mark.parametrize("name", CASES)
def test_whatever_is_asked_is_counted_again(name: str, tmp_path: Path) -> None:
    gaps, options, untold = CASES[name]
    source, place = tmp_path / "in.parquet", tmp_path / "out.csv.bundle.zip"
    people(gaps).write_parquet(source)
    release = shoal.anonymize(source, **(OPTIONS | options))
    shoal.bundle(release, place)
    result = shoal.verify_bundle(place)
    assert result.ok
    assert len(result.undecided) == len(untold)
    for said, check in zip(untold, result.undecided, strict=True):
        assert said in check.detail
    if not untold:
        assert result.verification == release.verification
    shoal.replay_bundle(place, source).save(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == members(place)["release/out.csv"]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".parquet", ".arrow", ".xlsx"])
def test_every_format_from_every_format(ending: str, tmp_path: Path) -> None:
    if ending == ".xlsx":
        pytest.importorskip("xlsxwriter")
        pytest.importorskip("fastexcel")
    source = tmp_path / f"in{ending}"
    shoal.data.write_table(shoal.read(people(0.1)), source)
    options = {"quasi_identifiers": ["age", "day"], "kinds": {"day": "date"}}
    release = shoal.anonymize(source, **(OPTIONS | options | {"hierarchies": {"ill": Hierarchy.from_dict(ILLS)}}))
    shoal.bundle(release, tmp_path / "out.bundle.zip")
    inside = f"release/out{ending}"
    assert inside in members(tmp_path / "out.bundle.zip")
    assert shoal.verify_bundle(tmp_path / "out.bundle.zip").verification == release.verification
    again = shoal.replay_bundle(tmp_path / "out.bundle.zip", source)
    again.save(tmp_path / f"again{ending}")
    assert (tmp_path / f"again{ending}").read_bytes() == members(tmp_path / "out.bundle.zip")[inside]
    other = tmp_path / ("again.csv" if ending != ".csv" else "again.csv.gz")
    old = Policy.from_toml(members(tmp_path / "out.bundle.zip")["policy.toml"], path="policy.toml")
    assert (
        compare_outputs(old, shoal.replay_bundle(tmp_path / "out.bundle.zip", source).save(other)).result
        == "other format"
    )


def test_a_file_without_a_header(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    people(0.0).write_csv(source, include_header=False, separator=";")
    table = shoal.read(source, header=False, delimiter=";")
    keys, home, region = [table.names[1]], table.names[10], table.names[9]
    options = {"k": 2, "quasi_identifiers": keys, "identifiers": [table.names[0]], "method": "mdav"}
    options |= {"sensitive": table.names[7], "l": 2, "households": home, "strata": region}
    release = shoal.anonymize(table, **options)
    shoal.bundle(release, tmp_path / "out.zip")
    result = shoal.verify_bundle(tmp_path / "out.zip")
    assert result.ok
    assert not result.undecided
    shoal.replay_bundle(tmp_path / "out.zip", source).save(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == members(tmp_path / "out.zip")["release/out.csv"]


def test_names_of_releases() -> None:
    frame = people().select("age", "pay")
    options = {"k": 3, "quasi_identifiers": ["age", "pay"], "method": "mdav"}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "x.zip"
        for name, inside in {
            None: "x.csv",
            "README.txt": "README.txt",
            "a:b\\c?.csv": "a_b_c_.csv",
            "Übung 1.parquet": "Übung 1.parquet",
        }.items():
            shoal.bundle(shoal.anonymize(frame, **options), place, name=name, force=True)
            assert f"release/{inside}" in members(place)
            assert failed(place) == []
        shoal.bundle(shoal.anonymize(frame, **options), Path(folder) / ".bundle.zip")
        assert "release/release.csv" in members(Path(folder) / ".bundle.zip")


def test_records_that_show_nothing_and_are_not_suppressed_are_told(tmp_path: Path) -> None:
    corners = [(0.0, 0.0), (0.0, 1000.0), (1000.0, 0.0), (1000.0, 1000.0)]
    points = [*corners, *((500.0 + place // 3, 500.0) for place in range(20)), (None, None)]
    frame = pl.DataFrame({"x": [x for x, _ in points], "y": [y for _, y in points]})
    options = {"k": 3, "quasi_identifiers": ["x", "y"], "method": "mdav", "missing_values": "wildcard"}
    release = shoal.anonymize(frame, **options, max_suppression=0.2)
    blank = release.table.select(pl.all_horizontal(pl.all().is_null())).to_series().sum()
    assert 0 < release.partition.n_suppressed < blank
    shoal.bundle(release, tmp_path / "out.zip")
    result = shoal.verify_bundle(tmp_path / "out.zip")
    assert result.ok
    assert f"which of the {blank} records that show nothing are suppressed" in result.undecided[-1].detail


def test_a_hierarchy_that_is_nested_too_deep_for_json_is_bundled_too(tmp_path: Path) -> None:
    names = [f"node{number}" for number in range(1200)]
    tree = Hierarchy.from_edges(pairwise(names))
    frame = pl.DataFrame({"x": names[:6]})
    release = shoal.anonymize(frame, k=3, quasi_identifiers="x", hierarchies={"x": tree}, method="mdav", recode="mode")
    shoal.bundle(release, tmp_path / "out.zip")
    assert "hierarchies/01.csv" in members(tmp_path / "out.zip")
    assert failed(tmp_path / "out.zip") == []


def test_a_hierarchy_that_no_text_holds_is_refused(tmp_path: Path) -> None:
    tree = Hierarchy((" ", "b", "*"), (2, 2, 2))
    frame = pl.DataFrame({"x": [" ", "b"] * 3})
    release = shoal.anonymize(frame, k=3, quasi_identifiers="x", hierarchies={"x": tree}, method="mdav")
    with pytest.raises(BundleError, match="hierarchy of column 'x' has names that no text file can hold"):
        shoal.bundle(release, tmp_path / "out.zip")
    assert not list(tmp_path.iterdir())


def test_the_private_folder_is_private_and_goes(
    bundle_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    seen: list[int] = []

    def spying(*_: Any) -> Any:
        seen.extend(stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir())
        raise KeyboardInterrupt

    assert shoal.verify_bundle(bundle_folder / "out.zip").ok
    assert not list(folder.iterdir())
    monkeypatch.setattr(checking, "_count_table", spying)
    with pytest.raises(KeyboardInterrupt):
        shoal.verify_bundle(bundle_folder / "out.zip")
    assert seen == [0o700]
    assert not list(folder.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    result = shoal.verify_bundle(bundle_folder / "out.zip")
    assert not result.ok
    assert "folder for temporary files" in result.failed[0].detail


def test_bundles_that_cannot_be_written(bundle_folder: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(bundle_folder / "in.csv", **OPTIONS)
    with pytest.raises(BundleError, match=r"give it the ending \.zip"):
        shoal.bundle(release, tmp_path / "out.bundle")
    with pytest.raises(OutputError, match="exists"):
        shoal.bundle(release, bundle_folder / "out.zip")
    with pytest.raises(OutputError, match="does not exist"):
        shoal.bundle(release, tmp_path / "no" / "out.zip")
    with pytest.raises(OptionError, match=r"shoal\.anonymize"):
        shoal.bundle(release.table, tmp_path / "out.zip")
    with pytest.raises(OutputError, match=r"cannot write \.doc files such as 'out\.doc'"):
        shoal.bundle(release, tmp_path / "out.zip", name="out.doc")
    assert not list(tmp_path.iterdir())


def test_a_bundle_that_does_not_verify_never_appears(
    bundle_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = shoal.anonymize(bundle_folder / "in.csv", **OPTIONS)
    broken = write_archive
    monkeypatch.setattr(
        write_bundle, "write_archive", lambda place, files: broken(place, {**files, "README.txt": b"?"})
    )
    target, place = tmp_path / "out.csv", tmp_path / "out.zip"
    with pytest.raises(PromiseError, match="does not pass its own verification"):
        release.save(target, extra_files=lambda policy: {place: write_bundle.bundle_writer(release)})
    assert not list(tmp_path.iterdir())


def test_a_replay_of_the_next_delivery_and_of_other_columns(bundle_folder: Path, tmp_path: Path) -> None:
    people(seed=5).write_csv(tmp_path / "next.csv")
    old = Policy.read(bundle_folder / "out.csv.policy.toml")
    again = shoal.replay_bundle(bundle_folder / "out.zip", tmp_path / "next.csv")
    assert compare_outputs(old, again.save(tmp_path / "next.out.csv")).result == "next delivery"
    same = shoal.replay_bundle(bundle_folder / "out.zip", bundle_folder / "in.csv")
    assert compare_outputs(old, same.save(tmp_path / "again.csv")).sentence == (
        "Identical to the release in the bundle, byte for byte."
    )
    from_frame = shoal.replay_bundle(bundle_folder / "out.zip", people())
    assert compare_outputs(old, from_frame.save(tmp_path / "frame.parquet")).result == "unknown"
    people().drop("age").write_csv(tmp_path / "less.csv")
    with pytest.raises(shoal.ShoalError, match="'age'"):
        shoal.replay_bundle(bundle_folder / "out.zip", tmp_path / "less.csv")


def test_other_versions_are_named(bundle_folder: Path) -> None:
    old = Policy.read(bundle_folder / "out.csv.policy.toml")
    new = replace(old, versions={**old.versions, "numpy": "0.1"}, output={**old.output, "sha256": "0" * 64})
    assert (
        compare_outputs(old, new).sentence
        == "The same input, and other bytes than in the bundle: other versions of 'numpy'."
    )
