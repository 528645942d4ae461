"""Spill files: arrays are read back as written; torn files are removed."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.chunked import SpillFolder
from shoal.errors import DataError, FileError, OutputError


@settings(max_examples=max(settings().max_examples // 5, 1))
@given(st.lists(st.integers(0, 6), min_size=1, max_size=6), st.integers(0, 20), st.integers(0, 20))
def test_parts_come_back_one_below_the_other(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], start: int, stop: int
) -> None:
    folder = tmp_path_factory.mktemp("spill")
    spill, rng = SpillFolder(folder), np.random.default_rng(0)
    parts = [{"x": rng.normal(size=n), "i": rng.integers(0, 9, n), "b": rng.random(n) < 0.5} for n in lengths]
    for part in parts:
        spill.append("a", part)
    spill.append("b/ü *", {"x": np.arange(3, dtype=np.int32)})
    spill.flush()
    for one in (spill, SpillFolder(folder)):  # as written, and as reopened
        assert one.names() == ("a", "b/ü *")
        assert one.rows("a") == sum(lengths)
        whole = {key: np.concatenate([part[key] for part in parts]) for key in "xib"}
        for found, expected in (
            (one.slice("a", 0, sum(lengths)), whole),
            (one.slice("a", start, stop), {key: array[start:stop] for key, array in whole.items()}),
        ):
            assert {key: array.tolist() for key, array in found.items()} == {k: a.tolist() for k, a in expected.items()}
            assert {key: array.dtype for key, array in found.items()} == {k: a.dtype for k, a in expected.items()}
        assert one.slice("b/ü *", 0, 3)["x"].tolist() == [0, 1, 2]
    assert one.slice("c", 0, 1) == {}


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    spill = SpillFolder(tmp_path / "deep" / "down")
    spill.append("a", {"x": np.zeros(1)})
    assert stat.S_IMODE((tmp_path / "deep" / "down").stat().st_mode) == 0o700
    (file,) = (tmp_path / "deep" / "down").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_torn_file_is_as_if_it_was_not_there(tmp_path: Path) -> None:
    spill = SpillFolder(tmp_path)
    for name in "ab":
        for _ in range(2):
            spill.append(name, {"x": np.arange(100)})
    file = tmp_path / "a.spill"
    whole = file.read_bytes()
    changed = bytearray(whole)
    changed[-5] ^= 1
    for torn in (whole[:-1], whole[: len(whole) // 2 + 3], bytes(changed), b"x" * 50):
        file.write_bytes(torn)
        assert SpillFolder(tmp_path).names() == ("b",)
        assert not file.exists()
    file.write_bytes(whole)
    assert SpillFolder(tmp_path).names() == ("a", "b")


def test_a_file_that_is_torn_while_it_is_used_is_told(tmp_path: Path) -> None:
    spill = SpillFolder(tmp_path)
    spill.append("a", {"x": np.arange(100)})
    whole = (tmp_path / "a.spill").read_bytes()
    (tmp_path / "a.spill").write_bytes(whole[:-8] + b"12345678")
    with pytest.raises(FileError, match="not a readable scratch file"):
        spill.slice("a", 0, 100)
    (tmp_path / "a.spill").write_bytes(whole[:-8])
    with pytest.raises(FileError, match="not a readable scratch file"):
        spill.slice("a", 90, 100)
    spill.remove("a")
    assert (spill.names(), spill.slice("a", 0, 100)) == ((), {})
    spill.remove("a")


def test_what_cannot_be_put_down_is_refused(tmp_path: Path) -> None:
    spill = SpillFolder(tmp_path)
    with pytest.raises(DataError, match="object"):
        spill.append("a", {"x": np.array([None])})
    with pytest.raises(DataError, match="2 records and the release 3"):
        spill.append("a", {"x": np.zeros(2), "y": np.zeros(3)})
    assert spill.names() == ()
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"):
        SpillFolder(tmp_path / "file")
