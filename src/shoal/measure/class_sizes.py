"""The sizes of classes, as the risks and losses that go by them count them."""

from __future__ import annotations

from typing import NamedTuple

from shoal.measure.pair import Classes, Pair
from shoal.measure.sums import Most, Tally


class Sizes(NamedTuple):
    """How many records are in classes of each size, and the risk of all of them."""

    tally: Tally
    risk: float
    highest: Most
    records: int
    classes: Most
    """The number of classes where the sizes do not tell it, else -1."""
    weighted: Most
    """Whether the records stand for more persons than themselves."""

    @property
    def shares(self) -> float:
        """Σ 1/f, size by size: a whole number where the sizes are those of classes."""
        return float((self.tally.counts / self.tally.keys).sum())

    @property
    def number(self) -> int:
        """The number of classes: every record counts for its share of one."""
        return round(self.shares) if self.classes < 0 else int(self.classes)

    @property
    def found(self) -> float:
        """The sum of the individual risks."""
        return self.risk if self.weighted else self.shares

    def below(self, size: float) -> int:
        """The records in smaller classes."""
        return int(self.tally.counts[self.tally.keys < size].sum())


def sizes(block: Classes) -> Sizes:
    """Of the records of a block, by the sizes of their classes in the whole table."""
    return Sizes(
        tally=Tally.of(block.sizes),
        risk=float(block.risk.sum()),
        highest=Most(block.risk.max()),
        records=block.records,
        classes=Most(-1 if block.classes is None else block.classes),
        weighted=Most(block.weights is not None),
    )


def released_sizes(block: Pair) -> Sizes:
    """The same of the release, for losses."""
    return sizes(block.after)
