"""Errors about hierarchies. Nodes may be values of the data, so messages name positions and not nodes."""

from __future__ import annotations

from typing import Self

from shoal.errors.base import ShoalError, fixed, message
from shoal.errors.messages import pluralize, quote_name

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
    not_a_tree = message(
        "These nodes and parents make no tree ({value})", "build it with from_edges, from_rows or from_dict"
    )
    unnamed_node = message("A node of the hierarchy has no name ({value})", "give every node a name")
    empty_level = message("A line of the hierarchy has an empty level ({value})", _SAME_LEVELS)
    stray_quote = message(
        "A line of the hierarchy has a quotation mark that is never closed, or text after a closed one ({value})",
        "double the marks inside quoted fields",
    )
    not_nested = message(
        "The hierarchy has something else than names ({value})",
        "give below each name an object of names, a list of names, or nothing",
    )
    invalid_json = message(
        "The hierarchy is not JSON (line {value})", "correct it, or name the format with format= (--from)"
    )
    too_deep = message("The hierarchy has more levels than {value} can nest", "use the format 'edges'")
    cycle = message(
        "The hierarchy has a cycle: {nodes:node} {nodes:leads back to itself|lead back to themselves} and not to the"
        " root",
        "remove the edge that closes the cycle",
    )
    two_parents = message(
        "A node of the hierarchy has two parents ({first} and {place})",
        "keep one of them; nodes that mean different things need different names",
    )

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

    rename_several = message("{nodes:node} cannot get one new name", "choose one node")
    not_siblings = message(
        "The nodes have {parents:parent}, and only siblings can be grouped",
        "choose nodes with the same parent, or move them under one first",
    )
    too_many_nodes = message(
        "The hierarchy would have {nodes:,} nodes or more, and the page shows and edits up to {most:,}",
        "group the values by a coarser code first, or use the command line: shoal hierarchy build",
    )
    too_long_names = message(
        "The names of all nodes have {letters:,} letters, and the page takes up to {most:,}",
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

    too_many_values = message(
        "Column {column!q} has {nodes:,} values and nodes above them, and at most {most:,} fit a table of distances",
        "give it as numbers, group its values by a coarser code first, or drop it as an identifier",
    )
    ragged = message(
        "A line of the hierarchy has {found:level}, and the first line {expected:,} ({place})", _SAME_LEVELS
    )
    invalid_line = message(
        "A line of the hierarchy is not {expected} ({place})",
        "correct it, or convert it first with shoal hierarchy convert, which takes --delimiter and --from (Python:"
        " delimiter=, format=)",
    )
    long_field = message(
        "A line of the hierarchy has a field of more than {most:,} characters, as after a quotation mark that is"
        " never closed ({place})",
        "close the mark, or give a shorter name",
    )
    duplicate_node = message(
        "A node of the hierarchy is named twice ({first} and {place})", "name every node once, with all below it"
    )
    duplicate_labels = message(
        "{concepts:concept} of the hierarchy {concepts:shares its name|share their names} with another",
        "give each a prefLabel of its own",
    )
    not_encodable = message(
        "The hierarchy has {nodes:name} with characters that no text file can hold", "rename these nodes"
    )
    blank_values = message("{values:,} of {of:value} {values:is|are} empty", "leave out missing values")
    not_numbers = message("{values:,} of {of:value} {values:is not a finite number|are not finite numbers}", _LEAVE_OUT)
    not_dates = message(
        "{values:,} of {of:value} {values:is not a date|are not dates} such as 2026-03-05, with or without a time",
        _LEAVE_OUT,
    )

    @classmethod
    def in_file(cls, path: object, error: HierarchyError) -> Self:
        """The same error with the name of the file."""
        return cls(f"In {str(path)!r} {error.fact[0].lower()}{error.fact[1:]}", error.hint)

    damaged = message("{path!r} is not a hierarchy that Shoal reads ({why})", "see docs/hierarchies.md")

    unknown_format = message(
        "The ending of {path!r} is no format of a hierarchy", "name the format with format= (--from or --to): {known!l}"
    )
    values_without_sense = message(
        "WordNet has no noun for {values:,} of {of:value}",
        "map them to words or synsets with senses= (--sense); wordnet.unknown_words (--values) lists them",
    )
    unknown_senses = message("WordNet has no noun for {senses:,} of {of:sense} given", _SYNSET)
    two_senses = message(
        "{values:value} {values:has|have} more than one sense given",
        "give each value once, in --senses or with --sense",
    )
    unknown_synset = message("WordNet has no noun {name!q}, which {option}= names", _SYNSET)
    top_not_above = message(
        "The top {top!q} is not above {values:,} of {of:value}",
        "prefer its senses with under=, map the values with senses=, or choose a higher top",
    )
