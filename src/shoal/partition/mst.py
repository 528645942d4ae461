"""MST: parts of a minimum spanning tree, the large ones split."""

from __future__ import annotations

from shoal import kernels
from shoal.partition.cbfs import cbfs
from shoal.partition.md import dbfs
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import split_large, stage
from shoal.values import IntVector, Progress, Records, one_of

SPLITS = {"diameter": dbfs, "centroid": cbfs}


@method(
    name="mst",
    paper="Laszlo and Mukherjee, IEEE Transactions on Knowledge and Data Engineering 17(7), 2005",
    year=2005,
    cost="O(n²) time, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def mst(records: Records, k: int, *, progress: Progress, split: str = "diameter") -> IntVector:
    """Cuts the longest edges of a minimum spanning tree, and splits what stays large around distant records.

    M. Laszlo and S. Mukherjee, "Minimum spanning tree partitioning algorithm for microaggregation", 2005,
    there M-d with ``split="diameter"`` and M-c with ``split="centroid"``.

    Notes
    -----
    *Steps*

    1. Build the minimum spanning tree of the records.
    2. Look at the edges, longest first. Remove an edge if both trees that it joins keep at least k records.
    3. Partition every tree of 2k and more records by ``dbfs`` (diameter) or ``cbfs`` (centroid).

    *Departures from the paper*: none known. The printed losses of M-d are met within half a percent, not to the
    last digit: they move by as much with the end of a most distant pair that grows its group first. Here it is the
    lowest row.

    *Cost*: every pair of records is compared once for the tree. A cut walks up to the root of its tree, which is
    n steps for each edge at worst and few in practice. Ties: of equal distances the lowest row joins the tree
    first, to the record that joined earliest; of equal edges that of the lowest row is looked at first.
    """
    by = SPLITS[one_of("split", split, tuple(SPLITS))]
    tree = kernels.spanning.minimum_spanning_tree(records.space, progress=stage(progress, records, 0, 3))  # step 1
    labels = kernels.spanning.cut_longest(tree, k, progress=stage(progress, records, 1, 3))  # step 2
    return split_large(records, labels, k, by=by, progress=stage(progress, records, 2, 3))  # step 3
