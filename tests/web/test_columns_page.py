"""Columns page: roles, kinds, weights and recoding methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_client import PageClient, PageResponse

from shoal.domain.columns import Kind, Role
from shoal.domain.recodings import recodings
from shoal.web.pages.columns_page import KINDS, RECODINGS, ROLES
from shoal.web.projects.arguments import column_arguments
from shoal.web.projects.hierarchy_files import hierarchy_file_name, levels_file_name
from shoal.web.projects.model import ColumnChoice, ColumnFacts, Project, SourceFile

NASTY = '<img src=x onerror="alert(1)">'


def facts(name: str, role: str, kind: str = "nominal", **more: Any) -> ColumnFacts:
    return ColumnFacts(name, role, f"its name says {name!r}", kind, "text", distinct=20, missing=3, **more)


SOURCE = SourceFile(
    name="people.csv",
    kind="csv",
    settings={},
    records=100,
    size=1000,
    sha256="0" * 64,
    columns=(
        facts("number", "identifier"),
        facts("age", "quasi-identifier", "numeric"),
        facts("town", "quasi-identifier"),
        facts("diagnosis", "sensitive"),
        facts(NASTY, "quasi-identifier"),
    ),
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[PageClient]:
    with PageClient(tmp_path) as result:
        yield result


@pytest.fixture
def project(client: PageClient) -> Project:
    return client.project(SOURCE)


def change(client: PageClient, project: Project, fields: Any, **headers: str) -> PageResponse:
    revision = client.context.store.read(project.id).revision
    pairs = list(fields.items()) if isinstance(fields, dict) else fields
    return client.post(f"/p/{project.id}/columns", [("revision", revision), *pairs], **headers)


def stored_choice(client: PageClient, project: Project, number: int) -> ColumnChoice:
    choices = client.context.store.read(project.id).choices
    assert choices is not None
    return choices.columns[number]


def test_every_role_kind_and_way_is_explained() -> None:
    assert list(ROLES) == list(Role)
    assert set(KINDS) == set(Kind)
    assert set(RECODINGS) == {way for kind in Kind for way in recodings(kind)}


def test_the_page_shows_what_was_found_and_proposed(client: PageClient, project: Project) -> None:
    response = client.get(f"/p/{project.id}/columns")
    assert response.status == 200
    assert response.text.count('type="radio"') == 4 * 5
    assert "1 removed, 3 protected, 1 sensitive, 0 kept as they are" in response.text
    assert 'name="role-1" value="quasi-identifier" checked' in response.text
    assert "<img" not in response.text
    assert "&lt;img src=x onerror=&#34;alert(1)&#34;&gt;" in response.text
    assert "style=" not in response.text


def test_one_field_is_kept_and_the_others_stay(client: PageClient, project: Project) -> None:
    response = change(
        client, project, {"role-2": "insensitive", "strange": "x", "role-99": "x"}, **{"x-requested-with": "shoal"}
    )
    assert response.status == 200
    assert response.headers["x-revision"] == "1"
    assert "1 removed, 2 protected, 1 sensitive, 1 kept as they are" in response.text
    assert "“town” could be known to others and would be released unchanged" in response.text
    assert "<html" not in response.text
    assert stored_choice(client, project, 2) == ColumnChoice("insensitive")
    assert stored_choice(client, project, 1) == ColumnChoice("quasi-identifier")
    assert 'class="other"' in client.get(f"/p/{project.id}/columns").text


def test_a_form_without_script_goes_back_to_the_page_and_on(client: PageClient, project: Project) -> None:
    assert change(client, project, {"role-0": "sensitive"}).location == f"/p/{project.id}/columns"
    page = client.get(f"/p/{project.id}/columns").text
    assert "“number” looks like an identifier. Sensitive columns are released unchanged." in page
    assert change(client, project, {"continue": "on"}).location == f"/p/{project.id}/protection"


def test_nobody_goes_on_without_a_protected_column(client: PageClient, project: Project) -> None:
    fields = [("bulk", "role"), ("bulk-role", "sensitive"), *(("pick", n) for n in range(5)), ("continue", "on")]
    response = change(client, project, fields)
    assert response.status == 422
    assert "No column is protected" in response.text


def test_several_columns_at_once_and_back_to_the_proposals(client: PageClient, project: Project) -> None:
    fields = [("bulk", "role"), ("bulk-role", "identifier"), ("pick", 1), ("pick", 3), ("pick", 77), ("pick", "x")]
    assert change(client, project, fields).status == 303
    assert [stored_choice(client, project, n).role for n in (1, 2, 3)] == [
        "identifier",
        "quasi-identifier",
        "identifier",
    ]
    assert "No column is sensitive" in client.get(f"/p/{project.id}/columns").text
    change(client, project, {"bulk": "proposed"})
    assert [stored_choice(client, project, n).role for n in range(5)] == [column.role for column in SOURCE.columns]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("role-1", "king"),
        ("role-1", ""),
        ("kind-1", "odd"),
        ("recode-1", "magic"),
        ("weight-1", "0"),
        ("weight-1", "-1"),
        ("weight-1", "nan"),
        ("weight-1", "1e9"),
        ("weight-1", ""),
    ],
)
def test_what_is_no_choice_is_refused_and_nothing_is_kept(
    client: PageClient, project: Project, field: str, value: str
) -> None:
    response = change(client, project, {"role-2": "sensitive", field: value}, **{"x-requested-with": "shoal"})
    assert response.status == 422
    assert set(response.json) == {"error"}
    assert client.context.store.read(project.id) == project


def test_a_change_in_another_tab_is_not_lost(client: PageClient, project: Project) -> None:
    change(client, project, {"role-1": "sensitive"})
    for revision in ("0", "", "x", "9" * 40):
        response = client.post(f"/p/{project.id}/columns", {"revision": revision, "role-1": "insensitive"})
        assert response.status == 409
    assert stored_choice(client, project, 1).role == "sensitive"


def test_details_offer_the_ways_that_fit_the_kind(client: PageClient, project: Project) -> None:
    script = {"x-requested-with": "shoal"}
    numeric = client.get(f"/p/{project.id}/columns/1", **script).text
    assert 'value="interval"' in numeric
    assert 'value="mode"' not in numeric
    assert "<html" not in numeric
    change(client, project, {"recode-1": "interval", "weight-1": "2.5"})
    assert stored_choice(client, project, 1) == ColumnChoice("quasi-identifier", recode="interval", weight=2.5)
    change(client, project, {"kind-1": "nominal", "recode-1": "interval"})
    assert stored_choice(client, project, 1) == ColumnChoice("quasi-identifier", kind="nominal", weight=2.5)
    nominal = client.get(f"/p/{project.id}/columns/1").text
    assert 'value="mode"' in nominal
    assert "<html" in nominal
    nasty = client.get(f"/p/{project.id}/columns/4").text
    assert "<img" not in nasty
    assert client.get(f"/p/{project.id}/columns/5").status == 404


def test_a_kind_brings_its_hierarchy_back(client: PageClient, project: Project) -> None:
    change(client, project, {"kind-2": "hierarchical"})
    assert stored_choice(client, project, 2).hierarchy == ""
    assert "“town” is to be hierarchical and has no hierarchy yet" in client.get(f"/p/{project.id}/columns").text
    folder = client.context.store.hierarchies(project.id)
    (folder / "hierarchy-3.json").write_text('{"*": ["a", "b"]}')
    (folder / "levels-3.txt").write_text("a\nb\n")
    with_files = ColumnChoice("quasi-identifier", hierarchy_aside="hierarchy-3.json", levels_aside="levels-3.txt")
    choose(client, project, 2, with_files)
    change(client, project, {"kind-2": "ordinal"})
    ordinal = stored_choice(client, project, 2)
    assert (ordinal.hierarchy, ordinal.levels) == ("", "levels-3.txt")
    change(client, project, {"kind-2": "hierarchical"})
    tree = stored_choice(client, project, 2)
    assert (tree.hierarchy, tree.levels) == ("hierarchy-3.json", "")
    assert tree.fingerprint
    assert tree.fingerprint != ordinal.fingerprint
    change(client, project, {"kind-2": ""})
    assert stored_choice(client, project, 2) == with_files
    (folder / "levels-3.txt").unlink()
    change(client, project, {"kind-2": "ordinal"})
    assert stored_choice(client, project, 2) == ColumnChoice(
        "quasi-identifier", kind="ordinal", hierarchy_aside="hierarchy-3.json"
    )


def choose(client: PageClient, project: Project, number: int, choice: ColumnChoice) -> None:
    def changed(project: Project) -> Project:
        assert project.choices is not None
        return replace(project, choices=project.choices.with_column(number, **choice.to_dict()))

    client.context.store.update(project.id, changed)


def test_a_file_belongs_to_one_column_whatever_its_number() -> None:
    columns = [ColumnChoice("sensitive") for _ in range(4)]
    assert hierarchy_file_name(2, columns) == "hierarchy-3.json"
    columns[0] = ColumnChoice("sensitive", hierarchy="hierarchy-3.json", levels_aside="levels-3.txt")
    assert hierarchy_file_name(0, columns) == "hierarchy-3.json"
    assert hierarchy_file_name(2, columns) == "hierarchy-5.json"
    assert levels_file_name(2, columns) == "levels-5.txt"
    assert hierarchy_file_name(1, columns) == "hierarchy-2.json"


def test_two_thousand_columns_are_one_page(client: PageClient) -> None:
    many = tuple(facts(f"column {number}", "quasi-identifier", "numeric") for number in range(2000))
    project = client.project(SourceFile("wide.csv", "csv", {}, 10, 10, "", many))
    response = client.get(f"/p/{project.id}/columns")
    assert response.text.count("<fieldset") == 2000
    fields = [(f"role-{number}", "insensitive") for number in range(1, 2000)]
    assert change(client, project, fields).status == 303
    assert stored_choice(client, project, 1999).role == "insensitive"


def test_a_project_without_a_file_begins_with_the_data(client: PageClient) -> None:
    project = client.context.store.create("empty")
    assert client.get(f"/p/{project.id}/columns").location == f"/p/{project.id}/data"
    assert client.post(f"/p/{project.id}/columns", {"revision": 0}).status == 409
    assert client.get(f"/p/{project.id}/columns/0").status == 409
    assert client.get("/p/000000000000/columns").status == 404


def test_what_looks_like_an_identifier_is_released_only_if_somebody_confirms_it(
    client: PageClient, project: Project
) -> None:
    text = client.get(f"/p/{project.id}/columns").text
    assert 'name="keep-0" value="yes"' in text
    assert 'name="keep-1"' not in text
    change(client, project, {"role-0": "insensitive"})
    now = client.context.store.read(project.id)
    assert now.choices.unconfirmed(SOURCE) == ("number",)
    assert "keep" not in column_arguments(SOURCE, now.choices, Path())
    assert "“number” looks like an identifier and would be released unchanged" in (
        client.get(f"/p/{project.id}/columns").text
    )
    change(client, project, {"keep-0": "yes"})
    now = client.context.store.read(project.id)
    assert now.choices.unconfirmed(SOURCE) == ()
    assert column_arguments(SOURCE, now.choices, Path())["keep"] == ["number"]
    change(client, project, {"keep-0": "no"})
    assert not stored_choice(client, project, 0).keep
    assert change(client, project, {"keep-0": "perhaps"}).status == 422


@pytest.mark.parametrize(
    "fields",
    [
        {"role-0": "identifier"},
        {"bulk": "proposed"},
        {"bulk": "drop"},
        [("bulk", "role"), ("bulk-role", "sensitive"), ("pick", 0)],
    ],
)
def test_another_role_takes_the_confirmation_back(client: PageClient, project: Project, fields: Any) -> None:
    change(client, project, [("role-0", "insensitive"), ("keep-0", "yes")])
    assert stored_choice(client, project, 0).keep
    change(client, project, fields)
    assert not stored_choice(client, project, 0).keep
    change(client, project, {"role-0": "insensitive"})
    assert not stored_choice(client, project, 0).keep


def test_all_columns_without_a_role_are_dropped_at_once(client: PageClient, project: Project) -> None:
    change(client, project, {"role-1": "insensitive", "role-2": "insensitive"})
    strata = client.context.store.update(
        project.id, lambda now: replace(now, choices=replace(now.choices, strata=("town",)))
    )
    assert change(client, strata, {"bulk": "drop"}).status == 303
    roles = [stored_choice(client, project, n).role for n in range(5)]
    assert roles == ["identifier", "identifier", "insensitive", "sensitive", "quasi-identifier"], "strata stay"


def test_a_sensitive_column_that_looks_like_an_identifier_is_a_warning(client: PageClient, project: Project) -> None:
    change(client, project, {"role-0": "sensitive"})
    assert client.context.store.read(project.id).choices.unconfirmed(SOURCE) == ()
    assert "Sensitive columns are released unchanged" in client.get(f"/p/{project.id}/columns").text


def test_a_project_of_an_older_version_has_confirmed_nothing() -> None:
    assert ColumnChoice.from_dict({"role": "insensitive"}) == ColumnChoice("insensitive", keep=False)
    old = ColumnFacts.from_dict({**SOURCE.columns[0].to_dict()} | {"identifying": False})
    assert old.looks_identifying
