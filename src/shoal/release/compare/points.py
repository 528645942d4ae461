"""A point of a comparison: the loss and risk of one method at one k."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from shoal.release.result import Release

LOSS, RISK = "mixed_loss", "global_risk"
"""Measures that methods are compared by; both use all quasi-identifiers."""


@dataclass(frozen=True)
class ComparisonPoint:
    """Measures of one release, or the reason why there is none."""

    method: str
    k: int
    loss: float | None = None
    risk: float | None = None
    """Global risk in percent."""
    highest_risk: float | None = None
    gap: float | None = None
    """Upper limit of what another partition could save of the squared error, in percent."""
    classes: int | None = None
    c_avg: float | None = None
    min_class: float | None = None
    suppressed: int | None = None
    seconds: float | None = None
    compiled: bool = False
    """Whether kernels were compiled during the run, so that its seconds do not count."""
    verified: bool = False
    error: str | None = None

    @classmethod
    def of(cls, release: Release, *, seconds: float, compiled: bool = False) -> Self:
        evaluation, proof = release.evaluation, release.verification
        return cls(
            method=release.policy.method,
            k=release.policy.k,
            loss=_finite(evaluation.loss[LOSS]),
            risk=_finite(evaluation.after[RISK]),
            highest_risk=_finite(evaluation.after["highest_risk"]),
            gap=evaluation.loss.get("optimality_gap"),
            classes=proof.classes,
            c_avg=evaluation.loss["c_avg"],
            min_class=proof.min_class,
            suppressed=release.partition.n_suppressed,
            seconds=seconds,
            compiled=compiled,
            verified=proof.ok,
        )

    @property
    def is_measured(self) -> bool:
        """Whether it is a release with a known loss and risk."""
        return self.verified and self.loss is not None and self.risk is not None

    @property
    def coordinates(self) -> tuple[float, float]:
        return (math.inf if self.loss is None else self.loss, math.inf if self.risk is None else self.risk)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        return asdict(self)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self | None:
        """Parse the result of `to_dict`; None if it is not valid."""
        if facts.keys() != {field.name for field in fields(cls)}:
            return None
        optional = [facts[name] for name in ("loss", "risk", "highest_risk", "gap", "c_avg") if facts[name] is not None]
        is_valid = (
            all(_is_number(figure) for figure in (*optional, facts["min_class"], facts["seconds"]))
            and all(isinstance(facts[name], int) for name in ("k", "classes", "suppressed"))
            and isinstance(facts["method"], str)
            and isinstance(facts["compiled"], bool)
            and facts["verified"] is True
            and facts["error"] is None
        )
        return cls(**facts) if is_valid else None


def _finite(figure: float | None) -> float | None:
    return figure if figure is not None and math.isfinite(figure) else None


def _is_number(figure: object) -> bool:
    return isinstance(figure, int | float) and math.isfinite(figure)
