"""What is decided about a release before its table is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.domain import Kind, Policy, Schema, check_k
from shoal.engines.engine import TableProfile
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

    def check_early(self, names: Sequence[str], records: int | None = None) -> None:
        """Raise on what no table with these columns can be released with out of core; reading it may take long."""
        missing = self.arguments.get("missing_values") if self.first is None else self.first.missing
        if missing == "wildcard":
            raise OptionError.wildcards_in_pieces()
        if self.first is None:
            check_k(self.arguments.get("k"), records)
            roles = ("quasi_identifiers", "identifiers", "sensitive", "keep")
            columns = {role: self.arguments.get(role, ()) for role in roles}
            Schema.assign([(name, Kind.NOMINAL) for name in names], **columns)
