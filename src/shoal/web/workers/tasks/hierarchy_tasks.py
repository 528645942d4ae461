"""Tasks about hierarchies: suggestions, construction, and which values of a column they have."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import data
from shoal.domain.columns import Kind
from shoal.errors import FileError, HierarchyError, OptionError, ShoalError
from shoal.errors.messages import join_names, quote_name
from shoal.hierarchy import Hierarchy, formats, wordnet
from shoal.hierarchy import coverage as hierarchy_coverage
from shoal.hierarchy.builders import format_fraction, parse_fraction
from shoal.web.errors import PageError
from shoal.web.projects.hierarchy_files import (
    MAX_CHARACTERS,
    MAX_NODES,
    check_size,
    hierarchy_from_dict,
    hierarchy_to_dict,
    read_levels,
)

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext

_MAX_LISTED = 500
"""Values that a result lists."""
_LONGEST_CODE = 12
_LONGEST_WIDTH = 12
"""Characters."""
_MIN_VALUES = 3
"""Values that need no levels between them and the root."""


def values(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the value ``counts`` of a column (None where a hierarchy would be too large) and suggested hierarchies.

    Takes ``file``, ``column`` and its ``kind``.
    """
    table = context.table(params["file"])
    counts = data.value_counts(table, params["column"])
    fits = len(counts) < MAX_NODES and sum(map(len, counts)) <= MAX_CHARACTERS
    return {
        "records": table.height,
        "distinct": len(counts),
        "counts": counts if fits else None,
        "offers": [asdict(offer) for offer in suggest_hierarchies(counts, params["kind"])] if fits else [],
    }


@dataclass(frozen=True)
class HierarchySuggestion:
    way: str
    options: Mapping[str, str]
    title: str
    reason: str


def suggest_hierarchies(counts: Mapping[str, int], kind: str) -> list[HierarchySuggestion]:
    """Return suggestions, the best first."""
    if len(counts) <= _MIN_VALUES:
        return []
    if kind == Kind.DATE:
        return _dates()
    if kind == Kind.NUMERIC:
        return _intervals(counts)
    reason = "Nothing has to be known about the values: the rarest are pooled first, frequent ones stay apart."
    return [*_prefixes(list(counts)), HierarchySuggestion("frequencies", {}, "Rare values together", reason)]


def _dates() -> list[HierarchySuggestion]:
    return [
        HierarchySuggestion(
            "dates", {"levels": ",".join(levels)}, join_names([f"{level}s" for level in levels]).capitalize(), reason
        )
        for levels, reason in (
            (("month", "quarter", "year"), "Days are put into months, and so on."),
            (("year", "decade"), "For dates of birth, or where a year tells enough."),
        )
    ]


def _intervals(counts: Mapping[str, int]) -> list[HierarchySuggestion]:
    numbers = [value for value in map(parse_fraction, counts) if value is not None]
    if len(numbers) < len(counts) or not numbers:
        return []
    width = _round(max(numbers) - min(numbers))
    widths = [format_fraction(width * step) for step in (1, 2, 4)]
    equal = HierarchySuggestion(
        "intervals",
        {"quantiles": "8,4,2"},
        "8, 4 and 2 intervals with about as many records each",
        "For numbers of which most are small and some are very large.",
    )
    if max(map(len, widths)) > _LONGEST_WIDTH:
        return [equal]
    title = f"Intervals of width {join_names(widths)}"
    return [
        HierarchySuggestion(
            "intervals", {"width": ",".join(widths)}, title, "All intervals of a level are equally wide."
        ),
        equal,
    ]


def _round(span: Fraction) -> Fraction:
    """Round a twentieth of a range to 1, 2 or 5 times a power of ten."""
    width, power = span / 20, Fraction(1)
    while 0 < width < power:
        power /= 10
    while power * 10 <= width:
        power *= 10
    return next(power * step for step in (1, 2, 5, 10) if power * step >= width)


def _prefixes(values: list[str]) -> list[HierarchySuggestion]:
    lengths = {len(value) for value in values}
    codes = all(value.isascii() and " " not in value and len(value) <= _LONGEST_CODE for value in values)
    digits = sum(any(character.isdigit() for character in value) for value in values)
    if not codes or digits < len(values) or any(value.startswith(("-", "+", ".")) for value in values):
        return []
    if len(lengths) == 1 and max(lengths) > 1:
        cuts = list(range(1, max(lengths)))[-4:]
        reason = f"All values are codes of {max(lengths)} characters, which are cut from the end."
    elif min(lengths) >= 3 and any(value[0].isalpha() for value in values):
        cuts, reason = [1, min(3, max(lengths) - 1)], "The values look like codes, which begin with what is general."
    else:
        return []
    listed = join_names([str(length) for length in reversed(cuts)])
    return [
        HierarchySuggestion("prefixes", {"lengths": ",".join(map(str, cuts))}, f"The first {listed} characters", reason)
    ]


def trees(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Build a hierarchy: return the ``tree``, or the words that WordNet does not know.

    Takes ``way`` and its ``options`` as form texts; ``file`` and ``column``, or a ``path`` and its ``name``.
    """
    if params["way"] == "file":
        return {"tree": hierarchy_to_dict(check_size(_read(params)))}
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
        records = Counter(counts).elements() if quantiles else counts  # quantiles of the records, not of the values
        cuts = [_words(line) for line in options.get("cuts", "").splitlines() if line.strip()]
        return Hierarchy.from_intervals(
            records, width=_words(options.get("width", "")) or None, quantiles=quantiles, cuts=cuts or None
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


def coverage(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the coverage of a column by its hierarchy, with the most frequent missing values.

    Takes ``file``, ``column``, the ``path`` of a hierarchy and its ``fingerprint``.
    """
    hierarchy = hierarchy_from_dict(json.loads(Path(params["path"]).read_bytes()))
    if hierarchy.fingerprint != params["fingerprint"]:
        raise PageError.superseded()
    counts = data.value_counts(context.table(params["file"]), params["column"])
    report = hierarchy_coverage.coverage(hierarchy, counts, close=True).to_dict(values=True)
    return {**report, "missing": dict(list(report["missing"].items())[:_MAX_LISTED])}


def matches(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Count the values of a column that each of several hierarchies has; an unreadable one counts 0.

    Takes ``file``, ``column`` and the ``paths`` of hierarchies.
    """
    counts = data.value_counts(context.table(params["file"]), params["column"])
    return {"values": len(counts), "matches": [_count_matches(path, counts) for path in params["paths"]]}


def _count_matches(path: str, counts: Mapping[str, int]) -> int:
    with suppress(ShoalError):
        hierarchy = Hierarchy.read(Path(path))
        return sum(value in hierarchy for value in counts)
    return 0


def lacking(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Count the values of columns that are not in their hierarchy or order.

    Takes ``file`` and, by column, the ``paths`` of hierarchies (.json) and orders (.txt).
    """
    table = context.table(params["file"])
    return {"lacking": {column: _count_missing(table, column, Path(path)) for column, path in params["paths"].items()}}


def _count_missing(table: data.Table, column: str, path: Path) -> int:
    with suppress(ShoalError):  # an unreadable file is refused when it is used
        nodes = set(read_levels(path) or () if path.suffix == ".txt" else Hierarchy.read(path))
        return sum(value not in nodes for value in data.value_counts(table, column))
    return 0
