"""Columns: the role each one plays for privacy, and the kind of values it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from shoal.errors import ColumnError, OptionError
from shoal.hierarchy import Hierarchy

Names = Iterable[str | int] | str | int | None
"""Columns as a user names them: several, one by itself, or none; numbers for the columns of an array."""


OTHERS = "*"
"""Stands for all columns that are not named."""
KEPT = "kept"
"""How messages call a column that is released unchanged on purpose."""
NO_ROLE = "no role (drop_others)"
"""The reason why a column that nobody named is dropped."""


class Role(StrEnum):
    """What a column means to somebody who wants to find a person in the release."""

    IDENTIFIER = "identifier"
    """Names the person: dropped from every release."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Could be known to an outsider: protected."""
    SENSITIVE = "sensitive"
    """What nobody may learn about a person: released as it is, inside a group of at least k."""
    INSENSITIVE = "insensitive"
    """Neither: released as it is."""


class Kind(StrEnum):
    """What the values of a column are."""

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
    """Of a hierarchical column; of an ordinal one its levels in their order, the lowest first."""
    file: str = ""
    """The name of the file that the hierarchy came from."""
    fingerprint: str = ""
    """Of the hierarchy that a policy decided by, until that is found."""
    recode: str = ""
    """What stands for a group; the way of its kind where nothing is said."""


@dataclass(frozen=True)
class Schema:
    """The columns of a table in their order."""

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
        """Give every column the role it was named in; what is not named, or is to be kept, is insensitive.

        The quasi-identifiers keep the order of the table, so that naming them in another order gives
        the same release.
        """
        known = [name for name, _ in kinds]
        named: dict[str, Role | str] = {}
        for role, names in (
            (Role.QUASI_IDENTIFIER, quasi_identifiers),
            (Role.IDENTIFIER, identifiers),
            (Role.SENSITIVE, sensitive),
            (KEPT, keep),
        ):
            for name in chosen(names, known, role):
                if name in named:
                    raise ColumnError.two_roles(name, named[name], role)
                named[name] = role
        roles = {name: Role.INSENSITIVE if role == KEPT else Role(role) for name, role in named.items()}
        return cls(tuple(Column(name, roles.get(name, Role.INSENSITIVE), kind) for name, kind in kinds))

    def understood(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        hierarchies: Mapping[str, tuple[Hierarchy, str]] | None = None,
        recode: Mapping[str, str] | None = None,
    ) -> Schema:
        """The same columns with what a user says about them: kinds, hierarchies with their files, ways to recode.

        A column with a hierarchy is hierarchical unless it is said to be ordinal. Sensitive columns have kinds and
        hierarchies too, by which privacy models are understood, but are never recoded.
        """
        kinds, hierarchies, recode = kinds or {}, hierarchies or {}, recode or {}
        names = [column.name for column in self.columns]
        for name in (*kinds, *hierarchies, *recode):
            if name not in names:
                raise ColumnError.unknown(name, names)
            if name not in (*self.quasi_identifiers, *self.named(Role.SENSITIVE)):
                raise ColumnError.not_protected(name)
            if name in recode and name not in self.quasi_identifiers:
                raise ColumnError.not_recoded(name)
        columns = []
        for column in self.columns:
            hierarchy, file = hierarchies.get(column.name, (column.hierarchy, column.file))
            found = Kind.HIERARCHICAL if hierarchy is not None and column.name in hierarchies else column.kind
            kind = _kind(kinds[column.name]) if column.name in kinds else found
            if kind is Kind.HIERARCHICAL and hierarchy is None:
                raise ColumnError.no_hierarchy(column.name)
            if hierarchy is not None and kind not in (Kind.HIERARCHICAL, Kind.ORDINAL):
                raise ColumnError.two_meanings(column.name, kind)
            way = recode.get(column.name, column.recode)
            columns.append(replace(column, kind=kind, hierarchy=hierarchy, file=file, recode=way))
        return Schema(tuple(columns))

    def without_others(self, spared: Iterable[str]) -> Schema:
        """The same columns, with those that have no role dropped like identifiers, except for those ``spared``."""
        left = {*self.named(Role.INSENSITIVE)} - {*spared}
        return Schema(
            tuple(
                replace(column, role=Role.IDENTIFIER, reason=NO_ROLE) if column.name in left else column
                for column in self.columns
            )
        )

    def named(self, role: Role) -> tuple[str, ...]:
        """The names of the columns with this role."""
        return tuple(column.name for column in self.columns if column.role == role)

    def renamed(self, names: Mapping[str, str]) -> Schema:
        """The same columns under other names."""
        return Schema(tuple(replace(column, name=names.get(column.name, column.name)) for column in self.columns))

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.named(Role.QUASI_IDENTIFIER)

    @property
    def released(self) -> tuple[str, ...]:
        """The names of the columns that a release keeps: all but the identifiers."""
        return tuple(column.name for column in self.columns if column.role != Role.IDENTIFIER)


def _kind(word: object) -> Kind:
    if not isinstance(word, str) or word not in list(Kind):
        raise OptionError.unknown_choice("kind", word, list(Kind))
    return Kind(word)


def chosen(names: Names, known: Sequence[str], role: Role | str) -> tuple[str, ...]:
    """The named columns in the order of the table; each must be known, and named once."""
    listed = [str(names)] if isinstance(names, str | int) else [str(name) for name in (() if names is None else names)]
    for position, name in enumerate(listed):
        if name not in known:
            raise ColumnError.unknown(name, known)
        if name in listed[:position]:
            raise ColumnError.named_twice(name, role)
    if role is Role.QUASI_IDENTIFIER and not listed:
        raise ColumnError.no_quasi_identifier()
    return tuple(name for name in known if name in listed)
