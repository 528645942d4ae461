"""Requests in any order, concurrent changes and damaged files never yield a wrong release."""

from __future__ import annotations

import asyncio
import os
import socket
import time
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_worker import COLUMNS, FakeWorker, source, write_table
from page_client import PageClient
from project_setup import form, make_release, run_release, set_choices, sha256
from server_process import running_server
from starlette.requests import ClientDisconnect, Request

from shoal.errors import HierarchyError, OptionError, OutputError
from shoal.hierarchy import Hierarchy
from shoal.system.locks import locked
from shoal.web.errors import PageError
from shoal.web.pages import data_page
from shoal.web.projects.hierarchy_files import bytes_fingerprint, write_levels
from shoal.web.projects.incoming_files import with_inspected_file
from shoal.web.projects.model import Project, ReleaseChoices
from shoal.web.projects.store import ProjectStore
from shoal.web.workers.pool import WorkerPool
from shoal.web.workers.process import WorkerLimits
from shoal.web.workers.tasks import file_tasks, hierarchy_tasks, release_tasks
from shoal.web.workers.worker import WorkerContext

TREE = '{"any": ["u", "v"]}'


def policy(client: PageClient, project: Project) -> dict[str, Any]:
    return tomllib.loads((client.context.store.release(project.id) / "released.csv.policy.toml").read_text())


