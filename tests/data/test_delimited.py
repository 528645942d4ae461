"""Delimited files: what they contain, and that a release keeps their bytes."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.data import (
    ReadOptions,
    Table,
    class_sizes,
    column_kinds,
    encode_records,
    file_sha256,
    profile_columns,
    read_table,
    replace_columns,
    write_table,
)
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.read_delimited import read_delimited
from shoal.domain.columns import Kind, Schema
from shoal.errors import FileError, OutputError, ShoalError

PLAIN = b"id,age,name,city\nP1,30,Ann,Oslo\nP2,40,Bo,Rome\n"


def saved(folder: Path, raw: bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(raw)
    return path


def schema_of(table: Table, *, quasi: list[str], identifiers: tuple[str, ...] = ()) -> Schema:
    return Schema.assign(column_kinds(table), quasi_identifiers=quasi, identifiers=identifiers)


DIALECTS = {
    "plain": (PLAIN, b"age,name,city\n35.5,Ann,Oslo\n12.0,Bo,Rome\n", ReadOptions()),
    "no final newline": (PLAIN[:-1], b"age,name,city\n35.5,Ann,Oslo\n12.0,Bo,Rome", ReadOptions()),
    "blank lines at the end": (PLAIN + b"\n\n", b"age,name,city\n35.5,Ann,Oslo\n12.0,Bo,Rome\n", ReadOptions()),
    "crlf": (
        PLAIN.replace(b"\n", b"\r\n"),
        b"age,name,city\r\n35.5,Ann,Oslo\r\n12.0,Bo,Rome\r\n",
        ReadOptions(),
    ),
    "cr": (PLAIN.replace(b"\n", b"\r"), b"age,name,city\r35.5,Ann,Oslo\r12.0,Bo,Rome\r", ReadOptions()),
    "mixed newlines": (
        b"id,age,x\r\nP1,1,a\nP2,2,b\rP3,3,c",
        b"age,x\r\n35.5,a\n12.0,b\r35.5,c",
        ReadOptions(),
    ),
    "bom": (b"\xef\xbb\xbf" + PLAIN, b"\xef\xbb\xbfage,name,city\n35.5,Ann,Oslo\n12.0,Bo,Rome\n", ReadOptions()),
    "quotes": (
        b'"id","age","na""me",city\n"P1","30","An ""A"" n, x\ny",Oslo\nP2,40,"",\n',
        b'"age","na""me",city\n35.5,"An ""A"" n, x\ny",Oslo\n12.0,"",\n',
        ReadOptions(),
    ),
    "latin-1": (
        "id,age,Straße\nP1,3,Müller\nP2,4,Ån\n".encode("latin-1"),
        "age,Straße\n35.5,Müller\n12.0,Ån\n".encode("latin-1"),
        ReadOptions(),
    ),
    "cp1252 given": (
        "id,age,€\nP1,3,“x”\nP2,4,–\n".encode("cp1252"),
        "age,€\n35.5,“x”\n12.0,–\n".encode("cp1252"),
        ReadOptions(encoding="cp1252"),
    ),
    "shift-jis given": (
        "id,age,x\nP1,3,表ソ\nP2,4,能\n".encode("shift-jis"),
        "age,x\n35.5,表ソ\n12.0,能\n".encode("shift-jis"),
        ReadOptions(encoding="shift-jis"),
    ),
    "decimal comma": (
        b"id;age;x\nP1;1,5;0,50\nP2;2,25;00,1\n",
        b"age;x\n35,5;0,50\n12,0;00,1\n",
        ReadOptions(decimal=","),
    ),
    "decimal comma in quotes": (
        b'id,age,x\nP1,"1,5",a\nP2,"2,5",b\n',
        b'age,x\n"35,5",a\n"12,0",b\n',
        ReadOptions(decimal=",", delimiter=","),
    ),
    "tabs": (PLAIN.replace(b",", b"\t"), b"age\tname\tcity\n35.5\tAnn\tOslo\n12.0\tBo\tRome\n", ReadOptions()),
    "pipes, blanks and zeros": (
        b"id | age|zip|x\nP1| 30 |00501|  a\nP2|4e1|00009|b  \n",
        b"35.5|00501|  a\n12.0|00009|b  \n",
        ReadOptions(),
    ),
    "no quoting": (
        b'id,age,x\nP1,1,a"b\nP2,2,"\n',
        b'age,x\n35.5,a"b\n12.0,"\n',
        ReadOptions(quote=""),
    ),
    "other quote": (b"id,age,x\nP1,1,'a,''b'\nP2,2,\"\n", b"age,x\n35.5,'a,''b'\n12.0,\"\n", ReadOptions(quote="'")),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_untouched_fields_keep_their_bytes(tmp_path: Path, dialect: str) -> None:
    raw, expected, options = DIALECTS[dialect]
    table = read_table(saved(tmp_path, raw), options=options)
    identifier = table.names[0]
    age = table.names[1]
    new = np.array([35.5, 12.0, 35.5])[: table.height]
    release = replace_columns(table, schema_of(table, quasi=[age], identifiers=(identifier,)), {age: new})
    write_table(release, tmp_path / "out.csv")
    got = (tmp_path / "out.csv").read_bytes()
    assert got == expected or got == age.encode() + b"|zip|x\n" + expected
    again = read_table(tmp_path / "out.csv", options=options)
    assert again.names == table.names[1:]
    assert encode_records(again, schema_of(again, quasi=[age])).values[:, 0].tolist() == new.tolist()
    assert (
        read_table(tmp_path / "table.csv", options=ReadOptions.from_settings(table.settings)).settings == table.settings
    )


def test_a_file_written_without_change_is_the_same_file(tmp_path: Path) -> None:
    for raw, _, options in DIALECTS.values():
        table = read_table(saved(tmp_path, raw), options=options)
        write_table(table, tmp_path / "same.csv")
        assert (tmp_path / "same.csv").read_bytes().rstrip(b"\n") == raw.rstrip(b"\n")


def test_the_input_is_never_changed(tmp_path: Path) -> None:
    path = saved(tmp_path, PLAIN)
    table = read_table(path)
    before = table.native()
    replace_columns(table, schema_of(table, quasi=["age"]), {"age": np.array([1, 1])})
    assert table.native().equals(before)
    assert table.names == ("id", "age", "name", "city")
    assert path.read_bytes() == PLAIN


def test_numbers_are_written_short_and_read_back_the_same(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b"a,b\n" + b"1,2\n" * 6))
    floats = np.array([0.1 + 0.2, -0.0, 12.0, 1e22, 5e-324, 1 / 3])
    whole = np.array([0, -3, 12, 2**60, 7, 7])
    release = replace_columns(table, schema_of(table, quasi=["a", "b"]), {"a": floats, "b": whole})
    write_table(release, tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[1:4] == ["0.30000000000000004,0", "0.0,-3", "12.0,12"]
    assert [float(line.split(",")[0]) for line in lines[1:]] == floats.tolist()
    assert [int(line.split(",")[1]) for line in lines[1:]] == whole.tolist()


def test_kinds_types_and_missing_words(tmp_path: Path) -> None:
    raw = (
        b"whole,real,code,country,date,time,mixed,empty,blank,infinite,signed\n"
        b"1,1.5,00501,NA,2024-02-29,2024-01-01T10:00,1,,  3,inf,+5\n"
        b"NA, .5 ,00502,DE,,2024-01-01 10:00:05,x,, ,-Infinity,-7\n"
        b".,1e3,10000,,2023-01-01,2024-01-02,2,,5  ,2,0\n"
    )
    table = read_table(saved(tmp_path, raw))
    assert dict(column_kinds(table)) == {
        "whole": Kind.NUMERIC,
        "real": Kind.NUMERIC,
        "code": Kind.NOMINAL,
        "country": Kind.NOMINAL,
        "date": Kind.DATE,
        "time": Kind.DATE,
        "mixed": Kind.NOMINAL,
        "empty": Kind.NOMINAL,
        "blank": Kind.NUMERIC,
        "infinite": Kind.NUMERIC,
        "signed": Kind.NUMERIC,
    }
    frame = table.native()
    assert frame["whole"].to_list() == [1, None, None]
    assert frame.schema["whole"] == pl.Int64
    assert frame["real"].to_list() == [1.5, 0.5, 1000.0]
    assert frame["country"].to_list() == ["NA", "DE", None]
    assert frame["blank"].to_list() == [3, None, 5]
    assert frame["code"].to_list() == ["00501", "00502", "10000"]
    facts = {column.name: column for column in profile_columns(table)}
    assert (facts["whole"].distinct, facts["whole"].missing, facts["whole"].is_integer) == (1, 2, True)
    assert not facts["real"].is_integer
    assert not facts["infinite"].is_integer
    assert facts["country"].missing == 1
    assert facts["empty"].distinct == 0


def test_thousands_separators_underscores_and_the_other_decimal_mark_are_not_numbers(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b"a;b;c;d\n1,000;1_000;0x1F;\xc2\xbd\n"))
    assert {kind for _, kind in column_kinds(table)} == {Kind.NOMINAL}
    commas = read_table(saved(tmp_path, b"a;b\n1.000;1,5\n"), options=ReadOptions(decimal=","))
    assert dict(column_kinds(commas)) == {"a": Kind.NUMERIC, "b": Kind.NUMERIC}
    assert commas.cells.frame().rows() == [(1000, 1.5)]


def test_words_that_mean_missing_can_be_named(tmp_path: Path) -> None:
    path = saved(tmp_path, b"a\n1\n-9\nNA\n")
    options = ReadOptions(missing=("-9", "NA"))
    table = read_table(path, options=options)
    assert table.native()["a"].to_list() == [1, None, None]
    assert ReadOptions.from_settings(table.settings).missing == ("-9", "NA")


def test_counting_up_is_noticed(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b"a,b,c\n7,1,1\n8,2,1.5\n9,4,2\n"))
    assert [column.is_consecutive for column in profile_columns(table)] == [True, False, False]


def test_settings_tell_what_was_found(tmp_path: Path) -> None:
    result = read_table(saved(tmp_path, b"\xef\xbb\xbfa;b\r\n1;2\r\n")).settings
    assert result["delimiter"] == ";"
    assert result["newline"] == "crlf"
    assert result["bom"] is True
    assert read_table(saved(tmp_path, b"a\tb\n1\t2\n", "x.tsv")).kind == "tsv"
    assert read_table(saved(tmp_path, b"a,b\n\xff,2\n")).settings["encoding"] == "latin-1"
    assert read_table(saved(tmp_path, b"a,b;c;d\n1;2;3\n"), options=ReadOptions(delimiter=";")).names == (
        "a,b",
        "c",
        "d",
    )
    assert read_table(saved(tmp_path, b'"a,b,c";d\n1;2\n')).settings["delimiter"] == ";"


def test_without_a_header_columns_are_numbered(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b"1,2\n3,4\n"), options=ReadOptions(header=False))
    assert table.names == ("column_1", "column_2")
    assert table.height == 2
    schema = schema_of(table, quasi=["column_2"])
    write_table(replace_columns(table, schema, {"column_2": np.array([9, 9])}), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b"1,9\n3,9\n"


def test_a_single_column_may_have_empty_lines_inside(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b"a\n1\n\n3\n\n"))
    assert table.native()["a"].to_list() == [1, None, 3]


def test_packed_files(tmp_path: Path) -> None:
    path = saved(tmp_path, gzip.compress(PLAIN), "table.csv.gz")
    table = read_table(path)
    assert table.kind == "csv"
    write_table(table, tmp_path / "one.csv.gz")
    write_table(table, tmp_path / "two.csv.gz")
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == PLAIN
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()


@pytest.mark.parametrize(
    ("raw", "options"),
    [
        (b"a.b\n1.2\n3.4\n", ReadOptions(delimiter=".", quote="")),
        (b"a,b\n1,2\n3,4\n", ReadOptions(delimiter=",", decimal=",", quote="")),
        (b"a-b\n1-2\n3-4\n", ReadOptions(delimiter="-", quote="")),
    ],
)
def test_numbers_that_cannot_be_quoted_are_refused(tmp_path: Path, raw: bytes, options: ReadOptions) -> None:
    table = read_table(saved(tmp_path, raw), options=options)
    release = replace_columns(table, schema_of(table, quasi=["a"]), {"a": np.array([-1.5, 2.5])})
    (tmp_path / "out.csv").write_bytes(b"before")
    with pytest.raises(OutputError, match="'a' contain the delimiter"):
        write_table(release, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b"before"


@pytest.mark.parametrize(
    ("raw", "options", "expected"),
    [
        (b"a,b\n1,2\n3,4\n", ReadOptions(quote="."), b"a,b\n.-1..5.,2\n.2..5.,4\n"),
        (b"a,b\n1,2\n3,4\n", ReadOptions(quote="-"), b"a,b\n---1.5-,2\n2.5,4\n"),
        (b"a.b\n1.2\n3.4\n", ReadOptions(delimiter="."), b'a.b\n"-1.5".2\n"2.5".4\n'),
    ],
)
def test_numbers_with_marks_are_quoted(tmp_path: Path, raw: bytes, options: ReadOptions, expected: bytes) -> None:
    table = read_table(saved(tmp_path, raw), options=options)
    write_table(
        replace_columns(table, schema_of(table, quasi=["a"]), {"a": np.array([-1.5, 2.5])}), tmp_path / "out.csv"
    )
    assert (tmp_path / "out.csv").read_bytes() == expected
    again = read_table(tmp_path / "out.csv", options=ReadOptions.from_settings(table.settings))
    assert again.native()["a"].to_list() == [-1.5, 2.5]


def test_integers_too_long_for_any_type_stay_as_they_are(tmp_path: Path) -> None:
    accounts = ["12345678901234567890", "12345678901234567891", "NA"]
    raw = "account,huge,n\n" + "".join(f"{one},{10**25},1\n" for one in accounts)
    table = read_table(saved(tmp_path, raw.encode()))
    assert dict(column_kinds(table)) == dict.fromkeys(table.names, Kind.NUMERIC)
    native = table.native()
    assert native["account"].to_list() == [*accounts[:2], None]
    assert native["huge"].to_list() == [str(10**25)] * 3
    write_table(table, tmp_path / "out.parquet")
    assert read_table(tmp_path / "out.parquet").native()["account"].to_list() == [*accounts[:2], None]
    assert encode_records(table, schema_of(table, quasi=["huge"])).values[:, 0].tolist() == [1e25] * 3
    assert profile_columns(table)[0].distinct == 2
    longest = read_table(saved(tmp_path, b"a\n" + b"1" * 5000 + b"\n" + b"2" * 5000 + b"\n"))
    assert longest.native()["a"].to_list() == ["1" * 5000, "2" * 5000]


def test_another_delimited_format_keeps_the_text(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b'zip;x\n00501;"a;b"\n00502;1.50\n'))
    write_table(table, tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_bytes() == b"zip\tx\n00501\ta;b\n00502\t1.50\n"
    back = read_table(tmp_path / "out.tsv")
    write_table(back, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b"zip,x\n00501,a;b\n00502,1.50\n"


def test_classes_are_counted_on_the_text(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b'a,b\n1.0,x\n1.00,x\n"1.0",x\n,x\n"",x\n'))
    assert class_sizes(table, ["a", "b"]).tolist() == [2, 1, 2, 2, 2]
    schema = schema_of(table, quasi=["a"])
    release = replace_columns(table, schema, {"a": np.array([1.5, 1.5, 1.5, 2.0, 2.0])})
    assert class_sizes(release, ["a"]).tolist() == [3, 3, 3, 2, 2]


NASTY = st.text(alphabet=st.sampled_from(list("a0,;\t|\"'\n\r .é😀")), max_size=6)


@st.composite
def written_files(draw: st.DrawFn) -> tuple[list[list[str]], str, str, bytes]:
    """A table of nasty text as Python's csv module writes it."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NASTY, min_size=width, max_size=width), min_size=1, max_size=8))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    quoting = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_MINIMAL]))
    header = [f"n{position}" for position in range(width)]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator=newline, quoting=quoting).writerows([header, *rows])
    raw = buffer.getvalue().encode()
    # Before Python 3.13 the module leaves a lone return unquoted, and cannot read that back itself.
    assume(list(csv.reader(io.StringIO(raw.decode(), newline=""), delimiter=delimiter, strict=True))[1:] == rows)
    if draw(st.booleans()):
        raw = raw.removesuffix(newline.encode())
    return rows, delimiter, newline, raw


