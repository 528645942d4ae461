"""Hierarchy page: build, view, edit, check and apply the hierarchy of a column."""

from __future__ import annotations

import html
import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_client import PageClient, PageResponse

from shoal.hierarchy import Hierarchy
from shoal.report.hierarchy_drawing import STYLE, draw_svg
from shoal.web.projects.hierarchy_drafts import HierarchyDrafts
from shoal.web.projects.hierarchy_files import MAX_NODES
from shoal.web.projects.model import ColumnChoice, Project

NASTY = '<img src=x onerror="alert(1)">'
TOWNS = ["Lyon", "Paris", "Rome", NASTY]
AGE, TOWN, CODE, DAY, JOB = range(5)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "people.csv"
    quoted = NASTY.replace('"', '""')
    jobs = ["diver", "swimmer", "Frogman", "athlete"]
    lines = [
        f'{20 + n % 50},"{[*TOWNS[:3], quoted][n % 4]}",A{n % 7}{n % 3},2024-{1 + n % 12:02}-15,{jobs[n % 4]}'
        for n in range(120)
    ]
    path.write_text("\n".join(["age,town,code,day,job", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    with PageClient(tmp_path_factory.mktemp("web")) as result:
        yield result


@pytest.fixture(scope="module")
def inspected(client: PageClient, file: Path) -> Project:
    return client.inspect_file(file)


@pytest.fixture
def project(client: PageClient, inspected: Project) -> Iterator[Project]:
    """The same project for every test, since its worker has read the file; nothing stays from the test before."""
    yield inspected
    client.context.drafts.remove(inspected.id)
    now = client.context.store.read(inspected.id)
    client.context.store.update(inspected.id, lambda project: inspected, revision=now.revision)
    for path in client.context.store.hierarchies(inspected.id).iterdir():
        path.unlink()


def address(project: Project, column: int = TOWN) -> str:
    return f"/p/{project.id}/columns/{column}/hierarchy"


def build(client: PageClient, url: str, **fields: object) -> PageResponse:
    response = client.post(f"{url}/build", fields)
    assert (response.status, response.location) == (303, url)
    return client.get_complete(url)


def names(page: PageResponse) -> list[str]:
    """The nodes of the list, in its order."""
    return [html.unescape(name) for name in re.findall(r'<label><input[^>]*> <bdi title="([^"]*)">', page.text)]


def numbers(page: PageResponse) -> dict[str, str]:
    result = re.findall(r'name="node" value="(\d+)"[^>]*> <bdi title="([^"]*)">', page.text)
    return {html.unescape(name): number for number, name in result}


def edit(client: PageClient, url: str, page: PageResponse, action: str, *nodes: str, **fields: str) -> PageResponse:
    known = numbers(page)
    pairs = [("mark", page.field("mark")), ("action", action), *(("node", known[name]) for name in nodes)]
    response = client.post(f"{url}/edit", [*pairs, *fields.items()])
    assert response.status == 303
    return client.get_complete(url)


def take(client: PageClient, project: Project, url: str, page: PageResponse) -> PageResponse:
    revision = client.context.store.read(project.id).revision
    return client.post(f"{url}/take", {"mark": page.field("mark"), "revision": revision})


def choice(client: PageClient, project: Project, column: int = TOWN) -> ColumnChoice:
    choices = client.context.store.read(project.id).choices
    assert choices is not None
    return choices.columns[column]


@pytest.mark.parametrize(
    ("column", "fields", "expected"),
    [
        (AGE, {"way": "intervals", "width": "10, 20"}, ["*", "[20, 40)", "[20, 30)", "20"]),
        (AGE, {"way": "intervals", "quantiles": "2"}, ["*", "< 40", "20", "21"]),
        (AGE, {"way": "intervals", "cuts": "30 50\n50"}, ["*", "< 50", "< 30", "20"]),
        (CODE, {"way": "prefixes", "lengths": "1,2"}, ["*", "A**", "A0*", "A00"]),
        (CODE, {"way": "prefixes"}, ["*", "A**", "A0*", "A00"]),
        (DAY, {"way": "dates", "levels": "year"}, ["*", "2024", "2024-01-15", "2024-02-15"]),
        (TOWN, {"way": "frequencies", "groups": "2"}, ["*", "group 2", "Rome", "Paris"]),
        (TOWN, {"way": "flat"}, ["*", NASTY, "Lyon", "Paris"]),
    ],
)
def test_a_way_gives_a_tree_that_is_not_used_yet(
    client: PageClient, project: Project, column: int, fields: dict[str, str], expected: list[str]
) -> None:
    page = build(client, address(project, column), **fields)
    assert names(page)[: len(expected)] == expected
    assert "not in use yet" in page.text
    assert "Every value of the column is in the tree" in page.text
    assert choice(client, project, column).hierarchy == ""


def test_several_levels_of_dates_come_as_several_fields(client: PageClient, project: Project) -> None:
    client.post(f"{address(project, DAY)}/build", [("way", "dates"), ("levels", "month"), ("levels", "year")])
    assert names(client.get_complete(address(project, DAY)))[:4] == ["*", "2024", "2024-01", "2024-01-15"]


@pytest.mark.parametrize(
    ("column", "fields", "sentence"),
    [
        (TOWN, {"way": "intervals", "width": "10"}, "120 of 120 values are not finite numbers"),
        (AGE, {"way": "intervals", "width": "x"}, "&#39;width&#39; has a value that it cannot take"),
        (AGE, {"way": "intervals"}, "&#39;width&#39; has a value that it cannot take"),
        (AGE, {"way": "intervals", "quantiles": "-2"}, "&#39;quantiles&#39; has a value"),
        (TOWN, {"way": "dates", "levels": "year"}, "are not dates"),
        (DAY, {"way": "dates", "levels": "week"}, "&#39;levels&#39; has a value"),
        (TOWN, {"way": "frequencies", "groups": "1"}, "&#39;groups&#39; has a value"),
    ],
)
def test_what_cannot_be_built_is_said_once(
    client: PageClient, project: Project, column: int, fields: dict[str, str], sentence: str
) -> None:
    page = build(client, address(project, column), **fields)
    assert sentence.replace("120 of 120", "4 of 4") in page.text
    assert 'role="alert"' in page.text
    assert 'id="editor"' not in page.text
    assert sentence not in client.get_complete(address(project, column)).text


def test_it_is_edited_undone_and_taken(client: PageClient, project: Project) -> None:
    url = address(project)
    page = build(client, url, way="flat")
    page = edit(client, url, page, "group", "Lyon", "Paris", name="France")
    page = edit(client, url, page, "rename", "France", name="  FR ")
    page = edit(client, url, page, "move", "Rome", under="FR")
    assert names(page) == ["*", NASTY, "FR", "Lyon", "Paris", "Rome"]
    assert client.post(f"{url}/undo").status == 303
    page = client.get_complete(url)
    assert names(page) == ["*", NASTY, "FR", "Lyon", "Paris", "Rome"]
    assert re.search(r'title="Rome">Rome</bdi></label>\s*<span class="n records">30', page.text)
    page = edit(client, url, page, "group", "FR", "Rome", name="EU")
    page = edit(client, url, page, "dissolve", "FR")
    assert take(client, project, url, page).location == url
    result = choice(client, project)
    assert (result.kind, result.hierarchy, result.levels) == ("hierarchical", "hierarchy-2.json", "")
    path = client.context.store.hierarchies(project.id) / result.hierarchy
    assert path.stat().st_mode & 0o777 == 0o600
    assert Hierarchy.read(path) == Hierarchy.from_dict({"*": {NASTY: [], "EU": ["Lyon", "Paris", "Rome"]}})
    page = client.get_complete(url)
    assert "in use</span>" in page.text
    assert "not in use yet" not in page.text


def test_a_tree_that_was_changed_is_another_decision(client: PageClient, project: Project) -> None:
    url = address(project)
    page = build(client, url, way="flat")
    take(client, project, url, page)
    before, mark = choice(client, project), client.context.store.read(project.id).mark
    page = edit(client, url, client.get_complete(url), "rename", "*", name="anywhere")
    assert "changed, and not in use yet" in page.text
    take(client, project, url, page)
    assert choice(client, project).hierarchy == before.hierarchy
    assert client.context.store.read(project.id).mark != mark
    client.context.drafts.remove(project.id)
    assert names(client.get_complete(url))[0] == "anywhere"


def test_edits_that_make_no_tree_are_said_and_change_nothing(client: PageClient, project: Project) -> None:
    url = address(project)
    page = build(client, url, way="flat")
    for action, nodes, fields, sentence in [
        ("rename", ["Lyon"], {"name": "Rome"}, "The new name is already in use"),
        ("rename", ["Lyon", "Rome"], {"name": "x"}, "2 nodes cannot get one new name"),
        ("group", [], {"name": "x"}, "No value is given"),
        ("move", ["Lyon"], {"under": "Lyon"}, "its own parent"),
        ("move", ["Lyon"], {"under": "nowhere"}, "no node of that name"),
        ("dissolve", ["*"], {}, "The root is above all other nodes"),
        ("add", [], {"under": "*"}, "No value is given"),
    ]:
        again = edit(client, url, page, action, *nodes, **fields)
        assert sentence in again.text
        assert again.field("mark") == page.field("mark")
    assert client.post(f"{url}/edit", {"mark": page.field("mark"), "action": "burn"}).status == 422
    assert client.post(f"{url}/edit", {"mark": "other", "action": "dissolve", "node": "0"}).status == 409
    assert client.post(f"{url}/take", {"mark": page.field("mark"), "revision": "7777"}).status == 409
    assert client.post(f"{url}/take", {"mark": "other", "revision": "0"}).status == 409


def test_values_that_the_tree_lacks_are_shown_and_added(client: PageClient, project: Project) -> None:
    url = address(project)
    text = json.dumps({"*": {"France": ["lyon", "Nice"], "Italy": []}}).encode()
    assert client.send(f"{url}/upload", text, **{"x-file-name": "towns.json"}).json == {"location": url}
    page = client.get_complete(url)
    assert "<strong>4 values</strong> of 4 are not in the tree, in <strong>120 records</strong> of 120" in page.text
    part = client.get_complete(f"{url}/missing")
    rows = re.findall(
        r'name="value-(\d)" value="([^"]*)"><input type="hidden" name="near-\d" value="([^"]*)"', part.text
    )
    assert {html.unescape(value): near for _, value, near in rows} == {**dict.fromkeys(TOWNS, ""), "Lyon": "lyon"}
    assert "<img" not in part.text
    fields = [
        (f"{kind}-{n}", html.unescape(text))
        for n, value, near in rows
        for kind, text in (("value", value), ("near", near))
    ]
    ticks = {html.unescape(value): n for n, value, _ in rows}
    common = [("mark", part.field("mark")), *fields]
    assert (
        client.post(f"{url}/edit", [*common, ("action", "match"), *(("lacking", n) for n in ticks.values())]).status
        == 303
    )
    page = client.get_complete(url)
    assert names(page) == ["*", "France", "lyon", "Lyon", "Nice", "Italy"]
    common[0] = ("mark", page.field("mark"))
    picked = [("lacking", ticks["Rome"]), ("lacking", ticks[NASTY])]
    client.post(f"{url}/edit", [*common, ("action", "add"), ("under", "Italy"), *picked])
    page = client.get_complete(url)
    assert set(names(page)[-2:]) == {"Rome", NASTY}
    assert "<strong>1 value</strong> of 4 is not in the tree" in page.text


@pytest.mark.parametrize(
    ("name", "body", "sentence"),
    [
        ("tree.json", b"{", "In &#39;tree.json&#39; the hierarchy is not JSON (line 1)"),
        ("tree.csv", b"", "the hierarchy is empty"),
        ("tree.csv", b"a;b;*\nc;*\n", "has 2 levels"),
        ("tree.csv", b"\x1f\x8b\x00", "compressed"),
        ("../../evil.exe", b"a,b\nb,a\n", "cycle"),
        ("big.csv", b"\n".join(b"%d;*" % n for n in range(MAX_NODES)), "the page shows and edits up to 20,000"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused_in_a_sentence(
    client: PageClient, project: Project, name: str, body: bytes, sentence: str
) -> None:
    url = address(project)
    assert client.send(f"{url}/upload", body, **{"x-file-name": name}).status == 200
    page = client.get_complete(url)
    assert sentence in page.text
    assert str(client.context.scratch) not in page.text


def test_a_file_that_is_too_large_is_not_kept(client: PageClient, project: Project) -> None:
    before = [url.stat() for url in client.context.scratch.rglob("*") if url.is_file()]
    response = client.send(f"{address(project)}/upload", b"a" * 8_000_001, **{"x-file-name": "a.csv"})
    assert response.status == 413
    assert "8 MB" in response.json["error"]
    assert [url.stat() for url in client.context.scratch.rglob("*") if url.is_file()] == before


def test_offers_fit_the_column_and_hierarchies_of_others_are_found(
    client: PageClient, project: Project, file: Path
) -> None:
    url = address(project)
    take(client, project, url, build(client, url, way="flat"))
    offers = client.get_complete(f"{address(project, AGE)}/offers").text
    assert "Intervals of width 5, 10 and 20" in offers
    assert "As for" not in offers
    assert "The first 2 and 1 characters" in client.get_complete(f"{address(project, CODE)}/offers").text
    assert "Months, quarters and years" in client.get_complete(f"{address(project, DAY)}/offers").text
    source = client.context.store.read(project.id).source
    assert source is not None
    other = client.project(source, name="the next one", file=file)
    try:
        url = address(other)
        offers = client.get_complete(f"{url}/offers").text
        assert "As for <bdi>town</bdi>" in offers
        assert "the next one" not in offers
        assert "It has 4 of the 4 values" in offers
        page = build(client, url, way="copy", project=project.id, column=TOWN)
        assert sorted(names(page)) == sorted(["*", *TOWNS])
        for fields in ({"project": project.id, "column": AGE}, {"project": project.id, "column": "x"}):
            assert client.post(f"{url}/build", {"way": "copy", **fields}).status == 422
        assert client.post(f"{url}/build", {"way": "copy", "project": "../x", "column": 1}).status == 404
    finally:
        client.context.store.purge(client.context.store.detach(other.id))


def test_an_order_of_values_is_kept(client: PageClient, project: Project) -> None:
    url = address(project)
    assert "Or an order of its values" in client.get_complete(url).text
    revision = client.context.store.read(project.id).revision
    response = client.post(f"{url}/order", {"revision": revision, "levels": "Rome\r\nLyon\r\n\r\nParis\r\n"})
    assert response.status == 303
    result = choice(client, project)
    assert (result.kind, result.hierarchy, result.levels) == ("ordinal", "", "levels-2.txt")
    path = client.context.store.hierarchies(project.id) / "levels-2.txt"
    assert path.read_text() == "Rome\nLyon\nParis\n"
    page = client.get_complete(url).text
    assert "Rome\nLyon\nParis" in page
    assert "1 value of the column is not in the order" in page
    assert "<img" not in page
    for levels in ("one", "a\na", "a\n*", ""):
        revision = client.context.store.read(project.id).revision
        client.post(f"{url}/order", {"revision": revision, "levels": levels})
        assert "&#39;levels&#39; has a value that it cannot take" in client.get_complete(url).text
    assert client.post(f"{url}/order", {"revision": 7777, "levels": "a\nb"}).status == 409
    revision = client.context.store.read(project.id).revision
    assert client.post(f"{url}/remove", {"revision": revision}).status == 303
    assert choice(client, project) == ColumnChoice("quasi-identifier")
    assert not path.exists()


def test_wordnet_comes_from_the_browser(client: PageClient, project: Project, tmp_path: Path) -> None:
    url = address(project, JOB)
    assert client.post(f"{url}/build", {"way": "wordnet"}).status == 409
    made_up = runpy.run_path(str(Path(__file__).parents[1] / "hierarchy" / "tiny_wordnet.py"))
    folder = made_up["write_wordnet"](tmp_path / "wordnet", made_up["OCEAN"], packed=True)
    for part in ("index", "data"):
        body = (folder / f"{part}.noun.gz").read_bytes()
        location = client.send(f"{url}/wordnet/{part}", body).json["location"]
        assert re.fullmatch(rf"{url}\?had=\w+#wordnet", location)
        assert f"{part}.noun is there" in client.get_complete(url).text
    assert client.send(f"{url}/wordnet/verbs", b"").status == 422
    page = build(client, url, way="wordnet", under="", rule="alphabetical")
    assert "diver" in names(page)
    assert "What WordNet left open" in page.text
    assert "Every value of the column is in the tree" in page.text
    url = address(project, TOWN)
    page = build(client, url, way="wordnet", rule="shortest")
    assert "WordNet does not know 4 values" in page.text
    assert page.field("rule") == "shortest"
    senses = "\n".join(f"{town} = port" for town in TOWNS)
    page = build(client, url, way="wordnet", senses=senses)
    assert {"Lyon", "port.n.01", NASTY} <= set(names(page))
    assert "<img" not in page.text
    client.send(f"{url}/wordnet/data", b"nothing")
    assert "is damaged" in build(client, url, way="wordnet", senses=senses).text


def test_the_tree_is_shown_without_the_file_too(client: PageClient, project: Project) -> None:
    source = client.context.store.read(project.id).source
    assert source is not None
    bare = client.project(source)
    url = address(bare)
    client.context.store.hierarchies(bare.id).joinpath("hierarchy-2.json").write_text('{"*": {"EU": ["Lyon", "Rome"]}}')
    client.context.store.update(
        bare.id, lambda project: _with_tree(project), revision=client.context.store.read(bare.id).revision
    )
    page = client.get(url)
    assert "cannot be counted now" in page.text
    assert names(page) == ["*", "EU", "Lyon", "Rome"]
    assert "records" not in page.text.split('id="editor"')[1].split("</form>")[0]
    assert client.get(f"{url}/missing", **{"x-requested-with": "shoal"}).status == 409
    page = edit(client, url, page, "dissolve", "EU")
    assert names(page) == ["*", "Lyon", "Rome"]
    assert client.get(f"{url}/download").text == '{\n  "*": {\n    "Lyon": {},\n    "Rome": {}\n  }\n}\n'
    assert client.get(f"{url}/download?format=arx").text == "Lyon;*\nRome;*\n"
    assert client.post(f"{url}/discard").status == 303
    assert names(client.get(url)) == ["*", "EU", "Lyon", "Rome"]
    client.context.drafts.remove(bare.id)
    client.context.store.hierarchies(bare.id).joinpath("hierarchy-2.json").write_text("{")
    assert "is not JSON" in client.get(url).text
    assert "Make a hierarchy" in client.get(url).text
    client.context.store.purge(client.context.store.detach(bare.id))


def _with_tree(project: Project) -> Project:
    from dataclasses import replace

    assert project.choices is not None
    return replace(
        project, choices=project.choices.with_column(TOWN, hierarchy="hierarchy-2.json", kind="hierarchical")
    )


def test_a_large_tree_is_shown_in_parts(client: PageClient, project: Project) -> None:
    url = address(project)
    tree = Hierarchy.from_edges([(f"g{n}", "*") for n in range(40)] + [(f"v{n}", f"g{n % 40}") for n in range(4000)])
    client.context.drafts.start(project.id, TOWN, "town", tree)
    page = client.get_complete(url)
    assert len(names(page)) == 41
    assert "41 of 4,041 nodes shown" in page.text
    assert len(names(client.get(f"{url}?rows=5000"))) == 4041
    part = client.get(f"{url}?top={tree.number('g7')}")
    assert names(part) == ["g7", *tree.children("g7")]
    assert 'aria-label="Way to the top of the tree"' in part.text
    for query in ("?top=99999999", "?top=x&rows=x", "?top=-1&rows=-5"):
        assert len(names(client.get(f"{url}{query}"))) == 41
    flat = Hierarchy.from_edges((f"v{n}", "*") for n in range(1000))
    client.context.drafts.start(project.id, TOWN, "town", flat)
    page = client.get(url)
    assert len(names(page)) == 301
    assert "301 of 1,001 nodes shown" in page.text


def test_lists_are_nested_as_the_tree_is(client: PageClient, project: Project) -> None:
    tree = Hierarchy.from_dict({"*": {"a": {"b": {"c": []}, "d": []}, "e": ["f"]}})
    client.context.drafts.start(project.id, TOWN, "town", tree)
    listed = client.get_complete(address(project)).text.split('<ul class="tree"')[1].split("</form>")[0]
    bare = re.sub(r"<(?!/?(?:ul|li)\b)[^>]*>", "", "<ul" + listed.split('<div class="stack tight">')[0])
    tags = re.findall(r"</?(?:ul|li)\b|\b[abcdef]\b(?=\s)|\*", bare)
    depth, result = 0, {}
    for tag in tags:
        if tag == "<ul":
            depth += 1
        elif tag == "</ul":
            depth -= 1
        elif not tag.startswith("<"):
            result.setdefault(tag, depth)
    assert depth == 0
    assert tags.count("<li") == tags.count("</li") == len(tree)
    assert result == {name: tree.depth(name) for name in tree}


def test_no_style_and_no_markup_of_values_reaches_the_page(client: PageClient, project: Project) -> None:
    url = address(project)
    page = build(client, url, way="flat")
    page = edit(client, url, page, "group", NASTY, name="</title><script>alert(2)</script>")
    assert "<script>" not in page.text
    assert "<img" not in page.text
    assert " style=" not in page.text
    assert "<style" not in page.text
    assert not re.search(r"\son\w+=\"", page.text)
    assert client.get("/static/tree.css").text == STYLE


def test_the_picture_has_its_style_or_none() -> None:
    tree = Hierarchy.from_dict({"*": ["a", "b"]})
    styled, bare = draw_svg(tree, title="x"), draw_svg(tree, title="x", styled=False)
    assert "<style>" in styled
    assert "style" not in bare
    assert re.search(r'width="\d+" height="\d+"', bare)


def test_drafts_keep_twenty_steps_and_the_last_columns() -> None:
    drafts = HierarchyDrafts()
    draft = drafts.start("p", 0, "a", Hierarchy.from_edges([("0", "*")]))
    for number in range(1, 40):
        draft.push(Hierarchy.from_edges([(str(number), "*")]))
    for _ in range(50):
        draft.undo()
    assert draft.current is not None
    assert draft.current.leaves == ("19",)
    assert drafts.get("p", 0, "another column there now") is None
    for number in range(1, 30):
        drafts.start("p", number, "a", None)
    assert drafts.get("p", 0, "a") is None
    drafts.remove("p", 29)
    assert drafts.get("p", 29, "a") is None
    assert drafts.get("p", 28, "a") is not None


def test_there_is_nothing_to_see_without_a_tree(client: PageClient, project: Project) -> None:
    url = address(project)
    assert client.get(f"{url}/download").status == 422
    assert client.post(f"{url}/undo").status == 303
    assert client.post(f"{url}/build", {"way": "magic"}).status == 422
    assert client.get(f"/p/{project.id}/columns/99/hierarchy").status == 404
