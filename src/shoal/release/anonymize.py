"""Release pipeline of the in-memory engine, and the public functions `anonymize` and `replay`."""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal import data as tables
from shoal import metrics
from shoal.data import Table
from shoal.domain import (
    BoolMatrix,
    BoolVector,
    ModelConstraints,
    Names,
    Partition,
    Policy,
    Progress,
    Records,
    Refinement,
    Role,
    Schema,
    Search,
    SurveyDesign,
    check_k,
    no_progress,
)
from shoal.engines import spark
from shoal.errors import ColumnError, EngineError, FileError, PolicyError, ShoalWarning, in_python
from shoal.errors.messages import pluralize
from shoal.microaggregation.group import GroupingTask, group
from shoal.recode import as_nodes, as_numbers, equalize_missing, precisions
from shoal.recode import recode as recode_groups
from shoal.release.column_options import Hierarchies, Levels, resolve_policy_schema
from shoal.release.options import build_policy, check_table, parse_options
from shoal.release.partition import add_losses
from shoal.release.result import Release, RowMetadata, package_versions, printable_name
from shoal.release.warnings import collect_warnings
from shoal.system.threads import check_threads, use_threads
from shoal.verification.verify import verify_release


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
    """Anonymize a table with verified k-anonymity.

    Groups the records into classes of at least k, replaces the quasi-identifiers of each class by one value, and
    counts the classes again on the released values.

    Parameters
    ----------
    data : path, DataFrame, array or Table
        A file, a pandas, polars or pyarrow table, a two-dimensional numpy array, or the result of `shoal.read`.
        The input is never changed, and the release has the same type. For a Spark DataFrame the work runs on its
        cluster (with ``memory`` and ``scratch`` as in `shoal.release.anonymize_spark.anonymize_frame`), and the result is a Spark
        DataFrame that has the attributes of a release.
    k : int
        Minimum number of records that share their quasi-identifiers. There is no default: it is your decision.
    quasi_identifiers : str or sequence of str
        Columns that others could know about a person. Each class shows one value of them.
    identifiers : str or sequence of str
        Columns that name a person. They are dropped.
    sensitive : str or sequence of str
        Columns that must not be linked to a person. They are released unchanged.
    keep : str or sequence of str
        Columns without another role that you release unchanged on purpose. Without this, a column that looks like an
        identifier is refused.
    drop_others : bool
        Drop every column without a role that is not in ``keep`` and holds no sampling weights, strata or households.
    models : mapping of str to str or list of str, optional
        Privacy models that every class must meet, for each sensitive column: ``distinct-l(L)``, ``entropy-l(L)``,
        ``recursive-l(C,L)``, ``t-equal(T)``, ``t-ordered(T)``, ``t-hierarchical(T)``.
    l : int, optional
        Minimum number of different values in every class, for all sensitive columns.
    t : float, optional
        Maximum distance between the distribution in a class and that in the table, for all sensitive columns; measured
        by hierarchy or order where the column has one.
    hierarchies : mapping, optional
        For a column whose values have a semantic hierarchy: a `Hierarchy`, a nested dictionary or the path of a
        hierarchy file.
    levels : mapping, optional
        Values of ordinal columns from lowest to highest, or the path of a file with one value per line.
    kinds : mapping, optional
        Kind of a column where its type is not enough: ``nominal``, ``ordinal``, ``numeric`` or ``date``.
    missing_values : str
        Treatment of missing quasi-identifiers in grouping, release, risk and verification: ``category`` (a value
        like any other), ``wildcard`` (compatible with every value), ``impute`` (filled by the group), ``suppress``
        (suppress all quasi-identifiers of the record) or ``refuse``.
    alpha : float
        With wildcards, the weight of a compatible record with missing values; 1 as in sdcMicro.
    suppression : float
        Maximum fraction of the records that may be suppressed where that lowers the information loss.
    method : str, optional
        One of `shoal.methods()`. Default ``auto``: compares several starts that suit the size and the kinds of the
        table, and refines the best one.
    refine : bool, optional
        Improve the groups by local search. Default: only for ``auto``, or if ``effort`` or ``seconds`` is given.
    effort : str, optional
        ``fast`` descends only, ``balanced`` anneals for some seconds, ``best`` for up to some minutes and tries an
        integer program on small tables.
    seconds : float, optional
        Time limit of method and search. The policy records the steps that were done, so that it reproduces the release.
    blocks : int, optional
        Split the records into compact blocks of at most this size and run the method in each of them. Local search then
        works across block borders. Default: no blocks, except that ``auto`` uses them for large tables.
    seed : int
        Seed of searches and of methods that draw at random. Same input, options and seed give the same bytes.
    standardize : bool
        Measure distances on columns scaled to mean 0 and standard deviation 1.
    distance : str
        Distance between nodes of a hierarchy: ``wu-palmer``, ``path``, ``leacock-chodorow`` or ``information``.
    weights : mapping of str to float, optional
        Weight of each quasi-identifier in distances; default 1.
    recode : str or mapping, optional
        Aggregate that replaces the values of a group: ``mean``, ``median`` or ``interval`` for numbers and dates; the
        semantic ``centroid``, the ``mode`` or the least common subsumer (``lcs``) for categories; ``generalize`` for
        intervals and subsumers. One for all columns, or a mapping by column with ``"*"`` for the others.
    exact_means : bool
        Release means and medians unrounded. By default, numbers keep the type and the decimals of their column.
    keep_totals : bool
        Round means so that the total of each column is preserved (controlled rounding); not with ``exact_means``.
    bounds : mapping of str to (float, float), optional
        Minimum and maximum of numeric columns; a value outside is refused.
    sampling_weights : str, optional
        Column with the number of persons that each record represents. It weights means, centroids and risks.
    strata : str or sequence of str
        Columns that groups never cross.
    households : str, optional
        Column with the household of each record. Members stay in one group, and k counts households.
    largest_household : int
        Maximum size of a household; a larger one is mostly a placeholder code.
    shuffle : bool
        Order the rows of the release by their released values and the seed, so that the original order cannot be
        recovered. Groups, measures and ``release.partition`` keep the original order.
    formulas : str
        Treatment of cells and column names that a spreadsheet would run as a formula: ``keep`` them, with a warning,
        or ``neutralize`` them with an apostrophe in csv and tsv files.
    threads : int, optional
        Number of threads. Default: ``SHOAL_THREADS``, else one per core. The release does not depend on it.
    progress : callable, optional
        Called with the number of records done and the total.
    **options
        Options of the method; see `shoal.methods()`.

    Returns
    -------
    Release
        The verified release, its measures and its policy.

    Raises
    ------
    ShoalError
        If the input or an option cannot be used, or the verification fails. Nothing is released then.
    """
    if threads is not None:
        check_threads(threads)
    policy_options: dict[str, Any] = {
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
        from shoal.release.anonymize_spark import anonymize_frame

        released_frame: Any = anonymize_frame(data, threads=threads, progress=progress, **policy_options)
        return released_frame  # type: ignore[no-any-return]
    table = tables.read_table(data)
    policy = build_policy(table, **policy_options)
    with use_threads(threads):
        return run(table, policy, progress=progress)


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
    """Repeat a release by its policy, on the same table or on its next delivery.

    Parameters
    ----------
    data : path, DataFrame, array or Table
        As for `anonymize`.
    policy : Policy or path
        The policy of the first release.
    hierarchies, levels : mapping, optional
        Those of the first release. Files that lie beside the policy or the table are found by name.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        Called with the number of records done and the total.
    **on_cluster
        For a Spark DataFrame, ``memory`` and ``scratch`` of `shoal.release.anonymize_spark.anonymize_frame`.

    Returns
    -------
    Release

    Raises
    ------
    ShoalError
        If the policy does not fit the table, or the verification fails.
    """
    if spark.is_frame(data):
        from shoal.release.anonymize_spark import replay_frame

        common: dict[str, Any] = {
            "hierarchies": hierarchies,
            "levels": levels,
            "threads": threads,
            "progress": progress,
        }
        released_frame: Any = replay_frame(data, policy=policy, **common, **on_cluster)
        return released_frame  # type: ignore[no-any-return]
    for name in on_cluster:
        raise EngineError.spark_only_option(name)
    folders = [Path()]
    if not isinstance(policy, Policy):
        first_policy = Policy.read(policy)
        folders.insert(0, Path(policy).parent)
        policy = first_policy
    table = tables.read_table(data)
    if table.path is not None:
        folders.append(table.path.parent)
    known = {column.name: column for column in policy.schema.columns}
    for name in known:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    for name in table.names:
        if name not in known:
            raise PolicyError.column_not_in_policy(name)
    kinds = dict(tables.column_kinds(table))
    decided_by = (*policy.schema.quasi_identifiers, *policy.schema.names_with_role(Role.SENSITIVE))
    columns = [known[name] if name in decided_by else replace(known[name], kind=kinds[name]) for name in table.names]
    schema = resolve_policy_schema(Schema(tuple(columns)), hierarchies=hierarchies, levels=levels, folders=folders)
    adapted = replace(policy, k=check_k(policy.k, table.height), schema=schema)
    with use_threads(threads):
        repeated = run(table, adapted, progress=progress, is_replay=True)
    return replace(repeated, replayed_policy=policy)


class MemoryPlan(NamedTuple):
    """Plan of a release in memory: the encoded table, and the options of method and recoding."""

    schema: Schema
    records: Records
    design: SurveyDesign
    distance: str
    rounding: str
    keep_totals: bool
    options: dict[str, Any]
    """Options of the method."""


def plan_in_memory(table: Table, policy: Policy) -> MemoryPlan:
    """Encode a table for the methods by its policy. Raises if no method could take it."""
    options, survey = parse_options(policy), policy.survey
    schema = options.schema
    records = tables.encode_records(
        table,
        schema,
        standardize=options.standardize,
        distance=options.distance,
        weights=policy.weights,
        missing=policy.missing,
    )
    tables.check_bounds(records, policy.bounds)
    design = tables.build_survey_design(
        table, sampling_weights=survey.sampling_weights, strata=survey.strata, households=survey.households
    )
    if policy.models:
        records = replace(records, constraints=_model_constraints(table, policy, schema, design))
    return MemoryPlan(
        schema, records, design, options.distance, options.rounding, options.keep_totals, options.method_options
    )


def run(table: Table, policy: Policy, *, progress: Progress | None = None, is_replay: bool = False) -> Release:
    """Run the release pipeline: profile, plan, partition, recode, verify, evaluate.

    Python warnings are attributed to the caller of `anonymize` or `replay`.
    """
    profiles = check_table(policy, table, is_replay=is_replay)
    plan = plan_in_memory(table, policy)
    policy = replace(policy, schema=plan.schema)

    groups = _partition(plan, policy, progress or no_progress)
    columns = _recode(table, plan, groups, policy)
    unshuffled = tables.replace_columns(table, plan.schema, columns)
    order = tables.shuffled_order(unshuffled, seed=policy.seed) if policy.shuffle else None
    released = unshuffled if order is None else tables.take(unshuffled, order)

    rows = RowMetadata(plan.design, groups.suppressed).reorder(order)
    proof = verify_release(
        released, policy=policy, records=table.height, design=rows.design, suppressed=rows.suppressed
    )
    inputs = _metric_inputs(table, unshuffled, plan, groups, columns, policy)
    evaluation = metrics.evaluate(inputs, models=proof.models)
    warnings = collect_warnings(
        policy,
        profiles=profiles,
        missing_counts=_missing_counts(plan.records),
        suppressed=groups.hidden,
        evaluation=evaluation,
        search=groups.search,
        has_informative_index=tables.has_informative_index(released),
        formulas=tables.count_formulas(released),
        spelling_variants=tables.count_spelling_variants(plan.records.categories),
        broken_dependencies=tables.broken_dependencies(table, unshuffled, plan.schema),
        doubts=tables.find_misread_columns(table),
        is_typed=tables.has_column_types(table),
    )
    for sentence in warnings:
        python_warnings.warn(in_python(sentence), ShoalWarning, stacklevel=3)
    refinement = _with_steps(policy.refinement, groups.search)
    return Release(
        original=table,
        released=released,
        partition=add_losses(groups, plan.records),
        evaluation=evaluation,
        verification=proof,
        policy=replace(policy, refinement=refinement, input=_input_facts(table), versions=package_versions()),
        row_metadata=rows,
        metric_inputs=inputs,
        warnings=warnings,
    )


def _partition(plan: MemoryPlan, policy: Policy, progress: Progress) -> Partition:
    """Group the records by the method of the policy."""
    task = GroupingTask(
        policy.k,
        policy.method,
        policy.seed,
        plan.options,
        policy.suppression,
        policy.survey.largest_household,
        policy.refinement,
        policy.blocks,
    )
    suppressed = _any_missing(plan.records) if policy.missing == "suppress" else None
    return group(plan.records, task, design=plan.design, always_suppressed=suppressed, progress=progress)


def _recode(table: Table, plan: MemoryPlan, groups: Partition, policy: Policy) -> dict[str, Any]:
    """Released values of the quasi-identifiers."""
    records = _level_wildcards(plan.records, groups, policy) if policy.missing == "wildcard" else plan.records
    return recode_groups(
        records,
        groups,
        recodings={column.name: column.recode for column in plan.schema.columns},
        precisions=precisions(plan.rounding, table, records, groups.suppressed),
        keep_totals=plan.keep_totals,
        weights=plan.design.sampling_weights,
        missing=policy.missing,
        suppressed=groups.suppressed,
    )


def _metric_inputs(
    table: Table, released: Table, plan: MemoryPlan, groups: Partition, columns: Mapping[str, Any], policy: Policy
) -> metrics.MetricInputs:
    """Inputs of the measures, from the table and its release."""
    records = plan.records
    count = partial(
        metrics.count_classes,
        names=records.names,
        k=policy.k,
        missing=policy.missing,
        alpha=policy.alpha,
        design=plan.design,
    )
    numbers = as_numbers(records, groups, columns)
    bound = None if groups.search is None or groups.hidden else groups.search.bound
    sensitive = [column for column in plan.schema.columns if column.role is Role.SENSITIVE]
    categorical = [column.name for column in records.categories]
    return metrics.MetricInputs(
        quasi_identifiers=records.names,
        original_classes=count(table),
        released_classes=count(released, suppressed=groups.suppressed),
        numeric=records.numeric,
        dates=records.dates,
        original_values=tuple(records.values.T),
        released_values=tuple(numbers.values.T),
        scale=records.scale,
        original_missing=_missing_numbers(records),
        released_missing=numbers.missing,
        released_intervals=numbers.bounds,
        categories=records.categories,
        original_codes=records.codes,
        released_codes=as_nodes(records, columns),
        original_codes_missing=tables.missing_mask(table, categorical),
        released_codes_missing=tables.missing_mask(released, categorical),
        weights=policy.weights,
        suppressed=tables.fully_suppressed(released, records.names),
        sensitive=tables.sensitive_columns(table, sensitive),
        sampling_weights=plan.design.sampling_weights,
        distance=plan.distance,
        lower_bound=None if bound is None else bound.value,
    )


def _model_constraints(table: Table, policy: Policy, schema: Schema, design: SurveyDesign) -> ModelConstraints:
    """Model constraints of the groups. Raises if the table, or a stratum of it, cannot meet them."""
    constraints = tables.encode_constraints(table, policy.models, schema)
    tables.check_feasible(constraints, policy.models)
    if design.strata is not None:
        for rows in np.split(np.argsort(design.strata, kind="stable"), np.cumsum(np.bincount(design.strata))[:-1]):
            where = f"a stratum of {pluralize(len(rows), 'record')}"
            tables.check_feasible(constraints.take(rows), policy.models, records_name=where)
    return constraints


def _any_missing(records: Records) -> BoolVector | None:
    """Mask of the records with a missing quasi-identifier."""
    return None if records.missing is None else np.asarray(records.missing.any(axis=1), dtype=np.bool_)


def _level_wildcards(records: Records, groups: Partition, policy: Policy) -> Records:
    """Fill wildcards where they would split a group into classes that violate a model, household or stratum."""
    all_groups = bool(policy.models or policy.survey.households or policy.survey.strata)
    return equalize_missing(records, groups, alpha=policy.alpha, all_groups=all_groups)


def _with_steps(refinement: Refinement | None, search: Search | None) -> Refinement | None:
    """Refinement with the number of steps done, if a time limit or an interrupt stopped it."""
    if refinement is None or search is None or not search.timed:
        return refinement
    return replace(
        refinement,
        steps_planned=search.steps_planned,
        steps_done=search.steps_done,
        descent_passes=search.descent_passes,
    )


def _missing_numbers(records: Records) -> BoolMatrix | None:
    """Mask of the missing numbers."""
    return None if records.missing is None else records.missing[:, [records.names.index(n) for n in records.numeric]]


def _missing_counts(records: Records) -> dict[str, int]:
    """Number of missing values of each quasi-identifier that has some."""
    if records.missing is None:
        return {}
    counts = records.missing.sum(axis=0).tolist()
    return {name: cells for name, cells in zip(records.names, counts, strict=True) if cells}


def _input_facts(table: Table) -> dict[str, Any]:
    """Facts about the input for the policy. Raises if the file has changed since it was read."""
    facts: dict[str, Any] = {"kind": table.kind, "records": table.height}
    if table.path is not None:
        if tables.file_sha256(table.path) != table.sha256:
            raise FileError.changed(table.path)
        facts |= {"file": printable_name(table.path.name), "sha256": table.sha256, "settings": dict(table.settings)}
    return facts