@given(written_files())
def test_reading_agrees_with_the_csv_module(file: tuple[list[list[str]], str, str, bytes]) -> None:
    rows, delimiter, _, raw = file
    cells, _ = read_delimited(raw, options=ReadOptions(delimiter=delimiter), tabs=False, path="table.csv")
    assert [list(row) for row in cells.text_frame().rows()] == rows


@given(written_files(), st.data())
def test_splicing_leaves_the_bytes_of_other_fields(
    file: tuple[list[list[str]], str, str, bytes], data: st.DataObject
) -> None:
    rows, delimiter, _, raw = file
    options = ReadOptions(delimiter=delimiter)
    cells, _ = read_delimited(raw, options=options, tabs=False, path="table.csv")
    assert b"".join(cells.splice()) == raw
    remaining = data.draw(st.lists(st.sampled_from(cells.names), min_size=1, unique=True).map(sorted))
    column = data.draw(st.sampled_from(remaining))
    numbers = np.arange(len(rows)) + 0.5
    new = cells.replace_columns(remaining, {column: numbers})
    again, _ = read_delimited(b"".join(new.splice()), options=options, tabs=False, path="table.csv")
    assert again.names == tuple(remaining)
    for name in remaining:
        if name == column:
            assert again.text_frame()[name].to_list() == [repr(number) for number in numbers.tolist()]
        else:
            assert raw_fields(again, name) == raw_fields(cells, name)


