"""Hierarchies from WordNet: the senses of the values of a column, and the synsets above them.

A word has several senses and a synset several hypernyms. A tree has room for one of each, so that every choice follows
a stated rule or the caller, and every choice is reported.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.choices import Built, Choice
from shoal.hierarchy.coverage import tally
from shoal.hierarchy.tree import Edge, Hierarchy
from shoal.hierarchy.wordnet_files import WordNet

RULES = ("alphabetical", "shortest", "first")
LEAVES = ("value", "synset")


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
) -> Built:
    """The synsets above the values of a column, as a tree whose siblings are in the order of their names.

    A value is looked up as a noun: in lower case, ``&`` as ``and``, spaces as underscores; then with underscores for
    hyphens, with hyphens for underscores, and all that without accents. ``senses`` maps values to other words or to
    synsets. Of several senses the first is taken, which is the most frequent, or with ``under`` the first at or below
    that synset, by any way, and the first where none is.

    Of several hypernyms one is the parent, wherever the synset is met: by ``rule`` the first by name
    (``alphabetical``), the one with the shortest way to the root (``shortest``; of several, the first by name) or the
    one that the file lists first (``first``). ``parents`` maps synsets to other parents. ``top`` becomes the root, and
    only ways that lead to it count.

    Each value is a leaf below its synset, or with ``leaf="synset"`` it stands in place of it; values that share a
    synset are leaves below it all the same. A synset whose name is the text of a value is called ``name (synset)``.
    """
    texts = sorted(tally(values))
    if not texts:
        raise HierarchyError.no_values()
    if rule not in RULES:
        raise OptionError.unknown_choice("rule", rule, RULES)
    if leaf not in LEAVES:
        raise OptionError.unknown_choice("leaf", leaf, LEAVES)
    words, moved = _checked("senses", senses), _checked("parents", parents)
    files = WordNet.open(folder)
    ways = _Ways(
        files,
        {_synset(files, "parents", child): _synset(files, "parents", parent) for child, parent in moved.items()},
        None if top is None else _synset(files, "top", top),
    )
    strange = sum(not _lookup(files, name).senses for name in words.values())
    if strange:
        raise HierarchyError.unknown_senses(senses=strange, of=len(words))
    found = {text: _lookup(files, words.get(text, text)) for text in texts}
    lacking = sum(not lookup.senses for lookup in found.values())
    if lacking:
        raise HierarchyError.no_sense(values=lacking, of=len(texts))
    kind = None if under is None else _synset(files, "under", under)
    meant = {text: _sense(ways, lookup, kind) for text, lookup in found.items()}
    if top is not None and ways.top is not None:
        outside = sum(ways.top not in ways.above(offset) for offset, _ in meant.values())
        if outside:
            raise HierarchyError.not_below(top, values=outside, of=len(texts))
    chosen = _parents(ways, [offset for offset, _ in meant.values()], rule)
    choices = [
        Choice("sense", text, found[text].word, tuple(map(files.name, found[text].senses)), files.name(offset), decided)
        for text, (offset, decided) in meant.items()
    ]
    choices += _parent_choices(files, chosen)
    return Built(
        hierarchy=_tree(files, {text: offset for text, (offset, _) in meant.items()}, chosen, leaf),
        choices=tuple(choices),
        under=under,
        rule=rule,
        unused=len(set(words) - set(texts)) + len(set(ways.moved) - set(chosen)),
    )


def unknown_words(
    values: Iterable[object], folder: str | PathLike[str], *, senses: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The values that have no noun sense, themselves or by ``senses``."""
    files, words = WordNet.open(folder), _checked("senses", senses)
    return tuple(text for text in sorted(tally(values)) if not _lookup(files, words.get(text, text)).senses)


def hypernym_edges(synsets: Iterable[str], folder: str | PathLike[str]) -> tuple[Edge, ...]:
    """Every synset and hypernym on any way from these synsets up, where nothing has been chosen yet."""
    files = WordNet.open(folder)
    ways = _Ways(files, {}, None)
    met = {offset for name in synsets for offset in ways.above(_synset(files, "synsets", name))}
    return tuple(sorted((files.name(low), files.name(high)) for low in met for high in ways.hypernyms(low)))


def _checked(option: str, mapping: Any) -> dict[str, str]:
    if mapping is None:
        return {}
    if not isinstance(mapping, Mapping) or not all(isinstance(word, str) for pair in mapping.items() for word in pair):
        raise OptionError.bad_option(option, "a mapping of texts to texts")
    return dict(mapping)


def _synset(files: WordNet, option: str, name: object) -> int:
    offset = files.named(name) if isinstance(name, str) else None
    if offset is None:
        raise HierarchyError.unknown_synset(option, name)
    return offset


