"""WARD: the leaf order of Ward's cluster tree, then its optimal cut."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import best_cut, order_by_points, stage_progress


@mixed_method(
    name="ward-mhm",
    paper="Shoal's own, after Ward, Journal of the American Statistical Association 58, 1963",
    year=2026,
    cost="O(n²) time up to 50,000 different records, then O(n log n + nk), O(n) memory",
)
def ward_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Find the optimal cut of the leaf order of Ward's cluster tree.

    Shoal's own. J. H. Ward, "Hierarchical grouping to optimize an objective function", 1963; nearest-neighbor chains
    by F. Murtagh, "A survey of recent advances in hierarchical clustering algorithms", 1983; leaf orders by
    Z. Bar-Joseph, D. K. Gifford and T. S. Jaakkola, "Fast optimal leaf ordering for hierarchical clustering", 2001.

    Notes
    -----
    *Steps*

    1. Equal records are one cluster; a cluster has a center, a size, and an order of its points. With more than 50,000
       points, cells of equal size up to that number, by repeated halving of the widest column, have a tree each, and
       their orders are concatenated.
    2. Follow a chain from cluster to nearest cluster until two clusters are nearest to each other. The distance is
       s·t / (s + t) times the squared distance of the centers of s and t records.
    3. Merge them: of the four ways to concatenate their orders, each forward or reversed, take the one with the
       smallest distance between the two points that meet. Continue with the rest of the chain until one cluster is
       left.
    4. Cut this order into groups of k to 2k - 1 neighbors with minimum SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: it is our own method. Orders are chosen merge by merge. The order with the minimum sum
    of distances between neighbors takes much longer to find, and its cut lost more for seven of eight k on Tarragona
    and Census. With categories the distance of step 2 is not the rise of the SSE, since their center is the node with
    the minimum sum of distances, not of squared distances. A merged cluster can then be nearer to another cluster than
    both of its parts, so the tree can differ from repeated merges of the nearest pair. If the nearest cluster is
    already in the chain, the chain continues from there.

    *Cost*: about three passes over all remaining clusters per point, and for categories a row of costs of all nodes per
    point. Ties go to the previous cluster in the chain, then to the lowest row.
    """
    first, point = records.space.distinct()
    leaves = kernels.orders.ward_leaf_order.leaf_order(
        records.space.take(first), np.bincount(point), progress=stage_progress(progress, records, 0, 2)
    )  # steps 1 to 3
    return best_cut(
        records, order_by_points(leaves, point), k, progress=stage_progress(progress, records, 1, 2)
    )  # step 4
