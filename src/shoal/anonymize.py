"""The walk: from a table to a verified release. The only place where the rooms meet."""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal import measure, tables
from shoal.errors import ColumnError, FileError, OptionError, PolicyError, ShoalWarning
from shoal.hierarchy.semantics import DISTANCES
from shoal.partition import registry
from shoal.recode import centroid, decided, mean
from shoal.recode import recode as recode_groups
from shoal.release import Release, printable, versions
from shoal.schema import Names, Policy, Role, Schema, exposed, overlooked
from shoal.schema.columns import OTHERS
from shoal.tables import Table
from shoal.understanding import Hierarchies, Levels, found_again, understood
from shoal.values import IntMatrix, Partition, Progress, Records, one_of, silent, true_or_false, whole_k
from shoal.verify import verify_release
from shoal.words import counted, listed, shown


def anonymize(
    data: Any,
    *,
    k: int,
    quasi_identifiers: Names,
    identifiers: Names = (),
    sensitive: Names = (),
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    method: str | None = None,
    seed: int = 0,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    recode: str | Mapping[str, str] | None = None,
    round_integers: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Release:
    """Release a table in which every record hides among at least k alike.

    Parameters
    ----------
    data
        A path, a pandas, polars or pyarrow table, a two-dimensional numpy array, or what `shoal.read` gave.
        It is never changed; the release is of the same kind.
    k
        The least number of records that share their quasi-identifiers. There is no default: it is your decision.
    quasi_identifiers
        The columns that an outsider could know. They are replaced by one value a group.
    identifiers
        The columns that name a person. They are dropped.
    sensitive
        The columns that nobody may learn about a person. They are released as they are.
    hierarchies
        A `Hierarchy`, a nested dictionary or the path of a hierarchy file for columns whose values have a meaning.
    levels
        The values of ordinal columns in their order, the lowest first, or the path of a file with one a line.
    kinds
        What a column is where its type does not tell: ``nominal``, ``ordinal`` or ``numeric``.
    method
        One of `shoal.methods()`. Where nothing is said: `mdav` for numbers, `sa-mdav-plus` for categories and
        `mosaicrown` for both.
    seed
        For methods that draw at random. The same input, options and seed give the same bytes.
    standardize
        Measure distances on columns of mean 0 and standard deviation 1.
    distance
        How far nodes of a hierarchy are apart: ``wu-palmer``, ``path``, ``leacock-chodorow`` or ``information``.
    weights
        How much each quasi-identifier counts in distances; 1 where nothing is said.
    recode
        What stands for a group: its ``mean`` or ``median`` for numbers; its semantic ``centroid``, its ``mode`` or
        its least common subsumer (``lcs``) for categories. One word, or one for each column that is named and, as
        ``"*"``, for all others.
    round_integers
        Keep columns of whole numbers whole, by rounding the group's value.
    progress
        Called with the number of records done and of all records.
    options
        The method's own options; `shoal.methods()` lists them.

    Raises
    ------
    ShoalError
        In one sentence what is wrong and what to do. Nothing is released then.
    """
    table = tables.read(data)
    schema = Schema.assign(
        tables.kinds(table), quasi_identifiers=quasi_identifiers, identifiers=identifiers, sensitive=sensitive
    )
    own = dict(recode) if isinstance(recode, Mapping) else {}
    way = own.pop(OTHERS, None) if isinstance(recode, Mapping) else recode
    schema = understood(table, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, recode=own)
    settings = {"standardize": standardize, "distance": distance, "round_integers": round_integers, **options}
    policy = Policy(
        k=whole_k(k, table.height),
        method=registry.fitting(schema) if method is None else method,
        seed=_whole_seed(seed),
        options={name: _plain(name, value) for name, value in settings.items()},
        weights=_weights(weights),
        schema=decided(schema, way),
    )
    return release(table, policy, progress=progress)


def replay(
    data: Any,
    *,
    policy: Policy | str | os.PathLike[str],
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    progress: Progress | None = None,
) -> Release:
    """Make a release by the decisions of a policy: the same table again, or its next delivery.

    The hierarchies and levels that the policy decided by must be given, or their files must lie beside the policy or
    the table.
    """
    folders = [Path()]
    if not isinstance(policy, Policy):
        decisions = Policy.read(policy)
        folders.insert(0, Path(policy).parent)
        policy = decisions
    table = tables.read(data)
    if table.path is not None:
        folders.append(table.path.parent)
    known = {column.name: column for column in policy.schema.columns}
    for name in known:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    for name in table.names:
        if name not in known:
            raise PolicyError.undecided(name)
    kinds = dict(tables.kinds(table))
    protected = policy.schema.quasi_identifiers
    columns = [known[name] if name in protected else replace(known[name], kind=kinds[name]) for name in table.names]
    schema = found_again(Schema(tuple(columns)), hierarchies=hierarchies, levels=levels, folders=folders)
    fresh = replace(policy, k=whole_k(policy.k, table.height), schema=schema)
    made = release(table, fresh, progress=progress)
    return replace(made, replayed=policy)


def release(table: Table, policy: Policy, *, progress: Progress | None = None) -> Release:
    """Walk from a table and the decisions about it to a verified release."""
    options = {name: _plain(name, value) for name, value in policy.options.items()}
    standardize = true_or_false("standardize", options.pop("standardize", True))
    round_integers = true_or_false("round_integers", options.pop("round_integers", False))
    distance = one_of("distance", options.pop("distance", "wu-palmer"), DISTANCES)
    schema = decided(policy.schema, options.pop("recode", None))

    records = tables.encode(table, schema, standardize=standardize, distance=distance, weights=policy.weights)
    groups = registry.run(
        records, k=policy.k, method=policy.method, seed=policy.seed, progress=progress or silent, options=options
    )
    ways = {column.name: column.recode for column in schema.columns}
    columns = recode_groups(records, groups, ways=ways, round_integers=round_integers)
    released = tables.released(table, schema, columns)
    proof = verify_release(released, k=policy.k, schema=schema, records=table.height)
    evaluation = measure.evaluate(
        names=records.names,
        k=policy.k,
        before=tables.class_sizes(table, records.names),
        after=tables.class_sizes(released, records.names),
        numeric=records.numeric,
        values=(records.values, tables.numbers(released, records.numeric)),
        scale=records.scale,
        meaning=_meaning(records, _places(records, columns)),
        distance=distance,
    )
    source = _source(table)
    warnings = _warnings(table, schema)
    for sentence in warnings:
        python_warnings.warn(sentence, ShoalWarning, stacklevel=3)
    return Release(
        released=released,
        partition=_measured(groups, records),
        evaluation=evaluation,
        verification=proof,
        policy=replace(policy, schema=schema, input=source, versions=versions()),
        warnings=warnings,
    )


def partition(
    data: Any,
    *,
    k: int,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    method: str | None = None,
    seed: int = 0,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Partition:
    """Group the records of a table; every column of it is a quasi-identifier."""
    table = tables.read(data)
    schema = Schema.assign(tables.kinds(table), quasi_identifiers=table.names)
    schema = understood(table, schema, hierarchies=hierarchies, levels=levels, kinds=kinds)
    k = whole_k(k, table.height)
    records = tables.encode(
        table,
        schema,
        standardize=true_or_false("standardize", standardize),
        distance=one_of("distance", distance, DISTANCES),
        weights=_weights(weights),
    )
    groups = registry.run(
        records,
        k=k,
        method=registry.fitting(schema) if method is None else method,
        seed=_whole_seed(seed),
        progress=progress or silent,
        options=options,
    )
    return _measured(groups, records)


def _measured(groups: Partition, records: Records) -> Partition:
    """The partition with what the centers of its groups lose, without weights."""
    if records.numeric:
        base = records.scale.apply(records.values)
        centers = mean(base, groups.labels, groups.count)[groups.labels]
        groups = replace(groups, information_loss=measure.information_loss(base, centers))
    released = [
        centroid(records.codes[:, j], groups.labels, groups.count, column.rounded(), column.hierarchy)[groups.labels]
        for j, column in enumerate(records.categories)
    ]
    meaning = _meaning(records, np.column_stack(released)) if released else None
    return replace(groups, semantic_loss=measure.semantic_loss(meaning)) if meaning else groups


def _places(records: Records, columns: Mapping[str, Any]) -> IntMatrix:
    """The nodes that stand for the categories of each record."""
    found = [columns[column.name].places for column in records.categories]
    return np.column_stack(found) if found else records.codes


def _meaning(records: Records, released: IntMatrix) -> measure.Meaning | None:
    """The categories of the records beside those released, if there are any."""
    return measure.Meaning(records.categories, records.codes, released) if records.categories else None


def _source(table: Table) -> dict[str, Any]:
    """The facts about the input that a policy keeps; the file must still be the one that was read."""
    facts: dict[str, Any] = {"kind": table.kind, "records": table.height}
    if table.path is not None:
        if tables.fingerprint(table.path) != table.sha256:
            raise FileError.changed(table.path)
        facts |= {"file": printable(table.path.name), "sha256": table.sha256, "settings": dict(table.settings)}
    return facts


def _warnings(table: Table, schema: Schema) -> tuple[str, ...]:
    """What deserves a look: columns released as they are that look like identifiers, or could be known to others."""
    profiles = {profile.name: profile for profile in tables.profile(table)}
    untouched = [profiles[name] for name in schema.released if name not in schema.quasi_identifiers]
    identifying = overlooked(untouched, table.height)
    said = [
        f"Column {shown(column.name)} is released as it is and looks like an identifier ({column.reason});"
        " name it among the identifiers to drop it."
        for column in identifying
    ]
    unnamed = [profiles[name] for name in schema.named(Role.INSENSITIVE)]
    known = [name for name in exposed(unnamed) if name not in {column.name for column in identifying}]
    if known:
        said.append(
            f"The promise holds for the named quasi-identifiers only, and {counted(len(known), 'other column')}"
            f" could be known to outsiders too ({listed(known)}); name them as quasi-identifiers, or among the"
            " identifiers to drop them."
        )
    if tables.telling_index(table):
        said.append("The index of the frame is released as it is and may name persons; reset it to drop it.")
    return tuple(said)


def _plain(name: str, value: Any) -> str | int | float | bool:
    """An option as a policy can hold it; numbers of numpy become those of Python."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | int | float | bool) or (isinstance(value, int) and abs(value) >= 2**63):
        raise OptionError.bad_option(name, "a number, a word, true or false")
    return value


def _weights(weights: Mapping[Any, float] | None) -> dict[str, float]:
    try:
        return {str(name): float(weight) for name, weight in (weights or {}).items()}
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise OptionError.bad_option("weights", "a number above 0 for each quasi-identifier that is named") from None


def _whole_seed(seed: Any) -> int:
    number = seed.item() if isinstance(seed, np.generic) else seed
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**63:
        raise OptionError.no_seed()
    return number
