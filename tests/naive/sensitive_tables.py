"""Tables with a sensitive column that hypothesis draws: numbers, words, levels or a tree, gaps, and a model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from hypothesis import strategies as st

from naive import models as naive
from naive.hierarchies import trees
from shoal import data
from shoal.domain import Column, IntVector, Kind, ModelConstraints, Role, Schema
from shoal.domain.privacy_models import PrivacyModel
from shoal.hierarchy import Hierarchy

NUMBERS = [-1.5, 0.0, 2.0, 10.0, 33.0]
WORDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h"])


class Case(NamedTuple):
    """A sensitive column, its values in their order, classes, and a model on it."""

    cells: list
    values: list
    classes: IntVector
    model: PrivacyModel
    demands: ModelConstraints
    distance: naive.Distance

    def groups(self) -> list[list]:
        return [[self.cells[row] for row in np.flatnonzero(self.classes == g)] for g in range(self.classes.max() + 1)]

    def holds(self, group: list) -> bool:
        return naive.holds(self.model, group, self.cells, self.distance, self.values)


def rules(kind: Kind) -> st.SearchStrategy[PrivacyModel]:
    l_of, t_of = st.sampled_from([1.5, 2.0, 2.5, 3.0, 4.0]), st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 1.0])
    close = {Kind.NOMINAL: ["t-equal"], Kind.HIERARCHICAL: ["t-equal", "t-hierarchical"]}
    measured = close.get(kind, ["t-equal", "t-ordered"])
    return st.one_of(
        st.builds(PrivacyModel, st.just("s"), st.just("distinct-l"), st.sampled_from([2.0, 3.0, 4.0])),
        st.builds(PrivacyModel, st.just("s"), st.just("entropy-l"), l_of),
        st.builds(
            PrivacyModel,
            st.just("s"),
            st.just("recursive-l"),
            st.sampled_from([2.0, 3.0, 4.0]),
            st.sampled_from([0.3, 0.5, 1.0, 1.1, 2.0, 3.0]),
        ),
        *(st.builds(PrivacyModel, st.just("s"), st.just(name), t_of) for name in measured),
    )


@st.composite
def cases(draw: st.DrawFn, most: int = 24) -> Case:
    kind = draw(st.sampled_from([Kind.NUMERIC, Kind.NOMINAL, Kind.ORDINAL, Kind.HIERARCHICAL]))
    tree: Hierarchy | None = None
    if kind is Kind.HIERARCHICAL:
        tree = draw(trees(WORDS, most=8))
        known: list = list(tree.nodes)
    elif kind is Kind.ORDINAL:
        known = draw(st.permutations(["low", "mid", "high", "top"]))
        tree = Hierarchy.from_edges((word, "*") for word in known)
    else:
        known = NUMBERS if kind is Kind.NUMERIC else ["a", "b", "c", "d"]
    cells = draw(st.lists(st.sampled_from([*known, None]), min_size=1, max_size=most))
    values = [value for value in known if value in cells] + [None] * (None in cells)
    labels = draw(st.lists(st.integers(0, 3), min_size=len(cells), max_size=len(cells)))
    model = draw(rules(kind))
    frame = pl.DataFrame({"q": labels, "s": pl.Series(cells, dtype=pl.Float64 if kind is Kind.NUMERIC else pl.String)})
    table = data.read_table(frame)
    schema = Schema(
        (Column("q", Role.QUASI_IDENTIFIER, Kind.NUMERIC), Column("s", Role.SENSITIVE, kind, hierarchy=tree))
    )
    tree_distance = naive.hierarchical(tree, values) if tree else naive.equal
    distance = {"t-ordered": naive.ordered(values), "t-hierarchical": tree_distance}
    return Case(
        cells,
        values,
        data.class_labels(table, ["q"]),
        model,
        data.encode_constraints(table, [model], schema),
        distance.get(model.name, naive.equal),
    )
