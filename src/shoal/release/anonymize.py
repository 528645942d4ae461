"""Public functions that release a table, or repeat a release by its policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import data as tables
from shoal.domain import Names, Progress
from shoal.engines import spark
from shoal.engines.memory import TableInMemory
from shoal.errors import EngineError
from shoal.release.arguments import public_function
from shoal.release.column_options import Hierarchies, Levels, PolicySource
from shoal.release.decisions import Decisions
from shoal.release.pipeline import run_in_memory
from shoal.release.result import Release
from shoal.system.threads import check_threads, use_threads


@public_function()
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
    max_suppression: float = 0.0,
    method: str | None = None,
    refine: bool | None = None,
    effort: str | None = None,
    time_limit: float | None = None,
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
        cluster (``memory`` and ``scratch`` as in `anonymize_file`), and the result is a Spark DataFrame that has the
        attributes of a release.
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
    max_suppression : float
        Maximum fraction of the records that may be suppressed where that lowers the information loss.
    method : str, optional
        One of `shoal.methods()`. Default ``auto``: compares several starts that suit the size and the kinds of the
        table, and refines the best one.
    refine : bool, optional
        Improve the groups by local search. Default: only for ``auto``, or if ``effort`` or ``time_limit`` is given.
    effort : str, optional
        ``fast`` descends only, ``balanced`` anneals for some seconds, ``best`` for up to some minutes and tries an
        integer program on small tables.
    time_limit : float, optional
        Time limit of method and search, in seconds. The policy records the steps that were done, so that it reproduces
        the release.
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
    arguments = dict(locals())
    for name in ("data", "threads", "progress", "options"):
        del arguments[name]
    on_cluster: dict[str, Any] = {}
    if spark.is_frame(data):
        on_cluster = {name: options.pop(name) for name in ("memory", "scratch") if name in options}
    decisions = Decisions({**arguments, **options})
    return _release(data, decisions, threads=threads, progress=progress, on_cluster=on_cluster)


@public_function()
def replay(
    data: Any,
    *,
    policy: PolicySource,
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
        The policy of the first release, or a policy file written by hand.
    hierarchies, levels : mapping, optional
        Those of the first release. Files that lie beside the policy or the table are found by name.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        Called with the number of records done and the total.
    **on_cluster
        For a Spark DataFrame, ``memory`` and ``scratch`` of `shoal.release.anonymize_spark.release_frame`.

    Returns
    -------
    Release

    Raises
    ------
    ShoalError
        If the policy does not fit the table, or the verification fails.
    """
    folders: list[Path] = []
    if not spark.is_frame(data):
        for name in on_cluster:
            raise EngineError.spark_only_option(name)
        data = tables.read_table(data)
        folders = [] if data.path is None else [data.path.parent]
    decisions = Decisions.of_policy(policy, hierarchies=hierarchies, levels=levels, folders=folders)
    return _release(data, decisions, threads=threads, progress=progress, on_cluster=on_cluster)


def _release(
    data: Any,
    decisions: Decisions,
    *,
    threads: int | None,
    progress: Progress | None,
    on_cluster: Mapping[str, Any],
) -> Release:
    if threads is not None:
        check_threads(threads)
    with use_threads(threads):
        if spark.is_frame(data):
            from shoal.release.anonymize_spark import release_frame

            released_frame: Any = release_frame(data, decisions, progress=progress, **on_cluster)
            return released_frame  # type: ignore[no-any-return]
        table, first = tables.read_table(data), decisions.first
        policy = decisions.policy(TableInMemory(table))
        release = run_in_memory(table, policy, progress=progress, is_replay=decisions.is_replay)
        # groups made in parts differ from those of the whole table
        return release if first is None or first.pieces is not None else replace(release, replayed_policy=first)
