"""Error messages and column types in the words of the page."""

from __future__ import annotations

import pytest

from shoal.errors import ColumnError, FileError, HierarchyError, OptionError
from shoal.web.http.render import error_for_page
from shoal.web.workers.tasks.file_tasks import column_type_name


@pytest.mark.parametrize(
    ("type", "word"),
    [
        ("integer", "integer"),
        ("text", "text"),
        ("date", "date"),
        ("Float64", "number"),
        ("UInt8", "integer"),
        ("Decimal(precision=10, scale=2)", "number"),
        ("String", "text"),
        ("Date", "date"),
        ("Datetime(time_unit='us', time_zone=None)", "date and time"),
        ("Enum(categories=['Ada', 'Bo'])", "text"),
        ("Boolean", "yes or no"),
        ("Struct({'Ada': Int64})", "struct"),
    ],
)
def test_types_are_plain_words_and_name_no_value(type: str, word: str) -> None:
    assert column_type_name(type) == word


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ColumnError.unassigned_identifiers({"a": "odd", "b": "odd"}, is_replay=False),
            "drop them under Columns, or release them unchanged under Columns.",
        ),
        (ColumnError.unknown("born", ["age", "sex"]), "There is no column 'born'; the table has 2 columns."),
        (OptionError.invalid_value("skip", "a number"), "The setting “Lines above the header” has a value"),
        (
            ColumnError.ambiguous_format("born", "day or month", ("DD.MM.YYYY",)),
            "under Data, Change import settings (Format of one column).",
        ),
        (FileError.several_sheets("a.xlsx", ["a", "b"]), "name one under Data, Change import settings (Sheet)."),
        (FileError.stray_quote("a.csv", row=3), "switch quoting off under Data, Change import settings (Quote)."),
        (
            FileError.header_looks_numeric("a.csv"),
            "or say that the first line is a record, or that it holds names if it is one.",
        ),
        (
            HierarchyError.uncovered("job", values=1, of=9, records=2, near=0),
            "open its hierarchy under Columns, Details, which lists them and offers to add them.",
        ),
        (ColumnError.no_quasi_identifier(), "that an outsider could know under Columns."),
        (ColumnError.no_levels("pain"), "name its levels, lowest first, under Columns"),
    ],
)
def test_sentences_name_places_of_the_page(error: Exception, words: str) -> None:
    assert words in error_for_page(error.sentence)
    assert "--" not in error_for_page(error.sentence)


def test_flags_are_left_out_and_other_sentences_stay() -> None:
    assert error_for_page("Ask for l = 2 (-l 2) to keep values apart.") == "Ask for l = 2 to keep values apart."
    assert "format=" not in error_for_page("It is not JSON; mend it, or name the format with format= (--from).")
    gaps = "3 cells are missing; they count (missing values: 'category'; other ways are wildcard, impute)."
    assert (
        error_for_page(gaps) == "3 cells are missing; they count (other ways with missing values are under Protection)."
    )
    assert error_for_page("Nothing was released; choose k = 5.") == "Nothing was released; choose k = 5."
    broken = "Dependency broken: x; drop one of them and derive it from the other, or generalize (--recode a=lcs)."
    assert error_for_page(broken).endswith("or generalize them (Columns, Details, Each value becomes).")
