"""Errors about hierarchies. Nodes may be values of the data, so messages name positions and not nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError, fixed, with_text
from shoal.errors.messages import pluralize, quote_name, quote_names

_SYNSET = "give words that it has, or synsets as word.n.NN, such as 'country.n.02'"
_SAME_LEVELS = "name every level in every line; a value may appear at several levels"
_LEAVE_OUT = "leave these values out, or map them first"


class HierarchyError(ShoalError):
    """A hierarchy is not a tree, or does not fit the data."""

    empty = fixed("The hierarchy is empty", "give at least one value and its parent")
    no_nodes_given = fixed("No value is given", "give at least one node of the hierarchy")
    one_node = fixed("The hierarchy has one node only, so that it generalizes nothing", "give each value a parent")
    unknown_node = fixed("The hierarchy has no node of that name", "shoal hierarchy show lists its nodes")
    blank_name = fixed("The new name is empty", "give the node a name")
    root_not_movable = fixed("The root is above all other nodes", "choose nodes below it, or rename it")
    parent_below_node = fixed("A node cannot be its own parent or below its descendants", "choose another parent")
    no_relation = fixed(
        "The hierarchy has no triple of broader or narrower", "give one for each concept but the top one"
    )
    no_values = fixed("There is no value to build a hierarchy of", "give the values of a column that is not empty")
    not_a_tree = with_text(
        "These nodes and parents make no tree ({})", "build it with from_edges, from_rows or from_dict"
    )
    unnamed_node = with_text("A node of the hierarchy has no name ({})", "give every node a name")
    empty_level = with_text("A line of the hierarchy has an empty level ({})", _SAME_LEVELS)
    stray_quote = with_text(
        "A line of the hierarchy has a quotation mark that is never closed, or text after a closed one ({})",
        "double the marks inside quoted fields",
    )
    not_nested = with_text(
        "The hierarchy has something else than names ({})",
        "give below each name an object of names, a list of names, or nothing",
    )
    invalid_json = with_text(
        "The hierarchy is not JSON (line {})", "correct it, or name the format with format= (--from)"
    )
    too_deep = with_text("The hierarchy has more levels than {} can nest", "use the format 'edges'")

    @classmethod
    def cycle(cls, nodes: int) -> Self:
        verb = "leads back to itself" if nodes == 1 else "lead back to themselves"
        fact = f"The hierarchy has a cycle: {pluralize(nodes, 'node')} {verb} and not to the root"
        return cls(fact, "remove the edge that closes the cycle")

    @classmethod
    def two_parents(cls, place: str, *, first: str) -> Self:
        fact = f"A node of the hierarchy has two parents ({first} and {place})"
        return cls(fact, "keep one of them; nodes that mean different things need different names")

    @classmethod
    def two_roots(cls, roots: int, *, header: bool = False) -> Self:
        hint = "put them under one more node, such as '*'"
        return cls(
            f"The hierarchy has {roots:,} roots, and a tree has one",
            f"a header line is taken for a value: remove it; else {hint}" if header else hint,
        )

    @classmethod
    def name_taken(cls, names: int = 1) -> Self:
        fact = "The new name is" if names == 1 else f"{names:,} of the new names are"
        return cls(f"{fact} already in use", "every node needs a name of its own: choose another one")

    @classmethod
    def rename_several(cls, nodes: int) -> Self:
        return cls(f"{pluralize(nodes, 'node')} cannot get one new name", "choose one node")

    @classmethod
    def not_siblings(cls, parents: int) -> Self:
        fact = f"The nodes have {pluralize(parents, 'parent')}, and only siblings can be grouped"
        return cls(fact, "choose nodes with the same parent, or move them under one first")

    @classmethod
    def too_many_nodes(cls, nodes: int, *, most: int) -> Self:
        return cls(
            f"The hierarchy would have {nodes:,} nodes or more, and the page shows and edits up to {most:,}",
            "group the values by a coarser code first, or use the command line: shoal hierarchy build",
        )

    @classmethod
    def too_long_names(cls, letters: int, *, most: int) -> Self:
        return cls(
            f"The names of all nodes have {letters:,} letters, and the page takes up to {most:,}",
            "shorten the values in the file, or make the hierarchy on the command line with shoal hierarchy",
        )

    @classmethod
    def uncovered(cls, column: str, *, values: int, of: int, records: int, near: int) -> Self:
        similar = f"; {near:,} of them differ{'s' * (near == 1)} only in case, spaces or hyphens" if near else ""
        return cls(
            f"Column {quote_name(column)} has {pluralize(values, 'value')} (of {of:,}, in"
            f" {pluralize(records, 'record')}) that its hierarchy lacks{similar}",
            "shoal hierarchy check --values lists them and offers mappings",
        )

    @classmethod
    def too_many_values(cls, column: str, *, nodes: int, most: int) -> Self:
        return cls(
            f"Column {quote_name(column)} has {nodes:,} values and nodes above them, and at most {most:,} fit a"
            " table of distances",
            "give it as numbers, group its values by a coarser code first, or drop it as an identifier",
        )

    @classmethod
    def ragged(cls, place: str, *, found: int, expected: int) -> Self:
        fact = f"A line of the hierarchy has {pluralize(found, 'level')}, and the first line {expected:,} ({place})"
        return cls(fact, _SAME_LEVELS)

    @classmethod
    def invalid_line(cls, place: str, expected: str) -> Self:
        return cls(
            f"A line of the hierarchy is not {expected} ({place})",
            "correct it, or convert it first with shoal hierarchy convert, which takes --delimiter and --from (Python:"
            " delimiter=, format=)",
        )

    @classmethod
    def long_field(cls, place: str, *, most: int) -> Self:
        return cls(
            f"A line of the hierarchy has a field of more than {most:,} characters, as after a quotation mark that is"
            f" never closed ({place})",
            "close the mark, or give a shorter name",
        )

    @classmethod
    def duplicate_node(cls, place: str, *, first: str) -> Self:
        fact = f"A node of the hierarchy is named twice ({first} and {place})"
        return cls(fact, "name every node once, with all below it")

    @classmethod
    def duplicate_labels(cls, concepts: int) -> Self:
        shares = "shares its name" if concepts == 1 else "share their names"
        fact = f"{pluralize(concepts, 'concept')} of the hierarchy {shares} with another"
        return cls(fact, "give each a prefLabel of its own")

    @classmethod
    def not_encodable(cls, nodes: int) -> Self:
        fact = f"The hierarchy has {pluralize(nodes, 'name')} with characters that no text file can hold"
        return cls(fact, "rename these nodes")

    @classmethod
    def blank_values(cls, values: int, *, of: int) -> Self:
        verb = "is" if values == 1 else "are"
        return cls(f"{values:,} of {pluralize(of, 'value')} {verb} empty", "leave out missing values")

    @classmethod
    def not_numbers(cls, values: int, *, of: int) -> Self:
        what = "is not a finite number" if values == 1 else "are not finite numbers"
        return cls(f"{values:,} of {pluralize(of, 'value')} {what}", _LEAVE_OUT)

    @classmethod
    def not_dates(cls, values: int, *, of: int) -> Self:
        what = "is not a date" if values == 1 else "are not dates"
        fact = f"{values:,} of {pluralize(of, 'value')} {what} such as 2026-03-05, with or without a time"
        return cls(fact, _LEAVE_OUT)

    @classmethod
    def in_file(cls, path: object, error: HierarchyError) -> Self:
        """The same error with the name of the file."""
        return cls(f"In {str(path)!r} {error.fact[0].lower()}{error.fact[1:]}", error.hint)

    @classmethod
    def damaged(cls, path: object, why: str) -> Self:
        return cls(f"{str(path)!r} is not a hierarchy that Shoal reads ({why})", "see docs/hierarchies.md")

    @classmethod
    def unknown_format(cls, path: object, known: Sequence[str]) -> Self:
        fact = f"The ending of {str(path)!r} is no format of a hierarchy"
        return cls(fact, f"name the format with format= (--from or --to): {quote_names(known)}")

    @classmethod
    def values_without_sense(cls, *, values: int, of: int) -> Self:
        return cls(
            f"WordNet has no noun for {values:,} of {pluralize(of, 'value')}",
            "map them to words or synsets with senses= (--sense); wordnet.unknown_words (--values) lists them",
        )

    @classmethod
    def unknown_senses(cls, *, senses: int, of: int) -> Self:
        return cls(f"WordNet has no noun for {senses:,} of {pluralize(of, 'sense')} given", _SYNSET)

    @classmethod
    def two_senses(cls, values: int) -> Self:
        fact = f"{pluralize(values, 'value')} {'has' if values == 1 else 'have'} more than one sense given"
        return cls(fact, "give each value once, in --senses or with --sense")

    @classmethod
    def unknown_synset(cls, option: str, name: object) -> Self:
        return cls(f"WordNet has no noun {quote_name(name)}, which {option}= names", _SYNSET)

    @classmethod
    def top_not_above(cls, top: str, *, values: int, of: int) -> Self:
        return cls(
            f"The top {quote_name(top)} is not above {values:,} of {pluralize(of, 'value')}",
            "prefer its senses with under=, map the values with senses=, or choose a higher top",
        )
