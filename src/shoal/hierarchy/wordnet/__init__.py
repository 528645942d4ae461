"""WordNet hierarchies: the senses of the values of a column and the synsets above them.

A word has several senses and a synset several hypernyms; a tree has one of each. The caller or a fixed rule makes every
choice, and every choice is reported.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

from shoal.errors import HierarchyError, OptionError
from shoal.errors.messages import pluralize, quote_name
from shoal.hierarchy.coverage import count_values
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.wordnet.database import WordNet

RULES = ("alphabetical", "shortest", "first")
LEAVES = ("value", "synset")
_RULE_TEXTS = {
    "given": "as given",
    "only": "its only sense",
    "first": "the first",
    "under": "the first under the synset named",
    "none-under": "the first, since none is under the synset named",
    "top": "the only one that leads to the top",
    "alphabetical": "the first by name",
    "shortest": "the one nearest to the root",
}


@dataclass(frozen=True)
class WordNetChoice:
    """Choice of a sense for a value or of a parent for a synset."""

    kind: str
    """``sense`` or ``parent``."""
    subject: str
    """The value or the child synset."""
    word: str
    """The word looked up; empty for a parent."""
    candidates: tuple[str, ...]
    """The senses or hypernyms in WordNet, in its order."""
    chosen: str
    rule: str
    """``given``, ``only``, or the rule that decided between several candidates."""

    @property
    def by_rule(self) -> bool:
        """Whether a rule decided between several candidates."""
        return len(self.candidates) > 1 and self.rule != "given"

    def __str__(self) -> str:
        name, plural = (
            (quote_name(self.subject), f"senses of {self.word}")
            if self.kind == "sense"
            else (self.subject, "hypernyms")
        )
        listed = f"; {plural}: {', '.join(self.candidates)}" if self.candidates != (self.chosen,) else ""
        return f"{name} -> {self.chosen} ({_RULE_TEXTS[self.rule]}{listed})"


@dataclass(frozen=True)
class WordNetBuild:
    """Hierarchy built from WordNet, with its choices."""

    hierarchy: Hierarchy
    choices: tuple[WordNetChoice, ...] = field(repr=False)
    """The sense of every value, then the parent of every synset that has several or was given one."""
    under: str | None
    rule: str
    unused: int
    """Number of entries of ``senses`` and ``parents`` that match no value or synset."""

    @property
    def is_certain(self) -> bool:
        """Whether no rule had to decide and every given entry was used."""
        return not (self.unused or any(choice.by_rule or choice.rule == "none-under" for choice in self.choices))

    @property
    def unused_text(self) -> str:
        """Message about unused entries; empty if there are none."""
        verb = "fits" if self.unused == 1 else "fit"
        return f"{self.unused:,} of the senses and parents given {verb} nothing" if self.unused else ""

    def summary(self) -> str:
        """One sentence of counts, without values of the data."""
        senses = [choice for choice in self.choices if choice.kind == "sense"]
        parents = [choice for choice in self.choices if choice.kind == "parent"]
        first = f"the first under {self.under}, else the first" if self.under else _RULE_TEXTS["first"]
        sentence = (
            f"Rules chose a sense for {sum(choice.by_rule for choice in senses):,} of {pluralize(len(senses), 'value')}"
            f" ({first}) and a parent for {pluralize(sum(choice.by_rule for choice in parents), 'synset')}"
            f" ({_RULE_TEXTS[self.rule]})"
        )
        outside = sum(choice.rule == "none-under" for choice in senses)
        if outside:
            sentence += f"; no sense of {pluralize(outside, 'value')} is under {self.under}"
        return f"{sentence}; {self.unused_text}" if self.unused_text else sentence

    def report(self) -> str:
        """The summary and one line per choice. It names values of the data."""
        return "\n".join([f"{self.summary()}:", *(f"  {choice}" for choice in self.choices)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data with a stable key order. It names values of the data."""
        return {
            "nodes": len(self.hierarchy),
            "levels": self.hierarchy.levels,
            "under": self.under,
            "rule": self.rule,
            "unused": self.unused,
            "choices": [
                {
                    "kind": choice.kind,
                    "of": choice.subject,
                    "word": choice.word,
                    "found": list(choice.candidates),
                    "chosen": choice.chosen,
                    "rule": choice.rule,
                }
                for choice in self.choices
            ],
        }


