"""The interface of this room: a project, what is known about its file, and what was chosen.

All of it is plain data that a project keeps, and none of it is a cell of a record. (Hierarchies, which name values,
stand in files of their own.)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Any, Self, get_args, get_origin, get_type_hints

from shoal.errors import PageError
from shoal.schema.columns import Kind, Role
from shoal.web.reading import is_sound

STEPS = ("data", "columns", "protection", "run", "release")


class _Plain:
    """Plain data and back: what a project keeps."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        """The value that was written as this; what it has no field for is left out."""
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        try:
            given = {name: value for name, value in facts.items() if name in known}
            found, hints = cls(**given), _hints(cls)  # type: ignore[arg-type]
        except (TypeError, AttributeError):
            raise PageError.damaged_project() from None
        if not all(_fits(value, hints[name]) for name, value in given.items()):
            raise PageError.damaged_project()
        return found


@cache
def _hints(of: Any) -> dict[str, Any]:
    return get_type_hints(of)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value that was read is of the type that a field has, as far as plain data tells."""
    if type(value) is hint:  # as most are; a project of many columns has thousands
        return True
    parts = get_args(hint)
    if isinstance(hint, UnionType):
        return any(_fits(value, part) for part in parts)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    kind = get_origin(hint) or hint
    if kind in (tuple, list):
        return isinstance(value, kind) and all(_fits(each, parts[0]) for each in value)
    return hint is Any or (isinstance(value, kind) and (kind is not int or not isinstance(value, bool)))


@dataclass(frozen=True)
class ColumnFacts(_Plain):
    """What a look at a column told: counts and a proposal."""

    name: str
    role: str
    """The proposed one."""
    reason: str
    kind: str
    type: str
    distinct: int
    missing: int
    whole: bool = False
    identifying: bool = False

    @property
    def looks_identifying(self) -> bool:
        """Whether it looks like an identifier."""
        return self.identifying or self.role == Role.IDENTIFIER


@dataclass(frozen=True)
class Source(_Plain):
    """What is known about a file."""

    name: str
    """As its owner calls it: shown, and never a path."""
    kind: str
    settings: Mapping[str, Any]
    """How it was read: delimiter, encoding, and so on."""
    records: int
    size: int
    """Bytes."""
    sha256: str
    columns: tuple[ColumnFacts, ...]
    unique_records: int | None = None
    """With the proposed quasi-identifiers."""
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What looks misread: the columns with ``numbers``, ``dates`` and ``names``."""
    questions: Mapping[str, Any] = field(default_factory=dict)
    """The columns that can be read in two ways: by name the ``doubt`` and the ``formats`` that fit."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """The import settings by which it was read."""

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        columns = tuple(ColumnFacts.from_dict(column) for column in facts.get("columns", ()))
        return super().from_dict({**facts, "columns": columns})

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True)
class ColumnChoice(_Plain):
    """What was decided about a column."""

    role: str
    kind: str = ""
    """Empty: as found."""
    weight: float = 1.0
    recode: str = ""
    """Empty: the way of its kind."""
    hierarchy: str = ""
    """The name of its file among those of the project: ``hierarchy-3.json`` for the third column."""
    levels: str = ""
    """The same for the order of its values: ``levels-3.txt``."""
    fingerprint: str = ""
    """Of that file: a hierarchy that was edited is another decision."""
    hierarchy_aside: str = ""
    """The file of a hierarchy that is not used now, for whoever comes back to it."""
    levels_aside: str = ""
    keep: bool = False
    """Whether somebody confirmed that it names nobody, though it looks like an identifier."""


def needs_word(facts: ColumnFacts, choice: ColumnChoice) -> bool:
    """Whether a column looks like an identifier and is to be released unchanged: somebody must confirm that."""
    return facts.looks_identifying and choice.role == Role.INSENSITIVE


def kind_of(facts: ColumnFacts, choice: ColumnChoice) -> Kind:
    """The kind that a column has by now."""
    return Kind(choice.kind or facts.kind)


def _seen_as(facts: ColumnFacts, choice: ColumnChoice) -> Kind:
    """The kind that a method sees: without a hierarchy, a column that is to have one is as it was found."""
    if choice.hierarchy or choice.levels:
        return Kind.HIERARCHICAL if choice.hierarchy else Kind.ORDINAL
    return Kind(facts.kind) if choice.kind == Kind.HIERARCHICAL else kind_of(facts, choice)


@dataclass(frozen=True)
class Choices(_Plain):
    """What was decided about a release. The names are those of `shoal.anonymize`."""

    columns: tuple[ColumnChoice, ...]
    """In the order of the file's columns."""
    k: int | None = None
    """None until somebody decides: there is no default."""
    l: int | None = None  # noqa: E741
    t: float | None = None
    suppression: float = 0.0
    missing_values: str = "category"
    method: str = "auto"
    effort: str = "balanced"
    """Of ``auto``, or empty for another method without local search."""
    seed: int = 0
    exact_means: bool = False
    sampling_weights: str = ""
    strata: tuple[str, ...] = ()
    households: str = ""
    shuffle: bool = False
    formulas: str = "keep"

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        columns = tuple(ColumnChoice.from_dict(column) for column in facts.get("columns", ()))
        return super().from_dict({**facts, "columns": columns, "strata": tuple(facts.get("strata", ()))})

    @classmethod
    def proposed(cls, source: Source) -> Self:
        """What a look at the file proposes."""
        return cls(columns=tuple(ColumnChoice(role=column.role) for column in source.columns))

    def named(self, role: Role, source: Source) -> tuple[str, ...]:
        """The columns with this role."""
        pairs = zip(source.columns, self.columns, strict=True)
        return tuple(facts.name for facts, choice in pairs if choice.role == role)

    def unconfirmed(self, source: Source) -> tuple[str, ...]:
        """The columns that look like identifiers and would be released unchanged without a word."""
        pairs = zip(source.columns, self.columns, strict=True)
        return tuple(facts.name for facts, choice in pairs if needs_word(facts, choice) and not choice.keep)

    def kinds(self, source: Source) -> list[Kind]:
        """What the quasi-identifiers are, as a method sees them."""
        pairs = zip(source.columns, self.columns, strict=True)
        return [_seen_as(facts, choice) for facts, choice in pairs if choice.role == Role.QUASI_IDENTIFIER]

    def with_column(self, number: int, **changes: Any) -> Self:
        """The same with another choice about one column."""
        columns = list(self.columns)
        columns[number] = replace(columns[number], **changes)
        return replace(self, columns=tuple(columns))


