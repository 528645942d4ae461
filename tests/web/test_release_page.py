"""Release page: verification, downloads, reports and the next delivery."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from fake_worker import ODD, FakeWorker, source, write_options, write_release, write_table
from page_client import PageClient

import shoal
from shoal.web.pages.release_page import file_stem
from shoal.web.pages.wording import remedy
from shoal.web.projects.arguments import release_arguments
from shoal.web.projects.model import Project, ReleaseChoices

PLAIN = re.compile(r"<script>alert| style=|onclick=|<style")
TREE = '{"any": ["u", "v"]}'
KEYS = ("release", "policy", "external", "report", "bundle", "hierarchy-3")


def release_choices() -> ReleaseChoices:
    choices = replace(ReleaseChoices.proposed(source()), k=4, method="mdav", effort="", l=2)
    return choices.with_column(2, hierarchy="hierarchy-3.json")


@pytest.fixture(scope="module")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release."""
    folder = tmp_path_factory.mktemp("release")
    write_table(folder / "people.csv")
    (folder / "hierarchy-3.json").write_text(TREE)
    with pytest.warns(shoal.ShoalWarning):
        release = shoal.anonymize(folder / "people.csv", **release_arguments(source(), release_choices(), folder))
    write_release(release, folder / "release", {"hierarchy-3.json": TREE})
    return folder / "release"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageClient]:
    fake_worker = FakeWorker(monkeypatch)
    fake_worker.results["release"] = write_options
    with PageClient(tmp_path / "place") as result:
        yield result


@pytest.fixture
def project(client: PageClient, tmp_path: Path, release_folder: Path) -> Project:
    """A project that was released."""
    write_table(tmp_path / "people.csv")
    new = client.project(source(), name=f'Größe; {ODD} "x".csv', file=tmp_path / "people.csv")
    ready = client.context.store.update(new.id, lambda now: replace(now, choices=release_choices()))
    assert client.post(f"/p/{new.id}/release", {"revision": ready.revision}).status == 303
    shutil.copytree(release_folder, client.context.store.release(new.id), dirs_exist_ok=True)
    client.get(f"/p/{new.id}/job")
    return client.context.store.read(new.id)


def get_page(client: PageClient, project: Project) -> str:
    response = client.get(f"/p/{project.id}/release")
    assert response.status == 200
    assert PLAIN.search(response.text) is None
    return response.text


def test_without_a_release_the_way_to_it_is_shown(client: PageClient) -> None:
    empty = client.project(source())
    assert "No release yet" in get_page(client, empty)
    for key in KEYS:
        assert client.get(f"/p/{empty.id}/files/{key}").status == 404
    assert client.get(f"/p/{empty.id}/report").status == 404


def test_the_verdict_the_warnings_and_the_figures_are_shown(client: PageClient, project: Project) -> None:
    text = get_page(client, project)
    facts = client.context.store.read_results(project.id, "release/facts.json")
    assert facts is not None
    proof = facts["verification"]
    assert "Verified: k = 4 holds" in text
    assert f"The smallest of {proof['classes']} classes has {proof['min_class']} records." in text
    assert "distinct-l(2) holds for ill: every class has at least" in text
    assert facts["warnings"]
    look = text[text.index("Look at this before you release") : text.index('id="files"')]
    assert look.count('<p class="notice warn">') == len(facts["warnings"])
    assert re.search(r"<dt>unique records</dt><dd>0 <small>before: \d+</small>", text)
    assert text.count('class="fluid"') >= 3
    assert "These are the files of an earlier run" not in text
    offered = {key: re.search(rf'/files/{key}\?sha256=([0-9a-f]{{16}})"', text) for key in KEYS}
    assert all(offered.values())
    assert [file["sha256"][:16] for file in facts["files"] if file["name"] == "released.csv"] == [offered["release"][1]]