def build(
    values: Iterable[object],
    folder: str | PathLike[str],
    *,
    senses: Mapping[str, str] | None = None,
    under: str | None = None,
    parents: Mapping[str, str] | None = None,
    rule: str = "alphabetical",
    top: str | None = None,
    leaf: str = "value",
) -> WordNetBuild:
    """Build the tree of the synsets above the values of a column; siblings are sorted by name.

    A value is looked up as a noun: in lower case, ``&`` as ``and``, spaces as underscores; then with underscores for
    hyphens, with hyphens for underscores, and the same without accents. ``senses`` maps values to other words or to
    synsets. Of several senses, the first and most frequent is chosen; with ``under``, the first at or below that synset
    by any path, else the first.

    A synset with several hypernyms has one parent in the tree, by ``rule``: the first by name (``alphabetical``), the
    one with the shortest path to the root (``shortest``; ties by name) or the first in the file (``first``).
    ``parents`` maps synsets to other parents. ``top`` becomes the root; only paths to it count.

    Each value is a leaf below its synset. With ``leaf="synset"`` the value replaces the synset, unless several values
    share it. A synset with the name of a value is called ``name (synset)``.
    """
    texts = sorted(count_values(values))
    if not texts:
        raise HierarchyError.no_values()
    if rule not in RULES:
        raise OptionError.unknown_choice("rule", rule, RULES)
    if leaf not in LEAVES:
        raise OptionError.unknown_choice("leaf", leaf, LEAVES)
    words, given_parents = _check_mapping("senses", senses), _check_mapping("parents", parents)
    files = WordNet.open(folder)
    graph = _HypernymGraph(
        files,
        {
            _synset(files, "parents", child): _synset(files, "parents", parent)
            for child, parent in given_parents.items()
        },
        None if top is None else _synset(files, "top", top),
    )
    unknown = sum(not _lookup(files, name).senses for name in words.values())
    if unknown:
        raise HierarchyError.unknown_senses(senses=unknown, of=len(words))
    lookups = {text: _lookup(files, words.get(text, text)) for text in texts}
    without_sense = sum(not lookup.senses for lookup in lookups.values())
    if without_sense:
        raise HierarchyError.values_without_sense(values=without_sense, of=len(texts))
    preferred = None if under is None else _synset(files, "under", under)
    chosen_senses = {text: _choose_sense(graph, lookup, preferred) for text, lookup in lookups.items()}
    if top is not None and graph.top is not None:
        outside = sum(graph.top not in graph.ancestors(offset) for offset, _ in chosen_senses.values())
        if outside:
            raise HierarchyError.top_not_above(top, values=outside, of=len(texts))
    chosen_parents = _choose_parents(graph, [offset for offset, _ in chosen_senses.values()], rule)
    choices = [
        WordNetChoice("sense", text, lookup.word, tuple(map(files.name, lookup.senses)), files.name(offset), reason)
        for (text, (offset, reason)), lookup in zip(chosen_senses.items(), lookups.values(), strict=True)
    ]
    choices += _parent_choices(files, chosen_parents)
    return WordNetBuild(
        hierarchy=_tree(files, {text: offset for text, (offset, _) in chosen_senses.items()}, chosen_parents, leaf),
        choices=tuple(choices),
        under=under,
        rule=rule,
        unused=len(set(words) - set(texts)) + len(set(graph.given_parents) - set(chosen_parents)),
    )


