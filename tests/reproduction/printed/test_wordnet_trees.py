"""Two trees made from WordNet 3.1 by others, made again.

Their senses are those of Tables 1 and 2 of the thesis on categorical microaggregation with WordNet, and five that it
does not print: Columbia, Japan, South, Trinadad&Tobago and Yugoslavia.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from naive.hierarchies import hypernym_edges
from shoal.hierarchy.wordnet import WordNetBuild, build
from shoal.hierarchy.wordnet.database import WordNet
from shoal_reproduction.hierarchies import ASIAN_TAIWAN, NATIVE_COUNTRIES, OCCUPATIONS

SENSES = {"occupation": OCCUPATIONS, "native_country": NATIVE_COUNTRIES}
PARENTS = {"occupation": {}, "native_country": ASIAN_TAIWAN}

trees = pytest.mark.parametrize("name", SENSES)


def rows(data_folder: Path, name: str) -> list[tuple[str, ...]]:
    path = data_folder / "vgh" / name
    if not path.is_file() or not (data_folder / "wordnet31").is_dir():
        pytest.skip("no WordNet 3.1 and no trees made from it lie in the folder of the data")
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(filter(None, row)) for row in csv.reader(file)][1:]


def rebuilt(data_folder: Path, name: str, **options: str) -> WordNetBuild:
    values = [row[0] for row in rows(data_folder, f"{name}_paths.csv")]
    return build(values, data_folder / "wordnet31", senses=SENSES[name], parents=PARENTS[name], **options)


@trees
def test_trees(data_folder: Path, name: str) -> None:
    tree = rebuilt(data_folder, name).hierarchy
    assert set(tree.edges()) == set(rows(data_folder, f"{name}_edges.csv"))
    for path in rows(data_folder, f"{name}_paths.csv"):
        assert tree.path(path[0]) == path


@trees
def test_all_ways(data_folder: Path, name: str) -> None:
    senses = {choice.subject: choice.chosen for choice in rebuilt(data_folder, name).choices if choice.kind == "sense"}
    edges = {*senses.items(), *hypernym_edges(senses.values(), data_folder / "wordnet31")}
    assert edges == set(rows(data_folder, f"{name}_dag_edges.csv"))


@trees
def test_every_name_names_one_synset(data_folder: Path, name: str) -> None:
    synsets = {synset for path in rows(data_folder, f"{name}_paths.csv") for synset in path[1:]}
    files = WordNet.open(data_folder / "wordnet31")
    assert {files.name(files.offset_of(synset)) for synset in synsets} == synsets


@trees
def test_values_in_place_of_synsets_as_the_thesis_has_them(data_folder: Path, name: str) -> None:
    tree = rebuilt(data_folder, name, leaf="synset").hierarchy
    called = {path[1]: path[0] for path in rows(data_folder, f"{name}_paths.csv")}
    edges = {edge for edge in rows(data_folder, f"{name}_edges.csv") if edge[0] not in called.values()}
    assert set(tree.edges()) == {(called.get(low, low), called.get(high, high)) for low, high in edges}


def test_senses_under_country(data_folder: Path) -> None:
    """Japan's first sense is the archipelago; WordNet has Puerto Rico as a commonwealth and not as a country."""
    rows(data_folder, "native_country_paths.csv")
    built = build(["Japan", "Georgia", "Puerto-Rico"], data_folder / "wordnet31", under="country.n.02")
    assert [(choice.subject, choice.chosen, choice.rule) for choice in built.choices[:3]] == [
        ("Georgia", "georgia.n.03", "under"),
        ("Japan", "japan.n.02", "under"),
        ("Puerto-Rico", "puerto_rico.n.01", "none-under"),
    ]