def test_every_file_can_be_taken_away_under_a_name_that_no_browser_stumbles_over(
    client: PageClient, project: Project, release_folder: Path
) -> None:
    places = {
        "release": "released.csv",
        "policy": "released.csv.policy.toml",
        "report": "report.internal.html",
        "external": "report.external.html",
        "bundle": "released.bundle.zip",
        "hierarchy-3": "hierarchies/hierarchy-3.json",
    }
    for key, path in places.items():
        response = client.get(f"/p/{project.id}/files/{key}")
        content = (release_folder / path).read_bytes()
        assert response.status == 200
        assert int(response.headers["content-length"]) == len(content)
        assert response.text == content.decode(errors="replace")
        plain, wide = re.fullmatch(
            r"attachment; filename=\"([A-Za-z0-9_.-]+)\"; filename\*=UTF-8''([A-Za-z0-9_.%~-]+)",
            response.headers["content-disposition"],
        ).groups()  # type: ignore[union-attr]
        assert plain.endswith(Path(path).name)
        assert unquote(wide).startswith("hierarchy-3" if key == "hierarchy-3" else "Größe-script-alert")


@pytest.mark.parametrize("key", ["facts", "facts.json", "hierarchy-4", "levels-3", "..%2Fproject.json", "released.csv"])
def test_nothing_else_leaves_the_folder(client: PageClient, project: Project, key: str) -> None:
    assert client.get(f"/p/{project.id}/files/{key}").status == 404
    assert client.get(f"/p/{project.id}/files/{unquote(key)}").status == 404


def test_a_link_in_the_folder_is_not_followed(client: PageClient, project: Project, tmp_path: Path) -> None:
    released = client.context.store.release(project.id) / "released.csv"
    released.unlink()
    released.symlink_to(tmp_path / "people.csv")
    assert client.get(f"/p/{project.id}/files/release").status == 404


@pytest.mark.parametrize(("query", "words"), [("", "do not publish"), ("?version=external", "External version")])
def test_a_report_may_do_nothing_but_use_its_own_style(
    client: PageClient, project: Project, query: str, words: str
) -> None:
    response = client.get(f"/p/{project.id}/report{query}")
    assert words in response.text
    policy = response.headers["content-security-policy"]
    [style] = re.findall("<style>(.*?)</style>", response.text, re.DOTALL)
    mark = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"sandbox; default-src 'none'; style-src 'sha256-{mark}'; ")
    assert "unsafe" not in policy
    assert " style=" not in response.text


def test_files_of_other_decisions_say_so_and_the_recipes_stay_those_of_the_files(
    client: PageClient, project: Project
) -> None:
    before = get_page(client, project)
    recipe = re.search(r'id="recipe-command">(.*?)</code>', before, re.DOTALL)
    assert recipe is not None
    assert "-k 4" in recipe[1]
    assert "hierarchy-3.json" in recipe[1]
    assert "-o again.csv" in recipe[1]
    assert "--policy &#39;Größe-script-alert-x-script-x-released.csv.policy.toml&#39;" in before
    client.context.store.update(
        project.id, lambda now: replace(now, choices=replace(now.choices, k=9, l=None), source=source("other.csv"))
    )
    after = get_page(client, project)
    assert "These are the files of an earlier run" in after
    assert recipe[0] in after
    assert "In these files: k = 4: every record" in after
    assert "Now: k = 9: every record" in after
    assert "<dt>Sensitive values</dt>" in after
    assert "<dt>Method</dt>" not in after


