"""`shoal hierarchy` as users run it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from shoal.hierarchy import Hierarchy, formats

SECRET = "Xk7Zq31415"
FACTS = ["nodes", "leaves", "levels", "fingerprint"]
KINDS = {
    "intervals": ("age", "--width", "5,10,20"),
    "prefixes": ("postcode", "--lengths", "1,3"),
    "dates": ("birth_date", "--levels", "month,year,decade"),
    "frequencies": ("diagnosis",),
}
NOUNS = {
    "entity": [],
    "person": ["entity"],
    "worker": ["person"],
    "clerk": ["worker"],
    "guard": ["worker", "person"],
    "port": ["entity"],
}
"""A word for each synset of a small WordNet, and the synsets above it."""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("name,job\na,clerk\nb,clerk\nc,Guard\nd,worker\ne,\nf,pilot\n")
    return path


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text("child,parent\nworker,person\nclerk,worker\nguard,worker\n")
    return path


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    folder = tmp_path / "wordnet"
    folder.mkdir()
    offsets = dict.fromkeys(NOUNS, 0)
    for _ in range(2):  # offsets have eight digits whatever they are
        data = "  1 A made-up license.\n"
        for word, above in NOUNS.items():
            offsets[word] = len(data)
            up = "".join(f"@ {offsets[name]:08} n 0000 " for name in above)
            data += f"{offsets[word]:08} 03 n 01 {word} 0 {len(above):03} {up}| gloss\n"
    (folder / "data.noun").write_text(data)
    (folder / "index.noun").write_text("".join(f"{word} n 1 1 @ 1 0 {at:08}\n" for word, at in sorted(offsets.items())))
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_built_covers_the_column(shoal, kind: str, register_csv: Path, tmp_path: Path) -> None:
    column, *options = KINDS[kind]
    target = tmp_path / "built.json"
    run = shoal("hierarchy", "build", kind, register_csv, column, *options, "-o", target)
    assert run.code == 0, run.err
    with register_csv.open(newline="", encoding="utf-8") as file:
        values = {row[column] for row in csv.DictReader(file)}
    tree = formats.read(target)
    assert set(tree.leaves) == values
    assert run.out == (
        f"Written {target}: {len(tree):,} nodes on {tree.levels} levels, {len(tree.leaves):,} of them leaves\n"
        f"{len(values):,} values in 800 records: all are in the hierarchy\n"
    )
    assert shoal("hierarchy", "check", target, register_csv, column).code == 0


def test_each_kind_makes_its_levels(shoal, register_csv: Path, tmp_path: Path) -> None:
    def built(kind: str, column: str, *options: str) -> Hierarchy:
        run = shoal("hierarchy", "build", kind, register_csv, column, *options, "-o", tmp_path / "h.csv", "--force")
        assert run.code == 0, run.err
        return formats.read(tmp_path / "h.csv")

    assert built("intervals", "age", "--width", "5,10").path("42") == ("42", "[40, 45)", "[40, 50)", "*")
    cuts = built("intervals", "age", "--cuts", "18,30,65", "--cuts", "18,65")
    assert cuts.path("42") == ("42", "[30, 65)", "[18, 65)", "*")
    assert built("intervals", "age", "--cuts", "30").path("42") == ("42", ">= 30", "*")
    assert built("prefixes", "postcode", "--lengths", "2", "--mask", "").path("71041") == ("71041", "71", "*")
    dates = built("dates", "birth_date", "--levels", "year,decade")
    assert dates.path("2014-02-25") == ("2014-02-25", "2014", "2010s", "*")
    assert len(built("frequencies", "diagnosis", "--groups", "3").children("*")) == 3


def test_quantiles_are_those_of_the_records(shoal, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "h.csv"
    source.write_text("age\n" + "1\n" * 5 + "2\n" * 5 + "".join(f"{i}\n" for i in range(3, 13)))
    assert shoal("hierarchy", "build", "intervals", source, "age", "--quantiles", 2, "-o", target).code == 0
    assert formats.read(target).children("*") == ("< 3", ">= 3")


def test_wordnet_counts_its_choices_and_names_them_on_request(shoal, wordnet: Path, tmp_path: Path) -> None:
    source, target, report = tmp_path / "in.csv", tmp_path / "h.csv", tmp_path / "report.txt"
    source.write_text("job\nclerk\nclerk\nGuard\nharbor\n")
    senses = tmp_path / "senses.csv"
    senses.write_text("value,sense\nharbor,port.n.01\nunused,clerk.n.01\n")
    build = ("hierarchy", "build", "wordnet", source, "job", "--folder", wordnet, "-o", target, "--force")
    run = shoal(*build, "--senses", senses, "--report", report)
    assert run.code == 0, run.err
    assert run.out.splitlines()[1:] == [
        "3 values in 4 records: all are in the hierarchy",
        "1 of the senses and parents given fits nothing",
        "Chosen senses: 1 given, 2 only",
        "Chosen parents: 1 alphabetical; --values lists them",
    ]
    assert formats.read(target).path("Guard")[:3] == ("Guard", "guard.n.01", "person.n.01")
    assert "'harbor' -> port.n.01" in report.read_text(encoding="utf-8")
    assert "names them" not in report.read_text(encoding="utf-8")
    assert "'harbor' -> port.n.01" in shoal(*build, "--sense", "harbor=port", "--values").out
    moved = ("--sense", "harbor=port", "--parent", "guard.n.01=worker.n.01")
    facts = json.loads(shoal(*build, *moved, "--json").out)
    assert list(facts) == ["hierarchy", "column", "coverage", "rules", "unused", "written"]
    assert facts["rules"] == {"senses": {"only": 3}, "parents": {"given": 1}}
    assert formats.read(target).parent("guard.n.01") == "worker.n.01"


def test_senses_are_given_once(shoal, wordnet: Path, tmp_path: Path) -> None:
    source, senses, target = tmp_path / "in.csv", tmp_path / "senses.csv", tmp_path / "h.csv"
    source.write_text(f"job\nclerk\n{SECRET}\n")
    build = ("hierarchy", "build", "wordnet", source, "job", "--folder", wordnet, "-o", target, "--senses", senses)
    senses.write_text(f"value,sense\n{SECRET},port\n{SECRET},guard\n")
    twice = shoal(*build)
    senses.write_text(f"value,sense\n{SECRET},port\n")
    both = shoal(*build, "--sense", f"{SECRET}=guard")
    for run in (twice, both):
        assert run.code == 2
        assert "1 value has more than one sense given" in run.err
        assert SECRET not in run.out + run.err
    senses.write_text(f"value,sense\n{SECRET},{SECRET}\nclerk,guard\n")
    run = shoal(*build)
    assert run.code == 2
    assert "WordNet has no noun for 1 of 2 senses given" in run.err
    assert SECRET not in run.out + run.err
    assert not target.exists()


def test_build_tells_records_without_a_value(shoal, people: Path, tmp_path: Path) -> None:
    build = ("hierarchy", "build", "frequencies", people, "job", "-o", tmp_path / "h.csv", "--force")
    assert shoal(*build).out.endswith("4 values in 5 records: all are in the hierarchy; 1 record has no value\n")
    assert json.loads(shoal(*build, "--json").out)["coverage"]["records_without_value"] == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--hierarchy", "job=jobs.csv", "--hierarchy", "job=jobs.csv"], "Option --hierarchy names 'job' twice; name"),
        (
            ["--hierarchy", "job=jobs.csv", "--kind", "job=nominal", "--kind", "job=nominal"],
            "Option --kind names 'job' twice",
        ),
        (["--hierarchy", "job="], "an equals sign and a value"),
        (["--hierarchy", "job=jobs.csv", "--distance", ""], "no distance ''"),
    ],
)
def test_options_of_columns_are_given_once(
    shoal, monkeypatch: pytest.MonkeyPatch, people: Path, jobs: Path, options: list[str], words: str
) -> None:
    monkeypatch.chdir(people.parent)
    people.write_text("job\nclerk\nclerk\nguard\nguard\n")
    run = shoal("anonymize", people, "-k", 2, "-q", "job", *options, "-o", "out.csv")
    assert run.code == 2
    assert words in run.err


def test_words_that_wordnet_lacks_are_named_on_request_only(shoal, wordnet: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "h.csv"
    source.write_text(f"job\nclerk\n{SECRET}\n")
    build = ("hierarchy", "build", "wordnet", source, "job", "--folder", wordnet, "-o", target)
    run = shoal(*build)
    assert (run.code, run.out) == (2, "")
    assert SECRET not in run.err
    run = shoal(*build, "--values")
    assert run.code == 2
    assert run.out == f"no noun in WordNet: {SECRET!r}\n"
    assert not target.exists()


def test_check_tells_counts_and_values_on_request(shoal, people: Path, jobs: Path) -> None:
    run = shoal("hierarchy", "check", jobs, people, "job")
    assert run.code == 3
    assert run.out.startswith("2 of 4 values (2 of 5 records) are not in the hierarchy")
    assert "pilot" not in run.out + run.err
    run = shoal("hierarchy", "check", jobs, people, "job", "--values")
    assert run.code == 3
    assert "'pilot'" in run.out
    assert "'Guard' (1 record) -> 'guard'" in run.out


def test_check_fixes_what_differs_in_spelling_only(shoal, people: Path, jobs: Path, tmp_path: Path) -> None:
    fixed = tmp_path / "fixed.json"
    run = shoal("hierarchy", "check", jobs, people, "job", "--fix", fixed)
    assert run.code == 3
    assert "1 of 4 values (1 of 5 records) is not in the hierarchy; 1 record has no value" in run.out.splitlines()[-1]
    assert formats.read(fixed).parent("Guard") == "guard"
    assert (
        shoal("hierarchy", "check", jobs, people, "job", "--fix", fixed, "--map", "pilot=worker", "--force").code == 0
    )
    assert formats.read(fixed).parent("pilot") == "worker"
    assert shoal("hierarchy", "check", fixed, people, "job").code == 0
    refused = shoal("hierarchy", "check", jobs, people, "job", "--fix", jobs, "--force")
    assert refused.code == 2
    assert "is the input itself" in refused.err


def test_show_draws(shoal, people: Path, jobs: Path, tmp_path: Path) -> None:
    assert shoal("hierarchy", "show", jobs).out.startswith("person\n└─ worker\n   ├─ clerk\n   └─ guard\n")
    drawn = shoal("hierarchy", "show", jobs, people, "job").out.splitlines()
    assert drawn[2].split() == ["└─", "worker", "3", "1"]
    assert drawn[-1].endswith("; 3 records on 2 values; 2 records on 2 values not in the hierarchy")
    assert "… 2 more below" in shoal("hierarchy", "show", jobs, "--depth", 2).out
    svg, html = tmp_path / "jobs.svg", tmp_path / "jobs.html"
    run = shoal("hierarchy", "show", jobs, people, "job", "--svg", svg, "--html", html)
    assert run.code == 0
    assert run.out.splitlines()[-1] == f"Written {svg}, {html}"
    assert svg.read_text(encoding="utf-8").startswith("<svg ")
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "exists" in shoal("hierarchy", "show", jobs, "--svg", svg).err
    assert shoal("hierarchy", "show", jobs, "--svg", svg, "--force").code == 0


@pytest.mark.parametrize("ending", ["csv", "json", "nt", "tsv"])
def test_convert_keeps_the_tree(shoal, jobs: Path, tmp_path: Path, ending: str) -> None:
    target, again = tmp_path / f"converted.{ending}", tmp_path / "again.csv"
    run = shoal("hierarchy", "convert", jobs, target)
    assert (run.code, run.out) == (0, f"Written {target}: 4 nodes on 3 levels, 2 of them leaves\n")
    assert shoal("hierarchy", "convert", target, again, "--to", "edges").code == 0
    assert formats.read(again) == formats.read(jobs)


def test_convert_takes_formats_and_a_delimiter(shoal, tmp_path: Path) -> None:
    source, target = tmp_path / "in.dat", tmp_path / "out.dat"
    source.write_text("a|x|*\nb|x|*\n")
    assert shoal("hierarchy", "convert", source, target, "--from", "arx", "--delimiter", "|", "--to", "json").code == 0
    assert formats.read(target, format="json").path("a") == ("a", "x", "*")
    run = shoal("hierarchy", "convert", source, tmp_path / "out.csv")
    assert run.code == 2
    assert "--from" in run.err


def test_json_has_stable_keys(shoal, people: Path, jobs: Path, register_csv: Path, tmp_path: Path) -> None:
    target = tmp_path / "age.csv"
    built = shoal("hierarchy", "build", "intervals", register_csv, "age", "--width", 10, "-o", target, "--json")
    facts = json.loads(built.out)
    assert list(facts) == ["hierarchy", "column", "coverage", "written"]
    assert list(facts["hierarchy"]) == FACTS
    assert facts["hierarchy"]["fingerprint"] == formats.read(target).fingerprint
    checked = json.loads(shoal("hierarchy", "check", jobs, people, "job", "--json").out)
    assert list(checked) == ["ok", "hierarchy", "column", "coverage", "written"]
    assert (checked["ok"], checked["coverage"]["missing_values"], checked["written"]) == (False, 2, None)
    assert "pilot" not in json.dumps(checked)
    facts = json.loads(shoal("hierarchy", "show", jobs, people, "job", "--json").out)
    assert list(facts) == ["hierarchy", "column", "nodes", "written"]
    assert facts["nodes"][1] == {"name": "worker", "parent": "person", "depth": 2, "records": 3, "own": 1}
    converted = json.loads(shoal("hierarchy", "convert", jobs, tmp_path / "jobs.json", "--json").out)
    assert list(converted) == ["hierarchy", "written"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "jobs.csv", "people.csv", "jobs"], "did you mean 'job'"),
        (["check", "none.csv", "people.csv", "job"], "'none.csv' does not exist"),
        (["check", "people.csv"], "Missing argument 'FILE'"),
        (["check", "jobs.csv", "people.csv", "job", "--map", f"{SECRET}=worker"], "--map needs --fix"),
        (
            ["check", "jobs.csv", "people.csv", "job", "--fix", "x.csv", "--map", f"{SECRET}={SECRET}"],
            "no node of that",
        ),
        (["check", "jobs.csv", "people.csv", "job", "--fix", "x.csv", "--map", "clerk=person"], "two parents"),
        (["show", "jobs.csv", "people.csv"], "Missing argument 'COLUMN'"),
        (["show", "jobs.csv", "--depth", "0"], "--depth"),
        (["show", "jobs.csv", "--from", "owl"], "no format 'owl'"),
        (["convert", "jobs.csv", "jobs.csv", "--force"], "is the input itself"),
        (["convert", "jobs.csv", "no/where.csv"], "does not exist"),
        (["convert", "jobs.csv", "out.dat"], "--to"),
        (["build", "people.csv", "job", "-o", "x.csv"], "No such command"),
        (["build", "intervals", "people.csv", "job", "--width", "5", "-o", "x.csv"], "not finite numbers"),
        (["build", "intervals", "people.csv", "job", "-o", "x.csv"], "one of width, quantiles and cuts (--width"),
        (["build", "intervals", "people.csv", "job", "--width", "five", "-o", "x.csv"], "numbers separated by commas"),
        (["build", "intervals", "people.csv", "job", "--quantiles", "2.5", "-o", "x.csv"], "whole numbers"),
        (["build", "frequencies", "people.csv", "job", "--groups", "2,3", "-o", "x.csv"], "one whole number"),
        (["build", "frequencies", "people.csv", "job", "--groups", "x", "-o", "x.csv"], "give one whole number"),
        (["build", "prefixes", "people.csv", "job", "--mask", "e", "-o", "x.csv"], "one character that no code has"),
        (
            ["check", "jobs.csv", "people.csv", "job", "--fix", "x.csv", *("--map", f"{SECRET}=worker") * 2],
            "Option --map names 1 value twice; name each once",
        ),
        (
            ["build", "wordnet", "people.csv", "job", "--folder", "w", "-o", "x.csv", *("--sense", f"{SECRET}=x") * 2],
            "Option --sense names 1 value twice",
        ),
        (
            ["build", "wordnet", "people.csv", "job", "--folder", "w", "-o", "x.csv", *("--parent", f"{SECRET}=x") * 2],
            "Option --parent names 1 value twice",
        ),
        (["build", "wordnet", "people.csv", "job", "--folder", "w", "-o", "x.csv", "--sense", "a="], "an equals sign"),
        (["build", "frequencies", "people.csv", "job", "-o", "people.csv", "--force"], "is the input itself"),
        (["build", "frequencies", "people.csv", "job", "-o", "jobs.csv"], "exists"),
        (["build", "dates", "people.csv", "job", "-o", "x.csv"], "not dates"),
        (["build", "wordnet", "people.csv", "job", "-o", "x.csv"], "--folder"),
        (["build", "wordnet", "people.csv", "job", "--folder", "none", "-o", "x.csv"], "does not exist"),
    ],
)
def test_bad_input_is_one_sentence(
    shoal, monkeypatch: pytest.MonkeyPatch, people: Path, jobs: Path, arguments: list[str], words: str
) -> None:
    people.write_text(people.read_text().replace("pilot", SECRET))
    monkeypatch.chdir(people.parent)
    before = sorted(path.name for path in people.parent.iterdir())
    run = shoal("hierarchy", *arguments)
    assert run.code == 2
    assert words in run.err
    assert run.err.count("\n") == 1
    assert SECRET not in run.out + run.err
    assert sorted(path.name for path in people.parent.iterdir()) == before
