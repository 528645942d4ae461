"""Targets: files of hierarchies, levels and WordNet, and the builders of hierarchies."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from fuzz_target import READ_ONLY, target

import shoal
from shoal import Hierarchy
from shoal.errors import HierarchyError
from shoal.hierarchy.formats import FORMATS

_MODULES = ("shoal.hierarchy.formats", "shoal.hierarchy.tree")
_WORDS = ("diver", "port", "Puerto Azul", "swimmer", "loon")
"""Values that the made-up WordNet of the corpus knows, some of them with several senses."""
PART = b"\n=====\n"
"""Between two files that come in together."""


def _any(raw: bytes) -> bool:
    """Names of nodes are values of the data: no message shows one."""
    return True


def look_at(tree: Hierarchy, folder: Path) -> None:
    """The tree is one, is the same in every format, and stands for its values."""
    assert len(set(tree.nodes)) == len(tree.nodes) > 0, "a name stands twice"
    tree.coverage(tree.nodes[:3])
    assert tree.lcs(tree.nodes[0], tree.nodes[-1]) == tree.nodes[-1]
    tree.centroid(tree.nodes[:3])
    for kind in FORMATS:
        path = folder / f"again.{'json' if kind == 'json' else 'csv'}"
        try:
            tree.save(path, format=kind, force=True)
        except HierarchyError:
            continue  # a format that cannot hold the tree says so
        again = Hierarchy.read(path, format=kind)
        assert again == tree or set(again.nodes) == set(tree.nodes), f"another tree came back from {kind}"


def _protect(tree: Hierarchy) -> None:
    """A column of such values is protected, or refused."""
    # no frame holds half of a character
    values = [name for name in tree.leaves if name.strip() and not any("\ud800" <= one <= "\udfff" for one in name)][:6]
    if READ_ONLY or len(tree) > 40 or len(values) < 2:
        return
    frame = pl.DataFrame({"c": [value for value in values for _ in range(2)]})
    release = shoal.anonymize(frame, k=3, quasi_identifiers="c", hierarchies={"c": tree}, method="mdav", threads=1)
    assert release.verification.ok


def _file(raw: bytes, folder: Path, *, ending: str, **options: Any) -> None:
    path = folder / f"tree{ending}"
    path.write_bytes(raw)
    tree = Hierarchy.read(path, **options)
    look_at(tree, folder)
    _protect(tree)


for _name, _description, _ending, _options in (
    ("hierarchy", "a hierarchy file that is damaged or no tree", ".csv", {}),
    ("hierarchy-arx", "a damaged hierarchy as ARX writes it", ".csv", {"format": "arx"}),
    ("hierarchy-edges", "a hierarchy of edges with cycles, two parents or odd lines", ".csv", {"format": "edges"}),
    ("hierarchy-json", "a hierarchy in JSON that is damaged, too deep or of wrong types", ".json", {}),
    ("hierarchy-skos", "triples of SKOS that are damaged or no tree", ".nt", {}),
    ("hierarchy-delimiter", "a hierarchy with another delimiter than is said", ".txt", {"delimiter": "|"}),
):
    target(_name, _description, *_MODULES, is_cell=_any)(partial(_file, ending=_ending, **_options))


@target("levels", "a damaged file of levels", "shoal.release.column_options", is_cell=_any)
def levels(raw: bytes, folder: Path) -> None:
    path = folder / "levels.txt"
    path.write_bytes(raw)
    frame = pl.DataFrame({"size": ["small", "large", "medium", "small"]})
    shoal.evaluate(frame, frame, quasi_identifiers="size", levels={"size": path}, measures=["mixed_loss"])


@target("wordnet", "damaged files of WordNet", "shoal.hierarchy.wordnet.database", "shoal.hierarchy.wordnet")
def wordnet(raw: bytes, folder: Path) -> None:
    index, _, data = raw.partition(PART)
    place = folder / "wordnet"
    place.mkdir(exist_ok=True)
    (place / "index.noun").write_bytes(index)
    (place / "data.noun").write_bytes(data)
    for rule in ("alphabetical", "shortest"):
        look_at(Hierarchy.from_wordnet(_WORDS, place, rule=rule), folder)


_BUILT = ("shoal.hierarchy.builders", "shoal.hierarchy.value_names")


@target("built", "odd values where a hierarchy is built from them", *_BUILT, is_cell=_any)
def built(raw: bytes, folder: Path) -> None:
    """The first line says how, the others are values."""
    how, *values = raw.decode("utf-8", "replace").split("\n")
    word, _, argument = how.partition(" ")
    numbers = [part for part in argument.split(",") if part]
    if word == "width":
        tree = Hierarchy.from_intervals(values, width=numbers)
    elif word == "cuts":
        tree = Hierarchy.from_intervals(values, cuts=numbers)
    elif word == "quantiles":
        tree = Hierarchy.from_intervals(values, quantiles=[int(part) for part in numbers if part.isdecimal()][:3] or 2)
    elif word == "dates":
        tree = Hierarchy.from_dates(values)
    elif word == "frequencies":
        tree = Hierarchy.from_frequencies(values)
    else:
        tree = Hierarchy.from_prefixes(values, separators=argument or None)
    look_at(tree, folder)
