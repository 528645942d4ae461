"""Protection page: options of a release, and the uniqueness of the original records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_client import PageClient, PageResponse, fake_query

from shoal.web.pages.protection_page import notable_combinations
from shoal.web.projects.model import ColumnFacts, Project, ReleaseChoices, SourceFile

EVIL = "<script>alert(1)</script>"
SCRIPT = {"x_requested_with": "shoal"}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageClient]:
    with PageClient(tmp_path) as result:
        yield result


def source(*, sensitive: bool = True) -> SourceFile:
    columns = (
        ColumnFacts("age", "quasi-identifier", "", "numeric", "integer", 40, 3, True),
        ColumnFacts("sex", "quasi-identifier", "", "nominal", "text", 2, 0),
        ColumnFacts(EVIL, "sensitive" if sensitive else "insensitive", "", "nominal", "text", 8, 0),
        ColumnFacts("weight", "insensitive", "", "numeric", "number", 90, 0),
        ColumnFacts("home", "insensitive", "", "nominal", "text", 400, 0),
    )
    return SourceFile("stays.csv", "csv", {"format": "csv"}, 1000, 5000, "00", columns)


def project(page: PageClient, *, sensitive: bool = True, **choices: Any) -> Project:
    known = source(sensitive=sensitive)
    result = page.context.store.create(
        "stays", source=known, choices=replace(ReleaseChoices.proposed(known), **choices)
    )
    page.context.files[result.id] = Path(__file__)
    return result


def send(
    page: PageClient, result: Project, *pairs: tuple[str, object], script: bool = False, **fields: object
) -> PageResponse:
    revision = page.context.store.read(result.id).revision
    everything = [("revision", revision), *fields.items(), *pairs]
    return page.post(f"/p/{result.id}/protection", everything, **(SCRIPT if script else {}))


def choices(page: PageClient, result: Project) -> ReleaseChoices:
    stored = page.context.store.read(result.id).choices
    assert stored is not None
    return stored


def test_no_k_is_chosen_for_anybody(page: PageClient) -> None:
    result = project(page)
    text = page.get(f"/p/{result.id}/protection").text
    cards = [line for line in text.splitlines() if 'type="radio" name="k"' in line]
    assert len(cards) == 5
    assert not any("checked" in card for card in cards)
    assert "1 in 5" in text
    assert "20 %" in text


def test_a_k_above_the_number_of_records_cannot_be_chosen(page: PageClient) -> None:
    known = replace(source(), records=12)
    result = page.context.store.create("few", source=known, choices=ReleaseChoices.proposed(known))
    text = page.get(f"/p/{result.id}/protection").text
    assert re.findall(r'name="k" value="(\d+)"[^>]* disabled', text) == ["20"]
    assert "More than there are records" in text


def test_a_project_that_was_not_read_has_nothing_to_protect(page: PageClient) -> None:
    result = page.context.store.create("next")
    response = page.get(f"/p/{result.id}/protection")
    assert response.status == 409
    assert "not read yet" in response.text


def test_without_quasi_identifiers_there_is_nothing_to_protect(page: PageClient) -> None:
    result = project(page)
    stored = choices(page, result).with_column(0, role="insensitive").with_column(1, role="insensitive")
    page.context.store.update(result.id, lambda now: replace(now, choices=stored))
    assert page.get(f"/p/{result.id}/protection").status == 422


@pytest.mark.parametrize(
    ("fields", "k"), [({"k": "5"}, 5), ({"k": "own", "k_own": "7"}, 7), ({"k": "own"}, None), ({}, 4)]
)
def test_k_is_kept(page: PageClient, fields: dict[str, str], k: int | None) -> None:
    result = project(page, k=4)
    response = send(page, result, **fields)
    assert (response.status, response.location) == (303, f"/p/{result.id}/protection")
    assert choices(page, result).k == k


def test_a_kept_k_is_shown_again(page: PageClient) -> None:
    cards = page.get(f"/p/{project(page, k=7).id}/protection").text
    assert 'name="k" value="own" checked' in cards
    assert 'name="k_own" value="7"' in cards
    assert 'name="k" value="5" checked' in page.get(f"/p/{project(page, k=5).id}/protection").text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"k": "1"}, "k = 1 protects nobody"),
        ({"k": "own", "k_own": "0"}, "k = 0 protects nobody"),
        ({"k": "-3"}, "k = -3 protects nobody"),
        ({"k": "own", "k_own": "1001"}, "k = 1,001 is more than the 1,000 records"),
        ({"k": "own", "k_own": "3.5"}, "k is not a whole number"),
        ({"k": "own", "k_own": "3,5"}, "k is not a whole number"),
        ({"k": "own", "k_own": "five"}, "k is not a whole number"),
        ({"k": "own", "k_own": "9" * 5000}, "k is not a whole number"),
        ({"k": "٥"}, "k is not a whole number"),
        ({"l": "1"}, "is out of range"),
        ({"l": "2.5"}, "'l' has a value"),
        ({"l": "own", "l_own": "50"}, "8 different values"),
        ({"t": "2"}, "'t' has a value"),
        ({"t": "nan"}, "'t' has a value"),
        ({"t": "own", "t_own": "x"}, "'t' has a value"),
        ({"suppression": "2"}, "'suppression' has a value"),
        ({"suppression": "own", "suppression_own": "101"}, "suppression (%)"),
        ({"k": "20", "suppression": "0.01"}, "The suppression budget allows 10 of 1,000 records"),
        ({"missing_values": "drop"}, "There is no missing_values"),
        ({"method": "own", "method_own": "mdaw"}, "There is no method"),
        ({"method": "own", "method_own": "hm"}, "does not support these quasi-identifiers"),
        ({"effort": "more"}, "There is no effort"),
        ({"seed": "-1"}, "seed is not a whole number"),
        ({"seed": "x"}, "seed is not a whole number"),
        ({"survey": "yes", "households": "0"}, "age"),
        ({"survey": "yes", "sampling_weights": "99"}, "'column' has a value"),
        ({"survey": "yes", "strata": "-1"}, "'column' has a value"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(page: PageClient, fields: dict[str, str], sentence: str) -> None:
    result = project(page, k=4)
    response = send(page, result, script=True, **fields)
    assert response.status == 422
    assert sentence in response.json["error"]
    assert page.context.store.read(result.id) == result
    whole = send(page, result, **fields)
    assert whole.status == 422
    assert 'role="alert"' in whole.text
    assert 'name="k" value="own" checked' in whole.text


def test_everything_is_kept(page: PageClient) -> None:
    result = project(page)
    fields = {
        "k": "5",
        "l": "2",
        "t": "own",
        "t_own": "0,25",
        "suppression": "own",
        "suppression_own": "2.5",
        "missing_values": "wildcard",
        "method": "own",
        "method_own": "mdav",
        "effort": "",
        "seed": "7",
        "boxes_shown": "yes",
        "exact_means": "yes",
        "shuffle": "yes",
        "neutralize": "yes",
        "survey": "yes",
        "sampling_weights": "3",
        "households": "4",
    }
    send(page, result, ("strata", "1"), ("strata", "0"), **fields)
    stored = choices(page, result)
    assert replace(stored, columns=()) == ReleaseChoices(
        columns=(),
        k=5,
        l=2,
        t=0.25,
        suppression=0.025,
        missing_values="wildcard",
        method="mdav",
        effort="",
        seed=7,
        exact_means=True,
        sampling_weights="weight",
        households="home",
        strata=("sex", "age"),
        shuffle=True,
        formulas="neutralize",
    )
    text = page.get(f"/p/{result.id}/protection").text
    for field in ('name="t_own" value="0.25"', 'name="suppression_own" value="2.5"', '<option value="3" selected>'):
        assert field in text
    assert text.count("checked") >= 6


def test_what_a_form_does_not_say_stays(page: PageClient) -> None:
    result = project(page, k=5, l=2, t=0.3, suppression=0.05, method="mdav", effort="", seed=3, strata=("sex",))
    send(page, result, k="6")
    assert choices(page, result) == replace(choices(page, result), l=2, t=0.3, suppression=0.05, method="mdav", seed=3)
    assert choices(page, result).strata == ("sex",)


def test_the_method_that_shoal_chooses_is_always_improved(page: PageClient) -> None:
    result = project(page, method="mdav", effort="")
    send(page, result, method="auto", effort="")
    assert (choices(page, result).method, choices(page, result).effort) == ("auto", "balanced")


def test_without_sensitive_columns_nothing_is_asked_of_them(page: PageClient) -> None:
    result = project(page, sensitive=False, l=2, t=0.2)
    text = page.get(f"/p/{result.id}/protection").text
    assert 'name="l"' not in text
    assert "mark it as sensitive" in text
    send(page, result, k="5", l="3")
    assert (choices(page, result).l, choices(page, result).t) == (None, None)


def test_names_are_shown_as_text(page: PageClient) -> None:
    text = page.get(f"/p/{project(page).id}/protection").text
    assert EVIL not in text
    assert "&lt;script&gt;" in text


def test_methods_that_do_not_fit_cannot_be_chosen(page: PageClient) -> None:
    text = page.get(f"/p/{project(page).id}/protection").text
    lines = {line.partition('value="')[2].partition('"')[0]: line for line in text.splitlines() if "data-words" in line}
    assert "disabled" in lines["hm"]  # numbers only
    assert "disabled" not in lines["mdav"]
    assert "auto" not in lines


def test_our_script_is_told_the_revision(page: PageClient) -> None:
    result = project(page)
    response = send(page, result, script=True, k="5")
    assert response.status == 204
    assert response.headers["x-revision"] == str(page.context.store.read(result.id).revision)
    assert page.context.store.read(result.id).revision == result.revision + 1


def test_two_tabs_do_not_overwrite_each_other(page: PageClient) -> None:
    result = project(page)
    send(page, result, k="5")
    response = page.post(f"/p/{result.id}/protection", {"revision": result.revision, "k": "3"}, **SCRIPT)
    assert response.status == 409
    assert choices(page, result).k == 5


def test_one_goes_on_as_soon_as_k_is_chosen(page: PageClient) -> None:
    result = project(page)
    response = send(page, result, go="run")
    assert response.status == 422
    assert "k is not chosen yet" in response.text
    assert send(page, result, go="run", k="5").location == f"/p/{result.id}/run"


def uniqueness(**facts: Any) -> dict[str, Any]:
    rows = [{"columns": ["age"], "unique": 3}, {"columns": ["age", "sex"], "unique": 640}]
    return {"records": 1000, "unique": 999, "below_k": None, "combinations": rows, "looked": 3, "of": 3, **facts}


def test_the_estimate_says_who_stands_out(page: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    result = project(page)
    params = fake_query(page, monkeypatch, uniqueness())
    text = page.get(f"/p/{result.id}/exposure").text
    assert params[0][0] == "exposure"
    assert (params[0][1]["quasi_identifiers"], params[0][1]["k"]) == (["age", "sex"], None)
    assert '<strong class="n">999</strong> of 1,000 records' in text
    assert "age + sex" in text
    assert "64.0" in text
    assert "Choose k" in text


def test_the_estimate_says_what_k_changes(page: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_query(page, monkeypatch, uniqueness(unique=100, below_k=350))
    text = " ".join(page.get(f"/p/{project(page, k=5).id}/exposure").text.split())
    assert "For k = 5, 350 records must become like others. They will form at most 200 groups." in text
    assert 'fewer than 5 alike: <span class="n">250</span>' in text
    assert '5 or more alike: <span class="n">650</span>' in text


def test_what_holds_already_is_said(page: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_query(page, monkeypatch, uniqueness(unique=0, below_k=0, combinations=[]))
    text = page.get(f"/p/{project(page, k=5).id}/exposure").text
    assert "No record is unique" in text
    assert "k = 5 holds already" in text
    assert "A few columns are enough" not in text


def test_without_the_file_the_estimate_says_where_to_choose_it(page: PageClient) -> None:
    result = project(page, k=5)
    page.context.files.pop(result.id)
    text = page.get(f"/p/{result.id}/protection").text
    assert "The estimate needs the file" in text
    assert "data-load" not in text
    assert page.get(f"/p/{result.id}/exposure").status == 409
    assert send(page, result, k="3").status == 303


def test_combinations_that_were_not_counted_are_told(page: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_query(page, monkeypatch, uniqueness(looked=7, of=1234))
    assert "7 of 1,234 combinations" in page.get(f"/p/{project(page).id}/exposure").text


def test_an_estimate_that_is_not_there_yet_is_asked_for_again(
    page: PageClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_query(page, monkeypatch, None)
    assert page.get(f"/p/{project(page).id}/exposure").status == 202


def test_a_share_is_never_rounded_up(page: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"columns": ["age"], "unique": 99_999}]
    fake_query(page, monkeypatch, uniqueness(records=100_000, combinations=rows))
    text = page.get(f"/p/{project(page).id}/exposure").text
    assert "99.9<" in text
    assert "100.0<" not in text


def test_a_combination_is_told_only_if_it_adds_records() -> None:
    rows = [
        {"columns": ["a"], "unique": 50},
        {"columns": ["a", "b"], "unique": 50},
        {"columns": ["a", "c"], "unique": 70},
        {"columns": ["a", "b", "c"], "unique": 70},
        {"columns": ["b", "c"], "unique": 60},
    ]
    assert [row["columns"] for row in notable_combinations({"combinations": rows})] == [["a"], ["a", "c"], ["b", "c"]]
