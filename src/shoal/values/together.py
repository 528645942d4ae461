"""What two releases give away together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Told:
    """How often a sensitive value is left over where the classes of two releases meet."""

    column: str
    records: int
    """Records of which one value is left for sure, though no class by itself gave it away."""
    undecided: int
    """Records of which one value may be left."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {"column": self.column, "records": self.records, "undecided": self.undecided}


@dataclass(frozen=True)
class Side:
    """What the other release does to the records of one."""

    records: int
    quasi_identifiers: tuple[str, ...]
    linked: int
    """Records that can be in one class of the other release alone."""
    absent: int
    """Records that nothing in the other release agrees with: they are not in it."""
    violations: int
    """Records in joint classes below k, whichever of the possible ones they are in."""
    unique_records: int
    """Those of them in joint classes of one record."""
    undecided: int
    """Further records that may be in joint classes below k."""
    told: tuple[Told, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nobody is found, and nothing is told, by the other release."""
        lost = self.violations + self.undecided + sum(told.records + told.undecided for told in self.told)
        return lost == 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "records": self.records,
            "quasi_identifiers": list(self.quasi_identifiers),
            "linked": self.linked,
            "absent": self.absent,
            "k_violations": self.violations,
            "unique_records": self.unique_records,
            "undecided": self.undecided,
            "told": [told.to_dict() for told in self.told],
        }


@dataclass(frozen=True)
class Together:
    """Two releases of persons who are in both, looked at by one who has both."""

    k: int
    by: str
    """What links their records: ``order``, ``columns``, or ``nothing``."""
    shared: tuple[str, ...]
    """The columns that both show and that are quasi-identifiers of neither."""
    classes: int
    """The joint classes in which somebody is for sure."""
    min_class: int | None
    """The records of the smallest of these; None where there is none."""
    side: Side
    other: Side

    @property
    def ok(self) -> bool:
        """Whether everybody hides among k in both releases, also from one who has both."""
        return self.side.ok and self.other.ok

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys; no cell of the data."""
        return {
            "ok": self.ok,
            "k": self.k,
            "linked_by": self.by,
            "shared_columns": list(self.shared),
            "joint_classes": self.classes,
            "min_joint_class": self.min_class,
            "release": self.side.to_dict(),
            "other": self.other.to_dict(),
            "advice": list(self.advice),
        }

    @property
    def verdict(self) -> str:
        """The verdict in one line."""
        broken = max((self.side, self.other), key=lambda side: side.violations)
        if broken.violations:
            return (
                f"Together not k-anonymous: {broken.violations:,} of {broken.records:,} records are in joint classes"
                f" below k = {self.k}"
            )
        if self.side.undecided or self.other.undecided:
            return f"Together not shown: whether k = {self.k} holds cannot be told from the two releases"
        if not self.ok:
            return f"Together not verified: k = {self.k} holds, but sensitive values are left alone"
        return f"Together verified: k = {self.k} holds"

    @property
    def advice(self) -> tuple[str, ...]:
        """What can be done, in sentences; nothing where nothing need be."""
        if self.ok:
            return ()
        said = ["Release once, or give both releases the same groups: the same policy, with other ways to recode."]
        if self.by == "order":
            said.append("Shuffle the records of one release, and compare again: columns may link them too.")
        elif self.shared:
            said.append(
                "Leave the shared columns out of one release, or protect them as quasi-identifiers: they link it."
            )
        if not (self.side.violations or self.other.violations) and self.by == "columns":
            said.append("Where you have both in the same order, compare them so (order kept): that decides.")
        return tuple(said)
