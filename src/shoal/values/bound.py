"""What no partition can go below."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A proven lower bound of the squared error of every partition into groups of at least k records."""

    value: float
    """Already less by ``margin``."""
    kind: str
    """How it was found: ``elementary``, ``columns`` or ``exact``; an exact one is reached by a partition."""
    margin: float
    """What was taken off for the rounding of numbers."""
    note: str
    """How it was found, in words."""
    loss: float | None = None
    """The same as a loss: in percent of what one group of all records would cost."""

    def gap(self, error: float) -> float:
        """What a better partition could save at most of this squared error, in percent of it."""
        return max(100.0 * (error - self.value) / error, 0.0) if error > 0.0 else 0.0
