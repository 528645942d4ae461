"""Policies as a source of options: the option ``--policy``, and what the output says about the policy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.cli.grouped_help import option
from shoal.cli.options import RELEASE_NAMES, flag_of
from shoal.cli.terminal import show
from shoal.errors import PolicyError
from shoal.errors.messages import quote_name

if TYPE_CHECKING:
    from shoal.data import Table
    from shoal.domain import Policy, PolicyDraft

C = TypeVar("C", bound=Callable[..., Any])


def with_policy_option(text: str) -> Callable[[C], C]:
    """Add the option ``--policy`` with this help."""
    return option("--policy", metavar="FILE", group="Protection", help=text)


def find_policy(named: str | None, *, released: str | None = None, needed: bool = False) -> Policy | PolicyDraft | None:
    """Read the policy that is named, or the one beside a release if it is ``needed`` and exists."""
    from shoal.release.column_options import open_policy
    from shoal.release.policy_arguments import policy_beside

    if named is not None:
        return open_policy(named)
    return policy_beside(released) if needed else None


def refuse_options(options: Mapping[str, Any], *, beside: Collection[str] = ()) -> None:
    """Refuse options of a release beside a policy, except for these and the files of hierarchies and levels."""
    for name in RELEASE_NAMES:
        if name not in (*beside, "hierarchies", "levels") and options.get(name) not in (None, ()):
            raise PolicyError.option_in_policy(flag_of(name))


def policy_facts(policy: Policy | PolicyDraft, **tables: Table | str) -> dict[str, Any]:
    """Facts about the policy that was used: its file, and whether each table is the file that it describes."""
    from shoal.data import file_sha256

    output = getattr(policy, "output", {})
    described = {"original": policy.input.get("sha256"), "released": output.get("sha256")}
    same: dict[str, bool | None] = {}
    for name, table in tables.items():
        found = file_sha256(Path(table)) if isinstance(table, str) else table.sha256
        same[name] = None if None in (found, described[name]) else found == described[name]
    return {"file": str(policy.path), "same_file": same}


def show_policy(facts: Mapping[str, Any]) -> None:
    """Print which policy was used, and a note for each table that is another file than it describes."""
    show(f"  by the policy {quote_name(facts['file'])}")
    for name, is_same in facts["same_file"].items():
        if is_same is False:
            show(
                f"  note: the {name} file is not the one that the policy describes (another SHA-256): it was changed"
                f"{' after the release' if name == 'released' else ''}, or it is another file; its values were counted"
                " as they are now"
            )
