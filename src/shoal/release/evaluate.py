"""Measure the information loss of a release and its remaining risk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from shoal import data, metrics
from shoal.data import ReadOptions, Table
from shoal.domain import (
    Evaluation,
    ModelCheck,
    Names,
    Role,
    Schema,
    check_k,
    select_names,
)
from shoal.domain.privacy_models import parse_models
from shoal.engines import spark
from shoal.errors import ColumnError, DataError, EngineError, OptionError
from shoal.errors.messages import pluralize
from shoal.metrics.table_pair import PairEncoder
from shoal.options.table import check_option
from shoal.release.column_options import Hierarchies, Levels, PolicySource, resolve_schema
from shoal.release.evaluate_large import (
    EvaluationJob,
    evaluate_files,
    evaluate_frames,
    incomparable_notes,
    select_sensitive,
    shared_columns,
)
from shoal.release.inspect import is_shuffled
from shoal.release.policy_arguments import with_policy


@with_policy
def evaluate(
    original: Any,
    released: Any,
    *,
    quasi_identifiers: Names = None,
    k: int | None = None,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    standardize: bool = True,
    distance: str = "wu-palmer",
    missing_values: str = "category",
    alpha: float = 1.0,
    sampling_weights: str | None = None,
    households: str | None = None,
    sensitive: Names = (),
    models: Mapping[str, str | Iterable[str]] | None = None,
    population: Any = None,
    weights: Mapping[str, float] | None = None,
    measures: str | Iterable[str] = "default",
    policy: PolicySource | None = None,  # noqa: ARG001 - for `with_policy`
    memory: int | str | None = None,
    options: ReadOptions | None = None,
    released_options: ReadOptions | None = None,
    on: str | None = None,
    scratch: str | None = None,
) -> Evaluation:
    """Measure the information loss of a release and its remaining risk.

    Both tables contain the same records in the same order; a shuffled release is refused. An interval counts as its
    midpoint; a suppressed value counts as the mean, or as the root of its hierarchy. A loss that cannot be measured,
    such as for text instead of numbers, is None and has a note.

    Parameters
    ----------
    original, released : path, DataFrame, array or Table
        Two Spark DataFrames are evaluated on their cluster; their rows have no order, see ``on``.
    quasi_identifiers : str or sequence of str
    k : int, optional
        Count the records in classes below k.
    hierarchies, levels, kinds, standardize, distance, missing_values, alpha, weights
        As for `shoal.anonymize`.
    sampling_weights, households : str, optional
        Columns of the original, as for `shoal.anonymize`.
    sensitive : str or sequence of str
        Sensitive columns of the original, for the measures of attribute disclosure.
    models : mapping, optional
        Privacy models to check in the classes of the release, as for `shoal.verify`.
    population : path, DataFrame, array or Table, optional
        All persons from whom the records were drawn, with quasi-identifiers recoded as in the release. It gives the
        journalist and the marketer risk. Default: sampling weights, or the table itself.
    measures : str or iterable of str
        ``default`` (measures that need one pass over the records), ``all``, or names; see `shoal.measures()`.
    policy : Policy or path, optional
        Policy with the arguments that are not given. Default: if no quasi-identifier is named, the policy beside the
        file of the release.
    memory : int or str, optional
        Memory limit, in bytes or as text such as ``2GB``: csv, tsv and Parquet files of any size are then evaluated in
        pieces, without attacks. Wildcards, sampling weights, households, a population and other measures need the
        whole tables in memory.
    options : ReadOptions, optional
        How to read files; the rest is detected.
    released_options : ReadOptions, optional
        How to read the file of the release. Default: as the original.
    on : str, optional
        Column of two Spark DataFrames that identifies records in both. Without it, only what needs no pairs of records
        is measured: class sizes, risks, models, and what the released classes disclose.
    scratch : str, optional
        For Spark DataFrames, as for `shoal.anonymize`.

    Returns
    -------
    Evaluation

    Raises
    ------
    ShoalError
        If the tables do not fit together, or a column or an option cannot be used.
    """
    if memory is not None or spark.is_frame(original) or spark.is_frame(released):
        needing = {
            "missing_values='wildcard'": missing_values == "wildcard",
            "sampling_weights": sampling_weights,
            "households": households,
            "population": population is not None,
            "measures": measures != metrics.DEFAULT,
        }
        for option, needed in needing.items():
            if needed:
                raise OptionError.needs_memory(option)
        job = EvaluationJob(
            original,
            released,
            quasi_identifiers=quasi_identifiers,
            k=None if k is None else check_k(k),
            hierarchies=hierarchies,
            levels=levels,
            kinds=kinds,
            standardize=check_option("standardize", standardize),
            distance=check_option("distance", distance),
            separate_missing=check_option("missing_values", missing_values) == "category",
            sensitive=sensitive,
            models=parse_models(models),
            weights=check_option("weights", weights) or {},
        )
        if memory is None or spark.is_frame(original) or spark.is_frame(released):
            return evaluate_frames(job, on, scratch)
        if on is None:
            return evaluate_files(job, memory, options, released_options or options)
    if on is not None:
        raise EngineError.spark_only_option("on")
    source = data.read_table(original, options=options)
    names = select_names(quasi_identifiers, source.names, Role.QUASI_IDENTIFIER)
    release = read_release(released, source, names, released_options or options)
    _check_row_order(source, release, names)
    k = None if k is None else check_k(k)
    required_models = parse_models(models)
    sensitive_names = select_sensitive(sensitive, required_models, source.names, names)
    schema = Schema.assign(data.column_kinds(source), quasi_identifiers=names, sensitive=sensitive_names)
    schema = resolve_schema(source, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, allow_mixed=True)
    columns = [column for column in schema.columns if column.name in names]
    sensitive_columns = [column for column in schema.columns if column.role is Role.SENSITIVE]
    notes: list[str] = []
    column_weight = check_option("weights", weights) or {}
    data.resolve_weights(names, column_weight)
    missing = check_option("missing_values", missing_values)
    distance = check_option("distance", distance)
    design = data.build_survey_design(source, sampling_weights=sampling_weights or "", households=households or "")
    count = partial(
        metrics.count_classes,
        names=names,
        k=k,
        missing=missing,
        alpha=check_option("alpha", alpha),
        design=design,
    )
    suppressed = data.fully_suppressed(release, names)
    after = count(release, population=None if population is None else data.read_table(population))
    notes += _population_notes(after)
    blanked = int((suppressed & ~data.fully_suppressed(source, names)).sum())
    if missing == "wildcard" and blanked:
        notes.append(
            f"{pluralize(blanked, 'record')} of which nothing is shown any more: as wildcards they are compatible with"
            " every other; where outsiders know that they were suppressed, they hide nobody and the risk is higher"
        )
    encoder, bounds = PairEncoder.fit(
        source,
        release,
        columns,
        standardize=check_option("standardize", standardize),
        weights=column_weight,
        distance=distance,
        separate_missing=missing == "category",
    )
    notes += incomparable_notes(encoder)
    inputs = encoder.transform(
        source,
        release,
        (count(source), after),
        bounds,
        suppressed=suppressed,
        sensitive=data.sensitive_columns(source, sensitive_columns),
        sampling_weights=design.sampling_weights,
    )
    model_checks: tuple[ModelCheck, ...] = ()
    if required_models:
        model_checks = data.check_models(
            data.encode_constraints(source, required_models, schema),
            required_models,
            data.class_labels(release, names),
        )
    return metrics.evaluate(inputs, which=measures, notes=tuple(notes), models=model_checks)


def read_release(released: Any, original: Table, names: Sequence[str], options: ReadOptions | None = None) -> Table:
    """Read a release that must have these columns and as many records as the original."""
    release = data.read_table(released, options=options)
    for name in names:
        if name not in release.names:
            raise ColumnError.missing_in_release(name)
    if release.height != original.height:
        raise DataError.record_counts_differ(original.height, release.height)
    return release


def _check_row_order(source: Table, release: Table, names: Sequence[str]) -> None:
    """Refuse a shuffled release: by the policy beside it, or by the columns that it contains unchanged."""
    if is_shuffled(release.path, release.sha256):
        raise DataError.shuffled()
    order = data.RowOrder(shared_columns(source.names, release.names, names))
    order.add(source, release)
    if order.is_shuffled:
        raise DataError.shuffled()


def _population_notes(classes: metrics.EquivalenceClasses) -> list[str]:
    """Notes on the limits of a table of the population."""
    if classes.population_counts is None:
        return []
    notes = ["the population is recoded as the release is: the risks before are those without it"]
    too_few = int((classes.population_counts < classes.sizes).sum())
    if too_few:
        notes.append(
            f"the table of the population has fewer records like {pluralize(too_few, 'record')} than the release"
            " itself: those of the release count for them"
        )
    return notes
