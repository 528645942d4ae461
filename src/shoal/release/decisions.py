"""What is decided about a release before its table is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.domain import Kind, Policy, Schema, check_k
from shoal.engines.engine import HOUSEHOLDS, WILDCARDS, TableProfile
from shoal.errors import OptionError
from shoal.release.column_options import (
    Hierarchies,
    Levels,
    PolicySource,
    draft_arguments,
    load_policy,
    match_columns,
    resolve_policy_schema,
)
from shoal.release.options import build_policy


@dataclass(frozen=True)
class Decisions:
    """The arguments of `shoal.anonymize`, or the policy of an earlier release that is repeated."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    first: Policy | None = None
    """The policy of an earlier release; None without one."""
    hierarchies: Hierarchies = None
    levels: Levels = None
    folders: Sequence[Path] = ()
    """Where the files of hierarchies and levels of ``first`` are searched."""

    @classmethod
    def of_policy(
        cls, policy: PolicySource, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path] = ()
    ) -> Decisions:
        """Return the decisions of a policy, of a release or written by hand."""
        arguments = draft_arguments(policy, hierarchies=hierarchies, levels=levels, folders=folders)
        if arguments is not None:
            return cls(arguments)
        first, folders = load_policy(policy, folders)
        return cls(first=first, hierarchies=hierarchies, levels=levels, folders=folders)

    @property
    def is_replay(self) -> bool:
        return self.first is not None

    def policy(self, profile: TableProfile) -> Policy:
        """Return the policy for a table; one that is repeated needs a table with the same columns."""
        if self.first is None:
            return build_policy(profile.sample, **self.arguments)
        schema = match_columns(self.first.schema, profile.kinds())
        schema = resolve_policy_schema(schema, hierarchies=self.hierarchies, levels=self.levels, folders=self.folders)
        return replace(self.first, schema=schema, input={}, output={}, versions={})

    def check_early(self, names: Sequence[str], unsupported: Collection[str], records: int | None = None) -> None:
        """Raise on what is wrong for any table with these columns, before records are read, which may take long."""
        if self.first is not None:
            check_supported(self.first, unsupported)
            return
        check_k(self.arguments.get("k"), records)
        roles = {
            name: self.arguments.get(name, ()) for name in ("quasi_identifiers", "identifiers", "sensitive", "keep")
        }
        Schema.assign([(name, Kind.NOMINAL) for name in names], **roles)
        _check_features(
            unsupported,
            wildcards=self.arguments.get("missing_values") == "wildcard",
            households=self.arguments.get("households"),
        )


def check_supported(policy: Policy, unsupported: Collection[str]) -> None:
    """Refuse what the engine cannot do."""
    _check_features(unsupported, wildcards=policy.missing == "wildcard", households=policy.survey.households)


def _check_features(unsupported: Collection[str], *, wildcards: bool, households: object) -> None:
    for feature, needed in {WILDCARDS: wildcards, HOUSEHOLDS: households}.items():
        if needed and feature in unsupported:
            raise OptionError.needs_in_memory_engine(feature)
