"""Data model of a project: the facts of its file, and the options chosen by the user.

All of it is plain data that is stored with the project. It contains no cell of a record; hierarchies, which contain
values, are stored in files of their own.
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

from shoal.domain.columns import Kind, Role
from shoal.microaggregation.registry import AUTO
from shoal.options.table import BY_NAME, default
from shoal.web.errors import PageError
from shoal.web.projects.import_settings import is_valid

STEPS = ("data", "columns", "protection", "run", "release")
DEFAULT_EFFORT = BY_NAME["effort"].default_text
PROTECTED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
"""Roles whose columns may have a kind, a hierarchy or an order."""


class _Plain:
    """Conversion to and from the plain data that a project stores."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        """Return the value that was stored as this; unknown fields are ignored."""
        names = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        try:
            values = {name: value for name, value in facts.items() if name in names}
            instance, hints = cls(**values), _hints(cls)  # type: ignore[arg-type]
        except (TypeError, AttributeError):
            raise PageError.damaged_project() from None
        if not all(_fits(value, hints[name]) for name, value in values.items()):
            raise PageError.damaged_project()
        return instance


_hints = cache(get_type_hints)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a stored value has the type of its field, as far as plain data shows."""
    if type(value) is hint:  # fast path
        return True
    parts = get_args(hint)
    if isinstance(hint, UnionType):
        return any(_fits(value, part) for part in parts)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    origin = get_origin(hint) or hint
    if origin in (tuple, list):
        return isinstance(value, origin) and all(_fits(each, parts[0]) for each in value)
    return hint is Any or (isinstance(value, origin) and (origin is not int or not isinstance(value, bool)))


@dataclass(frozen=True)
class ColumnFacts(_Plain):
    """Facts of a column and its proposed role."""

    name: str
    role: str
    """Proposed."""
    reason: str
    kind: str
    type: str
    distinct: int
    missing: int
    whole: bool = False
    identifying: bool = False

    @property
    def looks_identifying(self) -> bool:
        return self.identifying or self.role == Role.IDENTIFIER


@dataclass(frozen=True)
class SourceFile(_Plain):
    """Facts of an inspected file."""

    name: str
    """As the user calls it; displayed, and never a path."""
    kind: str
    settings: Mapping[str, Any]
    """How it was read: delimiter, encoding and so on."""
    records: int
    size: int
    """Bytes."""
    sha256: str
    columns: tuple[ColumnFacts, ...]
    unique_records: int | None = None
    """By the proposed quasi-identifiers."""
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns that look misread, by ``numbers``, ``dates`` and ``names``."""
    questions: Mapping[str, Any] = field(default_factory=dict)
    """Ambiguous columns: by name, the ``doubt`` and the ``formats`` that fit."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Import settings that it was read with."""

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        columns = tuple(ColumnFacts.from_dict(column) for column in facts.get("columns", ()))
        return super().from_dict({**facts, "columns": columns})

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True)
class ColumnChoice(_Plain):
    """Options of a column."""

    role: str
    kind: str = ""
    """Empty: as detected."""
    weight: float = 1.0
    recode: str = ""
    """Empty: the default of its kind."""
    hierarchy: str = ""
    """File name in the folder of hierarchies: ``hierarchy-3.json`` for the third column."""
    levels: str = ""
    """File name of its order of values: ``levels-3.txt``."""
    fingerprint: str = ""
    """Fingerprint of that file: an edited hierarchy is another option."""
    hierarchy_aside: str = ""
    """File of a hierarchy that is not used now and can be restored."""
    levels_aside: str = ""
    keep: bool = False
    """Whether the user confirmed that it identifies nobody, though it looks like an identifier."""


def needs_confirmation(facts: ColumnFacts, choice: ColumnChoice) -> bool:
    """Whether a column looks like an identifier and would be released unchanged, which the user must confirm."""
    return facts.looks_identifying and choice.role == Role.INSENSITIVE


def effective_kind(facts: ColumnFacts, choice: ColumnChoice) -> Kind:
    """Return the chosen or detected kind of a column."""
    return Kind(choice.kind or facts.kind)


def _method_kind(facts: ColumnFacts, choice: ColumnChoice) -> Kind:
    """Return the kind that a method uses: a hierarchical column without a hierarchy is used as detected."""
    if choice.hierarchy or choice.levels:
        return Kind.HIERARCHICAL if choice.hierarchy else Kind.ORDINAL
    return Kind(facts.kind) if choice.kind == Kind.HIERARCHICAL else effective_kind(facts, choice)


