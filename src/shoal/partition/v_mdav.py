"""V-MDAV: MDAV with groups of variable size."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from shoal import kernels
from shoal.errors import OptionError
from shoal.partition.registry import EVERY, method
from shoal.values import IntVector, Progress, Records


@method(
    name="v-mdav",
    paper="Solanas and Martínez-Ballesté, 17th COMPSTAT Symposium of the IASC, 2006",
    year=2006,
    cost="O(n²) time at worst, O(n) memory",
    largest_group=lambda k: 3 * k - 2,
    kinds=EVERY,
    mixes=True,
)
def v_mdav(records: Records, k: int, *, progress: Progress, gamma: float = 0.2) -> IntVector:
    """Groups of k that are extended up to 2k - 1 by records that lie closer to them than to the rest.

    A. Solanas and A. Martínez-Ballesté, "V-MDAV: a multivariate microaggregation with variable group size", 2006.

    Notes
    -----
    *Steps*

    1. The centroid of all records is computed once.
    2. While at least k records are left:
       a. e is the record left that is farthest from the centroid; e and its k - 1 nearest are a group.
       b. While the group has fewer than 2k - 1 records: x is the record left nearest to the group, at the least
          distance d_in to any of its members, and d_out is the distance from x to the nearest other record left.
          If d_in < gamma · d_out, x joins; if not, the group is finished.
    3. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: none known. Left open there, and read so: the centroid stays that of all records;
    where x is the last record left, d_out is infinite and x joins (unless gamma is 0); in step 3 the centroids of
    the groups stay as they were.

    *Cost*: for each group k to 4k searches in a tree of boxes, each at worst over all records left. Ties go to
    the lowest row.
    """
    if isinstance(gamma, bool) or not isinstance(gamma, int | float) or not 0 <= gamma <= sys.float_info.max:
        raise OptionError.bad_option("gamma", "a number of at least 0")

    def step(state: Any, passes: int) -> None:
        kernels.passes.extended(state, k, center, float(gamma), max(1, passes // k))

    state = kernels.unassigned.begin(records.space)
    center = kernels.groups.middle(state.space, np.arange(records.count))  # step 1
    state = kernels.unassigned.carry_on(state, step, least=k, progress=progress)  # step 2
    kernels.unassigned.nearest_groups(state)  # step 3
    labels: IntVector = state.labels
    return labels