@dataclass(frozen=True)
class Project(_Plain):
    """One file on its way to a release."""

    id: str
    name: str
    created: str
    """A day and a time, in UTC."""
    changed: str
    revision: int = 0
    """Counts the changes, so that two tabs cannot overwrite each other unknowingly."""
    source: Source | None = None
    choices: Choices | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    """The import settings: how the file is to be read, as far as that is not detected."""
    keeps_data: bool = False
    """Whether a copy of the file is kept with the project."""
    origin: Mapping[str, Any] = field(default_factory=dict)
    """Where the file is: ``{"path", "size", "changed"}`` if the command line named it, ``{"example": rows}`` for the
    made-up register, else empty."""
    follows: str = ""
    """The project whose decisions this one took over."""
    remembered: Mapping[str, Any] = field(default_factory=dict)
    """What was decided about columns that the file does not have now, for those that come back: by their names."""
    released: str = ""
    """The mark of the file and the decisions that the release was made with which is there."""

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        source, choices = facts.get("source"), facts.get("choices")
        found = super().from_dict(
            {
                **facts,
                "source": None if source is None else Source.from_dict(source),
                "choices": None if choices is None else Choices.from_dict(choices),
            }
        )
        try:
            found._check()
        except ValueError:
            raise PageError.damaged_project() from None
        return found

    def _check(self) -> None:
        """Refuse what no project of ours has."""
        datetime.fromisoformat(self.changed)
        known = () if self.source is None else self.source.columns
        chosen = () if self.choices is None else self.choices.columns
        for role, kind in [*((c.role, c.kind) for c in known), *((c.role, c.kind or Kind.NUMERIC) for c in chosen)]:
            Role(role), Kind(kind)
        if self.source is not None and self.choices is not None and len(known) != len(chosen):
            raise PageError.damaged_project()
        if not (is_sound(self.reading) and (self.source is None or is_sound(self.source.reading))):
            raise PageError.damaged_project()

    @property
    def waits(self) -> bool:
        """Whether it has decisions and no file yet: what is known is that of the one before."""
        return self.source is not None and not self.source.sha256

    @property
    def looked_at(self) -> bool:
        """Whether what is known is that of its file, read in the way that was said last."""
        source = self.source
        return source is not None and not self.waits and dict(source.reading) == dict(self.reading)

    @property
    def mark(self) -> str:
        """Of the file and all decisions: two releases with the same mark are the same."""
        source = None if self.source is None else self.source.sha256
        known = [source, None if self.choices is None else self.choices.to_dict(), dict(self.reading)]
        return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()

    @property
    def compared_mark(self) -> str:
        """Of all that a comparison depends on: the decisions but for k, method and effort."""
        if self.choices is None:
            return ""
        return replace(self, choices=replace(self.choices, k=None, method="", effort="")).mark
