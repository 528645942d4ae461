"""The interface of this room: what an engine does for a release in pieces.

The walk in `shoal.pieced` calls these in their order. Each step may be taken again from the start after a fault, and an
engine may keep what it has done: the same table, options and seed give the same bytes in any case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from shoal.engines.plan import Plan
from shoal.measure.pieces import Sizes, Sums
from shoal.measure.sums import Tally
from shoal.tables import Broken
from shoal.tables.large import Base, Spot, Survey
from shoal.values import Progress, Verification

LOCAL, SPARK = "local", "spark"
ENGINES = (LOCAL, SPARK)
P = TypeVar("P", contravariant=True)
"""Where an engine writes a release aside: a file, or a folder of a cluster."""


class Done(NamedTuple):
    """What became of all pieces."""

    pieces: int
    largest: int
    """The records of the largest piece."""
    before: Tally
    """How many classes of the original table have each size."""
    groups: Tally
    """How many groups have each size."""
    hidden: int
    """The records that are suppressed."""
    account: tuple[str, ...]
    """What methods that choose by themselves say."""
    errors: tuple[float, float] | None
    """The squared error before local search and after it; None where there was none."""


class Engine(Protocol[P]):
    """Where pieces are worked on."""

    formulas: Mapping[str, int]
    """How many cells of each column of the written release a spreadsheet would run; none before it is written."""
    broken: Sequence[Broken]
    """The dependencies between columns that the written release breaks; none before it is written."""

    def survey(self, *, progress: Progress) -> Survey:
        """What one look at every record tells."""

    def outside(self, survey: Survey, base: Base, name: str, *, bounds: tuple[float, float]) -> Spot:
        """How many numbers of a column lie outside of its bounds, and the first of them."""

    def deal(self, plan: Plan, *, progress: Progress) -> None:
        """Deal the records out into pieces."""

    def work(self, plan: Plan, *, progress: Progress) -> Done:
        """Group the records of every piece, and say what they show."""

    def deliver(self, plan: Plan, part: P, *, progress: Progress) -> Sequence[Sums]:
        """Write the release, in the order of the table unless it is shuffled, and count what the measures need."""

    def verify(self, plan: Plan, part: P, *, progress: Progress) -> tuple[Verification, Sizes]:
        """Read what was written and count its classes, by code that shares nothing with the methods."""
