"""Sampling weights, strata and households of chunks, compared with the survey design of the whole table."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from chunked_tables import cuts, frames, opened, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import data
from shoal.data import SurveyColumns, SurveyStatistics, Table
from shoal.data.chunked import ChunkedFile, profile_file, with_column_types
from shoal.domain import Survey, number_by_first_row
from shoal.errors import ShoalError


def survey_of_chunks(source: ChunkedFile, **names: object) -> list[SurveyColumns]:
    statistics = profile_file(source)
    return [
        SurveyColumns.of(with_column_types(chunk, statistics), start=start, **names)  # type: ignore[arg-type]
        for start, chunk in source.numbered_chunks()
    ]


def numbers_of(keys: pl.DataFrame) -> list[int]:
    rows = keys.with_row_index("row").select(pl.first("row").over(keys.columns)).to_series()
    return number_by_first_row(rows.to_numpy().astype(np.int64))[1].tolist()


def compare_strata(whole: Table, source: ChunkedFile) -> None:
    strata = whole.names[:2]
    expected = data.build_survey_design(whole, strata=strata).strata
    assert expected is not None
    chunks = survey_of_chunks(source, strata=strata)
    assert numbers_of(pl.concat([chunk.strata for chunk in chunks if chunk.strata is not None])) == expected.tolist()


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(texts(), cuts)
def test_strata_of_text_are_equal_across_chunks(content: bytes, cut: tuple[int, int]) -> None:
    with opened(content, cut) as (whole, source):
        compare_strata(whole, source)


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(frames(), cuts, st.permutations(range(10)))
def test_strata_of_columns_are_equal_across_chunks(frame: pl.DataFrame, cut: tuple[int, int], order: list[int]) -> None:
    with opened(pl.DataFrame([frame.to_series(j) for j in order]), cut) as (whole, source):
        compare_strata(whole, source)


def checked_survey(source: ChunkedFile) -> list[SurveyColumns]:
    survey, profile = Survey(sampling_weights="w", households="h"), profile_file(source)
    chunks = [(start, with_column_types(chunk, profile)) for start, chunk in source.numbered_chunks()]
    parts = [SurveyStatistics.of(chunk, survey, start=start) for start, chunk in chunks]
    reduce(SurveyStatistics.merge, parts).check(survey)
    return [SurveyColumns.of(chunk, **survey.names) for _, chunk in chunks]


@pytest.mark.parametrize(
    ("weights", "households"),
    [
        (["1", "2.5", "3", "1e3", "4"], ["a", "b", "a", "c", "c"]),
        (["1", "2.5", "3", "1e3", "4"], ["7", "7.0", "-0", "0", "7.5"]),
        (["1", "2.5", "0", "1", "-1"], ["a", "b", "a", "c", "c"]),
        (["1", "2", "3", "4", ""], ["a", "b", "a", "c", "c"]),
        (["1", "x", "3", "4", "5"], ["a", "b", "a", "c", "c"]),
        (["1", "2", "3", "4", "5"], ["a", "b", "a", "", ""]),
    ],
)
def test_weights_and_households_are_checked_as_in_the_whole_table(weights: list[str], households: list[str]) -> None:
    content = "w,h,n\n" + "".join(f"{w},{h},1\n" for w, h in zip(weights, households, strict=True))
    with opened(content.encode(), (2, 1000)) as (whole, source):
        try:
            expected = data.build_survey_design(whole, sampling_weights="w", households="h")
        except ShoalError as error:
            with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
                checked_survey(source)
            return
        chunks = checked_survey(source)
        assert expected.sampling_weights is not None
        assert expected.households is not None
        found = [chunk.sampling_weights for chunk in chunks if chunk.sampling_weights is not None]
        assert np.concatenate(found).tolist() == expected.sampling_weights.tolist()
        keys = [key for chunk in chunks if (key := chunk.household_keys()) is not None]
        assert number_by_first_row(np.concatenate(keys))[1].tolist() == expected.households.tolist()


def test_unknown_columns_are_refused(tmp_path: Path) -> None:
    table = data.read_table(pl.DataFrame({"a": [1]}))
    with pytest.raises(ShoalError, match="no column 'x'"):
        SurveyColumns.of(table, strata=["a", "x"])
