"""Hierarchy: a tree of values in which each node generalizes all nodes below it.

Any node may be a value of the data, not only a leaf: ``worker`` is an occupation and the parent of others. Nodes are
numbered in postorder, children before their parent and in the given order. So each subtree is a contiguous range of
numbers that ends with its root, nodes with close numbers are close in meaning, and the root of the tree is the last.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import HierarchyError, OptionError, warn_user
from shoal.errors.messages import pluralize

if TYPE_CHECKING:
    from shoal.hierarchy.coverage import Coverage

Edge = tuple[str, str]
"""A child and its parent."""


@dataclass(frozen=True)
class Hierarchy:
    """Immutable tree of values. Hierarchies are equal if their nodes, edges and order are."""

    nodes: tuple[str, ...]
    """The names of the nodes in postorder; the root is the last."""
    parents: tuple[int, ...]
    """The number of each node's parent; the root is its own parent."""

    def __post_init__(self) -> None:
        nodes, parents = self.nodes, self.parents
        if not (isinstance(nodes, tuple) and isinstance(parents, tuple) and 0 < len(nodes) == len(parents)):
            raise HierarchyError.not_a_tree("they are not two tuples of the same length")
        # names may be blank here: the flat tree of a frame's column contains all of its values
        if not all(isinstance(name, str) for name in nodes):
            raise HierarchyError.not_a_tree("names are not texts")
        if not all(type(parent) is int for parent in parents):
            raise HierarchyError.not_a_tree("parents are not whole numbers")
        repeats = len(nodes) - len(set(nodes))
        if repeats:
            raise HierarchyError.not_a_tree(
                f"{repeats:,} of {pluralize(len(nodes), 'name')} {'repeats' if repeats == 1 else 'repeat'} another"
            )
        # postorder, from the root down: the parent of each node is the previous node or one of its ancestors
        ancestors = [len(nodes) - 1]
        for number in range(len(nodes) - 1, -1, -1):
            while ancestors and ancestors[-1] != parents[number]:
                ancestors.pop()
            if not ancestors:
                raise HierarchyError.not_a_tree("numbers of parents are not those of a postorder")
            ancestors.append(number)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.nodes, self.parents)

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[object, object]], *, places: Sequence[str] | None = None) -> Self:
        """Build the tree from pairs ``(child, parent)``, in any order and with repeats.

        ``places`` locates each pair in error messages, such as ``line 7``. All builders and readers use this method.
        """
        parents: dict[str, str] = {}
        first: dict[str, str] = {}
        for number, (child, parent) in enumerate(edges):
            place = f"edge {number + 1:,}" if places is None else places[number]
            child_name, parent_name = str(child), str(parent)
            if not child_name.strip() or not parent_name.strip():
                raise HierarchyError.unnamed_node(place)
            if child_name == parent_name:
                raise HierarchyError.cycle(1)
            if parents.get(child_name, parent_name) != parent_name:
                raise HierarchyError.two_parents(place, first=first[child_name])
            parents.setdefault(child_name, parent_name)
            first.setdefault(child_name, place)
        if not parents:
            raise HierarchyError.empty()
        return cls._from_parents(parents)

    @staticmethod
    def read(path: str | os.PathLike[str], *, format: str | None = None, delimiter: str | None = None) -> Hierarchy:
        """Read a hierarchy file: ARX rows, edges, nested names in JSON or SKOS triples."""
        from shoal.hierarchy import formats

        return formats.read(path, format=format, delimiter=delimiter)

    @staticmethod
    def from_rows(rows: Iterable[Iterable[object]]) -> Hierarchy:
        """Build the tree from ARX rows: a value, then its generalizations, the root last."""
        from shoal.hierarchy.formats import arx

        return arx.from_rows(rows)

    @staticmethod
    def from_dict(nested: Mapping[str, Any]) -> Hierarchy:
        """Build the tree from nested names, such as ``{"*": {"Europe": ["France", "Italy"]}}``."""
        from shoal.hierarchy.formats import nested_json

        return nested_json.from_dict(nested)

    @staticmethod
    def from_intervals(
        values: Iterable[object],
        *,
        width: object = None,
        quantiles: object = None,
        cuts: object = None,
        root: str = "*",
    ) -> Hierarchy:
        """Group numbers into intervals of fixed width, by quantiles, or between cut points."""
        from shoal.hierarchy import builders

        return builders.from_intervals(values, width=width, quantiles=quantiles, cuts=cuts, root=root)

    @staticmethod
    def from_prefixes(
        values: Iterable[object],
        *,
        lengths: int | Iterable[int] | None = None,
        mask: str = "*",
        separators: str | None = None,
        root: str = "*",
    ) -> Hierarchy:
        """Group codes by their prefixes: ``08034``, ``0803*``, ``080**`` and so on."""
        from shoal.hierarchy import builders

        return builders.from_prefixes(values, lengths=lengths, mask=mask, separators=separators, root=root)

    @staticmethod
    def from_dates(
        values: Iterable[object],
        *,
        levels: str | Sequence[str] = ("day", "month", "quarter", "year", "decade"),
        root: str = "*",
    ) -> Hierarchy:
        """Group dates by month, quarter, year and decade."""
        from shoal.hierarchy import builders

        return builders.from_dates(values, levels=levels, root=root)

    @staticmethod
    def from_frequencies(
        counts: Mapping[Any, int] | Iterable[object], *, groups: int | None = None, root: str = "*"
    ) -> Hierarchy:
        """Group values by frequency, the rarest first, if no relation between them is known."""
        from shoal.hierarchy import builders

        return builders.from_frequencies(counts, groups=groups, root=root)

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
        """Build the tree of the WordNet synsets above these values; see :func:`shoal.hierarchy.wordnet.build`.

        One warning counts the senses and parents that a rule had to choose.
        """
        from shoal.hierarchy import wordnet

        built = wordnet.build(
            values, folder, senses=senses, under=under, parents=parents, rule=rule, top=top, leaf=leaf
        )
        if not built.is_certain:
            warn_user(f"{built.summary()}; the report of shoal.hierarchy.wordnet.build names them.")
        return cls(built.hierarchy.nodes, built.hierarchy.parents)

    @classmethod
    def _from_parents(cls, parents: Mapping[str, str]) -> Self:
        children: dict[str, list[str]] = {}
        for child, parent in parents.items():
            children.setdefault(parent, []).append(child)
        roots = [parent for parent in children if parent not in parents]
        if len(roots) > 1:
            raise HierarchyError.two_roots(len(roots))
        # preorder with later children first is the reverse of the postorder
        nodes: list[str] = []
        stack = list(roots)
        while stack:
            node = stack.pop()
            nodes.append(node)
            stack += children.get(node, ())
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
        """Return the number of a node."""
        try:
            return self.numbers[name]
        except (KeyError, TypeError):
            raise HierarchyError.unknown_node() from None

    @property
    def root(self) -> str:
        return self.nodes[-1]

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Depth of each node, counted from 1 at the root."""
        depths = [1] * len(self)
        for number in range(len(self) - 2, -1, -1):
            depths[number] = depths[self.parents[number]] + 1
        return tuple(depths)

    @cached_property
    def levels(self) -> int:
        """Number of levels: the depth of the deepest node."""
        return max(self.depths)

    @cached_property
    def _children(self) -> Mapping[int, tuple[int, ...]]:
        children: dict[int, list[int]] = {}
        for number, parent in enumerate(self.parents[:-1]):
            children.setdefault(parent, []).append(number)
        return MappingProxyType({parent: tuple(numbers) for parent, numbers in children.items()})

    def children(self, name: str) -> tuple[str, ...]:
        """Return the children of a node, in order."""
        return tuple(self.nodes[child] for child in self._children.get(self.number(name), ()))

    def parent(self, name: str) -> str | None:
        """Return the parent of a node; None for the root."""
        number = self.number(name)
        return None if number == len(self) - 1 else self.nodes[self.parents[number]]

    def path(self, name: str) -> tuple[str, ...]:
        """Return the generalization path of a node: from it up to the root, both included."""
        number = self.number(name)
        numbers = [number]
        while number != self.parents[number]:
            number = self.parents[number]
            numbers.append(number)
        return tuple(self.nodes[number] for number in numbers)

    def depth(self, name: str) -> int:
        """Return the depth of a node, counted from 1 at the root."""
        return self.depths[self.number(name)]

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The nodes without children."""
        return tuple(name for number, name in enumerate(self.nodes) if number not in self._children)

    def lcs(self, *names: str) -> str:
        """Return the least common subsumer: the lowest node at or above all of these."""
        if not names:
            raise HierarchyError.no_nodes_given()
        numbers = sorted(self.number(name) for name in names)
        low, high = numbers[0], numbers[-1]
        # subtrees are ranges of numbers, so an ancestor of the lowest and the highest is one of all between them
        while low != high:
            if self.depths[low] < self.depths[high]:
                high = self.parents[high]
            else:
                low = self.parents[low]
        return self.nodes[low]

    def similarity(self, one: str, other: str) -> float:
        """Return the Wu-Palmer similarity of two nodes, from 0 to 1."""
        return 2 * self.depth(self.lcs(one, other)) / (self.depth(one) + self.depth(other))

    def distance(
        self, one: str, other: str, *, by: str = "wu-palmer", counts: Mapping[str, int] | None = None
    ) -> float:
        """Return the distance between two nodes, from 0 to 1; see :mod:`shoal.hierarchy.distances` for ``by``."""
        from shoal.hierarchy.distances import distances

        table = distances(self, distance=by, counts=counts)
        return float(table[self.number(one), self.number(other)])

    def centroid(self, values: Iterable[object] | Mapping[str, int], *, by: str = "wu-palmer") -> str:
        """Return the semantic centroid of values or counts: the node with the smallest sum of distances to them."""
        from shoal.hierarchy.coverage import count_values
        from shoal.hierarchy.distances import centroid

        return centroid(self, count_values(values), distance=by)

    def edges(self) -> Iterator[Edge]:
        """Iterate over ``(child, parent)``, parents first and children in order; they rebuild the same tree."""
        queue = deque([len(self) - 1])
        while queue:
            number = queue.popleft()
            for child in self._children.get(number, ()):
                yield self.nodes[child], self.nodes[number]
                queue.append(child)

    def coverage(self, values: Iterable[object] | Mapping[str, int], *, close: bool = False) -> Coverage:
        """Check whether the tree has every value of a column; see :func:`shoal.hierarchy.coverage.coverage`."""
        from shoal.hierarchy.coverage import coverage

        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            return coverage(self, values, close=close)
        cells = list(values)
        return coverage(self, cells, close=close, records=len(cells))

    def with_values(self, mapping: Mapping[str, str]) -> Self:
        """Return this tree with each value added as a leaf below the node that it maps to.

        Use it for other spellings of a node: a release that generalizes to the node does not distinguish them. A value
        that is already in the tree must have that parent.
        """
        if not isinstance(mapping, Mapping):
            raise OptionError.invalid_value("mapping", "a mapping of values to nodes")
        for node in mapping.values():
            self.number(node)
        if not mapping:
            return self
        return self.from_edges([*self.edges(), *mapping.items()])

    def to_rows(self, *, values: Iterable[str] | None = None) -> list[list[str]]:
        """Return an ARX row for each leaf and for each inner node in ``values``, from it up to the root."""
        from shoal.hierarchy.formats import arx

        return arx.to_rows(self, values=values)

    def to_dict(self) -> dict[str, Any]:
        """Return nested names; a leaf has an empty dictionary."""
        from shoal.hierarchy.formats import nested_json

        return nested_json.to_dict(self)

    def save(self, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False) -> None:
        """Write the hierarchy in ``format``, else in that of the extension: ARX for delimited files."""
        from shoal.hierarchy import formats

        formats.save(self, path, format=format, force=force)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the names and edges, independent of the file format."""
        digest = hashlib.sha256()
        for name, parent in zip(self.nodes, self.parents, strict=True):
            digest.update(f"{len(name)} {name} {parent} ".encode(errors="surrogatepass"))
        return digest.hexdigest()
