"""K-modes: clusters of categories around their modes, with sizes of at least k."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.partition.registry import method
from shoal.partition.stages import stage
from shoal.schema.columns import Kind
from shoal.values import IntVector, Progress, Records

_ROUNDS = 20


@method(
    name="k-modes",
    paper="Torra, Privacy in Statistical Databases, LNCS 3050, 2004",
    year=2004,
    cost="O(tc) time for t different combinations and c clusters in each of up to 20 rounds, O(n) memory",
    largest_group=None,
    kinds=(Kind.NOMINAL, Kind.ORDINAL, Kind.HIERARCHICAL),
)
def k_modes(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Clusters around modes and medians that move until they rest; clusters below k dissolve.

    V. Torra, "Microaggregation for categorical variables: a median based approach", 2004; as told in section 2.2.1
    of the thesis on microaggregation of categorical data.

    Notes
    -----
    *Steps*

    1. Choose a first center for each cluster.
    2. Each record is in the cluster of the nearest center: columns that differ count 1, ordinal ones the share of the
       levels in between.
    3. The center of a cluster is the mode of each column, of an ordinal one the median. Repeat from step 2 until no
       record moves.
    4. A cluster of fewer than k records is dissolved: each goes to the cluster of the nearest other center.

    *Departures from the paper*: the paper was not at hand; the steps are those that the thesis tells, with step 4 for
    the sizes. The paper starts at random; here the first centers are the most frequent combinations, n/k of them or
    all, and equal records stay together. There are at most 20 rounds. A cluster without records keeps its center. In
    step 4 the smallest cluster is the next, until all have k records, and the centers stay as they were. A column
    with a hierarchy has semantic distances and the semantic centroid.

    *Cost*: each round compares all combinations with all centers. Ties go to the combination that appears first, to
    the center that was chosen first, and to the first mode.
    """
    tuples, n = records.tuples, records.count
    frequent = np.argsort(-tuples.counts, kind="stable")
    centers = tuples.codes[frequent[: n // k]]  # step 1
    labels = np.full(len(tuples.counts), -1)
    for turn in range(_ROUNDS):
        before = labels.copy()
        heard = stage(progress, records, turn, _ROUNDS + 1)
        kernels.modes.assign(tuples, centers, labels, progress=heard)  # step 2
        if (labels == before).all():
            break
        starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=len(centers)))])
        kernels.modes.find_centers(tuples, centers, np.argsort(labels, kind="stable"), starts)  # step 3
    heard = stage(progress, records, _ROUNDS, _ROUNDS + 1)
    kernels.modes.dissolve(tuples, centers, labels, k, progress=heard)  # step 4
    progress(n, n)
    return labels[records.tuple_of]
