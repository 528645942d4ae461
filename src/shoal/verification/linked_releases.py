"""Joint k-anonymity of two releases (complementary-release attack).

Two releases of the same persons, each k-anonymous, can violate k jointly (Sweeney, "k-anonymity", 2002: complementary
release; Ganta, Kasiviswanathan and Smith, KDD 2008: intersection). An attacker knows a person's quasi-identifiers and
that the person is in both releases, hence the person's class a in one release and b in the other. The records of both
releases agree on the columns that both contain unchanged: those of one name that are quasi-identifiers of neither. So
the person's record in the first release is among the records of a that agree with a record of b, and in the second
among the records of b that agree with a record of a. The smaller of these two numbers is the size of the *joint
class* of a and b. If the records of both are in the same order, they agree where their row is the same, and the
joint class is the intersection of a and b.

Where a record agrees with several classes of the other release, only the publisher knows its joint class. So a record
*violates* k if every possible joint class is smaller than k; it is *undecided* if some are; else it is safe. A record
that agrees with none is not in the other release.

Pairs of classes are enumerated through the values that they share. A value so common that it joins millions of pairs
is not expanded: a record with it is safe if at least k records of its class have it, and k of every class of the other
release that has it; else it is undecided. So the results "safe" and "violates" are exact for any size. Like `verify`,
this uses released values only and shares no code with the methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.domain import BoolVector, IntVector, LinkedReleases, LinkedSide, SensitiveInference, check_choice, check_k
from shoal.errors import OptionError

ORDERS = ("kept", "unknown")
_MAX_PAIRS = 2_000_000
"""Maximum number of pairs of classes; a value that is in one class of a release is always expanded."""
_BATCH_SIZE = 4_000_000
"""Number of values that are looked up in one batch."""


def verify_linked(
    table: Table,
    other: Table,
    *,
    k: int,
    quasi_identifiers: Sequence[str],
    other_quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    order: str | None = None,
) -> LinkedReleases:
    """Verify joint k-anonymity of two releases.

    ``order`` says whether the records of both are in the same order (``kept`` or ``unknown``); by default they are if
    their number is the same and the shared columns agree row by row. A missing value is a value like any other. For
    each ``sensitive`` column, in the release or releases that have it, the values left in each joint class are checked.
    """
    k = check_k(k)
    all_quasi_identifiers = (*quasi_identifiers, *other_quasi_identifiers)
    shared = tuple(name for name in table.names if name in other.names and name not in all_quasi_identifiers)
    links = data.linkage_labels(table, other, shared)
    linked_by = _linked_by(order, links, shared)
    if linked_by == "order":
        links = np.arange(table.height), np.arange(other.height)
    own = LinkCells.of(data.class_labels(table, quasi_identifiers), links[0], _codes(table, sensitive))
    others = LinkCells.of(data.class_labels(other, other_quasi_identifiers), links[1], _codes(other, sensitive))
    pairs = ClassPairs.of(own, others)
    certain = pairs.joint_sizes[pairs.sure(own, others)]
    return LinkedReleases(
        k=k,
        linked_by=linked_by,
        shared_columns=shared,
        n_classes=len(certain),
        min_class=int(certain.min()) if len(certain) else None,
        release=_side(own, others, pairs, k=k, names=tuple(quasi_identifiers)),
        other=_side(others, own, pairs.swapped, k=k, names=tuple(other_quasi_identifiers)),
    )


def _linked_by(order: str | None, links: tuple[IntVector, IntVector], shared: Sequence[str]) -> str:
    same_length = len(links[0]) == len(links[1])
    same_order = same_length and bool((links[0] == links[1]).all())
    if order is not None:
        same_order = check_choice("order", order, ORDERS) == "kept"
        if same_order and not same_length:
            raise OptionError.no_common_order(len(links[0]), len(links[1]))
    return "order" if same_order else "columns" if shared else "nothing"


def _codes(table: Table, names: Sequence[str]) -> dict[str, IntVector]:
    return {name: data.verification_value_codes(table, name) for name in names if name in table.names}


class LinkCells(NamedTuple):
    """Distinct linking values of a release by class, with the number of records of each (its cells)."""

    group: IntVector
    link: IntVector
    records: IntVector
    first: IntVector
    """First cell of each class, and at the end the number of cells."""
    low: Mapping[str, IntVector]
    """Minimum code of each sensitive column in the cell."""
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
    def n_cells(self) -> IntVector:
        return np.diff(self.first)

    def classes_of(self, links: int) -> IntVector:
        """Number of classes that have each value."""
        return np.bincount(self.link, minlength=links)

    def homogeneous(self, name: str) -> BoolVector:
        """Mask of the classes that share one value of a sensitive column; none if the release does not contain it."""
        if name not in self.low:
            return np.zeros(len(self.first) - 1, dtype=np.bool_)
        starts = self.first[:-1]
        low, high = np.minimum.reduceat(self.low[name], starts), np.maximum.reduceat(self.high[name], starts)
        return np.asarray(low == high)


class ClassPairs(NamedTuple):
    """Pairs of classes, one of each release, that share a value that is expanded."""

    pair: IntVector
    """Pair of classes of each pair of agreeing cells."""
    mine: IntVector
    theirs: IntVector
    """The two agreeing cells."""
    joint_sizes: IntVector
    """Size of the joint class of each pair of classes."""
    groups: tuple[IntVector, IntVector]
    single_value: Mapping[str, BoolVector]
    """Mask of the pairs whose joint class has one value of a sensitive column, though neither class has."""
    expanded: BoolVector
    """Mask of the values that were expanded."""

    @classmethod
    def of(cls, mine: LinkCells, theirs: LinkCells) -> Self:
        links = int(max(mine.link.max(), theirs.link.max())) + 1
        expanded = _expanded_values(mine.classes_of(links), theirs.classes_of(links))
        left, right = _agreeing_cells(mine, theirs, expanded)
        width = len(theirs.first) - 1
        keys, pair = np.unique(mine.group[left] * width + theirs.group[right], return_inverse=True)
        groups = keys // width, keys % width
        joint_sizes, single_value = _joint_classes(mine, theirs, groups)
        return cls(pair.astype(np.int64), left, right, joint_sizes, groups, single_value, expanded)

    @property
    def swapped(self) -> ClassPairs:
        """The same pairs from the other release's side."""
        return self._replace(mine=self.theirs, theirs=self.mine, groups=self.groups[::-1])

    def sure(self, mine: LinkCells, theirs: LinkCells) -> BoolVector:
        """Mask of the pairs that contain a person for certain: a shared value is in one class only of a release."""
        links = len(self.expanded)
        one = (mine.classes_of(links) == 1) | (theirs.classes_of(links) == 1)
        certain = np.zeros(len(self.joint_sizes), dtype=np.bool_)
        certain[self.pair[one[mine.link[self.mine]]]] = True
        return certain