def test_the_next_delivery_takes_over_what_the_release_was_made_with(client: PageClient, project: Project) -> None:
    store = client.context.store
    (store.hierarchies(project.id) / "hierarchy-3.json").write_text('{"changed": []}')
    store.update(project.id, lambda now: replace(now, choices=replace(now.choices, k=9)))
    response = client.post(f"/p/{project.id}/next")
    new = store.read(response.location.split("/")[2])
    assert response.location == f"/p/{new.id}/data"
    assert new.choices == release_choices()
    assert new.follows == project.id
    assert new.released == ""
    assert client.context.store.read_results(new.id, "comparison.json") is None
    assert new.id not in client.context.files
    assert new.source is not None
    assert new.source.names == source().names
    assert new.source.sha256 == ""
    copied = store.hierarchies(new.id) / "hierarchy-3.json"
    assert copied.read_text() == TREE
    assert copied.stat().st_mode & 0o077 == 0


def test_the_next_delivery_needs_decisions(client: PageClient) -> None:
    empty = client.context.store.create("empty")
    assert client.post(f"/p/{empty.id}/next").status == 409
    assert len(client.context.store.all()) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("people.csv", "people"),
        ("people.csv.gz", "people"),
        ("v1.2 final.xlsx", "v1.2-final"),
        ("../../etc/passwd", "etc-passwd"),
        ("患者.csv", "患者"),
        ("...", "project"),
        ("", "project"),
        ("x" * 500, "x" * 80),
    ],
)
def test_names_of_projects_become_names_of_files(name: str, expected: str) -> None:
    assert file_stem(name) == expected


def test_the_made_up_register_comes_with_the_way_to_make_it(client: PageClient, project: Project) -> None:
    address, words = f"/p/{project.id}/release", "shoal.example_register(250).write_csv("
    assert words not in client.get(address).text
    client.context.store.update(project.id, lambda now: replace(now, origin={"example": 250}))
    assert words in client.get(address).text


def test_a_few_records_are_shown_before_and_after_and_only_inside(
    client: PageClient, project: Project, release_folder: Path
) -> None:
    text = get_page(client, project)
    table = re.search(r'<table class="data cells pairs">.*?</table>', text, re.DOTALL)[0]
    assert "Internal use: shows original values." in text
    assert table.count(">before<") == table.count(">after<") == 5
    assert 'class="changed"' in table
    assert not re.search(r">p[0-9]+<", table), "dropped columns are not shown"
    rows = json.loads((release_folder / "facts.json").read_text())["rows"]
    assert rows["records"]
    assert "who" not in rows["names"]
    external = client.get(f"/p/{project.id}/report?version=external").text
    assert "shows original values" not in external
    assert ">before<" not in external
    assert not [
        path for path in release_folder.glob("*.*") if path.name != "facts.json" and b'"rows"' in path.read_bytes()
    ]


def test_a_release_of_an_older_version_shows_no_records(client: PageClient, project: Project) -> None:
    path = client.context.store.release(project.id) / "facts.json"
    facts = json.loads(path.read_text())
    del facts["rows"]
    path.write_text(json.dumps(facts))
    assert "Internal use: shows original values" not in get_page(client, project)


@pytest.mark.parametrize(
    ("sentence", "step"),
    [
        ("Column 'a' was read as text; name the format with column_formats= (--column-format 'a'=FORMAT).", "data"),
        ("1 column looks like an identifier; drop it with identifiers= (--identifiers).", "columns"),
        (
            "1 column lost more than half of its information ('a' 80 %); a higher weight keeps more of a column.",
            "columns",
        ),
        ("The rows stand in the order of 1 column ('a'); shuffle them.", "protection"),
        ("In some classes all records have the same value; ask for l = 2 (-l 2) to keep values apart.", "protection"),
        (
            "Dependency broken: column 'a' determines 'b', but 3 of 9; drop one, or generalize (--recode a=lcs).",
            "columns",
        ),
        ("Nothing to change.", ""),
    ],
)
def test_a_warning_leads_to_the_step_that_mends_it(sentence: str, step: str) -> None:
    assert remedy(sentence)[0] == step


def test_warnings_have_links(client: PageClient, project: Project) -> None:
    assert re.search(
        rf'<p class="notice warn">[^<]*<a href="/p/{project.id}/(?:columns|protection)">', get_page(client, project)
    )
