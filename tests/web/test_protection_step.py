"""The step Protection: what is asked of a release, and who stands out before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from driver import Answer, Driver, answering

from shoal.web.pages.protection_page import notable_combinations
from shoal.web.projects.model import ColumnFacts, Project, ReleaseChoices, SourceFile

EVIL = "<script>alert(1)</script>"
SCRIPT = {"x_requested_with": "shoal"}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Driver]:
    with Driver(tmp_path) as found:
        yield found


def source(*, sensitive: bool = True) -> SourceFile:
    columns = (
        ColumnFacts("age", "quasi-identifier", "", "numeric", "integer", 40, 3, True),
        ColumnFacts("sex", "quasi-identifier", "", "nominal", "text", 2, 0),
        ColumnFacts(EVIL, "sensitive" if sensitive else "insensitive", "", "nominal", "text", 8, 0),
        ColumnFacts("weight", "insensitive", "", "numeric", "number", 90, 0),
        ColumnFacts("home", "insensitive", "", "nominal", "text", 400, 0),
    )
    return SourceFile("stays.csv", "csv", {"format": "csv"}, 1000, 5000, "00", columns)


def project(page: Driver, *, sensitive: bool = True, **choices: Any) -> Project:
    known = source(sensitive=sensitive)
    found = page.place.store.create("stays", source=known, choices=replace(ReleaseChoices.proposed(known), **choices))
    page.place.files[found.id] = Path(__file__)
    return found


def send(page: Driver, found: Project, *pairs: tuple[str, object], script: bool = False, **fields: object) -> Answer:
    revision = page.place.store.read(found.id).revision
    everything = [("revision", revision), *fields.items(), *pairs]
    return page.post(f"/p/{found.id}/protection", everything, **(SCRIPT if script else {}))


def choices(page: Driver, found: Project) -> ReleaseChoices:
    kept = page.place.store.read(found.id).choices
    assert kept is not None
    return kept


def test_no_k_is_chosen_for_anybody(page: Driver) -> None:
    found = project(page)
    text = page.get(f"/p/{found.id}/protection").text
    cards = [line for line in text.splitlines() if 'type="radio" name="k"' in line]
    assert len(cards) == 5
    assert not any("checked" in card for card in cards)
    assert "1 in 5" in text
    assert "20 %" in text


def test_a_k_above_the_number_of_records_cannot_be_chosen(page: Driver) -> None:
    known = replace(source(), records=12)
    found = page.place.store.create("few", source=known, choices=ReleaseChoices.proposed(known))
    text = page.get(f"/p/{found.id}/protection").text
    assert re.findall(r'name="k" value="(\d+)"[^>]* disabled', text) == ["20"]
    assert "More than there are records" in text


def test_a_project_that_was_not_read_has_nothing_to_protect(page: Driver) -> None:
    found = page.place.store.create("next")
    answer = page.get(f"/p/{found.id}/protection")
    assert answer.status == 409
    assert "not read yet" in answer.text


def test_without_quasi_identifiers_there_is_nothing_to_protect(page: Driver) -> None:
    found = project(page)
    kept = choices(page, found).with_column(0, role="insensitive").with_column(1, role="insensitive")
    page.place.store.update(found.id, lambda now: replace(now, choices=kept))
    assert page.get(f"/p/{found.id}/protection").status == 422


@pytest.mark.parametrize(
    ("fields", "k"), [({"k": "5"}, 5), ({"k": "own", "k_own": "7"}, 7), ({"k": "own"}, None), ({}, 4)]
)
def test_k_is_kept(page: Driver, fields: dict[str, str], k: int | None) -> None:
    found = project(page, k=4)
    answer = send(page, found, **fields)
    assert (answer.status, answer.location) == (303, f"/p/{found.id}/protection")
    assert choices(page, found).k == k


def test_a_kept_k_is_shown_again(page: Driver) -> None:
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
        ({"l": "1"}, "cannot be asked for"),
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
        ({"method": "own", "method_own": "hm"}, "does not take these quasi-identifiers"),
        ({"effort": "more"}, "There is no effort"),
        ({"seed": "-1"}, "seed is not a whole number"),
        ({"seed": "x"}, "seed is not a whole number"),
        ({"survey": "yes", "households": "0"}, "age"),
        ({"survey": "yes", "sampling_weights": "99"}, "'column' has a value"),
        ({"survey": "yes", "strata": "-1"}, "'column' has a value"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(page: Driver, fields: dict[str, str], sentence: str) -> None:
    found = project(page, k=4)
    answer = send(page, found, script=True, **fields)
    assert answer.status == 422
    assert sentence in answer.json["error"]
    assert page.place.store.read(found.id) == found
    whole = send(page, found, **fields)
    assert whole.status == 422
    assert 'role="alert"' in whole.text
    assert 'name="k" value="own" checked' in whole.text


def test_everything_is_kept(page: Driver) -> None:
    found = project(page)
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
    send(page, found, ("strata", "1"), ("strata", "0"), **fields)
    kept = choices(page, found)
    assert replace(kept, columns=()) == ReleaseChoices(
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
    text = page.get(f"/p/{found.id}/protection").text
    for field in ('name="t_own" value="0.25"', 'name="suppression_own" value="2.5"', '<option value="3" selected>'):
        assert field in text
    assert text.count("checked") >= 6


def test_what_a_form_does_not_say_stays(page: Driver) -> None:
    found = project(page, k=5, l=2, t=0.3, suppression=0.05, method="mdav", effort="", seed=3, strata=("sex",))
    send(page, found, k="6")
    assert choices(page, found) == replace(choices(page, found), l=2, t=0.3, suppression=0.05, method="mdav", seed=3)
    assert choices(page, found).strata == ("sex",)


def test_the_method_that_shoal_chooses_is_always_improved(page: Driver) -> None:
    found = project(page, method="mdav", effort="")
    send(page, found, method="auto", effort="")
    assert (choices(page, found).method, choices(page, found).effort) == ("auto", "balanced")


def test_without_sensitive_columns_nothing_is_asked_of_them(page: Driver) -> None:
    found = project(page, sensitive=False, l=2, t=0.2)
    text = page.get(f"/p/{found.id}/protection").text
    assert 'name="l"' not in text
    assert "mark it as sensitive" in text
    send(page, found, k="5", l="3")
    assert (choices(page, found).l, choices(page, found).t) == (None, None)


def test_names_are_shown_as_text(page: Driver) -> None:
    text = page.get(f"/p/{project(page).id}/protection").text
    assert EVIL not in text
    assert "&lt;script&gt;" in text


def test_methods_that_do_not_fit_cannot_be_chosen(page: Driver) -> None:
    text = page.get(f"/p/{project(page).id}/protection").text
    lines = {line.partition('value="')[2].partition('"')[0]: line for line in text.splitlines() if "data-words" in line}
    assert "disabled" in lines["hm"]  # numbers only
    assert "disabled" not in lines["mdav"]
    assert "auto" not in lines


def test_our_script_is_told_the_revision(page: Driver) -> None:
    found = project(page)
    answer = send(page, found, script=True, k="5")
    assert answer.status == 204
    assert answer.headers["x-revision"] == str(page.place.store.read(found.id).revision)
    assert page.place.store.read(found.id).revision == found.revision + 1


def test_two_tabs_do_not_overwrite_each_other(page: Driver) -> None:
    found = project(page)
    send(page, found, k="5")
    answer = page.post(f"/p/{found.id}/protection", {"revision": found.revision, "k": "3"}, **SCRIPT)
    assert answer.status == 409
    assert choices(page, found).k == 5


def test_one_goes_on_as_soon_as_k_is_chosen(page: Driver) -> None:
    found = project(page)
    answer = send(page, found, go="run")
    assert answer.status == 422
    assert "k is not chosen yet" in answer.text
    assert send(page, found, go="run", k="5").location == f"/p/{found.id}/run"


def exposed(**facts: Any) -> dict[str, Any]:
    rows = [{"columns": ["age"], "unique": 3}, {"columns": ["age", "sex"], "unique": 640}]
    return {"records": 1000, "unique": 999, "below_k": None, "combinations": rows, "looked": 3, "of": 3, **facts}


def test_the_estimate_says_who_stands_out(page: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    found = project(page)
    asked = answering(page, monkeypatch, exposed())
    text = page.get(f"/p/{found.id}/exposure").text
    assert asked[0][0] == "exposure"
    assert (asked[0][1]["quasi_identifiers"], asked[0][1]["k"]) == (["age", "sex"], None)
    assert '<strong class="n">999</strong> of 1,000 records' in text
    assert "age + sex" in text
    assert "64.0" in text
    assert "Choose k" in text


def test_the_estimate_says_what_k_changes(page: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(page, monkeypatch, exposed(unique=100, below_k=350))
    text = " ".join(page.get(f"/p/{project(page, k=5).id}/exposure").text.split())
    assert "For k = 5, 350 records must become like others. They will form at most 200 groups." in text
    assert 'fewer than 5 alike: <span class="n">250</span>' in text
    assert '5 or more alike: <span class="n">650</span>' in text


def test_what_holds_already_is_said(page: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(page, monkeypatch, exposed(unique=0, below_k=0, combinations=[]))
    text = page.get(f"/p/{project(page, k=5).id}/exposure").text
    assert "No record is unique" in text
    assert "k = 5 holds already" in text
    assert "A few columns are enough" not in text


def test_without_the_file_the_estimate_says_where_to_choose_it(page: Driver) -> None:
    found = project(page, k=5)
    page.place.files.pop(found.id)
    text = page.get(f"/p/{found.id}/protection").text
    assert "The estimate needs the file" in text
    assert "data-load" not in text
    assert page.get(f"/p/{found.id}/exposure").status == 409
    assert send(page, found, k="3").status == 303


def test_combinations_that_were_not_counted_are_told(page: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(page, monkeypatch, exposed(looked=7, of=1234))
    assert "7 of 1,234 combinations" in page.get(f"/p/{project(page).id}/exposure").text


def test_an_estimate_that_is_not_there_yet_is_asked_for_again(page: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(page, monkeypatch, None)
    assert page.get(f"/p/{project(page).id}/exposure").status == 202


def test_a_share_is_never_rounded_up(page: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"columns": ["age"], "unique": 99_999}]
    answering(page, monkeypatch, exposed(records=100_000, combinations=rows))
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