def _expanded_values(mine: IntVector, theirs: IntVector) -> BoolVector:
    """Mask of the values to expand, those in the fewest pairs of classes first."""
    pairs = mine * theirs
    order = np.argsort(pairs, kind="stable")
    expanded = np.zeros(len(pairs), dtype=np.bool_)
    expanded[order[np.cumsum(pairs[order]) <= _MAX_PAIRS]] = True
    return expanded | (mine <= 1) | (theirs <= 1)


def _agreeing_cells(mine: LinkCells, theirs: LinkCells, expanded: BoolVector) -> tuple[IntVector, IntVector]:
    """LinkCells of both releases that have the same expanded value, ordered by own cells."""
    order = np.argsort(theirs.link, kind="stable")
    start = np.searchsorted(theirs.link[order], np.arange(len(expanded) + 1))
    expandable = np.flatnonzero(expanded[mine.link])
    matches = np.diff(start)[mine.link[expandable]]
    return np.repeat(expandable, matches), order[_ranges(start[mine.link[expandable]], matches)]


def _ranges(starts: IntVector, lengths: IntVector) -> IntVector:
    ends = np.cumsum(lengths)
    numbers: IntVector = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
    return numbers


def _joint_classes(
    mine: LinkCells, theirs: LinkCells, groups: tuple[IntVector, IntVector]
) -> tuple[IntVector, dict[str, BoolVector]]:
    """Size of the joint class of each pair of classes, and whether one value of a sensitive column is left in it."""
    names = dict.fromkeys([*mine.low, *theirs.low])
    joint_sizes = np.zeros(len(groups[0]), dtype=np.int64)
    single_value = {name: np.zeros(len(joint_sizes), dtype=np.bool_) for name in names}
    for pairs, left, right, starts in _pair_batches(mine, theirs, groups):
        own_records = np.add.reduceat(mine.records[left], starts)
        other_records = np.add.reduceat(theirs.records[right], starts)
        joint_sizes[pairs] = np.minimum(own_records, other_records)
        for cells, at in ((mine, left), (theirs, right)):
            for name in cells.low:
                low = np.minimum.reduceat(cells.low[name][at], starts)
                single_value[name][pairs] |= low == np.maximum.reduceat(cells.high[name][at], starts)
    for name in names:
        single_value[name] &= ~mine.homogeneous(name)[groups[0]] & ~theirs.homogeneous(name)[groups[1]]
    return joint_sizes, single_value