def unknown_words(
    values: Iterable[object], folder: str | PathLike[str], *, senses: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return the values without a noun sense, directly or by ``senses``."""
    files, words = WordNet.open(folder), _check_mapping("senses", senses)
    return tuple(text for text in sorted(count_values(values)) if not _lookup(files, words.get(text, text)).senses)


def _check_mapping(option: str, mapping: Any) -> dict[str, str]:
    if mapping is None:
        return {}
    if not isinstance(mapping, Mapping) or not all(isinstance(word, str) for pair in mapping.items() for word in pair):
        raise OptionError.invalid_value(option, "a mapping of texts to texts")
    return dict(mapping)


def _synset(files: WordNet, option: str, name: object) -> int:
    offset = files.offset_of(name) if isinstance(name, str) else None
    if offset is None:
        raise HierarchyError.unknown_synset(option, name=name)
    return offset


class _Lookup(NamedTuple):
    word: str
    senses: tuple[int, ...]
    exact: int | None
    """Offset of the synset that the text names, as ``word.n.NN``."""


def _lookup(files: WordNet, text: str) -> _Lookup:
    exact = files.offset_of(text)
    if exact is not None:
        word = text.rpartition(".n.")[0].lower()
        return _Lookup(word, files.senses(word), exact)
    for word in _spellings(text):
        senses = files.senses(word)
        if senses:
            return _Lookup(word, senses, None)
    return _Lookup("", (), None)


def _spellings(text: str) -> list[str]:
    """Return the spellings of a text in the index, the closest first."""
    lowered = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("&", " and ")
    unaccented = "".join(mark for mark in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(mark))
    spellings = []
    for form in (lowered, unaccented):
        joined = "_".join(form.split())
        spellings += [joined, re.sub("[_-]+", "_", joined), re.sub("[_-]+", "-", joined)]
    return list(dict.fromkeys(spellings))


@dataclass(frozen=True)
class _HypernymGraph:
    """Hypernym graph with the parents given by the caller."""

    files: WordNet
    given_parents: Mapping[int, int]
    top: int | None

    def hypernyms(self, offset: int) -> tuple[int, ...]:
        return (self.given_parents[offset],) if offset in self.given_parents else self.files.synset(offset).hypernyms

    def ancestors(self, offset: int) -> dict[int, int]:
        """Return every synset at or above this one, with the length of the shortest path to it."""
        lengths = {offset: 0}
        queue = [offset]
        for low in queue:
            for high in self.hypernyms(low):
                if high not in lengths:
                    lengths[high] = lengths[low] + 1
                    queue.append(high)
        return lengths

    def height(self, offset: int) -> int:
        """Return the length of the shortest path to the top or to a root."""
        ancestors = self.ancestors(offset)
        if self.top in ancestors:
            return ancestors[self.top]
        lengths = [length for high, length in ancestors.items() if not self.hypernyms(high)]
        # no root means a cycle, which `Hierarchy.from_edges` reports
        return min(lengths, default=0)


def _choose_sense(graph: _HypernymGraph, lookup: _Lookup, under: int | None) -> tuple[int, str]:
    if lookup.exact is not None:
        return lookup.exact, "given"
    if under is None:
        return lookup.senses[0], "first" if len(lookup.senses) > 1 else "only"
    for offset in lookup.senses:
        if under in graph.ancestors(offset):
            return offset, "under" if len(lookup.senses) > 1 else "only"
    return lookup.senses[0], "none-under"


def _choose_parents(graph: _HypernymGraph, starts: Iterable[int], rule: str) -> dict[int, tuple[int | None, str]]:
    """Return the parent of every synset on the paths to the root, with the rule that chose it; None for a root."""
    chosen: dict[int, tuple[int | None, str]] = {}
    for start in starts:
        offset: int | None = start
        while offset is not None and offset not in chosen:
            chosen[offset] = _choose_parent(graph, offset, rule)
            offset = chosen[offset][0]
    return chosen


def _choose_parent(graph: _HypernymGraph, offset: int, rule: str) -> tuple[int | None, str]:
    hypernyms = graph.hypernyms(offset)
    if not hypernyms or offset == graph.top:
        return None, "only"
    if offset in graph.given_parents:
        return hypernyms[0], "given"
    candidates = [high for high in hypernyms if graph.top is None or graph.top in graph.ancestors(high)]
    if len(candidates) == 1:
        return candidates[0], "top" if len(hypernyms) > 1 else "only"
    if rule == "first":
        return candidates[0], rule
    name = graph.files.name
    if rule == "shortest":
        return min(candidates, key=lambda high: (graph.height(high), name(high))), rule
    return min(candidates, key=name), rule


def _parent_choices(files: WordNet, chosen: Mapping[int, tuple[int | None, str]]) -> list[WordNetChoice]:
    return sorted(
        (
            WordNetChoice(
                "parent", files.name(low), "", tuple(map(files.name, files.synset(low).hypernyms)), files.name(high), by
            )
            for low, (high, by) in chosen.items()
            if high is not None and by != "only"
        ),
        key=lambda choice: choice.subject,
    )


def _tree(
    files: WordNet, senses: Mapping[str, int], chosen: Mapping[int, tuple[int | None, str]], leaf: str
) -> Hierarchy:
    n_values = Counter(senses.values())
    replaced = {offset: text for text, offset in senses.items() if leaf == "synset" and n_values[offset] == 1}

    def unique(name: str) -> str:
        while name in senses:
            name += " (synset)"
        return name

    names = {offset: replaced[offset] if offset in replaced else unique(files.name(offset)) for offset in chosen}
    edges = [(names[low], names[high]) for low, (high, _) in chosen.items() if high is not None]
    edges += [(text, names[offset]) for text, offset in senses.items() if offset not in replaced]
    roots = [offset for offset, (high, _) in chosen.items() if high is None]
    if len(roots) > 1:
        # older versions of WordNet have several roots
        edges += [(names[offset], unique("*")) for offset in roots]
    if not edges:
        raise HierarchyError.one_node()
    return Hierarchy.from_edges(sorted(edges))
