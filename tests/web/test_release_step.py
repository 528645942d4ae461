"""The step Release: the verdict, the files to take away, the reports, and the next delivery."""

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
from clerk import ODD, Clerk, lay_down, left_beside, source, write_table
from driver import Driver

import shoal
from shoal.web.pages.wording import remedy
from shoal.web.projects.arguments import release_arguments
from shoal.web.projects.model import Project, ReleaseChoices
from shoal.web.projects.release_files import file_stem

PLAIN = re.compile(r"<script>alert| style=|onclick=|<style")
TREE = '{"any": ["u", "v"]}'
KEYS = ("release", "policy", "external", "report", "bundle", "hierarchy-3")


def decided() -> ReleaseChoices:
    choices = replace(ReleaseChoices.proposed(source()), k=4, method="mdav", effort="", l=2)
    return choices.with_column(2, hierarchy="hierarchy-3.json")


@pytest.fixture(scope="module")
def laid_down(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release."""
    folder = tmp_path_factory.mktemp("release")
    write_table(folder / "people.csv")
    (folder / "hierarchy-3.json").write_text(TREE)
    with pytest.warns(shoal.ShoalWarning):
        made = shoal.anonymize(folder / "people.csv", **release_arguments(source(), decided(), folder))
    lay_down(made, folder / "release", {"hierarchy-3.json": TREE})
    return folder / "release"


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    clerk = Clerk(monkeypatch)
    clerk.answers["release"] = left_beside
    with Driver(tmp_path / "place") as found:
        yield found


@pytest.fixture
def project(driver: Driver, tmp_path: Path, laid_down: Path) -> Project:
    """A project that was released."""
    write_table(tmp_path / "people.csv")
    new = driver.project(source(), name=f'Größe; {ODD} "x".csv', file=tmp_path / "people.csv")
    ready = driver.place.store.update(new.id, lambda now: replace(now, choices=decided()))
    assert driver.post(f"/p/{new.id}/release", {"revision": ready.revision}).status == 303
    shutil.copytree(laid_down, driver.place.store.release(new.id), dirs_exist_ok=True)
    driver.get(f"/p/{new.id}/job")
    return driver.place.store.read(new.id)


def shown(driver: Driver, project: Project) -> str:
    answer = driver.get(f"/p/{project.id}/release")
    assert answer.status == 200
    assert PLAIN.search(answer.text) is None
    return answer.text


def test_without_a_release_the_way_to_it_is_shown(driver: Driver) -> None:
    empty = driver.project(source())
    assert "No release yet" in shown(driver, empty)
    for key in KEYS:
        assert driver.get(f"/p/{empty.id}/files/{key}").status == 404
    assert driver.get(f"/p/{empty.id}/report").status == 404


def test_the_verdict_the_warnings_and_the_figures_are_shown(driver: Driver, project: Project) -> None:
    text = shown(driver, project)
    facts = driver.place.store.read_results(project.id, "release/facts.json")
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
    driver: Driver, project: Project, laid_down: Path
) -> None:
    places = {
        "release": "released.csv",
        "policy": "released.csv.policy.toml",
        "report": "report.internal.html",
        "external": "report.external.html",
        "bundle": "released.bundle.zip",
        "hierarchy-3": "hierarchies/hierarchy-3.json",
    }
    for key, place in places.items():
        answer = driver.get(f"/p/{project.id}/files/{key}")
        content = (laid_down / place).read_bytes()
        assert answer.status == 200
        assert int(answer.headers["content-length"]) == len(content)
        assert answer.text == content.decode(errors="replace")
        plain, wide = re.fullmatch(
            r"attachment; filename=\"([A-Za-z0-9_.-]+)\"; filename\*=UTF-8''([A-Za-z0-9_.%~-]+)",
            answer.headers["content-disposition"],
        ).groups()  # type: ignore[union-attr]
        assert plain.endswith(Path(place).name)
        assert unquote(wide).startswith("hierarchy-3" if key == "hierarchy-3" else "Größe-script-alert")


@pytest.mark.parametrize("key", ["facts", "facts.json", "hierarchy-4", "levels-3", "..%2Fproject.json", "released.csv"])
def test_nothing_else_leaves_the_folder(driver: Driver, project: Project, key: str) -> None:
    assert driver.get(f"/p/{project.id}/files/{key}").status == 404
    assert driver.get(f"/p/{project.id}/files/{unquote(key)}").status == 404


def test_a_link_in_the_folder_is_not_followed(driver: Driver, project: Project, tmp_path: Path) -> None:
    released = driver.place.store.release(project.id) / "released.csv"
    released.unlink()
    released.symlink_to(tmp_path / "people.csv")
    assert driver.get(f"/p/{project.id}/files/release").status == 404


@pytest.mark.parametrize(("query", "words"), [("", "do not publish"), ("?version=external", "External version")])
def test_a_report_may_do_nothing_but_use_its_own_style(
    driver: Driver, project: Project, query: str, words: str
) -> None:
    answer = driver.get(f"/p/{project.id}/report{query}")
    assert words in answer.text
    policy = answer.headers["content-security-policy"]
    [style] = re.findall("<style>(.*?)</style>", answer.text, re.DOTALL)
    mark = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"sandbox; default-src 'none'; style-src 'sha256-{mark}'; ")
    assert "unsafe" not in policy
    assert " style=" not in answer.text


def test_files_of_other_decisions_say_so_and_the_recipes_stay_those_of_the_files(
    driver: Driver, project: Project
) -> None:
    before = shown(driver, project)
    recipe = re.search(r'id="recipe-command">(.*?)</code>', before, re.DOTALL)
    assert recipe is not None
    assert "-k 4" in recipe[1]
    assert "hierarchy-3.json" in recipe[1]
    assert "-o again.csv" in recipe[1]
    assert "--policy &#39;Größe-script-alert-x-script-x-released.csv.policy.toml&#39;" in before
    driver.place.store.update(
        project.id, lambda now: replace(now, choices=replace(now.choices, k=9, l=None), source=source("other.csv"))
    )
    after = shown(driver, project)
    assert "These are the files of an earlier run" in after
    assert recipe[0] in after
    assert "In these files: k = 4: every record" in after
    assert "Now: k = 9: every record" in after
    assert "<dt>Sensitive values</dt>" in after
    assert "<dt>Method</dt>" not in after


def test_the_next_delivery_takes_over_what_the_release_was_made_with(driver: Driver, project: Project) -> None:
    store = driver.place.store
    (store.hierarchies(project.id) / "hierarchy-3.json").write_text('{"changed": []}')
    store.update(project.id, lambda now: replace(now, choices=replace(now.choices, k=9)))
    answer = driver.post(f"/p/{project.id}/next")
    new = store.read(answer.location.split("/")[2])
    assert answer.location == f"/p/{new.id}/data"
    assert new.choices == decided()
    assert new.follows == project.id
    assert new.released == ""
    assert driver.place.store.read_results(new.id, "comparison.json") is None
    assert new.id not in driver.place.files
    assert new.source is not None
    assert new.source.names == source().names
    assert new.source.sha256 == ""
    copied = store.hierarchies(new.id) / "hierarchy-3.json"
    assert copied.read_text() == TREE
    assert copied.stat().st_mode & 0o077 == 0


def test_the_next_delivery_needs_decisions(driver: Driver) -> None:
    empty = driver.place.store.create("empty")
    assert driver.post(f"/p/{empty.id}/next").status == 409
    assert len(driver.place.store.all()) == 1


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


def test_the_made_up_register_comes_with_the_way_to_make_it(driver: Driver, project: Project) -> None:
    address, words = f"/p/{project.id}/release", "shoal.example_register(250).write_csv("
    assert words not in driver.get(address).text
    driver.place.store.update(project.id, lambda now: replace(now, origin={"example": 250}))
    assert words in driver.get(address).text


def test_a_few_records_are_shown_before_and_after_and_only_inside(
    driver: Driver, project: Project, laid_down: Path
) -> None:
    text = shown(driver, project)
    table = re.search(r'<table class="data cells pairs">.*?</table>', text, re.DOTALL)[0]
    assert "Internal use: shows original values." in text
    assert table.count(">before<") == table.count(">after<") == 5
    assert 'class="changed"' in table
    assert not re.search(r">p[0-9]+<", table), "dropped columns are not shown"
    rows = json.loads((laid_down / "facts.json").read_text())["rows"]
    assert rows["records"]
    assert "who" not in rows["names"]
    external = driver.get(f"/p/{project.id}/report?version=external").text
    assert "shows original values" not in external
    assert ">before<" not in external
    assert not [path for path in laid_down.glob("*.*") if path.name != "facts.json" and b'"rows"' in path.read_bytes()]


def test_a_release_of_an_older_version_shows_no_records(driver: Driver, project: Project) -> None:
    place = driver.place.store.release(project.id) / "facts.json"
    facts = json.loads(place.read_text())
    del facts["rows"]
    place.write_text(json.dumps(facts))
    assert "Internal use: shows original values" not in shown(driver, project)


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


def test_warnings_have_links(driver: Driver, project: Project) -> None:
    assert re.search(
        rf'<p class="notice warn">[^<]*<a href="/p/{project.id}/(?:columns|protection)">', shown(driver, project)
    )
