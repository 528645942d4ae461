"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.data import file_sha256, read_table, write_table
from shoal.errors import FileError, OutputError
from shoal.system.transaction import atomic_write, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "release.csv.gz"
    with atomic_write(path, force=False) as hidden:
        assert hidden.parent == tmp_path
        assert hidden.name.startswith(".")
        assert hidden.name.endswith(".csv.gz")
        hidden.write_bytes(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert names(tmp_path) == ["release.csv.gz"]


def test_the_umask_decides_who_may_read(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with atomic_write(tmp_path / "a.csv", force=False) as hidden:
            hidden.write_bytes(b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_nothing_appears_when_the_writing_is_interrupted(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"before")

    def interrupted() -> None:
        with atomic_write(path, force=True) as hidden:
            hidden.write_bytes(b"half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["a.csv"]


def test_an_existing_file_is_not_replaced_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"before")
    with pytest.raises(OutputError, match="exists"), atomic_write(path, force=False):
        pytest.fail("the writing began")
    with atomic_write(path, force=True) as hidden:
        hidden.write_bytes(b"after")
    assert path.read_bytes() == b"after"
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def no_links(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "a.csv"
    with pytest.raises(OutputError, match="exists"), atomic_write(path, force=False):
        path.write_bytes(b"theirs")
    assert path.read_bytes() == b"theirs"
    assert names(tmp_path) == ["a.csv"]
    with atomic_write(tmp_path / "b.csv", force=False) as hidden:
        hidden.write_bytes(b"ours")
    assert (tmp_path / "b.csv").read_bytes() == b"ours"
    assert names(tmp_path) == ["a.csv", "b.csv"]


def test_a_broken_link_counts_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputError, match="exists"), atomic_write(tmp_path / "a.csv", force=False):
        pytest.fail("the writing began")
    with atomic_write(tmp_path / "a.csv", force=True) as hidden:
        hidden.write_bytes(b"new")
    assert not (tmp_path / "a.csv").is_symlink()
    assert names(tmp_path) == ["a.csv"]


def test_a_signal_right_after_the_creation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int, *, wait: bool) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("shoal.system.locks.lock_handle", interrupted)
        with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "a.csv", force=False):
            pytest.fail("the writing began")
    assert names(tmp_path) == []


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize(
    "path", ["", ".", "..", "/", "a\0b.csv", "a.c\0sv", "\ud800.csv", "x" * 300, "x/" * 3000 + "x"]
)
def test_names_that_no_file_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, force: bool) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="cannot be written"), atomic_write(path, force=force):
        pytest.fail("the writing began")
    for attempt in (read_table, file_sha256):
        with pytest.raises(FileError):
            attempt(path)
    assert names(tmp_path) == []


def test_an_error_of_reading_back_names_the_path_that_was_asked_for(tmp_path: Path) -> None:
    def attempt() -> None:
        with atomic_write(tmp_path / "asked.csv", force=False) as hidden:
            read_table(hidden)

    with pytest.raises(FileError, match=r"asked\.csv' is empty"):
        attempt()


def test_bad_places(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    for path, words in (
        (tmp_path / "no" / "a.csv", "The folder .*no' does not exist"),
        (file / "a.csv", "does not exist"),
        (tmp_path, "is a directory"),
        (tmp_path / ("x" * 300 + ".csv"), "file name too long"),
    ):
        with pytest.raises(OutputError, match=words), atomic_write(path, force=True):
            pytest.fail("the writing began")


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "no space left on device"), (errno.EACCES, "permission denied"), (errno.EROFS, "read-only")],
)
def test_errors_of_the_system_are_told_in_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "a.csv"
    for name in ("fsync", "link"):
        if (name, number) == ("link", errno.EACCES):
            continue
        with monkeypatch.context() as patch:
            patch.setattr(os, name, refuse)
            with pytest.raises(OutputError, match=words), atomic_write(path, force=False) as hidden:
                hidden.write_bytes(b"x")
        assert names(tmp_path) == []
    with pytest.raises(OutputError, match=f"a.csv' cannot be written .*{words}"), atomic_write(path, force=False):
        refuse()
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(OutputError, match=words), atomic_write(path, force=False):
            pytest.fail("the writing began")
    assert names(tmp_path) == []


def test_several_files_at_once(tmp_path: Path) -> None:

    def both(*, stop: bool) -> None:
        with ExitStack() as files:
            for name in ("a", "b"):
                files.enter_context(atomic_write(tmp_path / name, force=False)).write_text(name)
            if stop:
                raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        both(stop=True)
    assert names(tmp_path) == []
    both(stop=False)
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow", ".sav", ".dta"])
def test_a_full_disk_is_an_error(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"a": range(20_000), "b": ["secret"] * 20_000})
    full = tmp_path / f"full{ending}"
    full.symlink_to("/dev/full")
    with pytest.raises(OutputError, match="cannot be written") as caught:
        write_table(read_table(frame), full)
    assert "secret" not in str(caught.value)
    if ending not in (".sav", ".dta"):
        assert "no space left on device" in str(caught.value)


def test_the_message_names_the_path_that_was_asked_for(tmp_path: Path) -> None:

    def attempt() -> None:
        with atomic_write(tmp_path / "asked.parquet", force=False) as hidden:
            hidden.unlink()
            hidden.mkdir()
            write_table(read_table(pl.DataFrame({"a": [1]})), hidden)

    with pytest.raises(OutputError, match=r"'[^']*/asked\.parquet'") as caught:
        attempt()
    assert ".shoal-" not in str(caught.value)


@pytest.mark.parametrize("content", ["zwölf\n", "zwölf\n".encode()])
def test_texts_are_utf_8_and_private_where_asked(tmp_path: Path, content: str | bytes) -> None:
    write_file(tmp_path / "a", content)
    write_file(tmp_path / "b", content, private=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == "zwölf\n".encode()
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
    with pytest.raises(OutputError, match="exists"):
        write_file(tmp_path / "a", content)
