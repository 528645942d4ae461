"""A point: what one method at one k costs, and what risk it leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from shoal.release import Release

LOSS, RISK = "mixed_loss", "global_risk"
"""The measures that methods are compared by: all quasi-identifiers count in both."""


@dataclass(frozen=True)
class Point:
    """The figures of one release, or the reason why there is none."""

    method: str
    k: int
    loss: float | None = None
    risk: float | None = None
    """The global risk in percent."""
    highest_risk: float | None = None
    gap: float | None = None
    """What another partition could save at most of the squared error, in percent."""
    classes: int | None = None
    c_avg: float | None = None
    min_class: float | None = None
    suppressed: int | None = None
    seconds: float | None = None
    compiled: bool = False
    """Whether kernels were compiled meanwhile, so that the seconds tell nothing about the method."""
    verified: bool = False
    error: str | None = None

    @classmethod
    def of(cls, release: Release, *, seconds: float, compiled: bool = False) -> Self:
        """The figures of a release."""
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
            suppressed=release.partition.hidden,
            seconds=seconds,
            compiled=compiled,
            verified=proof.ok,
        )

    @property
    def measured(self) -> bool:
        """Whether it is a release whose loss and risk are known."""
        return self.verified and self.loss is not None and self.risk is not None

    @property
    def place(self) -> tuple[float, float]:
        """Its loss and its risk, of a point that is measured."""
        return (math.inf if self.loss is None else self.loss, math.inf if self.risk is None else self.risk)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return asdict(self)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self | None:
        """The point that was written as this; None where it is none."""
        if facts.keys() != {field.name for field in fields(cls)}:
            return None
        maybe = [facts[name] for name in ("loss", "risk", "highest_risk", "gap", "c_avg") if facts[name] is not None]
        sound = (
            all(_is_number(figure) for figure in (*maybe, facts["min_class"], facts["seconds"]))
            and all(isinstance(facts[name], int) for name in ("k", "classes", "suppressed"))
            and isinstance(facts["method"], str)
            and isinstance(facts["compiled"], bool)
            and facts["verified"] is True
            and facts["error"] is None
        )
        return cls(**facts) if sound else None


def _finite(figure: float | None) -> float | None:
    return figure if figure is not None and math.isfinite(figure) else None


def _is_number(figure: object) -> bool:
    return isinstance(figure, int | float) and math.isfinite(figure)
