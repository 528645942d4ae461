"""Bad input gets one clear sentence, exit code 2, no output, no traceback and never a cell of the data."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

SECRET = "Xk7Zq31415"
GOOD = "name,age,income\n" + "".join(f"{SECRET}{i},{20 + i},{1000 * i}\n" for i in range(12))


def write(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def check(run, folder: Path, before: set[str], *words: str, code: int = 2) -> None:
    """One sentence with these words, the exit code, nothing new in the folder, no secret."""
    assert run.code == code, run
    lines = run.err.strip().splitlines()
    assert len(lines) == 1, run.err
    assert re.match(r"shoal: \S.*[.]$", lines[0]), run.err
    for word in words:
        assert word in run.err, run.err
    assert run.out == ""
    assert SECRET not in run.err
    assert "Traceback" not in run.err
    assert set(os.listdir(folder)) == before


AGE = ["-q", "age", "--identifiers", "name"]
FILES = {
    "empty": (b"", ["is empty"]),
    "only a newline": (b"\n", ["people.csv"]),
    "header only": (b"name,age,income\n", ["has a header and no record"]),
    "duplicate names": (b"age,age,income\n1,2,3\n1,2,3\n", ["'age'", "more than once"]),
    "unnamed column": (
        b"age,,income\n" + b"1,,3\n" * 20_000 + f"1,{SECRET},3\n".encode(),
        ["Column 2", "has no name", "record 20,001"],
    ),
    "ragged": (GOOD.encode() + f"{SECRET},1\n".encode(), ["1 record", "record 13 with 2"]),
    "too many fields": (GOOD.encode() + f"{SECRET},1,2,3,{SECRET}\n".encode(), ["record 13 with 5"]),
    "open quote": (GOOD.encode() + f'"{SECRET},1,2\n'.encode(), ["quotation mark"]),
    "stray quote": (GOOD.encode() + f'a"{SECRET}",1,2\n'.encode(), ["Record 13", "quotation mark"]),
    "text": (GOOD.encode() + f"a,{SECRET},2\n".encode(), ["'age'", "1 of 13 records", "record 13"]),
    "missing": (GOOD.encode() + b"a,,2\nb,NA,3\n", ["'age'", "missing values in 2 of 14 records", "record 13"]),
    "nan": (GOOD.encode() + b"a,nan,2\n", ["'age'", "missing values in 1 of 13"]),
    "infinite": (GOOD.encode() + b"a,inf,2\nb,-inf,2\n", ["'age'", "infinite values in 2 of 14"]),
    "all text": (GOOD.replace(",2", f",{SECRET}2").encode(), ["'age'"]),
    "binary": (bytes(range(256)) * 20, ["people.csv"]),
    "no header": (b"1,2,3\n4,5,6\n7,8,9\n", ["looks like a record"]),
}


@pytest.mark.parametrize("case", FILES)
def test_bad_files(shoal, tmp_path: Path, case: str) -> None:
    content, words = FILES[case]
    source = write(tmp_path, content)
    run = shoal("anonymize", source, "-k", 3, *AGE, "--missing-values", "refuse", "-o", tmp_path / "out.csv")
    check(run, tmp_path, {"people.csv"}, *words)
    assert source.read_bytes() == content


OPTIONS = {
    "unknown column": (["-k", 3, "-q", "agee"], ["no column 'agee'", "did you mean 'age'"]),
    "unknown identifier": (["-k", 3, "-q", "age", "--identifiers", "nam"], ["did you mean 'name'"]),
    "repeated column": (["-k", 3, "-q", "age,age"], ["named twice"]),
    "two roles": (["-k", 3, "-q", "age", "--sensitive", "age"], ["quasi-identifier and as sensitive"]),
    "no quasi-identifier": (["-k", 3], ["nothing to protect"]),
    "empty quasi-identifier": (["-k", 3, "-q", ""], ["nothing to protect"]),
    "text column": (["-k", 3, "-q", "name", "--keep", "age", "--method", "hm"], ["'name'", "nominal", "numeric"]),
    "undecided identifier": (["-k", 3, "-q", "age"], ["'name'", "--identifiers name", "--keep name"]),
    "unknown kept column": (["-k", 3, "-q", "age", "--keep", "nam"], ["did you mean 'name'"]),
    "kept identifier": (["-k", 3, *AGE, "--keep", "name"], ["named as identifier and as kept"]),
    "no k": (["-q", "age"], ["your decision"]),
    "k of 1": (["-k", 1, "-q", "age"], ["k = 1", "at least 2"]),
    "k of 0": (["-k", 0, "-q", "age"], ["k = 0"]),
    "negative k": (["-k", -3, "-q", "age"], ["k = -3"]),
    "k not whole": (["-k", "2.5", "-q", "age"], ["not a whole number"]),
    "k a word": (["-k", "five", "-q", "age"], ["not a whole number"]),
    "k above n": (["-k", 13, "-q", "age"], ["k = 13", "12 records", "between 2 and 12"]),
    "unknown method": (["-k", 3, "-q", "age", "--method", "mdva"], ["did you mean 'mdav'"]),
    "unknown option": (["-k", 3, *AGE, "--option", "gamma=1"], ["'auto' has no option 'gamma'"]),
    "misspelt option": (["-k", 3, "-q", "age", "--method", "v-mdav", "--option", "gama=1"], ["did you mean 'gamma'"]),
    "bad option value": (["-k", 3, *AGE, "--method", "v-mdav", "--option", "gamma=x"], ["'gamma'"]),
    "option of the release": (
        ["-k", 3, "-q", "age", "--option", "recode=median"],
        ["No method has an option 'recode'"],
    ),
    "option of the function": (["-k", 3, "-q", "age", "--option", "data=1"], ["No method has an option 'data'"]),
    "line break in a name": (["-k", 3, "-q", "a\nge"], ["no column 'a'"]),
    "long name": (["-k", 3, "-q", "x" * 5000], ["no column 'xxx", "the table has 3 columns"]),
    "option without value": (["-k", 3, "-q", "age", "--option", "gamma"], ["equals sign"]),
    "bad recode": (["-k", 3, "-q", "age", "--recode", "mode"], ["'mode'", "mean, median and interval are for numbers"]),
    "bad weight": (["-k", 3, "-q", "age", "--weight", "age=heavy"], ["number above 0"]),
    "zero weight": (["-k", 3, *AGE, "--weight", "age=0"], ["weight"]),
    "weight of another column": (["-k", 3, *AGE, "--weight", "income=2"], ["income"]),
    "bad seed": (["-k", 3, "-q", "age", "--seed", "x"], ["seed"]),
    "too many columns": (
        ["-k", 3, "-q", "age,income", "--drop-others", "--method", "hm"],
        ["1 quasi-identifier and 2"],
    ),
    "unknown flag": (["-k", 3, "-q", "age", "--colour"], ["--colour", "--help"]),
    "no such policy": (["--policy", "none.toml"], ["none.toml"]),
    "policy and seed": (["--policy", "none.toml", "--seed", 3], ["policy decides 'seed'"]),
    "wrong delimiter": (["-k", 3, "-q", "age", "--delimiter", ";"], ["no column 'age'"]),
    "long delimiter": (["-k", 3, "-q", "age", "--delimiter", "ab"], ["delimiter"]),
    "unknown encoding": (["-k", 3, "-q", "age", "--encoding", "klingon"], ["encoding"]),
    "unknown format": (["-k", 3, "-q", "age", "--format", "klingon"], ["format"]),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options(shoal, tmp_path: Path, case: str) -> None:
    arguments, words = OPTIONS[case]
    source = write(tmp_path, GOOD)
    check(shoal("anonymize", source, *arguments, "-o", tmp_path / "out.csv"), tmp_path, {"people.csv"}, *words)


def test_missing_file(shoal, tmp_path: Path) -> None:
    run = shoal("anonymize", tmp_path / "none.csv", "-k", 3, "-q", "age", "-o", tmp_path / "out.csv")
    check(run, tmp_path, set(), "does not exist")


def test_folder_instead_of_a_file(shoal, tmp_path: Path) -> None:
    (tmp_path / "in.csv").mkdir()
    run = shoal("anonymize", tmp_path / "in.csv", "-k", 3, "-q", "age", "-o", tmp_path / "out.csv")
    check(run, tmp_path, {"in.csv"}, "is a folder")


def test_unknown_ending(shoal, tmp_path: Path) -> None:
    source = write(tmp_path, GOOD, "people.docx")
    run = shoal("anonymize", source, "-k", 3, "-q", "age", "-o", tmp_path / "out.csv")
    check(run, tmp_path, {"people.docx"}, "is no format", ".csv")


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".feather", ".xlsx", ".sav", ".dta", ".sas7bdat"])
def test_damaged_binary_files(shoal, tmp_path: Path, ending: str) -> None:
    source = write(tmp_path, GOOD * 3, "people" + ending)
    run = shoal("anonymize", source, "-k", 3, "-q", "age", "-o", tmp_path / "out.csv")
    check(run, tmp_path, {"people" + ending}, "people" + ending)


class TestOutputs:
    """Where a release cannot go."""

    @pytest.mark.parametrize("option", ["-o", "--report", "--external-report", "--bundle"])
    def test_without_a_name(self, shoal, tmp_path: Path, option: str) -> None:
        source = write(tmp_path, GOOD)
        run = shoal("anonymize", source, "-k", 3, "-q", "age", "-o", tmp_path / "out.csv", option, "")
        check(run, tmp_path, {"people.csv"}, "no name that a file can have")

    @pytest.mark.parametrize(
        ("command", "option"), [("anonymize", "-o"), ("anonymize", "--report"), ("compare", "--report")]
    )
    def test_a_hierarchy_is_never_replaced(self, shoal, tmp_path: Path, command: str, option: str) -> None:
        source, tree = write(tmp_path, "sex,age\n" + "f,1\nm,2\n" * 6), write(tmp_path, "f;*\nm;*\n", "sex.csv")
        rest = ["-o", tmp_path / "out.csv"] if command == "anonymize" else ["--no-cache"]
        options = [source, "-k", 3, "-q", "sex", "--hierarchy", f"sex={tree}", "--force", *rest]
        run = shoal(command, *options, option, tree)
        check(run, tmp_path, {"people.csv", "sex.csv"}, "is the input itself")
        assert tree.read_text() == "f;*\nm;*\n"

    def arguments(self, source: Path, target: Path) -> list[object]:
        return ["anonymize", source, "-k", 3, "-q", "age,income", "--identifiers", "name", "-o", target]

    def test_output_is_the_input(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        check(shoal(*self.arguments(source, source), "--force"), tmp_path, {"people.csv"}, "is the input itself")
        link = tmp_path / "link.csv"
        link.symlink_to(source)
        run = shoal(*self.arguments(source, link), "--force")
        check(run, tmp_path, {"people.csv", "link.csv"}, "is the input itself")
        assert source.read_text() == GOOD

    def test_report_is_the_input(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        run = shoal(*self.arguments(source, tmp_path / "out.csv"), "--report", source, "--force")
        check(run, tmp_path, {"people.csv"}, "is the input itself")

    def test_outputs_of_the_same_name(self, shoal, tmp_path: Path) -> None:
        source, target = write(tmp_path, GOOD), tmp_path / "out.csv"
        for report in (target, f"{target}.policy.toml"):
            run = shoal(*self.arguments(source, target), "--report", report, "--force")
            check(run, tmp_path, {"people.csv"}, "same name")

    def test_output_is_a_device(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        fifo = tmp_path / "out.csv"
        os.mkfifo(fifo)
        check(shoal(*self.arguments(source, fifo), "--force"), tmp_path, {"people.csv", "out.csv"}, "device")
        assert fifo.is_fifo()

    def test_input_is_a_pipe(self, shoal, tmp_path: Path) -> None:
        fifo = tmp_path / "in.csv"
        os.mkfifo(fifo)
        check(shoal(*self.arguments(fifo, tmp_path / "out.csv")), tmp_path, {"in.csv"}, "write the data to a file")

    def test_output_exists(self, shoal, tmp_path: Path) -> None:
        source, target = write(tmp_path, GOOD), write(tmp_path, "old", "out.csv")
        check(shoal(*self.arguments(source, target)), tmp_path, {"people.csv", "out.csv"}, "exists", "--force")
        assert target.read_text() == "old"
        assert shoal(*self.arguments(source, target), "--force").code == 0
        assert target.read_text().startswith("age,income")

    def test_no_such_folder(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        check(shoal(*self.arguments(source, tmp_path / "no" / "out.csv")), tmp_path, {"people.csv"}, "does not exist")

    def test_output_is_a_folder(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        (tmp_path / "out.csv").mkdir()
        run = shoal(*self.arguments(source, tmp_path / "out.csv"), "--force")
        check(run, tmp_path, {"people.csv", "out.csv"}, "folder")

    def test_unwritable_folder(self, shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        source = write(tmp_path, GOOD)
        monkeypatch.setattr(os, "access", lambda *_: False)
        check(shoal(*self.arguments(source, tmp_path / "out.csv")), tmp_path, {"people.csv"}, "permission denied")

    def test_disk_full(self, shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        source = write(tmp_path, GOOD)

        def full(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        check(shoal(*self.arguments(source, tmp_path / "out.csv")), tmp_path, {"people.csv"}, "no space left")

    @pytest.mark.parametrize("name", ["", ".", "a\0.csv", "x" * 250 + ".csv", "x" * 300 + ".csv"])
    def test_names_that_no_file_can_have(self, shoal, tmp_path: Path, monkeypatch, name: str) -> None:
        source = write(tmp_path, GOOD)
        monkeypatch.chdir(tmp_path)
        check(shoal(*self.arguments(source, name)), tmp_path, {"people.csv"})

    def test_a_report_that_cannot_be_written_leaves_nothing(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        report = tmp_path / "report.html"
        report.symlink_to(tmp_path / "nowhere" / "x")
        run = shoal(*self.arguments(source, tmp_path / "out.csv"), "--report", report)
        check(run, tmp_path, {"people.csv", "report.html"}, "exists")

    def test_the_policy_being_replayed_is_never_overwritten(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        shoal(*self.arguments(source, tmp_path / "a.csv"))
        policy = tmp_path / "a.csv.policy.toml"
        before = {"people.csv", "a.csv", "a.csv.policy.toml"}
        content = policy.read_bytes()
        run = shoal("anonymize", source, "--policy", policy, "-o", tmp_path / "b.csv", "--report", policy, "--force")
        check(run, tmp_path, before, "is the input itself")
        assert policy.read_bytes() == content

    def test_unknown_output_format(self, shoal, tmp_path: Path) -> None:
        source = write(tmp_path, GOOD)
        check(shoal(*self.arguments(source, tmp_path / "out.docx")), tmp_path, {"people.csv"}, "out.docx")


def test_other_commands_speak_the_same_way(shoal, tmp_path: Path) -> None:
    source = write(tmp_path, GOOD)
    for arguments in (
        ["describe", tmp_path / "none.csv"],
        ["verify", source, "-k", 3],
        ["verify", source, "-q", "age"],
        ["verify", source, "-k", 3, "-q", "agee"],
        ["evaluate", source, source],
        ["evaluate", source, tmp_path / "none.csv", "-q", "age"],
        ["nonsense"],
        ["verify"],
    ):
        check(shoal(*arguments), tmp_path, {"people.csv"})


def test_a_bug_shows_its_place_and_not_its_text(shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal import data

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(data, "class_labels", broken)
    run = shoal("verify", write(tmp_path, GOOD), "-k", 3, "-q", "age")
    check(run, tmp_path, {"people.csv"}, "bug", "ZeroDivisionError in test_bad_input.py", code=1)


@pytest.mark.parametrize("moment", ["build_survey_design", "replace_columns", "write_table", "file_sha256"])
def test_interrupting_leaves_nothing(shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    from shoal import data

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    source = write(tmp_path, GOOD)
    monkeypatch.setattr(data, moment, interrupt)
    run = shoal("anonymize", source, "-k", 3, "-q", "age", "--identifiers", "name", "-o", tmp_path / "out.csv")
    check(run, tmp_path, {"people.csv"}, "Interrupted", code=130)


def test_a_release_that_breaks_the_promise_is_never_written(shoal, tmp_path: Path, monkeypatch) -> None:
    """Whatever goes wrong between grouping and writing, the count on the written file stops it."""
    from shoal import data

    source = write(tmp_path, GOOD)
    real = data.write_table

    def spoil(table, path, **options) -> None:
        real(table, path, **options)
        lines = Path(path).read_text().splitlines(keepends=True)
        Path(path).write_text("".join([*lines[:-1], "99.0,1\n"]))

    monkeypatch.setattr(data, "write_table", spoil)
    run = shoal("anonymize", source, "-k", 3, "-q", "age,income", "--identifiers", "name", "-o", tmp_path / "out.csv")
    check(run, tmp_path, {"people.csv"}, "below k = 3", code=3)


def test_a_lost_record_is_never_written(shoal, tmp_path: Path, monkeypatch) -> None:
    from shoal import data

    source = write(tmp_path, GOOD)
    real = data.write_table

    def lose(table, path, **options) -> None:
        real(table, path, **options)
        Path(path).write_text("".join(Path(path).read_text().splitlines(keepends=True)[:-1]))

    monkeypatch.setattr(data, "write_table", lose)
    run = shoal("anonymize", source, "-k", 3, "-q", "age,income", "--identifiers", "name", "-o", tmp_path / "out.csv")
    check(run, tmp_path, {"people.csv"}, "11 records instead of 12", code=3)


DAMAGED = {
    "header": ("header = true", 'header = "yes"'),
    "delimiter": ('delimiter = ","', "delimiter = 5"),
    "encoding": ('encoding = "utf-8"', "encoding = 5"),
    "settings": ("[input.settings]", "settings = 5\n[input.other]"),
    "recode": ('recode = "mean"', "recode = [1]"),
    "standardize": ("standardize = true", "standardize = 3"),
    "option": ("standardize = true", "standardize = true\ngamma = 1"),
    "method": ('method = "auto"', 'method = "atuo"'),
    "k": ("k = 3", "k = 1"),
    "k above n": ("k = 3", "k = 13"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_policies(shoal, tmp_path: Path, case: str) -> None:
    source = write(tmp_path, GOOD)
    shoal("anonymize", source, "-k", 3, "-q", "age,income", "--identifiers", "name", "-o", tmp_path / "a.csv")
    policy = tmp_path / "a.csv.policy.toml"
    good, bad = DAMAGED[case]
    assert good in policy.read_text()
    policy.write_text(policy.read_text().replace(good, bad, 1))
    before = {"people.csv", "a.csv", "a.csv.policy.toml"}
    check(shoal("anonymize", source, "--policy", policy, "-o", tmp_path / "b.csv"), tmp_path, before)


def test_a_policy_without_output_facts_still_replays(shoal, tmp_path: Path) -> None:
    source = write(tmp_path, GOOD)
    shoal("anonymize", source, "-k", 3, "-q", "age,income", "--identifiers", "name", "-o", tmp_path / "a.csv")
    policy = tmp_path / "a.csv.policy.toml"
    policy.write_text(policy.read_text().replace('file = "a.csv"', "", 1))
    assert shoal("anonymize", source, "--policy", policy, "-o", tmp_path / "b.csv").code == 0


def test_demo_into_a_file(shoal, tmp_path: Path) -> None:
    check(shoal("demo", "--folder", write(tmp_path, GOOD)), tmp_path, {"people.csv"}, "cannot be written")


def test_a_header_that_is_data_is_not_printed_whole(shoal, tmp_path: Path) -> None:
    source = write(tmp_path, f'id,"name\n1,{SECRET}",5\n2,b,6\n3,c,7\n')
    check(shoal("anonymize", source, "-k", 2, "-q", "nme", "-o", tmp_path / "out.csv"), tmp_path, {"people.csv"})