class _Lookup(NamedTuple):
    word: str
    senses: tuple[int, ...]
    exact: int | None
    """The offset that the text names itself, as ``word.n.NN``."""


def _lookup(files: WordNet, text: str) -> _Lookup:
    exact = files.named(text)
    if exact is not None:
        word = text.rpartition(".n.")[0].lower()
        return _Lookup(word, files.senses(word), exact)
    for word in _spellings(text):
        senses = files.senses(word)
        if senses:
            return _Lookup(word, senses, None)
    return _Lookup("", (), None)


def _spellings(text: str) -> list[str]:
    """How a text may stand in the index, the nearest first."""
    lowered = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("&", " and ")
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(mark))
    spelled = []
    for form in (lowered, bare):
        joined = "_".join(form.split())
        spelled += [joined, re.sub("[_-]+", "_", joined), re.sub("[_-]+", "-", joined)]
    return list(dict.fromkeys(spelled))


@dataclass(frozen=True)
class _Ways:
    """The ways up, with the parents that the caller moved."""

    files: WordNet
    moved: Mapping[int, int]
    top: int | None

    def hypernyms(self, offset: int) -> tuple[int, ...]:
        return (self.moved[offset],) if offset in self.moved else self.files.synset(offset).hypernyms

    def above(self, offset: int) -> dict[int, int]:
        """Every synset at or above this one, and the fewest steps to it."""
        steps = {offset: 0}
        waiting = [offset]
        for low in waiting:
            for high in self.hypernyms(low):
                if high not in steps:
                    steps[high] = steps[low] + 1
                    waiting.append(high)
        return steps

    def length(self, offset: int) -> int:
        """The fewest steps to the top, or to a root."""
        above = self.above(offset)
        if self.top in above:
            return above[self.top]
        ends = [steps for high, steps in above.items() if not self.hypernyms(high)]
        # without an end they go in a circle, which the tree will tell
        return min(ends, default=0)


def _sense(ways: _Ways, lookup: _Lookup, under: int | None) -> tuple[int, str]:
    if lookup.exact is not None:
        return lookup.exact, "given"
    if under is None:
        return lookup.senses[0], "first" if len(lookup.senses) > 1 else "only"
    for offset in lookup.senses:
        if under in ways.above(offset):
            return offset, "under" if len(lookup.senses) > 1 else "only"
    return lookup.senses[0], "none-under"


def _parents(ways: _Ways, starts: Iterable[int], rule: str) -> dict[int, tuple[int | None, str]]:
    """For every synset on the way its parent, chosen once, and the rule; None for a root."""
    chosen: dict[int, tuple[int | None, str]] = {}
    for start in starts:
        offset: int | None = start
        while offset is not None and offset not in chosen:
            chosen[offset] = _parent(ways, offset, rule)
            offset = chosen[offset][0]
    return chosen


def _parent(ways: _Ways, offset: int, rule: str) -> tuple[int | None, str]:
    found = ways.hypernyms(offset)
    if not found or offset == ways.top:
        return None, "only"
    if offset in ways.moved:
        return found[0], "given"
    leading = [high for high in found if ways.top is None or ways.top in ways.above(high)]
    if len(leading) == 1:
        return leading[0], "top" if len(found) > 1 else "only"
    if rule == "first":
        return leading[0], rule
    name = ways.files.name
    if rule == "shortest":
        return min(leading, key=lambda high: (ways.length(high), name(high))), rule
    return min(leading, key=name), rule


def _parent_choices(files: WordNet, chosen: Mapping[int, tuple[int | None, str]]) -> list[Choice]:
    return sorted(
        (
            Choice(
                "parent", files.name(low), "", tuple(map(files.name, files.synset(low).hypernyms)), files.name(high), by
            )
            for low, (high, by) in chosen.items()
            if high is not None and by != "only"
        ),
        key=lambda choice: choice.of,
    )


def _tree(
    files: WordNet, meant: Mapping[str, int], chosen: Mapping[int, tuple[int | None, str]], leaf: str
) -> Hierarchy:
    sharing = Counter(meant.values())
    standing = {offset: text for text, offset in meant.items() if leaf == "synset" and sharing[offset] == 1}

    def free(name: str) -> str:
        while name in meant:
            name += " (synset)"
        return name

    names = {offset: standing[offset] if offset in standing else free(files.name(offset)) for offset in chosen}
    edges = [(names[low], names[high]) for low, (high, _) in chosen.items() if high is not None]
    edges += [(text, names[offset]) for text, offset in meant.items() if offset not in standing]
    roots = [offset for offset, (high, _) in chosen.items() if high is None]
    if len(roots) > 1:
        # older WordNets have several
        edges += [(names[offset], free("*")) for offset in roots]
    if not edges:
        raise HierarchyError.one_node()
    return Hierarchy.from_edges(sorted(edges))
