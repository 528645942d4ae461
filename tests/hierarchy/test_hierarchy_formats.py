"""Hierarchy files: round trips of every format, detection of the format, and invalid files."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naive.hierarchies import trees
from shoal.errors import FileError, HierarchyError, OptionError, OutputError, ShoalError
from shoal.hierarchy import Hierarchy, formats

ANIMALS = Hierarchy.from_dict({"animal": {"bird": ["pigeon", "owl"], "fish": ["cod"], "sponge": None}})
ARX = "pigeon;bird;animal\nowl;bird;animal\ncod;fish;animal\nsponge;sponge;animal\n"
EDGES = "child,parent\nbird,animal\nfish,animal\nsponge,animal\npigeon,bird\nowl,bird\ncod,fish\n"

anywhere = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt", "x.json", "x.nt", "x.SKOS"])
@anywhere
@given(trees())
def test_saved_by_its_ending_and_read_back(tmp_path: Path, name: str, tree: Hierarchy) -> None:
    tree.save(tmp_path / name, force=True)
    assert Hierarchy.read(tmp_path / name) == tree


@pytest.mark.parametrize("format", formats.FORMATS)
@anywhere
@given(trees())
def test_every_format_is_read_back_whatever_the_ending(tmp_path: Path, format: str, tree: Hierarchy) -> None:
    tree.save(tmp_path / "x", format=format, force=True)
    assert Hierarchy.read(tmp_path / "x", format=format) == tree
    assert (tmp_path / "x").read_bytes().decode() == formats.to_text(tree, format)


def test_the_bytes_that_are_written(tmp_path: Path) -> None:
    ANIMALS.save(tmp_path / "a.csv")
    ANIMALS.save(tmp_path / "b.csv", format="edges")
    ANIMALS.save(tmp_path / "c.tsv")
    assert (tmp_path / "a.csv").read_bytes() == ARX.encode()
    assert (tmp_path / "b.csv").read_bytes() == EDGES.encode()
    assert (tmp_path / "c.tsv").read_bytes() == ARX.replace(";", "\t").encode()
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "b.csv", "c.tsv"]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_rows_of_arx_of_any_dialect(tmp_path: Path, mark: str, ends: str) -> None:
    path = written(tmp_path, "x.csv", ARX.replace(";", mark).replace("\n", ends))
    assert Hierarchy.read(path) == Hierarchy.read(path, delimiter=mark) == ANIMALS
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().rstrip())
    assert Hierarchy.read(path) == ANIMALS


def test_intervals_have_commas_and_are_separated_by_semicolons(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", "20;[20, 25);[20, 30);[0, 100)\n40;[40, 45);[40, 50);[0, 100)\n")
    assert Hierarchy.read(path).path("40") == ("40", "[40, 45)", "[40, 50)", "[0, 100)")


def test_quotes_are_those_of_csv(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", '"a;""b""";"x\ny";*\n5" pipe;pipes;*\n')
    assert Hierarchy.read(path).nodes == ('a;"b"', "x\ny", '5" pipe', "pipes", "*")