def raw_fields(cells: DelimitedCells, name: str) -> list[str]:
    """The bytes of the fields as they stand in the file, cut out one by one."""
    layout, at = cells.layout, cells.sources[name]
    assert isinstance(at, int)
    starts = layout.record_starts[:-1] if at == 0 else layout.field_ends[:, at - 1] + 1
    spans = zip(starts.tolist(), layout.field_ends[:, at].tolist(), strict=True)
    data = b"".join(text.data.item() for text in layout.texts)
    return [data[start:end].decode() for start, end in spans]


def test_many_blocks_give_the_same_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b"id,age,x\r\n" + b"".join(b'P%d,%d,"a ""%d"""\r\n' % (i, i, i) for i in range(500))
    whole = read_table(saved(tmp_path, raw)).native()
    monkeypatch.setattr("shoal.data.csv.scan._BLOCK", 100)
    table = read_table(tmp_path / "table.csv")
    assert table.native().equals(whole)
    release = replace_columns(table, schema_of(table, quasi=["age"]), {"age": np.arange(500) + 1})
    write_table(release, tmp_path / "out.csv")
    expected = b"id,age,x\r\n" + b"".join(b'P%d,%d,"a ""%d"""\r\n' % (i, i + 1, i) for i in range(500))
    assert (tmp_path / "out.csv").read_bytes() == expected


