"""Build a hierarchy from the values of a column, or read it from a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError, HierarchyError, OptionError, ShoalError
from shoal.errors.messages import quote_name
from shoal.hierarchy import Hierarchy, formats, wordnet
from shoal.web.projects.hierarchy_files import MAX_NODES, check_size, hierarchy_to_dict

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext

_MAX_LISTED = 500


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the ``tree``, or the words that WordNet does not know.

    Takes ``way`` and its ``options`` as form texts; ``file`` and ``column``, or a ``path`` and its ``name``.
    """
    if params["way"] == "file":
        return {"tree": hierarchy_to_dict(check_size(_read(params)))}
    from shoal import data

    counts = data.value_counts(context.table(params["file"]), params["column"])
    if len(counts) >= MAX_NODES:
        raise HierarchyError.too_many_nodes(len(counts) + 1, most=MAX_NODES)
    context.stage("building the hierarchy")
    if params["way"] == "wordnet":
        folder = params["path"]
        try:
            return _wordnet(counts, params["options"], Path(folder))
        except FileError as error:
            raise FileError(error.fact.replace(f"{folder}/", ""), error.hint) from None
    return {"tree": hierarchy_to_dict(check_size(_build(params["way"], counts, params["options"])))}


def _read(params: Mapping[str, Any]) -> Hierarchy:
    """Read the hierarchy of a file; error messages use the name that the user gave it."""
    path = Path(params["path"])
    try:
        return formats.read(path)
    except ShoalError as error:
        raise type(error)(error.fact.replace(repr(str(path)), quote_name(params["name"])), error.hint) from None


def _build(way: str, counts: Mapping[str, int], options: Mapping[str, str]) -> Hierarchy:
    if way == "intervals":
        quantiles = _integers(options, "quantiles")
        values = Counter(counts).elements() if quantiles else counts  # quantiles of the records, not of the values
        cuts = [_words(line) for line in options.get("cuts", "").splitlines() if line.strip()]
        return Hierarchy.from_intervals(
            values, width=_words(options.get("width", "")) or None, quantiles=quantiles, cuts=cuts or None
        )
    if way == "prefixes":
        separators = options.get("separators", "").strip() or None
        return Hierarchy.from_prefixes(counts, lengths=_integers(options, "lengths"), separators=separators)
    if way == "dates":
        return Hierarchy.from_dates(counts, levels=_words(options.get("levels", "")))
    if way == "frequencies":
        groups = _integers(options, "groups")
        return Hierarchy.from_frequencies(counts, groups=groups[0] if groups else None)
    if way == "flat":
        return Hierarchy.from_edges((value, "*") for value in counts if value != "*")
    raise OptionError.unknown_choice("way", way, ("intervals", "prefixes", "dates", "frequencies", "flat", "wordnet"))


def _wordnet(counts: Mapping[str, int], options: Mapping[str, str], folder: Path) -> dict[str, Any]:
    senses = _senses(options.get("senses", ""))
    given = {name: options[name].strip() for name in ("under", "rule", "top", "leaf") if options.get(name, "").strip()}
    unknown = wordnet.unknown_words(counts, folder, senses=senses)
    if unknown:
        return {"unknown": unknown[:_MAX_LISTED], "unknown_words": len(unknown), "senses": senses, "options": given}
    result = wordnet.build(counts, folder, senses=senses, **given)  # type: ignore[arg-type]
    choices = [str(choice) for choice in result.choices if choice.by_rule]
    return {
        "tree": hierarchy_to_dict(check_size(result.hierarchy)),
        "summary": result.summary(),
        "choices": choices[:_MAX_LISTED],
    }


def _senses(text: str) -> dict[str, str]:
    """Parse lines such as ``value = word``; a value without a word is left out."""
    pairs = (line.rpartition("=") for line in text.splitlines())
    return {value.strip(): word.strip() for value, _, word in pairs if value.strip() and word.strip()}


def _words(text: str) -> list[str]:
    """Split at commas, semicolons and spaces."""
    return [word for word in re.split(r"[,;\s]+", text) if word]


def _integers(options: Mapping[str, str], name: str) -> list[int] | None:
    texts = _words(options.get(name, ""))
    if not all(word.isdecimal() and len(word) < 10 for word in texts):
        raise OptionError.invalid_value(name, "whole numbers separated by commas")
    return [int(word) for word in texts] or None
