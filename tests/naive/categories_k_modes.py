"""A slow and obvious oracle of k-modes."""

from __future__ import annotations

from naive.categories_s_mdav import Meaning
from shoal.domain import Records


def k_modes(records: Records, k: int) -> list[int]:
    meaning = Meaning(records)
    everyone = range(len(meaning.counts))
    frequent = sorted(everyone, key=lambda t: (-meaning.counts[t], t))
    centers = [meaning.codes[t] for t in frequent[: records.count // k]]
    labels: list[int] = []
    for _ in range(20):
        before = labels
        labels = [min(range(len(centers)), key=lambda c: (meaning.apart(t, centers[c]), c)) for t in everyone]
        if labels == before:
            break
        for c in set(labels):
            centers[c] = meaning.center({t: meaning.counts[t] for t in everyone if labels[t] == c})
    while True:
        sizes = {c: sum(meaning.counts[t] for t in everyone if labels[t] == c) for c in sorted(set(labels))}
        smallest = min(sizes, key=lambda c: (sizes[c], c))
        if sizes[smallest] >= k:
            return [labels[t] for t in records.tuple_index.tolist()]
        others = [c for c in sizes if c != smallest]
        for t in everyone:
            if labels[t] == smallest:
                labels[t] = min(others, key=lambda c: (meaning.apart(t, centers[c]), c))
