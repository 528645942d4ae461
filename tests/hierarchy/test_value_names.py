"""Values as text, as a column shows them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.builders import value_texts
from shoal.hierarchy.coverage import count_values

NOON = dt.datetime(2020, 1, 1, 12, 0)
MIDNIGHT = dt.datetime(2020, 1, 1)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([True, np.bool_(False)], ["true", "false"]),
        ([1.0, 2.5, np.float64(3.0), np.float32(0.5), -1e-9], ["1", "2.5", "3", "0.5", "-1e-09"]),
        ([7, np.int64(8), Decimal("1.50"), np.str_("x"), " y "], ["7", "8", "1.50", "x", " y "]),
        ([dt.date(2020, 1, 1)], ["2020-01-01"]),
        (
            [MIDNIGHT, pd.Timestamp("2021-02-03"), np.datetime64("2022-01-01")],
            ["2020-01-01", "2021-02-03", "2022-01-01"],
        ),
        ([np.datetime64("2020-01-01", "ns")], ["2020-01-01"]),
        ([MIDNIGHT, NOON], ["2020-01-01 00:00:00", "2020-01-01 12:00:00"]),
        ([pd.Timestamp(NOON), np.datetime64(NOON, "ns")], ["2020-01-01 12:00:00", "2020-01-01 12:00:00"]),
        ([NOON.replace(microsecond=500)], ["2020-01-01 12:00:00.000500"]),
        ([MIDNIGHT.replace(tzinfo=dt.UTC)], ["2020-01-01 00:00:00+00:00"]),
    ],
)
def test_names(values: list[Any], names: list[str]) -> None:
    assert value_texts(values) == names
    assert list(count_values(values)) == list(dict.fromkeys(names))


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan"), np.datetime64("NaT"), pd.NaT, pd.NA])
def test_what_is_missing_has_no_name(missing: Any) -> None:
    assert count_values(["x", missing]) == {"x": 1}


def test_what_is_built_has_the_values_it_was_built_of() -> None:
    for values in ([1.0, 2.0], [True, False], [MIDNIGHT, pd.Timestamp("2021-02-03")]):
        assert Hierarchy.from_frequencies(values).coverage(values)


@pytest.mark.parametrize("build", [Hierarchy.from_prefixes, Hierarchy.from_frequencies, Hierarchy.from_dates])
@pytest.mark.parametrize("values", [np.array([["a", "b"], ["c", "d"]]), [["a"], ["b"]], [{"a": 1}]])
def test_values_within_values_are_refused(build: Any, values: Any) -> None:
    with pytest.raises(OptionError, match="'values'"):
        build(values)
