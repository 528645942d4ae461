"""The walk: from a table to a verified release. The only place where the rooms meet."""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal import measure, tables
from shoal.cautions import cautions
from shoal.decide import decide
from shoal.decisions import check_table, settings
from shoal.engines import spark
from shoal.errors import ColumnError, EngineError, FileError, PolicyError, ShoalWarning, in_python
from shoal.partition.grouping import Task, group
from shoal.partitions import measured
from shoal.recode import as_nodes, as_numbers, leveled, precisions
from shoal.recode import recode as recode_groups
from shoal.release import Release, Rows, printable, versions
from shoal.schema import Names, Policy, Refinement, Role, Schema
from shoal.tables import Table
from shoal.threads import using, whole_threads
from shoal.understanding import Hierarchies, Levels, found_again
from shoal.values import (
    BoolMatrix,
    BoolVector,
    Demands,
    Design,
    Partition,
    Progress,
    Records,
    Search,
    silent,
    whole_k,
)
from shoal.verify import verify_release
from shoal.words import counted


def anonymize(
    data: Any,
    *,
    k: int,
    quasi_identifiers: Names,
    identifiers: Names = (),
    sensitive: Names = (),
    keep: Names = (),
    drop_others: bool = False,
    models: Mapping[str, Any] | None = None,
    l: int | None = None,  # noqa: E741
    t: float | None = None,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    missing_values: str = "category",
    alpha: float = 1.0,
    suppression: float = 0.0,
    method: str | None = None,
    refine: bool | None = None,
    effort: str | None = None,
    seconds: float | None = None,
    blocks: int | None = None,
    seed: int = 0,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    recode: str | Mapping[str, str] | None = None,
    exact_means: bool = False,
    keep_totals: bool = False,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    sampling_weights: str | None = None,
    strata: Names = (),
    households: str | None = None,
    largest_household: int = 20,
    shuffle: bool = False,
    formulas: str = "keep",
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Release:
    """Release a table in which every record hides among at least k alike.

    Parameters
    ----------
    data
        A path, a pandas, polars or pyarrow table, a two-dimensional numpy array, or what `shoal.read` gave.
        It is never changed; the release is of the same kind. With a DataFrame of Spark the work is done on its cluster,
        in pieces (``memory`` and ``scratch`` are those of `shoal.cluster.anonymize_frame`), and what is returned is a
        DataFrame of Spark, which tells of itself what any release does.
    k
        The least number of records that share their quasi-identifiers. There is no default: it is your decision.
    quasi_identifiers
        The columns that an outsider could know. They are replaced by one value a group.
    identifiers
        The columns that name a person. They are dropped.
    sensitive
        The columns that nobody may learn about a person. They are released as they are.
    keep
        Columns without another role that are released unchanged on purpose, also where they look like identifiers:
        otherwise such a column is refused.
    drop_others
        Drop every column that has no role, is not in ``keep`` and holds no sampling weights, strata or households.
    models
        What is asked of the sensitive values of every group, for each column one text or several: ``distinct-l(L)``,
        ``entropy-l(L)``, ``recursive-l(C,L)``, ``t-equal(T)``, ``t-ordered(T)``, ``t-hierarchical(T)``.
    l, t
        The same for all sensitive columns: at least ``l`` different values in every group; the distribution in every
        group at most ``t`` away from that of the table, by hierarchy or order where the column has one.
    hierarchies
        A `Hierarchy`, a nested dictionary or the path of a hierarchy file for columns whose values have a meaning.
    levels
        The values of ordinal columns in their order, the lowest first, or the path of a file with one a line.
    kinds
        What a column is where its type does not tell: ``nominal``, ``ordinal``, ``numeric`` or ``date``.
    missing_values
        What a missing quasi-identifier is, in groups, release, risk and verification: a ``category`` of its own; a
        ``wildcard`` that is compatible with every value; to be filled by its group (``impute``); a reason to
        ``suppress`` all quasi-identifiers of the record; or a reason to ``refuse`` the table.
    alpha
        With wildcards, how much a compatible record with missing values counts; 1 as in sdcMicro.
    suppression
        The share of the records that may be suppressed where that saves more than it costs.
    method
        One of `shoal.methods()`. Where nothing is said: ``auto``, which takes several starts by the size and the kinds
        of the table and is refined.
    refine
        Whether local search improves the groups of the method. Where nothing is said: those of ``auto``, and of any
        method if an effort or seconds are given.
    effort
        How far the search goes: ``fast`` goes down only, ``balanced`` anneals for some seconds, ``best`` for up to some
        minutes, and tries an integer program where the table is small.
    seconds
        The most that method and search may take. The steps they came to are kept in the policy, which so makes the
        same release again.
    blocks
        Cut the records into compact blocks of at most so many, and run the method in each of them. Local search, where
        it is asked for, then works across their borders. Where nothing is said: all records at once, but for ``auto``,
        which takes blocks for large tables by itself.
    seed
        For searches and methods that draw at random. The same input, options and seed give the same bytes.
    standardize
        Measure distances on columns of mean 0 and standard deviation 1.
    distance
        How far nodes of a hierarchy are apart: ``wu-palmer``, ``path``, ``leacock-chodorow`` or ``information``.
    weights
        How much each quasi-identifier counts in distances; 1 where nothing is said.
    recode
        What stands for a group: ``mean``, ``median`` or ``interval`` for numbers and dates; the semantic ``centroid``,
        the ``mode`` or the least common subsumer (``lcs``) for categories; ``generalize`` for intervals and
        subsumers. One word, or one for each column that is named and, as ``"*"``, for all others.
    exact_means
        Release means and medians with all digits. Where nothing is said, released numbers keep the type and the number
        of decimals of their column: whole numbers stay whole.
    keep_totals
        Round means up or down so that the total of each column stays; not with ``exact_means``, which rounds nothing.
    bounds
        The least and the largest value that a number may have; what lies outside is refused.
    sampling_weights
        A column that tells how many persons each record stands for: it weighs means, centroids and risks.
    strata
        Columns that groups never cross.
    households
        A column that names the household of each record: members stay in one group, and k counts households.
    largest_household
        The most members of a household: more are mostly one code for many.
    shuffle
        Put the rows of the release in an order that depends on what they show and on the seed, and on nothing else: the
        order of the table, which may tell who stands in a row, cannot be found again. Groups, figures and
        ``release.partition`` stay by the rows of the table.
    formulas
        What is done about cells and names of columns that a spreadsheet would run as a formula when it opens a csv or
        tsv file: ``keep`` them, with a warning, or ``neutralize`` them by an apostrophe in such files.
    threads
        How many work at once; where nothing is said, as ``SHOAL_THREADS`` says, else one for each core. The release
        does not depend on it.
    progress
        Called with the number of records done and of all records.
    options
        The method's own options; `shoal.methods()` lists them.

    Raises
    ------
    ShoalError
        In one sentence what is wrong and what to do. Nothing is released then.
    """
    if threads is not None:
        whole_threads(threads)
    decisions: dict[str, Any] = {
        "k": k,
        "quasi_identifiers": quasi_identifiers,
        "identifiers": identifiers,
        "sensitive": sensitive,
        "keep": keep,
        "drop_others": drop_others,
        "models": models,
        "l": l,
        "t": t,
        "hierarchies": hierarchies,
        "levels": levels,
        "kinds": kinds,
        "missing_values": missing_values,
        "alpha": alpha,
        "suppression": suppression,
        "method": method,
        "refine": refine,
        "effort": effort,
        "seconds": seconds,
        "blocks": blocks,
        "seed": seed,
        "standardize": standardize,
        "distance": distance,
        "weights": weights,
        "recode": recode,
        "exact_means": exact_means,
        "keep_totals": keep_totals,
        "bounds": bounds,
        "sampling_weights": sampling_weights,
        "strata": strata,
        "households": households,
        "largest_household": largest_household,
        "shuffle": shuffle,
        "formulas": formulas,
        **options,
    }
    if spark.is_frame(data):
        from shoal.cluster import anonymize_frame

        made: Any = anonymize_frame(data, threads=threads, progress=progress, **decisions)
        return made  # type: ignore[no-any-return]
    table = tables.read(data)
    policy = decide(table, **decisions)
    with using(threads):
        return release(table, policy, progress=progress)


def replay(
    data: Any,
    *,
    policy: Policy | str | os.PathLike[str],
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **on_cluster: Any,
) -> Release:
    """Make a release by the decisions of a policy: the same table again, or its next delivery.

    The hierarchies and levels that the policy decided by must be given, or their files must lie beside the policy or
    the table. With a DataFrame of Spark, ``memory`` and ``scratch`` are those of `shoal.cluster.anonymize_frame`.
    """
    if spark.is_frame(data):
        from shoal.cluster import replay_frame

        common: dict[str, Any] = {
            "hierarchies": hierarchies,
            "levels": levels,
            "threads": threads,
            "progress": progress,
        }
        made: Any = replay_frame(data, policy=policy, **common, **on_cluster)
        return made  # type: ignore[no-any-return]
    for name in on_cluster:
        raise EngineError.only_spark(name)
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
    decided_by = (*policy.schema.quasi_identifiers, *policy.schema.named(Role.SENSITIVE))
    columns = [known[name] if name in decided_by else replace(known[name], kind=kinds[name]) for name in table.names]
    schema = found_again(Schema(tuple(columns)), hierarchies=hierarchies, levels=levels, folders=folders)
    fresh = replace(policy, k=whole_k(policy.k, table.height), schema=schema)
    with using(threads):
        again = release(table, fresh, progress=progress, replays=True)
    return replace(again, replayed=policy)


class Prepared(NamedTuple):
    """What is known before any method is run: it is the same for all of them."""

    schema: Schema
    records: Records
    design: Design
    distance: str
    rounding: str
    keep_totals: bool
    options: dict[str, Any]
    """The method's own."""


def prepare(table: Table, policy: Policy) -> Prepared:
    """The table as methods see it, by the decisions about it, or the reason why none of them could take it."""
    said = settings(policy)
    standardize, distance, schema, survey = said.standardize, said.distance, said.schema, policy.survey

    records = tables.encode(
        table, schema, standardize=standardize, distance=distance, weights=policy.weights, missing=policy.missing
    )
    tables.check_bounds(records, policy.bounds)
    design = tables.design(
        table, sampling_weights=survey.sampling_weights, strata=survey.strata, households=survey.households
    )
    if policy.models:
        records = replace(records, demands=_demands(table, policy, schema, design))
    return Prepared(schema, records, design, distance, said.rounding, said.keep_totals, said.own)


def release(table: Table, policy: Policy, *, progress: Progress | None = None, replays: bool = False) -> Release:
    """Walk from a table and the decisions about it to a verified release."""
    profiles = check_table(policy, table, replays=replays)
    schema, records, design, distance, rounding, keep_totals, options = prepare(table, policy)
    largest = policy.survey.largest_household
    groups = group(
        records,
        Task(
            policy.k, policy.method, policy.seed, options, policy.suppression, largest, policy.refinement, policy.blocks
        ),
        design=design,
        gone=_lacking(records) if policy.missing == "suppress" else None,
        progress=progress or silent,
    )
    shown_records = _leveled(records, groups, policy) if policy.missing == "wildcard" else records
    columns = recode_groups(
        shown_records,
        groups,
        ways={column.name: column.recode for column in schema.columns},
        precisions=precisions(rounding, table, shown_records, groups.suppressed),
        keep_totals=keep_totals,
        sampling=design.sampling,
        missing=policy.missing,
        suppressed=groups.suppressed,
    )
    released = tables.released(table, schema, columns)
    order = tables.shuffled_rows(released, seed=policy.seed) if policy.shuffle else None
    shown = Rows(design, groups.suppressed).by(order)
    handed = released if order is None else tables.taken(released, order)
    proof = verify_release(
        handed,
        policy=replace(policy, schema=schema),
        records=table.height,
        design=shown.design,
        suppressed=shown.suppressed,
    )
    pair = _pair(table, released, records, groups, columns, policy=policy, schema=schema, design=design)
    bound = None if groups.search is None or groups.hidden else groups.search.bound
    pair = replace(pair, distance=distance, least=None if bound is None else bound.value)
    evaluation = measure.evaluate(pair, models=proof.models)
    warnings = cautions(
        replace(policy, schema=schema),
        profiles=profiles,
        gaps=_gaps(records),
        suppressed=groups.hidden,
        evaluation=evaluation,
        search=groups.search,
        indexed=tables.telling_index(handed),
        formulas=tables.formulas(handed),
        spelled=tables.spellings(records.categories),
        broken=tables.broken_dependencies(table, released, schema),
        doubts=tables.doubts(table),
        typed=tables.is_typed(table),
    )
    for sentence in warnings:
        python_warnings.warn(in_python(sentence), ShoalWarning, stacklevel=3)
    return Release(
        original=table,
        released=handed,
        partition=measured(groups, records),
        evaluation=evaluation,
        verification=proof,
        policy=replace(
            policy,
            schema=schema,
            refinement=_searched(policy.refinement, groups.search),
            input=_source(table),
            versions=versions(),
        ),
        rows=shown,
        pair=pair,
        warnings=warnings,
    )


def _pair(
    table: Table,
    released: Table,
    records: Records,
    groups: Partition,
    columns: Mapping[str, Any],
    *,
    policy: Policy,
    schema: Schema,
    design: Design,
) -> measure.Pair:
    """The table and its release as the measures see them."""
    counted_by = partial(
        measure.count_classes,
        names=records.names,
        k=policy.k,
        missing=policy.missing,
        alpha=policy.alpha,
        design=design,
    )
    numbers = as_numbers(records, groups, columns)
    sensitive = [column for column in schema.columns if column.role is Role.SENSITIVE]
    worded = [column.name for column in records.categories]
    return measure.Pair(
        names=records.names,
        before=counted_by(table),
        after=counted_by(released, apart=groups.suppressed),
        numeric=records.numeric,
        dates=records.dates,
        values=tuple(records.values.T),
        shown=tuple(numbers.shown.T),
        scale=records.scale,
        gaps=_number_gaps(records),
        blank=numbers.blank,
        bounds=numbers.bounds,
        categories=records.categories,
        codes=records.codes,
        nodes=as_nodes(records, columns),
        absent=tables.missing_mask(table, worded),
        untold=tables.missing_mask(released, worded),
        weights=policy.weights,
        suppressed=tables.shown_nothing(released, records.names),
        sensitive=tables.sensitive_columns(table, sensitive),
        sampling=design.sampling,
    )


def _demands(table: Table, policy: Policy, schema: Schema, design: Design) -> Demands:
    """What the models ask of every group; the table, and every stratum of it, must be able to give it."""
    demands = tables.demands(table, policy.models, schema)
    tables.check_feasible(demands, policy.models)
    if design.strata is not None:
        for rows in np.split(np.argsort(design.strata, kind="stable"), np.cumsum(np.bincount(design.strata))[:-1]):
            where = f"a stratum of {counted(len(rows), 'record')}"
            tables.check_feasible(demands.some(rows), policy.models, where=where)
    return demands


def _lacking(records: Records) -> BoolVector | None:
    """The records that lack a quasi-identifier."""
    return None if records.missing is None else np.asarray(records.missing.any(axis=1), dtype=np.bool_)


def _leveled(records: Records, groups: Partition, policy: Policy) -> Records:
    """Where more is asked than k records, wildcards must not split a group into classes that have less."""
    more = bool(policy.models or policy.survey.households or policy.survey.strata)
    return leveled(records, groups, alpha=policy.alpha, all_groups=more)


def _searched(asked: Refinement | None, search: Search | None) -> Refinement | None:
    """The refinement with the steps that it came to, where a clock or an interrupt had a say in them."""
    if asked is None or search is None or not search.timed:
        return asked
    return replace(asked, planned=search.planned, done=search.done, looks=search.looks)


def _number_gaps(records: Records) -> BoolMatrix | None:
    """Which numbers are missing."""
    return None if records.missing is None else records.missing[:, [records.names.index(n) for n in records.numeric]]


def _gaps(records: Records) -> dict[str, int]:
    """The missing cells of each quasi-identifier that has some."""
    if records.missing is None:
        return {}
    counts = records.missing.sum(axis=0).tolist()
    return {name: cells for name, cells in zip(records.names, counts, strict=True) if cells}


def _source(table: Table) -> dict[str, Any]:
    """The facts about the input that a policy keeps; the file must still be the one that was read."""
    facts: dict[str, Any] = {"kind": table.kind, "records": table.height}
    if table.path is not None:
        if tables.fingerprint(table.path) != table.sha256:
            raise FileError.changed(table.path)
        facts |= {"file": printable(table.path.name), "sha256": table.sha256, "settings": dict(table.settings)}
    return facts
