"""A hierarchy: a tree of values, each of them standing for all that is below it.

Any node may be a value of the data, not only a leaf: ``worker`` is an occupation and the parent of others. Nodes are
numbered by postorder, children before their parent and in the order in which they were given, so that neighbors in
number are near in meaning, every node and what is below it are a run of numbers, and the root is the last.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import HierarchyError, OptionError, ShoalWarning
from shoal.words import counted

if TYPE_CHECKING:
    from shoal.hierarchy.coverage import Coverage

Edge = tuple[str, str]
"""A child and its parent."""


@dataclass(frozen=True)
class Hierarchy:
    """A tree of values that never changes. Two hierarchies are equal where their nodes, edges and order are."""

    nodes: tuple[str, ...]
    """The names of the nodes in postorder; the root is the last."""
    parents: tuple[int, ...]
    """For each node the number of its parent; the root is its own."""

    def __post_init__(self) -> None:
        nodes, parents = self.nodes, self.parents
        if not (isinstance(nodes, tuple) and isinstance(parents, tuple) and 0 < len(nodes) == len(parents)):
            raise HierarchyError.no_tree("they are not two tuples of the same length")
        # a name may be blank here: a column of a frame may hold such values, and they are nodes of its own tree
        if not all(isinstance(name, str) for name in nodes):
            raise HierarchyError.no_tree("names are not texts")
        if not all(type(parent) is int for parent in parents):
            raise HierarchyError.no_tree("parents are not whole numbers")
        twice = len(nodes) - len(set(nodes))
        if twice:
            raise HierarchyError.no_tree(
                f"{twice:,} of {counted(len(nodes), 'name')} {'repeats' if twice == 1 else 'repeat'} another"
            )
        # from the root down, each parent must be the last node or above it: so children come first, in one run
        above = [len(nodes) - 1]
        for number in range(len(nodes) - 1, -1, -1):
            while above and above[-1] != parents[number]:
                above.pop()
            if not above:
                raise HierarchyError.no_tree("numbers of parents are not those of a postorder")
            above.append(number)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.nodes, self.parents)

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[object, object]], *, places: Sequence[str] | None = None) -> Self:
        """The tree of pairs ``(child, parent)``, in any order; a pair may stand more than once.

        ``places`` says where each pair stands, such as ``line 7``, for the message about a pair that fits no tree.
        Every way to a hierarchy leads through here.
        """
        parents: dict[str, str] = {}
        first: dict[str, str] = {}
        for number, (child, parent) in enumerate(edges):
            place = f"edge {number + 1:,}" if places is None else places[number]
            below, above = str(child), str(parent)
            if not below.strip() or not above.strip():
                raise HierarchyError.no_name(place)
            if below == above:
                raise HierarchyError.cycle(1)
            if parents.get(below, above) != above:
                raise HierarchyError.two_parents(place, first=first[below])
            parents.setdefault(below, above)
            first.setdefault(below, place)
        if not parents:
            raise HierarchyError.empty()
        return cls._grown(parents)

    @staticmethod
    def read(path: str | os.PathLike[str], *, format: str | None = None, delimiter: str | None = None) -> Hierarchy:
        """The hierarchy of a file: rows of ARX, edges, nested names in JSON or triples of SKOS."""
        from shoal.hierarchy import files

        return files.read(path, format=format, delimiter=delimiter)

    @staticmethod
    def from_rows(rows: Iterable[Iterable[object]]) -> Hierarchy:
        """The tree of rows as ARX has them: a value first, then the nodes above it, the root last."""
        from shoal.hierarchy import arx

        return arx.from_rows(rows)

    @staticmethod
    def from_dict(nested: Mapping[str, Any]) -> Hierarchy:
        """The tree of nested names, such as ``{"*": {"Europe": ["France", "Italy"]}}``."""
        from shoal.hierarchy import nested as names

        return names.from_dict(nested)

    @staticmethod
    def from_intervals(
        values: Iterable[object],
        *,
        width: object = None,
        quantiles: object = None,
        cuts: object = None,
        root: str = "*",
    ) -> Hierarchy:
        """Numbers under intervals of one width, of about as many values each, or between given points."""
        from shoal.hierarchy import intervals

        return intervals.from_intervals(values, width=width, quantiles=quantiles, cuts=cuts, root=root)

    @staticmethod
    def from_prefixes(
        values: Iterable[object],
        *,
        lengths: int | Iterable[int] | None = None,
        mask: str = "*",
        separators: str | None = None,
        root: str = "*",
    ) -> Hierarchy:
        """Codes under their beginnings: ``08034``, ``0803*``, ``080**`` and so on."""
        from shoal.hierarchy import prefixes

        return prefixes.from_prefixes(values, lengths=lengths, mask=mask, separators=separators, root=root)

    @staticmethod
    def from_dates(
        values: Iterable[object],
        *,
        levels: str | Sequence[str] = ("day", "month", "quarter", "year", "decade"),
        root: str = "*",
    ) -> Hierarchy:
        """Dates under their months, quarters, years and decades."""
        from shoal.hierarchy import dates

        return dates.from_dates(values, levels=levels, root=root)

    @staticmethod
    def from_frequencies(
        counts: Mapping[Any, int] | Iterable[object], *, groups: int | None = None, root: str = "*"
    ) -> Hierarchy:
        """Values of which nothing is known but how often they occur: what is rare is pooled first."""
        from shoal.hierarchy import frequencies

        return frequencies.from_frequencies(counts, groups=groups, root=root)

    @classmethod
    def from_wordnet(
        cls,
        values: Iterable[object],
        folder: str | os.PathLike[str],
        *,
        senses: Mapping[str, str] | None = None,
        under: str | None = None,
        parents: Mapping[str, str] | None = None,
        rule: str = "alphabetical",
        top: str | None = None,
        leaf: str = "value",
    ) -> Self:
        """The part of a WordNet folder that is above these values; see :func:`shoal.hierarchy.wordnet.build`.

        Where a rule and not the caller decided between senses or parents, one warning says how often.
        """
        from shoal.hierarchy import wordnet

        built = wordnet.build(
            values, folder, senses=senses, under=under, parents=parents, rule=rule, top=top, leaf=leaf
        )
        if not built.certain:
            said = f"{built.summary()}; the report of shoal.hierarchy.wordnet.build names them."
            warnings.warn(said, ShoalWarning, stacklevel=2)
        return cls(built.hierarchy.nodes, built.hierarchy.parents)

    @classmethod
    def _grown(cls, parents: Mapping[str, str]) -> Self:
        children: dict[str, list[str]] = {}
        for child, parent in parents.items():
            children.setdefault(parent, []).append(child)
        roots = [parent for parent in children if parent not in parents]
        if len(roots) > 1:
            raise HierarchyError.two_roots(len(roots))
        # from the root down, later children first: backwards this is the postorder
        nodes: list[str] = []
        waiting = list(roots)
        while waiting:
            node = waiting.pop()
            nodes.append(node)
            waiting += children.get(node, ())
        if len(nodes) <= len(parents):
            raise HierarchyError.cycle(len(parents) + (1 if roots else 0) - len(nodes))
        nodes.reverse()
        numbers = {node: number for number, node in enumerate(nodes)}
        return cls(tuple(nodes), tuple(numbers[parents.get(node, node)] for node in nodes))

    def __repr__(self) -> str:
        return f"Hierarchy(nodes={len(self)}, leaves={len(self.leaves)}, levels={self.levels})"

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)

    def __contains__(self, name: object) -> bool:
        return name in self.numbers

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each node."""
        return MappingProxyType({name: number for number, name in enumerate(self.nodes)})

    def number(self, name: str) -> int:
        """The number of one node."""
        try:
            return self.numbers[name]
        except (KeyError, TypeError):
            raise HierarchyError.unknown_node() from None

    @property
    def root(self) -> str:
        return self.nodes[-1]

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """For each node the number of nodes on the way from the root to it: 1 for the root."""
        depths = [1] * len(self)
        for number in range(len(self) - 2, -1, -1):
            depths[number] = depths[self.parents[number]] + 1
        return tuple(depths)

    @cached_property
    def levels(self) -> int:
        """The depth of the deepest node."""
        return max(self.depths)

    @cached_property
    def _children(self) -> Mapping[int, tuple[int, ...]]:
        found: dict[int, list[int]] = {}
        for number, parent in enumerate(self.parents[:-1]):
            found.setdefault(parent, []).append(number)
        return MappingProxyType({parent: tuple(children) for parent, children in found.items()})

    def children(self, name: str) -> tuple[str, ...]:
        """The nodes right below this one, in their order."""
        return tuple(self.nodes[child] for child in self._children.get(self.number(name), ()))

    def parent(self, name: str) -> str | None:
        """The node right above this one; None for the root."""
        number = self.number(name)
        return None if number == len(self) - 1 else self.nodes[self.parents[number]]

    def path(self, name: str) -> tuple[str, ...]:
        """The nodes from this one up to the root, both included."""
        number = self.number(name)
        found = [number]
        while number != self.parents[number]:
            number = self.parents[number]
            found.append(number)
        return tuple(self.nodes[place] for place in found)

    def depth(self, name: str) -> int:
        """The number of nodes on the way from the root to this one: 1 for the root."""
        return self.depths[self.number(name)]

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The nodes without children."""
        return tuple(name for number, name in enumerate(self.nodes) if number not in self._children)

    def lcs(self, *names: str) -> str:
        """The least common subsumer: the lowest node at or above all of these."""
        if not names:
            raise HierarchyError.nothing_given()
        found = sorted(self.number(name) for name in names)
        low, high = found[0], found[-1]
        # what is at or below a node is a run of numbers, so whatever is above both ends is above all between them
        while low != high:
            if self.depths[low] < self.depths[high]:
                high = self.parents[high]
            else:
                low = self.parents[low]
        return self.nodes[low]

    def similarity(self, one: str, other: str) -> float:
        """How similar two nodes are by Wu and Palmer, from 0 to 1: by how deep they part."""
        return 2 * self.depth(self.lcs(one, other)) / (self.depth(one) + self.depth(other))

    def distance(
        self, one: str, other: str, *, by: str = "wu-palmer", counts: Mapping[str, int] | None = None
    ) -> float:
        """How far two nodes are apart, from 0 to 1; see :mod:`shoal.hierarchy.semantics` for the ways to measure."""
        from shoal.hierarchy.semantics import distance

        return distance(self, one, other, by=by, counts=counts)

    def centroid(self, values: Iterable[object] | Mapping[str, int], *, by: str = "wu-palmer") -> str:
        """The semantic centroid of values, or of their counts: the node with the least sum of distances to them."""
        from shoal.hierarchy.coverage import tally
        from shoal.hierarchy.semantics import centroid

        return centroid(self, tally(values), distance=by)

    def edges(self) -> Iterator[Edge]:
        """Every child with its parent, parents first and children in their order, so that they make the tree again."""
        waiting = deque([len(self) - 1])
        while waiting:
            number = waiting.popleft()
            for child in self._children.get(number, ()):
                yield self.nodes[child], self.nodes[number]
                waiting.append(child)

    def coverage(self, values: Iterable[object] | Mapping[str, int], *, close: bool = False) -> Coverage:
        """Whether the tree has every value of a column; see :func:`shoal.hierarchy.coverage.coverage`."""
        from shoal.hierarchy.coverage import coverage, tally

        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            return coverage(self, tally(values), close=close)
        cells = list(values)
        return coverage(self, tally(cells), close=close, records=len(cells))

    def with_values(self, mapping: Mapping[str, str]) -> Self:
        """This tree with each of these values as one more leaf below the node that it is mapped to.

        So another spelling of a node, or a value that it stands for, becomes part of the tree, and no release can tell
        the two apart where it releases the node. A value that is there already must have that parent.
        """
        if not isinstance(mapping, Mapping):
            raise OptionError.bad_option("mapping", "a mapping of values to nodes")
        for node in mapping.values():
            self.number(node)
        if not mapping:
            return self
        return self.from_edges([*self.edges(), *mapping.items()])

    def to_rows(self, *, values: Iterable[str] | None = None) -> list[list[str]]:
        """A row for each leaf and for each inner node among ``values``, from it up to the root."""
        from shoal.hierarchy import arx

        return arx.to_rows(self, values=values)

    def to_dict(self) -> dict[str, Any]:
        """Nested names; a leaf has an empty dictionary."""
        from shoal.hierarchy import nested

        return nested.to_dict(self)

    def save(self, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False) -> None:
        """Write the hierarchy in the format that is named or that the ending tells: ARX for tables."""
        from shoal.hierarchy import files

        files.save(self, path, format=format, force=force)

    @cached_property
    def fingerprint(self) -> str:
        """What tells this tree from every other, whatever file it came from."""
        digest = hashlib.sha256()
        for name, parent in zip(self.nodes, self.parents, strict=True):
            digest.update(f"{len(name)} {name} {parent} ".encode(errors="surrogatepass"))
        return digest.hexdigest()
