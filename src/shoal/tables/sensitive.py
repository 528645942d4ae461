"""Sensitive columns: their values as codes, and what privacy models ask of them as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.errors import ColumnError, OptionError
from shoal.hierarchy import Hierarchy
from shoal.schema.columns import Column, Kind, Role, Schema
from shoal.schema.models import Model
from shoal.tables.categories import check_coverage
from shoal.tables.counts import value_counts, words
from shoal.tables.diversity import meets, reached
from shoal.tables.shown import shown_bounds
from shoal.tables.spelling import Meaning, meaning, node_names, numbered, verified_meaning
from shoal.tables.table import Content, Table
from shoal.values import Demands, FloatVector, IntVector, Sensitive
from shoal.values.demands import DISTINCT, ENTROPY, EQUAL, HIERARCHICAL, ORDERED, RECURSIVE, TOLERANCE

_RULES = {
    "distinct-l": DISTINCT,
    "entropy-l": ENTROPY,
    "recursive-l": RECURSIVE,
    "t-equal": EQUAL,
    "t-ordered": ORDERED,
    "t-hierarchical": HIERARCHICAL,
}
_DIGITS = 10_000


class Coded(NamedTuple):
    """One sensitive column: the code of each record, the records of each code, and the tree above the codes."""

    codes: IntVector
    counts: IntVector
    above: IntVector
    height: FloatVector


def demands(table: Table, models: Sequence[Model], schema: Schema, *, same: Meaning = meaning) -> Demands:
    """What these models ask of the groups of this table, rule by rule in their order.

    The values of a column are in their order: numbers and dates by size, levels as they are given, all else by word.
    Texts that say the same are one value; ``same`` says which do. What is missing, or says nothing, is one more value,
    the last, and apart from all others in a hierarchy.
    """
    known = {column.name: column for column in schema.columns}
    for model in models:
        check_model(model, known, table.names, lambda name: table.cells.content(name))
    columns = {name: _coded(table, known[name], same) for name in dict.fromkeys(model.column for model in models)}
    return assembled(models, columns, table.height)


def assembled(models: Sequence[Model], columns: Mapping[str, Coded], records: int) -> Demands:
    """What these models ask of groups, by the columns that they are about."""
    names, coded = list(columns), list(columns.values())
    if not coded:
        return Demands.none(records)
    return Demands(
        codes=np.column_stack([column.codes for column in coded]),
        first=_starts([len(column.counts) for column in coded]),
        column=np.array([names.index(model.column) for model in models], dtype=np.int64),
        rule=np.array([_RULES[model.name] for model in models], dtype=np.int64),
        least=np.array([model.least for model in models]),
        factor=np.array([model.factor for model in models]),
        shares=np.concatenate([column.counts for column in coded]) / records,
        nodes=_starts([len(column.above) for column in coded]),
        above=np.concatenate([column.above for column in coded]),
        height=np.concatenate([column.height for column in coded]),
    )


def sensitive_columns(table: Table, columns: Sequence[Column]) -> tuple[Sensitive, ...]:
    """These columns as arrays, whatever is asked of them; their values in the same order as in `demands`.

    Equal numbers are one value here, however they are written.
    """
    return tuple(_sensitive(table, column) for column in columns)


def _sensitive(table: Table, column: Column) -> Sensitive:
    numbers = None
    if column.kind in (Kind.NUMERIC, Kind.DATE):
        ends = shown_bounds(table, column.name, dates=column.kind is Kind.DATE)
        numbers = None if ends is None else ends[0]
    if numbers is not None and column.hierarchy is None:
        values, codes = np.unique(numbers, return_inverse=True)  # what is missing comes last
        nothing = np.zeros(0)
        return Sensitive(column.name, codes, len(values), True, nothing.astype(np.int64), nothing, numbers)
    coded = _coded(table, column, meaning)
    # a tree says more about how far values are apart than their order
    ordered = column.kind is not Kind.HIERARCHICAL and _has_order(column, table.cells.content(column.name))
    return Sensitive(column.name, coded.codes, len(coded.counts), ordered, coded.above, coded.height, numbers)


def check_feasible(demands: Demands, models: Sequence[Model], *, where: str = "the table") -> None:
    """Refuse what not even all these records together have; ``where`` says who they are.

    If two groups keep a model, so does their union: where all records break it, any groups of them do.
    """
    everybody = np.zeros(len(demands.codes), dtype=np.int64)
    for d, model in enumerate(models):
        check_reached(demands, d, model, reached(demands, d, everybody), where=where)


def check_reached(demands: Demands, d: int, model: Model, found: FloatVector, *, where: str) -> None:
    """Refuse rule d where the figure of all records together is not enough for it."""
    if not meets(demands, d, found)[0]:
        said, hint = _best(model, float(found[0]))
        raise OptionError.infeasible(model.written, column=model.column, where=where, reached=said, hint=hint)


def _best(model: Model, found: float) -> tuple[str, str]:
    """What is reached in words, and what could be asked for instead; rounded to the side that can be kept."""
    if model.close:
        least = _plain(math.ceil((found - TOLERANCE) * _DIGITS) / _DIGITS)
        return f"t = {least}", f"ask for t = {least} or more"
    most = math.floor(found * (1 + TOLERANCE) * _DIGITS) / _DIGITS
    with_c = f" with c = {_plain(model.factor)}" if model.name == "recursive-l" else ""
    if most <= 1:
        return f"no l above 1{with_c}", f"{'ask for a larger c, or ' if with_c else ''}leave the model out"
    return f"l = {_plain(most)}{with_c}", f"ask for l = {_plain(most)} or less"


def _plain(number: float) -> str:
    return repr(number).removesuffix(".0")


def check_model(
    model: Model, known: Mapping[str, Column], names: Sequence[str], content: Callable[[str], Content]
) -> None:
    """Refuse a model on a column of another role, or one that lacks what the model measures by."""
    if model.column not in names or model.column not in known:
        raise ColumnError.unknown(model.column, names)
    column = known[model.column]
    if column.role is not Role.SENSITIVE:
        raise ColumnError.not_sensitive(column.name, column.role)
    if model.name == "t-hierarchical" and column.hierarchy is None:
        raise ColumnError.no_tree(column.name, model.name)
    if model.name == "t-ordered" and not _has_order(column, content(column.name)):
        raise ColumnError.no_order(column.name, column.kind, model.name)


def _has_order(column: Column, content: Content) -> bool:
    if column.kind is Kind.ORDINAL and (column.hierarchy or content.levels):
        return True
    return column.kind is not Kind.NOMINAL and content.kind in (Kind.NUMERIC, Kind.DATE)


def _coded(table: Table, column: Column, same: Meaning) -> Coded:
    cells = words(table, column.name)
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, value_counts(table, column.name))
    content = table.cells.content(column.name)
    values = in_order(column, content, cells)
    return coded(column, Values(tuple(values), meanings(content, values, same)), cells)


class Values(NamedTuple):
    """The different words of a sensitive column in the order of what they mean."""

    words: tuple[str, ...]
    numbers: IntVector
    """The code of each word, the same for those that say the same; that of missing for those that say nothing."""

    @property
    def missing(self) -> int:
        """The code of what is missing: one more than the last."""
        return int(np.max(self.numbers, initial=-1)) + 1

    @property
    def first(self) -> list[str]:
        """The first word of each code."""
        known: dict[int, str] = {}
        for word, number in zip(self.words, self.numbers.tolist(), strict=True):
            known.setdefault(number, word)
        return [word for number, word in sorted(known.items()) if number >= 0]

    def codes(self, cells: pl.Series) -> IntVector:
        """The code of each cell."""
        found = np.append(self.numbers, -1)[places_in(self.words, cells)]
        return np.where(found < 0, self.missing, found)


def meanings(content: Content, values: Sequence[str], same: Meaning) -> IntVector:
    """The number of what each of these words of a column says, -1 for nothing; numbers and dates have one spelling."""
    if content.values.dtype in (pl.String, pl.Categorical, pl.Enum):
        return numbered(values, same)
    return np.arange(len(values), dtype=np.int64)


def meaning_numbers(table: Table, name: str) -> IntVector:
    """For each record a number, the same where a column says the same, as the verification understands it."""
    found = words(table, name)
    values = found.drop_nulls().unique(maintain_order=True).to_list()
    return Values(tuple(values), meanings(table.cells.content(name), values, verified_meaning)).codes(found)


def places_in(values: Sequence[str], cells: pl.Series) -> IntVector:
    """The place of each cell among the values; that after the last where it is missing."""
    places = pl.DataFrame({"word": values, "place": range(len(values))}, schema={"word": pl.String, "place": pl.Int64})
    found = pl.DataFrame({"word": cells}).join(places, on="word", how="left", maintain_order="left")["place"]
    return found.fill_null(len(values)).to_numpy().astype(np.int64)


def coded(column: Column, values: Values, cells: pl.Series, records: IntVector | None = None) -> Coded:
    """Cells by the codes of their values; each stands for one record, or for so many."""
    codes = values.codes(cells)
    counts = np.bincount(codes, records).astype(np.int64)
    if column.hierarchy is None:
        return Coded(codes, counts, np.zeros(0, dtype=np.int64), np.zeros(0))
    names = node_names(column.hierarchy, values.first)
    nodes = [names[word] for word in values.first]
    return Coded(codes, counts, *_tree(column.hierarchy, nodes, missing=len(counts) > len(nodes)))


def in_order(column: Column, content: Content, cells: pl.Series) -> list[str]:
    """The different words of a column in the order of what they mean."""
    found: list[str] = sorted(cells.drop_nulls().unique().to_list())
    if column.kind is Kind.ORDINAL and column.hierarchy is not None:
        names, number = node_names(column.hierarchy, found), column.hierarchy.number
        return sorted(found, key=lambda word: number(names[word]))
    if content.levels:
        rank = {level: place for place, level in enumerate(content.levels)}
        return sorted(found, key=lambda word: rank.get(word, len(rank)))
    size = content.numbers if content.kind is Kind.NUMERIC else content.values
    if size is None or content.kind not in (Kind.NUMERIC, Kind.DATE):
        return found
    both = pl.DataFrame({"word": cells, "size": size}).drop_nulls("word").group_by("word").agg(pl.col("size").min())
    return both.sort("size", "word")["word"].to_list()


def _tree(hierarchy: Hierarchy, values: Sequence[str], *, missing: bool) -> tuple[IntVector, FloatVector]:
    """For each value, then for each node with others below it, the node above and the height as a share of the root's.

    A value that has others below it is one more leaf right below itself; what is missing is one below the root.
    """
    root = len(hierarchy) - 1
    tall = [0] * len(hierarchy)
    for number, parent in enumerate(hierarchy.parents[:-1]):
        tall[parent] = max(tall[parent], tall[number] + 1)
    inner = [number for number in range(root) if tall[number]] + [root]
    first = len(values) + missing
    place = {number: first + position for position, number in enumerate(inner)}
    above = [place.get(number, place.get(hierarchy.parents[number])) for number in map(hierarchy.number, values)]
    above += [place[root]] * missing + [place[hierarchy.parents[number]] for number in inner]
    height = [0.0] * first + [tall[number] / max(tall[root], 1) for number in inner[:-1]] + [1.0]
    return np.array(above, dtype=np.int64), np.array(height)


def _starts(lengths: Sequence[int]) -> IntVector:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
