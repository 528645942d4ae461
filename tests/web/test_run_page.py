"""Run page: jobs, cancellation and comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_worker import ODD, FakeWorker, comparison, source, write_options, write_table
from page_client import PageClient, PageResponse

from shoal.web.errors import PageError
from shoal.web.projects.model import Project

PLAIN = re.compile(r"<script>alert|<best>|<b><script| style=|onclick=|<style")


@pytest.fixture
def client(tmp_path: Path, fake_worker: FakeWorker) -> Iterator[PageClient]:
    with PageClient(tmp_path / "place") as result:
        yield result


@pytest.fixture
def project(client: PageClient, tmp_path: Path) -> Project:
    write_table(tmp_path / "people.csv")
    return client.project(source(), name=f"people {ODD}.csv", file=tmp_path / "people.csv")


def set_choices(client: PageClient, project: Project, **changes: object) -> Project:
    return client.context.store.update(
        project.id,
        lambda now: replace(now, choices=replace(now.choices, **changes)),  # type: ignore[type-var]
    )


def form(project: Project, **fields: object) -> dict[str, object]:
    return {"revision": project.revision, **fields}


def get_page(client: PageClient, project: Project, path: str = "run") -> PageResponse:
    response = client.get(f"/p/{project.id}/{path}")
    assert PLAIN.search(response.text) is None, PLAIN.search(response.text)
    return response


def button(response: PageResponse, words: str) -> str:
    """The tag of the button with these words."""
    return next(tag for tag in re.findall(r"<button[^>]*>[^<]*", response.text) if words in tag)


def test_without_k_one_can_compare_and_not_release(client: PageClient, project: Project) -> None:
    response = get_page(client, project)
    assert "k is not decided yet" in response.text
    assert "disabled" in button(response, "Make the release")
    assert "disabled" not in button(response, "Compare")
    refused = client.post(f"/p/{project.id}/release", form(project))
    assert refused.status == 422
    assert "k is not given, and the level of privacy is your decision" in refused.text


def test_all_decisions_are_told_in_words(client: PageClient, project: Project) -> None:
    set_choices(client, project, k=5, l=2, suppression=0.1, method="mdav", effort="", strata=("note",))
    client.context.store.update(
        project.id, lambda now: replace(now, choices=now.choices.with_column(1, weight=2.0, recode="median"))
    )
    text = get_page(client, project).text
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


def test_a_project_without_a_file_that_was_read_goes_back_to_its_data(client: PageClient) -> None:
    empty = client.context.store.create("empty")
    assert client.get(f"/p/{empty.id}/run").location == f"/p/{empty.id}/data"


def test_while_a_file_is_read_its_data_are_shown(client: PageClient, project: Project) -> None:
    async def then(_: object) -> None: ...

    async def start() -> None:
        client.context.workers.start_job(project.id, "look", {}, on_result=then)

    client._runner.run(start())
    assert client.get(f"/p/{project.id}/run").location == f"/p/{project.id}/data"
    assert client.post(f"/p/{project.id}/cancel").location == f"/p/{project.id}/data"


def test_without_a_quasi_identifier_nothing_runs(client: PageClient, project: Project) -> None:
    assert project.choices is not None
    columns = tuple(replace(column, role="sensitive") for column in project.choices.columns)
    project = set_choices(client, project, k=3, columns=columns)
    for path in ("compare", "release"):
        response = client.post(f"/p/{project.id}/{path}", form(project, k=3))
        assert response.status == 422
        assert "No quasi-identifier" in response.text


def test_a_file_that_is_not_at_hand_is_asked_for(client: PageClient, project: Project) -> None:
    project = set_choices(client, project, k=3)
    del client.context.files[project.id]
    response = get_page(client, project)
    assert "keeps no copy of the file" in response.text
    assert "disabled" in button(response, "Make the release")
    assert client.post(f"/p/{project.id}/release", form(project)).status == 409


def test_methods_are_offered_for_the_columns_as_they_are_understood(client: PageClient, project: Project) -> None:
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
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    project = set_choices(client, project, k=3)

    def work(params: Mapping[str, Any]) -> dict[str, Any]:
        set_choices(client, project, k=4)  # in another tab, while it runs
        return write_options(params)

    fake_worker.results["release"] = work
    started = client.post(f"/p/{project.id}/release", form(project))
    assert (started.status, started.location) == (303, f"/p/{project.id}/run?then=release")
    assert client.get(started.location).location == f"/p/{project.id}/release"
    task, params = fake_worker.requests[0]
    assert task == "release"
    assert params["arguments"]["k"] == 3
    assert params["arguments"]["quasi_identifiers"] == ["age", ODD]
    assert params["folder"] == str(client.context.store.release(project.id))
    assert params["comparison"] is None
    now = client.context.store.read(project.id)
    assert now.released == project.mark != now.mark
    stored = client.context.store.read_results(project.id, "release/decisions.json")
    assert stored is not None
    assert stored["choices"]["k"] == 3
    assert "an earlier run, made with other decisions" in get_page(client, project).text


def test_a_run_can_be_left_found_again_and_cancelled(client: PageClient, project: Project) -> None:
    project = set_choices(client, project, k=3)
    client.post(f"/p/{project.id}/release", form(project))
    for _ in range(2):  # a reload, or a second tab
        response = get_page(client, project, "run?then=release")
        assert f'data-job="/p/{project.id}/job"' in response.text
        assert "Making the release" in response.text
        assert "What you decided" not in response.text
    assert client.get(f"/p/{project.id}/job").json["state"] == "running"
    assert client.post(f"/p/{project.id}/release", form(project)).status == 409
    assert client.post(f"/p/{project.id}/cancel", form(project)).location == f"/p/{project.id}/run"
    response = get_page(client, project)
    assert "Nothing was released" in response.text
    assert "data-job" not in response.text
    assert client.get(f"/p/{project.id}/job").json["state"] == "cancelled"
    assert client.context.store.read(project.id).released == ""


def test_without_a_job_the_poll_says_so(client: PageClient, project: Project) -> None:
    assert client.get(f"/p/{project.id}/job").json == {"state": "none"}
    assert client.post(f"/p/{project.id}/cancel").status == 303


def test_a_run_that_fails_says_why_and_where_to_go(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    project = set_choices(client, project, k=3)
    fake_worker.results["release"] = PageError("The <b>table</b> is too small", "give more records")
    client.post(f"/p/{project.id}/release", form(project))
    response = get_page(client, project, "run?then=release")
    assert "The &lt;b&gt;table&lt;/b&gt; is too small; give more records." in response.text
    assert "Nothing was released." in response.text
    for step in ("data", "columns", "protection"):
        assert f'href="/p/{project.id}/{step}"' in response.text


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
    client: PageClient, project: Project, fake_worker: FakeWorker, fields: dict[str, object], sentence: str
) -> None:
    response = client.post(f"/p/{project.id}/compare", form(project, **fields))
    assert response.status == 422
    assert sentence in response.text
    assert response.field("own") == fields.get("own", "")
    assert not fake_worker.requests


def test_a_comparison_is_asked_for_without_k_method_and_effort_of_the_project(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    project = set_choices(client, project, k=9, l=2)
    fields = [
        ("revision", project.revision),
        ("k", 3),
        ("k", 5),
        ("own", "7 4;5"),
        ("which", "chosen"),
        ("seconds", ""),
    ]
    client.post(f"/p/{project.id}/compare", [*fields, ("method", "mdav"), ("method", "v-mdav"), ("effort", "fast")])
    client.get(f"/p/{project.id}/job")
    [(task, params)] = fake_worker.requests
    assert task == "compare"
    assert params["k"] == [3, 4, 5, 7]
    assert params["methods"] == ["mdav", "v-mdav"]
    assert params["seconds"] is None
    assert params["arguments"]["effort"] == "fast"
    assert params["arguments"]["l"] == 2
    assert not {"k", "method"} & params["arguments"].keys()


@pytest.fixture
def compared(client: PageClient, project: Project, fake_worker: FakeWorker) -> Project:
    fake_worker.results["compare"] = comparison()
    client.post(f"/p/{project.id}/compare", form(project, k=3))
    client.get(f"/p/{project.id}/job")
    return client.context.store.read(project.id)


def test_a_comparison_is_a_chart_whose_points_are_rows(client: PageClient, compared: Project) -> None:
    response = get_page(client, compared)
    assert client.context.store.read_results(compared.id, "comparison.json")["mark"] == compared.comparison_fingerprint
    links = re.findall(r'<a href="#(point-\d+)"', response.text)
    radios = re.findall(r'type="radio" name="point" id="(point-\d+)"', response.text)
    assert sorted(links) == sorted(radios) == ["point-0", "point-1", "point-2"]
    assert re.search(r'id="point-2"[^>]* checked', response.text)
    assert 'data-point="2">' in response.text
    assert 'data-point="0" hidden>' in response.text
    assert "auto at k = 5: it is &lt;best&gt;." in response.text
    assert "mdav at k = 5: too &lt;b&gt;" in response.text
    assert "made with other decisions" not in response.text
    set_choices(client, compared, k=3, method="mdav", effort="")
    response = get_page(client, compared)
    assert "made with other decisions" not in response.text
    assert re.search(r'id="point-1"[^>]* checked', response.text)
    set_choices(client, compared, suppression=0.2)
    assert "made with other decisions" in get_page(client, compared).text


@pytest.mark.parametrize(
    ("number", "expected"), [(0, (3, "auto", "balanced")), (1, (3, "mdav", "")), (2, (5, "auto", "balanced"))]
)
def test_choosing_a_point_decides_and_releases(
    client: PageClient, compared: Project, fake_worker: FakeWorker, number: int, expected: tuple[int, str, str]
) -> None:
    response = client.post(f"/p/{compared.id}/choose", form(compared, point=number))
    assert response.location == f"/p/{compared.id}/run?then=release"
    choices = client.context.store.read(compared.id).choices
    assert choices is not None
    assert (choices.k, choices.method, choices.effort) == expected
    client.get(f"/p/{compared.id}/job")
    task, params = fake_worker.requests[-1]
    assert task == "release"
    assert params["arguments"]["k"] == expected[0]
    assert params["comparison"]["points"] == comparison()["points"]


@pytest.mark.parametrize("number", ["", "3", "4", "-1", "x"])
def test_only_a_release_of_the_comparison_can_be_chosen(client: PageClient, compared: Project, number: str) -> None:
    response = client.post(f"/p/{compared.id}/choose", form(compared, point=number))
    assert response.status == 422
    assert client.context.store.read(compared.id) == compared


def test_a_choice_in_an_old_tab_is_refused(client: PageClient, compared: Project) -> None:
    old = form(compared, point=0)
    changed = set_choices(client, compared, k=9)
    assert client.post(f"/p/{compared.id}/choose", old).status == 409
    assert client.post(f"/p/{compared.id}/release", old).status == 409
    assert client.context.store.read(compared.id) == changed


@pytest.mark.parametrize("action", ["release", "compare"])
def test_nothing_is_made_while_a_column_that_looks_like_an_identifier_is_not_confirmed(
    client: PageClient, project: Project, fake_worker: FakeWorker, action: str
) -> None:
    changed = set_choices(client, project, k=4, columns=project.choices.with_column(0, role="insensitive").columns)
    text = client.get(f"/p/{project.id}/run").text
    assert "Not confirmed:" in text
    assert "without a role (who" in text
    assert "disabled" in button(get_page(client, project), "Make the release")
    assert "disabled" in button(get_page(client, project), "Compare")
    response = client.post(f"/p/{project.id}/{action}", {"revision": changed.revision, "k": 3, "effort": "fast"})
    assert response.status == 422
    assert (
        "1 column that looks like an identifier would be released unchanged (&#39;who&#39;); drop it" in response.text
    )
    assert fake_worker.requests == []
    stored = set_choices(client, project, columns=changed.choices.with_column(0, keep=True).columns)
    assert "Not confirmed:" not in client.get(f"/p/{project.id}/run").text
    assert (
        client.post(f"/p/{project.id}/{action}", {"revision": stored.revision, "k": 3, "effort": "fast"}).status == 303
    )
    client.get(f"/p/{project.id}/job")
    assert fake_worker.requests[-1][1]["arguments"]["keep"] == ["who"]