@dataclass(frozen=True)
class ReleaseChoices(_Plain):
    """Options of a release. Their names are those of `shoal.anonymize`."""

    columns: tuple[ColumnChoice, ...]
    """In the order of the columns in the file."""
    k: int | None = None
    """None until the user decides: there is no default."""
    l: int | None = None  # noqa: E741
    t: float | None = None
    suppression: float = default("max_suppression")
    missing_values: str = default("missing_values")
    method: str = AUTO
    effort: str = DEFAULT_EFFORT
    """Empty for a method other than ``auto`` without local search."""
    seed: int = default("seed")
    exact_means: bool = default("exact_means")
    sampling_weights: str = ""
    strata: tuple[str, ...] = ()
    households: str = ""
    shuffle: bool = default("shuffle")
    formulas: str = default("formulas")

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        columns = tuple(ColumnChoice.from_dict(column) for column in facts.get("columns", ()))
        return super().from_dict({**facts, "columns": columns, "strata": tuple(facts.get("strata", ()))})

    @classmethod
    def proposed(cls, source: SourceFile) -> Self:
        return cls(columns=tuple(ColumnChoice(role=column.role) for column in source.columns))

    def pairs(self, source: SourceFile) -> list[tuple[ColumnFacts, ColumnChoice]]:
        """Return the facts and the options of each column."""
        return list(zip(source.columns, self.columns, strict=True))

    def columns_with_role(self, role: Role, source: SourceFile) -> tuple[str, ...]:
        return tuple(facts.name for facts, choice in self.pairs(source) if choice.role == role)

    def unconfirmed(self, source: SourceFile) -> tuple[str, ...]:
        """Return the columns that look like identifiers and would be released unchanged without confirmation."""
        pairs = self.pairs(source)
        return tuple(facts.name for facts, choice in pairs if needs_confirmation(facts, choice) and not choice.keep)

    def quasi_identifier_kinds(self, source: SourceFile) -> list[Kind]:
        """Return the kinds of the quasi-identifiers that a method uses."""
        return [_method_kind(*pair) for pair in self.pairs(source) if pair[1].role == Role.QUASI_IDENTIFIER]

    def with_column(self, number: int, **changes: Any) -> Self:
        columns = list(self.columns)
        columns[number] = replace(columns[number], **changes)
        return replace(self, columns=tuple(columns))


@dataclass(frozen=True)
class Project(_Plain):
    """A file, its options and its release."""

    id: str
    name: str
    created: str
    """Date and time in UTC."""
    changed: str
    revision: int = 0
    """Number of changes, so that two tabs cannot overwrite each other."""
    source: SourceFile | None = None
    choices: ReleaseChoices | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Import settings; what they lack is detected."""
    keeps_data: bool = False
    """Whether a copy of the file is stored with the project."""
    origin: Mapping[str, Any] = field(default_factory=dict)
    """``{"path", "size", "changed"}`` of a file that the command line named, ``{"example": rows}`` for a generated
    register, else empty.
    """
    follows: str = ""
    """Project whose options this one copied."""
    remembered: Mapping[str, Any] = field(default_factory=dict)
    """Options of columns that the current file lacks, by name, for a file that has them again."""
    released: str = ""
    """Fingerprint of the file and options of the current release."""

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Self:
        source, choices = facts.get("source"), facts.get("choices")
        project = super().from_dict(
            {
                **facts,
                "source": None if source is None else SourceFile.from_dict(source),
                "choices": None if choices is None else ReleaseChoices.from_dict(choices),
            }
        )
        try:
            project._check()
        except ValueError:
            raise PageError.damaged_project() from None
        return project

    def _check(self) -> None:
        datetime.fromisoformat(self.changed)
        facts = () if self.source is None else self.source.columns
        choices = () if self.choices is None else self.choices.columns
        for role, kind in [*((c.role, c.kind) for c in facts), *((c.role, c.kind or Kind.NUMERIC) for c in choices)]:
            Role(role), Kind(kind)
        if self.source is not None and self.choices is not None and len(facts) != len(choices):
            raise PageError.damaged_project()
        if not (is_valid(self.reading) and (self.source is None or is_valid(self.source.reading))):
            raise PageError.damaged_project()

    def file_and_choices(self) -> tuple[SourceFile, ReleaseChoices]:
        """Return the facts of the file and the options; refuse if there are none yet."""
        if self.source is None or self.choices is None:
            raise PageError.file_not_available()
        return self.source, self.choices

    @property
    def waits(self) -> bool:
        """Whether it has options and no file yet; its facts are those of the previous file."""
        return self.source is not None and not self.source.sha256

    @property
    def looked_at(self) -> bool:
        """Whether its file was inspected with the current import settings."""
        source = self.source
        return source is not None and not self.waits and dict(source.reading) == dict(self.reading)

    @property
    def mark(self) -> str:
        """Fingerprint of the file and all options: two releases with the same fingerprint are the same."""
        source = None if self.source is None else self.source.sha256
        content = [source, None if self.choices is None else self.choices.to_dict(), dict(self.reading)]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def comparison_fingerprint(self) -> str:
        """Fingerprint of what a comparison depends on: all options except k, method and effort."""
        if self.choices is None:
            return ""
        return replace(self, choices=replace(self.choices, k=None, method="", effort="")).mark
