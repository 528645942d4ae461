"""HAC: hierarchical agglomerative clustering with a maximum size, and two variants with more groups."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from math import sqrt

import numpy as np

from shoal import kernels
from shoal.domain import FloatVector, IntVector, Progress, Records, Space, check_choice
from shoal.errors import OptionError
from shoal.microaggregation.mdav import mdav_1
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import split_large, stage_progress

LINKAGES = ("single", "complete", "average", "centroid", "ward")
METRICS = ("euclidean", "squared-euclidean", "manhattan", "maximum", "mahalanobis")
LEFTOVERS = ("nearest", "smallest")
COLLINEAR_TOLERANCE = 1e-10
"""A column is collinear if its residual on the previous columns is below this fraction."""


@mixed_method(
    name="hac",
    paper="Alarte Aleixandre, master thesis, Universitat Oberta de Catalunya, 2018",
    year=2018,
    cost="O(n²) time in practice, more at worst, O(n²) memory (4n² bytes)",
    max_records=20_000,
)
def hac(
    records: Records,
    k: int,
    *,
    progress: Progress,
    linkage: str = "single",
    metric: str = "euclidean",
    leftovers: str = "nearest",
) -> IntVector:
    """Merge the two nearest clusters repeatedly, up to 2k - 1 records per cluster.

    J. Alarte Aleixandre, "Application of clustering techniques to privacy protection", 2018, chapter 6.

    Notes
    -----
    *Steps* (1, standardization, and 7, replacement by centroids, happen elsewhere)

    2. Compute the distances of all records. ``metric``: euclidean, squared-euclidean, manhattan, maximum or
       mahalanobis.
    3. Choose the nearest pair of clusters with at most 2k - 1 records together.
    4. Merge them. ``linkage``: the distance of two clusters is the smallest (single), largest (complete) or mean
       (average) distance between their records, the distance of their centroids (centroid), or the rise of the SSE by
       the merge (ward).
    5. Repeat steps 3 and 4 until there is no such pair.
    6. Move the records of clusters below k. ``leftovers``:
       a. nearest: each record joins the group with the nearest centroid.
       b. smallest: while the smallest cluster is below k, each of its records, in row order, joins the smallest other
          cluster at that time; ties go to the cluster that was formed or joined longest ago.

    *Departures from the paper*: step 6 is left open there. The printed figures come from 6b, which ignores distances;
    6a is the default, since it loses less in all but one of the printed cells with leftovers. If no cluster has k
    records, 6a returns a single group. A group of 2k or more records after step 6 is split by ``mdav-1``. Average and
    ward linkage, and metrics other than euclidean, are only named there. Mahalanobis is the euclidean distance after
    whitening. Ward linkage uses squared differences: it does not support manhattan or maximum, and euclidean means
    squared-euclidean. Step 6a is always euclidean, like the loss; the centroids are not updated.

    *Cost*: each of the n merges scans all clusters once, and once more for each cluster that lost its nearest neighbor:
    mostly none or a few, but many if many clusters share a nearest neighbor. Half of the distance matrix is stored,
    except for centroid and ward linkage. Ties go to the lowest row of either cluster.
    """
    most = 2 * k - 1  # step 3
    return _agglomerate(records, k, linkage, metric, leftovers, most=most, by_size=False, progress=progress)


@mixed_method(
    name="hac-max",
    paper="Alarte Aleixandre, master thesis, Universitat Oberta de Catalunya, 2018",
    year=2018,
    cost="O(n²) time in practice, more at worst, O(n²) memory (4n² bytes)",
    max_records=20_000,
)
def hac_max(
    records: Records,
    k: int,
    *,
    progress: Progress,
    linkage: str = "single",
    metric: str = "euclidean",
    leftovers: str = "nearest",
) -> IntVector:
    """HAC with as many groups as possible: clusters merge up to k records.

    J. Alarte Aleixandre, "Application of clustering techniques to privacy protection", 2018, sections 7.1 and 7.2.

    Notes
    -----
    *Steps*: those of ``hac``, but

    3. Choose the nearest pair of clusters with at most k records together.

    *Departures from the paper*: those of ``hac``. There, step 6 prefers clusters below k, for as many groups of k as
    possible: that is 6b, which gives the printed figures for single and complete linkage. The loop does not stop at
    n // k groups of k, because the fewer than k remaining records form no group.

    *Cost*: that of ``hac``.
    """
    return _agglomerate(records, k, linkage, metric, leftovers, most=k, by_size=False, progress=progress)  # step 3


@mixed_method(
    name="hac-priority",
    paper="Alarte Aleixandre, master thesis, Universitat Oberta de Catalunya, 2018",
    year=2018,
    cost="O(n²) time in practice, more at worst, O(n²) memory (4n² bytes)",
    max_records=20_000,
)
def hac_priority(
    records: Records,
    k: int,
    *,
    progress: Progress,
    linkage: str = "single",
    metric: str = "euclidean",
    leftovers: str = "nearest",
) -> IntVector:
    """HAC with as many groups as possible, where clusters close to completion merge first.

    J. Alarte Aleixandre, "Application of clustering techniques to privacy protection", 2018, section 7.3.

    Notes
    -----
    *Steps*: those of ``hac-max``, but

    3. Among the pairs of clusters with at most k records together, choose the one with the smallest distance divided by
       the number of its records.

    *Departures from the paper*: those of ``hac-max``. Few or no records are left for step 6.

    *Cost*: that of ``hac``.
    """
    return _agglomerate(records, k, linkage, metric, leftovers, most=k, by_size=True, progress=progress)  # step 3


def _agglomerate(
    records: Records,
    k: int,
    linkage: str,
    metric: str,
    leftovers: str,
    *,
    most: int,
    by_size: bool,
    progress: Progress,
) -> IntVector:
    """Agglomerate up to ``most`` records per cluster, then move the leftovers."""
    link, measure = LINKAGES.index(check_choice("linkage", linkage, LINKAGES)), check_choice("metric", metric, METRICS)
    check_choice("leftovers", leftovers, LEFTOVERS)
    if linkage == "ward" and metric in ("manhattan", "maximum"):
        raise OptionError.invalid_value("metric", "euclidean, squared-euclidean or mahalanobis with ward linkage")
    points = records.space
    if metric == "mahalanobis":
        points, measure = _whitened(points), "euclidean"
    if linkage == "ward":
        measure = "squared-euclidean"
    rule = kernels.agglomerative.LinkageRule(link, METRICS.index(measure), k, most, by_size)
    representatives, created = kernels.agglomerative.agglomerate(
        points, np.arange(records.count), rule, progress=stage_progress(progress, records, 0, 2)
    )  # steps 2 to 5
    labels = (
        _join_smallest(representatives, created, k)
        if leftovers == "smallest"
        else _join_nearest(records, representatives, k)
    )
    return split_large(records, labels, k, method=mdav_1, progress=stage_progress(progress, records, 1, 2))  # step 6


def _join_nearest(records: Records, representatives: IntVector, k: int) -> IntVector:
    """Step 6a; a single group if no cluster has k records."""
    _, clusters, sizes = np.unique(representatives, return_inverse=True, return_counts=True)
    full = sizes >= k
    groups = int(full.sum())
    if groups == 0:
        return np.zeros(records.count, dtype=np.int64)
    labels: IntVector = np.where(full, np.cumsum(full) - 1, kernels.sequential.unassigned.NONE)[clusters]
    left = np.flatnonzero(labels == kernels.sequential.unassigned.NONE)
    if len(left) > 0:
        centers = kernels.centroids.centroids(records.space, labels, groups)
        kernels.centroids.assign_to_nearest(records.space, labels, centers, left)
    return labels


def _join_smallest(representatives: IntVector, created: IntVector, k: int) -> IntVector:
    """Step 6b, with a heap of cluster sizes and creation times."""
    labels, clock = representatives.copy(), 2 * len(representatives)  # after the creation of every cluster
    clusters, sizes = np.unique(representatives, return_counts=True)
    heap = list(zip(sizes.tolist(), created[clusters].tolist(), clusters.tolist(), strict=True))
    heapify(heap)
    while heap[0][0] < k:
        for row in np.flatnonzero(labels == heappop(heap)[2]):
            size, _, name = heap[0]
            labels[row] = name
            heapreplace(heap, (size + 1, clock, name))
            clock += 1
    return labels


def _whitened(space: Space) -> Space:
    """Whiten the numbers, so that Euclidean distances are Mahalanobis distances.

    Gram-Schmidt orthogonalization, twice per column to correct rounding errors. Drops constant and collinear columns.
    """
    matrix = space.matrix[:, : space.n_numeric]
    degrees = len(matrix) - 1
    columns: list[FloatVector] = []
    for values in (matrix - matrix[0]).T:
        column = values / (np.abs(values).max() or 1.0)
        column = column - column.mean()
        norm = sqrt((column**2).sum())
        for other in columns + columns:
            column = column - (column * other).sum() / degrees * other
        residual = sqrt((column**2).sum())
        if residual > COLLINEAR_TOLERANCE * norm:
            columns.append(column * (sqrt(degrees) / residual))
    numbers = np.column_stack(columns) if columns else np.zeros((len(matrix), 1))
    points = np.ascontiguousarray(np.column_stack([numbers, space.matrix[:, space.n_numeric :]]))
    return space._replace(matrix=points, n_numeric=numbers.shape[1])
