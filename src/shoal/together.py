"""Two releases together: does k hold for one who has both, and do sensitive values stay hidden?

Two releases of the same persons, each k-anonymous, can break k together (Sweeney, "k-anonymity", 2002: complementary
release; Ganta, Kasiviswanathan and Smith, KDD 2008: intersection). Somebody knows a person's quasi-identifiers, and
that the person is in both releases; so he knows the person's class a in the one and b in the other. The records of
both agree in what both show unchanged: the columns of one name that are quasi-identifiers of neither. So the person's
record in the one is among those of a that agree with a record of b, and in the other among those of b that agree with
a record of a. The smaller of these two numbers is the *joint class* of a and b. Where the records of both stand in the
same order, they agree where their row is the same, and the joint class is what a and b have in common.

Nobody but their maker can tell which joint class a record is in where it agrees with several classes of the other
release. So three things are told apart: a record is below k *for sure* if every joint class that it can be in is below
k; it is *undecided* if some are; else it is safe. A record that agrees with none is not in the other release.

The pairs of classes are looked at through the values that they share. A value that is so common that it joins millions
of pairs is not followed: a record that has it is safe if k of its class have it, and k of every class of the other
that has it; else it is undecided. So what is called safe is safe, and what is called broken is broken, whatever the
size. Like `verify`, this counts released values and shares nothing with the methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np

from shoal import tables
from shoal.errors import OptionError
from shoal.tables import Table
from shoal.values import BoolVector, IntVector, Side, Together, Told, one_of, whole_k

ORDERS = ("kept", "unknown")
_PAIRS = 2_000_000
"""Pairs of classes with a value in common that are looked at; each value that joins one class to others is."""
_AT_ONCE = 4_000_000
"""Values that are looked up in one go."""


def compare(
    table: Table,
    other: Table,
    *,
    k: int,
    quasi_identifiers: Sequence[str],
    other_quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    order: str | None = None,
) -> Together:
    """Count the joint classes of two releases.

    ``order`` tells whether the records of both stand in the same order; where it does not, they do if there are as
    many, and the shared columns agree row by row. Missing is a value of its own. ``sensitive`` columns are looked at
    in the release that has them, or in both: which values are left in each joint class.
    """
    k = whole_k(k)
    known = (*quasi_identifiers, *other_quasi_identifiers)
    shared = tuple(name for name in table.names if name in other.names and name not in known)
    links = tables.linking_numbers(table, other, shared)
    by = _linked_by(order, links, shared)
    if by == "order":
        links = np.arange(table.height), np.arange(other.height)
    mine = Cells.of(tables.class_numbers(table, quasi_identifiers), links[0], _codes(table, sensitive))
    theirs = Cells.of(tables.class_numbers(other, other_quasi_identifiers), links[1], _codes(other, sensitive))
    meeting = Meeting.of(mine, theirs)
    sure = meeting.crowd[meeting.sure(mine, theirs)]
    return Together(
        k=k,
        by=by,
        shared=shared,
        classes=len(sure),
        min_class=int(sure.min()) if len(sure) else None,
        side=_side(mine, theirs, meeting, k=k, names=tuple(quasi_identifiers)),
        other=_side(theirs, mine, meeting.turned, k=k, names=tuple(other_quasi_identifiers)),
    )


def _linked_by(order: str | None, links: tuple[IntVector, IntVector], shared: Sequence[str]) -> str:
    as_many = len(links[0]) == len(links[1])
    kept = as_many and bool((links[0] == links[1]).all())
    if order is not None:
        kept = one_of("order", order, ORDERS) == "kept"
        if kept and not as_many:
            raise OptionError.no_common_order(len(links[0]), len(links[1]))
    return "order" if kept else "columns" if shared else "nothing"


def _codes(table: Table, names: Sequence[str]) -> dict[str, IntVector]:
    return {name: tables.meaning_numbers(table, name) for name in names if name in table.names}


class Cells(NamedTuple):
    """The different values that link a release, class by class, and the records that have each."""

    group: IntVector
    link: IntVector
    records: IntVector
    first: IntVector
    """Where the cells of each class begin, and where the last ends."""
    low: Mapping[str, IntVector]
    """The least code of each sensitive column in the cell."""
    high: Mapping[str, IntVector]

    @classmethod
    def of(cls, classes: IntVector, links: IntVector, codes: Mapping[str, IntVector]) -> Self:
        order = np.lexsort((links, classes))
        group, link = classes[order], links[order]
        new = np.concatenate([[True], (np.diff(group) != 0) | (np.diff(link) != 0)])
        starts = np.flatnonzero(new)
        group, link = group[starts], link[starts]
        return cls(
            group,
            link,
            np.diff(starts, append=len(order)),
            np.searchsorted(group, np.arange(int(group[-1]) + 2)),
            {name: np.minimum.reduceat(code[order], starts) for name, code in codes.items()},
            {name: np.maximum.reduceat(code[order], starts) for name, code in codes.items()},
        )

    @property
    def different(self) -> IntVector:
        """The number of cells of each class."""
        return np.diff(self.first)

    def classes_of(self, links: int) -> IntVector:
        """How many classes have each value."""
        return np.bincount(self.link, minlength=links)

    def alike(self, name: str) -> BoolVector:
        """The classes that share one value of a sensitive column; none where the release does not show it."""
        if name not in self.low:
            return np.zeros(len(self.first) - 1, dtype=np.bool_)
        starts = self.first[:-1]
        low, high = np.minimum.reduceat(self.low[name], starts), np.maximum.reduceat(self.high[name], starts)
        return np.asarray(low == high)


class Meeting(NamedTuple):
    """The pairs of classes, one of each release, that have a value in common which is followed."""

    pair: IntVector
    """For each pair of agreeing cells, the pair of classes."""
    mine: IntVector
    theirs: IntVector
    """The two cells."""
    crowd: IntVector
    """The joint class of each pair of classes."""
    groups: tuple[IntVector, IntVector]
    one_left: Mapping[str, BoolVector]
    """Pairs of classes whose joint class has one value of a sensitive column, though neither class has."""
    followed: BoolVector
    """Which values were followed."""

    @classmethod
    def of(cls, mine: Cells, theirs: Cells) -> Self:
        links = int(max(mine.link.max(), theirs.link.max())) + 1
        followed = _followed(mine.classes_of(links), theirs.classes_of(links))
        left, right = _agreeing(mine, theirs, followed)
        width = len(theirs.first) - 1
        keys, pair = np.unique(mine.group[left] * width + theirs.group[right], return_inverse=True)
        groups = keys // width, keys % width
        crowd, one_left = _joint(mine, theirs, groups)
        return cls(pair.astype(np.int64), left, right, crowd, groups, one_left, followed)

    @property
    def turned(self) -> Meeting:
        """The same as the other release sees it."""
        return self._replace(mine=self.theirs, theirs=self.mine, groups=self.groups[::-1])

    def sure(self, mine: Cells, theirs: Cells) -> BoolVector:
        """The pairs of classes in which somebody is: a value of theirs is in one class only of a release."""
        links = len(self.followed)
        one = (mine.classes_of(links) == 1) | (theirs.classes_of(links) == 1)
        found = np.zeros(len(self.crowd), dtype=np.bool_)
        found[self.pair[one[mine.link[self.mine]]]] = True
        return found


def _followed(mine: IntVector, theirs: IntVector) -> BoolVector:
    """The values that are looked at pair by pair, those in the fewest pairs of classes first."""
    pairs = mine * theirs
    order = np.argsort(pairs, kind="stable")
    followed = np.zeros(len(pairs), dtype=np.bool_)
    followed[order[np.cumsum(pairs[order]) <= _PAIRS]] = True
    return followed | (mine <= 1) | (theirs <= 1)


def _agreeing(mine: Cells, theirs: Cells, followed: BoolVector) -> tuple[IntVector, IntVector]:
    """The cells of both releases that have the same value, of the values that are followed; by my cells."""
    order = np.argsort(theirs.link, kind="stable")
    start = np.searchsorted(theirs.link[order], np.arange(len(followed) + 1))
    asking = np.flatnonzero(followed[mine.link])
    found = np.diff(start)[mine.link[asking]]
    return np.repeat(asking, found), order[_ranges(start[mine.link[asking]], found)]


def _ranges(starts: IntVector, lengths: IntVector) -> IntVector:
    """So many whole numbers from each start on."""
    ends = np.cumsum(lengths)
    found: IntVector = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
    return found


def _joint(mine: Cells, theirs: Cells, groups: tuple[IntVector, IntVector]) -> tuple[IntVector, dict[str, BoolVector]]:
    """The joint class of each pair of classes, and for each sensitive column whether one value is left in it."""
    names = dict.fromkeys([*mine.low, *theirs.low])
    crowd = np.zeros(len(groups[0]), dtype=np.int64)
    one_left = {name: np.zeros(len(crowd), dtype=np.bool_) for name in names}
    for pairs, left, right, starts in _meetings(mine, theirs, groups):
        here = np.add.reduceat(mine.records[left], starts)
        there = np.add.reduceat(theirs.records[right], starts)
        crowd[pairs] = np.minimum(here, there)
        for cells, at in ((mine, left), (theirs, right)):
            for name in cells.low:
                low = np.minimum.reduceat(cells.low[name][at], starts)
                one_left[name][pairs] |= low == np.maximum.reduceat(cells.high[name][at], starts)
    for name in names:
        one_left[name] &= ~mine.alike(name)[groups[0]] & ~theirs.alike(name)[groups[1]]
    return crowd, one_left


def _meetings(
    mine: Cells, theirs: Cells, groups: tuple[IntVector, IntVector]
) -> Iterator[tuple[IntVector, IntVector, IntVector, IntVector]]:
    """Pairs of classes, the cells of both in which these agree, and where those of each pair begin.

    From the class that has fewer cells, each is looked up in the other.
    """
    links = int(max(mine.link.max(), theirs.link.max())) + 1
    fewer = mine.different[groups[0]] <= theirs.different[groups[1]]
    for swapped, cells, others in ((False, mine, theirs), (True, theirs, mine)):
        chosen = np.flatnonzero(fewer != swapped)
        group, other = (groups[swapped][chosen], groups[not swapped][chosen])
        keys, sizes = others.group * links + others.link, cells.different[group]
        parts = np.cumsum(sizes) // _AT_ONCE
        for part in np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(parts)) + 1):
            if not len(part):
                continue
            at = _ranges(cells.first[group[part]], sizes[part])
            pair = np.repeat(part, sizes[part])
            asked = other[pair] * links + cells.link[at]
            place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
            agree = keys[place] == asked
            at, place, pair = at[agree], place[agree], pair[agree]
            starts = np.flatnonzero(np.diff(pair, prepend=-1))
            yield chosen[part], place if swapped else at, at if swapped else place, starts


def _side(mine: Cells, theirs: Cells, meeting: Meeting, *, k: int, names: tuple[str, ...]) -> Side:
    """What the other release does to the records of one."""
    links = len(meeting.followed)
    classes = theirs.classes_of(links)[mine.link]
    open_ = ~meeting.followed[mine.link]
    least = np.full(links, k)
    np.minimum.at(least, theirs.link, theirs.records)
    every, some = _over(mine, meeting, meeting.crowd < k)
    some |= open_ & ((mine.records < k) | (least[mine.link] < k))
    alone = _over(mine, meeting, meeting.crowd < 2)[0]
    told = []
    for name, left in meeting.one_left.items():
        all_, any_ = _over(mine, meeting, left)
        any_ |= open_ & ~mine.alike(name)[mine.group] & (links > 1)  # where all agree, all of a class are left
        told.append(Told(name, _counted(mine, all_), _counted(mine, any_ & ~all_)))
    return Side(
        records=int(mine.records.sum()),
        quasi_identifiers=names,
        linked=_counted(mine, classes == 1),
        absent=_counted(mine, classes == 0),
        violations=_counted(mine, every),
        unique_records=_counted(mine, alone),
        undecided=_counted(mine, some & ~every),
        told=tuple(told),
    )


def _over(mine: Cells, meeting: Meeting, holds: BoolVector) -> tuple[BoolVector, BoolVector]:
    """The cells for which this holds in every pair of classes that they can be in, and those for which in some."""
    met = np.bincount(meeting.mine, minlength=len(mine.link))
    held = np.bincount(meeting.mine, holds[meeting.pair], minlength=len(mine.link))
    return np.asarray((met > 0) & (held == met)), np.asarray(held > 0)


def _counted(mine: Cells, cells: BoolVector) -> int:
    return int(mine.records[cells].sum())
