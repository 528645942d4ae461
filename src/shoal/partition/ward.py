"""WARD: the leaves of a tree of clusters in order, then the best cut of it."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import along, best_cut, stage
from shoal.values import IntVector, Progress, Records


@method(
    name="ward-mhm",
    paper="Shoal's own, after Ward, Journal of the American Statistical Association 58, 1963",
    year=2026,
    cost="O(n²) time up to 50,000 different records, then O(n log n + nk), O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def ward_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """The best cut of the order in which Ward's tree has the records.

    Our own. J. H. Ward, "Hierarchical grouping to optimize an objective function", 1963; chains of nearest neighbors
    by F. Murtagh, "A survey of recent advances in hierarchical clustering algorithms", 1983. That the order of the
    leaves matters, and how the best one is found, is told by Z. Bar-Joseph, D. K. Gifford and T. S. Jaakkola, "Fast
    optimal leaf ordering for hierarchical clustering", 2001.

    Notes
    -----
    *Steps*

    1. Equal records are one cluster; a cluster has a center, a size, and its points in an order. Where there are more
       than 50,000 points, each cell of them, an even part of at most so many, made by halving the widest column again
       and again, has a tree of its own, and one order follows another.
    2. Follow a chain from cluster to nearest cluster, the distance being s·t / (s + t) times the squared distance of
       the centers of s and t records, until two clusters are the nearest ones of each other.
    3. They merge: of the four ways to put their orders, as they are or turned around, one after the other, take
       the one in which the two points that meet are nearest. Go on with the rest of the chain until all are one.
    4. Cut this order into groups of k to 2k - 1 neighbors with the least SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: it is our own. Orders are chosen merge by merge; the order that makes the sum of all
    distances between neighbors least takes much longer to find, and its cut lost more for seven of eight k on
    Tarragona and Census. With categories the distance of step 2 is not by how much the SSE rises, since their center is
    the node with the least sum of distances and not of squares; a union may then be nearer to a cluster than both its
    parts were, so that the tree need not be that of the nearest two of all. If the nearest cluster is one that the
    chain has passed before, the chain goes on from there.

    *Cost*: about three passes over all clusters left for each point, and for categories a row of costs of all their
    nodes for each point. Ties go to the cluster before in the chain, then to the lowest row.
    """
    first, point = records.space.distinct()
    leaves = kernels.ward.order_of_leaves(
        records.space.some(first), np.bincount(point), progress=stage(progress, records, 0, 2)
    )  # steps 1 to 3
    return best_cut(records, along(leaves, point), k, progress=stage(progress, records, 1, 2))  # step 4
