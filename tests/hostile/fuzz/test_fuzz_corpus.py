"""Every file of the corpus, sound, odd or once a finding: Shoal reads it or refuses it in one sentence."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest
from fuzz_target import CORPUS, Leak
from targets import TARGETS, Target, attempt

import shoal
from shoal.errors import FileError

_MOST, _MOST_IN_ALL = 8192, 1 << 20


@pytest.mark.parametrize("one", TARGETS.values(), ids=TARGETS)
def test_corpus_is_read_or_refused(one: Target) -> None:
    read = [attempt(one, path.read_bytes()) for path in one.corpus]
    assert read
    assert any(read) or one.name in ("bundle", "sas7bdat"), "a corpus without one file that is read is no corpus"


def test_corpus_is_small_and_each_folder_has_a_target() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} == set(TARGETS)
    sizes = [path.stat().st_size for path in files]
    assert max(sizes) <= _MOST
    assert sum(sizes) < _MOST_IN_ALL


@pytest.mark.parametrize(
    "line",
    [
        b"a;broader;b" + b" " * 300_000 + b'"',
        b'"a"^^;' * 30_000,
        b'x broader "' + b' ""' * 30_000 + b' "',
        b"a broader b ." + b" " * 300_000 + b'x"',
        b"<" * 300_000,
    ],
    ids=["spaces", "types of literals", "marks in marks", "behind the end", "brackets"],
)
def test_long_lines_of_triples_are_looked_at_once(line: bytes) -> None:
    attempt(TARGETS["hierarchy-skos"], line + b"\n")
    attempt(TARGETS["hierarchy"], line + b"\n")


def _refuses(sentence: str) -> Target:
    def run(raw: bytes, folder: Path) -> None:
        raise FileError(sentence, "look at it")

    return Target("some", "", run, (), lambda raw: True)


def test_a_cell_in_a_message_is_a_finding() -> None:
    with pytest.raises(Leak):
        attempt(_refuses("The cell Zebulon77 is wrong"), b"")


def test_a_message_of_several_lines_is_a_finding() -> None:
    with pytest.raises(AssertionError, match="no sentence"):
        attempt(_refuses("One\nTwo"), b"")


def test_what_is_no_error_of_ours_is_a_finding() -> None:
    def run(raw: bytes, folder: Path) -> None:
        raise UnicodeDecodeError("utf-8", b"", 0, 1, "")

    with pytest.raises(UnicodeError):
        attempt(Target("some", "", run, (), lambda raw: True), b"")


def test_what_is_larger_than_the_memory_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.data.compression.total_memory", lambda *, default: min(default, 1 << 20))
    text, book = tmp_path / "dense.csv.gz", tmp_path / "dense.xlsx"
    text.write_bytes(gzip.compress(b"a\n" + b"1\n" * (1 << 20)))
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(2 << 20))
    for path in (text, book):
        with pytest.raises(FileError, match="memory of this machine when it is unpacked"):
            shoal.read(path)