def test_a_file_that_nobody_looked_at_is_not_released(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    """Another file took the place of the one that the decisions are about, and the look at it did not end."""
    fake_worker.results["release"] = make_release
    rows = [f"p{i},{20 + i},u,flu,n{i},secret{i}" for i in range(30)]
    new = "\n".join([",".join([*COLUMNS, "telephone"]), *rows, ""]).encode()
    assert client.send(f"/p/{project.id}/file", new, x_file_name="next.csv").status == 200
    client.post(f"/p/{project.id}/cancel")
    now = client.context.store.read(project.id)
    for path, more in (("release", {}), ("compare", {"k": 3})):
        response = client.post(f"/p/{project.id}/{path}", form(now, **more))
        assert (response.status, "was not read yet" in response.text) == (409, True)
    assert not client.context.store.release(project.id).exists()


@pytest.mark.parametrize("columns", [["who", "age"], ["age", "who", "ill"], ["who", "age", "ill", "new"]])
def test_a_file_that_is_read_in_another_way_is_not_the_same(tmp_path: Path, columns: list[str]) -> None:
    write_table(tmp_path / "people.csv")
    file = {"path": str(tmp_path / "people.csv"), "reading": {}, "name": "people.csv"}
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        context = WorkerContext(nowhere)
        same = {"sha256": sha256(tmp_path / "people.csv"), "columns": list(source().names)}
        assert context.inspected_table({"file": file, "looked": same}).height == source().records
        for other in ({**same, "columns": columns}, {**same, "sha256": "0" * 64}, {**same, "sha256": ""}):
            with pytest.raises(PageError, match="read it again in the step Data"):
                context.inspected_table({"file": file, "looked": other})


def test_a_hierarchy_that_is_changed_meanwhile_changes_no_release(
    client: PageClient, project: Project, fake_worker: FakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = client.context.store.hierarchies(project.id) / "hierarchy-3.json"
    tree.write_text(TREE)
    columns = project.choices.with_column(2, hierarchy=tree.name, fingerprint=bytes_fingerprint(TREE.encode())).columns
    project = set_choices(client, project, columns=columns)
    before = release_tasks._make

    def changed_first(params: Mapping[str, Any], context: WorkerContext) -> Any:
        tree.write_text('{"other": {"u": [], "w": ["v"]}}')  # by another tab
        return before(params, context)

    monkeypatch.setattr(release_tasks, "_make", changed_first)
    fake_worker.results["release"] = make_release
    assert run_release(client, project)["state"] == "done"
    folder = client.context.store.release(project.id)
    assert (folder / "hierarchies" / tree.name).read_text() == TREE
    decided = next(column for column in policy(client, project)["columns"] if "hierarchy" in column)
    assert decided["hierarchy"] == {
        "file": tree.name,
        "sha256": Hierarchy.read(folder / "hierarchies" / tree.name).fingerprint,
    }
    result = run_release(client, project)
    assert (result["state"], "are not those that were decided on" in result["sentence"]) == ("failed", True)


def test_a_release_whose_end_nobody_saw_is_not_taken_for_the_one_before(
    client: PageClient, project: Project, fake_worker: FakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """k = 4 is released, then k = 3; the disk is full or the page killed before the project notes that; then back."""
    fake_worker.results["release"] = make_release
    assert run_release(client, project)["state"] == "done"
    four = client.context.store.read(project.id)
    assert four.released == four.mark
    set_choices(client, project, k=3)

    def full(*_: object, **__: object) -> None:
        raise OutputError.unwritable("project.json", "no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectStore, "write_results", full)
        run_release(client, project)
    back = set_choices(client, project, k=4)
    assert policy(client, project)["release"]["k"] == 3
    assert back.released != back.mark
    text = client.get(f"/p/{project.id}/release").text
    assert "These are the files of an earlier run" in text
    assert "In these files: k = 3: every record" in text
    assert "release verified" not in client.get("/").text


def test_a_page_of_the_release_before_downloads_nothing_of_the_next(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    fake_worker.results["release"] = make_release
    run_release(client, project)
    facts = client.context.store.read_results(project.id, "release/facts.json")
    offered = next(file["sha256"][:16] for file in facts["files"] if file["name"] == "released.csv")
    link = f"/p/{project.id}/files/release?sha256={offered}"
    assert client.get(link).status == 200
    set_choices(client, project, k=3)
    run_release(client, project)
    response = client.get(link)
    assert response.status == 409
    assert "made again after" in response.text
    assert client.get(f"/p/{project.id}/files/release").status == 200


def test_nothing_is_said_about_a_file_while_nobody_can_look_at_it(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    assert client.post(f"/p/{project.id}/release", form(project)).status == 303  # and never ends
    now = client.context.store.read(project.id)
    assert client.post(f"/p/{project.id}/reading", form(now, delimiter=";")).status == 409
    assert client.context.store.read(project.id).reading == {}


def test_a_point_of_another_comparison_is_not_chosen(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    """Two comparisons of the same decisions in two tabs: the third point of one is not the third of the other."""
    fake_worker.results["compare"] = {"points": [{"k": 10, "method": "mdav", "error": None}]}
    client.post(f"/p/{project.id}/compare", form(project, k=10))
    client.get(f"/p/{project.id}/job")
    seen = client.context.store.read(project.id)
    fake_worker.results["compare"] = {"points": [{"k": 2, "method": "mdav", "error": None}]}
    client.post(f"/p/{project.id}/compare", form(seen, k=2))
    client.get(f"/p/{project.id}/job")
    assert client.post(f"/p/{project.id}/choose", form(seen, point=0)).status == 409
    assert client.context.store.read(project.id).choices.k == 4


def test_no_copy_of_an_earlier_file_is_kept(client: PageClient, project: Project, fake_worker: FakeWorker) -> None:
    client.send(f"/p/{project.id}/file", b"who,age\np,1\n", x_file_name="next.csv")
    assert client.post(f"/p/{project.id}/keep", form(project, keep="yes")).status == 409
    assert not list(client.context.store.folder(project.id).glob("data*"))


def test_a_copy_that_another_file_overtook_is_not_kept(
    client: PageClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = data_page._copy

    def slowly(path: Path, copy: Path) -> None:
        before(path, copy)
        client.context.store.update(project.id, lambda now: now, new_revision=True)  # as an upload does

    monkeypatch.setattr(data_page, "_copy", slowly)
    assert client.post(f"/p/{project.id}/keep", form(project, keep="yes")).status == 409
    assert not list(client.context.store.folder(project.id).glob("data*"))


def test_a_project_is_gone_at_once_when_it_is_deleted(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    """What is asked for while it is being deleted starts no work on it, and nothing of it comes back."""
    store, statuses = client.context.store, []
    clear = store.purge

    def slowly(deleted: Path) -> None:
        with pytest.raises(PageError, match="no such project"):
            store.update(project.id, lambda now: replace(now, name="back"))
        statuses.append(deleted.name)
        clear(deleted)

    store.purge = slowly  # type: ignore[method-assign]
    assert client.post(f"/p/{project.id}/delete").status == 303
    assert statuses
    assert list(store.folder("").iterdir()) == []
    assert client.post(f"/p/{project.id}/release", form(project)).status == 404


def test_what_a_killed_start_had_begun_to_delete_the_next_one_deletes(client: PageClient, project: Project) -> None:
    store = client.context.store
    deleted = store.detach(project.id)
    assert store.all() == []
    assert deleted.is_dir()
    ProjectStore(store.folder(""))
    assert not deleted.exists()


def test_what_a_killed_start_left_half_done_the_next_one_puts_right(client: PageClient, project: Project) -> None:
    store = client.context.store
    folder = store.folder(project.id)
    (folder / ".before-0").mkdir()
    (folder / ".before-0" / "mark").write_text(project.mark)
    (folder / ".making-1").mkdir()
    copy, notes, living = (
        folder / f".shoal-{number:016x}{ending}" for number, ending in enumerate([".csv", ".json", ".csv"])
    )
    for path, age in ((copy, 0), (notes, 1000), (living, 1000)):
        path.write_text("half a copy of the data")
        os.utime(path, (time.time() - age,) * 2)
    (folder / "data.csv").write_text("a copy of the data that the project does not know of")
    with locked(living):  # by another start, whatever the clock says
        ProjectStore(store.folder(""))
        left = [living.name, "hierarchies", "project.json", "release"]
        assert sorted(path.name for path in folder.iterdir()) == left
    ProjectStore(store.folder(""))
    assert not living.exists()
    assert store.read(project.id).released == project.mark


def test_a_preview_waits_for_the_look(client: PageClient, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    new = client.context.store.create("a.csv")
    client.context.files[new.id] = tmp_path / "a.csv"
    response = client.get(f"/p/{new.id}/preview")
    assert (response.status, "was not read yet" in response.text) == (409, True)


HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("columns", {f"role-{HUGE}": "identifier"}),
        ("columns", {"role-٣": "identifier"}),
        ("columns", {"bulk": "role", "bulk-role": "identifier", "pick": HUGE}),
        ("protection", {"k": HUGE}),
        ("compare", {"k": HUGE}),
        ("choose", {"point": HUGE}),
    ],
)
def test_a_number_that_is_none_changes_nothing(
    client: PageClient, project: Project, fake_worker: FakeWorker, path: str, fields: dict[str, str]
) -> None:
    assert client.post(f"/p/{project.id}/{path}", form(project, **fields)).status in (303, 422)
    assert client.context.store.read(project.id).choices == project.choices
    assert fake_worker.requests == []


@pytest.mark.parametrize("number", ["-1", "1e3", "1000000000", HUGE, "%D9%A3", "٣"])
def test_a_column_that_is_none_is_not_found(client: PageClient, project: Project, number: str) -> None:
    for path in (f"/p/{project.id}/columns/{number}", f"/p/{project.id}/columns/{number}/hierarchy"):
        assert client.get(path).status in (400, 404)


def test_a_project_is_renamed_without_what_cannot_be_seen(client: PageClient, project: Project) -> None:
    name = "a\u202eb\u200b\r\nSet-Cookie: x\u2028"
    assert client.post(f"/p/{project.id}/rename", form(project, name=name)).status == 303
    assert client.context.store.read(project.id).name == "abSet-Cookie: x"


def test_values_that_are_too_long_are_not_shown_as_a_tree(tmp_path: Path) -> None:
    """A page of a hundred million letters would hang."""
    rows = "\n".join(f"{i},{'y' * 5000}{i}" for i in range(1000))
    (tmp_path / "long.csv").write_text(f"a,b\n{rows}\n")
    file = {"path": str(tmp_path / "long.csv"), "reading": {}, "name": "long.csv"}
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        context = WorkerContext(nowhere)
        result = hierarchy_tasks.values({"file": file, "column": "b", "kind": "nominal"}, context)
        assert (result["distinct"], result["counts"], result["offers"]) == (1000, None, [])
        with pytest.raises(HierarchyError, match="letters, and the page takes up to 2,000,000"):
            hierarchy_tasks.trees({"way": "flat", "options": {}, "file": file, "column": "b"}, context)


@pytest.mark.parametrize("own", ["5_0", "1" + "0" * 40, "٣", "+5", "0x5", "1e1"])
def test_a_level_of_k_is_a_plain_number(
    client: PageClient, project: Project, fake_worker: FakeWorker, own: str
) -> None:
    assert client.post(f"/p/{project.id}/compare", form(project, own=own)).status == 422
    assert fake_worker.requests == []


def test_what_was_decided_about_a_column_is_not_forgotten_when_a_file_is_read_wrongly_for_once() -> None:
    known = source()
    decided = replace(ReleaseChoices.proposed(known), k=4).with_column(4, role="identifier")  # proposed: insensitive
    project = Project("0" * 12, "a", "", "2026-11-17", source=known, choices=decided)
    wrong = replace(known, columns=tuple(replace(column, name=f"column_{column.name}") for column in known.columns))
    lost = with_inspected_file(project, wrong)
    assert [choice.role for choice in lost.choices.columns] == [column.role for column in wrong.columns]
    back = with_inspected_file(Project.from_dict(lost.to_dict()), known)
    assert back.choices == decided
    assert back.mark == project.mark


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="many connections at once")
def test_who_asks_nothing_keeps_nobody_out(tmp_path: Path) -> None:
    """Hundreds of connections with half a request, the first or a later one."""
    with running_server(tmp_path) as site, ExitStack() as opened:
        site.log_in()
        first = f"GET / HTTP/1.1\r\nhost: {site.host}\r\n\r\n".encode()
        for sent in [b"GET / HTTP/1.1\r\nho"] * 150 + [first] * 150:
            silent = opened.enter_context(socket.create_connection(("127.0.0.1", site.port)))
            silent.sendall(sent)
            if sent is first:
                with suppress(OSError):
                    silent.sendall(b"G")
        assert [site.get("/").status for _ in range(5)] == [200] * 5
        children = Path(f"/proc/{site.process.pid}/fd")
        assert not children.is_dir() or len(list(children.iterdir())) < 150


def test_a_job_that_is_started_while_another_is_cancelled_is_not_taken_for_it(
    tmp_path: Path, fake_worker: FakeWorker
) -> None:
    """It would go on, unseen, after the page said that it was stopped."""

    async def scenario() -> None:
        pool = WorkerPool(WorkerLimits(1 << 30, tmp_path))

        async def nothing(_: object) -> None:
            pass

        first = pool.start_job("a", "release", {}, on_result=nothing)
        await asyncio.sleep(0)
        cancelling = asyncio.create_task(pool.cancel_job("a"))
        while first.state == "running":
            await asyncio.sleep(0)
        second = pool.start_job("a", "release", {}, on_result=nothing)
        await cancelling
        assert (first.state, second.state) == ("cancelled", "running")
        await pool.cancel_job("a")
        assert second.state == "cancelled"

    asyncio.run(scenario())


def test_a_column_with_an_endless_name_is_refused(tmp_path: Path) -> None:
    """As a file without a header has, and is said to have one."""
    (tmp_path / "long.csv").write_text(f"a,{'x' * 100_000}\n1,2\n3,4\n")
    file = {"path": str(tmp_path / "long.csv"), "reading": {"header": True}, "name": "long.csv"}
    with open(os.devnull, "wb") as nowhere, pytest.raises(PageError, match="more than 1,000 characters"):  # noqa: PTH123
        file_tasks.look({"file": file, "name": "long.csv"}, WorkerContext(nowhere))


@pytest.mark.parametrize("name", ["encoding", "missing", "sheet"])
def test_what_is_said_about_a_file_is_short(client: PageClient, project: Project, name: str) -> None:
    response = client.post(f"/p/{project.id}/reading", form(project, **{name: "x" * 100_000}))
    assert response.status == 422
    assert client.context.store.read(project.id) == project


@pytest.mark.parametrize("levels", [[str(i) for i in range(20_001)], ["x" * 1_000_001, "y" * 1_000_001]])
def test_an_order_has_no_more_than_a_page_can_show(tmp_path: Path, levels: list[str]) -> None:
    with pytest.raises(OptionError, match="at most 20,000 values of 2,000,000 letters"):
        write_levels(tmp_path / "levels-1.txt", levels)


def test_a_project_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProjectStore(tmp_path / "projects")

    def full(*_: object) -> None:
        raise OutputError.unwritable("project.json", "no space left on device")

    monkeypatch.setattr(ProjectStore, "write_results", full)
    with pytest.raises(OutputError):
        store.create("a")
    assert list((tmp_path / "projects").iterdir()) == []


@pytest.mark.parametrize("sent", [b"{", b""])
def test_a_hierarchy_that_breaks_off_leaves_the_one_before(client: PageClient, project: Project, sent: bytes) -> None:
    async def broken(_: object) -> object:
        yield sent
        raise ClientDisconnect

    address = f"/p/{project.id}/columns/1/hierarchy/upload"
    assert client.send(address, TREE.encode(), x_file_name="a.json").status == 200
    stored = client.context.scratch / project.id / "trees" / "1-file.json"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Request, "stream", broken)
        response = client.send(address, b"{}", x_file_name="a.json")
    assert (response.status, "did not arrive whole" in response.text) == (400, True)
    assert stored.read_text() == TREE
    assert [path.name for path in client.context.scratch.iterdir()] == [project.id]
