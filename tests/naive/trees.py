"""Oracles of the methods over trees: edges in lists, every path from scratch."""

from __future__ import annotations

import numpy as np

from naive import Labels, Table, cbfs, dbfs, distances, mdav_generic, mean

Edges = set[tuple[int, int]]


def reached(edges: Edges, start: int, avoid: int = -1) -> list[int]:
    """The nodes of the tree of one node, without the branch that begins at another."""
    beside: dict[int, list[int]] = {}
    for a, b in edges:
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    found, todo = {start}, [start]
    while todo:
        for other in beside.get(todo.pop(), ()):
            if other not in found and other != avoid:
                found.add(other)
                todo.append(other)
    return sorted(found)


def split(matrix: Table, parts: list[list[int]], k: int, by) -> Labels:
    labels = np.empty(len(matrix), dtype=np.int64)
    for part in parts:
        inner = by(matrix[part], k) if len(part) >= 2 * k else np.zeros(len(part), dtype=np.int64)
        labels[part] = part[0] * len(matrix) + inner
    return labels


def parts_of(edges: Edges, n: int) -> list[list[int]]:
    trees = [reached(edges, node) for node in range(n)]
    return [tree for node, tree in enumerate(trees) if tree[0] == node]


def spanning(matrix: Table) -> list[tuple[float, int, int]]:
    """Prim, each time over all pairs of a record outside and a record inside: length, outside, inside."""
    table = np.array([distances(matrix, point) for point in matrix])
    inside, edges = [0], []
    while len(inside) < len(matrix):
        outside = [row for row in range(len(matrix)) if row not in inside]
        pairs = [(table[row, i], row, order) for row in outside for order, i in enumerate(inside)]
        length, row, order = min(pairs)
        edges.append((length, row, inside[order]))
        inside.append(row)
    return edges


def mst(matrix: Table, k: int, split_by: str = "diameter") -> Labels:
    edges = spanning(matrix)
    kept = {(row, above) for _, row, above in edges}
    for _, row, above in sorted(edges, key=lambda edge: (-edge[0], edge[1])):
        rest = kept - {(row, above)}
        if len(reached(rest, row)) >= k and len(reached(rest, above)) >= k:
            kept = rest
    return split(matrix, parts_of(kept, len(matrix)), k, {"diameter": dbfs, "centroid": cbfs}[split_by])


def forest(matrix: Table, k: int) -> Edges:
    n = len(matrix)
    edges: Edges = set()
    rooted = set(range(n))
    before = -1
    while len(edges) > before:
        before = len(edges)
        for row in range(n):
            tree = reached(edges, row)
            if row in rooted and len(tree) < k:
                near = distances(matrix, matrix[row])
                edges.add((row, min((other for other in range(n) if other not in tree), key=lambda x: (near[x], x))))
                rooted.remove(row)
    return edges


def decomposed(matrix: Table, tree: list[int], edges: Edges, k: int) -> list[list[int]]:
    s = len(tree)
    if s <= max(2 * k - 1, 3 * k - 5):
        return [tree]
    far = distances(matrix, mean(matrix, tree))
    u = min(tree, key=lambda row: (-far[row], row))
    while True:
        branch = {v: reached(edges, v, avoid=u) for v in tree if (u, v) in edges or (v, u) in edges}
        v = min(branch, key=lambda x: (-len(branch[x]), x))
        f = len(branch[v])
        if s - f >= k - 1:
            break
        u = v
    if s - f == k - 1:
        joint, taken = v, [x for x in branch[v] if (x, v) in edges or (v, x) in edges]
    elif f >= k:
        joint, taken = u, [v]
    else:
        joint, taken = u, [v]
        for x in sorted(branch):
            if x != v and sum(len(branch[y]) for y in taken) < k - 1:
                taken.append(x)
        gathered = sum(len(branch[y]) for y in taken)
        if gathered == k - 1 or s - gathered - 1 >= k:
            taken = sorted(set(branch) - set(taken))
    edges = {edge for edge in edges if not (joint in edge and (edge[0] in taken or edge[1] in taken))}
    edges |= {(min(taken), x) for x in taken if x != min(taken)}
    halves = reached(edges, joint), reached(edges, taken[0])
    return [part for half in halves for part in decomposed(matrix, half, edges, k)]


def mu_approx(matrix: Table, k: int) -> Labels:
    edges = forest(matrix, k)
    trees = parts_of(edges, len(matrix))
    parts = [part for tree in trees for part in decomposed(matrix, tree, edges, k)]
    return split(matrix, parts, k, mdav_generic)
