"""Sensitive columns as codes, models that do not fit them, and infeasible constraints."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shoal import data
from shoal.domain import Column, Kind, ModelConstraints, Role, Schema
from shoal.domain.privacy_models import parse_models
from shoal.errors import ColumnError, HierarchyError, OptionError
from shoal.hierarchy import Hierarchy

TREE = Hierarchy.from_dict({"*": {"a": {"b": {}, "c": {}}, "d": {}}})


def constraints_of(
    cells: object, model: str, *, kind: Kind | None = None, tree: Hierarchy | None = None
) -> ModelConstraints:
    frame = cells if isinstance(cells, pd.DataFrame) else pl.DataFrame({"s": cells})
    table = data.read_table(frame)
    result = dict(data.column_kinds(table))["s"]
    schema = Schema((Column("s", Role.SENSITIVE, kind or result, hierarchy=tree),))
    return data.encode_constraints(table, parse_models({"s": model}), schema)


def codes(cells: object, **meaning: object) -> list[int]:
    return constraints_of(cells, "distinct-l(2)", **meaning).codes[:, 0].tolist()


def test_values_are_in_their_order_and_missing_ones_are_last() -> None:
    assert codes([10, 2, None, 2, 33]) == [1, 0, 3, 0, 2]
    assert codes([10.0, 2.5, float("nan"), -0.0, 0.0]) == [2, 1, 3, 0, 0]
    assert codes(["b", None, "a", "10", "9"]) == [3, 4, 2, 0, 1]
    assert codes([date(2026, 3, 1), None, date(1999, 12, 31)]) == [1, 2, 0]
    assert codes([True, False, None]) == [1, 0, 2]
    assert codes(pl.Series(["mid", "low", "high"], dtype=pl.Enum(["low", "mid", "high", "top"]))) == [1, 0, 2]
    levels = pd.Categorical(["mid", "low", None], categories=["low", "mid"], ordered=True)
    assert codes(pd.DataFrame({"s": levels})) == [1, 0, 2]
    given = Hierarchy.from_edges((word, "*") for word in ("high", "mid", "low"))
    assert codes(["low", "high", None], kind=Kind.ORDINAL, tree=given) == [1, 0, 2]
    assert codes(pl.Series([None, None], dtype=pl.String)) == [0, 0]
    huge = [str(10**30), str(9 * 10**29), "7"]
    assert codes(pl.Series(huge)) == [0, 2, 1], "text by word"


def test_numbers_of_a_file_are_one_value_however_they_are_written(tmp_path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("q,s\n1,1.0\n1,1\n1,10\n1,2.5\n")
    table = data.read_table(path)
    schema = Schema.assign(data.column_kinds(table), quasi_identifiers="q", sensitive="s")
    result = data.encode_constraints(table, parse_models({"s": "t-ordered(0.5)"}), schema)
    assert result.codes[:, 0].tolist() == [0, 0, 2, 1]


def test_the_tree_above_the_values() -> None:
    result = constraints_of(["b", "a", "d", None, "b"], "t-hierarchical(0.3)", kind=Kind.HIERARCHICAL, tree=TREE)
    # values a, b, d and the missing one, then the inner nodes a and *
    assert result.value_offsets.tolist() == [0, 4]
    assert result.parent.tolist() == [4, 4, 5, 5, 5, 5]
    assert result.height.tolist() == [0, 0, 0, 0, 0.5, 1]
    assert result.frequencies.tolist() == [0.2, 0.4, 0.2, 0.2]


def test_several_columns_and_rules() -> None:
    table = data.read_table(pl.DataFrame({"q": [1, 1, 2], "s": ["x", "y", "x"], "t": [3, 1, 2]}))
    schema = Schema.assign(data.column_kinds(table), quasi_identifiers="q", sensitive=["s", "t"])
    models = parse_models({"t": ["t-ordered(0.5)", "distinct-l(2)"], "s": "recursive-l(2.5,2)"})
    result = data.encode_constraints(table, models, schema)
    assert result.column.tolist() == [0, 0, 1]
    assert result.value_offsets.tolist() == [0, 3, 5]
    assert result.codes.tolist() == [[2, 0], [0, 1], [1, 0]]
    assert result.factor.tolist() == [1.0, 1.0, 2.5]
    assert result.node_offsets.tolist() == [0, 0, 0]
    assert len(data.encode_constraints(table, (), schema).rule) == 0


BAD = {
    "words without an order": (["u", "v"], "t-ordered(0.2)", {}, ColumnError, "is nominal, and t-ordered needs"),
    "numbers said to be names": ([1, 2], "t-ordered(0.2)", {"kind": Kind.NOMINAL}, ColumnError, "t-ordered needs"),
    "ranks nobody knows": (["u", "v"], "t-ordered(0.2)", {"kind": Kind.ORDINAL}, ColumnError, "t-ordered needs"),
    "no tree": (["u", "v"], "t-hierarchical(0.2)", {}, ColumnError, "has no hierarchy, and t-hierarchical needs one"),
    "a tree that lacks values": (["u", "b"], "t-hierarchical(0.2)", {"kind": Kind.HIERARCHICAL, "tree": TREE},
        HierarchyError, r"has 1 value \(of 2, in 1 record\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_models_that_do_not_fit_their_column(case: str) -> None:
    cells, model, meaning, error, words = BAD[case]
    with pytest.raises(error, match=words):
        constraints_of(cells, model, **meaning)


@pytest.mark.parametrize(
    ("role", "words"),
    [
        (Role.QUASI_IDENTIFIER, "'s' has a privacy model and is a quasi-identifier; give models to"),
        (Role.INSENSITIVE, "'s' has a privacy model and is insensitive; name it among the sensitive columns"),
    ],
)
def test_only_sensitive_columns_have_models(role: Role, words: str) -> None:
    table = data.read_table(pl.DataFrame({"s": ["x", "y"]}))
    with pytest.raises(ColumnError, match=words):
        data.encode_constraints(table, parse_models({"s": "distinct-l(2)"}), Schema((Column("s", role, Kind.NOMINAL),)))
    with pytest.raises(ColumnError, match="no column 'z'"):
        data.encode_constraints(table, parse_models({"z": "distinct-l(2)"}), Schema((Column("s", role, Kind.NOMINAL),)))


INFEASIBLE = {
    "distinct-l(4)": "The table as a whole reaches l = 3 on column 's', so that no groups of it can keep distinct-l.4.;"
    " ask for l = 3 or less",
    "entropy-l(2.9)": "reaches l = 2.7494 on .* can keep entropy-l.2.9.; ask for l = 2.7494 or less",
    "recursive-l(1.5,3)": "reaches l = 2 with c = 1.5 on .*; ask for l = 2 or less",
    "recursive-l(0.1,2)": "reaches no l above 1 with c = 0.1 on .*; ask for a larger c, or leave the model out",
}
CELLS = ["secret", "secret", "secret", "other", "other", "third"]


@pytest.mark.parametrize("model", INFEASIBLE)
def test_what_the_whole_table_breaks_is_refused(model: str) -> None:
    models = parse_models({"s": model})
    with pytest.raises(OptionError, match=INFEASIBLE[model]) as reported:
        data.check_feasible(constraints_of(CELLS, model), models)
    assert not any(cell in str(reported.value) for cell in CELLS)


@pytest.mark.parametrize("model", ["distinct-l(3)", "entropy-l(2.7494)", "recursive-l(1.5,2)", "t-equal(0)"])
def test_what_the_message_offers_can_be_kept(model: str) -> None:
    data.check_feasible(constraints_of(CELLS, model), parse_models({"s": model}))


def test_entropy_of_equal_shares_is_a_whole_number() -> None:
    for values in range(2, 60):
        cells = [f"v{value}" for value in range(values)] * 3
        data.check_feasible(constraints_of(cells, f"entropy-l({values})"), parse_models({"s": f"entropy-l({values})"}))


def test_a_part_of_the_records_may_be_infeasible() -> None:
    part, where = np.array([0, 1, 2, 3]), "a stratum of 4 records"
    with pytest.raises(OptionError, match=r"^A stratum of 4 records as a whole reaches l = 2 on column 's'"):
        data.check_feasible(
            constraints_of(CELLS, "distinct-l(3)").take(part), parse_models({"s": "distinct-l(3)"}), records_name=where
        )
    with pytest.raises(OptionError, match=r"reaches t = 0\.25 .*; ask for t = 0\.25 or more"):
        data.check_feasible(
            constraints_of(CELLS, "t-equal(0.1)").take(part), parse_models({"s": "t-equal(0.1)"}), records_name=where
        )
    one = np.array([0, 1])
    with pytest.raises(OptionError, match=r"reaches no l above 1 on column 's', .*; leave the model out"):
        data.check_feasible(constraints_of(CELLS, "distinct-l(2)").take(one), parse_models({"s": "distinct-l(2)"}))
