"""Plan of a release: proposed roles and the options, to be changed, saved as a policy file and run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from types import MappingProxyType
from typing import Any

from shoal import data as tables
from shoal.data import Table
from shoal.domain import Policy, PolicyDraft, Role, Schema
from shoal.domain.display import Displayable, DisplayTable
from shoal.domain.recodings import recodings
from shoal.errors import ColumnError, OptionError, in_python
from shoal.errors.messages import pluralize, shorten, similar_words
from shoal.microaggregation import registry
from shoal.options.checks import check_choice
from shoal.options.table import BY_NAME
from shoal.release.anonymize import anonymize
from shoal.release.arguments import public_function
from shoal.release.column_options import PolicySource, open_policy, policy_folders
from shoal.release.inspect import Description, describe
from shoal.release.options import build_policy, parse_refinement
from shoal.release.plan_text import plan_text, proposal_comment
from shoal.release.policy_arguments import policy_arguments, read_by_policy
from shoal.release.result import Release
from shoal.release.save import check_output_paths, check_path
from shoal.report.text_layout import align_columns
from shoal.system.transaction import write_file

_ARGUMENT_OF_ROLE = {
    Role.QUASI_IDENTIFIER: "quasi_identifiers",
    Role.IDENTIFIER: "identifiers",
    Role.SENSITIVE: "sensitive",
}


class ColumnRoles(MutableMapping[str, str]):
    """Role of each column. A deleted one is proposed again."""

    def __init__(self, proposed: Schema) -> None:
        self._proposed = {column.name: str(column.role) for column in proposed.columns}
        self._roles = dict(self._proposed)

    def __getitem__(self, name: str) -> str:
        return self._roles[str(name)]

    def __setitem__(self, name: str, role: str) -> None:
        self._roles[self._known(name)] = str(check_choice("role", role, list(Role)))

    def __delitem__(self, name: str) -> None:
        name = self._known(name)
        self._roles[name] = self._proposed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._roles)

    def __len__(self) -> int:
        return len(self._roles)

    def __repr__(self) -> str:
        return repr(self._roles)

    def _known(self, name: str) -> str:
        if str(name) not in self._roles:
            raise ColumnError.unknown(str(name), list(self._roles))
        return str(name)


class Plan(Displayable):
    """Roles and options of a release that is not made yet.

    Attributes
    ----------
    roles : mapping of str to str
        Role of each column, first the proposed one: ``identifier``, ``quasi-identifier``, ``sensitive`` or
        ``insensitive``. Assign others: ``plan.roles["income"] = "sensitive"``.
    reasons : mapping of str to str
        Reason for the proposed role of each column.
    options : dict
        Other arguments of `shoal.anonymize`, such as ``k``.
    table : Table
    warnings : tuple of str
        Columns that look misread.
    """

    def __init__(
        self, description: Description, options: Mapping[str, Any], settings: Mapping[str, Any] | None = None
    ) -> None:
        self.table: Table = description.table
        self.roles = ColumnRoles(description.schema)
        self.reasons: Mapping[str, str] = MappingProxyType({c.name: c.reason for c in description.schema.columns})
        self.warnings = description.warnings
        self.options: dict[str, Any] = dict(options)
        self._proposed = description.schema
        self._settings = settings or {}
        """How to read the file, as a policy notes it."""

    def policy(self, **changes: Any) -> Policy:
        """Return the policy of the release, checked with the table. ``changes`` replace options, for this call."""
        return build_policy(self.table, **self._arguments(changes))

    def run(self, **changes: Any) -> Release:
        """Make the release, as `shoal.anonymize` does. ``changes`` replace options, for this call."""
        return anonymize(self.table, **self._arguments(changes))

    def to_toml(self, *, file: str = "policy.toml") -> str:
        """Return the content of the policy file; ``file`` is its name in the comments."""
        misread = tables.find_misread_columns(self.table)
        decided = [*self._with_role(Role.QUASI_IDENTIFIER), *self._with_role(Role.SENSITIVE)]
        if self._settings:  # with them, formats are not detected again when the release is made
            tables.check_unambiguous(self.table, decided)
        _check_names(self.options)
        return plan_text(
            self._proposed,
            roles=self.roles,
            options=self.options,
            settings=self._settings,
            without_kind={*misread.numbers, *misread.dates, *misread.thousands},
            source="INPUT" if self.table.path is None else self.table.path.name,
            file=file,
        )

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the policy file that `shoal init` writes: all decisions, with comments, to be edited.

        Parameters
        ----------
        path : path
        force : bool
            Overwrite an existing file.
        """
        target = check_path(path)
        check_output_paths([target], sources=[self.table.path], force=force)
        write_file(target, self.to_toml(file=target.name), force=force)

    def _arguments(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of `shoal.anonymize`."""
        given = {**self.options, **changes}
        _check_names(given)
        if given.get("k") is None:
            raise OptionError.no_k()
        return {**{argument: self._with_role(role) for role, argument in _ARGUMENT_OF_ROLE.items()}, **given}

    def _with_role(self, role: Role) -> list[str]:
        return [name for name, given in self.roles.items() if given == role]

    @property
    def _title(self) -> str:
        k = self.options.get("k")
        counts = [pluralize(len(names), f"{role} column") for role in Role if (names := self._with_role(role))]
        return f"Plan with {'k open' if k is None else f'k = {k}'}: {', '.join(counts)}"

    def _rows(self) -> list[list[str]]:
        kinds = self.options.get("kinds") or {}
        return [
            [
                shorten(column.name),
                self.roles[column.name],
                str(kinds.get(column.name, column.kind)),
                proposal_comment(column, self.roles[column.name]),
            ]
            for column in self._proposed.columns
        ]

    def __repr__(self) -> str:
        options = [f"  {name} = {value!r}" for name, value in self.options.items()]
        warnings = [f"  warning: {in_python(sentence)}" for sentence in self.warnings]
        return "\n".join([self._title, *align_columns(self._rows()), *options, *warnings])

    @property
    def _display(self) -> DisplayTable:
        notes = [f"{name} = {value!r}" for name, value in self.options.items()]
        notes += [f"Warning: {in_python(sentence)}" for sentence in self.warnings]
        return DisplayTable(self._title, ("column", "role", "kind", "proposal"), self._rows(), notes=notes)


@public_function(forwards=True)
def plan(data: Any, *, policy: PolicySource | None = None, **options: Any) -> Plan:
    """Plan a release: propose a role for every column, and collect the options.

    >>> plan = shoal.plan("people.csv", k=5)  # doctest: +SKIP
    >>> plan.roles["income"] = "quasi-identifier"  # doctest: +SKIP
    >>> plan.save("people.policy.toml")  # doctest: +SKIP
    >>> release = plan.run()  # doctest: +SKIP

    Parameters
    ----------
    data : path, DataFrame, array or Table
        As for `shoal.anonymize`. Of a Spark DataFrame, plan with a part, such as ``frame.limit(100_000).toArrow()``.
    policy : Policy or path, optional
        Start with the roles and options of this policy. Columns that it does not list are insensitive.
    **options
        Arguments of `shoal.anonymize` other than roles, such as ``k``, ``models`` or ``method``.

    Returns
    -------
    Plan

    Raises
    ------
    ShoalError
        If the table or the policy cannot be read, or an option is unknown.
    """
    _check_names(options)
    known = None if policy is None else open_policy(policy)
    table = read_by_policy(data, known)
    settings: Mapping[str, Any] = table.settings if isinstance(data, Table) and table.path is not None else {}
    if known is None:
        return Plan(describe(table), options, settings)
    decided = _decided_options(known, table)
    roles = {name: role for role, argument in _ARGUMENT_OF_ROLE.items() for name in decided.pop(argument, ())}
    planned = Plan(describe(table), {**decided, **options}, settings or known.input.get("settings"))
    planned.roles.update(dict.fromkeys(planned.roles, Role.INSENSITIVE) | roles)
    return planned


def _decided_options(policy: Policy | PolicyDraft, table: Table) -> dict[str, Any]:
    """Return the arguments of a policy that are no defaults, with the files of its hierarchies."""
    arguments = policy_arguments(policy)
    if isinstance(policy, PolicyDraft):
        files = {"hierarchies": policy.hierarchy_files, "levels": policy.level_files}
    else:
        by_name = {column.name: column.hierarchy_file for column in policy.schema.columns}
        files = {option: {name: by_name[name] for name in arguments[option]} for option in ("hierarchies", "levels")}
        implied = parse_refinement(arguments["method"], refine=None, effort=None, time_limit=None)
        if policy.refinement == implied:
            arguments |= {"refine": None, "effort": None}
    if arguments.get("method") == registry.AUTO:
        arguments["method"] = None
    kinds = dict(tables.column_kinds(table))
    arguments["kinds"] = {name: kind for name, kind in arguments.get("kinds", {}).items() if kind != kinds.get(name)}
    if isinstance(recode := arguments.get("recode"), dict):
        defaults = {name: recodings(kind)[0] for name, kind in kinds.items()}
        arguments["recode"] = {name: way for name, way in recode.items() if way != defaults.get(name)}
    for option, by_column in files.items():
        arguments[option] = {name: _located(file, policy, table) for name, file in by_column.items()}
    return {
        name: value
        for name, value in arguments.items()
        if name in _ARGUMENT_OF_ROLE.values()
        or (value not in (None, (), [], {}) and (name not in BY_NAME or value != BY_NAME[name].default))
    }


def _located(file: str, policy: Policy | PolicyDraft, table: Table) -> str:
    """Return the path of a file of a policy."""
    folders = policy_folders(policy, [] if table.path is None else [table.path.parent])
    return str(next((path for folder in folders if (path := folder / file).is_file()), file))


def _check_names(options: Mapping[str, Any]) -> None:
    """Refuse roles among the options, and options that neither a release nor a method has."""
    known = [*BY_NAME, "threads", "progress"]
    for name in options:
        if name in _ARGUMENT_OF_ROLE.values():
            raise OptionError.role_in_options(name)
        if name not in known and not any(name in method.options for method in registry.methods().values()):
            raise (
                OptionError.unknown_choice("argument", name, known)
                if similar_words(name, known)
                else OptionError.option_of_no_method(name)
            )
