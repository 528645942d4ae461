"""Results of linking two releases of the same persons."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class SensitiveInference:
    """How often intersecting the classes of two releases leaves a single sensitive value."""

    column: str
    records: int
    """Records with a single possible value, although no class of one release alone discloses it."""
    undecided: int
    """Records for which a single value may be left."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        return asdict(self)


@dataclass(frozen=True)
class LinkedSide:
    """What the other release discloses about the records of one release."""

    records: int
    quasi_identifiers: tuple[str, ...]
    linked: int
    """Records that can only be in one class of the other release."""
    absent: int
    """Records without a compatible record in the other release: they are not in it."""
    violations: int
    """Records in joint classes below k, whichever of the possible classes they are in."""
    unique_records: int
    """Of these, the records in joint classes of size one."""
    undecided: int
    """Further records that may be in joint classes below k."""
    inferences: tuple[SensitiveInference, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the other release causes no violation and no inference."""
        inferences = any(inference.records or inference.undecided for inference in self.inferences)
        return not (self.violations or self.undecided or inferences)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        return {
            "records": self.records,
            "quasi_identifiers": list(self.quasi_identifiers),
            "linked": self.linked,
            "absent": self.absent,
            "k_violations": self.violations,
            "unique_records": self.unique_records,
            "undecided": self.undecided,
            "told": [inference.to_dict() for inference in self.inferences],
        }


@dataclass(frozen=True)
class LinkedReleases:
    """Two releases of the same persons, as seen by an intruder who has both."""

    k: int
    linked_by: str
    """What links their records: ``order``, ``columns``, or ``nothing``."""
    shared_columns: tuple[str, ...]
    """Columns in both releases that are quasi-identifiers of neither."""
    n_classes: int
    """The number of joint classes that certainly contain a record."""
    min_class: int | None
    """The size of the smallest of these; None if there are none."""
    release: LinkedSide
    other: LinkedSide

    @property
    def ok(self) -> bool:
        """Whether both releases remain k-anonymous for an intruder who has both."""
        return self.release.ok and self.other.ok

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys, without cells of the data."""
        return {
            "ok": self.ok,
            "k": self.k,
            "linked_by": self.linked_by,
            "shared_columns": list(self.shared_columns),
            "joint_classes": self.n_classes,
            "min_joint_class": self.min_class,
            "release": self.release.to_dict(),
            "other": self.other.to_dict(),
            "advice": list(self.advice),
        }

    @property
    def verdict(self) -> str:
        """The verdict in one line."""
        worst = max((self.release, self.other), key=lambda side: side.violations)
        if worst.violations:
            return (
                f"Together not k-anonymous: {worst.violations:,} of {worst.records:,} records are in joint classes"
                f" below k = {self.k}"
            )
        if self.release.undecided or self.other.undecided:
            return f"Together not shown: whether k = {self.k} holds cannot be told from the two releases"
        if not self.ok:
            return f"Together not verified: k = {self.k} holds, but sensitive values are left alone"
        return f"Together verified: k = {self.k} holds"

    @property
    def advice(self) -> tuple[str, ...]:
        """Recommended actions, as sentences; empty if none is needed."""
        if self.ok:
            return ()
        sentences = ["Release once, or give both releases the same groups: the same policy, with other ways to recode."]
        if self.linked_by == "order":
            sentences.append("Shuffle the records of one release, and compare again: columns may link them too.")
        elif self.shared_columns:
            sentences.append(
                "Leave the shared columns out of one release, or protect them as quasi-identifiers: they link it."
            )
        if not (self.release.violations or self.other.violations) and self.linked_by == "columns":
            sentences.append("Where you have both in the same order, compare them so (order kept): that decides.")
        return tuple(sentences)
