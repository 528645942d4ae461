"""Columns: the role of each column for privacy, and the kind of its values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from shoal.errors import ColumnError, OptionError
from shoal.hierarchy import Hierarchy

Names = Iterable[str | int] | str | int | None
"""Columns as users name them: several, one, or none; integers for the columns of an array."""
ALL_OTHER_COLUMNS = "*"
"""Denotes all columns that are not named."""
KEPT_COLUMN = "kept"
"""The word in messages for a column that is deliberately released unchanged."""
NO_ROLE_REASON = "no role (drop_others)"
"""The reason for dropping a column that has no role."""


class Role(StrEnum):
    """The role of a column in a re-identification attack."""

    IDENTIFIER = "identifier"
    """Identifies the person directly: dropped from every release."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """May be known to an intruder: protected."""
    SENSITIVE = "sensitive"
    """Must not be linked to a person: released unchanged, within a class of at least k records."""
    INSENSITIVE = "insensitive"
    """None of these: released unchanged."""


class Kind(StrEnum):
    """The kind of values in a column."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"
    HIERARCHICAL = "hierarchical"
    DATE = "date"


@dataclass(frozen=True)
class Column:
    name: str
    role: Role
    kind: Kind
    reason: str = ""
    hierarchy: Hierarchy | None = None
    """For a hierarchical column; for an ordinal one its ordered levels, the lowest first."""
    hierarchy_file: str = ""
    hierarchy_fingerprint: str = ""
    """The fingerprint of the hierarchy that a policy refers to, until the hierarchy is loaded."""
    recode: str = ""
    """The recoding of a group; empty for the default of the kind."""


@dataclass(frozen=True)
class Schema:
    """The columns of a table in order."""

    columns: tuple[Column, ...]

    @classmethod
    def assign(
        cls,
        kinds: Sequence[tuple[str, Kind]],
        *,
        quasi_identifiers: Names,
        identifiers: Names = (),
        sensitive: Names = (),
        keep: Names = (),
    ) -> Self:
        """Assign roles to the named columns; all others, and those to keep, are insensitive.

        Quasi-identifiers keep the order of the table, so the order of naming does not change the release.
        """
        known = [name for name, _ in kinds]
        role_of: dict[str, Role | str] = {}
        for role, names in (
            (Role.QUASI_IDENTIFIER, quasi_identifiers),
            (Role.IDENTIFIER, identifiers),
            (Role.SENSITIVE, sensitive),
            (KEPT_COLUMN, keep),
        ):
            for name in select_names(names, known, role):
                if name in role_of:
                    raise ColumnError.two_roles(name, role_of[name], role)
                role_of[name] = role
        roles = {name: Role.INSENSITIVE if role == KEPT_COLUMN else Role(role) for name, role in role_of.items()}
        return cls(tuple(Column(name, roles.get(name, Role.INSENSITIVE), kind) for name, kind in kinds))

    def with_column_options(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        hierarchies: Mapping[str, tuple[Hierarchy, str]] | None = None,
        recode: Mapping[str, str] | None = None,
    ) -> Schema:
        """Set kinds, hierarchies (with their files) and recodings of columns.

        A column with a hierarchy is hierarchical unless declared ordinal. Sensitive columns have kinds and hierarchies
        too, for the privacy models, but are never recoded.
        """
        kinds, hierarchies, recode = kinds or {}, hierarchies or {}, recode or {}
        names = [column.name for column in self.columns]
        for name in (*kinds, *hierarchies, *recode):
            if name not in names:
                raise ColumnError.unknown(name, names)
            if name not in (*self.quasi_identifiers, *self.names_with_role(Role.SENSITIVE)):
                raise ColumnError.kind_without_role(name)
            if name in recode and name not in self.quasi_identifiers:
                raise ColumnError.not_recoded(name)
        columns = []
        for column in self.columns:
            hierarchy, file = hierarchies.get(column.name, (column.hierarchy, column.hierarchy_file))
            default_kind = Kind.HIERARCHICAL if hierarchy is not None and column.name in hierarchies else column.kind
            kind = _kind(kinds[column.name]) if column.name in kinds else default_kind
            if kind is Kind.HIERARCHICAL and hierarchy is None:
                raise ColumnError.no_hierarchy(column.name)
            if hierarchy is not None and kind not in (Kind.HIERARCHICAL, Kind.ORDINAL):
                raise ColumnError.kind_conflicts_with_hierarchy(column.name, kind)
            recoding = recode.get(column.name, column.recode)
            columns.append(replace(column, kind=kind, hierarchy=hierarchy, hierarchy_file=file, recode=recoding))
        return Schema(tuple(columns))

    def drop_unassigned(self, keep: Iterable[str]) -> Schema:
        """Drop columns without a role, like identifiers, except for those to ``keep``."""
        dropped = {*self.names_with_role(Role.INSENSITIVE)} - {*keep}
        return Schema(
            tuple(
                replace(column, role=Role.IDENTIFIER, reason=NO_ROLE_REASON) if column.name in dropped else column
                for column in self.columns
            )
        )

    def names_with_role(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role == role)

    def rename(self, names: Mapping[str, str]) -> Schema:
        return Schema(tuple(replace(column, name=names.get(column.name, column.name)) for column in self.columns))

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.names_with_role(Role.QUASI_IDENTIFIER)

    @property
    def released(self) -> tuple[str, ...]:
        """The names of all columns but the identifiers."""
        return tuple(column.name for column in self.columns if column.role != Role.IDENTIFIER)


def _kind(text: object) -> Kind:
    if not isinstance(text, str) or text not in list(Kind):
        raise OptionError.unknown_choice("kind", text, list(Kind))
    return Kind(text)


def select_names(names: Names, known: Sequence[str], role: Role | str) -> tuple[str, ...]:
    """Return the named columns in table order; each must exist and be named once."""
    listed = [str(names)] if isinstance(names, str | int) else [str(name) for name in (() if names is None else names)]
    for position, name in enumerate(listed):
        if name not in known:
            raise ColumnError.unknown(name, known)
        if name in listed[:position]:
            raise ColumnError.duplicate_in_role(name, role)
    if role is Role.QUASI_IDENTIFIER and not listed:
        raise ColumnError.no_quasi_identifier()
    return tuple(name for name in known if name in listed)
