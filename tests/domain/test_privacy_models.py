"""Privacy models as users write them."""

from __future__ import annotations

import pytest

from shoal.domain.privacy_models import PrivacyModel, parse_models
from shoal.errors import OptionError


@pytest.mark.parametrize(
    "text",
    ["distinct-l(3)", "entropy-l(2.5)", "recursive-l(0.1,2)", "t-equal(0.2)", "t-ordered(0)", "t-hierarchical(1)"],
)
def test_a_model_is_written_as_it_was_read(text: str) -> None:
    model = PrivacyModel.parse("a", text)
    assert model.notation == text
    assert PrivacyModel.parse("a", model.notation) == model


def test_one_model_or_several_for_a_column() -> None:
    assert parse_models(None) == ()
    found = parse_models({"a": "distinct-l(2)", 3: [" t-equal( 0.2 ) ", "t-equal(0.2)", "recursive-l(2, 3)"]})
    assert [(model.column, model.notation) for model in found] == [
        ("a", "distinct-l(2)"),
        ("3", "t-equal(0.2)"),
        ("3", "recursive-l(2,3)"),
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"a": "distinct(2)"}, "There is no privacy model 'distinct.2.'; write one of distinct-l"),
        ({"a": "recursive-l(2)"}, "There is no privacy model"),
        ({"a": "t-equal(nan)"}, "There is no privacy model"),
        ({"a": 3}, "There is no privacy model"),
        ({"a": "distinct-l(2.5)"}, "l as a whole number"),
        ({"a": "entropy-l(1)"}, "l above 1"),
        ({"a": "t-equal(1.2)"}, "t from 0 to 1"),
        ({"a": "recursive-l(0,2)"}, "c above 0"),
        ("distinct-l(2)", "one or several for each sensitive column"),
    ],
)
def test_models_written_wrongly(given: object, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        parse_models(given)