def test_latin_1_where_it_is_not_utf_8(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", "Perú;América;*\nCórdoba;Europa;*\n".encode("latin-1"))
    assert Hierarchy.read(path).leaves == ("Perú", "Córdoba")


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        (EDGES, ANIMALS.nodes),
        ("owl,bird\nbird,*\n", ("owl", "bird", "*")),
        ("owl,*\ncod,*\n", ("owl", "cod", "*")),
        ("owl,skos:broader,bird\nbird,skos:broader,*\n", ("owl", "bird", "*")),
        ("owl;bird;*\n", ("owl", "bird", "*")),
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x.txt", "X.CSV"])
def test_the_rows_of_a_table_tell_its_format(tmp_path: Path, text: str, nodes: tuple[str, ...], name: str) -> None:
    assert Hierarchy.read(written(tmp_path, name, text)).nodes == nodes


BAD: dict[str, tuple[str, str | bytes, type[ShoalError], str]] = {
    "empty": ("x.csv", "", HierarchyError, "In .* the hierarchy is empty"),
    "blank": ("x.csv", " \n\r\n\n", HierarchyError, "In .* the hierarchy is empty"),
    "empty quotes": ("x.csv", '""\n', HierarchyError, "In .* the hierarchy is empty"),
    "empty json": ("x.json", "", HierarchyError, "In .* the hierarchy is empty"),
    "only a mark": ("x.csv", b"\xef\xbb\xbf", HierarchyError, "In .* the hierarchy is empty"),
    "nul": ("x.csv", b"sec\0ret;*\n", FileError, "NUL"),
    "utf-16": ("x.csv", "hush;*\n".encode("utf-16"), FileError, "UTF-16"),
    "mark, then not utf-8": ("x.csv", b"\xef\xbb\xbfhush\xff;*\n", HierarchyError, "begins as UTF-8"),
    "no ending": ("x", ARX, HierarchyError, "ending of .* 'arx', 'edges', 'json', 'skos'"),
    "other ending": ("x.xlsx", ARX, HierarchyError, "is no format of a hierarchy"),
    "not json": ("x.json", ARX, HierarchyError, r"In .* the hierarchy is not JSON \(line 1\)"),
    "ragged": ("x.csv", "\nhush;b;*\n\nc;*\n", HierarchyError, r"has 2 levels, .* 3 \(line 4\)"),
    "empty field": ("x.csv", "hush;b;*\nc;;*\n", HierarchyError, r"has an empty level \(line 2\)"),
    "long field": ("x.csv", f"a;*\n{'b' * 200_000};*\n", HierarchyError, r"more than 131,072 characters.*\(line 2\)"),
    "hint": ("x.csv", "a|b|*\nhush|b|*\n", HierarchyError, "hierarchy convert, which takes --delimiter and --from"),
    "two ancestors": ("x.csv", "hush;b;*\nc;d;*\nhush;d;*\n", HierarchyError, r"two parents \(line 1 and line 3\)"),
    "two roots": ("x.csv", "hush;b;*\nc;d;all\n", HierarchyError, "In .* the hierarchy has 2 roots"),
    "one column": ("x.csv", "hush\nhash\n", HierarchyError, r"at least one level above it \(line 1\)"),
    "open quote": ("x.csv", 'hush;b;*\n"c;d;*\n', HierarchyError, r"quotation mark .*\(line 2\)"),
    "huge field": ("x.csv", "hush;b;*\n" + "c" * 200_000 + ";d;*\n", HierarchyError, r"\(line 2\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(tmp_path: Path, case: str) -> None:
    name, text, kind, message = BAD[case]
    with pytest.raises(kind, match=message) as caught:
        Hierarchy.read(written(tmp_path, name, text))
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("ending", [".csv", ".json", ".nt"])
@pytest.mark.parametrize("format", [None, *formats.FORMATS])
@anywhere
@given(st.one_of(st.binary(max_size=40), st.text('ab;,\t"\n<>.{}[]:@\\ #*', max_size=40).map(str.encode)))
def test_any_bytes_are_a_tree_or_an_error_of_ours(tmp_path: Path, ending: str, format: str | None, raw: bytes) -> None:
    path = written(tmp_path, f"x{ending}", raw)
    try:
        tree = Hierarchy.read(path, format=format)
    except ShoalError:
        return
    assert Hierarchy.from_edges(tree.edges()) == tree


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        Hierarchy.read(tmp_path / "x.csv")
    with pytest.raises(FileError, match="does not exist"):
        Hierarchy.read("x\0.csv")
    with pytest.raises(FileError, match="is a folder"):
        Hierarchy.read(tmp_path)
    with pytest.raises(FileError, match="pipe or a device"):
        Hierarchy.read(os.devnull, format="arx")
    with pytest.raises(OptionError, match="'path'"):
        Hierarchy.read(3)  # type: ignore[arg-type]


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = written(tmp_path, "x.csv", ARX)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileError, match=r"cannot be read \(permission denied\)"):
        Hierarchy.read(path)


@pytest.mark.parametrize("delimiter", ["", ";;", "\n", '"', 5])
def test_what_is_no_delimiter(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(OptionError, match="'delimiter'"):
        Hierarchy.read(written(tmp_path, "x.csv", ARX), delimiter=delimiter)


def test_another_delimiter(tmp_path: Path) -> None:
    text = formats.to_text(ANIMALS, "arx", delimiter="|")
    assert Hierarchy.read(written(tmp_path, "x.csv", text), delimiter="|") == ANIMALS


def test_unknown_formats(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="did you mean 'arx'"):
        Hierarchy.read(tmp_path / "x.csv", format="arxx")
    with pytest.raises(OptionError, match="no format"):
        ANIMALS.save(tmp_path / "x.csv", format="xml")
    with pytest.raises(HierarchyError, match="is no format of a hierarchy"):
        ANIMALS.save(tmp_path / "x.xml")


def test_nothing_is_lost_without_force(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", "mine")
    with pytest.raises(OutputError, match="exists"):
        ANIMALS.save(path)
    assert path.read_text() == "mine"
    ANIMALS.save(path, force=True)
    assert Hierarchy.read(path) == ANIMALS
    with pytest.raises(OutputError, match="does not exist"):
        ANIMALS.save(tmp_path / "no" / "x.csv")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_names_that_no_text_file_holds(tmp_path: Path, name: str) -> None:
    tree = Hierarchy.from_edges([(name, "*"), ("b", "*")])
    for ending in ("csv", "tsv", "nt"):
        with pytest.raises(HierarchyError, match="1 name with characters"):
            tree.save(tmp_path / f"x.{ending}")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("format", formats.FORMATS)
def test_large_trees_are_written_and_read(tmp_path: Path, format: str) -> None:
    codes = [(f"code {number}", f"chapter {number // 50}") for number in range(20_000)]
    tree = Hierarchy.from_edges([*codes, *((f"chapter {number}", "*") for number in range(400))])
    path = written(tmp_path, "x", formats.to_text(tree, format))
    again = Hierarchy.read(path, format=format)
    assert again == tree


@pytest.mark.parametrize("name", ["occupation", "native_country"])
def test_the_same_tree_from_both_formats(data_folder: Path, name: str) -> None:
    if not (data_folder / "vgh").is_dir():
        pytest.skip("no hierarchies in the folder of the benchmark data")
    rows, edges = (Hierarchy.read(data_folder / "vgh" / f"{name}_{kind}.csv") for kind in ("arx", "edges"))
    assert set(rows.edges()) == set(edges.edges())
    with pytest.raises(HierarchyError, match=r"two parents \(line \d+ and line \d+\)"):
        Hierarchy.read(data_folder / "vgh" / f"{name}_dag_edges.csv")


def test_a_compressed_file_is_to_be_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "h.csv.gz"
    path.write_bytes(gzip.compress(b"a;*\nb;*\n"))
    for named in (None, "arx"):
        with pytest.raises(FileError, match="is compressed; unpack it first"):
            formats.read(path, format=named)
