"""Build a hierarchy: from the values of a column in one of several ways, or from a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError, HierarchyError, OptionError, ShoalError
from shoal.hierarchy import Hierarchy, files, wordnet
from shoal.web.trees import MOST_NODES, checked, plain
from shoal.words import shown

if TYPE_CHECKING:
    from shoal.web.worker import Room

_MOST_TOLD = 500


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``way`` and its ``options``, all of them texts as a form has them; ``file`` and ``column``, or a ``path``
    and its ``name``.

    The answer has the ``tree``, or the words that WordNet does not know.
    """
    if asked["way"] == "file":
        return {"tree": plain(checked(_read(asked)))}
    from shoal import tables

    counts = tables.value_counts(room.table(asked["file"]), asked["column"])
    if len(counts) >= MOST_NODES:
        raise HierarchyError.too_many_nodes(len(counts) + 1, most=MOST_NODES)
    room.stage("building the hierarchy")
    if asked["way"] == "wordnet":
        folder = asked["path"]
        try:
            return _wordnet(counts, asked["options"], Path(folder))
        except FileError as error:
            raise FileError(error.fact.replace(f"{folder}/", ""), error.hint) from None
    return {"tree": plain(checked(_built(asked["way"], counts, asked["options"])))}


def _read(asked: Mapping[str, Any]) -> Hierarchy:
    """The hierarchy of a file; messages name it as its owner does, and not where it lies here."""
    path = Path(asked["path"])
    try:
        return files.read(path)
    except ShoalError as error:
        raise type(error)(error.fact.replace(repr(str(path)), shown(asked["name"])), error.hint) from None


def _built(way: str, counts: Mapping[str, int], options: Mapping[str, str]) -> Hierarchy:
    if way == "intervals":
        quantiles = _whole(options, "quantiles")
        values = Counter(counts).elements() if quantiles else counts  # quantiles are those of the records
        cuts = [_words(line) for line in options.get("cuts", "").splitlines() if line.strip()]
        return Hierarchy.from_intervals(
            values, width=_words(options.get("width", "")) or None, quantiles=quantiles, cuts=cuts or None
        )
    if way == "prefixes":
        separators = options.get("separators", "").strip() or None
        return Hierarchy.from_prefixes(counts, lengths=_whole(options, "lengths"), separators=separators)
    if way == "dates":
        return Hierarchy.from_dates(counts, levels=_words(options.get("levels", "")))
    if way == "frequencies":
        groups = _whole(options, "groups")
        return Hierarchy.from_frequencies(counts, groups=groups[0] if groups else None)
    if way == "flat":
        return Hierarchy.from_edges((value, "*") for value in counts if value != "*")
    raise OptionError.unknown_choice("way", way, ("intervals", "prefixes", "dates", "frequencies", "flat", "wordnet"))


def _wordnet(counts: Mapping[str, int], options: Mapping[str, str], folder: Path) -> dict[str, Any]:
    senses = _senses(options.get("senses", ""))
    given = {name: options[name].strip() for name in ("under", "rule", "top", "leaf") if options.get(name, "").strip()}
    unknown = wordnet.unknown_words(counts, folder, senses=senses)
    if unknown:
        return {"unknown": unknown[:_MOST_TOLD], "unknown_words": len(unknown), "senses": senses, "options": given}
    built = wordnet.build(counts, folder, senses=senses, **given)  # type: ignore[arg-type]
    said = [str(choice) for choice in built.choices if choice.by_rule]
    return {"tree": plain(checked(built.hierarchy)), "summary": built.summary(), "choices": said[:_MOST_TOLD]}


def _senses(text: str) -> dict[str, str]:
    """Lines such as ``value = word``; those without a word are not decided yet."""
    pairs = (line.rpartition("=") for line in text.splitlines())
    return {value.strip(): word.strip() for value, _, word in pairs if value.strip() and word.strip()}


def _words(text: str) -> list[str]:
    """What stands between commas, semicolons and spaces."""
    return [word for word in re.split(r"[,;\s]+", text) if word]


def _whole(options: Mapping[str, str], name: str) -> list[int] | None:
    found = _words(options.get(name, ""))
    if not all(word.isdecimal() and len(word) < 10 for word in found):
        raise OptionError.bad_option(name, "whole numbers separated by commas")
    return [int(word) for word in found] or None
