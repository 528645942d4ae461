"""The bound by columns: a linear program over groups, which are found as they are needed.

The program takes groups in parts, so that every record is in one group in all, at the least cost. Its value is a lower
bound of the cost of every partition, and so is, for whatever prices u of the records and fines of triples,

    Σ u - Σ fines - Σ over records i of the most that a bargain with i saves, divided by the size of the bargain.

For in a partition every group S costs at least u(S) less its fines and less what it saves, which is at most the sum of
these shares over its records; and at most one group has two or more records of a triple, so that no fine is paid twice.
So no answer of the solver needs to be exact, and each search for bargains that comes to its end gives a bound.

Groups of k alone decide the program without fines. A group S of s > t records costs (s - 1) / (t - 1) times what its
subsets of t cost on average, since each pair of S is in as many of them. If none of these costs less than it pays, S
costs at least f(s, t) · u(S), with f(s, t) = t (s - 1) / (s (t - 1)) > 1, or nothing where u(S) < 0. So
prices for groups of t < k give a bound for k as well, f(k, t) times theirs; and P(S) ≥ s · f(s, t) · u(S), which helps
to rule out bargains of more records. For a large k the search climbs from small groups to larger ones for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal import kernels
from shoal.refine.bounds import elementary_bound
from shoal.refine.improve import groups_of, improved
from shoal.refine.master import Master, Solution, by_record
from shoal.values import Bound, FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Space, silent, whole_k

if TYPE_CHECKING:
    from shoal.kernels.bargains import Found, Offer

MOST = 20_000
"""Records for which groups are searched for; of more there is the elementary bound."""
EFFORT = 4_000_000_000
"""Steps of a search: about a minute."""
_SOLVING = 800
"""Steps that the solver is taken to need for one entry of the program."""
_NEAR = 30
"""The neighbors among which groups are looked for quickly, and from how many of them on."""
_STARTS = 10
_FEW = 50
"""A quick search that finds fewer bargains than one for so many records is at its end."""
_DEAR = (1.02, 1.05, 1.1)
"""How much dearer the prices of smaller groups are made, for larger groups to become bargains."""
_SHORTEST = 0.02
"""How far the prices go at least from those of the best bound to those of the program."""
_CLOSE = 1e-3
"""How near the bound must be to the value of the program before more triples are looked for."""
_MORE = tuple(0.002 * 2.0**power for power in range(8))
_ENOUGH = 20_000
"""How much more the records pay for further groups, as a part of the mean price, and how many are enough."""
_UNIT = 2.0**-53
_SLACK = 2e-5
"""Which part of the bound is given away to end the search sooner."""
_DIRECT = 6
"""Groups of so many records are searched for at once; for larger ones the climb begins there, two records a step."""
_KEPT = 6
"""Which part of the effort is kept to find further groups."""
_TRIPLES = 6
"""The largest k for which triples are looked for: larger groups have too many of them."""


@dataclass(frozen=True, eq=False)
class Columns:
    """What a search for groups has found: a bound, and the groups that a best partition is likely to be made of."""

    points: FloatMatrix
    k: int
    bound: Bound
    groups: IntMatrix
    """One a row, of k to 2k - 1 records; the rest of a row is -1."""
    prices: FloatVector
    """What a record pays in the best bound."""

    def improved(self, labels: IntVector, *, nodes: int = 1) -> IntVector:
        """A partition of these groups and those of a given one, with no larger SSE than the given one has.

        The SSE is that of means of the points. The search ends after so many nodes of its tree, and not by a clock.
        """
        return improved(self.points, labels, self.groups, self.prices, nodes=nodes)


class _Search:
    """A search for groups, from prices on of which is known that no group costs less than it pays."""

    def __init__(
        self, points: FloatMatrix, near: IntMatrix, inside: FloatMatrix, prices: FloatVector, effort: int
    ) -> None:
        self.points, self.near, self.inside, self.prices, self.effort = points, near, inside, prices, effort
        self.fines: FloatVector = np.empty(0)
        self.value = float(prices.sum())
        self.master = Master(points)

    def offer(self, prices: FloatVector, fines: FloatVector, low: int, high: int) -> Offer:
        """What groups of these sizes cost and pay; triples that came later than these fines have none."""
        begin, triples = by_record(self.master.triples, len(prices))
        fines = np.concatenate([fines, np.zeros(len(self.master.triples) - len(fines))])
        slack = _SLACK * low / len(prices) * abs(float(prices.sum()))
        halves = np.zeros((high, len(prices)))  # those among the candidates of a record are sharper
        return kernels.bargains.Offer(
            self.points, prices, halves, self.inside[:high], fines, triples, begin, low, high, slack
        )

    def solve(self) -> Solution | None:
        """Solve the program of the groups found so far; None where that fails or the effort is spent."""
        self.effort -= _SOLVING * self.master.entries
        return self.master.solve() if self.effort > 0 else None

    def seed(self, size: int, gain: float) -> None:
        """Add groups that would be bargains if records paid more than in the best bound."""
        for much in _DEAR:
            self.quick(self.offer(self.prices * gain * much, np.empty(0), size, size))

    def quick(self, offer: Offer) -> int:
        """Add bargains that are found quickly; their number."""
        found = kernels.bargains.some_bargains(offer, self.near, _STARTS)
        return self.master.add(found.groups[found.sizes > 0])

    def thorough(self, offer: Offer) -> int:
        """Add the best bargains there are, and keep the bound that comes of it; their number, none if given up."""
        found = self.explored(offer, 0)
        if found is None:
            return 0
        prices = offer.prices - found.saving - offer.slack / offer.low
        value = float(prices.sum() - offer.fines.sum())
        if value > self.value:
            self.value, self.prices, self.fines = value, prices, offer.fines
        return self.master.add(found.groups[found.sizes > 0])

    def explored(self, offer: Offer, room: int) -> Found | None:
        """All bargains of an offer; None if half of the effort does not suffice."""
        found, left = kernels.bargains.all_bargains(offer, self.effort // 2, room=room)
        self.effort -= self.effort // 2 - left
        return found

    def begin(self, size: int, start: IntVector | None) -> None:
        """Find groups of one size quickly, until there are hardly any more bargains to be found that way."""
        self.master.add(_runs(self.points, size))
        self.master.add(np.column_stack([np.arange(len(self.near)), self.near[:, : size - 1]]))
        if start is not None:
            given = groups_of(start)
            self.master.add(given[(given >= 0).sum(axis=1) == size])
        self.seed(size, 1.0)
        enough = self.effort // 2
        while self.effort > enough and (found := self.solve()) is not None:
            if self.quick(self.offer(found.prices, np.empty(0), size, size)) <= len(self.points) // _FEW:
                return

    def complete(self, k: int, high: int) -> None:
        """Go on with groups of all sizes, with triples where k is small, and keep some effort for further groups."""
        kept = self.effort // _KEPT
        self.effort -= kept
        for size in range(k + 1, high + 1):
            self.seed(size, _gain(size, k))
        if k <= _TRIPLES:
            self.tighten(k, high, cutting=True)
        self.effort += kept
        self.widen(k, high)

    def tighten(self, low: int, high: int, *, cutting: bool) -> None:
        """Search thoroughly, until the bound is that of the program; and add triples as long as some are broken.

        The prices that are tried lie between those of the best bound and those of the program: the latter alone
        jump far off as long as groups that matter are not found yet.
        """
        step, found = 1.0, self.solve()
        while found is not None and step >= _SHORTEST:
            best, before = self.offer(self.prices, self.fines, low, high), self.value
            prices = best.prices + step * (found.prices - best.prices)
            fresh = self.thorough(self.offer(prices, best.fines + step * (found.fines - best.fines), low, high))
            step = min(2.0 * step, 1.0) if self.value > before else 0.5 * step
            triples = np.empty((0, 3), dtype=np.int64)
            if cutting and self.value >= found.value * (1.0 - _CLOSE):
                triples = self.master.cut(found.shares)
            if not len(triples) and self.value >= found.value * (1.0 - 2.0 * _SLACK):
                return
            if fresh or len(triples):
                found = self.solve()

    def widen(self, low: int, high: int) -> None:
        """Add groups that would be bargains if all records paid a little more, and more, until there are enough."""
        mean = float(np.abs(self.prices).mean())
        for much in _MORE:
            found = self.explored(self.offer(self.prices + much * mean, self.fines, low, high), _ENOUGH)
            if found is None or len(self.master.groups) >= _ENOUGH:
                return
            self.master.add(found.every[: int(found.total[0])])


def column_bound(
    points: FloatMatrix, k: int, *, start: IntVector | None = None, effort: int = EFFORT, progress: Progress = silent
) -> Columns:
    """A bound that is often within one percent of the best partition, for some thousand records and a small k.

    ``start`` is a partition whose groups are worth a look. The ``effort`` counts steps, so that the bound does not
    depend on a clock; where it does not suffice for groups of k records, the bound is that of smaller ones, and at
    least the elementary one.

    Notes
    -----
    *Margin*: the sums that tell whether a group is a bargain have at most 4k² + p + 16 terms, each at most a few prices
    in size where it matters, so that a group that was passed over saves at most the slack, which is taken off, and as
    many roundings of 2⁻⁵³ of the largest price. There are at most n / k groups.
    """
    n, k = len(points), whole_k(k, len(points))
    if n > MOST:
        return Columns(points, k, elementary_bound(points, k, progress=progress), _none(k), np.zeros(n))
    points, exponent = _scaled(points)
    high = min(2 * k - 1, n)
    near, shares = _neighbors(points, min(max(_NEAR, high), n - 1), high)
    inside, prices, groups = np.empty((0, n)), shares[k] / k, _none(k)
    best, below = _bound(points, prices, np.empty(0), k, k, exponent), 0
    for done, t in enumerate(sizes := _climb(k)):
        guesses = [shares[t] / t, *([] if not below else [prices * _gain(t, below)])]
        search = _Search(points, near, inside, max(guesses, key=lambda guess: float(guess.sum())), effort)
        search.begin(t, start)
        search.tighten(t, t, cutting=False)
        if t == k:
            search.complete(k, high)
            groups = search.master.groups
        found = _bound(points, search.prices, search.fines, k, t, exponent)
        best = max(best, found, key=lambda bound: bound.value)
        inside, prices, below, effort = _within(search.prices, t, high), search.prices, t, search.effort
        progress(n * (done + 1) // len(sizes), n)
        if effort <= 0:
            break
    return Columns(points, k, best, groups, prices)


def _scaled(points: FloatMatrix) -> tuple[FloatMatrix, int]:
    """The points divided by a power of two, for the solver to see squared errors of about 1, and its exponent."""
    largest = int(np.frexp(np.abs(points).max(initial=0.0))[1])
    small = np.ldexp(points, -largest)
    spread = float(np.sqrt(((small - small.mean(axis=0)) ** 2).sum() / len(small)))
    exponent = largest + int(np.frexp(spread)[1])
    return np.ascontiguousarray(np.ldexp(points, -exponent)), exponent


def _neighbors(points: FloatMatrix, count: int, high: int) -> tuple[IntMatrix, FloatMatrix]:
    """The nearest other records of each; and by r <= high, half of the sum of its r - 1 smallest squared distances."""
    n = len(points)
    rows, distance = kernels.bound.neighbors(Space.of_numbers(points), count + 1)
    own = rows == np.arange(n)[:, None]
    own[~own.any(axis=1), -1] = True  # among many equal records one is missing from its own list
    shares = np.zeros((high + 1, n))
    shares[2:] = 0.5 * np.cumsum(distance[~own].reshape(n, count), axis=1).T[: high - 1]
    return rows[~own].reshape(n, count), shares


def _climb(k: int) -> list[int]:
    """The sizes of groups that are searched for, one after another."""
    return [k] if k <= _DIRECT else [*range(_DIRECT, k, 2), k]


def _gain(s: int, t: int) -> float:
    """How much more a group of s costs at least than its subsets of t pay."""
    return t * (s - 1) / (s * (t - 1))


def _within(prices: FloatVector, t: int, high: int) -> FloatMatrix:
    """By r < high and record, what adds up to at most the sum over the pairs of any r records; nothing below t."""
    inside = np.zeros((high, len(prices)))
    for r in range(t, high):
        inside[r] = r * _gain(r, t) * prices
    return inside


def _runs(points: FloatMatrix, size: int) -> IntMatrix:
    """Groups of neighbors in an order of the records, in a circle: taken in equal parts they are a solution."""
    order = np.argsort(points.sum(axis=1), kind="stable")
    return np.column_stack([np.roll(order, -place) for place in range(size)])


def _none(k: int) -> IntMatrix:
    return np.empty((0, 2 * k - 1), dtype=np.int64)


def _bound(points: FloatMatrix, prices: FloatVector, fines: FloatVector, k: int, t: int, exponent: int) -> Bound:
    """What prices for groups of t say about groups of k, less what rounding can have added."""
    n, p = points.shape
    size = 8.0 * n * float(np.abs(prices).max()) + float(np.abs(prices).sum() + fines.sum())
    rounding, value = _UNIT * (4 * k * k + p + 16) * size, float(prices.sum() - fines.sum())
    scale = float(np.ldexp(_gain(k, t), 2 * exponent))
    paid = int((fines > 0.0).sum())
    note = f"from all groups, and {paid:,} triples of records" if paid else f"from all groups of {t:,} records"
    return Bound(max(value - rounding, 0.0) * scale, "columns", rounding * scale, note)
