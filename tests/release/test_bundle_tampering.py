"""Damaged and forged bundles: every change is detected, and no content does harm."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bundles import MEMBERS, failed, listed, members
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domain import Policy
from shoal.errors import BundleError, FileError, PolicyError, PromiseError
from shoal.release.bundle.archive import write_archive

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


@pytest.mark.parametrize("member", MEMBERS)
def test_a_changed_byte_in_any_file_is_found(bundle_folder: Path, tmp_path: Path, member: str) -> None:
    raw = bytearray((bundle_folder / "out.zip").read_bytes())
    with zipfile.ZipFile(bundle_folder / "out.zip") as archive:
        entry = archive.getinfo(member)
    raw[entry.header_offset + 30 + len(member.encode()) + entry.file_size // 2] ^= 1
    place = tmp_path / "out.zip"
    place.write_bytes(raw)
    if member == "manifest.json":
        with pytest.raises(BundleError, match="not as written"):
            shoal.verify_bundle(place)
    else:
        result = shoal.verify_bundle(place)
        assert [check.subject for check in result.failed] == ["hashes"]
        assert repr(member) in result.failed[0].detail
        assert result.undecided
        assert result.verification is None
    with pytest.raises(BundleError, match="not as written"):
        shoal.replay_bundle(place, bundle_folder / "in.csv")


@pytest.mark.parametrize("member", MEMBERS)
def test_a_file_that_was_exchanged_or_taken_out_is_found(bundle_folder: Path, tmp_path: Path, member: str) -> None:
    files, place = members(bundle_folder / "out.zip"), tmp_path / "out.zip"
    write_archive(place, files | {member: files[member].replace(b"3", b"4", 1).replace(b"Q", b"X", 1) + b" "})
    if member == "manifest.json":
        with pytest.raises(BundleError, match=r"not as Shoal writes it"):
            shoal.verify_bundle(place)
    else:
        assert failed(place) == ["hashes"]
    write_archive(place, {name: content for name, content in files.items() if name != member})
    if member == "manifest.json":
        with pytest.raises(BundleError, match=r"has no manifest\.json"):
            shoal.verify_bundle(place)
    else:
        assert failed(place) == ["files"]


def lowered(files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    text = files["policy.toml"].decode()
    assert text.count(old) == 1
    return {**files, "policy.toml": text.replace(old, new).encode()}


def other_release(files: dict[str, bytes]) -> dict[str, bytes]:
    """One record with another age, alone."""
    lines = files["release/out.csv"].split(b"\n")
    lines[5] = b"111" + lines[5][lines[5].index(b",") :]
    return {**files, "release/out.csv": b"\n".join(lines)}


def told(files: dict[str, bytes]) -> dict[str, bytes]:
    """The policy with the fingerprint of the release that is there."""
    old = Policy.from_toml(files["policy.toml"], path="policy.toml").output["sha256"]
    return lowered(files, old, hashlib.sha256(files["release/out.csv"]).hexdigest())


def measured(files: dict[str, bytes], **facts: Any) -> dict[str, bytes]:
    known = json.loads(files["measures.json"])
    known["verification"] |= facts
    return {**files, "measures.json": json.dumps(known).encode()}


TAMPERED: dict[str, tuple[Callable[[dict[str, bytes]], dict[str, bytes]], list[str]]] = {
    "another release": (other_release, ["release", "k = 3", "distinct-l(2)"]),
    "another release, told by the policy": (
        lambda files: told(other_release(files)),
        ["k = 3", "distinct-l(2)"],
    ),
    "k lowered": (lambda files: lowered(files, "\nk = 3", "\nk = 2"), ["measures"]),
    "k raised": (lambda files: lowered(files, "\nk = 3", "\nk = 4"), ["k = 4", "measures"]),
    "a stricter model": (lambda files: lowered(files, '"distinct-l(2)"', '"distinct-l(4)"'), ["distinct-l(4)"]),
    "other counts": (lambda files: lowered(files, "\nmin_class = 3", "\nmin_class = 4"), ["policy counts"]),
    "fewer records": (
        lambda files: lowered(files, "\nrecords = 60\nclasses", "\nrecords = 59\nclasses"),
        ["policy counts"],
    ),
    "other measures": (lambda files: measured(files, classes=1), ["measures"]),
    "another version": (lambda files: lowered(files, '\nshoal = "', '\nshoal = "9'), ["policy"]),
    "another name": (lambda files: lowered(files, 'file = "out.csv"', 'file = "up.csv"'), ["release"]),
    "no facts": (lambda files: lowered(files, "[output]", "[outputs]"), ["contents"]),
    "a role changed": (
        lambda files: lowered(files, '"note"\nrole = "identifier"', '"note"\nrole = "insensitive"'),
        ["columns"],
    ),
    "no policy": (lambda files: {**files, "policy.toml": b"k = "}, ["contents"]),
    "no measures": (lambda files: {**files, "measures.json": b"[]"}, ["contents"]),
    "another hierarchy": (
        lambda files: {**files, "hierarchies/07.json": files["hierarchies/08.json"]},
        ["contents"],
    ),
    "no hierarchy": (lambda files: {name: files[name] for name in files if "07" not in name}, ["contents"]),
    "one hierarchy more": (lambda files: {**files, "hierarchies/01.json": b'{"a": {"b": {}}}'}, ["contents"]),
    "one for no column": (lambda files: {**files, "hierarchies/99.json": b'{"a": {"b": {}}}'}, ["contents"]),
    "no text": (lambda files: {**files, "hierarchies/07.json": b"\xff"}, ["contents"]),
    "a file more": (lambda files: {**files, "secret.csv": b"x"}, ["files"]),
    "two releases": (lambda files: {**files, "release/b.csv": b"x\n1\n"}, ["files"]),
    "no table": (lambda files: told({**files, "release/out.csv": b"\0\0"}), ["contents"]),
    "no records": (lambda files: told({**files, "release/out.csv": b"age\n"}), ["contents"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_a_manifest_that_was_mended_hides_nothing(bundle_folder: Path, tmp_path: Path, name: str) -> None:
    tamper, expected = TAMPERED[name]
    place = tmp_path / "out.zip"
    write_archive(place, listed(tamper(members(bundle_folder / "out.zip"))))
    result = failed(place)
    assert set(expected) <= set(result)
    said = " ".join(check.detail for check in shoal.verify_bundle(place).checks)
    assert str(tempfile.gettempdir()) not in said.replace(str(tmp_path), "")
    assert not any(secret in said for secret in ("Qbaker", "Qsmith", "Zflu", "111"))


def test_a_file_that_is_there_and_not_listed(bundle_folder: Path, tmp_path: Path) -> None:
    write_archive(tmp_path / "out.zip", {**members(bundle_folder / "out.zip"), "secret.csv": b"x"})
    assert failed(tmp_path / "out.zip") == ["files"]


def test_what_is_no_bundle_is_refused(bundle_folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    with pytest.raises(FileError, match="does not exist"):
        shoal.verify_bundle(place)
    with pytest.raises(FileError, match="is a folder"):
        shoal.verify_bundle(tmp_path)
    raw = (bundle_folder / "out.zip").read_bytes()
    for content in (b"", b"PK", b"a,b\n1,2\n", raw[:-1], raw[: len(raw) // 2], raw[:-30]):
        place.write_bytes(content)
        with pytest.raises(BundleError, match="is no zip file, or only a part of one"):
            shoal.verify_bundle(place)
        with pytest.raises(BundleError, match="is no zip file"):
            shoal.replay_bundle(place, bundle_folder / "in.csv")
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<a/>")
    with pytest.raises(BundleError, match=r"not a Shoal bundle \(it has no manifest.json\)"):
        shoal.verify_bundle(place)


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../x", "a\\x", "C:x", "a//x", "folder/", "./x", "a\nb", ".. /x"])
def test_unsafe_names_are_refused(bundle_folder: Path, tmp_path: Path, name: str) -> None:
    place = tmp_path / "out.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for own, content in members(bundle_folder / "out.zip").items():
            archive.writestr(own, content)
        archive.writestr(zipfile.ZipInfo(name), b"x")
    with pytest.raises(BundleError, match="unsafe name") as caught:
        shoal.verify_bundle(place)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["policy.toml", "POLICY.TOML"])
def test_names_twice_are_refused(bundle_folder: Path, tmp_path: Path, name: str) -> None:
    place = tmp_path / "out.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for own, content in members(bundle_folder / "out.zip").items():
            archive.writestr(own, content)
        archive.writestr(name, b"x")
    with pytest.raises(BundleError, match="more than one file of the name"):
        shoal.verify_bundle(place)


def test_a_bomb_is_refused_before_it_is_read(bundle_folder: Path, tmp_path: Path) -> None:
    place, files = tmp_path / "out.zip", members(bundle_folder / "out.zip")
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.getinfo("release/out.csv").file_size = 10 * 2**30
    with pytest.raises(BundleError, match=r"claim 10,7\d\d,\d{3},\d{3} bytes"):
        shoal.verify_bundle(place)
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if name != "release/out.csv" else b"\0" * 10**7)
    with pytest.raises(BundleError, match="is compressed or encrypted"):
        shoal.verify_bundle(place)
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        first = archive.getinfo("release/out.csv")
        for number in range(1000):  # entries that lie in one another
            entry = zipfile.ZipInfo(f"release/{number}.csv")
            entry.header_offset, entry.CRC = first.header_offset, first.CRC
            entry.file_size = entry.compress_size = first.file_size
            archive.filelist.append(entry)
            archive.NameToInfo[entry.filename] = entry
    with pytest.raises(BundleError, match="are plausible"):
        shoal.verify_bundle(place)


def test_a_bundle_of_the_future_is_refused(bundle_folder: Path, tmp_path: Path) -> None:
    files = members(bundle_folder / "out.zip")
    manifest = files["manifest.json"].replace(b'"format": 1', b'"format": 2')
    write_archive(tmp_path / "out.zip", files | {"manifest.json": manifest})
    with pytest.raises(BundleError, match="has format 2, and this Shoal reads up to 1"):
        shoal.verify_bundle(tmp_path / "out.zip")


@given(data=st.data())
def test_whatever_is_changed_is_told_or_changes_nothing(bundle_folder: Path, data: st.DataObject) -> None:
    raw = bytearray((bundle_folder / "out.zip").read_bytes())
    known = members(bundle_folder / "out.zip")
    for _ in range(data.draw(st.integers(1, 3))):
        end = data.draw(st.sampled_from([len(raw), 1200]))  # the names and sizes stand at the end
        raw[-1 - data.draw(st.integers(0, end - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "x.zip"
        place.write_bytes(raw)
        try:
            result = shoal.verify_bundle(place)
        except (BundleError, FileError):
            return
        assert not result.ok or members(place) == known


def test_a_replay_with_other_bytes_is_refused(bundle_folder: Path, tmp_path: Path) -> None:
    files = members(bundle_folder / "out.zip")
    other = told({**files, "release/out.csv": files["release/out.csv"] + b"\n"})
    write_archive(tmp_path / "out.zip", listed(other))
    release = shoal.replay_bundle(tmp_path / "out.zip", bundle_folder / "in.csv")
    with pytest.raises(PromiseError, match="gave other bytes"):
        release.save(tmp_path / "again.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.zip"]


def test_a_bundle_with_another_policy_cannot_be_replayed(bundle_folder: Path, tmp_path: Path) -> None:
    files = members(bundle_folder / "out.zip")
    write_archive(tmp_path / "out.zip", listed(other_release(files)))
    with pytest.raises(BundleError, match=r"release/out\.csv"):
        shoal.replay_bundle(tmp_path / "out.zip", bundle_folder / "in.csv")
    write_archive(tmp_path / "out.zip", listed({**files, "hierarchies/07.json": files["hierarchies/08.json"]}))
    with pytest.raises(PolicyError, match="of column 'job' differ"):
        shoal.replay_bundle(tmp_path / "out.zip", bundle_folder / "in.csv")
