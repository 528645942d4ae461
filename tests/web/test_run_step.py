"""The step Run: two ways to go on, jobs that can be left and cancelled, and a comparison to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clerk import ODD, Clerk, comparison, left_beside, source, write_table
from driver import Answer, Driver

from shoal.web.errors import PageError
from shoal.web.projects.model import Project

PLAIN = re.compile(r"<script>alert|<best>|<b><script| style=|onclick=|<style")


@pytest.fixture
def driver(tmp_path: Path, clerk: Clerk) -> Iterator[Driver]:
    with Driver(tmp_path / "place") as found:
        yield found


@pytest.fixture
def project(driver: Driver, tmp_path: Path) -> Project:
    write_table(tmp_path / "people.csv")
    return driver.project(source(), name=f"people {ODD}.csv", file=tmp_path / "people.csv")


def decide(driver: Driver, project: Project, **changes: object) -> Project:
    return driver.place.store.update(
        project.id,
        lambda now: replace(now, choices=replace(now.choices, **changes)),  # type: ignore[type-var]
    )


def form(project: Project, **fields: object) -> dict[str, object]:
    return {"revision": project.revision, **fields}


def shown(driver: Driver, project: Project, path: str = "run") -> Answer:
    answer = driver.get(f"/p/{project.id}/{path}")
    assert PLAIN.search(answer.text) is None, PLAIN.search(answer.text)
    return answer


def button(answer: Answer, words: str) -> str:
    """The tag of the button with these words."""
    return next(tag for tag in re.findall(r"<button[^>]*>[^<]*", answer.text) if words in tag)


def test_without_k_one_can_compare_and_not_release(driver: Driver, project: Project) -> None:
    answer = shown(driver, project)
    assert "k is not decided yet" in answer.text
    assert "disabled" in button(answer, "Make the release")
    assert "disabled" not in button(answer, "Compare")
    refused = driver.post(f"/p/{project.id}/release", form(project))
    assert refused.status == 422
    assert "k is not given, and a privacy level is your decision" in refused.text


def test_all_decisions_are_told_in_words(driver: Driver, project: Project) -> None:
    decide(driver, project, k=5, l=2, suppression=0.1, method="mdav", effort="", strata=("note",))
    driver.place.store.update(
        project.id, lambda now: replace(now, choices=now.choices.with_column(1, weight=2.0, recode="median"))
    )
    text = shown(driver, project).text
    for words in (
        "k = 5: every record will share its quasi-identifiers with at least 4 others.",
        "in at most 1 of 5 tries (20 %)",
        "2 columns made alike in groups: age and &lt;script&gt;",
        "1 column removed: who.",
        "Every class has at least 2 different values of each sensitive column.",
        "Up to 10 % of the records (2) may lose all their quasi-identifiers.",
        "mdav. Its groups are left as it makes them.",
        "groups do not cross note.",
        "age counts 2.",
        "age to median.",
        "Make the release with k = 5, mdav",
    ):
        assert words in text


def test_a_project_without_a_file_that_was_read_goes_back_to_its_data(driver: Driver) -> None:
    empty = driver.place.store.create("empty")
    assert driver.get(f"/p/{empty.id}/run").location == f"/p/{empty.id}/data"


def test_while_a_file_is_read_its_data_are_shown(driver: Driver, project: Project) -> None:
    async def then(_: object) -> None: ...

    async def start() -> None:
        driver.place.jobs.start(project.id, "look", {}, on_result=then)

    driver._runner.run(start())
    assert driver.get(f"/p/{project.id}/run").location == f"/p/{project.id}/data"
    assert driver.post(f"/p/{project.id}/cancel").location == f"/p/{project.id}/data"


def test_without_a_quasi_identifier_nothing_runs(driver: Driver, project: Project) -> None:
    assert project.choices is not None
    columns = tuple(replace(column, role="sensitive") for column in project.choices.columns)
    project = decide(driver, project, k=3, columns=columns)
    for path in ("compare", "release"):
        answer = driver.post(f"/p/{project.id}/{path}", form(project, k=3))
        assert answer.status == 422
        assert "No quasi-identifier" in answer.text


def test_a_file_that_is_not_at_hand_is_asked_for(driver: Driver, project: Project) -> None:
    project = decide(driver, project, k=3)
    del driver.place.files[project.id]
    answer = shown(driver, project)
    assert "is not at hand" in answer.text
    assert "disabled" in button(answer, "Make the release")
    assert driver.post(f"/p/{project.id}/release", form(project)).status == 409


def test_methods_are_offered_for_the_columns_as_they_are_understood(driver: Driver, project: Project) -> None:
    """A column that is to have a hierarchy and has none yet is taken as it was found."""
    known, before = source(), project.choices
    bare = before.with_column(2, kind="hierarchical")
    assert bare.quasi_identifier_kinds(known) == before.quasi_identifier_kinds(known) == ["numeric", "nominal"]
    assert (
        before.with_column(2, kind="hierarchical", hierarchy="hierarchy-3.json").quasi_identifier_kinds(known)[1]
        == "hierarchical"
    )
    assert before.with_column(2, kind="ordinal", levels="levels-3.txt").quasi_identifier_kinds(known)[1] == "ordinal"
    assert before.with_column(1, kind="nominal").quasi_identifier_kinds(known)[0] == "nominal"


def test_a_release_is_asked_for_as_decided_and_marked_by_what_was_decided_then(
    driver: Driver, project: Project, clerk: Clerk
) -> None:
    project = decide(driver, project, k=3)

    def work(asked: Mapping[str, Any]) -> dict[str, Any]:
        decide(driver, project, k=4)  # in another tab, while it runs
        return left_beside(asked)

    clerk.answers["release"] = work
    started = driver.post(f"/p/{project.id}/release", form(project))
    assert (started.status, started.location) == (303, f"/p/{project.id}/run?then=release")
    assert driver.get(started.location).location == f"/p/{project.id}/release"
    task, asked = clerk.asked[0]
    assert task == "release"
    assert asked["arguments"]["k"] == 3
    assert asked["arguments"]["quasi_identifiers"] == ["age", ODD]
    assert asked["folder"] == str(driver.place.store.release(project.id))
    assert asked["comparison"] is None
    now = driver.place.store.read(project.id)
    assert now.released == project.mark != now.mark
    kept = driver.place.store.read_results(project.id, "release/decisions.json")
    assert kept is not None
    assert kept["choices"]["k"] == 3
    assert "an earlier run, made with other decisions" in shown(driver, project).text


def test_a_run_can_be_left_found_again_and_cancelled(driver: Driver, project: Project) -> None:
    project = decide(driver, project, k=3)
    driver.post(f"/p/{project.id}/release", form(project))
    for _ in range(2):  # a reload, or a second tab
        answer = shown(driver, project, "run?then=release")
        assert f'data-job="/p/{project.id}/job"' in answer.text
        assert "Making the release" in answer.text
        assert "What you decided" not in answer.text
    assert driver.get(f"/p/{project.id}/job").json["state"] == "running"
    assert driver.post(f"/p/{project.id}/release", form(project)).status == 409
    assert driver.post(f"/p/{project.id}/cancel", form(project)).location == f"/p/{project.id}/run"
    answer = shown(driver, project)
    assert "Nothing was released" in answer.text
    assert "data-job" not in answer.text
    assert driver.get(f"/p/{project.id}/job").json["state"] == "cancelled"
    assert driver.place.store.read(project.id).released == ""


def test_without_a_job_the_poll_says_so(driver: Driver, project: Project) -> None:
    assert driver.get(f"/p/{project.id}/job").json == {"state": "none"}
    assert driver.post(f"/p/{project.id}/cancel").status == 303


def test_a_run_that_fails_says_why_and_where_to_go(driver: Driver, project: Project, clerk: Clerk) -> None:
    project = decide(driver, project, k=3)
    clerk.answers["release"] = PageError.from_worker("The <b>table</b> is too small", "give more records")
    driver.post(f"/p/{project.id}/release", form(project))
    answer = shown(driver, project, "run?then=release")
    assert "The &lt;b&gt;table&lt;/b&gt; is too small; give more records." in answer.text
    assert "Nothing was released." in answer.text
    for step in ("data", "columns", "protection"):
        assert f'href="/p/{project.id}/{step}"' in answer.text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "k is not given"),
        ({"k": "five"}, "k is not a whole number"),
        ({"own": "3, 1"}, "k = 1 protects nobody"),
        ({"k": "3", "seconds": "-1"}, "&#39;seconds&#39; has a value that it cannot take"),
        ({"k": "3", "seconds": "nan"}, "&#39;seconds&#39; has a value that it cannot take"),
        ({"k": "3", "which": "chosen"}, "at least one method"),
        ({"k": "3", "which": "chosen", "method": "<x>"}, "There is no method &#39;&lt;x&gt;&#39;"),
    ],
)
def test_a_comparison_that_cannot_be_asked_for_is_refused_and_the_form_stays(
    driver: Driver, project: Project, clerk: Clerk, fields: dict[str, object], sentence: str
) -> None:
    answer = driver.post(f"/p/{project.id}/compare", form(project, **fields))
    assert answer.status == 422
    assert sentence in answer.text
    assert answer.field("own") == fields.get("own", "")
    assert not clerk.asked


def test_a_comparison_is_asked_for_without_k_method_and_effort_of_the_project(
    driver: Driver, project: Project, clerk: Clerk
) -> None:
    project = decide(driver, project, k=9, l=2)
    fields = [
        ("revision", project.revision),
        ("k", 3),
        ("k", 5),
        ("own", "7 4;5"),
        ("which", "chosen"),
        ("seconds", ""),
    ]
    driver.post(f"/p/{project.id}/compare", [*fields, ("method", "mdav"), ("method", "v-mdav"), ("effort", "fast")])
    driver.get(f"/p/{project.id}/job")
    [(task, asked)] = clerk.asked
    assert task == "compare"
    assert asked["k"] == [3, 4, 5, 7]
    assert asked["methods"] == ["mdav", "v-mdav"]
    assert asked["seconds"] is None
    assert asked["arguments"]["effort"] == "fast"
    assert asked["arguments"]["l"] == 2
    assert not {"k", "method"} & asked["arguments"].keys()


@pytest.fixture
def compared(driver: Driver, project: Project, clerk: Clerk) -> Project:
    clerk.answers["compare"] = comparison()
    driver.post(f"/p/{project.id}/compare", form(project, k=3))
    driver.get(f"/p/{project.id}/job")
    return driver.place.store.read(project.id)


def test_a_comparison_is_a_chart_whose_points_are_rows(driver: Driver, compared: Project) -> None:
    answer = shown(driver, compared)
    assert driver.place.store.read_results(compared.id, "comparison.json")["mark"] == compared.comparison_fingerprint
    links = re.findall(r'<a href="#(point-\d+)"', answer.text)
    radios = re.findall(r'type="radio" name="point" id="(point-\d+)"', answer.text)
    assert sorted(links) == sorted(radios) == ["point-0", "point-1", "point-2"]
    assert re.search(r'id="point-2"[^>]* checked', answer.text)
    assert 'data-point="2">' in answer.text
    assert 'data-point="0" hidden>' in answer.text
    assert "auto at k = 5: it is &lt;best&gt;." in answer.text
    assert "mdav at k = 5: too &lt;b&gt;" in answer.text
    assert "made with other decisions" not in answer.text
    decide(driver, compared, k=3, method="mdav", effort="")
    answer = shown(driver, compared)
    assert "made with other decisions" not in answer.text
    assert re.search(r'id="point-1"[^>]* checked', answer.text)
    decide(driver, compared, suppression=0.2)
    assert "made with other decisions" in shown(driver, compared).text


@pytest.mark.parametrize(
    ("number", "expected"), [(0, (3, "auto", "balanced")), (1, (3, "mdav", "")), (2, (5, "auto", "balanced"))]
)
def test_choosing_a_point_decides_and_releases(
    driver: Driver, compared: Project, clerk: Clerk, number: int, expected: tuple[int, str, str]
) -> None:
    answer = driver.post(f"/p/{compared.id}/choose", form(compared, point=number))
    assert answer.location == f"/p/{compared.id}/run?then=release"
    choices = driver.place.store.read(compared.id).choices
    assert choices is not None
    assert (choices.k, choices.method, choices.effort) == expected
    driver.get(f"/p/{compared.id}/job")
    task, asked = clerk.asked[-1]
    assert task == "release"
    assert asked["arguments"]["k"] == expected[0]
    assert asked["comparison"]["points"] == comparison()["points"]


@pytest.mark.parametrize("number", ["", "3", "4", "-1", "x"])
def test_only_a_release_of_the_comparison_can_be_chosen(driver: Driver, compared: Project, number: str) -> None:
    answer = driver.post(f"/p/{compared.id}/choose", form(compared, point=number))
    assert answer.status == 422
    assert driver.place.store.read(compared.id) == compared


def test_a_choice_in_an_old_tab_is_refused(driver: Driver, compared: Project) -> None:
    old = form(compared, point=0)
    changed = decide(driver, compared, k=9)
    assert driver.post(f"/p/{compared.id}/choose", old).status == 409
    assert driver.post(f"/p/{compared.id}/release", old).status == 409
    assert driver.place.store.read(compared.id) == changed


@pytest.mark.parametrize("action", ["release", "compare"])
def test_nothing_is_made_while_a_column_that_looks_like_an_identifier_is_not_confirmed(
    driver: Driver, project: Project, clerk: Clerk, action: str
) -> None:
    decided = decide(driver, project, k=4, columns=project.choices.with_column(0, role="insensitive").columns)
    text = driver.get(f"/p/{project.id}/run").text
    assert "Not confirmed:" in text
    assert "without a role (who" in text
    assert "disabled" in button(shown(driver, project), "Make the release")
    assert "disabled" in button(shown(driver, project), "Compare")
    answer = driver.post(f"/p/{project.id}/{action}", {"revision": decided.revision, "k": 3, "effort": "fast"})
    assert answer.status == 422
    assert "1 column that looks like an identifier would be released unchanged (&#39;who&#39;); drop it" in answer.text
    assert clerk.asked == []
    kept = decide(driver, project, columns=decided.choices.with_column(0, keep=True).columns)
    assert "Not confirmed:" not in driver.get(f"/p/{project.id}/run").text
    assert driver.post(f"/p/{project.id}/{action}", {"revision": kept.revision, "k": 3, "effort": "fast"}).status == 303
    driver.get(f"/p/{project.id}/job")
    assert clerk.asked[-1][1]["arguments"]["keep"] == ["who"]
