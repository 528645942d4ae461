"""The plan of a release in pieces: what is computed, piece by piece, whoever schedules it.

A table that is larger than memory is surveyed once. From the survey comes the plan: the base of all distances, and the
cuts that deal the records out into pieces, each small enough for memory and none too small to hide in. Then every
function here sees one chunk of the table or one piece of it, and nothing else, so that pieces may be worked on in any
order, at the same time, on one machine or on many, and again after a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import measure, recode, tables
from shoal.measure.pair import Classes, Facts
from shoal.measure.pieces import Sums, sums_of
from shoal.partition.blocks import Cuts
from shoal.partition.grouping import Task, group
from shoal.recode import INTERVAL, as_nodes, as_numbers
from shoal.schema import Policy, Schema
from shoal.tables import Table
from shoal.tables.large import Base, SensitiveBase, Survey, demands_of, encode_chunk, fixed, keeps_type
from shoal.values import (
    BoolMatrix,
    Days,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    Precision,
    Records,
    Rounded,
    Search,
    Whole,
    Worded,
)

Arrays = dict[str, NDArray[Any]]
"""Columns of one length by name, as they are put down and read back."""
ROW = "row"
_SUPPRESSED = "*"
NUMBERS, WHOLE, TYPED, WORDS = "numbers", "whole", "typed", "words"


class Shown(NamedTuple):
    """What the records of a piece show, and what it tells about the table."""

    columns: Arrays
    """By the place of the quasi-identifier: numbers, days or places of words; and the ends of intervals."""
    words: dict[str, list[str]]
    """By the same places: the words of columns that show intervals."""
    before: IntVector
    """The sizes of the classes of the original records."""
    groups: IntVector
    """The sizes of the groups."""
    hidden: int
    """The records that are suppressed."""
    account: tuple[str, ...]
    search: Search | None

    @property
    def records(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """All decisions, and what the whole table tells."""

    policy: Policy
    survey: Survey
    base: Base
    sensitive: SensitiveBase | None
    """What the privacy models ask; None where nothing is asked but k."""
    cuts: Cuts
    piece: int
    """The records of a piece at most."""
    like: Records
    """Some records on the base, as a model for those that are taken up from a file."""
    facts: Facts
    distance: str
    precisions: Mapping[str, Precision]
    """Of the numeric quasi-identifiers that are rounded."""
    keep_totals: bool
    options: Mapping[str, Any] = field(default_factory=dict)
    """The method's own."""

    @property
    def records(self) -> int:
        """Of the whole table."""
        return self.survey.records

    @property
    def columns(self) -> list[str]:
        """The columns that groups depend on."""
        return [*self.base.names, *(self.sensitive.values if self.sensitive else ())]

    def light(self) -> Plan:
        """The same plan with no more than chunks and pieces need: few bytes, which can travel."""
        names = self.columns
        schema = Schema(tuple(column for column in self.policy.schema.columns if column.name in names))
        return replace(
            self,
            policy=replace(self.policy, schema=schema),
            survey=self.survey.of(names),
            like=replace(replace(self.like, demands=None).some(np.arange(1)), demands=self.like.demands),
        )

    def form(self, name: str) -> str:
        """What a quasi-identifier becomes: numbers, whole numbers, cells of the type that it has, or words."""
        column = next(column for column in self.policy.schema.columns if column.name == name)
        if name not in self.base.measured or column.recode == INTERVAL:
            return WORDS
        if name in self.base.dates:
            return TYPED
        precision = self.precisions.get(name)
        if precision == recode.WHOLE:
            return WHOLE
        kept = precision is not None and keeps_type(precision, self.survey.meaning(name).dtype)
        return TYPED if kept else NUMBERS

    def encode(self, chunk: Table) -> Records:
        """A chunk of the table as records on the common base, with what is asked of them."""
        known = fixed(chunk, self.survey)
        records = encode_chunk(known, self.base)
        return records if self.sensitive is None else replace(records, demands=demands_of(known, self.sensitive))

    def deal(self, records: Records) -> IntVector:
        """The leaf of the cuts that each record falls into."""
        return self.cuts.block_of(records.space.points)

    def no_tallies(self) -> IntMatrix | None:
        """For each leaf how many records have each sensitive value that is asked about: none yet."""
        if self.sensitive is None:
            return None
        return np.zeros((self.cuts.count, int(self.sensitive.demands.first[-1])), dtype=np.int64)

    def work(self, records: Records) -> Shown:
        """Group the records of a piece, and say what they show."""
        policy = self.policy
        task = Task(
            policy.k,
            policy.method,
            policy.seed,
            self.options,
            policy.suppression,
            refinement=policy.refinement,
            blocks=policy.blocks,
        )
        lacking = None
        if policy.missing == "suppress" and records.missing is not None:
            lacking = np.asarray(records.missing.any(axis=1), dtype=np.bool_)
        groups = group(records, task, gone=lacking)
        columns = recode.recode(
            records,
            groups,
            ways={column.name: column.recode for column in policy.schema.columns},
            precisions=self.precisions,
            keep_totals=self.keep_totals,
            missing=policy.missing,
            suppressed=groups.suppressed,
        )
        shown: Arrays = {}
        words: dict[str, list[str]] = {}
        for place, name in enumerate(records.names):
            shown[str(place)] = _cells(columns[name])
        for name, (low, high) in as_numbers(records, groups, columns).bounds.items():
            key, column = str(records.names.index(name)), columns[name]
            shown |= {f"{key}.low": low, f"{key}.high": high}
            words[key] = list(column.words) if isinstance(column, Worded) else []
        return Shown(shown, words, _classes(records), groups.sizes, groups.hidden, groups.account, groups.search)

    def deliver(self, chunk: Table, shown: Arrays, words: Mapping[str, tuple[str, ...]]) -> tuple[Table, Sums]:
        """A chunk of the release, and what the measures count in it."""
        known = fixed(chunk, self.survey)
        columns = {name: self._column(place, shown, words) for place, name in enumerate(self.base.names)}
        released = tables.released(known, self.policy.schema, columns)
        return released, sums_of(self._pair(known, released, columns, shown))

    def _column(self, place: int, shown: Arrays, words: Mapping[str, tuple[str, ...]]) -> Any:
        """One column of the release, as tables take it."""
        name, cells = self.base.names[place], shown[str(place)]
        if str(place) in words:
            return Worded(words[str(place)], cells.astype(np.int64), numeric=name not in self.base.dates)
        if name not in self.base.measured:
            return Worded(self._nodes(name), cells.astype(np.int64))
        if name in self.base.dates:
            return Days(cells)
        if name not in self.precisions:
            return cells
        # the same type in every chunk, whether it has gaps or not
        precision = self.precisions[name]
        return Whole(cells) if precision == recode.WHOLE else Rounded(cells, precision)

    def _nodes(self, name: str) -> tuple[str, ...]:
        """What the nodes of a category are called in a release: those that recode gives, and the star after them."""
        meaning = next(column for column in self.base.categories if column.name == name)
        nodes = tuple(node.encode(errors="backslashreplace").decode() for node in meaning.hierarchy.nodes)
        starred = self.policy.suppression > 0 or self.policy.missing == "suppress"
        return (*nodes, _SUPPRESSED) if starred and _SUPPRESSED not in nodes else nodes

    def _pair(self, chunk: Table, released: Table, columns: Mapping[str, Any], shown: Arrays) -> measure.Pair:
        """A chunk and its release as the measures see them; the sizes of its classes are not known here."""
        records, facts = encode_chunk(chunk, self.base), self.facts
        unknown = Classes(np.ones(records.count, dtype=np.int64), facts.k)
        worded = [column.name for column in records.categories]
        numbers = self._numbers(records, shown)
        gaps = None
        if records.missing is not None:
            gaps = records.missing[:, [records.names.index(name) for name in records.numeric]]
        return measure.Pair(
            names=records.names,
            before=unknown,
            after=unknown,
            numeric=records.numeric,
            dates=records.dates,
            values=tuple(records.values.T),
            shown=numbers.shown,
            scale=records.scale,
            gaps=gaps,
            blank=numbers.blank,
            bounds=numbers.bounds,
            categories=records.categories,
            codes=records.codes,
            nodes=as_nodes(records, columns),
            absent=tables.missing_mask(chunk, worded),
            untold=tables.missing_mask(released, worded),
            weights=self.policy.weights,
            suppressed=tables.shown_nothing(released, records.names) if self._suppresses else None,
            whole=facts,
        )

    @property
    def _suppresses(self) -> bool:
        return self.policy.suppression > 0 or self.policy.missing == "suppress"

    def _numbers(self, records: Records, shown: Arrays) -> _Numbers:
        """The released numbers: of an interval the middle, and the mean of the column where nothing is shown."""
        found, blank = [], np.zeros(records.values.shape, dtype=np.bool_)
        bounds: dict[str, tuple[FloatVector, FloatVector]] = {}
        for j, name in enumerate(records.numeric):
            place = str(records.names.index(name))
            cells = shown[place]
            if f"{place}.low" in shown:
                bounds[name] = shown[f"{place}.low"], shown[f"{place}.high"]
                cells = bounds[name][0] / 2 + bounds[name][1] / 2
            blank[:, j] = np.isnan(cells)
            filled = np.where(blank[:, j], self.base.fillings[name], cells)
            found.append(np.where(records.gone(name), records.values[:, j], filled))
        return _Numbers(tuple(found), blank if blank.any() else None, bounds)


