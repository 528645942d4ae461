"""V-MDAV: MDAV with variable group sizes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.errors import OptionError
from shoal.microaggregation.registry import mixed_method


@mixed_method(
    name="v-mdav",
    paper="Solanas and Martínez-Ballesté, 17th COMPSTAT Symposium of the IASC, 2006",
    year=2006,
    cost="O(n²) time at worst, O(n) memory",
    largest_group=lambda k: 3 * k - 2,
)
def v_mdav(records: Records, k: int, *, progress: Progress, gamma: float = 0.2) -> IntVector:
    """Form groups of k and extend them up to 2k - 1 by records closer to them than to the rest.

    A. Solanas and A. Martínez-Ballesté, "V-MDAV: a multivariate microaggregation with variable group size", 2006.

    Notes
    -----
    *Steps*

    1. The centroid of all records is computed once.
    2. While at least k records remain:
       a. e is the remaining record farthest from the centroid; e and its k - 1 nearest form a group.
       b. While the group has fewer than 2k - 1 records: x is the remaining record nearest to the group, with minimum
          distance d_in to its members; d_out is the distance from x to the nearest other remaining record. If
          d_in < gamma · d_out, x joins; otherwise the group is complete.
    3. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: none known. Not specified there, and our choice: the centroid is always that of all
    records; if x is the last remaining record, d_out is infinite and x joins (unless gamma is 0); in step 3 the
    centroids of the groups are not updated.

    *Cost*: k to 4k searches in a box tree per group, each at worst over all remaining records. Ties go to the lowest
    row.
    """
    if isinstance(gamma, bool) or not isinstance(gamma, int | float) or not 0 <= gamma <= sys.float_info.max:
        raise OptionError.invalid_value("gamma", "a number of at least 0")

    def step(state: Any, passes: int) -> None:
        kernels.sequential.passes.v_mdav_passes(state, k, center, float(gamma), max(1, passes // k))

    state = kernels.sequential.unassigned.init(records.space)
    center = kernels.centroids.centroid_of(state.space, np.arange(records.count))  # step 1
    state = kernels.sequential.unassigned.run(state, step, min_left=k, progress=progress)  # step 2
    kernels.sequential.unassigned.assign_rest(state)  # step 3
    return state.labels