def _pair_batches(
    mine: LinkCells, theirs: LinkCells, groups: tuple[IntVector, IntVector]
) -> Iterator[tuple[IntVector, IntVector, IntVector, IntVector]]:
    """Pairs of classes, the agreeing cells of both, and where the cells of each pair begin; in batches.

    The cells of the class that has fewer of them are looked up in the other.
    """
    links = int(max(mine.link.max(), theirs.link.max())) + 1
    fewer = mine.n_cells[groups[0]] <= theirs.n_cells[groups[1]]
    for swapped, cells, others in ((False, mine, theirs), (True, theirs, mine)):
        chosen = np.flatnonzero(fewer != swapped)
        group, other = (groups[swapped][chosen], groups[not swapped][chosen])
        keys, sizes = others.group * links + others.link, cells.n_cells[group]
        parts = np.cumsum(sizes) // _BATCH_SIZE
        for part in np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(parts)) + 1):
            if not len(part):
                continue
            at = _ranges(cells.first[group[part]], sizes[part])
            pair = np.repeat(part, sizes[part])
            wanted = other[pair] * links + cells.link[at]
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            agree = keys[place] == wanted
            at, place, pair = at[agree], place[agree], pair[agree]
            starts = np.flatnonzero(np.diff(pair, prepend=-1))
            yield chosen[part], place if swapped else at, at if swapped else place, starts


def _side(mine: LinkCells, theirs: LinkCells, class_pairs: ClassPairs, *, k: int, names: tuple[str, ...]) -> LinkedSide:
    """Effect of the other release on the records of one."""
    links = len(class_pairs.expanded)
    classes = theirs.classes_of(links)[mine.link]
    not_expanded = ~class_pairs.expanded[mine.link]
    min_records = np.full(links, k)
    np.minimum.at(min_records, theirs.link, theirs.records)
    violating, possibly = _in_all_and_some(mine, class_pairs, class_pairs.joint_sizes < k)
    possibly |= not_expanded & ((mine.records < k) | (min_records[mine.link] < k))
    unique = _in_all_and_some(mine, class_pairs, class_pairs.joint_sizes < 2)[0]
    disclosures = []
    for name, left in class_pairs.single_value.items():
        certain, possible = _in_all_and_some(mine, class_pairs, left)
        # with one linking value in all, joint classes are whole classes
        possible |= not_expanded & ~mine.homogeneous(name)[mine.group] & (links > 1)
        disclosures.append(
            SensitiveInference(name, _count_records(mine, certain), _count_records(mine, possible & ~certain))
        )
    return LinkedSide(
        records=int(mine.records.sum()),
        quasi_identifiers=names,
        linked=_count_records(mine, classes == 1),
        absent=_count_records(mine, classes == 0),
        violations=_count_records(mine, violating),
        unique_records=_count_records(mine, unique),
        undecided=_count_records(mine, possibly & ~violating),
        inferences=tuple(disclosures),
    )


def _in_all_and_some(mine: LinkCells, class_pairs: ClassPairs, holds: BoolVector) -> tuple[BoolVector, BoolVector]:
    """Masks of the cells for which this holds in every pair of classes that they can be in, and in some."""
    pairs = np.bincount(class_pairs.mine, minlength=len(mine.link))
    holding = np.bincount(class_pairs.mine, holds[class_pairs.pair], minlength=len(mine.link))
    return np.asarray((pairs > 0) & (holding == pairs)), np.asarray(holding > 0)


def _count_records(mine: LinkCells, cells: BoolVector) -> int:
    return int(mine.records[cells].sum())
