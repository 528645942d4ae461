"""``COLUMN=FILE``: the file may contain an equals sign, and so may a column in quotation marks."""

from __future__ import annotations

import pytest

from shoal.cli.terminal import parse_pairs
from shoal.errors import OptionError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("job=a=b.csv", {"job": "a=b.csv"}),
        ('"x=y"=a=b.csv', {"x=y": "a=b.csv"}),
        ('"say ""hi""=x"=a.csv', {'say "hi"=x': "a.csv"}),
        ('a"b"=a.csv', {'a"b"': "a.csv"}),
        ('"open=a.csv', {'"open': "a.csv"}),
    ],
)
def test_a_name_in_quotation_marks_may_hold_anything(text: str, expected: dict[str, str]) -> None:
    assert parse_pairs([text], "hierarchy", split_at_last=False) == expected


@pytest.mark.parametrize("text", ['"x=y"=', '""=a.csv', '"x"', "=a.csv"])
def test_a_name_without_a_file_is_refused(text: str) -> None:
    with pytest.raises(OptionError):
        parse_pairs([text], "hierarchy", split_at_last=False)