@given(st.lists(st.sampled_from([b"a", b"1", b",", b'"', b"\n", b"\r", b"\r\n", b" ", "é".encode()]), max_size=20))
def test_any_bytes_are_refused_or_understood_as_the_csv_module_does(parts: list[bytes]) -> None:
    raw = b"x,y\n" + b"".join(parts)
    try:
        cells, _ = read_delimited(raw, options=ReadOptions(), tabs=False, path="table.csv")
    except ShoalError:
        return
    rows = list(csv.reader(io.StringIO(raw.decode(), newline=""), strict=True))
    assert [list(row) for row in cells.text_frame().rows()] == [row for row in rows[1:] if row]
    written = b"".join(cells.splice())
    assert raw.startswith(written)
    assert not raw[len(written) :].strip(b"\r\n")


def test_a_header_of_numbers_can_be_known(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, b"id,2020\nx,1\ny,2\n"))
    schema = schema_of(table, quasi=["2020"], identifiers=("id",))
    write_table(replace_columns(table, schema, {"2020": np.array([1.5, 1.5])}), tmp_path / "out.csv")
    again = read_table(tmp_path / "out.csv", options=ReadOptions.from_settings(table.settings))
    assert again.names == ("2020",)
    with pytest.raises(FileError, match="only numbers"):
        read_table(tmp_path / "out.csv")
    write_table(read_table(np.array([[1, 2], [3, 4]])), tmp_path / "array.csv")
    assert read_table(tmp_path / "array.csv").names == ("0", "1")


def test_a_table_knows_the_fingerprint_of_its_file(tmp_path: Path) -> None:
    for name, raw in (("a.csv", PLAIN), ("a.csv.gz", gzip.compress(PLAIN))):
        path = saved(tmp_path, raw, name)
        table = read_table(path)
        assert table.sha256 == file_sha256(path)
        assert replace_columns(table, schema_of(table, quasi=["age"]), {"age": np.zeros(2)}).sha256 == table.sha256
