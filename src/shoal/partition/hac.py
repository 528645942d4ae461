"""HAC, hierarchical agglomerative clustering with a limit of size, and two variants with more groups."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from math import sqrt

import numpy as np

from shoal import kernels
from shoal.errors import OptionError
from shoal.partition.mdav import mdav_1
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import split_large, stage
from shoal.values import FloatVector, IntVector, Progress, Records, Space, one_of

LINKAGES = ("single", "complete", "average", "centroid", "ward")
METRICS = ("euclidean", "squared-euclidean", "manhattan", "maximum", "mahalanobis")
LEFTOVERS = ("nearest", "smallest")
COLLINEAR = 1e-10
"""A column says nothing new if the columns before it explain all but this part."""


@method(
    name="hac",
    paper="Alarte Aleixandre, master thesis, Universitat Oberta de Catalunya, 2018",
    year=2018,
    cost="O(n²) time in practice, more at worst, O(n²) memory (4n² bytes)",
    largest_group=lambda k: 2 * k - 1,
    most_records=20_000,
    kinds=EVERY,
    mixes=True,
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
    """The two nearest clusters merge, again and again, if together they have at most 2k - 1 records.

    J. Alarte Aleixandre, "Application of clustering techniques to privacy protection", 2018, chapter 6.

    Notes
    -----
    *Steps* (1 and 7, to standardize and to replace by centroids, are done elsewhere)

    2. Measure the distances of all records. ``metric``: euclidean, squared-euclidean, manhattan, maximum or
       mahalanobis.
    3. Choose the nearest two clusters among the pairs that have at most 2k - 1 records together.
    4. Merge them. ``linkage``: the distance of two clusters is the least (single), largest (complete) or mean
       (average) one of a record here and a record there; that of their centroids (centroid); or the rise of the
       SSE if they merge (ward).
    5. Repeat steps 3 and 4 until there is no such pair.
    6. Give the records of clusters below k to others. ``leftovers``:
       a. nearest: each record joins the group with the nearest centroid.
       b. smallest: while the smallest cluster is below k, each of its records, row by row, joins the then
          smallest one; of several the one formed or joined longest ago.

    *Departures from the paper*: step 6 is left open there. The printed figures are those of 6b, which looks at no
    distance; 6a is the default, since it loses less in all but one of the printed cells where records are left. Where
    no cluster has k records, 6a makes one group of all. A group that has 2k or more records after step 6 is split by
    ``mdav-1``. Average and ward linkage, and metrics other than euclidean, are only named there. Mahalanobis is the
    euclidean distance after whitening; ward linkage rests on squared differences, so it takes neither manhattan nor
    maximum, and euclidean means squared there. Step 6a is always euclidean, as the loss is; the centroids stay as
    they were.

    *Cost*: each of the n merges looks at all clusters once, and once more for each that lost its nearest one, mostly
    none or a few, but many where many clusters share a nearest one. Half a matrix of distances is kept; centroid and
    ward linkage do without. Ties go to the lowest row of either cluster.
    """
    most = 2 * k - 1  # step 3
    return _grouped(records, k, linkage, metric, leftovers, most=most, by_size=False, progress=progress)


@method(
    name="hac-max",
    paper="Alarte Aleixandre, master thesis, Universitat Oberta de Catalunya, 2018",
    year=2018,
    cost="O(n²) time in practice, more at worst, O(n²) memory (4n² bytes)",
    largest_group=lambda k: 2 * k - 1,
    most_records=20_000,
    kinds=EVERY,
    mixes=True,
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
    """HAC with as many groups as can be: clusters merge if together they have at most k records.

    J. Alarte Aleixandre, "Application of clustering techniques to privacy protection", 2018, sections 7.1 and 7.2.

    Notes
    -----
    *Steps*: those of ``hac``, but

    3. Choose the nearest two clusters among the pairs that have at most k records together.

    *Departures from the paper*: those of ``hac``. Step 6 prefers clusters below k there, for as many groups of k as
    can be: that is 6b, and gives the printed figures for single and complete linkage. The loop does not stop at
    n // k groups of k: the fewer than k records left form no group.

    *Cost*: that of ``hac``.
    """
    return _grouped(records, k, linkage, metric, leftovers, most=k, by_size=False, progress=progress)  # step 3


@method(
    name="hac-priority",
    paper="Alarte Aleixandre, master thesis, Universitat Oberta de Catalunya, 2018",
    year=2018,
    cost="O(n²) time in practice, more at worst, O(n²) memory (4n² bytes)",
    largest_group=lambda k: 2 * k - 1,
    most_records=20_000,
    kinds=EVERY,
    mixes=True,
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
    """HAC with as many groups as can be, where clusters close to completion come first.

    J. Alarte Aleixandre, "Application of clustering techniques to privacy protection", 2018, section 7.3.

    Notes
    -----
    *Steps*: those of ``hac-max``, but

    3. Choose the two clusters with the least distance divided by the number of their records, among the pairs that
       have at most k records together.

    *Departures from the paper*: those of ``hac-max``; few records are left for step 6, and often none.

    *Cost*: that of ``hac``.
    """
    return _grouped(records, k, linkage, metric, leftovers, most=k, by_size=True, progress=progress)  # step 3


def _grouped(
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
    """Clusters of at most ``most`` records, then the leftovers."""
    link, measure = LINKAGES.index(one_of("linkage", linkage, LINKAGES)), one_of("metric", metric, METRICS)
    one_of("leftovers", leftovers, LEFTOVERS)
    if linkage == "ward" and metric in ("manhattan", "maximum"):
        raise OptionError.bad_option("metric", "euclidean, squared-euclidean or mahalanobis with ward linkage")
    points = records.space
    if metric == "mahalanobis":
        points, measure = _whitened(points), "euclidean"
    if linkage == "ward":
        measure = "squared-euclidean"
    rule = kernels.linkage.Rule(link, METRICS.index(measure), k, most, by_size)
    names, born = kernels.linkage.agglomerate(
        points, np.arange(records.count), rule, progress=stage(progress, records, 0, 2)
    )  # steps 2 to 5
    labels = _to_the_smallest(names, born, k) if leftovers == "smallest" else _to_the_nearest(records, names, k)
    return split_large(records, labels, k, by=mdav_1, progress=stage(progress, records, 1, 2))  # step 6


def _to_the_nearest(records: Records, names: IntVector, k: int) -> IntVector:
    """Step 6a; where no cluster has k records, all of them are one group."""
    _, clusters, sizes = np.unique(names, return_inverse=True, return_counts=True)
    full = sizes >= k
    groups = int(full.sum())
    if groups == 0:
        return np.zeros(records.count, dtype=np.int64)
    labels: IntVector = np.where(full, np.cumsum(full) - 1, kernels.unassigned.NONE)[clusters]
    left = np.flatnonzero(labels == kernels.unassigned.NONE)
    if len(left) > 0:
        centers = kernels.groups.centroids(records.space, labels, groups)
        kernels.groups.join_nearest(records.space, labels, centers, left)
    return labels


def _to_the_smallest(names: IntVector, born: IntVector, k: int) -> IntVector:
    """Step 6b, with a heap of sizes and ages."""
    labels, clock = names.copy(), 2 * len(names)  # no cluster was born so late
    clusters, sizes = np.unique(names, return_counts=True)
    heap = list(zip(sizes.tolist(), born[clusters].tolist(), clusters.tolist(), strict=True))
    heapify(heap)
    while heap[0][0] < k:
        for row in np.flatnonzero(labels == heappop(heap)[2]):
            size, _, name = heap[0]
            labels[row] = name
            heapreplace(heap, (size + 1, clock, name))
            clock += 1
    return labels


def _whitened(space: Space) -> Space:
    """Numbers without correlation and of variance 1 that span the same: Mahalanobis distances are Euclidean there.

    Gram and Schmidt, twice for each column to make up for rounding. Constant and collinear columns fall out.
    """
    matrix = space.matrix[:, : space.numbers]
    freedom = len(matrix) - 1
    columns: list[FloatVector] = []
    for values in (matrix - matrix[0]).T:
        column = values / (np.abs(values).max() or 1.0)
        column = column - column.mean()
        whole = sqrt((column**2).sum())
        for other in columns + columns:
            column = column - (column * other).sum() / freedom * other
        rest = sqrt((column**2).sum())
        if rest > COLLINEAR * whole:
            columns.append(column * (sqrt(freedom) / rest))
    numbers = np.column_stack(columns) if columns else np.zeros((len(matrix), 1))
    points = np.ascontiguousarray(np.column_stack([numbers, space.matrix[:, space.numbers :]]))
    return space._replace(matrix=points, numbers=numbers.shape[1])
