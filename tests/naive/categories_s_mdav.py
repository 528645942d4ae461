"""Slow and obvious oracles of the MDAV family on categories: dictionaries of combinations, and plain sums."""

from __future__ import annotations

from math import inf

from shoal.domain import Records

Group = dict[int, int]
"""The records of each combination in it."""


class Meaning:
    """Distances and centers."""

    def __init__(self, records: Records) -> None:
        self.tables = [records.distance_table(j).tolist() for j in range(len(records.categories))]
        self.codes: list[list[int]] = records.tuples.codes.tolist()
        self.counts: list[int] = records.tuples.counts.tolist()
        self.everything = dict(enumerate(self.counts))

    def apart(self, t: int, center: list[int]) -> float:
        total = 0.0
        for table, code, node in zip(self.tables, self.codes[t], center, strict=True):
            total += table[code][node]
        return total

    def center(self, group: Group) -> list[int]:
        found = []
        for j, table in enumerate(self.tables):
            costs = [sum(n * table[self.codes[t][j]][node] for t, n in group.items()) for node in range(len(table))]
            found.append(costs.index(min(costs)))
        return found


def portions(records: Records, k: int, *, whole: bool, moving: bool, last: bool = False) -> list[tuple[int, int, int]]:
    """Combination, group and records, in the order in which they were taken; the last records may be a group."""
    meaning = Meaning(records)
    left, groups, taken = dict(meaning.everything), [], []
    least = 2 * k if last else k

    def far(center: list[int]) -> int:
        weigh = meaning.counts if whole else [1] * len(meaning.counts)
        return min(left, key=lambda t: (-meaning.apart(t, center) * weigh[t], t))

    def near(center: list[int]) -> int:
        weigh = meaning.counts if whole else [1] * len(meaning.counts)
        return min(left, key=lambda t: (meaning.apart(t, center) * weigh[t], t))

    def take(t: int, number: int, group: int) -> None:
        taken.append((t, group, number))
        left[t] -= number
        if not left[t]:
            del left[t]

    def grow(seed: int) -> None:
        if not whole and left[seed] >= k:
            for _ in range(min(left[seed] // k, sum(left.values()) // k - (1 if last else 0))):
                groups.append({seed: k})
                take(seed, k, len(groups) - 1)
            return
        group: Group = {}
        t, center = seed, meaning.codes[seed]
        while True:
            group[t] = left[t] if whole else min(left[t], k - sum(group.values()))
            take(t, group[t], len(groups))
            if sum(group.values()) >= k:
                break
            center = meaning.center(group) if moving else center
            t = near(center)
        groups.append(group)

    while sum(left.values()) >= least:
        r = far(meaning.center(left))
        grow(r)
        if sum(left.values()) >= least:
            grow(far(meaning.codes[r]))
    if last:
        for t in sorted(left):
            take(t, left[t], len(groups))
    centers = [meaning.center(group) for group in groups]
    for t in sorted(left):
        take(t, left[t], min(range(len(groups)), key=lambda g: (meaning.apart(t, centers[g]), g)))
    return taken


def expanded(records: Records, taken: list[tuple[int, int, int]]) -> list[int]:
    """The records of a combination go where its portions went, in the order of the rows."""
    queues: dict[int, list[int]] = {}
    for t, group, number in taken:
        queues.setdefault(t, []).extend([group] * number)
    return [queues[t].pop(0) for t in records.tuple_index.tolist()]


def s_mdav(records: Records, k: int) -> list[int]:
    return expanded(records, portions(records, k, whole=False, moving=True))


def sa_mdav(records: Records, k: int) -> list[int]:
    return expanded(records, portions(records, k, whole=True, moving=True))


def sa_mdav_static(records: Records, k: int) -> list[int]:
    return expanded(records, portions(records, k, whole=True, moving=False))


def mdav_generic(records: Records, k: int) -> list[int]:
    return expanded(records, portions(records, k, whole=False, moving=False, last=True))


def sa_mdav_plus(records: Records, k: int) -> list[int]:
    meaning = Meaning(records)
    counts = meaning.counts
    centers: list[list[int]] = []
    labels: dict[int, int] = {}

    def lost(t: int, center: list[int]) -> float:
        return meaning.apart(t, center) * meaning.apart(t, center)

    def stand(pool: Group) -> None:
        labels.update(dict.fromkeys(pool, len(centers)))
        centers.append(meaning.center(pool))

    def price(t: int) -> float:
        return min(lost(t, center) for center in centers or [meaning.center(meaning.everything)])

    def grown(seed: int) -> Group | None:
        pool = {seed: counts[seed]}
        while True:
            center, size = meaning.center(pool), sum(pool.values())
            if centers and not sum(n * lost(t, center) for t, n in pool.items()) < sum(
                n * price(t) for t, n in pool.items()
            ):
                return None
            if size >= k:
                return pool
            best, who = inf, -1
            for t in sorted(free - set(pool)):
                loss = lost(t, center)
                if counts[t] > k - size:
                    loss *= counts[t] / (k - size)
                if loss < best:
                    best, who = loss, t
            pool[who] = counts[who]

    for t, count in enumerate(counts):
        if count >= k:
            stand({t: count})
    free = {t for t, count in enumerate(counts) if count < k}
    while sum(counts[t] for t in free) >= k:
        seed = min(free, key=lambda t: (-counts[t] * price(t), t))
        pool = grown(seed)
        if pool:
            stand(pool)
        free -= set(pool or [seed])
    for t in range(len(counts)):
        if t not in labels:
            labels[t] = min(range(len(centers)), key=lambda g: (lost(t, centers[g]), g))
    return [labels[t] for t in records.tuple_index.tolist()]
