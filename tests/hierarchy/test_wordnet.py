"""WordNet hierarchies: lookups, choices, and the report of both."""

from __future__ import annotations

import gzip
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_wordnet import OCEAN, write_wordnet

from naive.hierarchies import hypernym_edges
from shoal.errors import FileError, HierarchyError, OptionError, ShoalError, ShoalWarning
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.wordnet import build, unknown_words
from shoal.hierarchy.wordnet.database import WordNet


@pytest.fixture(params=["plain", "packed"])
def ocean(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of the made-up WordNet, plain and packed."""
    return write_wordnet(tmp_path / "ocean", OCEAN, packed=request.param == "packed")


def sense(value: str, folder: Path, **options: object) -> tuple[str, str]:
    choice = build([value], folder, **options).choices[0]
    return choice.chosen, choice.rule


def test_synsets_are_named_by_their_first_word_and_its_sense(ocean: Path) -> None:
    files = WordNet.open(ocean)
    assert [files.name(offset) for offset in files.senses("diver")] == ["diver.n.01", "loon.n.01"]
    assert [files.name(offset) for offset in files.senses("port")] == ["port.n.01", "port.n.02"]
    assert [files.name(offset) for offset in files.senses("jock")] == ["athlete.n.01"]
    assert [files.name(offset) for offset in files.senses("spot9")] == ["place.n.01"]


def test_values_hang_below_their_synsets_and_siblings_are_in_the_order_of_their_names(ocean: Path) -> None:
    built = build(["Worker", "guinea-bay", "Puerto-Azul"], ocean)
    assert list(built.hierarchy.edges()) == [
        ("being.n.01", "entity.n.01"),
        ("place.n.01", "entity.n.01"),
        ("grown_up.n.01", "being.n.01"),
        ("guinea-bay.n.01", "place.n.01"),
        ("port.n.01", "place.n.01"),
        ("worker.n.01", "grown_up.n.01"),
        ("guinea-bay", "guinea-bay.n.01"),
        ("puerto_azul.n.01", "port.n.01"),
        ("Worker", "worker.n.01"),
        ("Puerto-Azul", "puerto_azul.n.01"),
    ]
    assert built.is_certain


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("  PUERTO   azul ", "puerto_azul.n.01"),
        ("Puerto-Azul", "puerto_azul.n.01"),
        ("Guinea Bay", "guinea-bay.n.01"),
        ("guinea_bay", "guinea-bay.n.01"),
        ("Café", "cafe.n.01"),
        ("Sand & Stone", "sand_and_stone.n.01"),
        ("harbor", "port.n.01"),
        ("port.n.02", "port.n.02"),
        ("Harbor.n.1", "port.n.01"),
    ],
)
def test_spellings_that_are_found(ocean: Path, value: str, name: str) -> None:
    assert sense(value, ocean)[0] == name


@pytest.mark.parametrize(
    "value", ["puertoazul", "ports", "port.n.03", "port.n.00", "port.v.01", "", "\ud800", "port\n x"]
)
def test_spellings_that_are_not_found(ocean: Path, value: str) -> None:
    assert unknown_words([value, "worker"], ocean) == (value,)
    with pytest.raises(HierarchyError, match=r"no noun for 1 of 2 values; map them .* with senses="):
        build([value, "worker"], ocean)


def test_senses_by_rule_and_by_the_caller(ocean: Path) -> None:
    assert sense("port", ocean) == ("port.n.01", "first")
    assert sense("worker", ocean) == ("worker.n.01", "only")
    assert sense("port", ocean, senses={"port": "port.n.02"}) == ("port.n.02", "given")
    assert sense("quay", ocean, senses={"quay": "Harbor"}) == ("port.n.01", "only")
    assert sense("quay", ocean, senses={"quay": "port"}) == ("port.n.01", "first")
    assert unknown_words(["quay", "pier"], ocean, senses={"quay": "port"}) == ("pier",)


def test_senses_under_a_synset(ocean: Path) -> None:
    assert sense("diver", ocean, under="worker.n.01") == ("diver.n.01", "under")
    assert sense("diver", ocean, under="loon.n.01") == ("loon.n.01", "under")
    assert sense("port", ocean, under="being.n.01") == ("port.n.01", "none-under")
    assert sense("worker", ocean, under="organism.n.01") == ("worker.n.01", "only")
    assert sense("cafe", ocean, under="being.n.01") == ("cafe.n.01", "none-under")
    # a parent that the caller moved counts
    assert sense("wine", ocean, senses={"wine": "port"}, under="being.n.01", parents={"port.n.02": "being.n.01"}) == (
        "port.n.02",
        "under",
    )


@pytest.mark.parametrize(
    ("rule", "parent"), [("alphabetical", "athlete.n.01"), ("shortest", "swimmer.n.01"), ("first", "worker.n.01")]
)
def test_parents_by_rule(ocean: Path, rule: str, parent: str) -> None:
    built = build(["Frogman", "Worker", "Jock", "Swimmer"], ocean, rule=rule)
    assert built.hierarchy.parent("diver.n.01") == parent
    assert [(choice.subject, choice.candidates, choice.chosen, choice.rule) for choice in built.choices[4:]] == [
        ("diver.n.01", ("worker.n.01", "swimmer.n.01", "athlete.n.01"), parent, rule)
    ]


def test_of_two_shortest_ways_the_first_by_name(tmp_path: Path) -> None:
    synsets = {
        "a": (["a"], []),
        "c": (["c"], [("@", "a")]),
        "b": (["b"], [("@", "a")]),
        "d": (["d"], [("@", "c"), ("@", "b")]),
    }
    assert build(["D"], write_wordnet(tmp_path, synsets), rule="shortest").hierarchy.parent("d.n.01") == "b.n.01"


def test_parents_by_the_caller(ocean: Path) -> None:
    built = build(["Frogman"], ocean, parents={"frogman.n.01": "swimmer.n.01", "worker.n.01": "entity.n.01"})
    assert built.hierarchy.path("Frogman") == ("Frogman", "diver.n.01", "swimmer.n.01", "being.n.01", "entity.n.01")
    assert built.choices[-1].rule == "given"
    assert built.unused == 1
    # what WordNet does not have above it is a parent too
    assert build(["Cafe"], ocean, parents={"cafe.n.01": "worker.n.01"}).hierarchy.parent("cafe.n.01") == "worker.n.01"


def test_the_top_is_the_root_and_only_ways_to_it_count(ocean: Path) -> None:
    built = build(["Frogman", "Worker"], ocean, top="grown_up.n.01")
    assert built.hierarchy.root == "grown_up.n.01"
    assert built.hierarchy.path("Frogman")[1:] == ("diver.n.01", "worker.n.01", "grown_up.n.01")
    assert [choice.rule for choice in built.choices if choice.kind == "parent"] == ["top"]
    assert build(["Frogman"], ocean, top="being.n.01", rule="shortest").hierarchy.path("Frogman")[2:] == (
        "swimmer.n.01",
        "being.n.01",
    )
    # a sense may be sought under what is above the top
    assert build(["diver"], ocean, top="worker.n.01", under="being.n.01").hierarchy.root == "worker.n.01"
    with pytest.raises(HierarchyError, match=r"'grown_up.n.01' is not above 2 of 3 values"):
        build(["Frogman", "Cafe", "Jock"], ocean, top="grown_up.n.01")


def test_values_in_place_of_synsets(ocean: Path) -> None:
    built = build(["Worker", "Frogman", "Being"], ocean, rule="first", leaf="synset")
    assert built.hierarchy.path("Frogman") == ("Frogman", "Worker", "grown_up.n.01", "Being", "entity.n.01")
    assert built.hierarchy.children("Worker") == ("Frogman",)


def test_values_that_share_a_synset_are_leaves_below_it(ocean: Path) -> None:
    for leaf in ("value", "synset"):
        tree = build(["Being", "Organism", "Worker"], ocean, leaf=leaf).hierarchy
        assert {"Being", "Organism"} <= set(tree.children("being.n.01"))
        assert tree.parent("Worker") == ("worker.n.01" if leaf == "value" else "grown_up.n.01")


@pytest.mark.parametrize("leaf", ["value", "synset"])
def test_a_value_may_have_the_name_of_a_synset(ocean: Path, leaf: str) -> None:
    senses = {"place.n.01": "worker", "place.n.01 (synset)": "swimmer"}
    tree = build(["worker.n.01", "Cafe", *senses], ocean, senses=senses, leaf=leaf).hierarchy
    assert tree.parent("place.n.01 (synset) (synset)") == "entity.n.01"
    assert "place.n.01" in tree.children("worker.n.01 (synset)")
    alone = build(["cafe.n.01", "Worker"], ocean, leaf=leaf).hierarchy
    assert alone.parent("cafe.n.01") == ("cafe.n.01 (synset)" if leaf == "value" else "place.n.01")


def test_several_roots_get_one_above_them(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path, {"a": (["a"], []), "b": (["b"], [])})
    assert build(["A", "B"], folder).hierarchy.path("A") == ("A", "a.n.01", "*")


def test_the_order_and_number_of_values_and_what_is_missing_do_not_matter(ocean: Path) -> None:
    values = ["Worker", "Cafe", "Frogman"]
    assert build([*values[::-1], None, float("nan"), *values], ocean).hierarchy == build(values, ocean).hierarchy


def test_every_choice_is_reported_and_the_warning_has_no_value(ocean: Path) -> None:
    built = build(["Port", "Frogman", "Secret-Bay"], ocean, senses={"Secret-Bay": "guinea-bay", "Other": "port"})
    lines = built.report().splitlines()
    assert lines[0] == f"{built.summary()}:"
    assert lines[1:] == [
        "  'Frogman' -> diver.n.01 (its only sense)",
        "  'Port' -> port.n.01 (the first; senses of port: port.n.01, port.n.02)",
        "  'Secret-Bay' -> guinea-bay.n.01 (its only sense)",
        "  diver.n.01 -> athlete.n.01 (the first by name; hypernyms: worker.n.01, swimmer.n.01, athlete.n.01)",
    ]
    assert built.summary() == (
        "Rules chose a sense for 1 of 3 values (the first) and a parent for 1 synset (the first by name); 1 of the"
        " senses and parents given fits nothing"
    )
    assert not {"Port", "Frogman", "Secret"} & set(repr(built).split("'"))
    plain = built.to_dict()
    assert [choice["of"] for choice in plain["choices"]] == ["Frogman", "Port", "Secret-Bay", "diver.n.01"]
    assert plain["choices"][1]["found"] == ["port.n.01", "port.n.02"]


def test_one_warning_where_a_rule_decided_and_none_where_the_caller_did(ocean: Path) -> None:
    with pytest.warns(ShoalWarning) as caught:
        tree = Hierarchy.from_wordnet(["Port", "Cafe"], ocean, under="being.n.01")
    (warning,) = caught
    assert str(warning.message) == (
        "Rules chose a sense for 1 of 2 values (the first under being.n.01, else the first) and a parent for 0 synsets"
        " (the first by name); no sense of 2 values is under being.n.01; the report of shoal.hierarchy.wordnet.build"
        " names them."
    )
    assert Path(warning.filename) == Path(__file__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = Hierarchy.from_wordnet(["Port", "Cafe"], ocean, senses={"Port": "port.n.01"})
    assert same == tree


def test_hypernym_edges_choose_nothing(ocean: Path) -> None:
    edges = hypernym_edges(["diver.n.01"], ocean)
    assert [high for low, high in edges if low == "diver.n.01"] == ["athlete.n.01", "swimmer.n.01", "worker.n.01"]
    assert len(edges) == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"senses": {"Cafe": "cafe.n.02"}}, "no noun for 1 of 1 sense given"),
        ({"senses": {"Elsewhere": "nowhere"}}, "no noun for 1 of 1 sense given"),
        ({"under": "place"}, "no noun 'place', which under= names"),
        ({"under": 7}, "no noun '7', which under= names"),
        ({"top": "place.n.09"}, "no noun 'place.n.09', which top= names"),
        ({"parents": {"cafe.n.01": "cafe"}}, "no noun 'cafe', which parents= names"),
        ({"parents": {"cafe": "place.n.01"}}, "no noun 'cafe', which parents= names"),
        ({"parents": {"place.n.01": "cafe.n.01"}}, "has a cycle: 3 nodes"),
        ({"parents": {"cafe.n.01": "cafe.n.01"}}, "has a cycle"),
        ({"parents": {"place.n.01": "cafe.n.01"}, "rule": "shortest"}, "has a cycle"),
        ({"senses": ["Cafe"]}, "'senses' has a value that it cannot take"),
        ({"senses": {"Cafe": None}}, "'senses' has a value that it cannot take"),
        ({"rule": "longest"}, "no rule 'longest'"),
        ({"leaf": "word"}, "no leaf 'word'"),
        ({"top": "cafe.n.01", "leaf": "synset"}, "one node only"),
    ],
)
def test_options_that_fit_nothing(ocean: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(ShoalError, match=message) as caught:
        build(["Cafe"], ocean, **options)
    assert caught.value.exit_code == 2
    assert "nowhere" not in str(caught.value)


@pytest.mark.parametrize("values", [[], [None], [float("nan")], {}])
def test_no_values(ocean: Path, values: object) -> None:
    with pytest.raises(HierarchyError, match="no value to build"):
        build(values, ocean)


@pytest.mark.parametrize("values", ["Cafe", b"Cafe", 7, [["Cafe"]], {"Cafe": "many"}])
def test_what_is_no_column(ocean: Path, values: object) -> None:
    with pytest.raises(OptionError, match="'values'"):
        build(values, ocean)


def test_folders_without_nouns(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        build(["Cafe"], tmp_path / "nowhere")
    with pytest.raises(FileError, match="does not exist"):
        build(["Cafe"], "\0")
    with pytest.raises(FileError, match=r"a WordNet folder without nouns; .*docs/wordnet.md"):
        build(["Cafe"], tmp_path)
    write_wordnet(tmp_path, OCEAN)
    (tmp_path / "data.noun").unlink()
    with pytest.raises(FileError, match="a WordNet folder without nouns"):
        build(["Cafe"], tmp_path)
    with pytest.raises(OptionError, match="'folder'"):
        build(["Cafe"], 7)


def damage(folder: Path, name: str, old: bytes, new: bytes) -> None:
    raw = (folder / name).read_bytes()
    assert old in raw
    (folder / name).write_bytes(raw.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("index.noun", b"cafe n 1 2 @ ~ 1 0 ", b"cafe n 1 2 @ ~ 1 0 9", "no noun synset begins at byte"),
        ("index.noun", b"cafe n 1 2 @ ~ 1 0 ", b"cafe n 2 2 @ ~ 1 0 ", "1 senses where its line says 2"),
        ("index.noun", b"cafe n 1 2 @ ~ 1 0 ", b"cafe n 1 2 ~ 1 0 ", "senses where its line says|breaks off"),
        ("index.noun", b"cafe n 1 2 @ ~ 1 0 ", b"cafe n x 2 @ ~ 1 0 ", "breaks off"),
        ("index.noun", b"place n 1", b"plaice n 1", "does not know the synset at byte"),
        ("data.noun", b"cafe 0 001", b"cafe 0 002", "no noun synset begins at byte"),
        ("data.noun", b"n 01 cafe", b"n 0x cafe", "no noun synset begins at byte"),
        ("data.noun", b"n 01 cafe", b"v 01 cafe", "no noun synset begins at byte"),
        ("data.noun", b"n 01 cafe", b"n 01 caf\xff", "no noun synset begins at byte"),
        ("data.noun", b"license line.  \n", b"license line.  \r\n", "no noun synset begins at byte"),
    ],
)
def test_damaged_lines(tmp_path: Path, name: str, old: bytes, new: bytes, why: str) -> None:
    damage(write_wordnet(tmp_path, OCEAN), name, old, new)
    with pytest.raises(FileError, match=why):
        build(["Cafe"], tmp_path)


@pytest.mark.parametrize("name", ["index.noun", "data.noun"])
def test_files_that_break_off_anywhere(tmp_path: Path, name: str) -> None:
    """Whatever is left of a file, a hierarchy is the right one or there is none."""
    folder = write_wordnet(tmp_path, OCEAN)
    whole, right = (folder / name).read_bytes(), build(["Cafe"], folder).hierarchy
    failed = 0
    for end in range(0, len(whole), 7):
        (folder / name).write_bytes(whole[:end])
        try:
            assert build(["Cafe"], folder).hierarchy == right
        except ShoalError:
            failed += 1
    assert failed


def test_packed_files_that_are_damaged(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path, OCEAN, packed=True)
    path = folder / "data.noun.gz"
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for broken in (whole[:-20], b"plain text", b"", bytes(flipped)):
        path.write_bytes(broken)
        with pytest.raises(FileError, match=r"data\.noun"):
            build(["Cafe"], folder)


def test_a_circle_in_the_files(tmp_path: Path) -> None:
    synsets = {"a": (["a"], [("@", "b")]), "b": (["b"], [("@", "a")]), "c": (["c"], [("@", "b"), ("@", "a")])}
    folder = write_wordnet(tmp_path, synsets)
    for rule in ("alphabetical", "shortest", "first"):
        with pytest.raises(HierarchyError, match="cycle"):
            build(["C"], folder, rule=rule)


def test_plain_files_come_before_packed_ones(tmp_path: Path) -> None:
    write_wordnet(tmp_path, OCEAN)
    for name in ("index.noun", "data.noun"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(b"nothing"))
    assert build(["Cafe"], tmp_path).is_certain


@given(st.data(), st.sampled_from(["alphabetical", "shortest", "first"]), st.sampled_from(["value", "synset"]))
def test_whatever_the_ways_a_tree_comes_out(data: st.DataObject, rule: str, leaf: str) -> None:
    size = data.draw(st.integers(2, 12))
    synsets = {"w00": (["w00"], [])}
    for number in range(1, size):
        above = data.draw(st.lists(st.integers(0, number - 1), min_size=1, max_size=3, unique=True))
        synsets[f"w{number:02}"] = ([f"w{number:02}"], [("@", f"w{high:02}") for high in above])
    values = data.draw(st.lists(st.sampled_from(sorted(synsets)), min_size=2, unique=True))
    with TemporaryDirectory() as folder:
        write_wordnet(Path(folder), synsets)
        built = build(values, folder, rule=rule, leaf=leaf)
        allowed = set(hypernym_edges([f"{value}.n.01" for value in values], folder))
    called = {f"{value}.n.01": value for value in values} if leaf == "synset" else {}
    expected = {(called.get(low, low), called.get(high, high)) for low, high in allowed}
    expected |= {(value, f"{value}.n.01") for value in values if leaf == "value"}
    edges = set(built.hierarchy.edges())
    assert edges <= expected
    assert all(count == 1 for count in Counter(low for low, _ in edges).values())
    assert set(values) <= set(built.hierarchy)
    assert len(built.choices) >= len(values)


@pytest.mark.parametrize("text", ["", "  1 A license only.\n", "no index at all\nbut words\n", "<html>\n"])
def test_an_index_without_a_noun_is_damaged(tmp_path: Path, text: str) -> None:
    folder = write_wordnet(tmp_path, OCEAN)
    (folder / "index.noun").write_text(text)
    with pytest.raises(FileError, match="no line of a noun"):
        build(["Cafe"], folder)
