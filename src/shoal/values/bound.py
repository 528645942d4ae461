"""Lower bounds of the squared error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A proven lower bound of the squared error of every partition into groups of at least k records."""

    value: float
    """The bound, after subtracting ``margin``."""
    kind: str
    """``elementary``, ``columns`` or ``exact``; an exact bound is attained by a partition."""
    margin: float
    """The allowance for floating-point rounding."""
    note: str
    """How the bound was computed, in words."""
    loss: float | None = None
    """The bound as information loss, in percent of the squared error of a single group."""

    def gap(self, error: float) -> float:
        """The largest part of this squared error that a better partition could save, in percent."""
        return max(100.0 * (error - self.value) / error, 0.0) if error > 0.0 else 0.0
