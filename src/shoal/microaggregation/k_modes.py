"""K-modes: clusters of categories around their modes, with at least k records each."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.domain.columns import Kind
from shoal.microaggregation.registry import method
from shoal.microaggregation.stages import stage_progress

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
    """Cluster around modes and medians until the centers converge; dissolve clusters below k.

    V. Torra, "Microaggregation for categorical variables: a median based approach", 2004; as described in
    section 2.2.1 of the thesis on microaggregation of categorical data.

    Notes
    -----
    *Steps*

    1. Choose a first center for each cluster.
    2. Each record joins the cluster of the nearest center. Columns that differ count 1; ordinal columns count the
       difference of levels as a fraction of the maximum.
    3. The center of a cluster is the mode of each column, for ordinal columns the median. Repeat from step 2 until no
       record moves.
    4. A cluster of fewer than k records is dissolved: each record moves to the cluster of the nearest other center.

    *Departures from the paper*: we did not have the paper; the steps are those of the thesis, with step 4 for the
    sizes. The paper starts at random; here the first centers are the most frequent combinations, up to n/k, and equal
    records stay together. There are at most 20 rounds. A cluster without records keeps its center. Step 4 dissolves
    the smallest cluster first, until all have k records; the centers are not updated. Columns with a hierarchy use
    semantic distances and the semantic centroid.

    *Cost*: each round compares all combinations with all centers. Ties go to the combination that appears first, to
    the center chosen first, and to the first mode.
    """
    tuples, n = records.tuples, records.count
    frequent = np.argsort(-tuples.counts, kind="stable")
    centers = tuples.codes[frequent[: n // k]]  # step 1
    labels = np.full(len(tuples.counts), -1)
    for number in range(_ROUNDS):
        previous = labels.copy()
        round_progress = stage_progress(progress, records, number, _ROUNDS + 1)
        kernels.tuples.tuple_modes.assign(tuples, centers, labels, progress=round_progress)  # step 2
        if (labels == previous).all():
            break
        starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=len(centers)))])
        kernels.tuples.tuple_modes.find_centers(tuples, centers, np.argsort(labels, kind="stable"), starts)  # step 3
    round_progress = stage_progress(progress, records, _ROUNDS, _ROUNDS + 1)
    kernels.tuples.tuple_modes.dissolve_small(tuples, centers, labels, k, progress=round_progress)  # step 4
    progress(n, n)
    return labels[records.tuple_index]