class _Numbers(NamedTuple):
    shown: tuple[FloatVector, ...]
    blank: BoolMatrix | None
    bounds: dict[str, tuple[FloatVector, FloatVector]]


def _cells(column: Any) -> NDArray[Any]:
    """The cells of a recoded column as one array; categories and intervals by the places of their words."""
    if isinstance(column, Worded):
        return column.places.astype(np.int32)
    if isinstance(column, Rounded | Whole):
        return column.numbers
    return np.asarray(column.days if isinstance(column, Days) else column, dtype=np.float64)


def _classes(records: Records) -> IntVector:
    """The sizes of the classes of equal records.

    By a key of 64 bits: that two of ten million classes share one has a chance of three in a million, and a count of
    classes in a report is all that hangs on it.
    """
    key = np.zeros(records.count, dtype=np.uint64)
    columns = [*(records.values + 0.0).T.view(np.uint64), *records.codes.T.astype(np.uint64)]
    if records.missing is not None:
        columns += [*records.missing.T.astype(np.uint64)]
    for column in columns:
        key = _mixed(key ^ _mixed(column + np.uint64(0x9E3779B97F4A7C15)))
    return np.unique(key, return_counts=True)[1]


def _mixed(key: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The same number for the same key, and any other for any other; the bits well mixed."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


def tally(records: Records, some: IntVector, values: IntVector) -> None:
    """Count the sensitive values of some records."""
    if records.demands is not None:
        np.add.at(values, (records.demands.codes[some] + records.demands.first[:-1]).ravel(), 1)


def put_down(records: Records, rows: IntVector) -> Arrays:
    """Records as columns that can be put down in a file, with their numbers in the table."""
    found: Arrays = {ROW: rows}
    found |= {f"v{j}": column for j, column in enumerate(records.values.T)}
    found |= {f"c{j}": column.astype(np.int32) for j, column in enumerate(records.codes.T)}
    if records.missing is not None:
        found |= {f"m{j}": column for j, column in enumerate(records.missing.T)}
    if records.demands is not None:
        found |= {f"d{j}": column.astype(np.int32) for j, column in enumerate(records.demands.codes.T)}
    return found


def take_up(arrays: Arrays, like: Records) -> Records:
    """The records of such columns, on the base of others."""

    def side_by_side(letter: str, kind: type, count: int) -> NDArray[Any]:
        columns: FloatMatrix = np.empty((len(arrays[ROW]), count), dtype=kind)
        for j in range(count):
            columns[:, j] = arrays[f"{letter}{j}"]
        return columns

    demands = like.demands
    if demands is not None:
        demands = demands._replace(codes=side_by_side("d", np.int64, demands.codes.shape[1]))
    return replace(
        like,
        values=side_by_side("v", np.float64, len(like.numeric)),
        codes=side_by_side("c", np.int64, len(like.categories)),
        missing=None if like.missing is None else side_by_side("m", np.bool_, len(like.names)),
        demands=demands,
    )
